/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "derived.h"

struct fixture {
	struct derived d;
	struct nx_profile profile;
	struct nx_operand operands[8];
	struct nx_slot slots[8]; /* slot n has operand n */
	uint64_t now_ps;
};

static int setup(void **state)
{
	struct fixture *f = derived_fixture_new(sizeof(*f), NX_ANALYSIS_SBUF_ALLOCATION);

	f->d.profile = &f->profile;
	f->profile.capture.graph_count = 2;
	f->profile.program.operands = f->operands;
	for (unsigned g = 0; g < 2; g++)
		f->profile.program.slots[g][NX_ENGINE_VECTOR] = f->slots;
	for (unsigned i = 0; i < 8; i++)
		f->slots[i] = (struct nx_slot){.operand = i, .operand_count = 1};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->profile.transfers);
	return row_list_fixture_end(state);
}

/* Bytes [first, first + count) of partition 0. */
static struct nx_operand bytes_of(bool is_write, uint32_t first, uint16_t count)
{
	return (struct nx_operand){.address = first,
				   .buffer = NX_BUFFER_SBUF,
				   .is_write = is_write,
				   .element_bytes = 1,
				   .dims = 1,
				   .partition_count = 1,
				   .steps = {1},
				   .counts = {count}};
}

static void run(struct fixture *f, uint32_t slot, uint64_t start_ps, uint64_t end_ps,
		struct nx_operand operand)
{
	struct nx_instruction row = {
		.start_ps = start_ps, .end_ps = end_ps, .slot = slot, .engine = NX_ENGINE_VECTOR};

	f->operands[slot] = operand;
	derived_add(&f->d, &row);
}

/* {slot, start_ps, end_ps, first_byte, end_byte} */
static void assert_rows(const struct fixture *f, const uint64_t (*want)[5], size_t count)
{
	assert_int_equal(row_list_count(&f->d.out), count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_sbuf_allocation *row = row_list_at(&f->d.out, i);

		assert_int_equal(row->source, want[i][0]);
		assert_int_equal(row->start_ps, want[i][1]);
		assert_int_equal(row->end_ps, want[i][2]);
		assert_int_equal(row->first_byte, want[i][3]);
		assert_int_equal(row->end_byte, want[i][4]);
	}
}

static void a_range_lasts_to_its_last_read(void **state)
{
	static const uint64_t want[][5] = {{1, 10, 60, 0, 64}, {3, 15, 16, 100, 104}};
	struct fixture *f = *state;

	run(f, 1, 10, 20, bytes_of(true, 0, 64));
	run(f, 3, 15, 16, bytes_of(true, 100, 4)); /* nobody reads it */
	run(f, 2, 30, 60, bytes_of(false, 8, 4));  /* a part stands for the whole */
	run(f, 2, 40, 50, bytes_of(false, 0, 4));
	run(f, 2, 70, 90, bytes_of(false, 64, 4)); /* just behind it */
	derived_finish(&f->d);
	assert_rows(f, want, 2);
}

static void a_new_write_ends_what_it_covers(void **state)
{
	static const uint64_t want[][5] = {
		{1, 10, 20, 16, 32}, {1, 10, 50, 0, 16}, {1, 10, 20, 32, 64}, {2, 30, 80, 16, 32}};
	struct fixture *f = *state;

	run(f, 1, 10, 20, bytes_of(true, 0, 64));
	run(f, 2, 30, 35, bytes_of(true, 16, 16));
	run(f, 3, 40, 50, bytes_of(false, 0, 2)); /* the left rest alone */
	run(f, 4, 70, 80, bytes_of(false, 20, 2));
	derived_finish(&f->d);
	assert_rows(f, want, 4);
}

static void a_write_may_cover_the_ends_of_several(void **state)
{
	static const uint64_t want[][5] = {{1, 10, 11, 16, 32},
					   {1, 10, 11, 0, 16},
					   {2, 20, 21, 32, 40},
					   {2, 20, 21, 40, 64},
					   {3, 30, 31, 16, 40}};
	struct fixture *f = *state;

	run(f, 1, 10, 11, bytes_of(true, 0, 32));
	run(f, 2, 20, 21, bytes_of(true, 32, 32));
	run(f, 3, 30, 31, bytes_of(true, 16, 24));
	derived_finish(&f->d);
	assert_rows(f, want, 5);
}

