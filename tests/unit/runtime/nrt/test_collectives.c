/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives through the public calls: threads are ranks, one per core. */
#include <nrt/nrt_async.h>
#include <nrt/nrt_experimental.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/runtime/nrt/nrt_fixture.h"
#include "tests/unit/runtime/nrt/rank_threads.h"

#define RANKS 4u

static int open_runtime(void **state)
{
	setenv("NEURON_RT_EXEC_TIMEOUT", "1", 1);
	return nx_fixture_begin(state);
}

struct outcome {
	NRT_STATUS st[RANKS];
	uint32_t gathered[RANKS][RANKS];
	_Atomic uint32_t came;
	uint32_t seen[RANKS];
};

/* --- barriers and gatherings ------------------------------------------------------------------ */

static void pass_barrier(void *context, uint32_t rank, uint32_t count)
{
	struct outcome *o = context;

	o->st[rank] = nrt_build_global_comm((int32_t)rank, rank, count);
	o->came++;
	if (o->st[rank] == NRT_SUCCESS)
		o->st[rank] = nrt_barrier((int32_t)rank, rank, count);
	o->seen[rank] = o->came;
}

static void nobody_passes_before_all_have_come(void **state)
{
	struct outcome o = {0};

	(void)state;
	rank_threads_run(RANKS, pass_barrier, &o);
	for (uint32_t r = 0; r < RANKS; r++) {
		assert_int_equal(o.st[r], NRT_SUCCESS);
		assert_int_equal(o.seen[r], RANKS);
	}
}

static void gather(void *context, uint32_t rank, uint32_t count)
{
	struct outcome *o = context;
	uint32_t mine = 100 + rank;

	o->st[rank] = nrt_all_gather((int32_t)rank, rank, count, 4, &mine, o->gathered[rank]);
}

static void all_have_what_each_had(void **state)
{
	static const uint32_t wanted[RANKS] = {100, 101, 102, 103};
	struct outcome o = {0};

	(void)state;
	for (int turn = 0; turn < 3; turn++) {
		rank_threads_run(RANKS, gather, &o);
		for (uint32_t r = 0; r < RANKS; r++) {
			assert_int_equal(o.st[r], NRT_SUCCESS);
			assert_memory_equal(o.gathered[r], wanted, sizeof(wanted));
		}
	}
}

static void a_rank_alone_is_told(void **state)
{
	uint32_t in = 1, out[2];

	(void)state;
	assert_int_equal(nrt_barrier(0, 0, 2), NRT_TIMEOUT);
	assert_int_equal(nrt_all_gather(0, 0, 2, 4, &in, out), NRT_TIMEOUT);
	assert_int_equal(nrt_barrier(0, 2, 2), NRT_INVALID);
	assert_int_equal(nrt_barrier(0, 0, 0), NRT_INVALID);
	assert_int_equal(nrt_barrier(77, 0, 2), NRT_INVALID);
}

/* --- prepared ones ------------------------------------------------------------------- */

static nrt_tensor_t *tensor_of(uint32_t core, const void *bytes, size_t len)
{
	nrt_tensor_t *tensor = NULL;

	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, (int)core, len, "t",
					     &tensor),
			 NRT_SUCCESS);
	if (bytes)
		assert_int_equal(nrt_tensor_write(tensor, bytes, 0, len), NRT_SUCCESS);
	return tensor;
}

static void wait_for(nrta_seq_t seq)
{
	bool is_done = false;

	while (!is_done) {
		assert_int_equal(nrta_is_completed(seq, &is_done), NRT_SUCCESS);
		sched_yield();
	}
}

