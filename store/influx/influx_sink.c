/* SPDX-License-Identifier: Apache-2.0 */
#include "store/influx/influx_sink.h"

#include <assert.h>

#include "base/arena.h"
#include "base/backoff.h"
#include "base/http_client.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "store/influx/influx_line.h"

#define ENDPOINT "http://localhost:8086"
#define BUCKET "neuron_profile"
#define NEEDS_NONE "the default output format, parquet, needs no server"
#define BATCH_LINES 10000
#define BATCH_BYTES ((size_t)4 << 20)
#define PATIENCE_MS 60000

/* An InfluxDB that accepts lines, by whichever of its two write interfaces it has. */
struct server {
	struct nx_http_client *http;
	struct nx_http_answer answer;
	const char *endpoint, *bucket, *org;
	const char *write_url;
	const char *header;	     /* with the token, version 2 */
	const char *user, *password; /* version 1 */
	bool is_version_1;
};

struct nx_influx_sink {
	struct nx_table_sink sink; /* first: ops cast it back to the whole */
	struct nx_influx_options options;
	struct nx_arena arena;
	struct server server;
	struct nx_slice profile;
	struct nx_influx_ordinals ordinals;
	struct nx_bytes lines; /* of all tables: a line names its table */
	uint32_t waiting_count;
	uint64_t line_count, sent_bytes;
	uint64_t row_numbers[NX_SCHEMA_TABLE_COUNT];
	struct nx_track_columns tracks[NX_SCHEMA_TABLE_COUNT];
};

