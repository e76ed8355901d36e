/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/device/core_fixture.h"
#include "tests/unit/runtime/device/exactly.h"

static struct core_fixture f;
static uint8_t words[2][NX_SLOT_BYTES];

#define ENGINE NX_ENGINE_GPSIMD

static uint8_t *tensor(void)
{
	return f.machine.tensors[0].bytes;
}

static float tensor_f32(size_t at)
{
	return nx_load_f32(tensor() + at);
}

/* --- transfers that an instruction describes ----------------------------------------- */

struct side {
	uint32_t offset, index;
	uint8_t kind;
	int32_t steps[2];
	uint16_t counts[2];
	uint16_t element_bytes;
};

static void put_side(uint8_t *word, unsigned at, const struct side *s)
{
	nx_store32(word + at, s->offset);
	nx_store32(word + at + 4, s->index | (uint32_t)s->kind << 24);
	nx_store32(word + at + 8, (uint32_t)s->steps[0]);
	nx_store32(word + at + 12, (uint32_t)s->steps[1]);
	nx_store16(word + at + 16, s->counts[0]);
	nx_store16(word + at + 18, s->counts[1]);
	nx_store16(word + at + 20, s->element_bytes);
}

static void direct(const struct side *from, const struct side *to, unsigned from_dtype,
		   unsigned to_dtype)
{
	word_clear(words[0], NX_OP_PSEUDO_DMA_DIRECT2D);
	words[0][13] = 8;
	nx_store16(words[0] + 14, 16);
	put_side(words[0], 16, from);
	put_side(words[0], 40, to);
	words[0][62] = (uint8_t)from_dtype;
	words[0][63] = (uint8_t)to_dtype;
}

static void start(size_t count)
{
	core_fixture_run(&f, ENGINE, (const uint8_t(*)[NX_SLOT_BYTES])words, count);
}

static void transfer(void)
{
	size_t queue = f.cores[0].queue_count - NX_ENGINE_COUNT + ENGINE;

	assert_true(nx_core_queue_is_ready(&f.cores[0], queue));
	nx_core_transfer(&f.cores[0], queue);
	assert_false(nx_core_queue_is_ready(&f.cores[0], queue));
}

static const struct side sbuf_column = {64, VAR_SBUF, 0x10, {1 << 18, 1}, {2, 1}, 8};
static const struct side tensor_rows = {32, VAR_TENSOR, 0x10, {8, 1}, {2, 1}, 8};

static void test_direct_copy(void **state)
{
	const float lanes[2][2] = {{1, 2}, {3, 4}};

	(void)state;
	put_f32(&f, PARTITION(0) + 64, lanes[0], 2);
	put_f32(&f, PARTITION(1) + 64, lanes[1], 2);
	direct(&sbuf_column, &tensor_rows, NX_DTYPE_FP32, NX_DTYPE_FP32);
	start(1);
	assert_int_equal(f.cores[0].semaphores[8], 0); /* nothing has moved yet */
	transfer();
	assert_int_equal(f.cores[0].semaphores[8], 16);
	for (unsigned i = 0; i < 4; i++)
		assert_exactly(tensor_f32(32 + 4 * i), i + 1);
	assert_int_equal(f.report.dma_bytes, 16);
	assert_int_equal(f.report.dma_count, 1);
}

static void test_direct_cast(void **state)
{
	const float values[2] = {1.00390625f, 2};
	struct side from = {64, VAR_SBUF, 0x10, {1, 1}, {1, 1}, 8};
	struct side to = {0, VAR_TENSOR, 0x10, {1, 1}, {1, 1}, 4};

	(void)state;
	put_f32(&f, 64, values, 2);
	direct(&from, &to, NX_DTYPE_FP32, NX_DTYPE_BF16);
	start(1);
	transfer();
	assert_int_equal(nx_load32(tensor()), 0x40003f80);
}

