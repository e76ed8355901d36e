/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind, type, operation and algorithm over 1 to 8 ranks, against plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/instruction.h"
#include "rank_threads.h"
#include "runtime/device/alu.h"
#include "runtime/device/element.h"
#include "runtime/nrt/ranks/rank_collective.h"

#define MOST 8u
#define LEN 4096u

static const uint32_t rank_counts[] = {1, 2, 3, 5, 8};
static const unsigned dtypes[] = {NX_DTYPE_INT8,   NX_DTYPE_UINT8, NX_DTYPE_INT16, NX_DTYPE_UINT16,
				  NX_DTYPE_BF16,   NX_DTYPE_FP16,  NX_DTYPE_INT32, NX_DTYPE_UINT32,
				  NX_DTYPE_FP32,   NX_DTYPE_FP8E3, NX_DTYPE_FP8E4, NX_DTYPE_FP8E5,
				  NX_DTYPE_UINT64, NX_DTYPE_INT64};
static const unsigned ops[] = {NX_ALU_OP_ADD, NX_ALU_OP_MULTIPLY, NX_ALU_OP_MAX, NX_ALU_OP_MIN};
static const int64_t algorithms[] = {NX_ALGORITHM_RING, NX_ALGORITHM_MESH, NX_ALGORITHM_RDH,
				     NX_ALGORITHM_KANGARING};

struct job {
	struct nx_rank_collective call; /* buffers are filled in by each rank */
	uint8_t in[MOST][LEN], out[MOST][LEN];
	size_t in_len, out_len;
	enum nx_status st[MOST];
	struct nx_error err[MOST];
};

static struct job job;

/* Small enough for the narrowest float, also when 8 of them are multiplied. */
static int64_t value_of(unsigned op, uint32_t rank, uint64_t element)
{
	if (op == NX_ALU_OP_MULTIPLY)
		return (rank + element) % 3 == 0 ? 2 : 1;
	return (int64_t)((rank * 5 + element * 3) % 2);
}

static void put_value(unsigned dtype, uint8_t *at, uint64_t element, int64_t value)
{
	float real = (float)value;
	size_t size = nx_dtype_bytes(dtype);

	if (nx_dtype_is_integer(dtype))
		nx_element_store_integer(dtype, &value, 1, at + element * size, (ptrdiff_t)size);
	else
		nx_element_store(dtype, &real, 1, at + element * size, (ptrdiff_t)size);
}

static int64_t reduced(unsigned op, uint32_t count, uint64_t element)
{
	int64_t all = value_of(op, 0, element);

	for (uint32_t r = 1; r < count; r++) {
		int64_t value = value_of(op, r, element);

		if (op == NX_ALU_OP_ADD)
			all += value;
		else if (op == NX_ALU_OP_MULTIPLY)
			all *= value;
		else if (op == NX_ALU_OP_MAX)
			all = all > value ? all : value;
		else
			all = all < value ? all : value;
	}
	return all;
}

static void run_rank(void *context, uint32_t rank, uint32_t count)
{
	struct job *j = context;
	struct nx_rank_collective call = j->call;
	struct nx_rank_world *world;
	struct nx_rank_group group;

	call.input = nx_slice_of(j->in[rank], j->in_len);
	call.output = j->out[rank];
	call.output_len = j->out_len;
	j->st[rank] = nx_rank_world_join(rank, count, &world, &j->err[rank]);
	if (j->st[rank])
		return;
	j->st[rank] = nx_rank_group_init(&group, world, rank, NULL, count, 7, &j->err[rank]);
	if (!j->st[rank])
		j->st[rank] = nx_rank_collective_run(&group, &call, &j->err[rank]);
	nx_rank_world_leave(world, rank);
}

static void run_all(uint32_t count)
{
	memset(job.out, 0xee, sizeof(job.out));
	rank_threads_run(count, run_rank, &job);
	for (uint32_t r = 0; r < count; r++)
		if (job.st[r])
			fail_msg("rank %u: %s", r, job.err[r].message);
}

