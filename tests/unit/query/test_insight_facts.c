/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "query/insight_facts.h"
#include "tests/unit/query/duckdb_fixture.h"

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static void assert_details(const struct nx_insight_facts *facts)
{
	const struct nx_fact_detail *startup = &facts->details[NX_FINDING_STARTUP];
	const struct nx_fact_detail *step = &facts->details[NX_FINDING_STEP];

	assert_true(is_near(startup->gain_frac, 0.05) && startup->is_replayed);
	assert_true(is_near(facts->startup_frac, 0.21)); /* of the path */
	assert_int_equal(startup->from_ns, 7);
	assert_int_equal(startup->to_ns, 12);
	assert_string_equal(startup->place, "queue q7");
	/* of two scenarios the larger gain */
	assert_true(is_near(facts->details[NX_FINDING_SMALL_DMA].gain_frac, 0.08));
	assert_true(isnan(facts->details[NX_FINDING_TRANSPOSE].gain_frac));
	/* 250 of 1449 ns beyond the median of 100 */
	assert_true(is_near(step->gain_frac, 250.0 / 1449) && !step->is_replayed);
	assert_string_equal(step->place, "train 350 of process 7 on i-1");
}

static void what_a_profile_has_is_known(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_insight_facts facts;
	struct nx_query_engine engine;

	fixture_make(f, "Summary.parquet",
		     "SELECT 0.2::FLOAT AS mfu_estimated_percent, 0.5::FLOAT AS "
		     "tensor_engine_active_time_percent, 30::BIGINT AS transpose_flops, "
		     "120::BIGINT AS hardware_flops, 10::BIGINT AS spill_reload_bytes, 0::BIGINT "
		     "AS hbm_read_bytes, 0.75::FLOAT AS dma_active_time_percent, 2048::FLOAT AS "
		     "dma_transfer_average_bytes");
	fixture_make(f, "ThrottleSummary.parquet",
		     "SELECT * FROM (VALUES ('all', 0.3::FLOAT, 0.9::FLOAT), ('all', 0.4, 0.8), "
		     "('all', 0.9, 1), ('activity_0', 0.99, 0.1)) t(throttle_type, "
		     "throttle_active_time_percent, max_achievable_util_with_throttling_percent)");
	fixture_make(
		f, "Instruction.parquet",
		"SELECT * FROM (VALUES ('Tensor', 30::BIGINT, 'k.py:1'), "
		"('Tensor', 10, NULL), ('Vector', 5, NULL), ('Scalar', 0, 'k.py:2')) t(engine, "
		"duration_ns, nki_source_location)");
	fixture_make(f, "CcOp.parquet",
		     "SELECT 'AllReduce' AS operation, 8::BIGINT AS input_size, '[0]' AS "
		     "replica_group, d AS duration_ns, 0::BIGINT AS start_ts, d AS end_ts FROM "
		     "(VALUES (10::BIGINT), (10), (60)) t(d) UNION ALL SELECT 'AllGather', 8, "
		     "'[0]', 1000, 0, 1000");
	fixture_make(f, "ExecutionGapSummary.parquet",
		     "SELECT * FROM (VALUES (13::BIGINT, 190::BIGINT, true), (1, 90, false)) "
		     "t(first_quarter_median_ns, last_quarter_median_ns, is_growing)");
	fixture_make(f, "Step.parquet",
		     "SELECT 'train' AS name, concat('train ', d) AS label, 'i-1' AS instance_id, "
		     "7::BIGINT AS process_id, 10::BIGINT AS start_ts, 10::BIGINT + d AS end_ts, "
		     "d::BIGINT AS duration_ns, o AS is_outlier FROM (VALUES (100, false), (350, "
		     "true), (999, false)) t(d, o)");
	fixture_make(f, "WhySummary.parquet", "SELECT 1000::BIGINT AS span_ps");
	fixture_make(f, "WhatIf.parquet",
		     "SELECT * FROM (VALUES ('no DMA start-up', 50::BIGINT, 210::BIGINT), "
		     "('transfers at link rate', 80, 90), ('no throttling', 0, 5)) t(scenario, "
		     "gain_ps, path_ps)");
	fixture_make(f, "CriticalPath.parquet",
		     "SELECT 'DMA start-up' AS cause, 'Sync' AS engine, 'DMA' AS opcode, 'q' || d "
		     "AS queue_name, d::BIGINT AS "
		     "start_ts, d::BIGINT + 5 AS end_ts, d::BIGINT AS duration_ps FROM (VALUES "
		     "(3), (7), (5)) t(d)");
	fixture_make(f, "StepSummary.parquet",
		     "SELECT * FROM (VALUES ('train', 'i-1', 7::BIGINT, 100::BIGINT, 3::BIGINT, "
		     "0.5::FLOAT, 0::BIGINT), ('train', 'i-1', 8, 100, 1, 0.1, 25), ('eval', "
		     "'i-1', 7, 50, 9, NULL, NULL)) t(name, instance_id, process_id, "
		     "median_duration_ns, step_count, host_bound_frac, median_late_ns)");
	fixture_open(f, NULL);
	engine = nx_duckdb_as_engine(f->db);
	if (nx_insight_facts_ask(&facts, &engine, &f->err))
		fail_msg("%s", f->err.message);
	assert_true(is_near(facts.model_flops_frac, 0.2));
	assert_true(is_near(facts.tensor_active_frac, 0.5));
	assert_true(is_near(facts.transpose_frac, 0.25));
	assert_true(isnan(facts.spill_reload_frac)); /* nothing was read */
	assert_true(is_near(facts.dma_average_bytes, 2048));
	assert_true(is_near(facts.throttled_frac, 0.4)); /* a limit of all cycles is none */
	assert_true(is_near(facts.nki_frac[NX_NKI_TENSOR], 0.75));
	assert_true(isnan(facts.nki_frac[NX_NKI_VECTOR]) || facts.nki_frac[NX_NKI_VECTOR] == 0);
	assert_true(isnan(facts.nki_frac[NX_NKI_SCALAR]));
	assert_true(is_near(facts.worst_collective, 6)); /* one alone has no like */
	assert_true(is_near(facts.gap_growth, 190.0 / 13));
	assert_true(is_near(facts.worst_step, 3.5));
	assert_true(is_near(facts.late_frac, 0.25));
	assert_true(is_near(facts.host_bound_frac, 0.4)); /* 3 steps of 0.5, 1 of 0.1 */
	assert_details(&facts);
}

