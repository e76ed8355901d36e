/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serve/routes.h"

static enum nx_status find(struct nx_request *r, enum nx_method method, const char *target,
			   const char **allowed)
{
	static struct nx_error err;

	assert_int_equal(nx_request_parse(r, method, target, &err), NX_OK);
	return nx_route_find(r, allowed, &err);
}

static void check_route(const char *target, const char *pattern)
{
	struct nx_request r;
	const char *allowed;

	assert_int_equal(find(&r, NX_GET, target, &allowed), NX_OK);
	assert_string_equal(r.route->pattern, pattern);
	nx_request_release(&r);
}

static void the_first_row_that_fits_is_taken(void **state)
{
	(void)state;
	check_route("/", "/");
	check_route("/health", "/health");
	check_route("/api/v1/profiles", "/api/v1/profiles");
	check_route("/api/v1/profiles/a/window?from=0", "/api/v1/profiles/{p}/window");
	check_route("/api/v1/profiles/a/tables/T/rows/7",
		    "/api/v1/profiles/{p}/tables/{T}/rows/{row}");
	check_route("/profile/a", "/{page...}");
	check_route("/profile/a/", "/{page...}");
}

static void variables_are_what_stands_there(void **state)
{
	struct nx_request r;
	struct nx_error err;
	const char *allowed;
	uint64_t row;

	(void)state;
	assert_int_equal(find(&r, NX_GET, "/api/v1/profiles/a%20b/tables/T%2e/rows/7", &allowed),
			 NX_OK);
	assert_string_equal(nx_request_variable(&r, "p"), "a b");
	assert_string_equal(nx_request_variable(&r, "T"), "T.");
	assert_int_equal(nx_request_variable_u64(&r, "row", &row, &err), NX_OK);
	assert_int_equal(row, 7);
	assert_int_equal(nx_request_variable_u64(&r, "p", &row, &err), NX_NOT_FOUND);
	nx_request_release(&r);
	assert_int_equal(find(&r, NX_GET, "/x/y%2Fz/w", &allowed), NX_OK);
	assert_string_equal(nx_request_variable(&r, "page"), "x/y/z/w");
	nx_request_release(&r);
}

static void what_leads_elsewhere_is_not_found(void **state)
{
	static const char *const targets[] = {
		"/api",
		"/api/v1/",
		"/api/v1/profiles/",
		"/api/v1/profiles/a/",
		"/api/v1/profiles/a/nothing",
		"/api/v1/profiles/a%2Fb",
		"/api/v1/profiles/%2Ea",
		"/api/v1/profiles/a@latest",
		"/api/v1/profiles/-rf/tracks",
		"/api/v1/profiles/a/tables/%2Fetc",
		"/x/..%2Fy",
		"/x%2F..%2Fy",
		"/x%2F%2Fy",
		"/%2Fetc",
		"/db/x",
	};
	const char *allowed;

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct nx_request r;

		assert_int_equal(find(&r, NX_GET, targets[i], &allowed), NX_NOT_FOUND);
		assert_null(allowed);
		nx_request_release(&r);
	}
}

static void other_methods_are_told_what_is_possible(void **state)
{
	struct nx_request r;
	const char *allowed;

	(void)state;
	assert_int_equal(find(&r, NX_POST, "/api/v1/profiles/a", &allowed), NX_USAGE);
	assert_string_equal(allowed, "GET, HEAD, PATCH, DELETE");
	nx_request_release(&r);
	assert_int_equal(find(&r, NX_POST, "/api/v1/nothing", &allowed), NX_NOT_FOUND);
	nx_request_release(&r);
}

/* A row that another one hides would never be called. */
static void every_row_is_reached_by_its_own_pattern(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_route_count; i++) {
		struct nx_request r;
		const char *allowed;
		char target[256];
		size_t len = 0;

		for (const char *at = nx_routes[i].pattern; *at; at++) {
			if (*at != '{') {
				target[len++] = *at;
				continue;
			}
			target[len++] = '7';
			at = strchr(at, '}');
		}
		target[len] = '\0';
		assert_int_equal(find(&r, nx_routes[i].method, target, &allowed), NX_OK);
		assert_ptr_equal(r.route, &nx_routes[i]);
		assert_non_null(nx_routes[i].summary);
		assert_true(!(nx_routes[i].flags & NX_ROUTE_JSON_BODY) ||
			    nx_routes[i].body_bytes_max);
		nx_request_release(&r);
	}
}

static void the_description_has_every_row(void **state)
{
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;
	struct nx_json *root;
	const struct nx_json *path;

	(void)state;
	nx_json_init_bytes(&w, &bytes, false);
	nx_routes_describe(&w);
	assert_int_equal(nx_json_parse(nx_slice_of(bytes.items, bytes.len), &arena, &root, NULL),
			 NX_OK);
	path = nx_json_get(nx_json_get(root, "paths"), "/api/v1/profiles/{p}");
	assert_int_equal(path->count, 3);
	assert_non_null(nx_json_get(path, "patch"));
	assert_int_equal(nx_json_get(nx_json_get(path, "get"), "parameters")->count, 1);
	assert_non_null(nx_json_get(nx_json_get(root, "paths"), "/{page}"));
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_row_that_fits_is_taken),
		cmocka_unit_test(variables_are_what_stands_there),
		cmocka_unit_test(what_leads_elsewhere_is_not_found),
		cmocka_unit_test(other_methods_are_told_what_is_possible),
		cmocka_unit_test(every_row_is_reached_by_its_own_pattern),
		cmocka_unit_test(the_description_has_every_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