static void prepare(int64_t kind, unsigned op, unsigned dtype, uint64_t elements, uint32_t count)
{
	size_t size = nx_dtype_bytes(dtype);

	memset(&job, 0, sizeof(job));
	job.call.kind = kind;
	job.call.op = op;
	job.call.dtype = dtype;
	job.call.element_count = elements;
	job.call.algorithm = NX_ALGORITHM_MESH;
	job.in_len = elements * size;
	job.out_len = nx_collective_output_count(kind, elements, count) * size;
	for (uint32_t r = 0; r < count; r++)
		for (uint64_t i = 0; i < elements; i++)
			put_value(dtype, job.in[r], i, value_of(op, r, i));
}

static bool can_go(int64_t algorithm, uint32_t count)
{
	if (algorithm == NX_ALGORITHM_RDH)
		return !(count & (count - 1));
	return algorithm != NX_ALGORITHM_KANGARING || count % 2 == 0;
}

static void expect(unsigned dtype, uint32_t rank, const uint8_t *wanted, size_t len,
		   const char *what)
{
	if (memcmp(job.out[rank], wanted, len) != 0)
		fail_msg("%s: rank %u, type %u, algorithm %lld differs", what, rank, dtype,
			 (long long)job.call.algorithm);
}

/* --- reductions ---------------------------------------------------------------------------- */

static void check_all_reduce(unsigned op, unsigned dtype, uint32_t count)
{
	uint8_t wanted[LEN];
	uint64_t elements = 37;

	prepare(NX_COLLECTIVE_ALL_REDUCE, op, dtype, elements, count);
	for (uint64_t i = 0; i < elements; i++)
		put_value(dtype, wanted, i, reduced(op, count, i));
	for (size_t a = 0; a < 4; a++) {
		if (!can_go(algorithms[a], count))
			continue;
		job.call.algorithm = algorithms[a];
		run_all(count);
		for (uint32_t r = 0; r < count; r++)
			expect(dtype, r, wanted, job.out_len, "all_reduce");
	}
}

static void check_reduce_scatter(unsigned op, unsigned dtype, uint32_t count)
{
	uint64_t elements = 6 * (uint64_t)count;
	uint8_t wanted[LEN];

	prepare(NX_COLLECTIVE_REDUCE_SCATTER, op, dtype, elements, count);
	for (size_t a = 0; a < 4; a++) {
		if (!can_go(algorithms[a], count))
			continue;
		job.call.algorithm = algorithms[a];
		run_all(count);
		for (uint32_t r = 0; r < count; r++) {
			for (uint64_t i = 0; i < 6; i++)
				put_value(dtype, wanted, i, reduced(op, count, 6 * r + i));
			expect(dtype, r, wanted, job.out_len, "reduce_scatter");
		}
	}
}

static void test_reductions(void **state)
{
	(void)state;
	for (size_t n = 0; n < 5; n++)
		for (size_t d = 0; d < sizeof(dtypes) / sizeof(dtypes[0]); d++)
			for (size_t o = 0; o < 4; o++) {
				check_all_reduce(ops[o], dtypes[d], rank_counts[n]);
				check_reduce_scatter(ops[o], dtypes[d], rank_counts[n]);
			}
}

/* left = left op right, as an all-reduce over two ranks. */
static void reduce_two(unsigned op, unsigned dtype, void *left, const void *right, uint64_t count)
{
	prepare(NX_COLLECTIVE_ALL_REDUCE, op, dtype, count, 2);
	memcpy(job.in[0], left, job.in_len);
	memcpy(job.in[1], right, job.in_len);
	run_all(2);
	memcpy(left, job.out[0], job.out_len);
}

