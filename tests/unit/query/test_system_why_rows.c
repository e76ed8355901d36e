/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "query/system_why_rows.h"
#include "tests/unit/query/duckdb_fixture.h"

#define EVENT(name, source, process, start, end, attributes)                                       \
	"SELECT '" name "' AS name, '" source                                                      \
	"' AS trace_event_source, 'i-1' AS instance_id, " process "::BIGINT AS process_id, " start \
	"::BIGINT AS start_ts, " end "::BIGINT AS "                                                \
	"end_ts, '" attributes "' AS extra_attributes_json, row_number() OVER () AS id"
#define MEETING(number, rank) "{\"exec_id\":\"" number "\",\"nec_dev_id\":\"" rank "\"}"
#define AND " UNION ALL "

/*
 * Two ranks meet twice. Rank 0, process 7, comes at 10 and 50; rank 1, process 8, at 30 and 90.
 * Both leave at once and compute for 5; process 8 ends at 100.
 */
static void make_ranks(struct duckdb_fixture *f)
{
	fixture_make(
		f, "SystemProfileEvents.parquet",
		EVENT("main", "framework", "7", "0", "97",
		      "{}") AND EVENT("main", "framework", "8", "0", "100",
				      "{}") AND EVENT("augment", "framework", "8", "40", "85", "{}")
			AND EVENT("nrt_execute", "neuron_rt", "8", "25", "36", "{}") AND EVENT(
				"enc_barrier", "neuron_rt", "7", "10", "31",
				MEETING("1", "0")) AND EVENT("enc_barrier", "neuron_rt", "8", "30",
							     "31", MEETING("1", "1"))
				AND EVENT("nc_exec_running", "neuron_hw", "7", "31", "36", "{}")
					AND EVENT("nc_exec_running", "neuron_hw", "8", "31", "36",
						  "{}") AND EVENT("enc_barrier", "neuron_rt", "7",
								  "50", "91", MEETING("2", "0"))
						AND EVENT("enc_barrier", "neuron_rt", "8", "90",
							  "91", MEETING("2", "1"))
							AND EVENT("nc_exec_running", "neuron_hw",
								  "7", "91", "96", "{}")
								AND EVENT("nc_exec_running",
									  "neuron_hw", "8", "91",
									  "96", "{}"));
	fixture_make(f, "Step.parquet",
		     "SELECT 'train' AS name, 'train 3' AS label, 'i-1' AS instance_id, 8::BIGINT "
		     "AS process_id, -1::BIGINT AS event_id, 60::BIGINT AS duration_ns, false AS "
		     "is_outlier, false AS is_unfinished");
	fixture_open(f, NULL);
}

static int64_t time_of(const struct nx_system_parts *parts, int64_t process, const char *cause)
{
	for (size_t i = 0; i < parts->len; i++)
		if (parts->items[i].process == process && !strcmp(parts->items[i].cause, cause))
			return parts->items[i].time_ns;
	return 0;
}

static void the_path_follows_the_rank_that_comes_last(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_query_engine engine;
	struct nx_system_why why;

	make_ranks(f);
	engine = nx_duckdb_as_engine(f->db);
	if (nx_system_why_ask(&why, &engine, &f->err))
		fail_msg("%s", f->err.message);
	/* process 8 all the time: 0 to 100 */
	assert_int_equal(why.span_ns, 100);
	assert_int_equal(time_of(&why.path, 8, "execution"), 10);
	assert_int_equal(time_of(&why.path, 8, "other ranks"), 2);
	assert_int_equal(time_of(&why.path, 8, "runtime"), 5);
	assert_int_equal(time_of(&why.path, 8, "host"), 83);
	/* the other waited: 10 to 31 and 50 to 91 */
	assert_int_equal(time_of(&why.processes, 7, "other ranks"), 62);
	assert_int_equal(time_of(&why.processes, 7, "execution"), 10);
	assert_int_equal(time_of(&why.processes, 7, "host"), 25);
	nx_system_why_release(&why);
}

static void ranks_are_listed_by_how_long_others_waited(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_query_engine engine;
	struct nx_system_why why;

	make_ranks(f);
	engine = nx_duckdb_as_engine(f->db);
	assert_int_equal(nx_system_why_ask(&why, &engine, &f->err), NX_OK);
	assert_int_equal(why.ranks.len, 2);
	assert_int_equal(why.ranks.items[0].rank, 1);
	assert_int_equal(why.ranks.items[0].process, 8);
	assert_int_equal(why.ranks.items[0].last_count, 2);
	assert_int_equal(why.ranks.items[0].stall_ns, 60); /* 20 and 40 */
	assert_int_equal(why.ranks.items[0].slack_ns, 0);
	assert_int_equal(why.ranks.items[1].slack_ns, 60);
	assert_int_equal(why.ranks.items[1].observed_ns, 62);
	assert_int_equal(why.ranks.items[1].last_count, 0);
	/* while it held its device up, it was in main and in augment */
	assert_string_equal(why.host.items[0].name, "main");
	assert_int_equal(why.steps.count, 1);
	assert_string_equal(why.steps.slowest, "train 3");
	nx_system_why_release(&why);
}

static void a_device_profile_is_no_system(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_query_engine engine;
	struct nx_system_why why;

	fixture_make(f, "Summary.parquet", "SELECT 1 AS nothing_known");
	fixture_open(f, NULL);
	engine = nx_duckdb_as_engine(f->db);
	assert_int_equal(nx_system_why_ask(&why, &engine, &f->err), NX_NOT_FOUND);
	nx_system_why_release(&why);
}

#define WITH_PROFILE(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PROFILE(the_path_follows_the_rank_that_comes_last),
		WITH_PROFILE(ranks_are_listed_by_how_long_others_waited),
		WITH_PROFILE(a_device_profile_is_no_system),
	};

	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