/* The register is read when the instruction issues, not when the transfer runs. */
static void test_register_addresses(void **state)
{
	struct side from = {5, 0, 0x28, {1, 1}, {1, 1}, 4};
	struct side to = {64, VAR_SBUF, 0x10, {1, 1}, {1, 1}, 4};

	(void)state;
	nx_store32(tensor() + 40, 0x12345678);
	f.cores[0].registers[ENGINE][5] = 40;
	direct(&from, &to, NX_DTYPE_FP32, NX_DTYPE_FP32);
	word_clear(words[1], NX_OP_PSEUDO_EXTENSION);
	nx_store32(words[1] + 12, 44);
	start(2);
	f.cores[0].registers[ENGINE][5] = 0;
	transfer();
	assert_int_equal(u32_at(&f, 64), 0x12345678);
	/* one byte less in the word behind it, and the tensor ends before the element */
	f.cores[0].registers[ENGINE][5] = 40;
	nx_store32(words[1] + 12, 43);
	start(2);
	transfer();
	assert_int_equal(faults_of(&f, NX_FAULT_DMA_BOUNDS), 1);
	assert_int_equal(f.cores[0].semaphores[8], 32); /* it completes all the same */
}

static void test_table_and_scratchpad(void **state)
{
	struct side from = {0, VAR_CONSTANT, 0x10, {1, 1}, {1, 1}, 8};
	struct side to = {8, 1, 0x20, {1, 1}, {1, 1}, 8};

	(void)state;
	direct(&from, &to, NX_DTYPE_UINT8, NX_DTYPE_UINT8);
	start(1);
	transfer();
	assert_int_equal(nx_load64(f.cores[0].scratch.bytes + 128 + 8), 0x0807060504030201);
}

static void test_remote_state_buffer(void **state)
{
	struct side from = {0, VAR_CONSTANT, 0x10, {1, 1}, {1, 1}, 4};
	struct side to = {256, VAR_REMOTE, 0x10, {1, 1}, {1, 1}, 4};

	(void)state;
	direct(&from, &to, NX_DTYPE_UINT8, NX_DTYPE_UINT8);
	start(1);
	transfer();
	assert_int_equal(nx_load32(f.cores[1].on_chip.bytes + 256), 0x04030201);
	assert_int_equal(u32_at(&f, 256), 0xffffffffu);
}

static void test_direct_refusals(void **state)
{
	struct side from = sbuf_column, to = tensor_rows;

	(void)state;
	to.kind = 0x33;
	direct(&from, &to, NX_DTYPE_FP32, NX_DTYPE_FP32);
	start(1);
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
	to.kind = 0x10;
	to.index = 77;
	direct(&from, &to, NX_DTYPE_FP32, NX_DTYPE_FP32);
	start(1);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1);
	to = tensor_rows;
	to.offset = FIXTURE_TENSOR_BYTES - 15;
	direct(&from, &to, NX_DTYPE_FP32, NX_DTYPE_FP32);
	start(1);
	transfer();
	to.index = VAR_CONSTANT; /* is not to be written */
	to.offset = 0;
	direct(&from, &to, NX_DTYPE_FP32, NX_DTYPE_FP32);
	start(1);
	transfer();
	to = tensor_rows;
	to.element_bytes = 4; /* half of what comes */
	direct(&from, &to, NX_DTYPE_FP32, NX_DTYPE_FP32);
	start(1);
	transfer();
	direct(&from, &to, NX_DTYPE_FP32, 200); /* no such type */
	start(1);
	transfer();
	assert_int_equal(faults_of(&f, NX_FAULT_DMA_BOUNDS), 4);
}

/* --- blocks of descriptors ----------------------------------------------------- */

static struct nx_neff_descriptor descriptors[2];
static struct nx_neff_block block;
#define SIDE(which, at, type, count, lengths, strides)                                             \
	((struct nx_neff_side){.variable = (which),                                                \
			       .offset = (at),                                                     \
			       .dtype = (type),                                                    \
			       .dims = (count),                                                    \
			       .sizes = (lengths),                                                 \
			       .steps = (strides)})

static struct nx_neff_side sources[2];

static void run_block(size_t count)
{
	struct nx_dma_job job = {.block = &block, .word = nx_word_of(words[0]), .engine = ENGINE};

	block = (struct nx_neff_block){
		.id = 3, .semaphore = 40, .descriptors = descriptors, .descriptor_count = count};
	nx_vec_push(&f.cores[0].queues[0], job);
	nx_core_transfer(&f.cores[0], 0);
}

static const uint64_t sizes_16[1] = {16}, sizes_8[1] = {8};
static const int64_t step_1[1] = {1};

