/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives in simulated time. Their costs are worked out by hand: 2,000 ns, 1,500 ns for each
 * step, and the larger of bytes over a link of 64 B/ns and touched bytes over 368 B/ns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/timing/timing_fixture.h"

#define TRIGGER_PS UINT64_C(1491000)
/* Of 4 KiB over 2 ranks: two steps, 4 KiB on the wire, which take 64 ns. */
#define PAIR_PS UINT64_C(5064000)
/* Over 4: two steps, 6 KiB. */
#define FOUR_PS UINT64_C(5096000)
/* Over 8: two steps, 7 KiB. */
#define EIGHT_PS UINT64_C(5112000)

static uint8_t *add_collective(struct timing_fixture *f, unsigned core, unsigned engine,
			       uint8_t kind, uint64_t element_count)
{
	uint8_t *word = timing_fixture_add(f, core, engine, NX_OP_PSEUDO_TRIGGER_COLLECTIVE);

	word[12] = 4;
	word[13] = NX_DTYPE_FP32;
	nx_store64(word + 24, element_count);
	word[32] = kind;
	return word;
}

static uint8_t *add_reduce(struct timing_fixture *f, unsigned core, unsigned engine)
{
	return add_collective(f, core, engine, NX_COLLECTIVE_ALL_REDUCE, 1024);
}

static const struct nx_timed_collective *row_at(const struct timing_fixture *f, size_t index)
{
	assert_true(index < f->run.collectives.len);
	return &f->run.collectives.items[index];
}

static uint64_t length_of(const struct timing_fixture *f, size_t index)
{
	return row_at(f, index)->end_ps - row_at(f, index)->start_ps;
}

/* --- when --------------------------------------------------------------------------------- */

static void test_starts_when_its_word_does(void **state)
{
	const struct nx_timed_collective *row;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add(&f, 0, NX_ENGINE_GPSIMD, NX_OP_NOP);
	nx_store16(add_reduce(&f, 0, NX_ENGINE_GPSIMD) + 14, 5);
	f.options.place.rank_count = 2;
	timing_fixture_must_run(&f);
	assert_int_equal(f.run.collectives.len, 1);
	row = row_at(&f, 0);
	assert_int_equal(row->trigger_ps, timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 1)->start_ps);
	assert_true(row->trigger_ps > TRN2->engines[NX_ENGINE_GPSIMD].first_instruction_ps);
	assert_int_equal(row->start_ps, row->trigger_ps + TRIGGER_PS);
	assert_int_equal(row->end_ps, row->start_ps + PAIR_PS);
	assert_int_equal(f.code.cores[0].streams[NX_ENGINE_GPSIMD].slots[row->slot].compiler_pc, 1);
	assert_int_equal(row->core, 0);
	assert_int_equal(row->engine, NX_ENGINE_GPSIMD);
	assert_int_equal(row->group_id, 5);
	assert_int_equal(row->stream, 0);
	timing_fixture_close(&f);
}

static void test_second_opcode_is_one_too(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	add_reduce(&f, 0, NX_ENGINE_SYNC)[0] = NX_OP_PSEUDO_TRIGGER_COLLECTIVE_2;
	timing_fixture_add(&f, 0, NX_ENGINE_SYNC, NX_OP_PSEUDO_EXTENSION);
	f.options.place.rank_count = 2;
	timing_fixture_must_run(&f);
	assert_int_equal(f.run.collectives.len, 1);
	assert_int_equal(length_of(&f, 0), PAIR_PS);
	timing_fixture_close(&f);
}

static void test_engine_goes_on_behind_it(void **state)
{
	const struct nx_timed_instruction *word, *next;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	add_reduce(&f, 0, NX_ENGINE_SYNC);
	timing_fixture_add(&f, 0, NX_ENGINE_SYNC, NX_OP_NOP);
	timing_fixture_must_run(&f);
	word = timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 0);
	next = timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 1);
	assert_int_equal(next->start_ps,
			 word->end_ps + timing_fixture_cost(&f, 0, NX_ENGINE_SYNC, 0).gap_ps);
	assert_true(next->end_ps < row_at(&f, 0)->start_ps);
	timing_fixture_close(&f);
}

