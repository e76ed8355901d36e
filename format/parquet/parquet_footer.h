/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_footer: the message at the end of a Parquet file: columns, row groups,
 * statistics, metadata; both directions. For this folder only.
 *
 * A writer keeps finished row groups as encoded bytes; a reader gets structs in its arena, with
 * texts that borrow from the file.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_FOOTER_H
#define NX_FORMAT_PARQUET_PARQUET_FOOTER_H

#include "base/arena.h"
#include "format/parquet/parquet_internal.h"

struct nx_parquet_pair {
	struct nx_slice key, value;
};

struct nx_parquet_group {
	uint64_t row_count;
	struct nx_parquet_chunk *chunks; /* one per field */
};

struct nx_parquet_footer {
	const struct nx_parquet_field *fields;
	size_t field_count;
	uint64_t row_count;
	struct nx_parquet_group *groups;
	size_t group_count;
	struct nx_parquet_pair *pairs;
	size_t pair_count;
	const struct nx_parquet_order *orders;
	size_t order_count;
};

/* Appends group number ordinal, one item of the list of groups. */
void nx_parquet_footer_put_group(const struct nx_parquet_footer *footer,
				 const struct nx_parquet_group *group, size_t ordinal,
				 struct nx_bytes *groups);

/* Appends the whole message; groups holds group_count items as put_group wrote them. */
void nx_parquet_footer_write(const struct nx_parquet_footer *footer, const struct nx_bytes *groups,
			     struct nx_bytes *out);

/* The message ends at data_end of the file; chunks must end before it. */
NX_MUST_CHECK enum nx_status nx_parquet_footer_read(struct nx_slice message, uint64_t data_end,
						    struct nx_arena *arena,
						    struct nx_parquet_footer *footer,
						    struct nx_error *err);

#endif
