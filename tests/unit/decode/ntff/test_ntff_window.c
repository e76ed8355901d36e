/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/instruction.h"
#include "ntff_fixture.h"

static void the_timeline_gives_the_window(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_must_open(f);
	assert_int_equal(f->capture.window_source, NX_WINDOW_TIMELINE);
	assert_int_equal(f->capture.window_start_ps, 1000);
	assert_int_equal(f->capture.window_end_ps, 9000);
	assert_true(f->capture.has_window_end);
	assert_int_equal(f->capture.total_time_ps, 8000);
	assert_int_equal(f->capture.execution_count, 1);
}

static void another_execution_can_be_chosen(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->info.executions.count = 2;
	f->executions[1] = (struct nx_ntff_execution){.start_ps = 20000, .end_ps = 20001};
	f->options.execution = 1;
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.execution, 1);
	assert_int_equal(f->capture.execution_count, 2);
	assert_int_equal(f->capture.window_start_ps, 20000);
	assert_int_equal(f->capture.total_time_ps, 1);
}

/* Two models on core 0, with code at the same addresses: 1000..9000 and 20000..30000, 40000..50000.
 */
static void make_two_models(struct nx_ntff_fixture *f)
{
	static struct nx_ntff_node nodes[2];
	static const uint8_t ids[2][16] = {{1}, {2}};

	f->graphs[1].nc_idx = 0;
	for (unsigned n = 0; n < 2; n++) {
		nodes[n] = f->node;
		nodes[n].uid = nx_slice_of(ids[n], 16);
		nodes[n].device.graphs.items = &f->graphs[n];
		nx_fixture_code(f, n, NX_ENGINE_VECTOR, 0, "\x46\x47", 2);
	}
	f->graphs[0].name = f->graphs[1].name = nx_slice_text("sg00");
	f->info.nodes.items = nodes;
	f->info.nodes.count = 2;
	f->info.executions.count = 3;
	f->executions[0].uid = nodes[0].uid;
	f->executions[1] = (struct nx_ntff_execution){nodes[1].uid, 20000, 30000};
	f->executions[2] = (struct nx_ntff_execution){nodes[0].uid, 40000, 50000};
}

static void record_both(struct nx_ntff_fixture *f)
{
	static const uint64_t starts[] = {2000, 21000, 22000, 41000};

	for (unsigned i = 0; i < 4; i++) {
		nx_fixture_start(f, 0, NX_ENGINE_VECTOR, i == 2, starts[i]);
		nx_fixture_end(f, 0, NX_ENGINE_VECTOR, i == 2, starts[i] + 10);
	}
	/* between executions: of no model */
	nx_fixture_start(f, 0, NX_ENGINE_VECTOR, 0, 35000);
	nx_fixture_end(f, 0, NX_ENGINE_VECTOR, 0, 35010);
}

static void several_models_are_shown_together(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_instruction *row;
	unsigned of_graph[2] = {0};

	make_two_models(f);
	record_both(f);
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.model_count, 2);
	assert_int_equal(f->capture.graph_count, 2);
	assert_string_equal(f->capture.graphs[0].name, "model0/sg00");
	assert_string_equal(f->capture.graphs[1].name, "model1/sg00");
	assert_string_equal(f->capture.graphs[1].compiled_name, "sg00");
	assert_int_equal(f->capture.window_start_ps, 1000);
	assert_int_equal(f->capture.total_time_ps, 49000);
	assert_int_equal(nx_fixture_decode(f, nx_ntff_decode_instructions, sizeof(*row)), 4);
	for (size_t i = 0; i < 4; i++) {
		row = nx_fixture_row(f, i);
		of_graph[row->graph]++;
		assert_true(row->graph == 0 || (row->start_ps >= 19000 && row->end_ps <= 29000));
	}
	assert_int_equal(of_graph[0], 2);
	assert_int_equal(of_graph[1], 2);
}

static void a_chosen_execution_shows_its_model_alone(void **state)
{
	struct nx_ntff_fixture *f = *state;

	make_two_models(f);
	record_both(f);
	f->options = (struct nx_ntff_options){.is_chosen = true, .execution = 1};
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.graph_count, 1);
	assert_string_equal(f->capture.graphs[0].name, "sg00");
	assert_int_equal(f->capture.uid.data[0], 2);
	assert_int_equal(nx_fixture_decode(f, nx_ntff_decode_instructions,
					   sizeof(struct nx_instruction)),
			 2);
}

