/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/timing/hardware_table.h"
#include "tests/unit/runtime/device/core_fixture.h"

#define SECOND_PS UINT64_C(1000000000000)

static uint8_t word[NX_SLOT_BYTES];

static struct nx_cost cost_on(enum nx_device_arch arch, unsigned engine)
{
	struct nx_cost cost;

	nx_hardware_cost(nx_device_hardware_of(arch), engine, word, &cost);
	return cost;
}

static struct nx_cost trn2_cost(unsigned engine)
{
	return cost_on(NX_DEVICE_TRN2, engine);
}

static void copy(uint8_t opcode, uint32_t from, unsigned from_dtype, uint32_t to, unsigned to_dtype,
		 unsigned count, unsigned lanes)
{
	word_copy(word, opcode, from, row_of(4, count), from_dtype, to, row_of(4, count), to_dtype,
		  lanes);
}

/* Every stride beyond 16 bytes is alike, so one of 32 elements stands for all. */
static void strided_copy(uint8_t opcode, bool is_from, uint32_t from, unsigned dtype)
{
	struct pattern wide = {4, {32, 0, 0, 0}, {128, 1, 1, 1}};

	word_copy(word, opcode, from, is_from ? wide : row_of(4, 128), dtype, 0,
		  is_from ? row_of(4, 128) : wide, dtype, 128);
}

static void activate(uint32_t from, unsigned count, unsigned lanes)
{
	word_clear(word, NX_OP_ACTIVATE);
	word_operand(word, 16, 20, from, row_of(3, count));
	word_operand(word, 48, 52, 0, row_of(3, count));
	word[32] = NX_DTYPE_FP32;
	word[33] = NX_DTYPE_FP32;
	word[34] = (uint8_t)lanes;
}

static void scalar_op(uint32_t from, unsigned count, uint8_t pointers)
{
	word_clear(word, NX_OP_TENSOR_SCALAR);
	word_operand(word, 16, 20, from, row_of(3, count));
	word_operand(word, 48, 52, 0, row_of(3, count));
	word[32] = NX_DTYPE_FP32;
	word[33] = NX_DTYPE_FP32;
	word[34] = 128;
	word[35] = pointers;
}

static void array_word(uint8_t opcode, unsigned dtype, int step, unsigned columns)
{
	struct pattern p = {3, {(int16_t)step, 0, 0}, {(uint16_t)columns, 1, 1}};

	word_clear(word, opcode);
	word_operand(word, 16, 20, 4096, p);
	word_operand(word, 48, 52, PSUM(0), row_of(3, columns));
	word[32] = (uint8_t)dtype;
	word[38] = word[39] = 128;
}

static void expect_compute(unsigned engine, uint64_t latency_ps, uint64_t occupancy_ps,
			   enum nx_evidence evidence)
{
	struct nx_cost cost = trn2_cost(engine);

	assert_int_equal(cost.kind, NX_COST_COMPUTE);
	assert_int_equal(cost.latency_ps, latency_ps);
	assert_int_equal(cost.occupancy_ps, occupancy_ps);
	assert_int_equal(cost.evidence, evidence);
	assert_false(cost.is_rate_bound);
}

static void test_vector_copies(void **state)
{
	(void)state;
	/* four a cycle of 1 / 0.96 ns: 160 + 444 / 4 / 0.96 */
	copy(NX_OP_COPY, 0, NX_DTYPE_FP16, 64, NX_DTYPE_FP16, 444, 128);
	expect_compute(NX_ENGINE_VECTOR, 275625, 182625, NX_MEASURED);
	/* two a cycle when a side is fp32: 160 + 444 / 2 / 0.96 */
	copy(NX_OP_CAST, 0, NX_DTYPE_FP32, 64, NX_DTYPE_FP16, 444, 128);
	expect_compute(NX_ENGINE_VECTOR, 391250, 298250, NX_MEASURED);
	/* one from PSUM: 158 + 128 / 0.96; two of 16 bits: 161 + 64 / 0.96 */
	copy(NX_OP_COPY, PSUM(0), NX_DTYPE_FP32, 0, NX_DTYPE_FP32, 128, 128);
	expect_compute(NX_ENGINE_VECTOR, 291333, 197333, NX_MEASURED);
	copy(NX_OP_COPY, PSUM(0), NX_DTYPE_BF16, 0, NX_DTYPE_BF16, 128, 128);
	expect_compute(NX_ENGINE_VECTOR, 227667, 131667, NX_MEASURED);
	/* into PSUM nobody has seen */
	copy(NX_OP_COPY, 0, NX_DTYPE_FP32, PSUM(0), NX_DTYPE_FP32, 128, 128);
	expect_compute(NX_ENGINE_VECTOR, 291333, 197333, NX_DERIVED);
}

