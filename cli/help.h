/* SPDX-License-Identifier: Apache-2.0 */
/* help: the texts that come from the command table: --help, man pages, shell completions. */
#ifndef NX_CLI_HELP_H
#define NX_CLI_HELP_H

#include "base/file.h"
#include "cli/command.h"

#define NX_PROGRAM "neuron-explorer"
#define NX_LEGACY_PROGRAM "neuron-profile"

/* Prints the help of a command to standard output; command NULL: the overview. */
NX_MUST_CHECK enum nx_status nx_help_show(const struct nx_invocation *call,
					  const struct nx_command *command, struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_help_show_version(const struct nx_invocation *call,
						  struct nx_error *err);

/* The man page of that name in roff; page NULL: the names of all pages. NOT_FOUND. */
NX_MUST_CHECK enum nx_status nx_man_print(const char *page, struct nx_output *out,
					  struct nx_error *err);

/* shell is bash, zsh or fish; NOT_FOUND for any other. */
NX_MUST_CHECK enum nx_status nx_completion_print(const char *shell, struct nx_output *out,
						 struct nx_error *err);

struct nx_exit_code { /* for the lists in help and man pages */
	int code;
	const char *meaning;
};
extern const struct nx_exit_code nx_exit_codes[];
extern const size_t nx_exit_code_count;

extern const struct nx_option nx_global_options[]; /* before or without a command */

#endif
