/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_width: how many terminal columns a text takes, and text made safe to print.
 * Widths are those of Unicode in any locale: 0 for combining marks, 2 for wide
 * characters.
 */
#ifndef NX_CLI_TEXT_WIDTH_H
#define NX_CLI_TEXT_WIDTH_H

#include "base/bare/slice.h"
#include "base/vec.h"

/* The next character, U+FFFD for an invalid byte; text must not be empty. */
uint32_t nx_text_take(struct nx_slice *text);

unsigned nx_text_width(struct nx_slice text);

/*
 * Appends text as one line that cannot move the cursor or change the writing
 * direction: line ends and tabs as \n and \t, other controls as '?', bytes that
 * are not UTF-8 as U+FFFD.
 */
void nx_text_append_tame(struct nx_bytes *to, struct nx_slice text);

/* The longest prefix of at most width columns. */
struct nx_slice nx_text_cut(struct nx_slice text, unsigned width);

#endif
