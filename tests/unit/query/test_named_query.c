/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "query/named_query.h"
#include "tests/unit/query/duckdb_fixture.h"

static const char *find_in(void *context, const char *name)
{
	const char *const *pairs = context;

	for (; pairs && *pairs; pairs += 2)
		if (!strcmp(pairs[0], name))
			return pairs[1];
	return NULL;
}

/* The SQL of a query, or the sentence of its refusal. */
static const char *render(const struct nx_named_query *query, const char *const *pairs)
{
	static struct nx_bytes sql;
	static struct nx_error err;

	nx_vec_clear(&sql);
	if (nx_named_query_append(&sql, query, find_in, (void *)pairs, &err)) {
		assert_int_equal(err.status, NX_USAGE);
		return err.message;
	}
	nx_bytes_append_zeros(&sql, 1);
	return (const char *)sql.items;
}

static void every_row_of_the_table_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_named_query_count; i++) {
		const struct nx_named_query *q = &nx_named_queries[i];

		assert_int_equal(strspn(q->name, "abcdefghijklmnopqrstuvwxyz_"), strlen(q->name));
		assert_ptr_equal(nx_named_query_find(q->name), q); /* names are unique */
		assert_true(!strcmp(q->kind, "device") || !strcmp(q->kind, "system"));
		assert_int_equal(q->help[strlen(q->help) - 1], '.');
		for (size_t p = 0; p < NX_NAMED_PARAMETERS_MAX && q->parameters[p].name; p++) {
			const struct nx_named_parameter *parameter = &q->parameters[p];
			char use[64];

			snprintf(use, sizeof(use), "$%s", parameter->name);
			assert_non_null(strstr(q->sql, use));
			assert_ptr_equal(nx_named_query_parameter(q,
								  nx_slice_text(parameter->name)),
					 parameter);
			assert_non_null(parameter->help);
			assert_int_equal(parameter->type == NX_NAMED_WORD,
					 parameter->words != NULL);
		}
		/* all placeholders are parameters, and all defaults fit */
		assert_memory_equal(render(q, NULL), q->sql, 4);
	}
	assert_null(nx_named_query_find("none"));
	assert_null(nx_named_query_parameter(&nx_named_queries[0], nx_slice_text("none")));
}

static const struct nx_named_query sample = {
	"sample",
	"device",
	"A sample.",
	{{"t", NX_NAMED_TIME, NULL, NULL, ""},
	 {"n", NX_NAMED_INTEGER, NULL, "7", ""},
	 {"name", NX_NAMED_TEXT, NULL, NULL, ""},
	 {"way", NX_NAMED_WORD, "up down", "up", ""}},
	"SELECT $t, $n, $name, $way, '$.x'",
};

#define RENDER(...) render(&sample, (const char *const[]){__VA_ARGS__, NULL})

static void values_are_checked_and_quoted(void **state)
{
	(void)state;
	assert_string_equal(render(&sample, NULL), "SELECT NULL, 7, NULL, 'up', '$.x'");
	assert_string_equal(RENDER("t", "1.5us", "n", "12", "name", "it's; $t", "way", "down"),
			    "SELECT 1500, 12, 'it''s; $t', 'down', '$.x'");
	assert_string_equal(RENDER("t", "-3"), "SELECT -3, 7, NULL, 'up', '$.x'");
	assert_non_null(strstr(RENDER("t", "1 OR true"), "'t'"));
	assert_string_equal(RENDER("n", "1 OR true"),
			    "'n' should be a whole number, not '1 OR true'");
	assert_non_null(strstr(RENDER("n", "-1"), "whole number"));
	assert_non_null(strstr(RENDER("n", "9999999999999999999"), "whole number"));
	assert_string_equal(RENDER("way", "u"), "'way' should be one of: up down; not 'u'");
	assert_non_null(strstr(RENDER("way", "up down"), "one of"));
	assert_non_null(strstr(RENDER("way", ""), "one of"));
}

/* --- numbers worked out by hand ------------------------------------------------------ */

