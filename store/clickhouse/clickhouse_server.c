/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_server.h"

#include <ctype.h>

#include "base/bare/text.h"

#define SCHEME "clickhouse://"
#define HTTP_PORT 8123
#define HTTPS_PORT 8443

/* Rows up to this number become one block, which a MergeTree takes whole or not at all. */
#define MAX_BLOCK_ROWS "1048576"
/* 21.11: a server may collect inserts of many clients, and then answers before it has the rows. */
#define KNOWS_ASYNC_INSERT 21011
#define LOGIN "; put user and password into the URL, clickhouse://user:password@..."
#define TYPED_TEXT "TabSeparatedWithNamesAndTypes"

/* --- URLs -------------------------------------------------------------------- */

/* Letters, digits and _, not empty: a name that needs no quotes in SQL. */
static bool is_plain_name(struct nx_slice name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum(name.data[i]) && name.data[i] != '_')
			return false;
	return name.len > 0;
}

static enum nx_status refuse_url(const char *what, struct nx_error *err)
{
	return nx_fail(err, NX_USAGE,
		       "the ClickHouse URL %s; write "
		       "clickhouse://[user[:password]@]host:port/database[?cluster=NAME]",
		       what);
}

/* Splits text at the first (or last) separator; if there is none, head is all of it. */
static bool cut(struct nx_slice text, uint8_t separator, bool at_last, struct nx_slice *head,
		struct nx_slice *tail)
{
	const uint8_t *at = NULL;

	if (text.len)
		at = at_last ? memrchr(text.data, separator, text.len)
			     : memchr(text.data, separator, text.len);
	*head = text;
	*tail = nx_slice_part(text, text.len, 0);
	if (!at)
		return false;
	head->len = (size_t)(at - text.data);
	*tail = nx_slice_part(text, head->len + 1, text.len);
	return true;
}

static const char *copy_unescaped(struct nx_arena *arena, struct nx_slice text)
{
	char *copy = nx_arena_copy(arena, text);
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		int byte = nx_percent_decode(text, i);

		if (byte > 0) {
			copy[len++] = (char)byte;
			i += 2;
		} else {
			copy[len++] = (char)text.data[i];
		}
	}
	copy[len] = '\0';
	return copy;
}

/* The host becomes part of another URL, so no character may end it there. */
static bool is_host(struct nx_slice host)
{
	for (size_t i = 0; i < host.len; i++)
		if (!isalnum(host.data[i]) && (!host.data[i] || !strchr("-._:[]", host.data[i])))
			return false;
	return host.len > 0;
}

static enum nx_status parse_place(struct nx_clickhouse_url *url, struct nx_slice text,
				  struct nx_arena *arena, struct nx_error *err)
{
	struct nx_slice host, port;
	uint64_t number = 0;

	if (nx_slice_ends(text, "]") || !cut(text, ':', true, &host, &port)) {
		host = text;
	} else if (!nx_slice_to_u64(port, &number) || !number || number > UINT16_MAX) {
		return refuse_url("has a port that is no number from 1 to 65535", err);
	}
	if (!is_host(host))
		return refuse_url("names no host", err);
	url->host = nx_arena_copy(arena, host);
	url->port = (uint16_t)number;
	return NX_OK;
}

static enum nx_status parse_option(struct nx_clickhouse_url *url, struct nx_slice option,
				   struct nx_arena *arena, struct nx_error *err)
{
	struct nx_slice name, value;

	cut(option, '=', false, &name, &value);
	if (nx_slice_is(name, "cluster") && is_plain_name(value)) {
		url->cluster = nx_arena_copy(arena, value);
		return NX_OK;
	}
	if (nx_slice_is(name, "secure") && (nx_slice_is(value, "1") || nx_slice_is(value, "0"))) {
		url->is_secure = nx_slice_is(value, "1");
		return NX_OK;
	}
	return refuse_url("has an option other than cluster=NAME (letters, digits, _) and secure=1",
			  err);
}

enum nx_status nx_clickhouse_url_parse(struct nx_clickhouse_url *url, const char *text,
				       struct nx_arena *arena, struct nx_error *err)
{
	struct nx_slice rest, place, user, password, path, options, option;
	bool has_password;
	enum nx_status st;

	memset(url, 0, sizeof(*url));
	if (!nx_slice_starts(nx_slice_text(text), SCHEME))
		return refuse_url("does not start with " SCHEME, err);
	rest = nx_slice_part(nx_slice_text(text), strlen(SCHEME), SIZE_MAX);
	cut(rest, '?', false, &rest, &options);
	cut(rest, '/', true, &place, &path);
	if (!is_plain_name(path))
		return refuse_url("names no database (letters, digits and _)", err);
	url->database = nx_arena_copy(arena, path);
	if (cut(place, '@', true, &user, &rest)) {
		has_password = cut(user, ':', false, &user, &password);
		url->user = copy_unescaped(arena, user);
		url->password = has_password ? copy_unescaped(arena, password) : "";
		place = rest;
	}
	st = parse_place(url, place, arena, err);
	while (!st && options.len) {
		cut(options, '&', false, &option, &options);
		st = parse_option(url, option, arena, err);
	}
	if (!st && !url->port)
		url->port = url->is_secure ? HTTPS_PORT : HTTP_PORT;
	return st;
}

