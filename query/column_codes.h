/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column_codes: the values of a column as one small number per row in a mapped file, so that a
 * timeline can colour spans by layer or operator without reading the table for every window.
 *
 *	st = nx_column_codes_open(&codes, path, &err);		NOT_FOUND: not made yet
 *	st = nx_column_codes_make(&stored, field, path, go_on, context, err);
 *	code = nx_column_codes_at(&codes, row);
 *
 * Codes count values from 0 in the order in which rows first have them. The file is a
 * cache: it can be deleted at any time, and is written aside and renamed.
 */
#ifndef NX_QUERY_COLUMN_CODES_H
#define NX_QUERY_COLUMN_CODES_H

#include "base/file.h"
#include "query/stored_table.h"

#define NX_CODE_NONE UINT32_MAX		       /* the row has no value, or there is no such row */
#define NX_CODE_VALUES_MAX ((uint32_t)1 << 20) /* nobody can distinguish more colours */

struct nx_column_codes {
	struct nx_file file;
	const uint8_t *codes; /* u32 each */
	const uint8_t *ends;  /* of the values in texts, u32 each */
	struct nx_slice texts;
	uint64_t row_count;
	uint32_t value_count;
};

/* NOT_FOUND when there is no such file, FORMAT when it cannot be used. path is borrowed. */
NX_MUST_CHECK enum nx_status nx_column_codes_open(struct nx_column_codes *codes, const char *path,
						  struct nx_error *err);
void nx_column_codes_close(struct nx_column_codes *codes); /* may be zeroed */

/* Called for each row group; returning false cancels (CANCELLED). */
typedef bool (*nx_go_on_fn)(void *context);

/*
 * Makes the file. USAGE for a field that cannot have codes (lists and floating-point numbers),
 * LIMIT for one with too many values.
 */
NX_MUST_CHECK enum nx_status nx_column_codes_make(const struct nx_stored_table *table, size_t field,
						  const char *path, nx_go_on_fn go_on,
						  void *context, struct nx_error *err);

static inline uint32_t nx_column_codes_at(const struct nx_column_codes *codes, uint64_t row)
{
	uint32_t code;

	if (row >= codes->row_count)
		return NX_CODE_NONE;
	memcpy(&code, codes->codes + row * sizeof(code), sizeof(code));
	return code;
}

/* Empty when there is no such value. */
struct nx_slice nx_column_codes_value(const struct nx_column_codes *codes, uint32_t code);

#endif
