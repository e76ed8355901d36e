/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_url.h"

#include <ctype.h>

#include "base/bare/text.h"

#define SCHEME "clickhouse://"
#define HTTP_PORT 8123
#define HTTPS_PORT 8443

bool nx_clickhouse_url_fits(const char *text)
{
	return nx_slice_starts(nx_slice_text(text), SCHEME);
}

bool nx_clickhouse_is_plain_name(struct nx_slice name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum(name.data[i]) && name.data[i] != '_')
			return false;
	return name.len > 0;
}

static enum nx_status refuse(const char *what, struct nx_error *err)
{
	return nx_fail(err, NX_USAGE,
		       "the ClickHouse URL %s; write "
		       "clickhouse://[user[:password]@]host:port/database[?cluster=NAME]",
		       what);
}

/* Cuts text at the first (or last) separator; false and all of it in head when there is none. */
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

static void parse_user(struct nx_clickhouse_url *url, struct nx_slice text, struct nx_arena *arena)
{
	struct nx_slice user, password;
	bool has_password = cut(text, ':', false, &user, &password);

	url->user = copy_unescaped(arena, user);
	url->password = has_password ? copy_unescaped(arena, password) : "";
}

/* A host goes into another URL: nothing in it may end the host there. */
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
		return refuse("has a port that is no number from 1 to 65535", err);
	}
	if (!is_host(host))
		return refuse("names no host", err);
	url->host = nx_arena_copy(arena, host);
	url->port = (uint16_t)number;
	return NX_OK;
}

static enum nx_status parse_option(struct nx_clickhouse_url *url, struct nx_slice option,
				   struct nx_arena *arena, struct nx_error *err)
{
	struct nx_slice name, value;

	cut(option, '=', false, &name, &value);
	if (nx_slice_is(name, "cluster") && nx_clickhouse_is_plain_name(value)) {
		url->cluster = nx_arena_copy(arena, value);
		return NX_OK;
	}
	if (nx_slice_is(name, "secure") && (nx_slice_is(value, "1") || nx_slice_is(value, "0"))) {
		url->is_secure = nx_slice_is(value, "1");
		return NX_OK;
	}
	return refuse("has an option other than cluster=NAME (letters, digits, _) and secure=1",
		      err);
}

enum nx_status nx_clickhouse_url_parse(struct nx_clickhouse_url *url, const char *text,
				       struct nx_arena *arena, struct nx_error *err)
{
	struct nx_slice rest, place, user, path, options, option;
	enum nx_status st;

	memset(url, 0, sizeof(*url));
	if (!nx_clickhouse_url_fits(text))
		return refuse("does not start with " SCHEME, err);
	rest = nx_slice_part(nx_slice_text(text), strlen(SCHEME), SIZE_MAX);
	cut(rest, '?', false, &rest, &options);
	cut(rest, '/', true, &place, &path);
	if (!nx_clickhouse_is_plain_name(path))
		return refuse("names no database (letters, digits and _)", err);
	url->database = nx_arena_copy(arena, path);
	if (cut(place, '@', true, &user, &rest)) {
		parse_user(url, user, arena);
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
