/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_report: what inspect says around a command, all of it on standard error. */
#ifndef NX_CLI_INSPECT_REPORT_H
#define NX_CLI_INSPECT_REPORT_H

#include "capture/capture_found.h"
#include "capture/child_environment.h"
#include "capture/runtime_choice.h"
#include "cli/command.h"

/* The line users of AWS's tool know. */
void nx_inspect_say_banner(char *const *argv);
void nx_inspect_say_runtime(const struct nx_runtime_choice *choice);
/* Variables of the environment that no runtime knows, with the one that was meant. */
void nx_inspect_say_misspelt(const struct nx_child_environment *environment);

struct nx_inspect_outcome {
	const char *command;	 /* its first word */
	const char *output_dir;	 /* as the user gave it */
	const char *output_path; /* the same, absolute */
	uint64_t since_ns;	 /* of the command's start */
};
/* What was captured and how to look at it, or why nothing was. */
void nx_inspect_say_outcome(const struct nx_invocation *call,
			    const struct nx_inspect_outcome *outcome);

#endif