static void test_vector_copies_with_strides(void **state)
{
	(void)state;
	strided_copy(NX_OP_COPY, true, 0, NX_DTYPE_FP32); /* 141 + 128 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 274333, 184333, NX_MEASURED);
	strided_copy(NX_OP_COPY, false, 0, NX_DTYPE_FP32); /* 148 + 128 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 281333, 131333, NX_MEASURED);
	strided_copy(NX_OP_COPY, false, PSUM(0), NX_DTYPE_FP32); /* 159 + 1.75 * 128 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 392333, 244333, NX_MEASURED);
	strided_copy(NX_OP_COPY, false, 0, NX_DTYPE_FP16); /* 157 + 2.2 * 128 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 450333, 283333, NX_MEASURED);
	strided_copy(NX_OP_COPY, false, PSUM(0), NX_DTYPE_FP16); /* 157 + 4.2 * 128 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 717000, 579000, NX_MEASURED);
}

/* 16 bytes are near, 18 are not; a dimension of one element has no neighbours. */
static void test_which_strides_count(void **state)
{
	struct pattern near = {4, {-4, 0, 0, 0}, {128, 1, 1, 1}};
	struct pattern far = {4, {-5, 0, 0, 0}, {128, 1, 1, 1}};
	struct pattern outer = {4, {99, 1, 0, 0}, {1, 128, 1, 1}};
	struct pattern row = row_of(4, 128);

	(void)state;
	word_copy(word, NX_OP_COPY, 4096, near, NX_DTYPE_FP32, 0, row, NX_DTYPE_FP32, 128);
	assert_int_equal(trn2_cost(NX_ENGINE_VECTOR).latency_ps, 226667);
	word_copy(word, NX_OP_COPY, 4096, far, NX_DTYPE_FP32, 0, row, NX_DTYPE_FP32, 128);
	assert_int_equal(trn2_cost(NX_ENGINE_VECTOR).latency_ps, 274333);
	word_copy(word, NX_OP_COPY, 4096, outer, NX_DTYPE_FP32, 0, row, NX_DTYPE_FP32, 128);
	assert_int_equal(trn2_cost(NX_ENGINE_VECTOR).latency_ps, 226667);
}

static void test_few_partitions_take_less(void **state)
{
	(void)state;
	copy(NX_OP_COPY, PSUM(0), NX_DTYPE_FP32, 0, NX_DTYPE_FP32, 128, 1);
	assert_int_equal(trn2_cost(NX_ENGINE_VECTOR).latency_ps, 281333);
	assert_int_equal(trn2_cost(NX_ENGINE_SCALAR).latency_ps, 255867);
	copy(NX_OP_COPY, PSUM(0), NX_DTYPE_FP32, 0, NX_DTYPE_FP32, 128, 64);
	assert_int_equal(trn2_cost(NX_ENGINE_VECTOR).latency_ps, 286833);
	activate(0, 128, 1);
	assert_int_equal(trn2_cost(NX_ENGINE_SCALAR).latency_ps, 400167);
}

static void test_vector_two_sources(void **state)
{
	const uint32_t sbuf[3] = {0, 8192, 16384}, mixed[3] = {PSUM(0), 8192, 16384};

	(void)state;
	word_pair(word, NX_OP_TENSOR_TENSOR, 4, sbuf, 1000, 128); /* 157 + 1000 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 1198667, 1105667, NX_MEASURED);
	word[12] = NX_DTYPE_BF16 << 4 | NX_DTYPE_BF16; /* 161.5 + 500 / 0.96 */
	word[13] = NX_DTYPE_BF16;
	expect_compute(NX_ENGINE_VECTOR, 682333, 589333, NX_PUBLISHED);
	word_pair(word, NX_OP_TENSOR_TENSOR, 4, sbuf, 1000, 128); /* 211.2 + 2021 / 1.12 */
	assert_int_equal(cost_on(NX_DEVICE_TRN1, NX_ENGINE_VECTOR).latency_ps, 2015664);
	assert_int_equal(cost_on(NX_DEVICE_TRN1, NX_ENGINE_VECTOR).evidence, NX_MEASURED);
	word_pair(word, NX_OP_TENSOR_TENSOR, 4, mixed, 1000, 128); /* 211 + 1000 / 1.12 */
	assert_int_equal(cost_on(NX_DEVICE_INF2, NX_ENGINE_VECTOR).latency_ps, 1103857);
	assert_int_equal(cost_on(NX_DEVICE_INF2, NX_ENGINE_VECTOR).evidence, NX_PUBLISHED);
	word_pair(word, 0x72, 0, sbuf, 96, 128); /* 157 + 192 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 357000, 264000, NX_PUBLISHED);
	word_pair(word, 0x72, 0, mixed, 96, 128); /* 157 + 96 / 0.96 */
	expect_compute(NX_ENGINE_VECTOR, 257000, 164000, NX_PUBLISHED);
}

static void test_vector_one_source(void **state)
{
	(void)state;
	copy(NX_OP_TENSOR_REDUCE, 0, NX_DTYPE_FP32, 0, NX_DTYPE_FP32, 480, 128);
	expect_compute(NX_ENGINE_VECTOR, 654000, 561000, NX_MEASURED); /* 154 + 500 */
	copy(NX_OP_RECIPROCAL, 0, NX_DTYPE_FP32, 0, NX_DTYPE_FP32, 4, 128);
	expect_compute(NX_ENGINE_VECTOR, 178500, 84500, NX_MEASURED); /* 153.5 + 24 / 0.96 */
	scalar_op(PSUM(0), 96, 1);
	expect_compute(NX_ENGINE_VECTOR, 318000, 226000, NX_MEASURED); /* 218 + 100 */
	scalar_op(0, 96, 2);
	expect_compute(NX_ENGINE_VECTOR, 268000, 176000, NX_MEASURED); /* 218 + 50 */
	scalar_op(0, 96, 0);
	expect_compute(NX_ENGINE_VECTOR, 210300, 117300, NX_PUBLISHED); /* 160.3 + 50 */
	copy(0x6b, 0, NX_DTYPE_FP32, 0, NX_DTYPE_FP32, 32, 32);
	/* 200 + 32 / 0.96, and 4.5 less for 32 partitions */
	expect_compute(NX_ENGINE_VECTOR, 228833, 88833, NX_PUBLISHED);
}

static void memset_word(uint32_t to, unsigned dtype, unsigned count, unsigned lanes)
{
	word_clear(word, NX_OP_MEMSET);
	word_operand(word, 44, 48, to, row_of(4, count));
	word[32] = (uint8_t)dtype;
	word[34] = (uint8_t)lanes;
}

/* Flat as far as captures tell, then as published. */
static void test_memset(void **state)
{
	(void)state;
	memset_word(0, NX_DTYPE_FP32, 1, 128);
	expect_compute(NX_ENGINE_VECTOR, 83400, 51400, NX_MEASURED);
	memset_word(0, NX_DTYPE_FP32, 128, 128);
	expect_compute(NX_ENGINE_VECTOR, 83400, 51400, NX_MEASURED);
	memset_word(0, NX_DTYPE_FP32, 128 + 96, 128);
	expect_compute(NX_ENGINE_VECTOR, 183400, 151400, NX_PUBLISHED);
	memset_word(0, NX_DTYPE_BF16, 128 + 96, 128);
	expect_compute(NX_ENGINE_VECTOR, 133400, 101400, NX_PUBLISHED);
	memset_word(0, NX_DTYPE_FP32, 128, 1); /* never more often than each 51 ns */
	expect_compute(NX_ENGINE_VECTOR, 73400, 51000, NX_MEASURED);
}

static void test_scalar_engine(void **state)
{
	(void)state;
	activate(0, 600, 128); /* 293.5 + 600 / 1.2 */
	expect_compute(NX_ENGINE_SCALAR, 793500, 684500, NX_MEASURED);
	activate(PSUM(0), 600, 128);
	expect_compute(NX_ENGINE_SCALAR, 760000, 651000, NX_MEASURED);
	word[13] = 1; /* scale in memory */
	expect_compute(NX_ENGINE_SCALAR, 843300, 734300, NX_MEASURED);
	word[13] = 0;
	word[14] = 1; /* accumulates */
	expect_compute(NX_ENGINE_SCALAR, 760000, 651000, NX_PUBLISHED);
	copy(NX_OP_COPY, 0, NX_DTYPE_FP32, 64, NX_DTYPE_FP32, 420, 128);
	expect_compute(NX_ENGINE_SCALAR, 542000, 443000, NX_MEASURED); /* 192 + 350 */
	strided_copy(NX_OP_COPY, false, PSUM(0), NX_DTYPE_FP16);       /* 170.3 + 5.2 * 106.667 */
	expect_compute(NX_ENGINE_SCALAR, 724967, 564967, NX_MEASURED);
	word_clear(word, NX_OP_ACT_TABLE_LOAD);
	expect_compute(NX_ENGINE_SCALAR, 1283300, 1283300, NX_MEASURED);
	assert_int_equal(cost_on(NX_DEVICE_INF2, NX_ENGINE_SCALAR).latency_ps, 368600);
	activate(PSUM(0), 512, 128); /* 157.5 + 512 / 1.4; 143 of it shared with the next */
	assert_int_equal(cost_on(NX_DEVICE_INF2, NX_ENGINE_SCALAR).latency_ps, 523214);
	assert_int_equal(cost_on(NX_DEVICE_INF2, NX_ENGINE_SCALAR).occupancy_ps, 380214);
}

static void test_gpsimd(void **state)
{
	(void)state;
	word_clear(word, 0x92);
	word[12] = 128;
	word[13] = NX_DTYPE_FP32 << 4 | NX_DTYPE_FP32;
	word_operand(word, 36, 40, 0, row_of(2, 120));
	word_operand(word, 48, 52, 0, row_of(2, 120));
	expect_compute(NX_ENGINE_GPSIMD, 298300, 231300, NX_DERIVED); /* 198.3 + 100 */
	copy(0x68, 0, NX_DTYPE_INT32, 0, NX_DTYPE_FP32, 120, 128);
	expect_compute(NX_ENGINE_GPSIMD, 298300, 231300, NX_ASSUMED);
}

/* Of an opcode without a known layout only the 64 cycles are left. */
static void test_unknown_layouts_are_assumed(void **state)
{
	(void)state;
	word_clear(word, 0x60); /* a formula is published, but not where the size stands */
	expect_compute(NX_ENGINE_VECTOR, 223667, 130667, NX_ASSUMED);
	word_clear(word, 0x45);
	expect_compute(NX_ENGINE_VECTOR, 223667, 130667, NX_ASSUMED);
	word_clear(word, 0x9f);
	expect_compute(NX_ENGINE_SYNC, 153333, 80033, NX_ASSUMED);
	/* an element type that does not exist hides the operand */
	copy(NX_OP_COPY, 0, 0x70, 0, 0x70, 4096, 128);
	assert_int_equal(trn2_cost(NX_ENGINE_VECTOR).evidence, NX_ASSUMED);
}

static void expect_array(enum nx_device_arch arch, uint8_t kind, uint64_t latency_ps,
			 bool is_rate_bound)
{
	struct nx_cost cost = cost_on(arch, NX_ENGINE_TENSOR);

	assert_int_equal(cost.kind, kind);
	assert_int_equal(cost.latency_ps, latency_ps);
	assert_int_equal(cost.is_rate_bound, is_rate_bound);
}

static void test_weights(void **state)
{
	(void)state;
	array_word(NX_OP_LDWEIGHTS, NX_DTYPE_BF16, -1, 128); /* four a cycle */
	expect_array(NX_DEVICE_TRN2, NX_COST_WEIGHTS, 13333, true);
	expect_array(NX_DEVICE_INF2, NX_COST_WEIGHTS, 11429, true);
	array_word(NX_OP_LDWEIGHTS, NX_DTYPE_FP32, -1, 128); /* one in two cycles */
	expect_array(NX_DEVICE_TRN2, NX_COST_WEIGHTS, 106667, true);
	word[34] = 1; /* transposes */
	expect_array(NX_DEVICE_TRN2, NX_COST_WEIGHTS, 53333, true);
	array_word(NX_OP_LDWEIGHTS, NX_DTYPE_FP32, -9, 128);
	expect_array(NX_DEVICE_TRN2, NX_COST_WEIGHTS, 235008, false);
	array_word(NX_OP_LDWEIGHTS, NX_DTYPE_FP16, -9, 128);
	expect_array(NX_DEVICE_TRN2, NX_COST_WEIGHTS, 62464, false);
	array_word(NX_OP_LDWEIGHTS, NX_DTYPE_FP16, -8, 128); /* 16 bytes are near */
	expect_array(NX_DEVICE_TRN2, NX_COST_WEIGHTS, 13333, true);
}

static void test_matmul(void **state)
{
	(void)state;
	array_word(NX_OP_MATMUL, NX_DTYPE_BF16, 1, 512); /* a column a cycle */
	expect_array(NX_DEVICE_TRN2, NX_COST_MATMUL, 213333, true);
	expect_array(NX_DEVICE_INF2, NX_COST_MATMUL, 182857, true);
	array_word(NX_OP_MATMUL, NX_DTYPE_FP32, 1, 512);
	word[33] = 2; /* HIGH */
	expect_array(NX_DEVICE_TRN2, NX_COST_MATMUL, 213333, true);
	assert_int_equal(trn2_cost(NX_ENGINE_TENSOR).evidence, NX_DERIVED);
	word[33] = 3; /* LOW_HIGH */
	expect_array(NX_DEVICE_TRN2, NX_COST_MATMUL, 426667, true);
	assert_int_equal(trn2_cost(NX_ENGINE_TENSOR).evidence, NX_MEASURED);
	array_word(0x0a, NX_DTYPE_FP32, 1, 512); /* MATMUL_MX: where its size stands is unknown */
	expect_array(NX_DEVICE_TRN2, NX_COST_MATMUL, 26667, true);
	assert_int_equal(trn2_cost(NX_ENGINE_TENSOR).evidence, NX_ASSUMED);
}

static void expect_control(enum nx_device_arch arch, unsigned engine, uint64_t latency_ps,
			   uint64_t gap_ps, enum nx_evidence evidence)
{
	struct nx_cost cost = cost_on(arch, engine);

	assert_int_equal(cost.kind, NX_COST_CONTROL);
	assert_int_equal(cost.latency_ps, latency_ps);
	assert_int_equal(cost.gap_ps, gap_ps);
	assert_int_equal(cost.evidence, evidence);
}

static void test_control(void **state)
{
	(void)state;
	word_clear(word, NX_OP_EVENT_SEMAPHORE);
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_TENSOR, 54000, 74000, NX_MEASURED);
	expect_control(NX_DEVICE_TRN1, NX_ENGINE_SYNC, 10000, 23000, NX_MEASURED);
	word_clear(word, NX_OP_WRITE);
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_SYNC, 58000, 25000, NX_MEASURED);
	expect_control(NX_DEVICE_INF2, NX_ENGINE_VECTOR, 45000, 35000, NX_ASSUMED);
	word_clear(word, NX_OP_DMA_DIRECT2D);
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_GPSIMD, 50000, 532000, NX_MEASURED);
	word_clear(word, 0xbb); /* DMA_INDIRECT, like the one before but never seen */
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_GPSIMD, 50000, 532000, NX_ASSUMED);
	word_clear(word, 0xb3);
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_VECTOR, 31000, 53000, NX_ASSUMED);
}

