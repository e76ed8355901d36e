/* SPDX-License-Identifier: Apache-2.0 */
/* A profile of one millisecond whose numbers are chosen so that every metric can be checked
 * by head. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/summary.h"

struct fixture {
	struct nx_profile p;
	struct nx_graph graph;
	struct nx_tensor tensors[3];
	struct nx_activity a;
	struct nx_throttle_sums throttles;
};

static void busy(struct nx_span_union *u, uint64_t length_ps)
{
	nx_span_union_cover(u, 0, length_ps);
}

static void fill_capture(struct fixture *f)
{
	struct nx_capture *c = &f->p.capture;

	f->graph = (struct nx_graph){
		.nd_idx = 1, .nc_idx = 4, .queue_count = 3, .collective_op_count = 2};
	c->graphs = &f->graph;
	c->graph_count = 1;
	c->hardware = nx_hardware_of(NX_ARCH_V3);
	c->total_time_ps = 1000000000;
	c->instance_type = "trn2.3xlarge";
	c->runtime_version = "1.2.3 (abc)";
	c->driver_version = "4.5.6 (def)";
	c->collectives_version = "7.8.9 (012)";
	f->p.graphs[0] = (struct nx_graph_counts){
		{1, 2, 3, 4, 5}, .event_count = 10, .packet_count = 20, .transfer_count = 2};
	f->p.last_end_ps = 400000000;
	nx_vec_push(&f->p.transfers,
		    ((struct nx_transfer){.start_ps = 0, .end_ps = 1000000, .size_bytes = 100}));
	nx_vec_push(&f->p.transfers,
		    ((struct nx_transfer){.start_ps = 500, .end_ps = 3000500, .size_bytes = 201}));
}

static void fill_binary(struct fixture *f)
{
	f->tensors[0] = (struct nx_tensor){.kind = NX_TENSOR_INPUT, .size_bytes = 100};
	f->tensors[1] = (struct nx_tensor){.kind = NX_TENSOR_OUTPUT, .size_bytes = 200};
	f->tensors[2] = (struct nx_tensor){.kind = NX_TENSOR_WEIGHT, .size_bytes = 616};
	f->p.has_binary = true;
	f->p.binary.compiler_version = "2.20";
	f->p.binary.tensors = f->tensors;
	f->p.binary.tensor_count = 3;
	f->p.binary.hlo_mac_count = UINT64_C(3932160000);
}

static void fill_activity(struct nx_activity *a)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		a->engines[e].instruction_count = e + 11;
		a->engines[e].instruction_ps = (e + 1) * UINT64_C(200000000);
		busy(&a->engines[e].busy, (e + 1) * UINT64_C(100000000));
	}
	a->dma[NX_DMA_STATIC] = (struct nx_dma_activity){.packet_count = 10, .size_bytes = 1000};
	busy(&a->dma[NX_DMA_STATIC].busy, 100000000);
	a->dma[NX_DMA_HARDWARE_DYNAMIC] =
		(struct nx_dma_activity){.packet_count = 30, .size_bytes = 3000};
	busy(&a->dma[NX_DMA_HARDWARE_DYNAMIC].busy, 200000000);
	busy(&a->dma_busy, 500000000);
	busy(&a->all_busy, 800000000);
	a->packet_count = 40;
	a->packet_ps = 300000000;
	a->packet_bytes = 4000;
	a->matmul_count = 7;
	a->activate_count = 8;
	a->activate_ps = 200000000;
	a->flop_count = UINT64_C(39321600000);
	a->transpose_flop_count = UINT64_C(19660800000);
	a->sbuf_read_bytes = 21;
	a->sbuf_write_bytes = 22;
	a->psum_read_bytes = 23;
	a->psum_write_bytes = 24;
	a->hbm_read_bytes = 300000000;
	a->hbm_write_bytes = 416000000;
	a->eviction_bytes = 27;
	a->eviction_count = 28;
	a->spill_save_bytes = 5;
	a->spill_reload_bytes = 6;
	a->input_queue_bytes = 31;
	a->output_queue_bytes = 32;
	a->weight_queue_bytes = 33;
	a->trigger_count = 1;
}

static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));
	struct nx_throttle limited = {.end_ps = 100000000, .k = 6, .n = 8, .type = 1};
	struct nx_throttle unknown = {
		.start_ps = 100000000, .end_ps = 300000000, .k = 1, .n = 1, .type = 99};

	memset(f, 0, sizeof(*f));
	fill_capture(f);
	fill_binary(f);
	fill_activity(&f->a);
	nx_throttle_sums_add(&f->throttles, &limited);
	nx_throttle_sums_add(&f->throttles, &unknown);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->p.metrics);
	nx_vec_release(&f->p.transfers);
	nx_arena_release(&f->p.arena);
	nx_heap_free(f);
	return 0;
}

static const struct nx_metric *metric(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->p.metrics.len; i++)
		if (!strcmp(f->p.metrics.items[i].name, name))
			return &f->p.metrics.items[i];
	return NULL;
}

static const struct {
	const char *name;
	uint64_t want;
} counts[] = {
	{"activate_instruction_count", 8},
	{"cc_cores_instruction_count", 0},
	{"cc_op_count", 2},
	{"dma_active_cycles", 600000},
	{"dma_queue_count", 3},
	{"dma_transfer_average_bytes", 150},
	{"dma_transfer_count", 2},
	{"dma_transfer_total_bytes", 301},
	{"event_count", 10},
	{"gpsimd_engine_instruction_count", 13},
	{"hardware_dynamic_dma_packet_count", 30},
	{"hardware_dynamic_dma_size", 3000},
	{"hardware_flops", UINT64_C(39321600000)},
	{"hbm_read_bytes", 300000000},
	{"hbm_write_bytes", 416000000},
	{"input_queue_bytes", 31},
	{"inputs_and_weights_size_bytes", 716},
	{"inputs_outputs_weights_size_bytes", 916},
	{"matmul_instruction_count", 7},
	{"model_flops", UINT64_C(7864320000)},
	{"nc_idx", 4},
	{"nd_idx", 1},
	{"neuroncore_cycle_count", 1200000},
	{"output_queue_bytes", 32},
	{"psum_read_bytes", 23},
	{"psum_read_sbuf_write_bytes", 27},
	{"psum_read_sbuf_write_count", 28},
	{"psum_write_bytes", 24},
	{"sbuf_read_bytes", 21},
	{"sbuf_write_bytes", 22},
	{"scalar_engine_instruction_count", 12},
	{"spill_reload_bytes", 6},
	{"spill_save_bytes", 5},
	{"static_dma_packet_count", 10},
	{"static_dma_size", 1000},
	{"sync_engine_instruction_count", 15},
	{"tensor_engine_instruction_count", 11},
	{"throttle_active_nc0_time_ns", 100000},
	{"trace_count", 47},
	{"transpose_flops", UINT64_C(19660800000)},
	{"vector_engine_instruction_count", 14},
	{"weight_queue_bytes", 33},
	{"weight_size_bytes", 616},
};

static const struct {
	const char *name;
	double want;
} numbers[] = {
	{"activate_instruction_time", 0.0002},
	{"cc_cores_instruction_active_time", 0},
	{"cc_cores_instruction_active_time_percent", 0},
	{"cc_cores_instruction_time", 0},
	{"cc_op_active_time", 0},
	{"cc_op_active_time_percent", 0},
	{"cc_op_time", 0},
	{"dma_active_time", 0.0005},
	{"dma_active_time_percent", 0.5},
	{"dma_packet_time", 0.0003},
	{"dma_transfer_time", 0.000004},
	{"dynamic_dma_active_time_percent", 0.4},
	{"dynamic_dma_packet_percent", 0.75},
	{"dynamic_dma_size_percent", 0.75},
	{"gpsimd_engine_active_time", 0.0003},
	{"gpsimd_engine_active_time_percent", 0.3},
	{"gpsimd_engine_instruction_time", 0.0006},
	{"hardware_dynamic_dma_active_time", 0.0002},
	{"hardware_dynamic_dma_active_time_percent", 0.4},
	{"hardware_dynamic_dma_packet_percent", 0.75},
	{"hardware_dynamic_dma_size_percent", 0.75},
	{"hfu_estimated_percent", 0.5},
	{"mbu_estimated_percent", 1},
	{"mbu_min_read_util_percent", 0.000001},
	{"mfu_estimated_percent", 0.1},
	{"mfu_hlo_estimated_percent", 0.1},
	{"mfu_hlo_max_achievable_estimated_percent", 0.1},
	{"mfu_inst_estimated_percent", 0.25},
	{"mfu_inst_max_achievable_estimated_percent", 0.25},
	{"mfu_max_achievable_estimated_percent", 0.1},
	{"mm_arithmetic_intensity", 7864320000.0 / 716000000},
	{"peak_flops_bandwidth_ratio", 78643.2 / 716},
	{"scalar_engine_active_time", 0.0002},
	{"scalar_engine_active_time_percent", 0.2},
	{"scalar_engine_instruction_time", 0.0004},
	{"software_dynamic_dma_active_time_percent", 0},
	{"software_dynamic_dma_packet_percent", 0},
	{"software_dynamic_dma_size_percent", 0},
	{"static_dma_active_time", 0.0001},
	{"static_dma_active_time_percent", 0.2},
	{"static_dma_packet_percent", 0.25},
	{"static_dma_size_percent", 0.25},
	{"sync_engine_active_time", 0.0005},
	{"sync_engine_active_time_percent", 0.5},
	{"sync_engine_instruction_time", 0.001},
	{"tensor_engine_active_time", 0.0001},
	{"tensor_engine_active_time_percent", 0.1},
	{"tensor_engine_instruction_time", 0.0002},
	{"throttle_activity_1_active_time_nc0_percent", 0.25},
	{"throttle_activity_1_avg_util_limit_nc0_percent", 0.75},
	{"throttle_avg_util_limit_nc0_percent", 0.6875},
	{"throttle_unknown_active_time_nc0_percent", 0.5},
	{"throttle_unknown_avg_util_limit_nc0_percent", 1},
	{"total_active_time", 0.0008},
	{"total_active_time_percent", 0.8},
	{"total_time", 0.001},
	{"vector_engine_active_time", 0.0004},
	{"vector_engine_active_time_percent", 0.4},
	{"vector_engine_instruction_time", 0.0008},
};

static const char *const texts[][2] = {
	{"collectives_version", "7.8.9 (012)"}, {"compiler_version", "2.20"},
	{"driver_version", "4.5.6 (def)"},	{"instance_type", "trn2.3xlarge"},
	{"runtime_version", "1.2.3 (abc)"},
};

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static void assert_number(const struct fixture *f, const char *name, double want)
{
	const struct nx_metric *m = metric(f, name);
	double difference;

	if (!m || m->kind != NX_METRIC_NUMBER) {
		fail_msg("%s is missing or no number", name);
		return;
	}
	difference = m->number > want ? m->number - want : want - m->number;
	if (difference > want * 1e-12)
		fail_msg("%s is %.17g, not %.17g", name, m->number, want);
}

static void every_metric_follows_its_formula(void **state)
{
	struct fixture *f = *state;

	nx_summary_build(&f->p, &f->a, &f->throttles);
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		const struct nx_metric *m = metric(f, counts[i].name);

		if (!m || m->kind != NX_METRIC_COUNT || m->count != counts[i].want)
			fail_msg("%s is %s", counts[i].name, m ? "wrong" : "missing");
	}
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		assert_number(f, numbers[i].name, numbers[i].want);
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_string_equal(metric(f, texts[i][0])->text, texts[i][1]);
	/* and nothing else is there */
	assert_int_equal(f->p.metrics.len, COUNT_OF(counts) + COUNT_OF(numbers) + COUNT_OF(texts));
	for (size_t i = 1; i < f->p.metrics.len; i++)
		assert_true(strcmp(f->p.metrics.items[i - 1].name, f->p.metrics.items[i].name) < 0);
}