static const char *escaped(struct nx_arena *arena, const char *text)
{
	struct nx_bytes bytes = {0};
	const char *copy;

	nx_bytes_append_percent(&bytes, nx_slice_text(text));
	copy = nx_arena_copy(arena, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
	return copy;
}

static enum nx_status ask(struct server *server, const char *url, struct nx_slice body,
			  struct nx_error *err)
{
	struct nx_http_request request = {.url = url, .body = body};
	struct nx_error reason;
	enum nx_status st;

	if (server->is_version_1) {
		request.user = server->user;
		request.password = server->password;
	} else {
		request.header = server->header;
	}
	st = nx_http_client_ask(server->http, &request, &server->answer, &reason);
	if (st)
		return nx_fail(err, st,
			       "no InfluxDB answers at %s (%s); start one, or name another with "
			       "--db-endpoint; " NEEDS_NONE,
			       server->endpoint, reason.message);
	return NX_OK;
}

static bool has_succeeded(const struct server *server)
{
	return server->answer.code / 100 == 2;
}

static struct nx_slice words_of(const struct server *server)
{
	struct nx_slice words = nx_slice_of(server->answer.body.items, server->answer.body.len);

	while (words.len && words.data[words.len - 1] <= ' ')
		words.len--;
	return nx_slice_part(words, 0, 300);
}

static enum nx_status refuse_bucket(const struct server *server, struct nx_error *err)
{
	struct nx_slice words = words_of(server);

	return nx_fail(err, NX_NOT_FOUND,
		       "InfluxDB at %s has no bucket '%s' in organisation '%s' ('%.*s'); "
		       "check --db-bucket and --db-org, or make it with: influx bucket "
		       "create --name %s --org %s",
		       server->endpoint, server->bucket, server->org, (int)words.len,
		       (const char *)words.data, server->bucket, server->org);
}

static enum nx_status refuse(const struct server *server, struct nx_error *err)
{
	struct nx_slice words = words_of(server);
	unsigned code = server->answer.code;

	if (code == 401 || code == 403)
		return nx_fail(
			err, NX_PERMISSION,
			"InfluxDB at %s refuses the token (HTTP %u); give one that may write "
			"to bucket '%s' in INFLUX_TOKEN, or use --output-format parquet, "
			"which needs no server",
			server->endpoint, code, server->bucket);
	if (code == 404)
		return refuse_bucket(server, err);
	if (code == 413)
		return nx_fail(err, NX_LIMIT,
			       "InfluxDB at %s takes no bodies of 4 MiB; raise max-body-size",
			       server->endpoint);
	return nx_fail(err, NX_IO, "InfluxDB at %s answers with HTTP code %u, '%.*s'",
		       server->endpoint, code, (int)words.len, (const char *)words.data);
}

static enum nx_status make_database(struct server *server, struct nx_arena *arena,
				    struct nx_error *err)
{
	struct nx_bytes statement = {0};
	const char *url;
	enum nx_status st;

	nx_bytes_append(&statement, "CREATE DATABASE \"", 17);
	for (const char *c = server->bucket; *c; c++) {
		if (*c == '"' || *c == '\\')
			nx_vec_push(&statement, '\\');
		nx_vec_push(&statement, (uint8_t)*c);
	}
	nx_bytes_append(&statement, "\"", 2);
	url = nx_arena_printf(arena, "%s/query?q=%s", server->endpoint,
			      escaped(arena, (const char *)statement.items));
	nx_vec_release(&statement);
	st = ask(server, url, nx_slice_of("", 0), err);
	if (!st && !has_succeeded(server))
		st = refuse(server, err);
	return st;
}

/* Version 2 wants the organisation's id for a new bucket. NULL if the token may not ask for it. */
static enum nx_status find_org(struct server *server, struct nx_arena *arena, const char **id,
			       struct nx_error *err)
{
	const char *url = nx_arena_printf(arena, "%s/api/v2/orgs?org=%s", server->endpoint,
					  escaped(arena, server->org));
	enum nx_status st = ask(server, url, nx_slice_of(NULL, 0), err);
	const struct nx_json *orgs;
	struct nx_json *root;

	*id = NULL;
	if (st || !has_succeeded(server) ||
	    nx_json_parse(nx_slice_of(server->answer.body.items, server->answer.body.len), arena,
			  &root, NULL))
		return st;
	orgs = nx_json_get(root, "orgs");
	if (orgs && orgs->kind == NX_JSON_ARRAY && orgs->count)
		*id = nx_json_as_text(nx_json_get(&orgs->children[0], "id"), arena, NULL);
	return NX_OK;
}

static enum nx_status make_bucket(struct server *server, struct nx_arena *arena,
				  struct nx_error *err)
{
	const char *url = nx_arena_printf(arena, "%s/api/v2/buckets", server->endpoint);
	struct nx_bytes wish = {0};
	struct nx_json_writer w;
	const char *org;
	enum nx_status st = find_org(server, arena, &org, err);

	if (st || !org)
		return st ? st : refuse_bucket(server, err);
	nx_json_init_bytes(&w, &wish, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "orgID", org);
	nx_json_key_text(&w, "name", server->bucket);
	nx_json_end_object(&w);
	st = ask(server, url, nx_slice_of(wish.items, wish.len), err);
	nx_vec_release(&wish);
	return st || has_succeeded(server) ? st : refuse_bucket(server, err);
}

static void set_places(struct server *server, const struct nx_influx_options *options,
		       struct nx_arena *arena)
{
	struct nx_slice endpoint = nx_slice_text(options->endpoint ? options->endpoint : ENDPOINT);

	while (nx_slice_ends(endpoint, "/"))
		endpoint.len--;
	server->endpoint = nx_arena_copy(arena, endpoint);
	server->bucket = nx_arena_copy_text(arena, options->bucket ? options->bucket : BUCKET);
	server->org = nx_arena_copy_text(arena, options->org ? options->org : "");
	server->write_url = nx_arena_printf(arena, "%s/api/v2/write?org=%s&bucket=%s&precision=ns",
					    server->endpoint, escaped(arena, server->org),
					    escaped(arena, server->bucket));
}

static void set_token(struct server *server, const char *token, struct nx_arena *arena)
{
	const char *colon = strchr(token, ':');

	server->header = nx_arena_printf(arena, "Authorization: Token %s", token);
	if (!colon)
		return;
	server->user = nx_arena_copy(arena, nx_slice_of(token, (size_t)(colon - token)));
	server->password = nx_arena_copy_text(arena, colon + 1);
}

/*
 * Probes the write interface of version 2 with an empty body. A plain 404 means version 1 before
 * 1.8, whose database is then created; a 404 from version 2 names the missing bucket or
 * organisation.
 */
static enum nx_status open_server(struct server *server, const struct nx_influx_options *options,
				  struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st;

	server->http = nx_http_client_new();
	set_places(server, options, arena);
	if (options->token && *options->token)
		set_token(server, options->token, arena);
	st = ask(server, server->write_url, nx_slice_of("", 0), err);
	if (st)
		return st;
	/* Version 2 reports errors as JSON with a code; older servers answer in plain text. */
	if (server->answer.code == 404 &&
	    !(server->answer.body.len &&
	      memmem(server->answer.body.items, server->answer.body.len, "\"code\"", 6))) {
		server->is_version_1 = true;
		server->write_url =
			nx_arena_printf(arena, "%s/write?db=%s&precision=ns", server->endpoint,
					escaped(arena, server->bucket));
		return make_database(server, arena, err);
	}
	if (server->answer.code == 404 && options->makes_bucket)
		return make_bucket(server, arena, err);
	/* Some servers that accept lines refuse an empty body. */
	return has_succeeded(server) || server->answer.code == 400 ? NX_OK : refuse(server, err);
}

/* Writes lines, retrying for patience_ms while the server is away or busy. */
static enum nx_status write_lines(struct server *server, struct nx_slice lines,
				  uint64_t patience_ms, struct nx_error *err)
{
	struct nx_backoff backoff;
	enum nx_status st;

	nx_backoff_init(&backoff, patience_ms);
	do {
		st = ask(server, server->write_url, lines, err);
		if (!st && has_succeeded(server))
			return NX_OK;
		if (!st) {
			bool is_transient =
				server->answer.code == 429 || server->answer.code >= 500;

			st = refuse(server, err);
			if (!is_transient)
				return st;
		}
	} while (nx_backoff_wait(&backoff));
	return st;
}

static struct nx_influx_sink *sink_of(struct nx_table_sink *sink)
{
	return (struct nx_influx_sink *)sink;
}

static enum nx_status flush(struct nx_influx_sink *s, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(!s->waiting_count == !s->lines.len);
	if (s->waiting_count)
		st = write_lines(&s->server, nx_slice_of(s->lines.items, s->lines.len),
				 s->options.patience_ms, err);
	if (!st)
		s->sent_bytes += s->lines.len;
	nx_vec_clear(&s->lines);
	s->waiting_count = 0;
	return st;
}

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	sink_of(sink)->tracks[table] = nx_track_columns_of(table);
}