static void store64(unsigned at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		word[at + i] = (uint8_t)(value >> 8 * i);
}

static void test_register_loads(void **state)
{
	(void)state;
	word_clear(word, NX_OP_TENSOR_LOAD);
	word[14] = word[15] = 1;
	store64(16, UINT64_C(0x8005c035f000));
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_SCALAR, 630000, 66000, NX_MEASURED);
	word[14] = 2;
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_SCALAR, 985000, 214000, NX_MEASURED);
	store64(16, UINT64_C(0x802000017300));
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_GPSIMD, 290000, 43000, NX_MEASURED);
	expect_control(NX_DEVICE_TRN2, NX_ENGINE_SCALAR, 290000, 66000, NX_ASSUMED);
}

static void test_pseudo_words_cost_what_replaces_them(void **state)
{
	static const uint8_t pairs[][2] = {{NX_OP_PSEUDO_DMA_TRIGGER, NX_OP_WRITE},
					   {NX_OP_PSEUDO_DMA_DIRECT2D, NX_OP_DMA_DIRECT2D}};
	struct nx_cost pseudo, real;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		word_clear(word, pairs[i][0]);
		pseudo = trn2_cost(NX_ENGINE_GPSIMD);
		word_clear(word, pairs[i][1]);
		real = trn2_cost(NX_ENGINE_GPSIMD);
		assert_int_equal(pseudo.kind, real.kind);
		assert_int_equal(pseudo.latency_ps, real.latency_ps);
		assert_int_equal(pseudo.gap_ps, real.gap_ps);
		assert_int_equal(pseudo.evidence, real.evidence);
	}
}

