/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_reader.h"
#include "store/clickhouse/clickhouse_server.h"
#include "tests/unit/fake_http.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct fixture {
	struct nx_fake_http fake;
	struct nx_arena arena;
	struct nx_clickhouse_server server;
	struct nx_error err;
};

static void begin(struct fixture *f, const struct nx_fake_step *steps, size_t count)
{
	struct nx_clickhouse_url url = {
		.host = "127.0.0.1", .user = "me", .password = "top-secret"};

	memset(f, 0, sizeof(*f));
	nx_fake_http_start(&f->fake, steps, count);
	url.port = (uint16_t)f->fake.port;
	nx_clickhouse_server_open(&f->server, &url, url.host, &f->arena);
}

static void end(struct fixture *f)
{
	nx_clickhouse_server_close(&f->server);
	nx_arena_release(&f->arena);
	nx_fake_http_stop(&f->fake);
}

static void versions_are_numbers(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "SELECT version()", 200, "v\nString\n18.16.1\n"},
		{.wants = "SELECT version()", 200, "v\nString\n26.7.2.1-lts\n"},
		{.wants = "SELECT version()", 200, "v\nString\nnone\n"},
		{.wants = "SELECT version()", 200, "v\nInt8\n5\n"},
	};
	struct fixture f;

	(void)state;
	begin(&f, steps, COUNT(steps));
	assert_int_equal(nx_clickhouse_server_greet(&f.server, &f.err), NX_OK);
	assert_int_equal(f.server.version, 18016);
	assert_int_equal(nx_clickhouse_server_greet(&f.server, &f.err), NX_OK);
	assert_int_equal(f.server.version, 26007);
	assert_int_equal(nx_clickhouse_server_greet(&f.server, &f.err), NX_VERSION);
	assert_int_equal(nx_clickhouse_server_greet(&f.server, &f.err), NX_FORMAT);
	end(&f);
}

static void exceptions_become_sentences(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "X",
		 500,
		 "Code: 60, e.displayText() = DB::Exception: Table d.t doesn't exist., e.what() = "
		 "DB::Exception\n"},
		{.wants = "X",
		 404,
		 "Code: 60. DB::Exception: No such table. (UNKNOWN_TABLE) (version 26)\n"},
		{.wants = "X",
		 401,
		 "Code: 193, e.displayText() = DB::Exception: Wrong password, e.what()"},
		{.wants = "X", 500, "Code: 252. DB::Exception: Too many parts.\n"},
		{.wants = "X", 500, "Code: 243. DB::Exception: Cannot reserve.\n"},
		{.wants = "X", 503, ""},
		{.wants = "X", 302, "elsewhere"},
		{.wants = "X", .harm = NX_FAKE_HANG_UP},
	};
	static const struct {
		enum nx_status status;
		bool may_pass;
		const char *says;
	} wanted[] = {
		{NX_IO, false, "says 'Table d.t doesn't exist.' (code 60)"},
		{NX_IO, false, "says 'No such table. (UNKNOWN_TABLE) (version 26)' (code 60)"},
		{NX_PERMISSION, false, "put user and password into the URL"},
		{NX_IO, true, "push from fewer machines"},
		{NX_NO_SPACE, false, "free space"},
		{NX_IO, true, "HTTP code 503"},
		{NX_IO, false, "check host and port"},
		{NX_IO, true, "cannot reach clickhouse://127.0.0.1:"},
	};
	struct fixture f;

	(void)state;
	begin(&f, steps, COUNT(steps));
	for (unsigned i = 0; i < COUNT(wanted); i++) {
		assert_int_equal(nx_clickhouse_server_run(&f.server, "X", &f.err),
				 wanted[i].status);
		assert_int_equal(f.server.may_pass, wanted[i].may_pass);
		if (!strstr(f.err.message, wanted[i].says) || strstr(f.err.message, "secret"))
			fail_msg("%u: %s", i, f.err.message);
	}
	end(&f);
}

static enum nx_status keep_number(void *context, const struct nx_clickhouse_row *row,
				  struct nx_error *err)
{
	enum nx_status st = nx_clickhouse_row_expect(row, "i", err);

	if (!st)
		*(int64_t *)context = row->cells[0].i64;
	return st;
}