/* A machine of 1e9 operations a second and a core, 1e9 bytes/s of HBM, two DMA engines of 500. */
static void make_machine(struct duckdb_fixture *f)
{
	fixture_make(f, "Metadata.parquet",
		     "SELECT 1::BIGINT AS tensor_engine_num_rows, 1::BIGINT AS "
		     "tensor_engine_num_cols, 0.5::FLOAT AS tensor_engine_clock_freq, "
		     "2::INTEGER AS num_physical_cores, 1e9::FLOAT AS hbm_ddr_bandwidth, "
		     "1e9::FLOAT AS dma_ddr_bandwidth, 2::INTEGER AS "
		     "num_dma_engines_per_neuroncore, 0::BIGINT AS first_hw_timestamp, "
		     "1000::BIGINT AS last_hw_timestamp");
	fixture_make(f, "Instruction.parquet",
		     "SELECT * FROM (VALUES (0::BIGINT, 400::BIGINT, 0::BIGINT, 150::BIGINT, "
		     "50::BIGINT, 60::BIGINT, 20::BIGINT, 10::BIGINT, 5::BIGINT), "
		     "(600, 700, 0, 50, 0, 40, 0, 0, 0)) t(start_ts, end_ts, pcore_idx, "
		     "tensor_elements, tensor_elements_transpose, hbm_read_bytes, hbm_write_bytes, "
		     "spill_reload_bytes, spill_save_bytes), (SELECT 200::BIGINT AS "
		     "adjusted_flops, 50::BIGINT AS adjusted_flops_transpose)");
	fixture_make(f, "ActiveTime.parquet",
		     "SELECT * FROM (VALUES ('tensor', 0::BIGINT, 0::BIGINT, 600::BIGINT), "
		     "('vector', 0, 100, 350)) t(engine, pcore_idx, start_ts, end_ts)");
	fixture_make(f, "Throttle.parquet",
		     "SELECT 0::BIGINT AS pcore_idx, 500::BIGINT AS \"timestamp\", 200::BIGINT AS "
		     "duration, 1::INTEGER AS k, 2::INTEGER AS n");
	fixture_make(f, "Summary.parquet",
		     "SELECT 1e-6::FLOAT AS total_time, 0.25::FLOAT AS mfu_estimated_percent, "
		     "0.25::FLOAT AS mfu_hlo_estimated_percent, 0.5::FLOAT AS "
		     "hfu_estimated_percent, 0.125::FLOAT AS mbu_estimated_percent, 3::FLOAT AS "
		     "mm_arithmetic_intensity, 100::BIGINT AS hbm_read_bytes, 20::BIGINT AS "
		     "hbm_write_bytes, 25::BIGINT AS spill_reload_bytes, 5::BIGINT AS "
		     "spill_save_bytes, 0::FLOAT AS dma_transfer_average_bytes");
	fixture_make(f, "DmaPacketAggregated.parquet",
		     "SELECT * FROM (VALUES (0::BIGINT, 100::BIGINT), (600, 300)) t(start_ts, "
		     "transfer_bytes)");
	fixture_make(f, "DmaPacket.parquet",
		     "SELECT * FROM (VALUES ('q', 0::BIGINT, 'data', 0::BIGINT, 200::BIGINT, "
		     "50::BIGINT), ('q', 0, 'data', 100, 300, 50), ('q', 1, 'input', 0, 500, 100)) "
		     "t(queue_name, engine_idx, queue_type, start_ts, end_ts, transfer_bytes), "
		     "(SELECT 0::BIGINT AS pcore_idx)");
	fixture_open(f, NULL);
}

static void assert_named(struct duckdb_fixture *f, const char *columns, const char *name,
			 const char *const *pairs, const char *wanted)
{
	char sql[16384];

	snprintf(sql, sizeof(sql), "SELECT %s FROM (%s)", columns,
		 render(nx_named_query_find(name), pairs));
	assert_answer(f, sql, wanted);
}

static void figures_of_the_whole_are_those_of_the_summary(void **state)
{
	make_machine(*state);
	assert_named(*state,
		     "round(span_ns), mfu_frac, mfu_source, hfu_frac, mbu_frac, flops_per_byte, "
		     "round(ridge_flops_per_byte, 6), useful_read_bytes, useful_write_bytes, "
		     "round(unused_bytes), useful_read_frac, average_dma_bytes",
		     "figures", NULL, "1000|0.25|hlo|0.5|0.125|3|2|75|15|880|0.75|NULL");
}

static void a_range_with_all_instructions_is_the_whole(void **state)
{
	static const char *const range[] = {"from", "0", "to", "700", NULL};
	static const char *const open[] = {"to", "900", NULL};
	static const char columns[] = "round(span_ns), mfu_frac, mfu_source, hfu_frac, "
				      "flops_per_byte";
	static const char wanted[] = "1000|0.25|hlo|0.5|3";

	make_machine(*state);
	assert_named(*state, columns, "figures", range, wanted);
	assert_named(*state, columns, "figures", open, wanted);
	assert_named(*state, "engine, round(other_active_frac + throttled_active_frac, 9)",
		     "utilisation", range, "Tensor|0.2\nVector|0.25");
}