static void test_trn3_is_assumed(void **state)
{
	(void)state;
	activate(0, 600, 128);
	assert_int_equal(cost_on(NX_DEVICE_TRN3, NX_ENGINE_SCALAR).latency_ps, 793500);
	assert_int_equal(cost_on(NX_DEVICE_TRN3, NX_ENGINE_SCALAR).evidence, NX_ASSUMED);
}

static void expect_finite(void)
{
	for (unsigned arch = NX_DEVICE_TRN1; arch <= NX_DEVICE_TRN3; arch++) {
		for (unsigned engine = 0; engine < NX_ENGINE_COUNT + 2; engine++) {
			struct nx_cost cost = cost_on((enum nx_device_arch)arch, engine);

			assert_true(cost.latency_ps < SECOND_PS);
			assert_true(cost.occupancy_ps < SECOND_PS);
			assert_true(cost.gap_ps < SECOND_PS);
		}
	}
}

static void test_any_bytes_cost_something_finite(void **state)
{
	uint32_t seed = 2463534242u;

	(void)state;
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		memset(word, 0xff, sizeof(word));
		word[0] = (uint8_t)opcode;
		expect_finite();
		word_clear(word, (uint8_t)opcode);
		expect_finite();
	}
	for (unsigned i = 0; i < 20000; i++) {
		for (unsigned k = 0; k < sizeof(word); k++) {
			seed ^= seed << 13;
			seed ^= seed >> 17;
			seed ^= seed << 5;
			word[k] = (uint8_t)seed;
		}
		expect_finite();
	}
}