static void without_a_neff_its_metrics_are_absent(void **state)
{
	static const char *const absent[] = {
		"compiler_version",
		"inputs_and_weights_size_bytes",
		"inputs_outputs_weights_size_bytes",
		"mbu_min_read_util_percent",
		"mfu_hlo_estimated_percent",
		"mfu_hlo_max_achievable_estimated_percent",
		"model_flops",
		"spill_reload_bytes",
		"spill_save_bytes",
		"weight_queue_bytes",
		"weight_size_bytes",
		"dma_transfer_average_bytes",
		"dma_transfer_count",
		"dma_transfer_time",
		"dma_transfer_total_bytes",
	};
	struct fixture *f = *state;

	f->p.has_binary = false;
	nx_vec_clear(&f->p.transfers);
	nx_summary_build(&f->p, &f->a, &f->throttles);
	for (size_t i = 0; i < COUNT_OF(absent); i++)
		assert_null(metric(f, absent[i]));
	/* the compiler's own flops stand in for the model's */
	assert_number(f, "mfu_estimated_percent", 0.25);
	assert_number(f, "mfu_max_achievable_estimated_percent", 0.25);
	assert_number(f, "mm_arithmetic_intensity", 19660800000.0 / 716000000);
}

static void without_static_dma_there_is_an_average_and_no_total(void **state)
{
	struct fixture *f = *state;

	nx_vec_clear(&f->p.transfers);
	f->a.trigger_count = 0;
	nx_summary_build(&f->p, &f->a, &f->throttles);
	assert_int_equal(metric(f, "dma_transfer_average_bytes")->count, 0);
	assert_number(f, "dma_transfer_time", 0);
	assert_null(metric(f, "dma_transfer_count"));
	assert_null(metric(f, "dma_transfer_total_bytes"));
	assert_null(metric(f, "spill_save_bytes"));
	assert_int_equal(metric(f, "weight_queue_bytes")->count, 33);
}

