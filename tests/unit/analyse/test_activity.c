/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/activity.h"

static void add(struct nx_activity *a, enum nx_engine engine, uint64_t start_ps, uint64_t end_ps,
		struct nx_slot slot)
{
	struct nx_instruction row = {
		.start_ps = start_ps, .end_ps = end_ps, .engine = (uint8_t)engine};

	nx_activity_add_instruction(a, &row, &slot);
}

static void engines_are_summed_without_pure_waits(void **state)
{
	struct nx_activity a = {0};
	const struct nx_engine_activity *scalar = &a.engines[NX_ENGINE_SCALAR];

	(void)state;
	add(&a, NX_ENGINE_SCALAR, 0, 10, (struct nx_slot){0});
	add(&a, NX_ENGINE_SCALAR, 5, 25, (struct nx_slot){0});
	add(&a, NX_ENGINE_TENSOR, 20, 40, (struct nx_slot){0});
	add(&a, NX_ENGINE_SCALAR, 30, 1000, (struct nx_slot){.flags = NX_SLOT_WAITS_ONLY});
	assert_int_equal(scalar->instruction_count, 3);
	assert_int_equal(scalar->instruction_ps, 30);
	assert_int_equal(nx_span_union_length(&scalar->busy), 25);
	assert_int_equal(a.engines[NX_ENGINE_TENSOR].instruction_ps, 20);
	assert_int_equal(nx_span_union_length(&a.all_busy), 40);
}

static void flops_are_two_per_element_and_transposes_apart(void **state)
{
	struct nx_activity a = {0};
	struct nx_slot slot = {.flags = NX_SLOT_MATMUL, .elements = 100};

	(void)state;
	add(&a, NX_ENGINE_TENSOR, 0, 1, slot);
	slot.instruction_type = NX_TYPE_TRANSPOSE;
	slot.elements = 7;
	add(&a, NX_ENGINE_TENSOR, 1, 2, slot);
	slot.flags = 0; /* elements of anything else are no flops */
	add(&a, NX_ENGINE_TENSOR, 2, 3, slot);
	assert_int_equal(a.matmul_count, 2);
	assert_int_equal(a.flop_count, 214);
	assert_int_equal(a.transpose_flop_count, 14);
}

static void adjusted_flops_are_the_slots_own(void **state)
{
	struct nx_activity a = {0};
	struct nx_slot slot = {
		.flags = NX_SLOT_MATMUL, .elements = 100, .adjusted_flop_count = 400};

	(void)state;
	add(&a, NX_ENGINE_TENSOR, 0, 1, slot);
	add(&a, NX_ENGINE_TENSOR, 1, 2, slot);
	slot.instruction_type = NX_TYPE_TRANSPOSE;
	slot.adjusted_flop_count = 30;
	add(&a, NX_ENGINE_TENSOR, 2, 3, slot);
	assert_int_equal(a.adjusted_flop_count, 830);
	assert_int_equal(a.adjusted_transpose_flop_count, 30);
}

static void set_up_around_the_work_is_no_work(void **state)
{
	struct nx_activity a = {0};
	struct nx_slot setup = {.flags = NX_SLOT_SETUP};
	struct nx_packet packet = {.start_ps = 30, .end_ps = 90};

	(void)state;
	add(&a, NX_ENGINE_TENSOR, 0, 500, setup);
	assert_false(a.has_work);
	add(&a, NX_ENGINE_VECTOR, 20, 60, (struct nx_slot){0});
	nx_activity_add_packet(&a, &packet);
	add(&a, NX_ENGINE_VECTOR, 40, 80, (struct nx_slot){0});
	add(&a, NX_ENGINE_VECTOR, 95, 700, setup);
	assert_true(a.has_work);
	assert_int_equal(a.work_start_ps, 20);
	assert_int_equal(a.work_end_ps, 90);
}

