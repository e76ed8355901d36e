/* SPDX-License-Identifier: Apache-2.0 */
/* suggest: the word a user probably meant. */
#ifndef NX_CLI_SUGGEST_H
#define NX_CLI_SUGGEST_H

#include "cli/command.h"

/* Letters to add, drop, replace or swap; words are looked at up to 40 letters. */
unsigned nx_edit_distance(const char *a, size_t a_len, const char *b, size_t b_len);

/*
 * The nearest name, NULL when none is near enough to be meant. Words are a list
 * separated by spaces; the answer then points into it and ends at a space.
 */
const char *nx_suggest_word(const char *words, const char *word);
/* Of names that may contain spaces. */
const char *nx_suggest_name(const char *const *names, size_t count, const char *name);
const char *nx_suggest_option(const struct nx_option *options, const char *name, size_t len);
const char *nx_suggest_command(const char *name);

#endif