static void a_compute_bound_program_can_reach_the_peak(void **state)
{
	struct fixture *f = *state;

	f->a.hbm_read_bytes = 1;
	f->a.hbm_write_bytes = 0;
	nx_summary_build(&f->p, &f->a, &f->throttles);
	assert_number(f, "mfu_inst_max_achievable_estimated_percent", 1);
	assert_number(f, "mfu_max_achievable_estimated_percent", 1);
}

static void an_empty_profile_divides_by_nothing(void **state)
{
	struct fixture *f = *state;
	struct nx_activity nothing = {0};
	struct nx_throttle_sums quiet = {0};

	f->p.capture.total_time_ps = 0;
	f->p.last_end_ps = 0;
	f->p.has_binary = false;
	nx_vec_clear(&f->p.transfers);
	nx_summary_build(&f->p, &nothing, &quiet);
	for (size_t i = 0; i < f->p.metrics.len; i++) {
		const struct nx_metric *m = &f->p.metrics.items[i];

		if (m->kind == NX_METRIC_NUMBER &&
		    strcmp(m->name, "peak_flops_bandwidth_ratio") != 0)
			assert_true(m->number == 0);
	}
	assert_null(metric(f, "throttle_active_nc0_time_ns"));
}

static void two_cores_have_twice_the_peak(void **state)
{
	struct fixture *f = *state;
	struct nx_graph two[2] = {f->graph, f->graph};
	struct nx_throttle_sums sums[2] = {f->throttles, {0}};

	two[1].nc_idx = 5;
	f->p.capture.graphs = two;
	f->p.capture.graph_count = 2;
	f->p.graphs[1].event_count = 100;
	nx_summary_build(&f->p, &f->a, sums);
	assert_number(f, "hfu_estimated_percent", 0.25);
	assert_number(f, "peak_flops_bandwidth_ratio", 78643.2 / 716);
	assert_number(f, "mfu_inst_max_achievable_estimated_percent", 0.125);
	assert_int_equal(metric(f, "nc_idx")->count, 9);
	assert_int_equal(metric(f, "event_count")->count, 110);
	assert_int_equal(metric(f, "dma_queue_count")->count, 6);
	assert_non_null(metric(f, "throttle_active_nc0_time_ns"));
	assert_null(metric(f, "throttle_active_nc1_time_ns"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_metric_follows_its_formula),
		TEST(without_a_neff_its_metrics_are_absent),
		TEST(without_static_dma_there_is_an_average_and_no_total),
		TEST(a_compute_bound_program_can_reach_the_peak),
		TEST(an_empty_profile_divides_by_nothing),
		TEST(two_cores_have_twice_the_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
