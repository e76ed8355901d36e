/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_ranks: which ranks take part in the collectives of a core. */
#include <stdio.h>

#include "assemble/assembly_internal.h"

#define MAX_DEPTH 2
#define MAX_NUMBER INT64_C(0xffffffff)

/* "[[0,1],[2,3]]" as compact JSON; depth 1 is a plain list of numbers. */
static enum nx_status read_numbers(struct nx_cursor *c, unsigned depth, struct nx_bytes *out,
				   struct nx_error *err)
{
	enum nx_status st = NX_OK;
	char digits[24];
	int64_t number;

	nx_cursor_skip_blanks(c);
	if (!nx_cursor_take(c, "["))
		return nx_fail(err, NX_FORMAT, "expected a list in square brackets");
	nx_bytes_append(out, "[", 1);
	do {
		if (out->items[out->len - 1] != '[')
			nx_bytes_append(out, ",", 1);
		if (depth > 1) {
			st = read_numbers(c, depth - 1, out, err);
		} else {
			st = nx_assembly_number(c, 0, MAX_NUMBER, &number, err);
			if (!st)
				nx_bytes_append(out, digits,
						(size_t)snprintf(digits, sizeof(digits), "%lld",
								 (long long)number));
		}
		nx_cursor_skip_blanks(c);
	} while (!st && nx_cursor_take(c, ","));
	if (st)
		return st;
	nx_bytes_append(out, "]", 1);
	return nx_cursor_take(c, "]") ? NX_OK : nx_fail(err, NX_FORMAT, "a ']' is missing here");
}

static enum nx_status read_lists(struct nx_assembly *a, struct nx_cursor *c, unsigned depth,
				 struct nx_assembly_texts *to, struct nx_error *err)
{
	struct nx_bytes text = {0};
	bool outer = c->allows_blanks;
	enum nx_status st;

	c->allows_blanks = true;
	st = read_numbers(c, depth, &text, err);
	c->allows_blanks = outer;
	if (!st)
		st = nx_assembly_end(c, err);
	if (!st)
		nx_vec_push(to, nx_arena_copy(&a->arena, nx_slice_of(text.items, text.len)));
	nx_vec_release(&text);
	return st;
}

enum nx_status nx_directive_replica_groups(struct nx_assembly *a, struct nx_cursor *c,
					   struct nx_error *err)
{
	return read_lists(a, c, MAX_DEPTH, &nx_assembly_core(a)->replica_groups, err);
}

enum nx_status nx_directive_source_target_pairs(struct nx_assembly *a, struct nx_cursor *c,
						struct nx_error *err)
{
	return read_lists(a, c, MAX_DEPTH, &nx_assembly_core(a)->source_target_pairs, err);
}

enum nx_status nx_directive_element_counts(struct nx_assembly *a, struct nx_cursor *c,
					   struct nx_error *err)
{
	return read_lists(a, c, 1, &nx_assembly_core(a)->element_counts, err);
}
