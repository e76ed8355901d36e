/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/format/isa/slot.h"

#define V2 1
#define V3 2

static struct nx_instruction_effect effect_of(const struct slot *s, unsigned arch)
{
	struct nx_instruction_effect e;

	memset(&e, 0xff, sizeof(e)); /* nothing may be left unset */
	nx_instruction_effect(s->bytes, arch, &e);
	return e;
}

/* -1 = the count does not exist for this instruction. */
struct bytes {
	int64_t sbuf_read, sbuf_write, psum_read, psum_write, hbm_read, hbm_write;
};

static void expect_count(bool has, uint64_t value, int64_t expected)
{
	assert_int_equal(has, expected >= 0);
	assert_int_equal(value, expected >= 0 ? expected : 0);
}

static void expect_bytes(const struct nx_instruction_effect *e, struct bytes b)
{
	expect_count(e->has_sbuf_read, e->sbuf_read_bytes, b.sbuf_read);
	expect_count(e->has_sbuf_write, e->sbuf_write_bytes, b.sbuf_write);
	expect_count(e->has_psum_read, e->psum_read_bytes, b.psum_read);
	expect_count(e->has_psum_write, e->psum_write_bytes, b.psum_write);
	expect_count(e->has_hbm_read, e->hbm_read_bytes, b.hbm_read);
	expect_count(e->has_hbm_write, e->hbm_write_bytes, b.hbm_write);
}

static struct slot matmul_slot(uint8_t opcode)
{
	struct slot s = slot_of(opcode);

	at32(&s, 16, 0x37600);
	pattern(&s, 20, 3, (1, 0, -5), (100, 1, 2));
	at(&s, 32, 6);
	at(&s, 38, 128, 96);
	at32(&s, 48, 0x2000800);
	pattern(&s, 52, 3, (1, 0, 0), (200, 1, 1));
	return s;
}

/* 200 bfloat16 elements: 400 bytes; 128 * 96 * 200 multiply-adds. */
static void test_matmul(void **state)
{
	struct slot s = matmul_slot(0x02);
	struct nx_instruction_effect e = effect_of(&s, V3);

	(void)state;
	expect_bytes(&e, (struct bytes){400, -1, -1, 400, -1, -1});
	assert_true(e.has_elements);
	assert_int_equal(e.elements, 2457600);
	assert_false(e.is_psum_read_sbuf_write);
	assert_int_equal(e.access_count, 2);
	assert_false(e.accesses[0].is_write);
	assert_int_equal(e.accesses[0].address, 0x37600);
	assert_int_equal(e.accesses[0].dtype, 6);
	assert_int_equal(e.accesses[0].dims, 3);
	assert_int_equal(e.accesses[0].steps[2], -5);
	assert_int_equal(e.accesses[0].counts[2], 2);
	assert_int_equal(nx_access_elements(&e.accesses[0]), 200);
	assert_true(e.accesses[1].is_write);
	assert_int_equal(e.accesses[1].address, 0x2000800);
	assert_int_equal(e.accesses[1].dtype, 10);
}

/* A transpose counts the bytes of its source type, but occupies PSUM as fp32 like any sum. */
static void test_matmul_transpose(void **state)
{
	struct slot s = matmul_slot(0x02);
	struct nx_instruction_effect e;

	(void)state;
	at(&s, 34, 1);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){400, -1, -1, 400, -1, -1});
	assert_int_equal(e.accesses[1].dtype, 10);
}

static void test_ldweights(void **state)
{
	struct slot s = matmul_slot(0x01);
	struct nx_instruction_effect e = effect_of(&s, V3);

	(void)state;
	expect_bytes(&e, (struct bytes){400, -1, -1, -1, -1, -1});
	assert_false(e.has_elements);
	assert_int_equal(e.access_count, 1);
}

static struct slot copy_slot(uint8_t opcode, uint32_t src, uint32_t dst)
{
	struct slot s = slot_of(opcode);