static void bytes_and_kinds_add_up(void **state)
{
	struct nx_activity a = {0};
	struct nx_slot slot = {.sbuf_read_bytes = 1,
			       .sbuf_write_bytes = 2,
			       .psum_read_bytes = 3,
			       .psum_write_bytes = 4,
			       .hbm_read_bytes = 5,
			       .hbm_write_bytes = 6};

	(void)state;
	slot.flags = NX_SLOT_EVICTION | NX_SLOT_ACTIVATE | NX_SLOT_HAS_LAYER;
	add(&a, NX_ENGINE_SCALAR, 0, 9, slot);
	slot.flags = NX_SLOT_DYNAMIC_DMA | NX_SLOT_TEXT_UNKNOWN;
	add(&a, NX_ENGINE_SCALAR, 0, 9, slot);
	assert_int_equal(a.sbuf_read_bytes, 2);
	assert_int_equal(a.sbuf_write_bytes, 4);
	assert_int_equal(a.psum_read_bytes, 6);
	assert_int_equal(a.psum_write_bytes, 8);
	assert_int_equal(a.hbm_read_bytes, 10);
	assert_int_equal(a.hbm_write_bytes, 12);
	assert_int_equal(a.eviction_bytes, 2);
	assert_int_equal(a.eviction_count, 1);
	assert_int_equal(a.activate_count, 1);
	assert_int_equal(a.activate_ps, 9);
	assert_int_equal(a.with_layer_count, 1);
	assert_int_equal(a.dynamic_dma_count, 1);
	assert_int_equal(a.unknown_text_count, 1);
	assert_int_equal(a.trigger_count, 0);
}

static void a_trigger_counts_for_one_kind_of_queue(void **state)
{
	struct nx_activity a = {0};
	struct nx_slot slot = {.hbm_read_bytes = 10, .hbm_write_bytes = 20, .queue_bytes = 30};

	(void)state;
	slot.flags = NX_SLOT_TRIGGER | NX_SLOT_WEIGHT_QUEUE | NX_SLOT_INPUT_QUEUE;
	add(&a, NX_ENGINE_SYNC, 0, 1, slot);
	slot.flags = NX_SLOT_TRIGGER | NX_SLOT_INPUT_QUEUE | NX_SLOT_OUTPUT_QUEUE;
	add(&a, NX_ENGINE_SYNC, 1, 2, slot);
	slot.flags = NX_SLOT_TRIGGER | NX_SLOT_OUTPUT_QUEUE | NX_SLOT_SPILL_SAVE;
	add(&a, NX_ENGINE_SYNC, 2, 3, slot);
	slot.flags = NX_SLOT_TRIGGER | NX_SLOT_SPILL_RELOAD;
	add(&a, NX_ENGINE_SYNC, 3, 4, slot);
	slot.flags = NX_SLOT_WEIGHT_QUEUE; /* not a trigger */
	add(&a, NX_ENGINE_SYNC, 4, 5, slot);
	assert_int_equal(a.trigger_count, 4);
	assert_int_equal(a.weight_queue_bytes, 30);
	assert_int_equal(a.input_queue_bytes, 30);
	assert_int_equal(a.output_queue_bytes, 30);
	assert_int_equal(a.spill_save_bytes, 20);
	assert_int_equal(a.spill_reload_bytes, 10);
}

static void packets_go_to_their_kind(void **state)
{
	struct nx_activity a = {0};
	struct nx_packet packets[] = {
		{.start_ps = 0, .end_ps = 10, .size_bytes = 1, .queue_class = NX_QUEUE_DATA},
		{.start_ps = 5, .end_ps = 12, .size_bytes = 2, .queue_class = NX_QUEUE_INSTRUCTION},
		{.start_ps = 8,
		 .end_ps = 20,
		 .size_bytes = 4,
		 .queue_class = NX_QUEUE_HARDWARE_DYNAMIC},
		{.start_ps = 30,
		 .end_ps = 31,
		 .size_bytes = 8,
		 .queue_class = NX_QUEUE_SOFTWARE_DYNAMIC},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		nx_activity_add_packet(&a, &packets[i]);
	assert_int_equal(a.dma[NX_DMA_STATIC].packet_count, 2);
	assert_int_equal(a.dma[NX_DMA_STATIC].size_bytes, 3);
	assert_int_equal(nx_span_union_length(&a.dma[NX_DMA_STATIC].busy), 12);
	assert_int_equal(a.dma[NX_DMA_HARDWARE_DYNAMIC].size_bytes, 4);
	assert_int_equal(a.dma[NX_DMA_SOFTWARE_DYNAMIC].size_bytes, 8);
	assert_int_equal(a.packet_count, 4);
	assert_int_equal(a.packet_bytes, 15);
	assert_int_equal(a.packet_ps, 10 + 7 + 12 + 1);
	assert_int_equal(nx_span_union_length(&a.dma_busy), 21);
	assert_int_equal(nx_span_union_length(&a.all_busy), 21);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engines_are_summed_without_pure_waits),
		cmocka_unit_test(flops_are_two_per_element_and_transposes_apart),
		cmocka_unit_test(adjusted_flops_are_the_slots_own),
		cmocka_unit_test(set_up_around_the_work_is_no_work),
		cmocka_unit_test(bytes_and_kinds_add_up),
		cmocka_unit_test(a_trigger_counts_for_one_kind_of_queue),
		cmocka_unit_test(packets_go_to_their_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
