/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ntff_fixture.h"

#define EIGHT "\1\1\1\1\1\1\1\1"

static size_t decode(struct nx_ntff_fixture *f)
{
	return nx_fixture_decode(f, nx_ntff_decode_instructions, sizeof(struct nx_instruction));
}

static const struct nx_instruction *row(const struct nx_ntff_fixture *f, size_t index)
{
	return nx_fixture_row(f, index);
}

static void code_of_two_engines(struct nx_ntff_fixture *f)
{
	nx_fixture_code(f, 0, NX_ENGINE_TENSOR, 0, EIGHT, 8);
	nx_fixture_code(f, 0, NX_ENGINE_SCALAR, 100 << 6, EIGHT, 8);
}

static void a_pair_becomes_a_row(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_notification start = {0x08000067, 0x00210000, 1500}; /* Scalar, pc 103 */
	struct nx_notification end = {0x09000067, 0xbeef1234, 1750};

	code_of_two_engines(f);
	nx_fixture_record(f, 0, NX_TRACE_INSTRUCTION, NX_BLOCK_CORE, start);
	nx_fixture_record(f, 0, NX_TRACE_INSTRUCTION, NX_BLOCK_CORE, end);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->start_ps, 500);
	assert_int_equal(row(f, 0)->end_ps, 750);
	assert_int_equal(row(f, 0)->slot, 3);
	assert_int_equal(row(f, 0)->engine, NX_ENGINE_SCALAR);
	assert_int_equal(row(f, 0)->wait_cycles, 0x21);
	assert_int_equal(row(f, 0)->crc_in, 0x1234);
	assert_int_equal(row(f, 0)->crc_out, 0xbeef);
	assert_int_equal(row(f, 0)->order, 0);
}

static void a_loop_pairs_first_in_first_out(void **state)
{
	struct nx_ntff_fixture *f = *state;

	code_of_two_engines(f);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 2, 2000);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 2, 2100);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 3, 2150);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 2, 2200);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 2, 2300);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 2, 2400);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 2, 2500);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 3, 2600);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 4);
	assert_int_equal(row(f, 0)->start_ps, 1000);
	assert_int_equal(row(f, 0)->end_ps, 1200);
	assert_int_equal(row(f, 1)->start_ps, 1100);
	assert_int_equal(row(f, 1)->end_ps, 1400);
	assert_int_equal(row(f, 2)->start_ps, 1300);
	assert_int_equal(row(f, 2)->end_ps, 1500);
	assert_int_equal(row(f, 3)->start_ps, 1150);
	assert_int_equal(row(f, 3)->order, 3);
}

static void the_same_pc_of_two_engines_does_not_mix(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_code(f, 0, NX_ENGINE_TENSOR, 0, EIGHT, 8);
	nx_fixture_code(f, 0, NX_ENGINE_VECTOR, 0, EIGHT, 8);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 1, 2000);
	nx_fixture_start(f, 0, NX_ENGINE_VECTOR, 1, 2010);
	nx_fixture_end(f, 0, NX_ENGINE_VECTOR, 1, 2020);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 2030);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 2);
	assert_int_equal(row(f, 0)->engine, NX_ENGINE_VECTOR);
	assert_int_equal(row(f, 0)->start_ps, 1010);
	assert_int_equal(row(f, 1)->start_ps, 1000);
}

static void the_edges_of_the_window_belong_to_it(void **state)
{
	struct nx_ntff_fixture *f = *state;

	code_of_two_engines(f);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, 1000);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 0, 9000);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 1, 999);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 5000);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 2, 5000);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 2, 9001);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->start_ps, 0);
	assert_int_equal(row(f, 0)->end_ps, 8000);
}

static void without_an_end_the_window_stays_open(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->version = 5;
	f->info.executions.count = 0;
	code_of_two_engines(f);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, 10);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 0, INT64_MAX);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->end_ps, INT64_MAX - 10);
}

static void an_instruction_that_ends_before_it_starts_is_left_out(void **state)
{
	struct nx_ntff_fixture *f = *state;

	code_of_two_engines(f);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, 3000);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 0, 2999);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 0);
}

