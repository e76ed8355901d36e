/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/instruction_word.h"

/* Byte i of the word is i, so that a field shows where it was read from; at an odd address. */
static uint8_t slot[NX_SLOT_BYTES + 1];

static const union nx_word *numbered(void)
{
	for (unsigned i = 0; i < NX_SLOT_BYTES; i++)
		slot[1 + i] = (uint8_t)i;
	return nx_word_of(slot + 1);
}

static uint32_t from16(unsigned at)
{
	return at | (at + 1) << 8;
}

static uint32_t from32(unsigned at)
{
	return from16(at) | from16(at + 2) << 16;
}

static void header_and_semaphores(void **state)
{
	const union nx_word *w = numbered();

	(void)state;
	assert_int_equal(nx_word_opcode(slot + 1), 0);
	assert_int_equal(w->header.wait.mode, 4);
	assert_int_equal(w->header.wait.semaphore, 5);
	assert_int_equal(w->header.update.mode, 6);
	assert_int_equal(w->header.value, from32(8));
	assert_int_equal(w->event_semaphore.wait.mode, 32);
	assert_int_equal(w->event_semaphore.update.semaphore, 35);
	assert_int_equal(w->event_semaphore.wait_value, from32(36));
	assert_int_equal(w->event_semaphore.update_value, from32(40));
}

static void compute_words(void **state)
{
	const union nx_word *w = numbered();
	struct nx_access a = nx_access_3d(&w->array.target, w->array.dtype, w->array.columns);

	(void)state;
	assert_int_equal(a.address, from32(48));
	assert_int_equal(a.steps[0], from16(52));
	assert_int_equal(a.counts[2], from16(62));
	assert_int_equal(a.dtype, 32);
	assert_int_equal(a.partition_count, 39);
	assert_int_equal(a.dims, 3);
	assert_int_equal(w->array.fp32_mode, 33);
	assert_int_equal(w->array.transpose, 34);
	assert_int_equal(w->array.zero_region, 40);
	assert_int_equal(w->array.acc_flags, 43);
	assert_int_equal(w->activate.is_bias_immediate, 12);
	assert_int_equal(w->activate.function, 35);
	assert_int_equal(w->activate.bias.address, from32(40));
	assert_int_equal(w->scalar.pointers, 35);
	assert_int_equal(w->scalar.ops[1], 37);
	assert_int_equal(w->scalar.scalars[1].address, from32(44));
	assert_int_equal(w->pair.op, 14);
	assert_int_equal(w->pair.lanes, 15);
	assert_int_equal(nx_access_4d(&w->copy.source, 0, 0).counts[3], from16(30));
	assert_int_equal(w->copy.axes, 37);
	assert_int_equal(w->memset.count, from16(28));
	assert_int_equal(w->memset.value.bytes[0], 40);
	assert_int_equal(nx_access_2d(&w->top8.target, 0, 0).steps[1], from16(54));
	assert_int_equal(w->scalar_predicated.target_dtype, 42);
	assert_int_equal(w->affine_select.counts[3], from16(34));
	assert_int_equal(w->affine_select.lane_step, from32(60));
}

static void sequencer_words(void **state)
{
	const union nx_word *w = numbered();

	(void)state;
	assert_int_equal(w->notify.hint, from16(36));
	assert_int_equal(w->move.target_register, from32(24));
	assert_int_equal(w->alu.left_register, from32(16));
	assert_int_equal(w->branch.target, from32(48));
	assert_int_equal(w->registers.variable, from32(16));
	assert_int_equal(w->registers.registers[31], 63);
	assert_int_equal(w->range_clear.first, 13);
	assert_int_equal(w->extension.tensor_bytes, from32(12));
	assert_int_equal(w->collective.kind, 32);
}

static void transfer_words(void **state)
{
	const union nx_word *w = numbered();

	(void)state;
	assert_int_equal(w->dma.semaphore, 13);
	assert_int_equal(w->dma.increment, from16(14));
	assert_int_equal(w->dma.source.offset, from32(16));
	assert_int_equal(nx_dma_side_index(&w->dma.source), from32(20) & 0xffffff);
	assert_int_equal(w->dma.target.kind, 47);
	assert_int_equal(w->dma.target.outer_step, from32(48));
	assert_int_equal(w->dma.target.inner_count, from16(58));
	assert_int_equal(nx_dma_side_element_bytes(&w->dma.target), from16(60));
	assert_int_equal(w->dma.target_dtype, 63);
	assert_int_equal(nx_dma_side_element_bytes(&(struct nx_word_dma_side){0}), 65536);
	assert_int_equal(w->dma_trigger.block_id, from32(48));
}

static void waits_hold_below_at_and_above_their_value(void **state)
{
	static const struct {
		unsigned mode;
		bool below, at, above;
	} cases[] = {
		{NX_WAIT_NONE, true, true, true},	  {NX_WAIT_EQUAL, false, true, false},
		{NX_WAIT_LESS, true, false, false},	  {NX_WAIT_AT_MOST, true, true, false},
		{NX_WAIT_MORE, false, false, true},	  {NX_WAIT_AT_LEAST, false, true, true},
		{NX_WAIT_AT_LEAST + 1, true, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(nx_wait_holds(cases[i].mode, 6, 7), cases[i].below);
		assert_int_equal(nx_wait_holds(cases[i].mode, 7, 7), cases[i].at);
		assert_int_equal(nx_wait_holds(cases[i].mode, UINT32_MAX, 7), cases[i].above);
	}
	assert_string_equal(nx_wait_sign(NX_WAIT_EQUAL), "==");
	assert_string_equal(nx_wait_sign(NX_WAIT_AT_LEAST), ">=");
	assert_null(nx_wait_sign(NX_WAIT_NONE));
	assert_null(nx_wait_sign(NX_WAIT_AT_LEAST + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_and_semaphores),
		cmocka_unit_test(compute_words),
		cmocka_unit_test(sequencer_words),
		cmocka_unit_test(transfer_words),
		cmocka_unit_test(waits_hold_below_at_and_above_their_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