static void test_block_counts_up_by_its_rings(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		sources[i] = SIDE(VAR_CONSTANT, 16 * i, 0, 1, sizes_16, step_1);
		descriptors[i] = (struct nx_neff_descriptor){.op = NX_DMA_COPY,
							     .from = &sources[i],
							     .from_count = 1,
							     .to = SIDE(VAR_TENSOR, 100 * i, 0, 1,
									sizes_16, step_1)};
	}
	run_block(2);
	assert_int_equal(f.cores[0].semaphores[40], 16);
	assert_int_equal(nx_load64(tensor()), 0x0807060504030201);
	assert_int_equal(f.report.dma_bytes, 32);
}

static void test_sum_of_two_sources(void **state)
{
	const float a[2] = {1, 2}, b[4] = {10, 20, 0, 0};

	(void)state;
	put_bf16(&f, 0, a, 2);
	put_f32(&f, 64, b, 4);
	sources[0] = SIDE(VAR_SBUF, 0, NX_DTYPE_BF16, 1, sizes_8, step_1);
	sources[1] = SIDE(VAR_SBUF, 64, NX_DTYPE_FP32, 1, sizes_16, step_1);
	descriptors[0] = (struct nx_neff_descriptor){.op = NX_DMA_ADD,
						     .from = sources,
						     .from_count = 2,
						     .to = SIDE(VAR_TENSOR, 0, NX_DTYPE_FP32, 1,
								sizes_16, step_1)};
	put_bf16(&f, 4, b + 2, 2);
	run_block(1);
	assert_exactly(tensor_f32(0), 11);
	assert_exactly(tensor_f32(4), 22);
	assert_int_equal(f.report.fault_count, 0);
}

static void test_tile_transpose(void **state)
{
	static const uint64_t from[3] = {6, 2, 2}, to[3] = {4, 3, 2};
	static const int64_t from_steps[3] = {1, 6, 12}, to_steps[3] = {1, 4, 12};
	const uint16_t expected[12] = {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11};

	(void)state;
	for (uint16_t i = 0; i < 12; i++)
		nx_store16(tensor() + 2 * i, i);
	sources[0] = SIDE(VAR_TENSOR, 0, 0, 3, from, from_steps);
	descriptors[0] =
		(struct nx_neff_descriptor){.op = NX_DMA_TRANSPOSE,
					    .from = sources,
					    .from_count = 1,
					    .to = SIDE(VAR_TENSOR, 512, 0, 3, to, to_steps),
					    .element_bytes = 2};
	run_block(1);
	assert_memory_equal(tensor() + 512, expected, sizeof(expected));
	descriptors[0].element_bytes = 4; /* six bytes are no row of those */
	run_block(1);
	descriptors[0].element_bytes = 3;
	run_block(1);
	assert_int_equal(faults_of(&f, NX_FAULT_DMA_BOUNDS), 2);
	descriptors[0].op = NX_DMA_UNKNOWN;
	run_block(1);
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
}

static void test_broadcast_that_writes_one_place_often(void **state)
{
	static const uint64_t often[2] = {16, (uint64_t)1 << 40};
	static const int64_t same[2] = {1, 0};

	(void)state;
	sources[0] = SIDE(VAR_CONSTANT, 0, 0, 2, often, same);
	descriptors[0] = (struct nx_neff_descriptor){.op = NX_DMA_COPY,
						     .from = sources,
						     .from_count = 1,
						     .to = SIDE(VAR_TENSOR, 0, 0, 2, often, same)};
	run_block(1);
	assert_int_equal(faults_of(&f, NX_FAULT_DMA_BOUNDS), 1);
}

static void test_trigger_of_a_block_that_is_not_there(void **state)
{
	(void)state;
	word_clear(words[0], NX_OP_PSEUDO_DMA_TRIGGER);
	memcpy(words[0] + 12, "qNowhere", 8);
	start(1);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1);
	/* a name that fills its field to the last byte */
	memset(words[0] + 12, 'q', 36);
	start(1);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TWO_CORES_CASE(f, test_direct_copy),
		TWO_CORES_CASE(f, test_direct_cast),
		TWO_CORES_CASE(f, test_register_addresses),
		TWO_CORES_CASE(f, test_table_and_scratchpad),
		TWO_CORES_CASE(f, test_remote_state_buffer),
		TWO_CORES_CASE(f, test_direct_refusals),
		TWO_CORES_CASE(f, test_block_counts_up_by_its_rings),
		TWO_CORES_CASE(f, test_sum_of_two_sources),
		TWO_CORES_CASE(f, test_tile_transpose),
		TWO_CORES_CASE(f, test_broadcast_that_writes_one_place_often),
		TWO_CORES_CASE(f, test_trigger_of_a_block_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