static void test_integers_wrap(void **state)
{
	uint8_t left[2] = {250, 1}, right[2] = {10, 255};
	int8_t low[1] = {-100};
	const int8_t lower[1] = {-50};

	(void)state;
	reduce_two(NX_ALU_OP_ADD, NX_DTYPE_UINT8, left, right, 2);
	assert_int_equal(left[0], 4);
	assert_int_equal(left[1], 0);
	reduce_two(NX_ALU_OP_ADD, NX_DTYPE_INT8, low, lower, 1);
	assert_int_equal(low[0], 106);
	reduce_two(NX_ALU_OP_MAX, NX_DTYPE_INT8, low, lower, 1);
	assert_int_equal(low[0], 106);
}

static void test_unsigned_order(void **state)
{
	uint64_t left = UINT64_MAX;
	const uint64_t right = 1;

	(void)state;
	reduce_two(NX_ALU_OP_MIN, NX_DTYPE_UINT64, &left, &right, 1);
	assert_true(left == 1);
}

/* Sums that round: all ranks must still hold the same bits. */
static void test_bits_are_equal(void **state)
{
	(void)state;
	for (size_t n = 1; n < 5; n++)
		for (size_t a = 0; a < 4; a++) {
			uint32_t count = rank_counts[n];

			if (!can_go(algorithms[a], count))
				continue;
			prepare(NX_COLLECTIVE_ALL_REDUCE, NX_ALU_OP_ADD, NX_DTYPE_FP32, 301, count);
			job.call.algorithm = algorithms[a];
			for (uint32_t r = 0; r < count; r++)
				for (uint32_t i = 0; i < 301; i++) {
					float x = 1.0f / (float)(1 + (r * 31 + i * 17) % 97);

					memcpy(job.in[r] + 4 * i, &x, 4);
				}
			run_all(count);
			for (uint32_t r = 1; r < count; r++)
				expect(NX_DTYPE_FP32, r, job.out[0], job.out_len, "equal bits");
		}
}

/* --- movements ----------------------------------------------------------------------- */

static void test_all_gather(void **state)
{
	uint8_t wanted[LEN];

	(void)state;
	for (size_t n = 0; n < 5; n++)
		for (size_t a = 0; a < 4; a++) {
			uint32_t count = rank_counts[n];

			if (!can_go(algorithms[a], count))
				continue;
			prepare(NX_COLLECTIVE_ALL_GATHER, NX_ALU_OP_ADD, NX_DTYPE_INT16, 11, count);
			for (uint32_t r = 0; r < count; r++)
				for (uint32_t i = 0; i < 11; i++) {
					put_value(NX_DTYPE_INT16, job.in[r], i, 100 * r + i);
					put_value(NX_DTYPE_INT16, wanted, 11 * r + i, 100 * r + i);
				}
			job.call.algorithm = algorithms[a];
			run_all(count);
			for (uint32_t r = 0; r < count; r++)
				expect(NX_DTYPE_INT16, r, wanted, job.out_len, "all_gather");
		}
}

static void test_all_gather_v(void **state)
{
	static const uint64_t counts[] = {3, 0, 5, 1, 2, 4, 1, 7};
	uint8_t wanted[LEN];

	(void)state;
	for (size_t n = 0; n < 5; n++) {
		uint32_t count = rank_counts[n], at = 0;

		prepare(NX_COLLECTIVE_ALL_GATHER_V, 0, NX_DTYPE_INT32, 7, count);
		for (uint32_t r = 0; r < count; r++)
			for (uint32_t i = 0; i < counts[r]; i++) {
				put_value(NX_DTYPE_INT32, job.in[r], i, 100 * r + i);
				put_value(NX_DTYPE_INT32, wanted, at++, 100 * r + i);
			}
		job.call.counts = counts;
		job.call.count_count = count;
		job.out_len = 4 * at;
		run_all(count);
		for (uint32_t r = 0; r < count; r++)
			expect(NX_DTYPE_INT32, r, wanted, job.out_len, "all_gather_v");
	}
}

