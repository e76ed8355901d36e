/* SPDX-License-Identifier: Apache-2.0 */
/* options: the words of a command line, by a command's option table. */
#ifndef NX_CLI_OPTIONS_H
#define NX_CLI_OPTIONS_H

#include "cli/command.h"

struct nx_operands { /* words that are no options, in order; borrowed from argv */
	char **items;
	size_t count;
};

/*
 * Fills the command's struct. USAGE when a word is wrong, with the nearest
 * right one as a hint; UNSUPPORTED for an option this version does not have
 * yet. *wants_help becomes true on --help; then nothing else counts.
 */
NX_MUST_CHECK enum nx_status nx_options_parse(const struct nx_command *command, int argc,
					      char **argv, void *values,
					      struct nx_operands *operands, bool *wants_help,
					      struct nx_error *err);

static inline bool nx_option_is_later(const struct nx_option *option)
{
	return option->kind == NX_OPTION_LATER_FLAG || option->kind == NX_OPTION_LATER_TEXT;
}

/* "-o, --output-file FILE", as help and man pages show it; returns out. */
const char *nx_option_spelling(const struct nx_option *option, char *out, size_t cap);

#endif
