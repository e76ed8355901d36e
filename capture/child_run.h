/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child_run: runs a command as if it had been started directly.
 *
 * It shares our streams, working directory and process group. Signals that we get while
 * it runs are forwarded, except those that the terminal sends to the whole group. When
 * the child stops, so do we, and a shell's fg wakes both.
 *
 * For programs with one thread: signals are blocked and waited for.
 */
#ifndef NX_CAPTURE_CHILD_RUN_H
#define NX_CAPTURE_CHILD_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct nx_child_command {
	char *const *argv;	  /* argv[0] is looked for in PATH; ends with NULL */
	char *const *environment; /* NULL: ours */
};

struct nx_child_end {
	pid_t pid;
	int exit_code;	 /* as a shell reports it: its own, or 128 + signal */
	int signal;	 /* that killed it; 0 when it ended by itself */
	bool is_started; /* false: the command could not be started at all */
};

/*
 * Waits for the command's end. If it cannot be started: NOT_FOUND, PERMISSION... with
 * exit_code 127 or 126, as in shells. A command that itself fails is not an error.
 */
NX_MUST_CHECK enum nx_status nx_child_command_run(const struct nx_child_command *command,
						  struct nx_child_end *end, struct nx_error *err);

#endif