	at32(&s, 12, src);
	pattern(&s, 16, 4, (1, 1, 1, 1), (8, 2, 1, 3));
	at(&s, 32, 10, 7, 128);
	at32(&s, 44, dst);
	pattern(&s, 48, 4, (1, 1, 1, 1), (48, 1, 1, 1));
	return s;
}

static void test_copy_family(void **state)
{
	static const uint8_t opcodes[] = {0x42, 0x46, 0x47, 0x48, 0x68, 0x6a, 0x6b};

	(void)state;
	for (unsigned i = 0; i < sizeof(opcodes); i++) {
		struct slot s = copy_slot(opcodes[i], 0x1ffffff, 0x4000);
		struct nx_instruction_effect e = effect_of(&s, V3);

		expect_bytes(&e, (struct bytes){192, 96, -1, -1, -1, -1});
		assert_false(e.is_psum_read_sbuf_write);
		assert_int_equal(e.psum_read_sbuf_write_bytes, 0);
		assert_int_equal(e.access_count, 2);
		assert_int_equal(e.accesses[0].dims, 4);
		s = copy_slot(opcodes[i], 0x2000000, 0x4000);
		e = effect_of(&s, V3);
		expect_bytes(&e, (struct bytes){-1, 96, 192, -1, -1, -1});
		assert_true(e.is_psum_read_sbuf_write);
		assert_int_equal(e.psum_read_sbuf_write_bytes, 96);
		s = copy_slot(opcodes[i], 0x2000000, 0x2004000);
		e = effect_of(&s, V3);
		expect_bytes(&e, (struct bytes){-1, -1, 192, 96, -1, -1});
		assert_false(e.is_psum_read_sbuf_write);
	}
}

static void test_activate_and_tensor_scalar(void **state)
{
	struct slot s = slot_of(0x21);
	struct nx_instruction_effect e;

	(void)state;
	at32(&s, 16, 0x2000000);
	pattern(&s, 20, 3, (1, 1, 1), (512, 1, 1));
	at(&s, 32, 0xa6, 10); /* bias fp32, source bfloat16, destination fp32 */
	at32(&s, 48, 0x6020);
	pattern(&s, 52, 3, (1, 1, 1), (512, 1, 1));
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){-1, 2048, 1024, -1, -1, -1});
	assert_int_equal(e.psum_read_sbuf_write_bytes, 2048);
	assert_int_equal(e.accesses[0].dtype, 6);
	s.bytes[0] = 0x43;
	at(&s, 32, 10, 10, 128, 1);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){-1, 2048, 2048, -1, -1, -1});
	assert_int_equal(e.access_count, 2);
}

static void test_two_sources(void **state)
{
	struct slot s = slot_of(0x41);
	struct nx_instruction_effect e;

	(void)state;
	at(&s, 12, 0x6a, 10, 4, 128);
	at32(&s, 16, 0x100);
	pattern(&s, 20, 3, (1, 1, 1), (10, 1, 1));
	at32(&s, 32, 0x200);
	pattern(&s, 36, 3, (0, 1, 1), (10, 1, 1));
	at32(&s, 48, 0x300);
	pattern(&s, 52, 3, (1, 1, 1), (10, 1, 1));
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){60, 40, -1, -1, -1, -1});
	assert_int_equal(e.access_count, 3);
	assert_int_equal(e.accesses[1].dtype, 6);
	assert_true(e.accesses[2].is_write);
	at32(&s, 32, 0x2000200);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){40, 40, 20, -1, -1, -1});
	assert_true(e.is_psum_read_sbuf_write);
}