/* --- servers ----------------------------------------------------------------- */

/* Codes of ClickHouse's exceptions that mean more than a mistake of ours. */
static const struct {
	uint16_t code;
	bool may_pass;
	uint8_t status; /* enum nx_status */
	const char *remedy;
} codes[] = {
	{81, false, NX_NOT_FOUND, "; the database does not exist, push a profile there first"},
	{159, true, NX_IO, ""},
	{164, false, NX_PERMISSION, "; the user may only read, name one who may write"},
	{192, false, NX_PERMISSION, LOGIN},
	{193, false, NX_PERMISSION, LOGIN},
	{194, false, NX_PERMISSION, LOGIN},
	{202, true, NX_IO,
	 "; the server has too many queries, wait or raise max_concurrent_queries"},
	{209, true, NX_IO, ""},
	{210, true, NX_IO, ""},
	{216, true, NX_IO, "; another program pushes the same profile"},
	{241, true, NX_IO, "; the server ran out of its memory limit, raise max_memory_usage"},
	{243, false, NX_NO_SPACE, "; free space on the server's disk"},
	{252, true, NX_IO,
	 "; the server merges slower than it is given, push from fewer machines at once"},
	{279, true, NX_IO,
	 "; a shard of the cluster cannot be reached, start it or mend remote_servers"},
	{359, false, NX_LIMIT, "; raise max_partition_size_to_drop on the server"},
	{497, false, NX_PERMISSION,
	 "; grant the user CREATE, INSERT, SELECT and ALTER on the database"},
	{516, false, NX_PERMISSION, LOGIN},
};

void nx_clickhouse_server_open(struct nx_clickhouse_server *server,
			       const struct nx_clickhouse_url *url, const char *host,
			       struct nx_arena *arena)
{
	memset(server, 0, sizeof(*server));
	server->http = nx_http_client_new();
	server->origin = nx_arena_printf(arena, "%s://%s:%u", url->is_secure ? "https" : "http",
					 host, url->port);
	server->place = nx_arena_printf(arena, "clickhouse://%s:%u", host, url->port);
	server->user = url->user;
	server->password = url->password;
}

void nx_clickhouse_server_close(struct nx_clickhouse_server *server)
{
	nx_http_client_free(server->http);
	nx_http_answer_release(&server->answer);
	nx_vec_release(&server->request_url);
	memset(server, 0, sizeof(*server));
}

void nx_clickhouse_append_all(struct nx_bytes *sql, const char *const *texts)
{
	for (; *texts; texts++)
		nx_bytes_append(sql, *texts, strlen(*texts));
}

void nx_clickhouse_append_text(struct nx_bytes *sql, struct nx_slice text)
{
	nx_vec_push(sql, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '\'' || text.data[i] == '\\')
			nx_vec_push(sql, '\\');
		nx_vec_push(sql, text.data[i]);
	}
	nx_vec_push(sql, '\'');
}

/* "Code: 60, e.displayText() = DB::Exception: Table d.t doesn't exist., e.what() = ..." of old
 * servers, "Code: 60. DB::Exception: Table d.t doesn't exist. (UNKNOWN_TABLE) ..." of new ones. */
static unsigned code_of(struct nx_slice message)
{
	uint64_t code = 0;
	size_t end = 6;

	if (!nx_slice_starts(message, "Code: "))
		return 0;
	while (end < message.len && message.data[end] >= '0' && message.data[end] <= '9')
		end++;
	nx_slice_to_u64(nx_slice_part(message, 6, end - 6), &code);
	return code < 10000 ? (unsigned)code : 0;
}

/* The part that helps a person: the first line, from the text of the exception on. */
static struct nx_slice words_of(struct nx_slice message)
{
	static const char mark[] = "Exception: ";
	static const char tail[] = ", e.what()";
	const uint8_t *feed = message.len ? memchr(message.data, '\n', message.len) : NULL;
	const uint8_t *found;

	if (feed)
		message.len = (size_t)(feed - message.data);
	found = message.len ? memmem(message.data, message.len, mark, strlen(mark)) : NULL;
	if (found)
		message = nx_slice_part(message, (size_t)(found - message.data) + strlen(mark),
					SIZE_MAX);
	found = message.len ? memmem(message.data, message.len, tail, strlen(tail)) : NULL;
	if (found)
		message.len = (size_t)(found - message.data);
	return nx_slice_part(message, 0, 300);
}

