/* SPDX-License-Identifier: Apache-2.0 */
/* Names, sizes, the published word, and records that may lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/collective.h"
#include "format/instruction.h"

/* The one word that has been published with its text. */
static const uint8_t published[NX_SLOT_BYTES] = {0xc8, 0x10, 0,	 0, 4, 10, 0x13, 22, 0, 0, 0,
						 0,    4,    10, 0, 0, 3,  0,	 0,  0, 4, 0,
						 0,    0,    32, 0, 0, 0,  0,	 0,  0, 0, 1};

static void the_published_word(void **state)
{
	struct nx_collective_word word;

	(void)state;
	nx_collective_word_get(published, &word);
	assert_int_equal(word.kind, NX_COLLECTIVE_ALL_REDUCE);
	assert_int_equal(word.op, 4);
	assert_int_equal(word.dtype, 10);
	assert_int_equal(word.input_id, 3);
	assert_int_equal(word.output_id, 4);
	assert_int_equal(word.element_count, 32);
	assert_int_equal(word.group, 0);
}

static void names_and_sizes(void **state)
{
	(void)state;
	assert_string_equal(nx_collective_kind_name(1), "AllReduce");
	assert_null(nx_collective_kind_name(-1));
	assert_string_equal(nx_collective_algorithm_name(3), "kangaring");
	assert_null(nx_collective_algorithm_name(11));
	assert_null(nx_collective_algorithm_name(-1));
	assert_int_equal(nx_collective_output_count(NX_COLLECTIVE_ALL_GATHER, 5, 4), 20);
	assert_int_equal(nx_collective_output_count(NX_COLLECTIVE_REDUCE_SCATTER, 20, 4), 5);
	assert_int_equal(nx_collective_output_count(NX_COLLECTIVE_REDUCE_SCATTER, 20, 0), 0);
	assert_int_equal(nx_collective_output_count(NX_COLLECTIVE_ALL_GATHER, UINT64_MAX, 2), 0);
	assert_int_equal((int)(nx_collective_bus_factor(NX_COLLECTIVE_ALL_REDUCE, 4) * 1000), 1500);
	assert_int_equal((int)(nx_collective_bus_factor(NX_COLLECTIVE_ALL_GATHER, 4) * 1000), 750);
	assert_int_equal((int)(nx_collective_bus_factor(NX_COLLECTIVE_PERMUTE, 4) * 1000), 1000);
}

static void records_come_back(void **state)
{
	static const uint32_t ranks[] = {3, 1};
	struct nx_collective_ranks group = {7, ranks, 2};
	struct nx_collective_record records[] = {{0, 2, 10, 20, 30}, {1, 4, 40, 50, 60}};
	struct nx_collective_trace trace = {&group, 1, records, 2}, got;
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};

	(void)state;
	nx_collective_trace_put(&trace, &bytes);
	assert_int_equal(bytes.len, 16 + 8 + 8 + 2 * 32);
	assert_true(nx_collective_trace_get(nx_slice_of(bytes.items, bytes.len), &arena, &got));
	assert_int_equal(got.group_count, 1);
	assert_int_equal(got.groups[0].id, 7);
	assert_int_equal(got.groups[0].count, 2);
	assert_int_equal(got.groups[0].ranks[0], 3);
	assert_int_equal(got.record_count, 2);
	assert_int_equal(got.records[1].engine, 4);
	assert_int_equal(got.records[1].end_ps, 60);
	for (size_t len = 0; len < bytes.len; len++) {
		assert_false(nx_collective_trace_get(nx_slice_of(bytes.items, len), &arena, &got));
		assert_int_equal(got.record_count, 0);
	}
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

static void counts_that_lie(void **state)
{
	uint8_t bytes[64] = {'N', 'X', 'C', 'C', 1};
	struct nx_collective_trace got;
	struct nx_arena arena = {0};

	(void)state;
	memset(bytes + 8, 0xff, 4);
	assert_false(nx_collective_trace_get(nx_slice_of(bytes, 64), &arena, &got));
	memset(bytes + 8, 0, 4);
	memset(bytes + 12, 0xff, 4);
	assert_false(nx_collective_trace_get(nx_slice_of(bytes, 64), &arena, &got));
	memset(bytes + 8, 0, 8);
	bytes[8] = 1;
	memset(bytes + 20, 0xff, 4);
	assert_false(nx_collective_trace_get(nx_slice_of(bytes, 64), &arena, &got));
	bytes[4] = 2;
	assert_false(nx_collective_trace_get(nx_slice_of(bytes, 64), &arena, &got));
	assert_true(arena.used_bytes < 1024);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_word),
		cmocka_unit_test(names_and_sizes),
		cmocka_unit_test(records_come_back),
		cmocka_unit_test(counts_that_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