static void test_all_to_all(void **state)
{
	uint8_t wanted[LEN];

	(void)state;
	for (size_t n = 0; n < 5; n++) {
		uint32_t count = rank_counts[n];

		prepare(NX_COLLECTIVE_ALL_TO_ALL, 0, NX_DTYPE_INT32, 3 * count, count);
		for (uint32_t r = 0; r < count; r++)
			for (uint32_t i = 0; i < 3 * count; i++)
				put_value(NX_DTYPE_INT32, job.in[r], i, 100 * r + i);
		run_all(count);
		for (uint32_t r = 0; r < count; r++) {
			for (uint32_t i = 0; i < 3 * count; i++)
				put_value(NX_DTYPE_INT32, wanted, i, 100 * (i / 3) + 3 * r + i % 3);
			expect(NX_DTYPE_INT32, r, wanted, job.out_len, "all_to_all");
		}
	}
}

/* Rank i sends i + j elements to rank j, each telling where it comes from. */
static void test_all_to_all_v(void **state)
{
	uint64_t counts[MOST * MOST];
	uint8_t wanted[LEN];

	(void)state;
	for (size_t n = 0; n < 5; n++) {
		uint32_t count = rank_counts[n];

		prepare(NX_COLLECTIVE_ALL_TO_ALL_V, 0, NX_DTYPE_INT16, 0, count);
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t j = 0, at = 0; j < count; j++) {
				counts[i * count + j] = i + j;
				for (uint32_t e = 0; e < i + j; e++)
					put_value(NX_DTYPE_INT16, job.in[i], at++,
						  100 * i + 10 * j + e);
			}
		job.call.counts = counts;
		job.call.count_count = (size_t)count * count;
		job.in_len = job.out_len = LEN;
		run_all(count);
		for (uint32_t j = 0; j < count; j++) {
			uint32_t at = 0;

			for (uint32_t i = 0; i < count; i++)
				for (uint32_t e = 0; e < i + j; e++)
					put_value(NX_DTYPE_INT16, wanted, at++,
						  100 * i + 10 * j + e);
			expect(NX_DTYPE_INT16, j, wanted, 2 * at, "all_to_all_v");
		}
	}
}

static void test_permute(void **state)
{
	static const uint32_t pairs[][2] = {{0, 2}, {2, 0}};
	static const int32_t wanted[] = {200, 0, 0};

	(void)state;
	prepare(NX_COLLECTIVE_PERMUTE, 0, NX_DTYPE_INT32, 1, 3);
	for (uint32_t r = 0; r < 3; r++)
		put_value(NX_DTYPE_INT32, job.in[r], 0, 100 * r);
	job.call.pairs = pairs;
	job.call.pair_count = 2;
	run_all(3);
	for (uint32_t r = 0; r < 3; r++)
		expect(NX_DTYPE_INT32, r, (const uint8_t *)&wanted[r], 4, "permute");
}

static void test_send_recv_goes_round(void **state)
{
	(void)state;
	for (size_t n = 0; n < 5; n++) {
		uint32_t count = rank_counts[n];

		prepare(NX_COLLECTIVE_SEND_RECV, 0, NX_DTYPE_INT32, 1, count);
		for (uint32_t r = 0; r < count; r++)
			put_value(NX_DTYPE_INT32, job.in[r], 0, r);
		run_all(count);
		for (uint32_t r = 0; r < count; r++) {
			uint32_t before = (r + count - 1) % count;

			expect(NX_DTYPE_INT32, r, (const uint8_t *)&before, 4, "send_recv");
		}
	}
}

static void test_broadcast(void **state)
{
	(void)state;
	for (size_t n = 0; n < 5; n++)
		for (uint32_t root = 0; root < rank_counts[n]; root++) {
			prepare(NX_COLLECTIVE_BROADCAST, 0, NX_DTYPE_INT32, 1, rank_counts[n]);
			for (uint32_t r = 0; r < rank_counts[n]; r++)
				put_value(NX_DTYPE_INT32, job.in[r], 0, r);
			job.call.root = root;
			run_all(rank_counts[n]);
			for (uint32_t r = 0; r < rank_counts[n]; r++)
				expect(NX_DTYPE_INT32, r, (const uint8_t *)&root, 4, "broadcast");
		}
}