static int64_t time_of(const struct nx_influx_sink *s, const struct nx_row *row)
{
	const struct nx_track_columns *track = &s->tracks[row->table];
	bool has_time = track->time >= 0 && row->kinds[track->time] == NX_CELL_I64;
	int64_t time_ns =
		has_time ? row->cells[track->time].i64 : (int64_t)s->row_numbers[row->table];

	if (has_time && nx_schema_tables[row->table].scope == NX_SCOPE_SYSTEM)
		return time_ns;
	/* Unsigned, because a hostile capture may overflow it; the sum is the same. */
	return (int64_t)((uint64_t)s->options.start_ns + (uint64_t)time_ns);
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_influx_sink *s = sink_of(sink);
	const struct nx_track_columns *track = &s->tracks[row->table];
	struct nx_influx_point point = {.profile = s->profile, .time_ns = time_of(s, row)};
	struct nx_error error;

	point.ordinal = nx_influx_ordinals_next(&s->ordinals, nx_influx_series_hash(row, track),
						point.time_ns);
	point.row_number = s->row_numbers[row->table]++;
	nx_influx_line_append(&s->lines, row, track, &point);
	s->line_count++;
	s->waiting_count++;
	if (s->waiting_count < s->options.batch_lines && s->lines.len < s->options.batch_bytes)
		return;
	if (flush(s, &error))
		nx_table_sink_fail(sink, &error);
}

/* Batches do not end with their table: many tables have a handful of rows. */
static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	(void)sink;
	(void)table;
}

enum nx_status nx_influx_sink_open(const struct nx_influx_options *options, const char *profile,
				   struct nx_influx_sink **sink, struct nx_error *err)
{
	static const struct nx_table_sink_ops ops = {begin, put, end};
	struct nx_influx_sink *s = nx_heap_alloc(sizeof(*s));
	enum nx_status st;

	assert(options && profile && *profile);
	memset(s, 0, sizeof(*s));
	s->sink.ops = &ops;
	s->options = *options;
	if (!s->options.batch_lines)
		s->options.batch_lines = BATCH_LINES;
	if (!s->options.batch_bytes)
		s->options.batch_bytes = BATCH_BYTES;
	if (!s->options.patience_ms)
		s->options.patience_ms = PATIENCE_MS;
	s->profile = nx_slice_text(nx_arena_copy_text(&s->arena, profile));
	st = open_server(&s->server, options, &s->arena, err);
	if (st) {
		nx_influx_sink_close(s);
		s = NULL;
	}
	*sink = s;
	return st;
}

struct nx_table_sink *nx_influx_sink_tables(struct nx_influx_sink *sink)
{
	return &sink->sink;
}

uint64_t nx_influx_sink_line_count(const struct nx_influx_sink *sink)
{
	return sink->line_count;
}

uint64_t nx_influx_sink_sent_bytes(const struct nx_influx_sink *sink)
{
	return sink->sent_bytes;
}

enum nx_status nx_influx_sink_commit(struct nx_influx_sink *sink, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&sink->sink, err);

	return st ? st : flush(sink, err);
}

void nx_influx_sink_close(struct nx_influx_sink *sink)
{
	if (!sink)
		return;
	nx_http_client_free(sink->server.http);
	nx_http_answer_release(&sink->server.answer);
	nx_influx_ordinals_release(&sink->ordinals);
	nx_vec_release(&sink->lines);
	nx_arena_release(&sink->arena);
	nx_heap_free(sink);
}
