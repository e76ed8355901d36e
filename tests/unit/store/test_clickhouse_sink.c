/* SPDX-License-Identifier: Apache-2.0 */
/* The whole dialogue of a push, step by step; tests/scale does it with real servers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_cluster.h"
#include "store/clickhouse/clickhouse_sink.h"
#include "tests/unit/fake_http.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROWS1(value) "n\nInt64\n" value "\n"
/* clang-format off */
#define OPENING											   \
	{.wants = "SELECT version()", 200, "v\nString\n18.16.1\n"},				   \
	{.wants = "CREATE DATABASE IF NOT EXISTS d", 200, ""},					   \
	{.wants = "FROM system.tables WHERE database = 'd'", 200, "n\te\nString\tString\n"},	   \
	{.wants = "CREATE TABLE IF NOT EXISTS d.`ProfileIngest`", 200, ""}
#define FRESH											   \
	{.wants = "FROM d.`ProfileIngest` WHERE profile = 'p'", 200, ROWS1("0")},		   \
	{.wants = "WHERE profile = 'p' AND state = 'begun'", 200, ROWS1("0")},			   \
	{.wants = "INSERT INTO d.`ProfileIngest` (profile, state, table_name, row_count, "	   \
		  "batch_count, schema_version) VALUES ('p', 'begun', '', 0, 0, '7.4.0')",	   \
	 200, ""}
#define MADE {.wants = "CREATE TABLE IF NOT EXISTS d.`Warning`", 200, ""}
/* clang-format on */

static struct nx_error err;

static struct nx_clickhouse_sink *open_sink(struct nx_fake_http *fake, bool replaces,
					    enum nx_status status)
{
	struct nx_clickhouse_options options = {
		.replaces = replaces, .batch_rows = 2, .patience_ms = 2000};
	struct nx_clickhouse_sink *sink;
	char url[64];

	snprintf(url, sizeof(url), "clickhouse://127.0.0.1:%u/d", fake->port);
	if (nx_clickhouse_sink_open(url, "p", &options, &sink, &err) != status)
		fail_msg("%s", err.message);
	assert_true((sink == NULL) == (status != NX_OK));
	return sink;
}

static void put_warnings(struct nx_clickhouse_sink *sink, unsigned count)
{
	struct nx_table_sink *tables = nx_clickhouse_sink_tables(sink);
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_Warning);
	nx_table_sink_begin(tables, NX_SCHEMA_Warning);
	for (unsigned i = 0; i < count; i++) {
		nx_row_put_text(&row, NX_COL_Warning_message, "m");
		nx_row_put_text(&row, NX_COL_Warning_category, "c");
		nx_table_sink_put(tables, &row);
	}
	nx_table_sink_end(tables, NX_SCHEMA_Warning);
}

/* Steps cannot know the number of a table before the program runs. */
static const char *with_table_number(const char *format, char *out, size_t cap)
{
	snprintf(out, cap, format, (unsigned)NX_SCHEMA_Warning);
	return out;
}

static void a_push_is_begun_sent_counted_and_completed(void **state)
{
	char question[128], counts[64];
	const struct nx_fake_step steps[] = {
		OPENING,
		FRESH,
		MADE,
		{.wants = "-Warning-0-0&query=INSERT INTO d.`Warning` (profile, batch, digest,",
		 200,
		 ""},
		{.wants = "-Warning-0-1&query=INSERT INTO d.`Warning` (profile, batch, digest,",
		 200,
		 ""},
		{.wants = with_table_number(
			 "SELECT toInt64(%u) AS id, toInt64(count()) AS row_count FROM "
			 "d.Warning WHERE profile = 'p'",
			 question, sizeof(question)),
		 200,
		 with_table_number("id\tn\nInt64\tInt64\n%u\t3\n", counts, sizeof(counts))},
		{.wants = "state = 'complete'", 200, ROWS1("0")},
		{.wants = "VALUES ('p', 'complete', 'Warning', 3, 2, '7.4.0')", 200, ""},
	};
	struct nx_clickhouse_counts result;
	struct nx_clickhouse_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, false, NX_OK);
	put_warnings(sink, 3);
	if (nx_clickhouse_sink_commit(sink, &err))
		fail_msg("%s", err.message);
	result = nx_clickhouse_sink_counts(sink);
	assert_int_equal(result.row_count, 3);
	assert_int_equal(result.batch_count, 2);
	/* Of each row: profile 2, batch 4, digest 8, two texts of 2 bytes. */
	assert_int_equal(result.sent_bytes, 3 * 18);
	nx_clickhouse_sink_close(sink);
	nx_fake_http_stop(&fake);
}

static void a_wrong_count_is_not_completed(void **state)
{
	char counts[64];
	const struct nx_fake_step steps[] = {
		OPENING,
		FRESH,
		MADE,
		{.wants = "-Warning-0-0&", 200, ""},
		{.wants = "AS row_count FROM d.Warning",
		 200,
		 with_table_number("id\tn\nInt64\tInt64\n%u\t2\n", counts, sizeof(counts))},
	};
	struct nx_clickhouse_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, false, NX_OK);
	put_warnings(sink, 1);
	assert_int_equal(nx_clickhouse_sink_commit(sink, &err), NX_MISMATCH);
	assert_non_null(
		strstr(err.message, "has 2 rows of the profile in d.Warning but was given 1"));
	nx_clickhouse_sink_close(sink);
	nx_fake_http_stop(&fake);
}