static void test_waits_before_it_triggers(void **state)
{
	const struct nx_timed_instruction *copy;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 6);
	word_wait(add_reduce(&f, 0, NX_ENGINE_SYNC), 6, 1);
	timing_fixture_must_run(&f);
	copy = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0);
	assert_int_equal(row_at(&f, 0)->trigger_ps,
			 copy->end_ps + (uint64_t)TRN2->engines[NX_ENGINE_VECTOR].update_ps +
				 TRN2->engines[NX_ENGINE_SYNC].wake_control_ps);
	timing_fixture_close(&f);
}

/* --- who waits for it -------------------------------------------------------------------- */

static struct nx_timed_semaphore change_by_dma(const struct timing_fixture *f)
{
	for (size_t i = 0; i < f->run.semaphores.len; i++)
		if (f->run.semaphores.items[i].source == NX_TIMED_BY_DMA)
			return f->run.semaphores.items[i];
	fail();
	return (struct nx_timed_semaphore){0};
}

static void check_waiter(enum nx_device_arch arch)
{
	struct nx_timed_semaphore change;
	struct timing_fixture f;

	timing_fixture_open(&f, arch, 1);
	word_update(add_reduce(&f, 0, NX_ENGINE_GPSIMD), 7);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 7, 1, 0);
	f.options.place.rank_count = 2;
	timing_fixture_must_run(&f);
	change = change_by_dma(&f);
	assert_int_equal(change.semaphore, 7);
	assert_int_equal(change.value, 1);
	assert_int_equal(change.time_ps, row_at(&f, 0)->end_ps);
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0)->start_ps,
			 change.time_ps +
				 nx_device_hardware_of(arch)->engines[NX_ENGINE_VECTOR].wake_ps);
	timing_fixture_close(&f);
}

/* On trn1 an instruction's update comes before its end; a collective's does not. */
static void test_semaphore_counts_at_the_end(void **state)
{
	(void)state;
	check_waiter(NX_DEVICE_TRN2);
	check_waiter(NX_DEVICE_TRN1);
}

static void test_execution_lasts_until_it_is_over(void **state)
{
	uint64_t over_ps;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	for (unsigned i = 0; i < 10; i++)
		add_reduce(&f, 0, NX_ENGINE_SYNC);
	f.options.place.rank_count = 2;
	timing_fixture_must_run(&f);
	over_ps = row_at(&f, 9)->end_ps;
	assert_true(f.run.end_ps >= over_ps + TRN2->frame.end_ps);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		size_t last = f.code.cores[0].streams[e].slot_count - 1;
		bool is_found = false;

		for (size_t i = 0; i < f.run.instructions.len; i++) {
			const struct nx_timed_instruction *row = &f.run.instructions.items[i];

			if (row->engine != e || row->slot != last)
				continue;
			assert_true(row->start_ps >= over_ps);
			is_found = true;
		}
		assert_true(is_found);
	}
	timing_fixture_close(&f);
}

static void test_one_stream_of_each_core(void **state)
{
	struct timing_fixture f;
	uint64_t ends[2] = {0, 0};

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 2);
	add_reduce(&f, 0, NX_ENGINE_SYNC);
	add_reduce(&f, 0, NX_ENGINE_GPSIMD);
	add_reduce(&f, 1, NX_ENGINE_SYNC);
	f.options.place.rank_count = 2;
	timing_fixture_must_run(&f);
	assert_int_equal(f.run.collectives.len, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct nx_timed_collective *row = row_at(&f, i);

		assert_int_equal(row->start_ps,
				 ends[row->core] ? ends[row->core] : row->trigger_ps + TRIGGER_PS);
		ends[row->core] = row->end_ps;
	}
	assert_true(ends[0] > ends[1]);
	timing_fixture_close(&f);
}

/* --- with whom --------------------------------------------------------------------------- */

