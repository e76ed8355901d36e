/* SPDX-License-Identifier: Apache-2.0 */
/* How fast data moved between hosts and devices, as curves (schema: MemoryBandwidthResponse). */
#include <string.h>

#include "serve/handlers.h"
#include "serve/row_json.h"

#define ANSWER_BYTES_MAX ((size_t)32 << 20)

struct series {
	bool is_open;
	struct nx_bytes key; /* the columns that distinguish series, of the last row */
};

static void put_optional(struct nx_json_writer *w, const char *key, const struct nx_value *value)
{
	if (value->kind != NX_VALUE_NULL)
		nx_row_json_key(w, key, value);
}

static void end_series(struct nx_json_writer *w, struct series *s)
{
	if (s->is_open) {
		nx_json_end_array(w);
		nx_json_end_object(w);
	}
	s->is_open = false;
}

static void begin_series(struct nx_json_writer *w, struct series *s, const struct nx_value *row)
{
	end_series(w, s);
	nx_json_begin_object(w);
	nx_row_json_key(w, "instance_id", &row[NX_BANDWIDTH_INSTANCE]);
	put_optional(w, "worker_gid", &row[NX_BANDWIDTH_WORKER]);
	put_optional(w, "nc_idx", &row[NX_BANDWIDTH_CORE]);
	nx_row_json_key(w, "direction", &row[NX_BANDWIDTH_DIRECTION]);
	nx_json_key_array(w, "points");
	s->is_open = true;
}

static enum nx_status put_series(struct nx_json_writer *w, struct nx_row_stream *rows,
				 struct nx_error *err)
{
	struct series series = {0};
	struct nx_bytes key = {0};
	const struct nx_value *row;
	enum nx_status st = NX_OK;

	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		nx_vec_clear(&key);
		for (size_t i = 0; i < NX_BANDWIDTH_TIME; i++) {
			nx_value_append_text(&row[i], &key);
			nx_bytes_append_zeros(&key, 1);
		}
		if (!series.is_open ||
		    !nx_slice_equal(nx_slice_of(series.key.items, series.key.len),
				    nx_slice_of(key.items, key.len))) {
			struct nx_bytes old = series.key;

			begin_series(w, &series, row);
			series.key = key;
			key = old;
		}
		nx_json_begin_object(w);
		nx_row_json_key(w, "timestamp", &row[NX_BANDWIDTH_TIME]);
		nx_row_json_key(w, "bandwidth_bytes_per_sec", &row[NX_BANDWIDTH_VALUE]);
		nx_json_end_object(w);
		if (w->bytes->len > ANSWER_BYTES_MAX)
			st = nx_fail(err, NX_LIMIT,
				     "the curves are too long for one answer; query a time range "
				     "in SQL");
	}
	end_series(w, &series);
	nx_vec_release(&series.key);
	nx_vec_release(&key);
	return st;
}

static enum nx_status answer(struct nx_request *request, bool is_by_core, struct nx_reply *reply,
			     struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct nx_row_stream *rows;
	struct nx_json_writer w;
	enum nx_status st;

	nx_sql_append(&sql, nx_bandwidth_sql(is_by_core));
	st = nx_question_ask(request, &sql, &rows, err);
	nx_vec_release(&sql);
	if (st)
		return st;
	nx_reply_json(reply, &w);
	nx_json_key_array(&w, "series");
	st = put_series(&w, rows, err);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_row_stream_close(rows);
	return st;
}

NX_HANDLER(bandwidth)
{
	const char *group = nx_request_find(request, "group_by");
	enum nx_status st;

	group = group ? group : "core";
	if (strcmp(group, "core") != 0 && strcmp(group, "instance") != 0)
		return nx_fail(err, NX_USAGE, "'group_by' should be instance or core");
	st = nx_request_open_profile(server, request, err);
	if (!st)
		st = nx_question_begin(server, request, err);
	return st ? st : answer(request, !strcmp(group, "core"), reply, err);
}
