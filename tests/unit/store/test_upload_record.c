/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "store/upload.h"

#define NTFF "{\"path\":\"a.ntff\",\"role\":\"ntff\",\"size_bytes\":5}"
#define UPLOAD(files) "{\"name\":\"bert\",\"files\":[" files "]}"

struct fixture {
	struct nx_arena arena;
	struct nx_upload u;
	struct nx_error err;
};

static enum nx_status read_json(struct fixture *f, const char *json)
{
	memset(f, 0, sizeof(*f));
	return nx_upload_read(nx_slice_text(json), &f->arena, &f->u, &f->err);
}

static void end(struct fixture *f)
{
	nx_upload_release(&f->u);
	nx_arena_release(&f->arena);
}

static void refuses(const char *json, enum nx_status wanted, const char *word)
{
	struct fixture f;

	assert_int_equal(read_json(&f, json), wanted);
	if (!strstr(f.err.message, word))
		fail_msg("'%s' does not say '%s'", f.err.message, word);
	end(&f);
}

static void a_description_is_read(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(
		read_json(&f, "{\"name\":\"bert\",\"folder\":\"team\",\"force\":true,\"files\":["
			      "{\"path\":\"m.neff\",\"role\":\"neff\",\"size_bytes\":\"7\"}," NTFF
			      ",{\"path\":\"s/a.ntff\",\"role\":\"source\",\"size_bytes\":0}]}"),
		NX_OK);
	assert_string_equal(f.u.name, "bert");
	assert_string_equal(f.u.label, "team");
	assert_true(f.u.force);
	assert_int_equal(f.u.state, NX_UPLOAD_RECEIVING);
	assert_int_equal(f.u.files.len, 3);
	assert_string_equal(f.u.files.items[0].path, "m.neff");
	assert_int_equal(f.u.files.items[0].size_bytes, 7);
	assert_int_equal(f.u.files.items[2].role, NX_UPLOAD_SOURCE);
	assert_int_equal(nx_upload_size(&f.u), 12);
	assert_false(nx_upload_is_system(&f.u));
	end(&f);
}

static void what_is_written_reads_back(void **state)
{
	struct nx_upload_file files[] = {
		{.path = "d/\"x\"", .role = NX_UPLOAD_DIRECTORY, .size_bytes = UINT64_C(1) << 37}};
	struct nx_upload u = {.name = "n",
			      .label = "l",
			      .reason = "be\ncause",
			      .state = NX_UPLOAD_FAILED,
			      .created_ms = 12,
			      .force = true,
			      .files = {files, 1, 1}};
	struct nx_bytes json = {0};
	struct fixture f = {0};

	(void)state;
	nx_upload_write(&u, &json);
	assert_int_equal(nx_upload_read(nx_slice_of(json.items, json.len), &f.arena, &f.u, &f.err),
			 NX_OK);
	assert_string_equal(f.u.reason, "be\ncause");
	assert_int_equal(f.u.state, NX_UPLOAD_FAILED);
	assert_int_equal(f.u.created_ms, 12);
	assert_string_equal(f.u.files.items[0].path, "d/\"x\"");
	assert_true(f.u.files.items[0].size_bytes == UINT64_C(1) << 37);
	assert_true(nx_upload_is_system(&f.u));
	nx_vec_release(&json);
	end(&f);
}

static void what_is_no_description_is_refused(void **state)
{
	(void)state;
	refuses("", NX_USAGE, "JSON");
	refuses("[]", NX_USAGE, "name");
	refuses("{\"files\":[" NTFF "]}", NX_USAGE, "name");
	refuses("{\"name\":\"a/b\",\"files\":[" NTFF "]}", NX_USAGE, "name");
	refuses("{\"name\":\"a\"}", NX_USAGE, "list");
	refuses("{\"name\":\"a\",\"files\":{}}", NX_USAGE, "list");
	refuses("{\"name\":\"a\",\"folder\":\"two words\",\"files\":[" NTFF "]}", NX_USAGE,
		"blanks");
	refuses("{\"name\":\"a\",\"folder\":\"\xff\",\"files\":[" NTFF "]}", NX_USAGE, "UTF-8");
	refuses(UPLOAD("3"), NX_USAGE, "path");
	refuses(UPLOAD("{\"path\":\"../a\",\"role\":\"ntff\",\"size_bytes\":1}"), NX_USAGE, "..");
	refuses(UPLOAD("{\"path\":\"a\",\"role\":\"x\",\"size_bytes\":1}"), NX_USAGE, "role");
	refuses(UPLOAD("{\"path\":\"a\",\"role\":\"ntff\"}"), NX_USAGE, "size_bytes");
	refuses(UPLOAD("{\"path\":\"a\",\"role\":\"ntff\",\"size_bytes\":1.5}"), NX_USAGE,
		"size_bytes");
}

static void roles_belong_together(void **state)
{
	(void)state;
	refuses(UPLOAD(""), NX_USAGE, "ntff");
	refuses(UPLOAD(NTFF ",{\"path\":\"b\",\"role\":\"ntff\",\"size_bytes\":1}"), NX_USAGE,
		"one file of role ntff");
	refuses(UPLOAD(NTFF ",{\"path\":\"b\",\"role\":\"directory\",\"size_bytes\":1}"), NX_USAGE,
		"not both");
	refuses(UPLOAD(NTFF ",{\"path\":\"b\",\"role\":\"neff\",\"size_bytes\":1}"
			    ",{\"path\":\"c\",\"role\":\"neff\",\"size_bytes\":1}"),
		NX_USAGE, "one NEFF, not 2");
}

static void a_path_has_one_file(void **state)
{
	struct fixture f;

	(void)state;
	refuses(UPLOAD(NTFF ",{\"path\":\"a.ntff\",\"role\":\"neff\",\"size_bytes\":1}"), NX_USAGE,
		"twice");
	refuses(UPLOAD(NTFF ",{\"path\":\"a.ntff/b\",\"role\":\"neff\",\"size_bytes\":1}"),
		NX_USAGE, "twice");
	refuses(UPLOAD("{\"path\":\"a.ntff/b\",\"role\":\"neff\",\"size_bytes\":1}," NTFF),
		NX_USAGE, "twice");
	/* source code lies elsewhere */
	assert_int_equal(read_json(&f, UPLOAD(NTFF ",{\"path\":\"a.ntff\",\"role\":\"source\","
						   "\"size_bytes\":1}")),
			 NX_OK);
	end(&f);
}

static void sizes_have_a_limit(void **state)
{
	(void)state;
	refuses(UPLOAD("{\"path\":\"a\",\"role\":\"ntff\",\"size_bytes\":274877906945}"), NX_LIMIT,
		"256 GiB");
	refuses(UPLOAD("{\"path\":\"a\",\"role\":\"ntff\",\"size_bytes\":274877906944},"
		       "{\"path\":\"b\",\"role\":\"source\",\"size_bytes\":274877906944},"
		       "{\"path\":\"c\",\"role\":\"source\",\"size_bytes\":1}"),
		NX_LIMIT, "512 GiB");
	refuses(UPLOAD("{\"path\":\"a\",\"role\":\"ntff\",\"size_bytes\":"
		       "\"18446744073709551616\"}"),
		NX_USAGE, "whole number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_description_is_read),
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(what_is_no_description_is_refused),
		cmocka_unit_test(roles_belong_together),
		cmocka_unit_test(a_path_has_one_file),
		cmocka_unit_test(sizes_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
