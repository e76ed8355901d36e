/* SPDX-License-Identifier: Apache-2.0 */
#include "store/influx/influx_server.h"

#include "base/backoff.h"

#define ENDPOINT "http://localhost:8086"
#define BUCKET "neuron_profile"
#define NEEDS_NONE "the default output format, parquet, needs no server"

static const char *escaped(struct nx_arena *arena, const char *text)
{
	struct nx_bytes bytes = {0};
	const char *copy;

	nx_http_append_escaped(&bytes, nx_slice_text(text));
	copy = nx_arena_copy(arena, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
	return copy;
}

static struct nx_slice words_of(const struct nx_influx_server *server)
{
	struct nx_slice body = nx_slice_of(server->answer.body.items, server->answer.body.len);

	while (body.len && body.data[body.len - 1] <= ' ')
		body.len--;
	return nx_slice_part(body, 0, 300);
}

static enum nx_status ask(struct nx_influx_server *server, const char *url, struct nx_slice body,
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

static bool has_succeeded(const struct nx_influx_server *server)
{
	return server->answer.code / 100 == 2;
}

static bool may_pass(const struct nx_influx_server *server)
{
	return server->answer.code == 429 || server->answer.code >= 500;
}

static enum nx_status refuse(const struct nx_influx_server *server, struct nx_error *err)
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
		return nx_fail(err, NX_NOT_FOUND,
			       "InfluxDB at %s has no bucket '%s' in organisation '%s' ('%.*s'); "
			       "check --db-bucket and --db-org, or make it with: influx bucket "
			       "create --name %s --org %s",
			       server->endpoint, server->bucket, server->org, (int)words.len,
			       (const char *)words.data, server->bucket, server->org);
	if (code == 413)
		return nx_fail(err, NX_LIMIT,
			       "InfluxDB at %s takes no bodies of 4 MiB; raise max-body-size",
			       server->endpoint);
	return nx_fail(err, NX_IO, "InfluxDB at %s answers with HTTP code %u, '%.*s'",
		       server->endpoint, code, (int)words.len, (const char *)words.data);
}

static enum nx_status make_database(struct nx_influx_server *server, struct nx_arena *arena,
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

static enum nx_status use_version_1(struct nx_influx_server *server, struct nx_arena *arena,
				    struct nx_error *err)
{
	server->is_version_1 = true;
	server->write_url = nx_arena_printf(arena, "%s/write?db=%s&precision=ns", server->endpoint,
					    escaped(arena, server->bucket));
	return make_database(server, arena, err);
}

static void set_places(struct nx_influx_server *server, const struct nx_influx_options *options,
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

static void set_token(struct nx_influx_server *server, const char *token, struct nx_arena *arena)
{
	const char *colon = strchr(token, ':');

	server->header = nx_arena_printf(arena, "Authorization: Token %s", token);
	if (!colon)
		return;
	server->user = nx_arena_copy(arena, nx_slice_of(token, (size_t)(colon - token)));
	server->password = nx_arena_copy_text(arena, colon + 1);
}

/* Its errors are JSON with a code; others answer in plain text. */
static bool is_of_version_2(const struct nx_influx_server *server)
{
	const struct nx_bytes *body = &server->answer.body;

	return body->len && memmem(body->items, body->len, "\"code\"", 6);
}

enum nx_status nx_influx_server_open(struct nx_influx_server *server,
				     const struct nx_influx_options *options,
				     struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st;

	memset(server, 0, sizeof(*server));
	server->http = nx_http_client_new();
	set_places(server, options, arena);
	if (options->token && *options->token)
		set_token(server, options->token, arena);
	st = ask(server, server->write_url, nx_slice_of("", 0), err);
	if (st)
		return st;
	if (server->answer.code == 404 && !is_of_version_2(server))
		return use_version_1(server, arena, err);
	/* An empty body is not to the taste of every server that would take lines. */
	return has_succeeded(server) || server->answer.code == 400 ? NX_OK : refuse(server, err);
}

void nx_influx_server_close(struct nx_influx_server *server)
{
	nx_http_client_free(server->http);
	nx_http_answer_release(&server->answer);
	memset(server, 0, sizeof(*server));
}

enum nx_status nx_influx_server_write(struct nx_influx_server *server, struct nx_slice lines,
				      uint64_t patience_ms, struct nx_error *err)
{
	struct nx_backoff backoff;
	enum nx_status st;

	nx_backoff_init(&backoff, patience_ms);
	do {
		st = ask(server, server->write_url, lines, err);
		if (!st && has_succeeded(server))
			return NX_OK;
		if (!st && !may_pass(server))
			return refuse(server, err);
		if (!st)
			st = refuse(server, err);
	} while (nx_backoff_wait(&backoff));
	return st;
}
