/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_report: what inspect prints before and after a command, on standard error. */
#ifndef NX_CLI_INSPECT_REPORT_H
#define NX_CLI_INSPECT_REPORT_H

#include "capture/capture_found.h"
#include "capture/child_environment.h"
#include "capture/runtime_choice.h"
#include "cli/command.h"

/* The first line, as AWS's tool prints it. */
void nx_inspect_say_banner(char *const *argv);
void nx_inspect_say_runtime(const struct nx_runtime_choice *choice);
/* Warns of NEURON_*INSPECT* variables that no runtime reads, with a suggestion. */
void nx_inspect_say_misspelt(const struct nx_child_environment *environment);

struct nx_inspect_outcome {
	const char *command;	 /* its first word */
	const char *output_dir;	 /* as the user gave it */
	const char *output_path; /* the same, absolute */
	uint64_t since_ns;	 /* when the command started */
};
/* What was captured and how to view it, or why nothing was captured. */
void nx_inspect_say_outcome(const struct nx_invocation *call,
			    const struct nx_inspect_outcome *outcome);

#endif