static void test_largest_group_counts(void **state)
{
	uint32_t members[5] = {0, 1, 2, 3, 4};
	struct nx_rank_list lists[2] = {{members + 4, 1}, {members, 4}};
	struct nx_rank_lists groups = {lists, 2};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	f.cores[0].replica_groups = (struct nx_rank_choices){&groups, 1};
	add_reduce(&f, 0, NX_ENGINE_SYNC);
	nx_store16(add_reduce(&f, 0, NX_ENGINE_SYNC) + 14, 1); /* that nobody lists: all ranks */
	add_collective(&f, 0, NX_ENGINE_SYNC, NX_COLLECTIVE_PERMUTE, 1024);
	f.options.place.rank_count = 8;
	timing_fixture_must_run(&f);
	assert_int_equal(length_of(&f, 0), FOUR_PS);
	assert_int_equal(length_of(&f, 1), EIGHT_PS);
	/* One step and 4 KiB: 64 ns. */
	assert_int_equal(length_of(&f, 2), 3564000);
	timing_fixture_close(&f);
}

static void test_alone_without_a_place(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	add_reduce(&f, 0, NX_ENGINE_SYNC);
	timing_fixture_must_run(&f);
	/* No step; 8 KiB touched at 368 B/ns are 22.26 ns. */
	assert_int_equal(length_of(&f, 0), 2022260);
	timing_fixture_close(&f);
}

static void test_machines_and_links(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	add_reduce(&f, 0, NX_ENGINE_SYNC);
	f.options.place = (struct nx_collective_place){4, 2, NX_DEVICE_ANY};
	timing_fixture_must_run(&f);
	/* Two steps of 15 us; 6 KiB at 6.25 B/ns. */
	assert_int_equal(length_of(&f, 0), 32983040);
	nx_timed_run_release(&f.run);
	nx_loaded_code_release(&f.code);
	f.options.place = (struct nx_collective_place){4, 1, NX_DEVICE_TRN1};
	timing_fixture_must_run(&f);
	/* The links are the machine's, 48 B/ns on trn1, whatever the program is for. */
	assert_int_equal(length_of(&f, 0), 5128000);
	timing_fixture_close(&f);
}

static void test_counts_of_variable_sizes(void **state)
{
	uint32_t counts[4] = {1000, 0, 24, 1024};
	struct nx_rank_list list = {counts, 4};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	f.cores[0].element_counts = (struct nx_rank_lists){&list, 1};
	add_collective(&f, 0, NX_ENGINE_SYNC, NX_COLLECTIVE_ALL_GATHER_V, 1024);
	add_reduce(&f, 0, NX_ENGINE_SYNC);
	f.options.place.rank_count = 4;
	timing_fixture_must_run(&f);
	/* 2,048 elements in all, three quarters of 8 KiB on the wire: 96 ns. */
	assert_int_equal(length_of(&f, 0), 3596000);
	assert_int_equal(length_of(&f, 1), FOUR_PS);
	timing_fixture_close(&f);
}

/* --- words of any content ----------------------------------------------------------------- */

static void test_absurd_sizes_end(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	for (unsigned i = 0; i < 64; i++) {
		uint8_t *word = add_collective(&f, 0, NX_ENGINE_SYNC, (uint8_t)i, UINT64_MAX - i);

		nx_store16(word + 34, UINT16_MAX);
		word_update(word, 7);
	}
	f.options.place = (struct nx_collective_place){UINT32_MAX, UINT32_MAX - 1, NX_DEVICE_ANY};
	timing_fixture_must_run(&f);
	for (size_t i = 0; i < 64; i++) {
		assert_true(row_at(&f, i)->start_ps <= row_at(&f, i)->end_ps);
		assert_true(row_at(&f, i)->end_ps <= f.run.end_ps);
	}
	assert_true(f.run.end_ps < UINT64_C(1) << 62);
	timing_fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starts_when_its_word_does),
		cmocka_unit_test(test_second_opcode_is_one_too),
		cmocka_unit_test(test_engine_goes_on_behind_it),
		cmocka_unit_test(test_waits_before_it_triggers),
		cmocka_unit_test(test_semaphore_counts_at_the_end),
		cmocka_unit_test(test_execution_lasts_until_it_is_over),
		cmocka_unit_test(test_one_stream_of_each_core),
		cmocka_unit_test(test_largest_group_counts),
		cmocka_unit_test(test_alone_without_a_place),
		cmocka_unit_test(test_machines_and_links),
		cmocka_unit_test(test_counts_of_variable_sizes),
		cmocka_unit_test(test_absurd_sizes_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