static void a_start_without_an_end_does_not_shift_later_executions(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_instruction *row;

	make_two_models(f);
	nx_fixture_start(f, 0, NX_ENGINE_VECTOR, 0, 8000); /* cut off */
	nx_fixture_start(f, 0, NX_ENGINE_VECTOR, 0, 41000);
	nx_fixture_end(f, 0, NX_ENGINE_VECTOR, 0, 41010);
	nx_fixture_must_open(f);
	assert_int_equal(nx_fixture_decode(f, nx_ntff_decode_instructions, sizeof(*row)), 1);
	row = nx_fixture_row(f, 0);
	assert_int_equal(row->start_ps, 40000);
	assert_int_equal(f->decoder.loss.unpaired_start_count, 1);
}

static void a_queue_is_dropped_in_the_execution_it_crosses(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_packet *row;

	make_two_models(f);
	nx_fixture_queue(f, 0, 3, 1, "q");
	nx_fixture_dma(f, 0, NX_DMA_START, 3, 1, 0, 900); /* ends inside */
	nx_fixture_dma(f, 0, NX_DMA_END, 3, 1, 64, 1100);
	for (uint64_t at = 2000; at <= 42000; at += 40000) {
		nx_fixture_dma(f, 0, NX_DMA_START, 3, 1, 0, at);
		nx_fixture_dma(f, 0, NX_DMA_END, 3, 1, 64, at + 50);
	}
	nx_fixture_must_open(f);
	assert_int_equal(nx_fixture_decode(f, nx_ntff_decode_packets, sizeof(*row)), 1);
	row = nx_fixture_row(f, 0);
	assert_int_equal(row->start_ps, 41000);
	assert_int_equal(row->end_ps, 41050);
	assert_int_equal(f->decoder.loss.dropped_queue_count, 1);
	assert_int_equal(f->decoder.loss.dropped_packet_count, 2);
}

static void executions_of_no_model_are_counted(void **state)
{
	struct nx_ntff_fixture *f = *state;
	static const uint8_t other[16] = {9};

	make_two_models(f);
	f->executions[1].uid = nx_slice_of(other, 16);
	record_both(f);
	nx_fixture_must_open(f);
	assert_int_equal(f->decoder.loss.unknown_model_count, 1);
	assert_int_equal(nx_fixture_decode(f, nx_ntff_decode_instructions,
					   sizeof(struct nx_instruction)),
			 2);
}

static void an_execution_that_is_not_there_is_named(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->options.execution = 1;
	assert_int_equal(nx_fixture_open(f), NX_NOT_FOUND);
	assert_string_equal(f->err.message,
			    "test.ntff has 1 executions, numbered from 0; there is no execution 1");
}

static void a_file_without_timeline_has_no_second_execution(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->version = 5;
	f->info.executions.count = 0;
	f->options.execution = 2;
	assert_int_equal(nx_fixture_open(f), NX_NOT_FOUND);
	assert_string_equal(f->err.message, "test.ntff does not separate its executions; there "
					    "is no execution 2, use 0");
}

static void a_backward_execution_is_refused(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->executions[0] = (struct nx_ntff_execution){.start_ps = 5, .end_ps = 4};
	assert_int_equal(nx_fixture_open(f), NX_FORMAT);
	f->executions[0] = (struct nx_ntff_execution){.start_ps = 5, .end_ps = UINT64_MAX};
	assert_int_equal(nx_fixture_open(f), NX_FORMAT);
}

static void mark_start(struct nx_ntff_fixture *f, enum nx_engine engine, uint32_t slot)
{
	nx_fixture_code(f, 0, engine, 0, "\xa4\xa4\xa4\xa4", 4);
	nx_store16(f->blobs.items[f->blobs.len - 1].bytes.items + slot * NX_SLOT_BYTES + 36,
		   NX_NOTIFY_HINT_START);
	f->blobs.items[f->blobs.len - 1].bytes.items[slot * NX_SLOT_BYTES] = NX_OP_NOTIFY;
}

static void make_version_5(struct nx_ntff_fixture *f)
{
	f->version = 5;
	f->info.executions.count = 0;
	f->graphs[0].exec_duration_ps = 4321;
}

