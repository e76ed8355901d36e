/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/sql_answer.h"

#include <assert.h>
#include <time.h>

#include "serve/row_json.h"
#include "serve/server.h"

#define ANSWER_BYTES_MAX ((size_t)32 << 20)

/* boolean, integer, number, string, list or object */
static const char *type_of(enum nx_value_kind kind)
{
	switch (kind) {
	case NX_VALUE_BOOL:
		return "boolean";
	case NX_VALUE_I64:
	case NX_VALUE_U64:
		return "integer";
	case NX_VALUE_F32:
	case NX_VALUE_F64:
	case NX_VALUE_DIGITS:
		return "number";
	case NX_VALUE_LIST:
		return "list";
	case NX_VALUE_STRUCT:
		return "object";
	case NX_VALUE_NULL:
	case NX_VALUE_TEXT:
	case NX_VALUE_BYTES:
		break;
	}
	return "string";
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void put_columns(struct nx_json_writer *w, const struct nx_row_stream *rows)
{
	nx_json_key_array(w, "columns");
	for (size_t i = 0; i < rows->column_count; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", rows->columns[i].name);
		nx_json_key_text(w, "type", type_of(rows->columns[i].kind));
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_row(struct nx_json_writer *w, const struct nx_row_stream *rows,
		    const struct nx_value *row, bool is_named)
{
	if (!is_named) {
		nx_row_json_row(w, row, rows->column_count);
		return;
	}
	nx_json_begin_object(w);
	for (size_t i = 0; i < rows->column_count; i++) {
		nx_json_key(w, rows->columns[i].name);
		nx_row_json_value(w, &row[i]);
	}
	nx_json_end_object(w);
}

/* Reads one row more than the limit, to know whether there are more. The last row that does not
 * fit is taken back: what counts are the bytes that are sent. */
static enum nx_status put_rows(struct nx_json_writer *w, struct nx_row_stream *rows,
			       const struct nx_sql_asked *asked, bool *is_cut, struct nx_error *err)
{
	const struct nx_value *row;
	size_t before_bytes;
	enum nx_status st;

	nx_json_key_array(w, "rows");
	for (uint64_t i = 0;; i++) {
		st = nx_row_stream_next(rows, &row, err);
		*is_cut = !st && row && i == asked->limit;
		if (st || !row || *is_cut)
			break;
		before_bytes = w->bytes->len;
		put_row(w, rows, row, asked->has_named_rows);
		*is_cut = w->bytes->len > ANSWER_BYTES_MAX;
		if (*is_cut && !i)
			st = nx_fail(err, NX_LIMIT,
				     "the first row of the answer is larger than %zu MB; ask for "
				     "shorter values",
				     ANSWER_BYTES_MAX >> 20);
		if (*is_cut) {
			w->bytes->len = before_bytes; /* the array stays open */
			break;
		}
	}
	nx_json_end_array(w);
	return st;
}

static enum nx_status put_answer(struct nx_request *request, const struct nx_sql_asked *asked,
				 struct nx_reply *reply, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct nx_row_stream *rows;
	struct nx_json_writer w;
	double begin_ms = now_ms();
	bool is_cut = false;
	enum nx_status st;

	assert(asked->limit <= NX_SQL_ROWS_MAX);
	nx_bytes_append(&sql, asked->sql.data, asked->sql.len);
	st = nx_question_ask(request, &sql, &rows, err);
	nx_vec_release(&sql);
	/* 404 would say that the profile or a table is missing; here the question is wrong */
	if (st == NX_NOT_FOUND &&
	    nx_slice_starts(nx_slice_text(err->message), "there is no column"))
		request->problem_status = 400;
	if (st)
		return st;
	nx_reply_json(reply, &w);
	put_columns(&w, rows);
	st = put_rows(&w, rows, asked, &is_cut, err);
	nx_row_stream_close(rows);
	nx_json_key_bool(&w, "is_cut", is_cut);
	nx_json_key_f64(&w, "elapsed_ms", (double)(int64_t)((now_ms() - begin_ms) * 1000) / 1000);
	nx_json_end_object(&w);
	return st;
}

enum nx_status nx_sql_answer(struct nx_server *server, struct nx_request *request,
			     const struct nx_sql_asked *asked, struct nx_reply *reply,
			     struct nx_error *err)
{
	enum nx_status st =
		request->profile ? NX_OK : nx_request_open_profile(server, request, err);

	if (!st)
		st = nx_question_begin(server, request, err);
	return st ? st : put_answer(request, asked, reply, err);
}
