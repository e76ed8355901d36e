/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal: text for people. Print text from files only through these functions, so that no name
 * in a capture can move the cursor or change colours.
 */
#ifndef NX_CLI_TERMINAL_H
#define NX_CLI_TERMINAL_H

#include "base/file.h"
#include "base/vec.h"

/* To standard output (or wherever out goes); control characters become '?'. */
void nx_print(struct nx_output *out, const char *fmt, ...) NX_PRINTF(2, 3);

/* Opens standard output, writes and commits it. */
NX_MUST_CHECK enum nx_status nx_print_page(void (*write)(struct nx_output *out),
					   struct nx_error *err);
/* Commits out; if st is a failure, aborts it. Returns st, or why the commit failed. */
NX_MUST_CHECK enum nx_status nx_print_end(struct nx_output *out, enum nx_status st,
					  struct nx_error *err);

/* To standard error: "neuron-explorer: error: ..." with the word in colour on a terminal. */
void nx_say_error(const char *program, const char *message);
void nx_say_warning(const char *fmt, ...) NX_PRINTF(1, 2);
void nx_say(const char *fmt, ...) NX_PRINTF(1, 2);

/* Columns for prose on standard output; 80 if it is not a terminal. */
unsigned nx_terminal_columns(void);
/* Columns for tables on standard output; 0 if it is not a terminal. */
unsigned nx_terminal_width(void);
/* Whether a descriptor is a terminal that can and may show colours (NO_COLOR, TERM=dumb). */
bool nx_terminal_is_coloured(int fd);
bool nx_terminal_is_error_shown(void); /* standard error is a terminal */

/* The next character, U+FFFD for an invalid byte; text must not be empty. */
uint32_t nx_text_take(struct nx_slice *text);

/* Columns as Unicode counts them, in any locale: 0 for combining marks, 2 for wide characters. */
unsigned nx_text_width(struct nx_slice text);

/*
 * Appends text as one line that cannot move the cursor or change the writing
 * direction: line ends and tabs as \n and \t, other controls as '?', bytes that
 * are not UTF-8 as U+FFFD.
 */
void nx_text_append_tame(struct nx_bytes *to, struct nx_slice text);

/* The longest prefix of at most width columns. */
struct nx_slice nx_text_cut(struct nx_slice text, unsigned width);

/* Paragraphs wrapped at columns, each line after the first indented; ends with a line break. */
void nx_print_wrapped(struct nx_output *out, const char *text, unsigned first_column,
		      unsigned indent, unsigned columns);

/* 2657 -> "2,657"; 4300000 -> "4.1 MiB". NX_COUNT_TEXT_MAX bytes hold either. */
#define NX_COUNT_TEXT_MAX 32
const char *nx_count_text(uint64_t count, char *out);
const char *nx_size_text(uint64_t size_bytes, char *out);
const char *nx_duration_text(uint64_t duration_ps, char *out);

#endif