static void what_is_missing_is_not_known(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_insight_facts facts;
	struct nx_insight_rows rows;
	struct nx_query_engine engine;
	struct nx_arena arena = {0};

	fixture_make(f, "Summary.parquet", "SELECT 1 AS nothing_known");
	fixture_open(f, NULL);
	engine = nx_duckdb_as_engine(f->db);
	assert_int_equal(nx_insight_facts_ask(&facts, &engine, &f->err), NX_OK);
	assert_true(isnan(facts.model_flops_frac) && isnan(facts.throttled_frac) &&
		    isnan(facts.worst_collective) && isnan(facts.nki_frac[0]));
	assert_int_equal(nx_insight_rows_ask(&rows, &engine, 0, 100, &arena, &f->err), NX_OK);
	assert_int_equal(rows.bands.len, 0);
	nx_insight_rows_release(&rows);
	nx_arena_release(&arena);
}

static void make_rows(struct duckdb_fixture *f)
{
	fixture_make(f, "Throttle.parquet",
		     "SELECT 10::BIGINT AS timestamp, 20::BIGINT AS duration, 4 AS k, 8 AS n, "
		     "'activity_1' AS type, 1::BIGINT AS pcore_idx UNION ALL SELECT 30, 5, 8, 8, "
		     "'activity_0', 1");
	fixture_make(f, "TensorInfo.parquet",
		     "SELECT * FROM (VALUES ('w', 3::FLOAT, 300::BIGINT), ('x', 2, 900)) "
		     "t(variable_name, load_to_sbuf_repeat_factor, load_to_sbuf_total_size_bytes)");
	fixture_make(
		f, "DmaPacketAggregated.parquet",
		"SELECT * FROM (VALUES ('w', 0::BIGINT, 5::BIGINT), ('x', 1, 9), ('w', 50, 60))"
		" t(variable, start_ts, end_ts)");
	fixture_make(f, "CoreBarriers.parquet",
		     "SELECT * FROM (VALUES (1::BIGINT, 5::BIGINT, 9::BIGINT), (1, 4, 7), (2, 20, "
		     "21)) t(id, start_ts, end_ts)");
	fixture_make(f, "CcOp.parquet",
		     "SELECT 'AllReduce' AS operation, 8::BIGINT AS input_size, '[0]' AS "
		     "replica_group, 5::BIGINT AS duration_ns, 70::BIGINT AS start_ts, 75::BIGINT "
		     "AS end_ts");
	fixture_make(f, "DmaPacket.parquet",
		     "SELECT i AS start_ts, CASE WHEN i < 100 THEN 64 ELSE 4096 END::BIGINT AS "
		     "transfer_bytes FROM range(200) r(i)");
}

static void stretches_of_time_come_as_they_are_stored(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_insight_rows rows;
	struct nx_query_engine engine;
	struct nx_arena arena = {0};
	size_t counts[NX_BAND_KIND_COUNT] = {0};

	make_rows(f);
	fixture_open(f, NULL);
	engine = nx_duckdb_as_engine(f->db);
	if (nx_insight_rows_ask(&rows, &engine, 0, 200, &arena, &f->err))
		fail_msg("%s", f->err.message);
	for (size_t i = 0; i < rows.bands.len; i++)
		counts[rows.bands.items[i].kind]++;
	assert_int_equal(counts[NX_BAND_THROTTLING], 1);
	assert_int_equal(counts[NX_BAND_RELOAD], 2);
	assert_int_equal(counts[NX_BAND_BARRIER], 2);
	assert_int_equal(counts[NX_BAND_COLLECTIVE], 1);
	assert_int_equal(rows.bands.items[0].start_ns, 10);
	assert_int_equal(rows.bands.items[0].end_ns, 30);
	assert_true(is_near(rows.bands.items[0].weight, 10));
	assert_string_equal(rows.subjects.items[0].name, "activity_1 on core 1");
	assert_int_equal(rows.dma_parts[0].count, 1);
	assert_int_equal(rows.dma_parts[0].small_count, 1);
	assert_int_equal(rows.dma_parts[199].count, 1);
	assert_int_equal(rows.dma_parts[199].small_count, 0);
	nx_insight_rows_release(&rows);
	nx_arena_release(&arena);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)
	const struct CMUnitTest tests[] = {
		CASE(what_a_profile_has_is_known),
		CASE(what_is_missing_is_not_known),
		CASE(stretches_of_time_come_as_they_are_stored),
	};

	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
