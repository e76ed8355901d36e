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
	struct nx_operand operands[4];
	struct nx_slot slot;
};

static int setup(void **state)
{
	struct fixture *f = derived_fixture_new(sizeof(*f), NX_ANALYSIS_BUFFER_USAGE);

	f->d.profile = &f->profile;
	f->slot.operand_count = 1;
	for (unsigned g = 0; g < 2; g++)
		f->profile.program.slots[g][0] = &f->slot;
	f->profile.capture.graph_count = 2;
	f->profile.program.operands = f->operands;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->profile.transfers);
	return row_list_fixture_end(state);
}

/* A row of elements, one after the other. */
static struct nx_operand run_of(bool is_write, uint32_t address, uint8_t element_bytes,
				uint16_t count)
{
	return (struct nx_operand){.address = address,
				   .buffer = NX_BUFFER_SBUF,
				   .is_write = is_write,
				   .element_bytes = element_bytes,
				   .dims = 1,
				   .steps = {1},
				   .counts = {count}};
}

static void run(struct fixture *f, uint64_t start_ps, uint64_t end_ps, struct nx_operand operand)
{
	struct nx_instruction row = {.start_ps = start_ps, .end_ps = end_ps};

	f->operands[0] = operand;
	derived_add(&f->d, &row);
}

static void assert_points(const struct fixture *f, const uint64_t (*want)[2], size_t count)
{
	assert_int_equal(row_list_count(&f->d.out), count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_buffer_usage *row = row_list_at(&f->d.out, i);

		assert_int_equal(row->time_ps, want[i][0]);
		assert_int_equal(row->live_bytes, want[i][1]);
		assert_int_equal(row->buffer, NX_BUFFER_SBUF);
	}
}

static void bytes_live_from_write_to_last_read(void **state)
{
	static const uint64_t want[][2] = {{100, 16}, {200, 8}, {400, 0}, {500, 16}, {600, 0}};
	struct fixture *f = *state;

	run(f, 100, 200, run_of(true, 0, 4, 4));
	run(f, 300, 400, run_of(false, 0, 4, 2)); /* the first half only */
	run(f, 500, 600, run_of(true, 0, 4, 4));
	derived_finish(&f->d);
	assert_points(f, want, 5);
}

static void reading_what_nobody_wrote_is_nothing(void **state)
{
	struct fixture *f = *state;

	run(f, 100, 200, run_of(false, 0, 4, 4));
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 0);
}

static void a_write_into_living_bytes_continues_them(void **state)
{
	static const uint64_t want[][2] = {{100, 16}, {300, 16}, {400, 0}};
	struct fixture *f = *state;

	run(f, 100, 200, run_of(true, 0, 4, 4));
	run(f, 150, 400, run_of(false, 0, 4, 4));
	run(f, 300, 350, run_of(true, 0, 4, 4));
	derived_finish(&f->d);
	assert_points(f, want, 3);
}

static void a_write_at_the_very_end_still_continues(void **state)
{
	static const uint64_t want[][2] = {{100, 16}, {200, 16}, {300, 0}};
	struct fixture *f = *state;

	run(f, 100, 200, run_of(true, 0, 4, 4));
	run(f, 200, 300, run_of(true, 0, 4, 4));
	derived_finish(&f->d);
	assert_points(f, want, 3);
}

static void working_in_place_reads_first(void **state)
{
	static const uint64_t want[][2] = {{100, 16}, {300, 16}, {400, 0}};
	struct fixture *f = *state;
	struct nx_instruction row = {.start_ps = 300, .end_ps = 400};

	run(f, 100, 200, run_of(true, 0, 4, 4));
	f->operands[0] = run_of(true, 0, 4, 4); /* listed before the read, done after it */
	f->operands[1] = run_of(false, 0, 4, 4);
	f->slot.operand_count = 2;
	derived_add(&f->d, &row);
	derived_finish(&f->d);
	assert_points(f, want, 3);
}

/* Steps of -1 from address 16 over four two-byte elements cover bytes 8 to 15. */
static void a_descending_pattern_lies_below_its_address(void **state)
{
	static const uint64_t want[][2] = {{100, 16}, {200, 8}, {400, 0}};
	struct fixture *f = *state;
	struct nx_operand down = run_of(false, 16, 2, 4);

	down.steps[0] = -1;
	run(f, 100, 200, run_of(true, 0, 2, 8));
	run(f, 300, 400, down);
	derived_finish(&f->d);
	assert_points(f, want, 3);
}

static void patterns_leave_gaps(void **state)
{
	static const uint64_t want[][2] = {{100, 24}, {200, 0}};
	struct fixture *f = *state;
	struct nx_operand o = run_of(true, 0, 2, 3);

	/* 3 elements of every second, 4 times, 100 apart, one dimension of no steps */
	o.dims = 4;
	o.steps[0] = 2;
	o.counts[1] = 4;
	o.steps[1] = 100;
	o.counts[2] = 5;
	o.counts[3] = 0; /* counts as one */
	run(f, 100, 200, o);
	derived_finish(&f->d);
	assert_points(f, want, 2);
}

static void parts_of_a_write_end_when_they_were_read_last(void **state)
{
	static const uint64_t want[][2] = {{100, 16}, {200, 8}, {400, 6},
					   {600, 0},  {700, 8}, {800, 0}};
	struct fixture *f = *state;

	run(f, 100, 200, run_of(true, 0, 2, 8));
	run(f, 300, 400, run_of(false, 4, 2, 2));
	run(f, 500, 600, run_of(false, 6, 2, 3)); /* half of what was just read, and more */
	run(f, 700, 800, run_of(true, 8, 2, 4));
	derived_finish(&f->d);
	assert_points(f, want, 6);
}

