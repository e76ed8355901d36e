/* SPDX-License-Identifier: Apache-2.0 */
/* suggest: finds the word that a user probably meant. */
#ifndef NX_CLI_SUGGEST_H
#define NX_CLI_SUGGEST_H

#include "cli/command.h"

/* The nearest name, or NULL if none is near enough. nx_suggest_member looks at a member of each
 * of an array's structs. */
const char *nx_suggest_name(const void *items, size_t count, size_t item_bytes, size_t offset,
			    const char *name);
#define nx_suggest_member(items, count, member, name)                                              \
	nx_suggest_name(items, count, sizeof(*(items)), offsetof(__typeof__(*(items)), member),    \
			name)
const char *nx_suggest_option(const struct nx_option *options, const char *name, size_t len);
const char *nx_suggest_command(const char *name);

/* The end of a message: "; did you mean 'near'?", or otherwise if near is NULL. */
#define NX_HINT_MAX 256
const char *nx_hint(const char *near, const char *otherwise, char out[NX_HINT_MAX]);
/* The same with the nearest of words, a list separated by spaces. */
const char *nx_hint_word(const char *words, const char *word, const char *otherwise,
			 char out[NX_HINT_MAX]);

#endif
