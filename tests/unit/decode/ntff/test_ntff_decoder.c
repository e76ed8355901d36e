/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/ntff/ntff_internal.h"
#include "ntff_fixture.h"

static void identity_is_copied(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_capture *c = &f->capture;

	f->info.instance_type = nx_slice_text("trn2.3xlarge");
	f->info.pid = 42;
	f->info.uuid = nx_slice_text("abc");
	f->node.uid = nx_slice_text("0123456789abcdef");
	f->info.has_runtime_version = f->info.has_driver_version = true;
	f->info.runtime_version = (struct nx_ntff_version){2, 30, 51, 0, nx_slice_text("1a2b3c4d")};
	f->info.driver_version = (struct nx_ntff_version){2, 1, 0, 0, nx_slice_text("xy")};
	f->graphs[0].nd_idx = 3;
	nx_fixture_must_open(f);
	assert_string_equal(c->path, "test.ntff");
	assert_int_equal(c->version, 6);
	assert_string_equal(c->model_name, "model");
	assert_string_equal(c->instance_type, "trn2.3xlarge");
	assert_int_equal(c->pid, 42);
	assert_true(nx_slice_is(c->uuid, "abc"));
	assert_true(nx_slice_is(c->uid, "0123456789abcdef"));
	assert_string_equal(c->runtime_version, "2.30.51 (1a2b3)");
	assert_string_equal(c->driver_version, "2.1.0 (xy)");
	assert_string_equal(c->collectives_version, "0.0.0 ()");
	assert_string_equal(c->graphs[0].name, "sg00");
	assert_int_equal(c->graphs[0].nd_idx, 3);
	assert_string_equal(c->hardware->name, "trn2");
}

static void unknown_hardware_borrows_the_nearest(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->info.arch = NX_ARCH_V4;
	nx_fixture_must_open(f);
	assert_string_equal(f->capture.hardware->name, "trn2");
	f->info.arch = NX_ARCH_V1;
	nx_fixture_must_open(f);
	assert_string_equal(f->capture.hardware->name, "trn1/inf2");
	f->info.arch = UINT64_MAX;
	nx_fixture_must_open(f);
	assert_string_equal(f->capture.hardware->name, "trn2");
}

static void a_capture_without_graphs_says_what_to_do(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->node.device.graphs.count = 0;
	assert_int_equal(nx_fixture_open(f), NX_FORMAT);
	assert_string_equal(f->err.message,
			    "test.ntff holds no device graph, so there is nothing to show; was the "
			    "model run on a NeuronCore while profiling was on?");
}

static void an_unreadable_file_is_named(void **state)
{
	struct nx_ntff_fixture *f = *state;

	assert_int_equal(nx_ntff_decoder_open(&f->decoder, nx_slice_text("x"), "short.ntff",
					      &f->options, &f->arena, &f->capture, &f->err),
			 NX_FORMAT);
	assert_int_equal(strncmp(f->err.message, "short.ntff: ", 12), 0);
	/* nobody to tell is no reason to go on */
	assert_int_equal(nx_ntff_decoder_open(&f->decoder, nx_slice_text("x"), "short.ntff",
					      &f->options, &f->arena, &f->capture, NULL),
			 NX_FORMAT);
}

static void graphs_beyond_the_limit_are_counted(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_ntff_graph *many = NX_NEW_ARRAY(&f->arena, struct nx_ntff_graph, 70);

	for (unsigned i = 0; i < 70; i++) {
		many[i].name = nx_slice_text("many");
		many[i].nc_idx = i;
	}
	f->node.device.graphs.items = many;
	f->node.device.graphs.count = 70;
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.graph_count, NX_MAX_GRAPHS);
	assert_int_equal(f->decoder.loss.ignored_graph_count, 6);
	assert_int_equal(f->capture.graphs[63].nc_idx, 63);
}

static void queues_are_described(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_ntff_dma_block blocks[] = {{.block_id = 3, .packet_count = 16},
					     {.block_id = 4, .packet_count = 2}};
	const struct nx_queue *q;

	nx_fixture_queue(f, 0, 66, 2, "qPoolIO0");
	f->queues[0][0].queue_type = 3;
	f->queues[0][0].tracing_event_id = -1;
	f->queues[0][0].axi_port = 5;
	f->queues[0][0].channel = 6;
	f->queues[0][0].blocks.items = blocks;
	f->queues[0][0].blocks.count = 2;
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.graphs[0].queue_count, 1);
	q = &f->capture.graphs[0].queues[0];
	assert_string_equal(q->name, "qPoolIO0");
	assert_string_equal(q->display_name, "qGpSimdIO0");
	assert_int_equal(q->engine_idx, 66);
	assert_int_equal(q->queue_idx, 2);
	assert_int_equal(q->type, 3);
	assert_int_equal(q->event_id, -1);
	assert_int_equal(q->axi_port, 5);
	assert_int_equal(q->dram_channel, 6);
	assert_int_equal(q->block_count, 2);
	assert_int_equal(q->blocks[1].block_id, 4);
	assert_int_equal(q->blocks[0].packet_count, 16);
}

static void memory_is_named_by_text_or_number(void **state)
{
	static const char *const want[] = {"Tensor Instructions", "brand new",	"DMA Rings IO",
					   "DMA Rings",		  "Scratchpad", "Type 18"};
	struct nx_ntff_fixture *f = *state;
	struct nx_ntff_memory_usage usage[] = {
		{.type = nx_slice_text("pe"), .usage_type = 6, .amount_bytes = 1},
		{.type = nx_slice_text("brand new")},
		{.type = nx_slice_text("dma rings io")},
		{.usage_type = 7},
		{.usage_type = 17},
		{.usage_type = 18},
	};

	f->graphs[0].memory.items = usage;
	f->graphs[0].memory.count = 6;
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.graphs[0].memory_count, 6);
	assert_int_equal(f->capture.graphs[0].memory[0].amount_bytes, 1);
	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(f->capture.graphs[0].memory[i].usage_type, want[i]);
}