static void losses_are_counted_inside_the_window_only(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_notification strange = {0x1d000000, 0, 2000};
	const struct nx_decode_loss *loss = &f->decoder.loss;

	code_of_two_engines(f);
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 2000);   /* without a start */
	nx_fixture_end(f, 0, NX_ENGINE_TENSOR, 1, 500);	   /* before the window */
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 2, 2000); /* never ends, twice */
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 2, 2100);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 3, 9001);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 50, 2000); /* no code there */
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 50, 10000);
	nx_fixture_start(f, 0, NX_ENGINE_SYNC, 0, 2000); /* an engine without code */
	nx_fixture_record(f, 0, NX_TRACE_INSTRUCTION, NX_BLOCK_CORE, strange);
	nx_fixture_must_open(f);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(decode(f), 0);
		assert_int_equal(loss->unpaired_end_count, 1);
		assert_int_equal(loss->unpaired_start_count, 2);
		assert_int_equal(loss->outside_code_count, 2);
		assert_int_equal(loss->unknown_record_count, 1);
		assert_int_equal(loss->first_unknown_record, 0x1d);
	}
}

static void other_records_of_the_ring_are_not_instructions(void **state)
{
	struct nx_ntff_fixture *f = *state;
	static const uint32_t types[] = {
		NX_TYPE_INTERRUPT, NX_TYPE_AXI_EVENT,		NX_TYPE_THROTTLE,
		NX_TYPE_ERROR,	   0x06 /* Tensor, explicit */, 0x07 /* Tensor, event */};

	code_of_two_engines(f);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		nx_fixture_record(f, 0, NX_TRACE_INSTRUCTION, NX_BLOCK_CORE,
				  (struct nx_notification){types[i] << 24, 0, 2000});
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->decoder.loss.unknown_record_count, 0);
	assert_int_equal(f->decoder.loss.outside_code_count, 0);
}

static void scanning_twice_gives_the_same_rows(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_instruction first[20];

	f->node.device.graphs.count = 2;
	code_of_two_engines(f);
	nx_fixture_code(f, 1, NX_ENGINE_TENSOR, 0, EIGHT, 8);
	for (unsigned i = 0; i < 10; i++) {
		nx_fixture_start(f, 0, NX_ENGINE_TENSOR, i % 3, 2000 + i);
		nx_fixture_start(f, 1, NX_ENGINE_TENSOR, i % 2, 2000 + i);
		nx_fixture_end(f, 1, NX_ENGINE_TENSOR, i % 2, 2100 + i);
	}
	for (unsigned i = 0; i < 10; i++)
		nx_fixture_end(f, 0, NX_ENGINE_TENSOR, i % 3, 3000 + i);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 20);
	memcpy(first, f->rows.items, sizeof(first));
	assert_int_equal(first[0].graph, 0);
	assert_int_equal(first[10].graph, 1);
	assert_int_equal(first[10].order, 0);
	assert_int_equal(decode(f), 20);
	assert_memory_equal(first, f->rows.items, sizeof(first));
}

static void each_engine_has_its_own_clock(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_ntff_clocks *c = &f->graphs[0].clocks;
	static const uint64_t want_start[NX_ENGINE_COUNT] = {1000, 2000, 3000, 4000, 5000};

	f->graphs[0].has_clocks = true;
	c->has_tensor = c->has_scalar = c->has_gpsimd = c->has_vector = c->has_sync = true;
	c->tensor = (struct nx_ntff_clock){0, 1, 2};
	c->scalar = (struct nx_ntff_clock){0, 1, 3};
	c->gpsimd = (struct nx_ntff_clock){0, 1, 4};
	c->vector = (struct nx_ntff_clock){0, 1, 5};
	c->sync = (struct nx_ntff_clock){0, 1, 6};
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		nx_fixture_code(f, 0, e, 0, EIGHT, 8);
		nx_fixture_start(f, 0, e, 0, 1000);
		nx_fixture_end(f, 0, e, 0, 1000);
	}
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 5);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		assert_int_equal(row(f, e)->start_ps, want_start[e]);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_ntff_fixture_setup, nx_ntff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pair_becomes_a_row),
		TEST(a_loop_pairs_first_in_first_out),
		TEST(the_same_pc_of_two_engines_does_not_mix),
		TEST(the_edges_of_the_window_belong_to_it),
		TEST(without_an_end_the_window_stays_open),
		TEST(an_instruction_that_ends_before_it_starts_is_left_out),
		TEST(losses_are_counted_inside_the_window_only),
		TEST(other_records_of_the_ring_are_not_instructions),
		TEST(scanning_twice_gives_the_same_rows),
		TEST(each_engine_has_its_own_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