/* Counts of 0 are no work but a word all the same; counts that lie stop at a partition's end. */
static void test_counts_at_their_ends(void **state)
{
	struct pattern most = {4, {0, 0, 0, 0}, {65535, 65535, 65535, 65535}};

	(void)state;
	copy(NX_OP_COPY, 0, NX_DTYPE_FP32, 0, NX_DTYPE_FP32, 0, 128);
	expect_compute(NX_ENGINE_VECTOR, 160000, 67000, NX_MEASURED);
	word_copy(word, NX_OP_RECIPROCAL, 0, most, NX_DTYPE_FP32, 0, most, NX_DTYPE_FP32, 128);
	/* 153.5 + 6 * 2^18 / 0.96 */
	assert_int_equal(trn2_cost(NX_ENGINE_VECTOR).latency_ps, 1638553500);
	array_word(NX_OP_MATMUL, NX_DTYPE_BF16, 1, 0);
	expect_array(NX_DEVICE_TRN2, NX_COST_MATMUL, 0, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector_copies),
		cmocka_unit_test(test_vector_copies_with_strides),
		cmocka_unit_test(test_which_strides_count),
		cmocka_unit_test(test_few_partitions_take_less),
		cmocka_unit_test(test_vector_two_sources),
		cmocka_unit_test(test_vector_one_source),
		cmocka_unit_test(test_memset),
		cmocka_unit_test(test_scalar_engine),
		cmocka_unit_test(test_gpsimd),
		cmocka_unit_test(test_unknown_layouts_are_assumed),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_register_loads),
		cmocka_unit_test(test_pseudo_words_cost_what_replaces_them),
		cmocka_unit_test(test_trn3_is_assumed),
		cmocka_unit_test(test_any_bytes_cost_something_finite),
		cmocka_unit_test(test_counts_at_their_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