/* From one thread: the queues of the cores must not wait for each other. */
static void scheduled_from_one_thread(void **state)
{
	static const uint32_t groups[2][2] = {{0, 2}, {1, 3}};
	static const float wanted[2] = {1 + 3, 2 + 4};
	nrt_tensor_t *in[RANKS], *out[RANKS];
	nrta_seq_t seq[RANKS];

	(void)state;
	for (uint32_t r = 0; r < RANKS; r++) {
		float mine = (float)(r + 1), got = 0;
		nrt_cc_comm_t comm = {(uint32_t *)(uintptr_t)groups[r % 2], r / 2, 2, r, RANKS, r};
		nrt_cc_context_t *context;
		nrt_tensor_list_t inputs = {&in[r], 1}, outputs = {&out[r], 1};

		in[r] = tensor_of(r, &mine, 4);
		out[r] = tensor_of(r, &got, 4);
		assert_int_equal(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_FLOAT32,
						 NRT_OP_ADD, NRT_CC_ALLREDUCE, &context),
				 NRT_SUCCESS);
		assert_int_equal(nrta_cc_schedule(&context, 0, NULL, &seq[r]), NRT_SUCCESS);
	}
	for (uint32_t r = 0; r < RANKS; r++) {
		float got;

		wait_for(seq[r]);
		assert_int_equal(nrt_tensor_read(out[r], &got, 0, 4), NRT_SUCCESS);
		assert_memory_equal(&got, &wanted[r % 2], 4);
		nrt_tensor_free(&in[r]);
		nrt_tensor_free(&out[r]);
	}
}

static void scatter(void *context, uint32_t rank, uint32_t count)
{
	struct outcome *o = context;
	const int32_t mine[RANKS] = {1, 10, 100, 1000 * (int32_t)(rank + 1)};
	nrt_tensor_t *in = tensor_of(rank, mine, sizeof(mine)), *out = tensor_of(rank, NULL, 4);
	nrt_tensor_list_t inputs = {&in, 1}, outputs = {&out, 1};
	nrt_cc_comm_t comm = {NULL, rank, count, rank, count, rank};
	nrt_cc_context_t *cc;
	nrta_seq_t seq;

	o->st[rank] = nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT32, NRT_OP_MAX,
				      NRT_CC_REDUCESCATTER, &cc);
	if (o->st[rank] == NRT_SUCCESS)
		o->st[rank] = nrta_cc_schedule(&cc, 0, NULL, &seq);
	if (o->st[rank] != NRT_SUCCESS)
		return;
	wait_for(seq);
	o->st[rank] = nrt_tensor_read(out, o->gathered[rank], 0, 4);
	nrt_tensor_free(&in);
	nrt_tensor_free(&out);
}

static void each_gets_its_part(void **state)
{
	static const uint32_t wanted[RANKS] = {1, 10, 100, 4000};
	struct outcome o = {0};

	(void)state;
	rank_threads_run(RANKS, scatter, &o);
	for (uint32_t r = 0; r < RANKS; r++) {
		assert_int_equal(o.st[r], NRT_SUCCESS);
		assert_int_equal(o.gathered[r][0], wanted[r]);
	}
}

static void wrong_groups_are_refused(void **state)
{
	static const uint32_t far[2] = {0, 9}, others[2] = {1, 2};
	nrt_tensor_t *in = tensor_of(0, NULL, 4), *out = tensor_of(0, NULL, 4);
	nrt_tensor_list_t inputs = {&in, 1}, outputs = {&out, 1};
	nrt_cc_comm_t comm = {(uint32_t *)(uintptr_t)far, 0, 2, 0, 4, 0};
	nrt_cc_context_t *cc;

	(void)state;
	assert_int_equal(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT32, NRT_OP_ADD,
					 NRT_CC_ALLREDUCE, &cc),
			 NRT_INVALID);
	comm.replica_group = (uint32_t *)(uintptr_t)others;
	assert_int_equal(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT32, NRT_OP_ADD,
					 NRT_CC_ALLREDUCE, &cc),
			 NRT_INVALID);
	assert_int_equal(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT32, NRT_OP_FMA,
					 NRT_CC_ALLREDUCE, &cc),
			 NRT_INVALID);
	nrt_tensor_free(&in);
	nrt_tensor_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_passes_before_all_have_come, open_runtime,
						nx_fixture_end),
		cmocka_unit_test_setup_teardown(all_have_what_each_had, open_runtime,
						nx_fixture_end),
		cmocka_unit_test_setup_teardown(a_rank_alone_is_told, open_runtime, nx_fixture_end),
		cmocka_unit_test_setup_teardown(scheduled_from_one_thread, open_runtime,
						nx_fixture_end),
		cmocka_unit_test_setup_teardown(each_gets_its_part, open_runtime, nx_fixture_end),
		cmocka_unit_test_setup_teardown(wrong_groups_are_refused, open_runtime,
						nx_fixture_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
