/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression: arithmetic in a text, as an assembler's operands need it.
 *
 *	tile*512 + (i == 0)      0x40      1.5e-3      place(32, 4*i)
 *
 * Operators and their order are C's, from * down to |; comparisons give 0 or 1. Integers have 64
 * bits and may not overflow; a point or an exponent makes the expression a real one. The caller
 * resolves names and calls. Blanks end an expression, except within brackets or when
 * allows_blanks is set.
 */
#ifndef NX_BASE_EXPRESSION_H
#define NX_BASE_EXPRESSION_H

#include <stdbool.h>

#include "base/bare/slice.h"
#include "base/error.h"

struct nx_expression_value {
	bool is_real;
	int64_t whole; /* hexadecimal literals fill all 64 bits */
	double real;   /* set for whole numbers too */
};

static inline struct nx_expression_value nx_value_of(int64_t whole)
{
	return (struct nx_expression_value){false, whole, (double)whole};
}

#define NX_EXPRESSION_MAX_ARGUMENTS 4

struct nx_expression_names {
	/* The value of a name; false if it is unknown. */
	bool (*find)(void *context, struct nx_slice name, struct nx_expression_value *out);
	/* name(arguments); false if there is no such function of count arguments. May be NULL. */
	bool (*call)(void *context, struct nx_slice name,
		     const struct nx_expression_value *arguments, unsigned count,
		     struct nx_expression_value *out);
	void *context;
};

struct nx_cursor {
	struct nx_slice text;
	size_t at;
	bool allows_blanks;
	const struct nx_expression_names *names; /* NULL: there are none */
};

/* The byte at the cursor, NUL at the end. */
static inline char nx_cursor_peek(const struct nx_cursor *c)
{
	return c->at < c->text.len ? (char)c->text.data[c->at] : '\0';
}

void nx_cursor_skip_blanks(struct nx_cursor *c);
/* Skips the word if it comes next. */
bool nx_cursor_take(struct nx_cursor *c, const char *word);
/* Letters, digits, '_' and '.', not starting with a digit; empty if none comes next. */
struct nx_slice nx_cursor_take_name(struct nx_cursor *c);

/* FORMAT if no expression comes next; the cursor then stands at the error. */
NX_MUST_CHECK enum nx_status nx_expression_read(struct nx_cursor *c,
						struct nx_expression_value *out,
						struct nx_error *err);
/* A number, a name, a call or something in brackets, without the operators after it. */
NX_MUST_CHECK enum nx_status nx_expression_read_primary(struct nx_cursor *c,
							struct nx_expression_value *out,
							struct nx_error *err);

#endif