static void figures_of_a_range_come_from_its_instructions(void **state)
{
	static const char *const range[] = {"from", "0", "to", "500", NULL};
	static const char *const empty[] = {"from", "800", "to", "900", NULL};

	/* 500 ns: 1,000 operations on two cores, 500 bytes */
	make_machine(*state);
	assert_named(*state,
		     "span_ns, mfu_frac, mfu_source, hfu_frac, mbu_frac, flops_per_byte, "
		     "useful_read_bytes, spill_reload_bytes, unused_bytes, average_dma_bytes",
		     "figures", range, "500|0.2|instructions|0.3|0.16|2.5|50|10|420|100");
	assert_named(*state, "span_ns, mfu_frac, mbu_frac, flops_per_byte, useful_read_frac",
		     "figures", empty, "100|NULL|0|NULL|NULL");
}

/* 0 to 30 and 20 to 40 overlap, 25 to 35 lies inside, 90 to 100 comes later */
static void time_of_a_layer_is_that_in_which_it_ran(void **state)
{
	struct duckdb_fixture *f = *state;

	fixture_make(f, "Instruction.parquet",
		     "SELECT *, end_ts - start_ts AS duration_ns, 'Vector' AS engine, 0::BIGINT AS "
		     "tensor_elements, 0::BIGINT AS tensor_elements_transpose FROM (VALUES "
		     "('a/x', 0::BIGINT, 30::BIGINT), ('a/y', 20, 40), ('a/y', 25, 35), "
		     "('a/x', 90, 100), ('b', 5, 6)) t(layer, start_ts, end_ts)");
	fixture_open(f, NULL);
	assert_named(f, "name, busy_ns, span_ns, instruction_time_ns", "layers",
		     (const char *const[]){"depth", "1", NULL}, "a|50|100|70\nb|1|1|1");
	assert_named(f, "name, busy_ns, span_ns", "layers", NULL, "a/x|40|100\nb|1|1\na/y|20|20");
}

static void utilisation_adds_up_to_one(void **state)
{
	static const char *const range[] = {"from", "300", "to", "500", NULL};

	/* of 1,000 operations 400 are done, 100 of them transposes; the limit of a half holds
	 * 100 ns of active and 100 ns of idle time */
	make_machine(*state);
	assert_named(*state,
		     "engine, core, model_frac, transpose_frac, round(other_active_frac, 9), "
		     "throttled_active_frac, throttled_idle_frac, round(unused_frac, 9)",
		     "utilisation", NULL,
		     "Tensor|0|0.3|0.1|0.15|0.05|0.05|0.35\n"
		     "Vector|0|0|0|0.25|0|0|0.75");
	assert_named(*state, "engine, round(other_active_frac, 9), unused_frac", "utilisation",
		     range, "Tensor|1|0\nVector|0.25|0.75");
}

static void dma_engines_are_busy_beyond_what_they_move(void **state)
{
	static const char *const by_engine[] = {"by", "engine", "split", "source", NULL};

	/* the queue's two engines could move 1,000 bytes, and are busy 300 and 500 ns of 1,000 */
	make_machine(*state);
	assert_named(*state, "label, kind, round(frac, 9)", "dma_utilisation", NULL,
		     "q|data|0.1\nq|io|0.1\nq|busy|0.2");
	assert_named(*state, "label, kind, round(frac, 9)", "dma_utilisation", by_engine,
		     "E0|static|0.2\nE0|busy|0.1\nE1|static|0.2\nE1|busy|0.3");
}

#define WITH_PROFILE(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_of_the_table_is_complete),
		cmocka_unit_test(values_are_checked_and_quoted),
		WITH_PROFILE(figures_of_the_whole_are_those_of_the_summary),
		WITH_PROFILE(a_range_with_all_instructions_is_the_whole),
		WITH_PROFILE(time_of_a_layer_is_that_in_which_it_ran),
		WITH_PROFILE(figures_of_a_range_come_from_its_instructions),
		WITH_PROFILE(utilisation_adds_up_to_one),
		WITH_PROFILE(dma_engines_are_busy_beyond_what_they_move),
	};

	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
