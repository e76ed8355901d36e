/* SPDX-License-Identifier: Apache-2.0 */
#include "export/row_sink.h"
#include <assert.h>

static const struct nx_row_format formats[] = {
	{"csv", nx_rows_csv_open},
	{"json", nx_rows_json_open},
	{"jsonl", nx_rows_jsonl_open},
};

const struct nx_row_format *nx_row_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

enum nx_status nx_row_sink_pour(struct nx_row_sink *sink, struct nx_row_stream *rows,
				struct nx_error *err)
{
	const struct nx_value *row;
	uint64_t left_count = 0;
	enum nx_status st = sink->ops->begin(sink, rows->columns, rows->column_count, err);

	assert(sink->ops->add && sink->ops->end && sink->ops->close);
	while (!st) {
		if (sink->ops->is_full && sink->ops->is_full(sink)) {
			st = nx_row_stream_count_rest(rows, &left_count, err);
			break;
		}
		st = nx_row_stream_next(rows, &row, err);
		if (st || !row)
			break;
		st = sink->ops->add(sink, row, err);
		/* stop at once if the disk is full or the reader has gone */
		if (!st && sink->out->status)
			st = nx_fail(err, sink->out->status, "%s", sink->out->error.message);
	}
	return st ? st : sink->ops->end(sink, left_count, err);
}

void nx_row_sink_close(struct nx_row_sink *sink)
{
	if (sink)
		sink->ops->close(sink);
}