static void an_instruction_reads_before_it_writes(void **state)
{
	static const uint64_t want[][5] = {{1, 10, 40, 0, 8}, {2, 30, 40, 0, 8}};
	struct fixture *f = *state;

	run(f, 1, 10, 20, bytes_of(true, 0, 8));
	f->slots[2].operand_count = 2;
	f->operands[3] = bytes_of(false, 0, 8);
	run(f, 2, 30, 40, bytes_of(true, 0, 8));
	derived_finish(&f->d);
	assert_rows(f, want, 2);
}

static void quarters_are_told_apart(void **state)
{
	struct nx_operand wide = bytes_of(true, 0, 8);
	struct fixture *f = *state;
	const struct nx_sbuf_allocation *row;

	wide.address = 32u << 18;
	wide.partition_count = 65; /* 32 to 96 */
	run(f, 1, 10, 20, wide);
	wide.is_write = false;
	wide.address = 64u << 18;
	wide.partition_count = 32;
	run(f, 2, 30, 40, wide);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 3);
	for (size_t i = 0; i < 3; i++) {
		row = row_list_at(&f->d.out, i);
		assert_int_equal(row->partition, 32 * (i + 1));
		assert_int_equal(row->first_byte, 0);
		assert_int_equal(row->end_ps, row->partition == 64 ? 40 : 20);
	}
}

static void a_write_between_the_quarters_is_not_shown(void **state)
{
	struct nx_operand o = bytes_of(true, 0, 8);
	struct fixture *f = *state;

	o.address = 1u << 18;
	o.partition_count = 31;
	run(f, 1, 10, 20, o);
	o.partition_count = 0;
	o.address = 0;
	run(f, 1, 10, 20, o);
	o = bytes_of(true, 0, 8);
	o.buffer = NX_BUFFER_PSUM;
	run(f, 1, 10, 20, o);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 0);
}

static void pieces_are_ranges_until_there_are_many(void **state)
{
	static const uint64_t few[][5] = {
		{1, 10, 20, 0, 4}, {1, 10, 20, 16, 20}, {1, 10, 20, 32, 36}};
	static const uint64_t many[][5] = {{1, 10, 20, 0, 4},
					   {1, 10, 20, 16, 20},
					   {1, 10, 20, 32, 36},
					   {2, 30, 40, 100, 100 + 8 * 16 + 4}};
	struct nx_operand o = bytes_of(true, 0, 3);
	struct fixture *f = *state;

	o.element_bytes = 4;
	o.steps[0] = 4;
	run(f, 1, 10, 20, o);
	derived_finish(&f->d);
	assert_rows(f, few, 3);
	nx_vec_clear(&f->d.out.bytes);
	run(f, 1, 10, 20, o);
	o.address = 100;
	o.counts[0] = 9;
	run(f, 2, 30, 40, o);
	derived_finish(&f->d);
	assert_rows(f, many, 4);
}

static void rows_that_touch_are_one_range(void **state)
{
	static const uint64_t want[][5] = {{1, 10, 20, 0, 64}};
	struct nx_operand o = bytes_of(true, 0, 16);
	struct fixture *f = *state;

	o.dims = 3;
	o.steps[1] = 16;
	o.counts[1] = 4;
	o.steps[2] = 0; /* and all of it again */
	o.counts[2] = 5;
	run(f, 1, 10, 20, o);
	derived_finish(&f->d);
	assert_rows(f, want, 1);
}

/* Rows at 0, 32, 16 and 48: the first two are joined by the third. */
static void rows_in_any_order_are_one_range(void **state)
{
	static const uint64_t want[][5] = {{1, 10, 20, 0, 64}};
	struct nx_operand o = bytes_of(true, 0, 16);
	struct fixture *f = *state;

	o.dims = 3;
	o.steps[1] = 32;
	o.counts[1] = 2;
	o.steps[2] = 16;
	o.counts[2] = 2;
	run(f, 1, 10, 20, o);
	derived_finish(&f->d);
	assert_rows(f, want, 1);
}