static void test_single_sided(void **state)
{
	struct slot s = copy_slot(0x49, 0, 0x2001000);
	struct nx_instruction_effect e = effect_of(&s, V3);

	(void)state;
	/* MEMSET has one element type, in byte 32: 48 * fp32. */
	expect_bytes(&e, (struct bytes){-1, -1, -1, 192, -1, -1});
	assert_int_equal(e.access_count, 1);
	s = copy_slot(0x67, 0x10, 0);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){192, -1, -1, -1, -1, -1});
	s = copy_slot(0x6c, 0x10, 0);
	at32(&s, 48, 0x500);
	pattern(&s, 52, 2, (1, 1), (8, 1));
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){192, 16, -1, -1, -1, -1});
	assert_int_equal(e.accesses[1].dims, 2);
	assert_int_equal(e.accesses[1].address, 0x500);
}

static struct slot dma_slot(uint8_t opcode, uint64_t src, uint64_t dst)
{
	struct slot s = slot_of(opcode);

	at64(&s, 16, src);
	at16(&s, 32, 128);
	at16(&s, 34, 2);
	at16(&s, 36, 512);
	at64(&s, 40, dst);
	at16(&s, 56, 128);
	at16(&s, 58, 2);
	at16(&s, 60, 256);
	return s;
}

static void test_dma_sides(void **state)
{
	struct slot s = dma_slot(0xb8, 0x8005c03b0000, 0x802000033000);
	struct nx_instruction_effect e = effect_of(&s, V3);

	(void)state;
	expect_bytes(&e, (struct bytes){-1, 65536, -1, -1, 131072, -1});
	assert_int_equal(e.access_count, 0);
	s = dma_slot(0xb8, 0x80200003a000, 0x2000000500000010);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){131072, -1, -1, -1, -1, 65536});
	/* a table entry is in HBM even when its low bits look like the aperture */
	s = dma_slot(0xb8, 0x2000802000000000, 0x801000000000);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){-1, -1, -1, -1, 131072, 65536});
}

/* An element of 0 bytes is one of 64 KiB: 128 * 2 of them. */
static void test_dma_of_the_largest_elements(void **state)
{
	struct slot s = dma_slot(0xb8, 0x8005c03b0000, 0x802000033000);
	struct nx_instruction_effect e;

	(void)state;
	at16(&s, 36, 0);
	at16(&s, 60, 0);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){-1, 16777216, -1, -1, 16777216, -1});
}

static void test_dma_aperture_of_v2(void **state)
{
	struct slot s = dma_slot(0xb8, 0xfffc0000000, 0xfffc1ffffff);
	struct nx_instruction_effect e = effect_of(&s, V2);

	(void)state;
	expect_bytes(&e, (struct bytes){131072, 65536, -1, -1, -1, -1});
	s = dma_slot(0xb8, 0xfffbfffffff, 0xfffc2000000);
	e = effect_of(&s, V2);
	expect_bytes(&e, (struct bytes){-1, -1, -1, -1, 131072, 65536});
}

static void test_pseudo_dma(void **state)
{
	struct slot s = dma_slot(0xd4, 0x1000000500000000, 0x1000000000033000);
	struct nx_instruction_effect e = effect_of(&s, V3);

	(void)state;
	expect_bytes(&e, (struct bytes){-1, 65536, -1, -1, 131072, -1});
	s = dma_slot(0xd4, 0x2000000000000000, 0x1000000100000000);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){-1, -1, -1, -1, 131072, 65536});
}

static void test_nothing_known(void **state)
{
	(void)state;
	for (unsigned opcode = 0xa0; opcode < 0xb8; opcode++) {
		struct slot s = slot_of((uint8_t)opcode);
		struct nx_instruction_effect e;

		memset(s.bytes + 4, 0xff, sizeof(s.bytes) - 4);
		e = effect_of(&s, V3);
		expect_bytes(&e, (struct bytes){-1, -1, -1, -1, -1, -1});
		assert_int_equal(e.access_count, 0);
		assert_false(e.has_elements);
	}
}

