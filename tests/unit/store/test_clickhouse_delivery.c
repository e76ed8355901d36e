/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_delivery.h"
#include "tests/unit/fake_http.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* clang-format off */
#define RUNNING(n) {.wants = "system.processes WHERE query_id = 'id-7'",			   \
		    .code = 200, .body = "n\nInt64\n" n "\n"}
#define FOUND(n, low, high)									   \
	{.wants = "count()), min(digest), max(digest) FROM d.t WHERE profile = 'it\\'s' AND batch = 7", \
	 .code = 200, .body = "n\tlow\thigh\nInt64\tInt64\tInt64\n" n "\t" low "\t" high "\n"}
#define HANG_UP {.wants = "INSERT", .harm = NX_FAKE_HANG_UP}
#define TAKEN {.wants = "INSERT", .code = 200}
/* clang-format on */

/* What deliver does when the server plays these steps. */
static enum nx_status deliver(const struct nx_fake_step *steps, size_t count, bool is_doubtful,
			      uint64_t patience_ms, struct nx_error *err)
{
	struct nx_clickhouse_batch batch = {"d.t", "INSERT", "id-7", nx_slice_text("it's"),
					    7,	   100,	     -42,    nx_slice_text("rows")};
	struct nx_clickhouse_url url = {.host = "127.0.0.1"};
	struct nx_clickhouse_server server;
	struct nx_arena arena = {0};
	struct nx_fake_http fake;
	enum nx_status st;

	nx_fake_http_start(&fake, steps, count);
	url.port = (uint16_t)fake.port;
	nx_clickhouse_server_open(&server, &url, url.host, &arena);
	st = nx_clickhouse_deliver(&server, &batch, is_doubtful, patience_ms, err);
	nx_clickhouse_server_close(&server);
	nx_arena_release(&arena);
	nx_fake_http_stop(&fake);
	return st;
}

#define expect_delivery(status, is_doubtful, ...)                                                  \
	do {                                                                                       \
		static const struct nx_fake_step steps[] = {__VA_ARGS__};                          \
		struct nx_error err_ = {0};                                                        \
                                                                                                   \
		assert_int_equal(deliver(steps, COUNT(steps), is_doubtful, 5000, &err_), status);  \
	} while (0)

static void a_batch_is_sent_without_questions(void **state)
{
	(void)state;
	expect_delivery(NX_OK, false, TAKEN);
}

static void after_a_lost_connection_it_asks_first(void **state)
{
	(void)state;
	/* It had arrived. */
	expect_delivery(NX_OK, false, HANG_UP, RUNNING("0"), FOUND("100", "-42", "-42"));
	/* It had not. */
	expect_delivery(NX_OK, false, HANG_UP, RUNNING("0"), FOUND("0", "0", "0"), TAKEN);
	/* And the second try is lost as well, but arrives. */
	expect_delivery(NX_OK, false, HANG_UP, RUNNING("0"), FOUND("0", "0", "0"), HANG_UP,
			RUNNING("0"), FOUND("100", "-42", "-42"));
}

static void an_insert_under_way_is_waited_for(void **state)
{
	(void)state;
	expect_delivery(NX_OK, false, HANG_UP, RUNNING("1"), FOUND("0", "0", "0"), RUNNING("0"),
			FOUND("100", "-42", "-42"));
	expect_delivery(NX_OK, false,
			{.wants = "INSERT", 500, "Code: 216. DB::Exception: is running"},
			RUNNING("1"), FOUND("100", "-42", "-42"));
}

static void half_a_batch_is_removed_and_sent_again(void **state)
{
	(void)state;
	expect_delivery(
		NX_OK, true, RUNNING("0"), FOUND("60", "-42", "-42"),
		{.wants = "ALTER TABLE d.t DELETE WHERE profile = 'it\\'s' AND batch = 7", 200, ""},
		RUNNING("0"), FOUND("60", "-42", "-42"), RUNNING("0"), FOUND("0", "0", "0"), TAKEN);
}

