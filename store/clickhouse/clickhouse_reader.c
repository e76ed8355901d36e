/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_reader.h"

#include "store/clickhouse/clickhouse_server.h"

struct nx_clickhouse_reader {
	struct nx_arena arena;
	struct nx_clickhouse_server server;
	const char *settings;
};

static enum nx_status on_setting(void *context, const struct nx_clickhouse_row *row,
				 struct nx_error *err)
{
	enum nx_status st = nx_clickhouse_row_expect(row, "t", err);

	if (!st)
		*(bool *)context = !nx_slice_is(row->cells[0].text, "0");
	return st;
}

/* A read-only user may not set that again. */
static enum nx_status choose_settings(struct nx_clickhouse_reader *reader, const char *database,
				      struct nx_error *err)
{
	bool is_read_only = false;
	struct nx_clickhouse_question question = {
		.sql = "SELECT toString(value) FROM system.settings WHERE name = 'readonly'",
		.row = on_setting,
		.context = &is_read_only};
	enum nx_status st = nx_clickhouse_server_query(&reader->server, &question, err);

	reader->settings = nx_arena_printf(&reader->arena, "%sdatabase=%s",
					   is_read_only ? "" : "readonly=2&", database);
	return st;
}

enum nx_status nx_clickhouse_reader_open(const char *url, struct nx_clickhouse_reader **reader,
					 struct nx_error *err)
{
	struct nx_clickhouse_reader *r = nx_heap_alloc(sizeof(*r));
	struct nx_clickhouse_url place;
	enum nx_status st;

	memset(r, 0, sizeof(*r));
	st = nx_clickhouse_url_parse(&place, url, &r->arena, err);
	if (!st) {
		nx_clickhouse_server_open(&r->server, &place, place.host, &r->arena);
		st = choose_settings(r, place.database, err);
	}
	if (st) {
		nx_clickhouse_reader_close(r);
		r = NULL;
	}
	*reader = r;
	return st;
}

enum nx_status nx_clickhouse_reader_query(struct nx_clickhouse_reader *reader, const char *sql,
					  nx_clickhouse_row_fn row, void *context,
					  struct nx_error *err)
{
	struct nx_clickhouse_question question = {sql, reader->settings, row, context};

	return nx_clickhouse_server_query(&reader->server, &question, err);
}

void nx_clickhouse_reader_close(struct nx_clickhouse_reader *reader)
{
	if (!reader)
		return;
	nx_clickhouse_server_close(&reader->server);
	nx_arena_release(&reader->arena);
	nx_heap_free(reader);
}
