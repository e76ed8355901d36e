/* SPDX-License-Identifier: Apache-2.0 */
/* given_rows: a row stream whose rows a test wrote down. */
#ifndef NX_TESTS_UNIT_EXPORT_GIVEN_ROWS_H
#define NX_TESTS_UNIT_EXPORT_GIVEN_ROWS_H

#include "query/row_stream.h"

struct given_rows {
	struct nx_row_stream stream;
	const struct nx_value *values;
	uint64_t row_count, next_row;
	enum nx_status status; /* of every call */
	bool is_endless;       /* a row of one number, for ever */
};

static inline enum nx_status given_next(struct nx_row_stream *stream, const struct nx_value **row,
					struct nx_error *err)
{
	static const struct nx_value number = {.kind = NX_VALUE_I64, .i64 = 1};
	struct given_rows *g = (struct given_rows *)stream;

	*row = NULL;
	if (g->status)
		return nx_fail(err, g->status, "as the test wanted");
	if (g->is_endless)
		*row = &number;
	else if (g->next_row < g->row_count)
		*row = g->values + g->next_row++ * stream->column_count;
	return NX_OK;
}

static inline enum nx_status given_count_rest(struct nx_row_stream *stream, uint64_t *count,
					      struct nx_error *err)
{
	struct given_rows *g = (struct given_rows *)stream;

	*count = g->row_count - g->next_row;
	g->next_row = g->row_count;
	return g->status ? nx_fail(err, g->status, "as the test wanted") : NX_OK;
}

static inline void given_close(struct nx_row_stream *stream)
{
	(void)stream;
}

static inline struct given_rows given_rows_of(const struct nx_column *columns, size_t column_count,
					      const struct nx_value *values, uint64_t row_count)
{
	static const struct nx_row_stream_ops ops = {given_next, given_count_rest, given_close};

	return (struct given_rows){
		.stream = {&ops, columns, column_count}, .values = values, .row_count = row_count};
}

#endif