static void a_doubled_batch_is_mended_too(void **state)
{
	(void)state;
	expect_delivery(NX_OK, true, RUNNING("0"), FOUND("200", "-42", "-42"),
			{.wants = "DELETE", 200, ""}, RUNNING("0"), FOUND("0", "0", "0"), TAKEN);
}

static void other_rows_are_never_touched(void **state)
{
	(void)state;
	expect_delivery(NX_MISMATCH, true, RUNNING("0"), FOUND("100", "-43", "-42"));
	expect_delivery(NX_MISMATCH, true, RUNNING("0"), FOUND("100", "5", "5"));
	expect_delivery(NX_MISMATCH, true, RUNNING("0"), FOUND("7", "5", "5"));
}

static void what_will_not_pass_ends_it(void **state)
{
	(void)state;
	expect_delivery(NX_IO, false,
			{.wants = "INSERT", 500, "Code: 16. DB::Exception: No such column"});
	expect_delivery(NX_NO_SPACE, false,
			{.wants = "INSERT", 500, "Code: 243. DB::Exception: full"});
}

static void patience_ends(void **state)
{
	struct nx_clickhouse_batch batch = {.query_id = "id", .insert_sql = "INSERT", .table = "t"};
	struct nx_clickhouse_url url = {.host = "127.0.0.1", .port = 1};
	struct nx_clickhouse_server server;
	struct nx_arena arena = {0};
	struct nx_error err;

	(void)state;
	nx_clickhouse_server_open(&server, &url, url.host, &arena);
	assert_int_equal(nx_clickhouse_deliver(&server, &batch, false, 100, &err), NX_IO);
	assert_non_null(strstr(err.message, "cannot reach"));
	assert_int_equal(nx_clickhouse_insist(&server, "X", 100, &err), NX_IO);
	nx_clickhouse_server_close(&server);
	nx_arena_release(&arena);
}

static void what_arrived_is_listed(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "min(digest), max(digest) FROM d.t WHERE profile = 'p' GROUP BY batch",
		 200,
		 "b\tn\tlow\thigh\nInt64\tInt64\tInt64\tInt64\n0\t5\t1\t1\n3\t6\t2\t9\n"}};
	struct nx_clickhouse_url url = {.host = "127.0.0.1"};
	struct nx_clickhouse_server server;
	struct nx_arena arena = {0};
	struct nx_map arrived = {0};
	struct nx_fake_http fake;
	struct nx_error err;
	uint64_t evidence;

	(void)state;
	nx_fake_http_start(&fake, steps, 1);
	url.port = (uint16_t)fake.port;
	nx_clickhouse_server_open(&server, &url, url.host, &arena);
	assert_int_equal(nx_clickhouse_list_arrived(&server, "d.t", nx_slice_text("p"), 1000,
						    &arrived, &err),
			 NX_OK);
	assert_int_equal(arrived.len, 2);
	assert_true(nx_map_get(&arrived, 1000, &evidence));
	assert_true(evidence == nx_clickhouse_evidence(5, 1, 1));
	assert_true(nx_map_get(&arrived, 1003, &evidence));
	assert_true(evidence == nx_clickhouse_evidence(6, 2, 9));
	assert_true(evidence != nx_clickhouse_evidence(6, 2, 2));
	nx_map_release(&arrived);
	nx_clickhouse_server_close(&server);
	nx_arena_release(&arena);
	nx_fake_http_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_is_sent_without_questions),
		cmocka_unit_test(after_a_lost_connection_it_asks_first),
		cmocka_unit_test(an_insert_under_way_is_waited_for),
		cmocka_unit_test(half_a_batch_is_removed_and_sent_again),
		cmocka_unit_test(a_doubled_batch_is_mended_too),
		cmocka_unit_test(other_rows_are_never_touched),
		cmocka_unit_test(what_will_not_pass_ends_it),
		cmocka_unit_test(patience_ends),
		cmocka_unit_test(what_arrived_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