static void a_long_write_is_as_long_as_it_says(void **state)
{
	static const uint64_t want[][2] = {{100, 6000}, {200, 2000}, {400, 0}};
	struct fixture *f = *state;

	run(f, 100, 200, run_of(true, 1000, 2, 3000));
	run(f, 300, 400, run_of(false, 3000, 2, 1000));
	derived_finish(&f->d);
	assert_points(f, want, 3);
}

static void partitions_lie_on_top_of_each_other(void **state)
{
	static const uint64_t want[][2] = {{100, 8}, {150, 8}, {300, 0}};
	struct fixture *f = *state;

	run(f, 100, 200, run_of(true, 0, 4, 2));
	run(f, 150, 300, run_of(true, 32 << 18, 4, 2)); /* the same bytes, partition 32 */
	derived_finish(&f->d);
	assert_points(f, want, 3);
}

static void single_bytes_take_two(void **state)
{
	static const uint64_t want[][2] = {{100, 4}, {200, 0}};
	struct fixture *f = *state;

	run(f, 100, 200, run_of(true, 0, 1, 4));
	derived_finish(&f->d);
	assert_points(f, want, 2);
}

static void what_lies_outside_the_memory_is_not_counted(void **state)
{
	static const uint64_t want[][2] = {{100, 4}, {200, 0}, {300, 8}, {400, 0}};
	struct fixture *f = *state;
	struct nx_operand wild = run_of(true, (1 << 18) - 4, 4, UINT16_MAX);
	struct nx_operand down = run_of(true, 8, 4, UINT16_MAX);

	down.steps[0] = INT16_MIN;
	run(f, 100, 200, wild);
	down.steps[0] = -1;
	run(f, 300, 400, down);
	derived_finish(&f->d);
	assert_points(f, want, 4);
}

static void an_endless_pattern_ends(void **state)
{
	struct fixture *f = *state;
	struct nx_operand o = run_of(true, 0, 4, UINT16_MAX);

	o.dims = 4;
	o.counts[1] = o.counts[2] = o.counts[3] = UINT16_MAX;
	run(f, 100, 200, o);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 2);
}

static void psum_is_counted_in_banks(void **state)
{
	struct fixture *f = *state;
	struct nx_operand o = run_of(true, 3 * 2048 - 4, 4, 2); /* the end of bank 2, bank 3 */
	static const uint8_t want[] = {0x0c, 0x00, 0x01, 0x00};

	o.buffer = NX_BUFFER_PSUM;
	run(f, 100, 200, o);
	o.address = 0;
	run(f, 300, 400, o);
	o.address = 8 * 2048; /* there is no ninth bank */
	run(f, 500, 600, o);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 5);
	for (size_t i = 0; i < 4; i++) {
		const struct nx_buffer_usage *row = row_list_at(&f->d.out, i);

		assert_int_equal(row->buffer, NX_BUFFER_PSUM);
		assert_int_equal(row->banks, want[i]);
		assert_int_equal(row->banks_ever, 0x0d); /* known from the first row on */
	}
}

static void graphs_have_memories_of_their_own(void **state)
{
	struct fixture *f = *state;
	struct nx_instruction row = {.start_ps = 100, .end_ps = 200, .graph = 1};
	const struct nx_buffer_usage *usage;

	run(f, 100, 300, run_of(true, 0, 4, 4));
	f->operands[0] = run_of(true, 0, 4, 1);
	derived_add(&f->d, &row);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 4);
	usage = row_list_at(&f->d.out, 0);
	assert_int_equal(usage->graph, 0);
	assert_int_equal(usage->live_bytes, 16);
	usage = row_list_at(&f->d.out, 1);
	assert_int_equal(usage->graph, 1);
	assert_int_equal(usage->live_bytes, 4);
}

static void a_trigger_writes_when_its_dma_runs(void **state)
{
	static const uint64_t want[][2] = {{500, 8}, {700, 0}};
	struct fixture *f = *state;
	struct nx_instruction row = {.start_ps = 100, .end_ps = 200};
	struct nx_transfer transfer = {.start_ps = 500, .end_ps = 700};

	f->slot.flags = NX_SLOT_TRIGGER;
	f->operands[0] = run_of(true, 0, 4, 2);
	nx_vec_push(&f->profile.transfers, transfer);
	derived_add(&f->d, &row);
	derived_finish(&f->d);
	assert_points(f, want, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_live_from_write_to_last_read),
		TEST(reading_what_nobody_wrote_is_nothing),
		TEST(a_write_into_living_bytes_continues_them),
		TEST(a_write_at_the_very_end_still_continues),
		TEST(working_in_place_reads_first),
		TEST(a_descending_pattern_lies_below_its_address),
		TEST(patterns_leave_gaps),
		TEST(parts_of_a_write_end_when_they_were_read_last),
		TEST(a_long_write_is_as_long_as_it_says),
		TEST(partitions_lie_on_top_of_each_other),
		TEST(single_bytes_take_two),
		TEST(what_lies_outside_the_memory_is_not_counted),
		TEST(an_endless_pattern_ends),
		TEST(psum_is_counted_in_banks),
		TEST(graphs_have_memories_of_their_own),
		TEST(a_trigger_writes_when_its_dma_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