static void questions_bring_rows_or_fail(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "default_format=TabSeparatedWithNamesAndTypes&wait_end_of_query=1&"
			  "readonly=2 ",
		 200,
		 "n\nInt64\n17\n"},
		{.wants = "SELECT", 200, "n\nInt64\n1", NX_FAKE_CUT},
		{.wants = "SELECT", 200, "n\nInt64\n1"},
		{.wants = "SELECT", 200, "n\nString\n1\n"},
	};
	int64_t number = 0;
	struct nx_clickhouse_question question = {"SELECT", "readonly=2", keep_number, &number};
	struct fixture f;

	(void)state;
	begin(&f, steps, COUNT(steps));
	assert_int_equal(nx_clickhouse_server_query(&f.server, &question, &f.err), NX_OK);
	assert_int_equal(number, 17);
	assert_int_equal(nx_clickhouse_server_query(&f.server, &question, &f.err), NX_IO);
	assert_true(f.server.may_pass);
	assert_int_equal(nx_clickhouse_server_query(&f.server, &question, &f.err), NX_FORMAT);
	assert_int_equal(nx_clickhouse_server_query(&f.server, &question, &f.err), NX_FORMAT);
	assert_false(f.server.may_pass);
	end(&f);
}

static void inserts_are_one_block_under_a_name(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "/?max_insert_block_size=1048576&query_id=a b&query=INSERT INTO t FORMAT "
			  "RowBinary ",
		 200,
		 ""},
		{.wants = "max_insert_block_size=1048576&async_insert=0&query_id=c&", 200, ""},
	};
	struct fixture f;

	(void)state;
	begin(&f, steps, COUNT(steps));
	f.server.version = 18016;
	assert_int_equal(nx_clickhouse_server_insert(&f.server, "INSERT INTO t FORMAT RowBinary",
						     "a b", nx_slice_text("rows"), &f.err),
			 NX_OK);
	assert_non_null(strstr(f.fake.last, "\r\n\r\nrows"));
	f.server.version = 26007;
	assert_int_equal(nx_clickhouse_server_insert(&f.server, "INSERT", "c",
						     nx_slice_text("rows"), &f.err),
			 NX_OK);
	end(&f);
}

static void texts_cannot_leave_their_quotes(void **state)
{
	struct nx_bytes sql = {0};

	(void)state;
	nx_clickhouse_append_text(&sql, nx_slice_text("a' OR 1 \\' --"));
	nx_vec_push(&sql, '\0');
	assert_string_equal((const char *)sql.items, "'a\\' OR 1 \\\\\\' --'");
	nx_vec_release(&sql);
}

static void readers_ask_read_only(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "name = 'readonly'", 200, "v\nString\n0\n"},
		{.wants = "&readonly=2&database=runs ", 200, "n\nInt64\n3\n"},
		{.wants = "name = 'readonly'", 200, "v\nString\n1\n"},
		{.wants = "wait_end_of_query=1&database=runs ", 200, "n\nInt64\n4\n"},
	};
	struct nx_clickhouse_reader *reader;
	int64_t number = 0;
	struct fixture f;
	char url[64];

	(void)state;
	begin(&f, steps, COUNT(steps));
	snprintf(url, sizeof(url), "clickhouse://127.0.0.1:%u/runs", f.fake.port);
	for (int64_t i = 3; i <= 4; i++) {
		assert_int_equal(nx_clickhouse_reader_open(url, &reader, &f.err), NX_OK);
		assert_int_equal(nx_clickhouse_reader_query(reader, "SELECT 1", keep_number,
							    &number, &f.err),
				 NX_OK);
		assert_int_equal(number, i);
		nx_clickhouse_reader_close(reader);
	}
	end(&f);
	assert_int_equal(nx_clickhouse_reader_open(url, &reader, &f.err), NX_IO);
	assert_null(reader);
	nx_clickhouse_reader_close(reader);
	assert_int_equal(nx_clickhouse_reader_open("x", &reader, &f.err), NX_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_numbers),
		cmocka_unit_test(exceptions_become_sentences),
		cmocka_unit_test(questions_bring_rows_or_fail),
		cmocka_unit_test(inserts_are_one_block_under_a_name),
		cmocka_unit_test(texts_cannot_leave_their_quotes),
		cmocka_unit_test(readers_ask_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
