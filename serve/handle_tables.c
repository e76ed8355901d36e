/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a profile and their rows, page by page. */
#include <string.h>

#include "model/schema.h"
#include "query/table_rows.h"
#include "serve/handlers.h"
#include "serve/row_json.h"
#include "serve/where.h"

#define ROWS_MAX 10000u
#define ROWS_USUAL 100u
#define COLUMNS_MAX 1000u
/* The most bytes of one answer; the client requests the remaining rows. */
#define ANSWER_BYTES_MAX ((size_t)32 << 20)

NX_HANDLER(tables)
{
	const struct nx_profile_record *record;
	struct nx_json_writer w;
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (st)
		return st;
	record = &request->profile->record;
	nx_reply_json(reply, &w);
	nx_json_key_array(&w, "tables");
	for (size_t i = 0; i < record->tables.len; i++) {
		const struct nx_profile_table *t = &record->tables.items[i];
		const struct nx_schema_table *s = nx_schema_find_table(nx_slice_text(t->name));

		nx_json_begin_object(&w);
		nx_json_key_text(&w, "name", t->name);
		nx_json_key_u64_text(&w, "row_count", t->row_count);
		nx_json_key_text(&w, "description", s ? s->description : "");
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	return NX_OK;
}

/* --- a page ---------------------------------------------------------------------------------- */

struct page {
	struct nx_request *request;
	const struct nx_stored_table *table;
	size_t *fields;
	size_t field_count;
	uint64_t offset, limit;
	const char *order;
};

static enum nx_status choose_columns(struct page *p, struct nx_error *err)
{
	const char **names;
	size_t count;
	enum nx_status st =
		nx_request_list(p->request, "columns", COLUMNS_MAX, &names, &count, err);

	p->field_count = count ? count : p->table->field_count;
	p->fields = NX_NEW_ARRAY(&p->request->arena, size_t, p->field_count);
	for (size_t i = 0; !st && i < p->field_count; i++) {
		p->fields[i] = i;
		if (count && !nx_stored_table_find(p->table, names[i], &p->fields[i]))
			st = nx_fail(err, NX_NOT_FOUND, "the table %s has no column '%.100s'",
				     p->table->name, names[i]);
	}
	return st;
}

static enum nx_status parse_page(struct page *p, struct nx_error *err)
{
	const char *table = nx_request_variable(p->request, "T");
	enum nx_status st = nx_open_profile_table(p->request->profile, table, &p->table, err);

	if (!st)
		st = nx_request_u64(p->request, "offset", 0, UINT64_MAX, &p->offset, err);
	if (!st)
		st = nx_request_u64(p->request, "limit", ROWS_USUAL, ROWS_MAX, &p->limit, err);
	if (!st)
		st = choose_columns(p, err);
	p->order = nx_request_find(p->request, "order");
	p->order = p->order && *p->order ? p->order : NULL;
	return st;
}

static enum nx_status put_page(const struct page *p, struct nx_row_stream *rows, uint64_t total,
			       struct nx_reply *reply, struct nx_error *err)
{
	const struct nx_value *row;
	struct nx_json_writer w;
	enum nx_status st = NX_OK;

	nx_reply_json(reply, &w);
	nx_json_key_text(&w, "table", p->table->name);
	nx_json_key_u64_text(&w, "total", total);
	nx_json_key_array(&w, "columns");
	for (size_t i = 0; i < p->field_count; i++)
		nx_table_column_put(&w, p->table, p->fields[i]);
	nx_json_end_array(&w);
	nx_json_key_array(&w, "rows");
	for (uint64_t i = 0; rows && i < p->limit && w.bytes->len < ANSWER_BYTES_MAX; i++) {
		st = nx_row_stream_next(rows, &row, err);
		if (st || !row)
			break;
		nx_row_json_row(&w, row, rows->column_count);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	return st;
}

static enum nx_status put_plain(const struct page *p, struct nx_reply *reply, struct nx_error *err)
{
	const struct nx_table_choice choice = {.fields = p->fields,
					       .field_count = p->field_count,
					       .first_row = p->offset,
					       .row_count = p->limit};
	struct nx_row_stream *rows = NULL;
	enum nx_status st = NX_OK;

	if (p->field_count)
		st = nx_table_rows_open(&rows, p->table, &choice, err);
	if (!st)
		st = put_page(p, rows, p->table->row_count, reply, err);
	nx_row_stream_close(rows);
	return st;
}

/* --- through an engine ------------------------------------------------------------------------ */

static enum nx_status append_from(const struct page *p, struct nx_bytes *sql, struct nx_error *err)
{
	nx_sql_append(sql, " FROM ");
	nx_sql_append_name(sql, NX_SQL_DUCKDB, p->table->name);
	return nx_where_append(sql, p->table, p->request, err);
}

static enum nx_status count_rows(const struct page *p, uint64_t *total, struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row = NULL;
	struct nx_bytes sql = {0};
	enum nx_status st;

	nx_sql_append(&sql, "SELECT count(*)");
	st = append_from(p, &sql, err);
	if (!st)
		st = nx_question_ask(p->request, &sql, &rows, err);
	if (!st)
		st = nx_row_stream_next(rows, &row, err);
	*total = !st && row ? (uint64_t)row[0].i64 : 0;
	nx_row_stream_close(rows);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status put_asked(const struct page *p, struct nx_server *server,
				struct nx_reply *reply, struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	struct nx_bytes sql = {0};
	uint64_t total = 0;
	enum nx_status st = nx_question_begin(server, p->request, err);

	if (!st)
		st = count_rows(p, &total, err);
	for (size_t i = 0; i < p->field_count; i++) {
		nx_sql_append(&sql, i ? ", " : "SELECT ");
		nx_sql_append_name(&sql, NX_SQL_DUCKDB, p->table->fields[p->fields[i]].name);
	}
	if (!st)
		st = append_from(p, &sql, err);
	if (!st && p->order)
		st = nx_where_append_order(&sql, p->table, p->order, err);
	nx_bytes_printf(&sql, " LIMIT %llu OFFSET %llu", (unsigned long long)p->limit,
			(unsigned long long)p->offset);
	if (!st)
		st = nx_question_ask(p->request, &sql, &rows, err);
	if (!st)
		st = put_page(p, rows, total, reply, err);
	nx_row_stream_close(rows);
	nx_vec_release(&sql);
	return st;
}

NX_HANDLER(table)
{
	struct page p = {.request = request};
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st)
		st = parse_page(&p, err);
	if (st)
		return st;
	/* The same parameters make the route a slow one. */
	return p.order || nx_request_find(request, "where") ? put_asked(&p, server, reply, err)
							    : put_plain(&p, reply, err);
}