static enum nx_status refuse(struct nx_clickhouse_server *server, struct nx_error *err)
{
	struct nx_slice body = nx_slice_of(server->answer.body.items, server->answer.body.len);
	struct nx_slice words = words_of(body);
	unsigned http = server->answer.code, code = code_of(body);

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i].code != code)
			continue;
		server->may_pass = codes[i].may_pass;
		return nx_fail(err, codes[i].status, "%s says '%.*s'%s", server->place,
			       (int)words.len, (const char *)words.data, codes[i].remedy);
	}
	server->may_pass = http == 429 || http == 502 || http == 503 || http == 504;
	if (!code)
		return nx_fail(err, NX_IO,
			       "%s answers with HTTP code %u and not like ClickHouse; check host "
			       "and port (the HTTP interface, usually 8123)",
			       server->place, http);
	return nx_fail(err, NX_IO, "%s says '%.*s' (code %u)", server->place, (int)words.len,
		       (const char *)words.data, code);
}

static enum nx_status ask(struct nx_clickhouse_server *server, struct nx_http_request *request,
			  struct nx_error *err)
{
	struct nx_error reason;
	enum nx_status st;

	nx_vec_push(&server->request_url, '\0');
	request->url = (const char *)server->request_url.items;
	request->user = server->user;
	request->password = server->password;
	st = nx_http_client_ask(server->http, request, &server->answer, &reason);
	server->may_pass = st && !server->answer.is_refused;
	if (st && server->answer.is_refused)
		return nx_fail(err, st, "%s", reason.message);
	if (st)
		return nx_fail(err, st,
			       "cannot reach %s (%s); check that the server runs and that host and "
			       "port are right",
			       server->place, reason.message);
	return server->answer.code == 200 ? NX_OK : refuse(server, err);
}

static void begin_url(struct nx_clickhouse_server *server, const char *parameters)
{
	nx_vec_clear(&server->request_url);
	nx_clickhouse_append(&server->request_url, server->origin, "/?", parameters);
}

enum nx_status nx_clickhouse_server_run(struct nx_clickhouse_server *server, const char *sql,
					struct nx_error *err)
{
	struct nx_http_request request = {.body = nx_slice_text(sql)};

	begin_url(server, "");
	return ask(server, &request, err);
}

static enum nx_status take_rows(void *context, struct nx_slice piece, struct nx_error *err)
{
	return nx_clickhouse_rows_take(context, piece, err);
}

/* Waits for the end of the query: an error after the first rows would look like a row. */
enum nx_status nx_clickhouse_server_query(struct nx_clickhouse_server *server,
					  const struct nx_clickhouse_question *question,
					  struct nx_error *err)
{
	struct nx_clickhouse_rows rows;
	struct nx_http_request request = {
		.body = nx_slice_text(question->sql), .take = take_rows, .context = &rows};
	enum nx_status st;

	nx_clickhouse_rows_init(&rows, question->row, question->context);
	begin_url(server, "default_format=" TYPED_TEXT "&wait_end_of_query=1");
	if (question->settings)
		nx_clickhouse_append(&server->request_url, "&", question->settings);
	st = ask(server, &request, err);
	if (!st)
		st = nx_clickhouse_rows_finish(&rows, err);
	nx_clickhouse_rows_release(&rows);
	return st;
}

/* The number at the start of text, which moves past it and its dot. */
static bool take_number(struct nx_slice *text, uint64_t *number)
{
	size_t len = 0;
	bool is_number;

	while (len < text->len && text->data[len] != '.')
		len++;
	is_number = nx_slice_to_u64(nx_slice_part(*text, 0, len), number) && *number < 1000;
	*text = nx_slice_part(*text, len + 1, SIZE_MAX);
	return is_number;
}

static enum nx_status on_version(void *context, const struct nx_clickhouse_row *row,
				 struct nx_error *err)
{
	struct nx_clickhouse_server *server = context;
	enum nx_status st = nx_clickhouse_row_expect(row, "t", err);
	uint64_t major, minor;
	struct nx_slice text;

	if (st)
		return st;
	text = row->cells[0].text;
	if (!take_number(&text, &major) || !take_number(&text, &minor))
		return nx_fail(err, NX_VERSION, "%s does not tell its version", server->place);
	server->version = (uint32_t)(major * 1000 + minor);
	return NX_OK;
}

enum nx_status nx_clickhouse_server_greet(struct nx_clickhouse_server *server, struct nx_error *err)
{
	struct nx_clickhouse_question question = {
		.sql = "SELECT version()", .row = on_version, .context = server};

	return nx_clickhouse_server_query(server, &question, err);
}

enum nx_status nx_clickhouse_server_insert(struct nx_clickhouse_server *server, const char *sql,
					   const char *query_id, struct nx_slice rows,
					   struct nx_error *err)
{
	struct nx_http_request request = {.body = rows};

	begin_url(server, "max_insert_block_size=" MAX_BLOCK_ROWS);
	if (server->version >= KNOWS_ASYNC_INSERT)
		nx_clickhouse_append(&server->request_url, "&async_insert=0");
	nx_clickhouse_append(&server->request_url, "&query_id=");
	nx_bytes_append_percent(&server->request_url, nx_slice_text(query_id));
	nx_clickhouse_append(&server->request_url, "&query=");
	nx_bytes_append_percent(&server->request_url, nx_slice_text(sql));
	return ask(server, &request, err);
}
