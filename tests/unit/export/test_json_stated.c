/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "export_fixture.h"
#include "model/metrics.h"

static void stack_frames_are_resolved(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *files[] = {"model.py"}, *functions[] = {"forward"};
	struct nx_source_location places[] = {{1, 1, 57}};
	struct nx_stack_frame frames[] = {{0, 0}, {1, 1}};

	f->p.binary.stack = (struct nx_stack){files, functions, 1, 1, places, 1, frames, 2};
	assert_int_equal(nx_json_stack_frames(&f->w, &f->p), 2);
	assert_string_equal(nx_export_fixture_text(f),
			    "[{\"id\":1},{\"id\":2,\"function_name\":\"forward\","
			    "\"file_name\":\"model.py\",\"line_number\":57,"
			    "\"parent_frame_id\":1}]");
}

static void numbers_take_the_forms_of_their_kind(void **state)
{
	struct nx_export_fixture *f = *state;

	nx_vec_push(
		&f->p.metrics,
		((struct nx_metric){.name = "a", .kind = NX_METRIC_COUNT, .count = UINT64_MAX}));
	nx_vec_push(&f->p.metrics, ((struct nx_metric){.name = "b",
						       .kind = NX_METRIC_NUMBER,
						       .number = 0.000002754996}));
	nx_vec_push(&f->p.metrics,
		    ((struct nx_metric){.name = "c", .kind = NX_METRIC_NUMBER, .number = 1e-7}));
	nx_vec_push(&f->p.metrics,
		    ((struct nx_metric){.name = "d", .kind = NX_METRIC_TEXT, .text = "x\"y"}));
	nx_json_summary(&f->w, &f->p);
	assert_string_equal(nx_export_fixture_text(f),
			    "{\"a\":18446744073709551615,\"b\":0.000002754996,\"c\":1e-7,"
			    "\"d\":\"x\\\"y\",\"profiler_version\":\"" NX_PRODUCT_VERSION "\"}");
}

#define IDLE(word)                                                                                 \
	"\"" word "_engine_instruction_count\":0,\"" word "_engine_instruction_time\":0,\"" word   \
	"_engine_active_time\":0,\"" word "_engine_active_percent\":0,"

static void layers_have_times_shares_and_flops(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_layer row = {.name = "", .start_ps = 1500, .end_ps = 5500};

	/* 1 us of the peak of 2 * 128 * 128 * 2.4e9 per second is 78643200 */
	row.engines[NX_ENGINE_TENSOR].instruction_count = 2;
	row.engines[NX_ENGINE_TENSOR].instruction_ps = 2999;
	row.engines[NX_ENGINE_TENSOR].active_ps = 1000;
	row.flop_count = 78643200;
	row.model_flop_count = 39321600;
	row.tensor_span_ps = 2000000;
	nx_vec_push(&f->p.layers, row);
	row = (struct nx_layer){.name = "mlp", .start_ps = 7, .end_ps = 7, .flop_count = 0};
	nx_vec_push(&f->p.layers, row);
	assert_int_equal(nx_json_layer_summary(&f->w, &f->p), 2);
	assert_string_equal(
		nx_export_fixture_text(f),
		"[{\"name\":\"/sg00\",\"fully_qualified_subgraph\":\"/sg00\",\"start\":1,"
		"\"end\":5,\"duration\":4,\"tensor_engine_instruction_count\":2,"
		"\"tensor_engine_instruction_time\":2,\"tensor_engine_active_time\":1,"
		"\"tensor_engine_active_percent\":0.25," IDLE("scalar") IDLE("gpsimd") IDLE(
			"vector")
			IDLE("sync") "\"tensor_engine_flop_count\":78643200,"
				     "\"tensor_engine_model_flop_count\":39321600,\"tensor_engine_"
				     "hfu\":0.5,"
				     "\"tensor_engine_mfu\":0.25},"
				     "{\"name\":\"/sg00/mlp\",\"fully_qualified_subgraph\":\"/"
				     "sg00\",\"start\":0,"
				     "\"end\":0,\"duration\":0," IDLE("tensor") IDLE("scalar")
					     IDLE("gpsimd") IDLE("vector") IDLE(
						     "sync") "\"tensor_engine_flop_count\":0,"
							     "\"tensor_engine_model_flop_count\":0,"
							     "\"tensor_engine_hfu\":0,\"tensor_"
							     "engine_mfu\":0}]");
}

