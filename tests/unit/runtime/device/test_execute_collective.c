/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "runtime/device/device_ranks.h"
#include "tests/unit/runtime/device/core_fixture.h"

static struct core_fixture f;
static uint8_t word[NX_SLOT_BYTES];
static struct nx_device_collective seen;
static unsigned call_count;
static enum nx_status answer;

static enum nx_status note(void *context, const struct nx_device_collective *call,
			   struct nx_error *err)
{
	assert_ptr_equal(context, &f);
	seen = *call;
	call_count++;
	return answer ? nx_fail(err, answer, "rank 1 is gone") : NX_OK;
}

static const struct nx_device_ranks ranks = {&f, note};

static void trigger(uint8_t opcode, uint32_t from, uint32_t to)
{
	word_clear(word, opcode);
	word[12] = 4;
	word[13] = 10;
	nx_store16(word + 14, 1);
	nx_store32(word + 16, from);
	nx_store32(word + 20, to);
	nx_store64(word + 24, 32);
	word[32] = NX_COLLECTIVE_ALL_GATHER;
	call_count = 0;
	answer = NX_OK;
	core_fixture_run_one(&f, NX_ENGINE_GPSIMD, word);
}

static void test_ranks_get_memory_and_groups(void **state)
{
	uint32_t members[] = {0, 3};
	struct nx_rank_list list = {members, 2};
	struct nx_rank_lists groups[2] = {{NULL, 0}, {&list, 1}};

	(void)state;
	f.options.ranks = &ranks;
	f.core_programs[0].replica_groups = (struct nx_rank_choices){groups, 2};
	trigger(0xc8, VAR_CONSTANT, VAR_TENSOR);
	assert_int_equal(call_count, 1);
	assert_int_equal(seen.word.kind, NX_COLLECTIVE_ALL_GATHER);
	assert_int_equal(seen.word.element_count, 32);
	assert_int_equal(seen.engine, NX_ENGINE_GPSIMD);
	assert_ptr_equal(seen.output, f.machine.tensors[0].bytes);
	assert_int_equal(seen.output_len, FIXTURE_TENSOR_BYTES);
	assert_int_equal(seen.groups.count, 1);
	assert_int_equal(seen.groups.items[0].items[1], 3);
	assert_int_equal(seen.pairs.count, 0);
	trigger(0xd9, VAR_TENSOR, VAR_SCRATCH);
	assert_int_equal(call_count, 1);
	assert_int_equal(f.report.fault_count, 0);
}

static void test_wrong_memory_is_a_fault(void **state)
{
	(void)state;
	f.options.ranks = &ranks;
	trigger(0xc8, 99, VAR_TENSOR);
	assert_int_equal(faults_of(&f, NX_FAULT_DMA_BOUNDS), 1);
	trigger(0xc8, VAR_TENSOR, VAR_SBUF);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1);
	trigger(0xc8, VAR_TENSOR, VAR_CONSTANT);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 2);
	assert_int_equal(call_count, 0);
}

static void test_alone_it_is_not_known(void **state)
{
	(void)state;
	f.options.ranks = NULL;
	trigger(0xc8, VAR_TENSOR, VAR_TENSOR);
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
}

static void test_what_ranks_fail_with_ends_the_run(void **state)
{
	(void)state;
	f.options.ranks = &ranks;
	trigger(0xc8, VAR_TENSOR, VAR_TENSOR);
	assert_int_equal(f.machine.status, NX_OK);
	answer = NX_IO;
	core_fixture_run_one(&f, NX_ENGINE_GPSIMD, word);
	assert_int_equal(f.machine.status, NX_IO);
	assert_string_equal(f.machine.error.message, "rank 1 is gone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_CASE(f, test_ranks_get_memory_and_groups),
		CORE_CASE(f, test_wrong_memory_is_a_fault),
		CORE_CASE(f, test_alone_it_is_not_known),
		CORE_CASE(f, test_what_ranks_fail_with_ends_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
