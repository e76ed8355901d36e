/* SPDX-License-Identifier: Apache-2.0 */
/* help: the texts that come from the command table: --help, man pages, shell completions. */
#ifndef NX_CLI_HELP_H
#define NX_CLI_HELP_H

#include "base/file.h"
#include "cli/command.h"

void nx_help_print_overview(const struct nx_invocation *call, struct nx_output *out);
void nx_help_print_command(const struct nx_invocation *call, const struct nx_command *command,
			   struct nx_output *out);
/* The same on standard output: what a command does when it is asked for --help. */
NX_MUST_CHECK enum nx_status nx_help_show(const struct nx_invocation *call,
					  const struct nx_command *command, struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_help_show_version(const struct nx_invocation *call,
						  struct nx_error *err);

/* A man page in roff; command NULL: the page of the program itself. */
void nx_man_print(const struct nx_command *command, struct nx_output *out);

/* shell is bash, zsh or fish; NOT_FOUND for any other. */
NX_MUST_CHECK enum nx_status nx_completion_print(const char *shell, struct nx_output *out,
						 struct nx_error *err);

/* X(exit code, meaning): every way a run can end, for the lists in help and man pages. */
struct nx_exit_code {
	int code;
	const char *meaning;
};
extern const struct nx_exit_code nx_exit_codes[];
extern const size_t nx_exit_code_count;

extern const struct nx_option nx_global_options[]; /* before or without a command */

#endif