static void the_model_counts_its_traces(void **state)
{
	struct nx_export_fixture *f = *state;

	f->p.graphs[0] = (struct nx_graph_counts){{1, 2, 3, 4, 5}, 10, 20, 2, 1000000000};
	assert_int_equal(nx_json_model_info(&f->w, &f->p), 1);
	assert_string_equal(
		nx_export_fixture_text(f),
		"[{\"sg_name\":\"sg00\",\"nd_idx\":0,\"nc_idx\":4,\"dma_queue_count\":2,"
		"\"event_count\":10,\"tensor_engine_instruction_count\":1,"
		"\"scalar_engine_instruction_count\":2,\"gpsimd_engine_instruction_count\":3,"
		"\"vector_engine_instruction_count\":4,\"sync_engine_instruction_count\":5,"
		"\"trace_count\":47,\"neuroncore_cycle_count\":1200000}]");
}

static void memory_ends_with_its_total(void **state)
{
	struct nx_export_fixture *f = *state;

	f->p.capture.graph_count = 2;
	f->graphs[1].memory_count = 0;
	assert_int_equal(nx_json_memory_usage(&f->w, &f->p), 3);
	assert_string_equal(nx_export_fixture_text(f),
			    "[{\"nd\":0,\"nc\":4,\"usage_type\":\"Weights\",\"amount_bytes\":4096},"
			    "{\"nd\":0,\"nc\":4,\"usage_type\":\"Total\",\"amount_bytes\":4096},"
			    "{\"nd\":0,\"nc\":4,\"usage_type\":\"Total\",\"amount_bytes\":0}]");
}

static void the_last_declaration_stands_for_a_queue(void **state)
{
	struct nx_export_fixture *f = *state;

	assert_int_equal(nx_json_queues(&f->w, &f->p), 1);
	assert_string_equal(nx_export_fixture_text(f),
			    "[{\"q_name\":\"qSyncIO\",\"q_idx\":2,\"q_eng_idx\":65,"
			    "\"q_type\":\"input\",\"q_event_id\":-1,\"q_axi_port\":5,"
			    "\"q_dram_channel\":6,\"subgraph\":\"sg00\"}]");
}

/* Quadratic work would take minutes here. */
static void many_declarations_are_no_trouble(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_graph *graph = &f->graphs[0];
	size_t count = 300000;

	graph->queues = NX_NEW_ARRAY(&f->p.arena, struct nx_queue, count);
	graph->queue_count = count;
	for (size_t i = 0; i < count; i++) {
		graph->queues[i].name = nx_arena_printf(&f->p.arena, "queue-%zu", i / 2);
		graph->queues[i].display_name = "q";
	}
	assert_int_equal(nx_json_queues(&f->w, &f->p), count / 2);
}

static void collectives_are_listed(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_collective_op op = {2, -1, "ring", 99, 7, 10};

	f->graphs[0].collective_ops = &op;
	f->graphs[0].collective_op_count = 1;
	assert_int_equal(nx_json_collectives(&f->w, &f->p), 1);
	assert_string_equal(nx_export_fixture_text(f),
			    "[{\"op_id\":0,\"operation\":2,\"algorithm_id\":-1,"
			    "\"algorithm\":\"ring\",\"num_elements\":99,\"comm_id\":7,"
			    "\"dtype\":10}]");
}

static void the_neff_is_all_text(void **state)
{
	struct nx_export_fixture *f = *state;

	nx_json_neff_header(&f->w, &f->p);
	assert_string_equal(nx_export_fixture_text(f),
			    "[{\"package_version\":\"2\",\"uuid\":\"00ff\"}]");
	assert_int_equal(nx_json_neff_nodes(&f->w, &f->p), 3);
	assert_string_equal(
		nx_export_fixture_text(f),
		"[{\"sg_name\":\"sg00\",\"node\":\"1\",\"variable_name\":\"\",\"type\":\"\","
		"\"format\":\"\",\"shape\":\"\"},"
		"{\"sg_name\":\"\",\"variable_name\":\"x\",\"type\":\"IN\",\"format\":\"NC\","
		"\"shape\":\"[2 3]\",\"size\":\"12\"},"
		"{\"sg_name\":\"\",\"variable_name\":\"w\",\"type\":\"WEIGHT\",\"format\":\"\","
		"\"shape\":\"[4]\",\"size\":\"8\",\"load_to_sbuf_dma_count\":\"2\","
		"\"load_to_sbuf_total_size_bytes\":\"20\",\"load_to_sbuf_avg_size_bytes\":\"10\","
		"\"load_to_sbuf_repeat_factor\":\"2.5\"}]");
}

static void the_profile_tells_where_it_came_from(void **state)
{
	struct nx_export_fixture *f = *state;

	nx_json_profile_info(&f->w, &f->p);
	assert_string_equal(nx_export_fixture_text(f),
			    "[{\"profile_name\":\"session\",\"ntff_filename\":\"in/session.ntff\","
			    "\"neff_name\":\"in/model.neff\",\"profile_type\":\"normal\","
			    "\"cc_only\":false,\"profiler_version\":\"" NX_PRODUCT_VERSION
			    "\",\"profiler_build_time\":\"\"}]");
	f->p.has_binary = false;
	nx_json_profile_info(&f->w, &f->p);
	assert_non_null(strstr(nx_export_fixture_text(f), "\"neff_name\":\"\""));
}