static void replacing_marks_drops_and_begins(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "SELECT version()", 200, "v\nString\n18.16.1\n"},
		{.wants = "CREATE DATABASE", 200, ""},
		{.wants = "FROM system.tables",
		 200,
		 "n\te\nString\tString\nFlow\tMergeTree\nmine\tLog\n"},
		{.wants = "CREATE TABLE", 200, ""},
		{.wants = "FROM d.`ProfileIngest` WHERE profile = 'p'", 200, ROWS1("3")},
		{.wants = "state = 'replaced'", 200, ROWS1("0")},
		{.wants = "VALUES ('p', 'replaced'", 200, ""},
		{.wants = "ALTER TABLE d.`Flow` DROP PARTITION 'p'", 200, ""},
		{.wants = "ALTER TABLE d.`ProfileIngest` DROP PARTITION 'p'", 200, ""},
		{.wants = "state = 'begun'", 200, ROWS1("0")},
		{.wants = "VALUES ('p', 'begun'", 200, ""},
	};
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	nx_clickhouse_sink_close(open_sink(&fake, true, NX_OK));
	nx_fake_http_stop(&fake);
}

static void a_failure_sticks_and_is_told(void **state)
{
	static const struct nx_fake_step steps[] = {
		OPENING,
		FRESH,
		{.wants = "CREATE TABLE", 500, "Code: 497. DB::Exception: Not enough privileges"},
	};
	struct nx_clickhouse_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, false, NX_OK);
	put_warnings(sink, 10);
	assert_int_equal(nx_clickhouse_sink_commit(sink, &err), NX_PERMISSION);
	assert_non_null(strstr(err.message, "grant"));
	nx_clickhouse_sink_close(sink);
	nx_fake_http_stop(&fake);
}

static void a_failed_opening_leaves_nothing(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "SELECT version()", 200, "v\nString\n18.16.1\n"},
		{.wants = "CREATE DATABASE",
		 500,
		 "Code: 497. DB::Exception: Not enough privileges"},
	};
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	open_sink(&fake, false, NX_PERMISSION);
	nx_fake_http_stop(&fake);
	open_sink(&fake, false, NX_IO);
}

static void names_are_checked(void **state)
{
	char long_name[NX_CLICKHOUSE_PROFILE_BYTES_MAX + 2];
	struct nx_clickhouse_sink *sink;

	(void)state;
	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(nx_clickhouse_sink_open("clickhouse://h/d", "", NULL, &sink, &err),
			 NX_USAGE);
	assert_int_equal(nx_clickhouse_sink_open("clickhouse://h/d", "a\nb", NULL, &sink, &err),
			 NX_USAGE);
	assert_int_equal(nx_clickhouse_sink_open("clickhouse://h/d", long_name, NULL, &sink, &err),
			 NX_USAGE);
	assert_int_equal(nx_clickhouse_sink_open("duck://h/d", "p", NULL, &sink, &err), NX_USAGE);
	assert_null(sink);
}

static void shards_are_chosen_by_weight(void **state)
{
	struct nx_clickhouse_cluster cluster = {0};

	(void)state;
	nx_vec_push(&cluster.shard_ends, 1);
	nx_vec_push(&cluster.shard_ends, 1); /* a shard of weight 0 gets nothing */
	nx_vec_push(&cluster.shard_ends, 4);
	assert_int_equal(nx_clickhouse_cluster_shard(&cluster, 0), 0);
	assert_int_equal(nx_clickhouse_cluster_shard(&cluster, 1), 2);
	assert_int_equal(nx_clickhouse_cluster_shard(&cluster, 3), 2);
	assert_int_equal(nx_clickhouse_cluster_shard(&cluster, 4), 0);
	nx_clickhouse_cluster_close(&cluster);
}

static void a_strange_list_of_servers_is_refused(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "system.clusters WHERE cluster = 'c'",
		 200,
		 "a\tb\tc\nInt64\tInt64\tString\n"},
		{.wants = "system.clusters", 200, "a\tb\tc\nInt64\tInt64\tString\n1\t0\th\n"},
		{.wants = "system.clusters", 200, "a\nInt64\n1\n"},
	};
	static const enum nx_status wanted[] = {NX_NOT_FOUND, NX_NOT_FOUND, NX_FORMAT};
	struct nx_clickhouse_cluster cluster;
	struct nx_fake_http fake;
	char url[64];

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	snprintf(url, sizeof(url), "clickhouse://127.0.0.1:%u/d?cluster=c", fake.port);
	for (unsigned i = 0; i < COUNT(wanted); i++) {
		assert_int_equal(nx_clickhouse_cluster_open(&cluster, url, &err), wanted[i]);
		nx_clickhouse_cluster_close(&cluster);
	}
	nx_fake_http_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_push_is_begun_sent_counted_and_completed),
		cmocka_unit_test(a_wrong_count_is_not_completed),
		cmocka_unit_test(replacing_marks_drops_and_begins),
		cmocka_unit_test(a_failure_sticks_and_is_told),
		cmocka_unit_test(a_failed_opening_leaves_nothing),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(shards_are_chosen_by_weight),
		cmocka_unit_test(a_strange_list_of_servers_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