static void rings_nobody_reads_are_counted_when_they_hold_something(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_notification n = {0};

	nx_fixture_ring(f, 0, 9, NX_BLOCK_CORE); /* empty: nothing lost */
	nx_fixture_ring(f, 0, NX_TRACE_INSTRUCTION, NX_BLOCK_TOPSP);
	nx_fixture_record(f, 0, NX_TRACE_EVENT, NX_BLOCK_TOPSP, n);
	nx_fixture_record(f, 0, NX_TRACE_EXPLICIT, NX_BLOCK_CORE, n);
	nx_fixture_record(f, 0, 9, 7, n);
	nx_fixture_record(f, 0, NX_TRACE_THROTTLE, NX_BLOCK_CORE, n);
	nx_fixture_must_open(f);
	assert_int_equal(f->decoder.loss.unknown_ring_count, 3);
	assert_int_equal(f->decoder.loss.first_unknown_ring, NX_TRACE_EVENT << 8 | NX_BLOCK_TOPSP);
	assert_int_equal(f->decoder.graphs[0].ring_count, 1);
	assert_int_equal(f->decoder.ring_bytes, 16);
}

static void session_rings_go_to_their_core(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->node.device.graphs.count = 2;
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, 1);
	nx_fixture_start(f, 1, NX_ENGINE_TENSOR, 0, 1);
	nx_fixture_start(f, 1, NX_ENGINE_TENSOR, 0, 2);
	nx_fixture_must_open(f);
	assert_int_equal(f->decoder.graphs[0].rings[0].records.len, 16);
	assert_int_equal(f->decoder.graphs[1].ring_count, 1);
	assert_int_equal(f->decoder.graphs[1].rings[0].records.len, 32);
}

static void a_cut_file_counts_what_is_missing(void **state)
{
	struct nx_ntff_fixture *f = *state;

	for (unsigned i = 0; i < 4; i++)
		nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, i);
	nx_bytes_append_zeros(nx_fixture_ring(f, 0, NX_TRACE_EVENT, NX_BLOCK_CORE), 20);
	f->cut_bytes = 20 + 24;
	nx_fixture_must_open(f);
	assert_true(f->decoder.ntff.is_truncated);
	assert_int_equal(f->decoder.loss.missing_bytes, 44);
	assert_int_equal(f->decoder.loss.odd_tail_bytes, 8);
	assert_int_equal(f->decoder.graphs[0].ring_count, 1);
	assert_true(f->decoder.graphs[0].rings[0].is_cut);
}

/* A thousand rings over the same megabyte: neither memory nor time may follow. */
static void rings_that_share_bytes_share_a_budget(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_bytes *zeros = nx_fixture_ring(f, 0, NX_TRACE_EVENT, NX_BLOCK_CORE);
	struct nx_ntff_ring *rings = NX_NEW_ARRAY(&f->arena, struct nx_ntff_ring, 1000);

	nx_bytes_append_zeros(zeros, 1 << 20);
	for (unsigned i = 0; i < 1000; i++)
		rings[i] = (struct nx_ntff_ring){.trace_type = NX_TRACE_EVENT, .size = 1 << 20};
	nx_fixture_must_open(f);
	f->info.session_rings.items = rings;
	f->info.session_rings.count = 1000;
	nx_vec_clear(&f->file);
	nx_ntff_write_head(6, &f->info, &f->file);
	nx_bytes_append(&f->file, zeros->items, zeros->len);
	assert_int_equal(nx_ntff_decoder_open(&f->decoder, nx_slice_of(f->file.items, f->file.len),
					      "test.ntff", &f->options, &f->arena, &f->capture,
					      &f->err),
			 NX_OK);
	assert_int_equal(f->decoder.ring_bytes, NX_BLOB_SHARE * f->file.len);
	assert_int_equal(f->decoder.loss.overlapping_bytes,
			 (UINT64_C(1000) << 20) - NX_BLOB_SHARE * f->file.len);
	assert_int_equal(f->decoder.graphs[0].ring_count, 5);
}

static void declared_collectives_are_listed(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_ntff_cc_op op = {.type = 2, .algorithm = -1, .element_count = 99, .comm_id = 7};

	op.algorithm_name = nx_slice_text("ring");
	f->graphs[0].has_cc_ops = true;
	f->graphs[0].cc_ops.ops.items = &op;
	f->graphs[0].cc_ops.ops.count = 1;
	nx_fixture_must_open(f);
	assert_int_equal(f->capture.graphs[0].collective_op_count, 1);
	assert_int_equal(f->capture.graphs[0].collective_ops[0].algorithm, -1);
	assert_string_equal(f->capture.graphs[0].collective_ops[0].algorithm_name, "ring");
	assert_int_equal(f->capture.graphs[0].collective_ops[0].element_count, 99);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_ntff_fixture_setup, nx_ntff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(identity_is_copied),
		TEST(unknown_hardware_borrows_the_nearest),
		TEST(a_capture_without_graphs_says_what_to_do),
		TEST(an_unreadable_file_is_named),
		TEST(graphs_beyond_the_limit_are_counted),
		TEST(queues_are_described),
		TEST(memory_is_named_by_text_or_number),
		TEST(rings_nobody_reads_are_counted_when_they_hold_something),
		TEST(session_rings_go_to_their_core),
		TEST(a_cut_file_counts_what_is_missing),
		TEST(rings_that_share_bytes_share_a_budget),
		TEST(declared_collectives_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