static void the_end_of_the_tensor_marker_opens_the_window(void **state)
{
	struct nx_ntff_fixture *f = *state;

	make_version_5(f);
	mark_start(f, NX_ENGINE_TENSOR, 1);
	mark_start(f, NX_ENGINE_VECTOR, 2);
	nx_fixture_end(f, 0, NX_ENGINE_VECTOR, 2, 990); /* later, but not Tensor's */
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 1, 300);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 0, 310);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 320);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 900); /* of a second execution */
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.window_source, NX_WINDOW_NOTIFY);
	assert_int_equal(f->capture.window_start_ps, 320);
	assert_false(f->capture.has_window_end);
	assert_int_equal(f->capture.total_time_ps, 4321);
	assert_int_equal(f->capture.execution_count, 0);
}

static void without_tensor_the_latest_marker_serves(void **state)
{
	struct nx_ntff_fixture *f = *state;

	make_version_5(f);
	mark_start(f, NX_ENGINE_SYNC, 0);
	mark_start(f, NX_ENGINE_VECTOR, 2);
	nx_fixture_end(f, 0, NX_ENGINE_VECTOR, 2, 500);
	nx_fixture_end(f, 0, NX_ENGINE_SYNC, 0, 400);
	nx_fixture_end(f, 0, NX_ENGINE_SYNC, 0, 9999);
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.window_start_ps, 500);
}

static void an_end_marker_opens_nothing(void **state)
{
	struct nx_ntff_fixture *f = *state;

	make_version_5(f);
	mark_start(f, NX_ENGINE_TENSOR, 1);
	nx_store16(f->blobs.items[0].bytes.items + NX_SLOT_BYTES + 36, NX_NOTIFY_HINT_END);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 800);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, 700);
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.window_source, NX_WINDOW_FIRST_RECORD);
	assert_int_equal(f->capture.window_start_ps, 700);
}

static void the_marker_is_timed_by_its_own_clock(void **state)
{
	struct nx_ntff_fixture *f = *state;

	make_version_5(f);
	f->graphs[0].has_clocks = f->graphs[0].clocks.has_tensor = true;
	f->graphs[0].clocks.tensor = (struct nx_ntff_clock){1000, 2, 3};
	mark_start(f, NX_ENGINE_TENSOR, 1);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 997); /* -3 * 3/2 = -4.5, floor -5 */
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.window_start_ps, -5);
}

static void without_markers_time_counts_from_the_first_record(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_notification other = {NX_TYPE_THROTTLE << 24, 0, 1};
	struct nx_notification topsp = {0x04000000, 0, 2};

	make_version_5(f);
	f->node.device.graphs.count = 2;
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 5, 600);
	nx_fixture_start(f, 1, NX_ENGINE_SYNC, 5, 450);
	nx_fixture_start(f, 1, NX_ENGINE_SYNC, 5, 451);
	/* records of no engine of a core have other clocks */
	nx_fixture_record(f, 0, NX_TRACE_INSTRUCTION, NX_BLOCK_CORE, other);
	nx_fixture_record(f, 0, NX_TRACE_INSTRUCTION, NX_BLOCK_DMA, topsp);
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.window_source, NX_WINDOW_FIRST_RECORD);
	assert_int_equal(f->capture.window_start_ps, 450);
}

static void a_capture_without_records_begins_at_zero(void **state)
{
	struct nx_ntff_fixture *f = *state;

	make_version_5(f);
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.window_start_ps, 0);
	assert_int_equal(f->capture.window_source, NX_WINDOW_FIRST_RECORD);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_ntff_fixture_setup, nx_ntff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_timeline_gives_the_window),
		TEST(another_execution_can_be_chosen),
		TEST(several_models_are_shown_together),
		TEST(a_chosen_execution_shows_its_model_alone),
		TEST(a_start_without_an_end_does_not_shift_later_executions),
		TEST(a_queue_is_dropped_in_the_execution_it_crosses),
		TEST(executions_of_no_model_are_counted),
		TEST(an_execution_that_is_not_there_is_named),
		TEST(a_file_without_timeline_has_no_second_execution),
		TEST(a_backward_execution_is_refused),
		TEST(the_end_of_the_tensor_marker_opens_the_window),
		TEST(without_tensor_the_latest_marker_serves),
		TEST(an_end_marker_opens_nothing),
		TEST(the_marker_is_timed_by_its_own_clock),
		TEST(without_markers_time_counts_from_the_first_record),
		TEST(a_capture_without_records_begins_at_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