static struct nx_variable variables[] = {{.name = "sb", .type = "state-buffer"},
					 {.name = "x", .type = "input"}};
static uint32_t state_buffer[] = {0};

/* The transfer of slot 5 writes bytes [0, 8); that of slot 6 stores them. */
static void dmas_write_when_they_run_and_read_too(void **state)
{
	uint64_t sizes[] = {8, 128};
	int64_t steps[] = {1, 1 << 18};
	struct nx_dma_descriptor store = {.from = state_buffer,
					  .from_count = 1,
					  .to = 1,
					  .from_sizes = sizes,
					  .from_steps = steps,
					  .from_dims = 2};
	struct nx_dma_block block = {.descriptors = &store, .descriptor_count = 1};
	struct nx_binary_graph graph = {.variables = variables, .variable_count = 2};
	struct fixture *f = *state;
	const struct nx_sbuf_allocation *row;

	graph.engines[NX_ENGINE_VECTOR].blocks = &block;
	graph.engines[NX_ENGINE_VECTOR].block_count = 1;
	f->profile.program.binary_graphs[0] = &graph;
	f->operands[5] = bytes_of(true, 0, 8);
	f->slots[5].flags = f->slots[6].flags = NX_SLOT_TRIGGER;
	f->slots[6].operand_count = 0;
	/* out of order: the store was triggered first */
	nx_vec_push(&f->profile.transfers, ((struct nx_transfer){.start_ps = 60,
								 .end_ps = 90,
								 .slot = 6,
								 .block = 0,
								 .engine = NX_ENGINE_VECTOR}));
	nx_vec_push(&f->profile.transfers, ((struct nx_transfer){.start_ps = 20,
								 .end_ps = 50,
								 .slot = 5,
								 .block = NX_NONE,
								 .engine = NX_ENGINE_VECTOR}));
	run(f, 5, 10, 11, f->operands[5]); /* the trigger writes nothing itself */
	run(f, 1, 30, 31, bytes_of(true, 100, 8));
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 2);
	row = row_list_at(&f->d.out, 0);
	assert_true(row->is_dma);
	assert_int_equal(row->source, 1);
	assert_int_equal(row->start_ps, 20);
	assert_int_equal(row->end_ps, 90);
	row = row_list_at(&f->d.out, 1);
	assert_false(row->is_dma);
	f->profile.program.binary_graphs[0] = NULL;
}

/* Ranges that are gone are used again: memory does not grow with the trace. */
static void many_writes_of_one_place_stay_in_order(void **state)
{
	struct fixture *f = *state;
	uint64_t last_ps = 0;

	for (uint64_t i = 0; i < 20000; i++)
		run(f, 1, 10 * i, 10 * i + 5, bytes_of(true, (uint32_t)(i * 7 % 64), 32));
	derived_finish(&f->d);
	assert_true(row_list_count(&f->d.out) >= 20000);
	for (size_t i = 0; i < row_list_count(&f->d.out); i++) {
		const struct nx_sbuf_allocation *row = row_list_at(&f->d.out, i);

		assert_true(row->start_ps >= last_ps && row->first_byte < row->end_byte);
		last_ps = row->start_ps;
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_range_lasts_to_its_last_read),
		TEST(a_new_write_ends_what_it_covers),
		TEST(a_write_may_cover_the_ends_of_several),
		TEST(an_instruction_reads_before_it_writes),
		TEST(quarters_are_told_apart),
		TEST(a_write_between_the_quarters_is_not_shown),
		TEST(pieces_are_ranges_until_there_are_many),
		TEST(rows_that_touch_are_one_range),
		TEST(rows_in_any_order_are_one_range),
		TEST(dmas_write_when_they_run_and_read_too),
		TEST(many_writes_of_one_place_stay_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