/* --- refusals ------------------------------------------------------------------------ */

static void refuse(enum nx_status st, const char *part)
{
	run_rank(&job, 0, 1);
	assert_int_equal(job.st[0], st);
	if (!strstr(job.err[0].message, part))
		fail_msg("\"%s\" does not say \"%s\"", job.err[0].message, part);
}

static void test_refuses(void **state)
{
	static const uint32_t pairs[][2] = {{0, 1}};
	static const uint64_t counts[] = {UINT64_MAX};

	(void)state;
	prepare(17, 0, NX_DTYPE_FP32, 1, 1);
	refuse(NX_UNSUPPORTED, "kind 17");
	prepare(NX_COLLECTIVE_ALL_REDUCE, 0x16, NX_DTYPE_FP32, 1, 1);
	refuse(NX_UNSUPPORTED, "operation 22");
	prepare(NX_COLLECTIVE_ALL_GATHER, 0, 0, 1, 1);
	refuse(NX_UNSUPPORTED, "type 0");
	prepare(NX_COLLECTIVE_ALL_REDUCE, NX_ALU_OP_ADD, NX_DTYPE_FP32, 8, 1);
	job.out_len = 31;
	refuse(NX_MISMATCH, "31 bytes");
	prepare(NX_COLLECTIVE_ALL_REDUCE, NX_ALU_OP_ADD, NX_DTYPE_FP32, 8, 1);
	job.call.element_count = UINT64_MAX / 2;
	refuse(NX_MISMATCH, "elements");
	prepare(NX_COLLECTIVE_PERMUTE, 0, NX_DTYPE_FP32, 1, 1);
	job.call.pairs = pairs;
	job.call.pair_count = 1;
	refuse(NX_FORMAT, "connects rank 0 to rank 1");
	prepare(NX_COLLECTIVE_ALL_GATHER_V, 0, NX_DTYPE_FP32, 1, 1);
	refuse(NX_MISMATCH, "needs 1 counts");
	job.call.counts = counts;
	job.call.count_count = 1;
	refuse(NX_LIMIT, "too many");
	prepare(NX_COLLECTIVE_BROADCAST, 0, NX_DTYPE_FP32, 1, 1);
	job.call.root = 1;
	refuse(NX_FORMAT, "cannot broadcast");
}

static void test_uneven_cuts(void **state)
{
	(void)state;
	prepare(NX_COLLECTIVE_REDUCE_SCATTER, NX_ALU_OP_ADD, NX_DTYPE_FP32, 7, 2);
	rank_threads_run(2, run_rank, &job);
	assert_int_equal(job.st[0], NX_MISMATCH);
	assert_int_equal(job.st[1], NX_MISMATCH);
	assert_non_null(strstr(job.err[1].message, "cannot be divided among 2 ranks"));
}

static int end_worlds(void **state)
{
	(void)state;
	nx_rank_worlds_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_reductions, end_worlds),
		cmocka_unit_test(test_integers_wrap),
		cmocka_unit_test(test_unsigned_order),
		cmocka_unit_test_teardown(test_bits_are_equal, end_worlds),
		cmocka_unit_test_teardown(test_all_gather, end_worlds),
		cmocka_unit_test_teardown(test_all_gather_v, end_worlds),
		cmocka_unit_test_teardown(test_all_to_all, end_worlds),
		cmocka_unit_test_teardown(test_all_to_all_v, end_worlds),
		cmocka_unit_test_teardown(test_permute, end_worlds),
		cmocka_unit_test_teardown(test_send_recv_goes_round, end_worlds),
		cmocka_unit_test_teardown(test_broadcast, end_worlds),
		cmocka_unit_test_teardown(test_refuses, end_worlds),
		cmocka_unit_test_teardown(test_uneven_cuts, end_worlds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