/* An element type without a size gives no count rather than a wrong one. */
static void test_unknown_dtype(void **state)
{
	struct slot s = copy_slot(0x46, 0, 0x100);
	struct nx_instruction_effect e;

	(void)state;
	at(&s, 32, 0);
	e = effect_of(&s, V3);
	expect_bytes(&e, (struct bytes){-1, 96, -1, -1, -1, -1});
	assert_int_equal(e.access_count, 1);
	assert_true(e.accesses[0].is_write);
}

static void test_counts_saturate(void **state)
{
	struct slot s = copy_slot(0x46, 0, 0x100);
	struct nx_instruction_effect e;

	(void)state;
	pattern(&s, 16, 4, (1, 1, 1, 1), (65535, 65535, 65535, 65535));
	at(&s, 32, 12);
	e = effect_of(&s, V3);
	assert_true(e.sbuf_read_bytes == UINT64_MAX);
	pattern(&s, 16, 4, (1, 1, 1, 1), (65535, 0, 65535, 65535));
	e = effect_of(&s, V3);
	assert_true(e.sbuf_read_bytes == 0);
}

static void test_dma_trigger(void **state)
{
	struct slot s = slot_of(0xc1);
	struct nx_dma_trigger trigger;

	(void)state;
	memset(s.bytes + 12, 'a', 36);
	at32(&s, 48, 0xfffffffe);
	assert_true(nx_instruction_dma_trigger(s.bytes, &trigger));
	assert_string_equal(trigger.queue, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_int_equal(trigger.block_id, 0xfffffffe);
	memcpy(s.bytes + 12, "qSPIO0", 7);
	assert_true(nx_instruction_dma_trigger(s.bytes, &trigger));
	assert_string_equal(trigger.queue, "qSPIO0");
	s.bytes[0] = 0xa5;
	assert_false(nx_instruction_dma_trigger(s.bytes, &trigger));
}

static void test_register_transfer(void **state)
{
	struct slot s = slot_of(0xaa);
	struct nx_register_transfer transfer;

	(void)state;
	at(&s, 14, 2, 3);
	at64(&s, 16, 0x802000017300);
	assert_true(nx_instruction_register_transfer(s.bytes, V3, &transfer));
	assert_int_equal(transfer.value_count, 6);
	assert_true(transfer.is_on_chip);
	assert_true(nx_instruction_register_transfer(s.bytes, V2, &transfer));
	assert_false(transfer.is_on_chip);
	s.bytes[0] = 0xab;
	at64(&s, 16, 0x8005c035f000);
	assert_true(nx_instruction_register_transfer(s.bytes, V3, &transfer));
	assert_false(transfer.is_on_chip);
	s.bytes[0] = 0xce; /* of variable 0, the state buffer; then of another */
	at32(&s, 16, 0);
	assert_true(nx_instruction_register_transfer(s.bytes, V3, &transfer));
	assert_true(transfer.is_on_chip);
	at32(&s, 16, 7);
	assert_true(nx_instruction_register_transfer(s.bytes, V3, &transfer));
	assert_false(transfer.is_on_chip);
	s.bytes[0] = 0xa7;
	assert_false(nx_instruction_register_transfer(s.bytes, V3, &transfer));
}

static void test_core_barrier(void **state)
{
	struct slot s = slot_of(0xd8);
	struct nx_core_barrier barrier;

	(void)state;
	at32(&s, 12, 0xfffffffe);
	s.bytes[16] = 9;
	assert_true(nx_instruction_core_barrier(s.bytes, &barrier));
	assert_int_equal(barrier.id, 0xfffffffe);
	assert_int_equal(barrier.semaphore, 9);
	s.bytes[0] = 0xa0;
	assert_false(nx_instruction_core_barrier(s.bytes, &barrier));
}

static void test_waits(void **state)
{
	static const uint8_t others[] = {0, 6, 7, 14, 15, 0x80};
	struct slot s = slot_of(0x46);
	uint8_t semaphore = 0;

	(void)state;
	s.bytes[5] = 12;
	for (size_t i = 0; i < sizeof(others); i++) {
		s.bytes[4] = others[i];
		assert_false(nx_instruction_wait(s.bytes, &semaphore));
	}
	for (uint8_t mode = 1; mode <= 5; mode++) {
		s.bytes[4] = mode;
		assert_true(nx_instruction_wait(s.bytes, &semaphore));
	}
	assert_int_equal(semaphore, 12);
	s.bytes[4] = 0x85; /* the number is in a register */
	assert_true(nx_instruction_wait(s.bytes, &semaphore));
	s.bytes[4] = 0;
	s.bytes[32] = 5;
	s.bytes[33] = 13;
	assert_false(nx_instruction_wait(s.bytes, &semaphore)); /* operands of a copy */
	s.bytes[0] = 0xa0;
	assert_true(nx_instruction_wait(s.bytes, &semaphore));
	assert_int_equal(semaphore, 13);
}

/* A product of 128 * 128 * 512: 8388608 multiplications, of every type with a published cost. */
static void test_flops(void **state)
{
	static const struct {
		uint8_t dtype;
		unsigned arch;
		int64_t raw, adjusted;
	} cases[] = {
		{6, 2, 16777216, 16777216},  {7, 1, 16777216, 16777216}, {10, 2, 8388608, 33554432},
		{14, 1, 16777216, 16777216}, {13, 2, 16777216, 8388608}, {15, 3, 16777216, 8388608},
		{3, 2, 16777216, 8388608},   {8, 2, 16777216, -1},	 {255, 2, 16777216, -1},
	};
	struct slot s = slot_of(0x02);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_matmul_flops flops;

		s.bytes[32] = cases[i].dtype;
		s.bytes[33] = NX_FP32_LOW_HIGH;
		flops = nx_matmul_flops(s.bytes, cases[i].arch, 8388608);
		assert_int_equal(flops.raw, cases[i].raw);
		assert_int_equal(flops.adjusted, cases[i].adjusted);
	}
	s.bytes[32] = 10;
	s.bytes[33] = 0; /* names no pass: the type alone counts */
	assert_int_equal(nx_matmul_flops(s.bytes, 2, 8388608).raw, 8388608);
	assert_int_equal(nx_matmul_flops(s.bytes, 2, 8388608).adjusted, 33554432);
	s.bytes[33] = NX_FP32_HIGH;
	assert_true(nx_matmul_flops(s.bytes, 2, UINT64_MAX).raw == INT64_MAX);
	assert_true(nx_matmul_flops(s.bytes, 2, INT64_MAX / 2).adjusted == INT64_MAX);
}