static void warnings_are_pairs(void **state)
{
	struct nx_export_fixture *f = *state;

	nx_profile_warn(&f->p, "Missing Data", "%d things", 3);
	nx_json_warnings(&f->w, &f->p.warnings);
	assert_string_equal(nx_export_fixture_text(f),
			    "[{\"category\":\"Missing Data\",\"message\":\"3 things\"}]");
}

static void groups_follow_the_cores(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_json *root;
	const char *groups, *order;

	f->p.capture.graph_count = 2;
	nx_json_summary_groups(&f->w, &f->p);
	groups = nx_export_fixture_text(f);
	assert_int_equal(nx_json_parse(nx_slice_text(groups), &f->p.arena, &root, &f->err), NX_OK);
	assert_int_equal(root->children[0].count, nx_metric_count + 2 * nx_core_metric_count);
	assert_non_null(strstr(groups, "\"throttle_active_nc1_time_ns\":\"throttling_nc1\""));
	assert_null(strstr(groups, "%u"));
	nx_json_summary_group_order(&f->w, &f->p);
	order = nx_export_fixture_text(f);
	assert_non_null(strstr(order, "\"overall_stats\":0"));
	assert_non_null(strstr(order, "\"throttling_nc0\":11,\"throttling_nc1\":12"));
	assert_non_null(strstr(order, "\"server_upload\":13"));
	nx_json_terminology(&f->w, &f->p);
	assert_null(strstr(nx_export_fixture_text(f), "%u"));
}

static void metadata_ends_with_the_window(void **state)
{
	struct nx_export_fixture *f = *state;

	f->p.capture.total_time_ps = UINT64_C(61500000000000); /* 61.5 s */
	nx_json_metadata(&f->w, &f->p, 42);
	assert_string_equal(
		nx_export_fixture_text(f),
		"[{\"ntff_version\":6,\"data_version\":8,\"num_subgraphs\":1,"
		"\"num_physical_cores\":1,\"vnc_enabled\":false,\"is_ext\":true,"
		"\"is_simulation\":false,\"ticks_per_nanosec\":1000,\"first_hw_timestamp\":0,"
		"\"last_hw_timestamp\":61500000000,\"first_ts\":\"1970-01-01T00:00:00Z\","
		"\"last_ts\":\"1970-01-01T00:01:01.5Z\",\"pe_num_rows\":128,\"pe_num_cols\":128,"
		"\"pe_clock_freq\":2.4,\"pe_clock_others\":1.2,"
		"\"hbm_ddr_bandwidth\":716000000000,\"dma_ddr_bandwidth\":435000000000,"
		"\"total_point_count\":42}]");
}

static void a_simulation_says_so(void **state)
{
	struct nx_export_fixture *f = *state;

	f->p.capture.is_simulation = true;
	nx_json_metadata(&f->w, &f->p, 0);
	assert_non_null(strstr(nx_export_fixture_text(f), "\"is_simulation\":true"));
}

static void without_a_window_the_last_instruction_ends_it(void **state)
{
	struct nx_export_fixture *f = *state;

	f->p.capture.has_window_end = false;
	f->p.last_end_ps = 1234567;
	nx_json_metadata(&f->w, &f->p, 0);
	assert_non_null(strstr(nx_export_fixture_text(f),
			       "\"last_hw_timestamp\":1234,\"first_ts\":\"1970-01-01T00:00:00Z\","
			       "\"last_ts\":\"1970-01-01T00:00:00.000001234Z\""));
	f->p.last_end_ps = UINT64_MAX; /* the year 1970 is long enough for any capture */
	nx_json_metadata(&f->w, &f->p, 0);
	assert_non_null(strstr(nx_export_fixture_text(f), "\"last_ts\":\"1970-08-02T"));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_export_fixture_setup, nx_export_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stack_frames_are_resolved),
		TEST(numbers_take_the_forms_of_their_kind),
		TEST(layers_have_times_shares_and_flops),
		TEST(the_model_counts_its_traces),
		TEST(memory_ends_with_its_total),
		TEST(the_last_declaration_stands_for_a_queue),
		TEST(many_declarations_are_no_trouble),
		TEST(collectives_are_listed),
		TEST(the_neff_is_all_text),
		TEST(the_profile_tells_where_it_came_from),
		TEST(warnings_are_pairs),
		TEST(groups_follow_the_cores),
		TEST(metadata_ends_with_the_window),
		TEST(a_simulation_says_so),
		TEST(without_a_window_the_last_instruction_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
