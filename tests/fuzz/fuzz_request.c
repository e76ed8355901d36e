/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a request: the first is the method, the first line the target, the second
 * the Host, the third the Origin, the rest the body. Beyond "does not crash": what was
 * found is harmless in a path, only our own names are answered, and conditions stay one
 * closed statement of SQL.
 */
#include <string.h>
#include <strings.h>

#include "query/sql_text.h"
#include "serve/guard.h"
#include "serve/routes.h"
#include "serve/where.h"
#include "store/profile_name.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *take_line(struct nx_arena *arena, struct nx_slice *rest)
{
	const uint8_t *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
	size_t len = end ? (size_t)(end - rest->data) : rest->len;
	const char *line = nx_arena_copy(arena, nx_slice_part(*rest, 0, len));

	*rest = nx_slice_part(*rest, len + 1, rest->len);
	return line;
}

static void check_path(const char *path)
{
	expect(*path && *path != '/' && strstr(path, "//") == NULL);
	while (path) {
		expect(strncmp(path, "../", 3) != 0 && strcmp(path, "..") != 0 &&
		       strncmp(path, "./", 2) != 0 && strcmp(path, ".") != 0);
		path = strchr(path, '/');
		path = path ? path + 1 : NULL;
	}
}

static void check_variables(const struct nx_request *request)
{
	for (size_t i = 0; i < request->variable_count; i++) {
		const char *name = request->variables[i].name, *value = request->variables[i].value;

		check_path(value);
		if (!strcmp(name, "p"))
			expect(!nx_profile_name_check(nx_slice_text(value), NULL));
		if (strcmp(name, "page") != 0 && strcmp(name, "path") != 0)
			expect(!strchr(value, '/'));
		for (; *value; value++)
			expect((uint8_t)*value >= 0x20 && *value != 0x7f);
	}
}

static void check_conditions(const struct nx_request *request)
{
	static const struct nx_parquet_field fields[] = {
		{.name = "a", .type = NX_PARQUET_TEXT},
		{.name = "b", .type = NX_PARQUET_I64},
		{.name = "c", .type = NX_PARQUET_F64},
	};
	const struct nx_stored_table table = {.name = "T", .fields = fields, .field_count = 3};
	struct nx_bytes sql = {0};
	struct nx_slice rest, statement;
	struct nx_error err = {0};

	if (!nx_where_append(&sql, &table, request, &err)) {
		nx_sql_append(&sql, ";");
		rest = nx_slice_of(sql.items, sql.len);
		expect(nx_sql_take(&rest, &statement) && !rest.len);
	}
	nx_vec_release(&sql);
}

static void check_guard(const char *host, const char *origin)
{
	const struct nx_guard guard = {.listening_on = "127.0.0.1", .ports = {3001, 3002}};
	struct nx_head head = {.host = host, .origin = *origin ? origin : NULL};
	unsigned http_status = 0;
	struct nx_error err = {0};

	if (nx_guard_check(&guard, &head, &http_status, &err)) {
		expect(http_status == 421 || http_status == 403);
		return;
	}
	expect(!strncasecmp(host, "localhost", 9) || !strncmp(host, "127.0.0.1", 9) ||
	       !strncmp(host, "[::1]", 5));
	expect(!head.origin || !strncasecmp(origin, "http", 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_slice rest = nx_slice_of(data, size);
	struct nx_arena arena = {0};
	const struct nx_json *object;
	struct nx_request request;
	struct nx_error err = {0};
	const char *target, *host, *allowed;

	if (!size)
		return 0;
	rest = nx_slice_part(rest, 1, rest.len);
	target = take_line(&arena, &rest);
	host = take_line(&arena, &rest);
	check_guard(host, take_line(&arena, &rest));
	if (!nx_request_parse(&request, data[0] % NX_METHOD_COUNT, target, &err)) {
		nx_bytes_append(&request.body, rest.data, rest.len);
		if (!nx_route_find(&request, &allowed, &err))
			check_variables(&request);
		check_conditions(&request);
		if (!nx_request_json(&request, &object, &err))
			expect(object->kind == NX_JSON_OBJECT);
	}
	nx_request_release(&request);
	nx_arena_release(&arena);
	return 0;
}