static void test_words_end_with_the_code(void **state)
{
	uint8_t code[2 * NX_SLOT_BYTES + 63] = {0};
	struct nx_slice slice = nx_slice_of(code, sizeof(code));

	(void)state;
	assert_ptr_equal(nx_instruction_word(slice, 1), code + NX_SLOT_BYTES);
	assert_null(nx_instruction_word(slice, 2));
	assert_null(nx_instruction_word(slice, UINT32_MAX));
	assert_null(nx_instruction_word((struct nx_slice){NULL, 0}, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_matmul_transpose),
		cmocka_unit_test(test_ldweights),
		cmocka_unit_test(test_copy_family),
		cmocka_unit_test(test_activate_and_tensor_scalar),
		cmocka_unit_test(test_two_sources),
		cmocka_unit_test(test_single_sided),
		cmocka_unit_test(test_dma_sides),
		cmocka_unit_test(test_dma_of_the_largest_elements),
		cmocka_unit_test(test_dma_aperture_of_v2),
		cmocka_unit_test(test_pseudo_dma),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_unknown_dtype),
		cmocka_unit_test(test_counts_saturate),
		cmocka_unit_test(test_dma_trigger),
		cmocka_unit_test(test_register_transfer),
		cmocka_unit_test(test_core_barrier),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_flops),
		cmocka_unit_test(test_words_end_with_the_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
