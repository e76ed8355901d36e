/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and bytes are worked out by hand from docs/formats/isa.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/bare/bits.h"
#include "format/instruction_source.h"

#define V2 1
#define V3 2

static const char *const queues[] = {"qSPIO0", "qPooDynamic"};
static const char *const owners[NX_SEMAPHORE_COUNT] = {[5] = "Tensor", [8] = "qSyncIO0"};

static bool find(void *context, struct nx_slice name, struct nx_expression_value *out)
{
	(void)context;
	*out = nx_value_of(3);
	return nx_slice_is(name, "i");
}

static const struct nx_expression_names symbols = {find, NULL, NULL};
static const struct nx_instruction_names names = {&symbols, queues, 2};

static void assemble(const char *text, uint8_t *slot)
{
	struct nx_error err = {0};
	size_t at;

	if (nx_instruction_assemble(nx_slice_text(text), &names, slot, &at, &err))
		fail_msg("%s: at %zu: %s", text, at, err.message);
}

static void expect_fault(const char *text, size_t at, const char *message)
{
	uint8_t slot[NX_SLOT_BYTES];
	struct nx_error err = {0};
	size_t fault_at = SIZE_MAX;

	assert_int_equal(nx_instruction_assemble(nx_slice_text(text), &names, slot, &fault_at,
						 &err),
			 NX_FORMAT);
	assert_string_equal(err.message, message);
	assert_int_equal(fault_at, at);
}

static void test_matmul(void **state)
{
	uint8_t s[NX_SLOT_BYTES];

	(void)state;
	assemble("MATMUL S[8] (qSyncIO0)>=16*i S[5]++@complete acc_flags=1|2 fp32_mode=LOW_HIGH "
		 "psum_zero=2048 dst=0x2000000[1][512] src=fp32@0x100[-1,0,0][128,1,1] 128*64",
		 s);
	assert_int_equal(s[0], 0x02);
	assert_int_equal(s[1], 0x10);
	assert_int_equal(s[4], 5);
	assert_int_equal(s[5], 8);
	assert_int_equal(s[6], 0x13);
	assert_int_equal(s[7], 5);
	assert_int_equal(nx_load32(s + 8), 48);
	assert_int_equal(nx_load32(s + 16), 0x100);
	assert_int_equal(nx_load16(s + 20), 0xffff);
	assert_int_equal(nx_load16(s + 26), 128);
	assert_int_equal(nx_load16(s + 28), 1);
	assert_int_equal(s[32], 10);
	assert_int_equal(s[33], 3);
	assert_int_equal(s[38], 128);
	assert_int_equal(s[39], 64);
	assert_int_equal(s[40], 10);
	assert_int_equal(s[43], 3);
	assert_int_equal(s[44], 15);
	assert_int_equal(nx_load32(s + 48), 0x2000000);
	assert_int_equal(nx_load16(s + 52), 1);
	assert_int_equal(nx_load16(s + 58), 512);
	assert_int_equal(nx_load16(s + 60), 1);
}

static void test_pointer_or_number(void **state)
{
	uint8_t s[NX_SLOT_BYTES];

	(void)state;
	assemble("TENSOR_SCALAR ops=MULTIPLY,ADD imm=0x40,2 imm_src=PTR,INSTRUCTION "
		 "src=fp32@0x0[1][4] dst=fp32@0x100[1][4] channels=8",
		 s);
	assert_int_equal(s[35], 1);
	assert_int_equal(nx_load32(s + 40), 0x40);
	assert_true(nx_load_f32(s + 44) == 2.0f);
	assemble("ACTIVATE EXP bias_imm=0.5 scale=[0x80] src=bfloat16@0x0[1][4] "
		 "dst=fp16@0x10[1][4] channels=4",
		 s);
	assert_int_equal(s[12], 1);
	assert_int_equal(s[13], 1);
	assert_int_equal(s[15], 1);
	assert_int_equal(nx_load32(s + 36), 0x80);
	assert_true(nx_load_f32(s + 40) == 0.5f);
	assert_int_equal(s[32], 6);
	assert_int_equal(s[35], 7);
	assemble("ACTIVATE COPY bias_ptr=fp32@0x20 scale=2 src=fp16@0x0[1][4] dst=fp16@0x10[1][4] "
		 "channels=4",
		 s);
	assert_int_equal(s[12], 0);
	assert_int_equal(s[13], 0);
	assert_int_equal(s[32], 0xa7);
	assert_true(nx_load_f32(s + 36) == 2.0f);
}

static void expect_memset(const char *value, const char *dtype, uint32_t raw)
{
	uint8_t s[NX_SLOT_BYTES];
	char text[128];

	snprintf(text, sizeof(text), "MEMSET value=%s dst=%s@0x0[1,4][4,3] channels=2", value,
		 dtype);
	assemble(text, s);
	assert_int_equal(nx_load32(s + 40), raw);
	assert_int_equal(nx_load16(s + 28), 12);
}

static void test_memset_values(void **state)
{
	(void)state;
	expect_memset("1", "fp32", 0x3f800000);
	expect_memset("-2", "bfloat16", 0xc000);
	expect_memset("1.00390625", "bfloat16", 0x3f80); /* a tie goes to the even one */
	expect_memset("1.01171875", "bfloat16", 0x3f82);
	expect_memset("1.0", "fp16", 0x3c00);
	expect_memset("65504.0", "fp16", 0x7bff);
	expect_memset("65520.0", "fp16", 0x7c00);
	expect_memset("5.9604644775390625e-8", "fp16", 1);
	expect_memset("0x3c00", "fp16", 0x3c00);
	expect_memset("-1", "int32", 0xffffffff);
	expect_memset("7", "uint8", 7);
}

static void test_transfers(void **state)
{
	uint8_t s[NX_SLOT_BYTES];

	(void)state;
	assemble("PSEUDO_DMA_TRIGGER qSyncIO0 block_id=i", s);
	assert_string_equal((const char *)s + 12, "qSPIO0");
	assert_int_equal(nx_load32(s + 48), 3);
	assemble("PSEUDO_DMA_TRIGGER qGpSimdDynamic block_id=0", s);
	assert_string_equal((const char *)s + 12, "qPooDynamic");
	assemble("PSEUDO_DMA_DIRECT2D semaphore=8 sem_increment=16 src_elem_size=64 "
		 "dst_elem_size=64 src_pattern=[64,0][128,1] dst_pattern=[262144,0][128,1] "
		 "src_var_id=2 src_var_offset=512 dst_table_offset_reg=$R[7] dst_table_index=1 "
		 "in_dtype=fp32 out_dtype=fp32",
		 s);
	assert_true(nx_load64(s + 16) == UINT64_C(0x1000000200000200));
	assert_true(nx_load64(s + 40) == UINT64_C(0x2800000100000007));
	assert_int_equal(nx_load32(s + 48), 262144);
	assert_int_equal(s[62], 10);
	assert_int_equal(s[63], 10);
}

static void test_body_of_an_event_semaphore(void **state)
{
	uint8_t s[NX_SLOT_BYTES];

	(void)state;
	assemble("EVENT_SEMAPHORE S[3]>=1 setter=0 S[4]==2 S[5]+=7@read", s);
	assert_int_equal(s[4], 5);
	assert_int_equal(s[5], 3);
	assert_int_equal(s[6], 0);
	assert_int_equal(s[32], 1);
	assert_int_equal(s[33], 4);
	assert_int_equal(nx_load32(s + 36), 2);
	assert_int_equal(s[34], 5);
	assert_int_equal(s[35], 5);
	assert_int_equal(nx_load32(s + 40), 7);
}

static void test_raw_has_the_last_word(void **state)
{
	uint8_t s[NX_SLOT_BYTES];

	(void)state;
	assemble("MEMSET raw=40:ff,1:aabb value=1 dst=fp32@0x0[1][4] channels=2", s);
	assert_int_equal(s[40], 0xff);
	assert_int_equal(s[1], 0xaa);
	assert_int_equal(s[2], 0xbb);
	assert_int_equal(s[43], 0x3f);
	assemble("OP_75 raw=63:01", s);
	assert_int_equal(s[0], 0x75);
	assert_int_equal(s[63], 1);
}

static void test_faults_name_place_and_remedy(void **state)
{
	(void)state;
	expect_fault("FOO a=1", 0,
		     "no instruction is called 'FOO'; unknown ones are OP_00 to OP_FF");
	expect_fault("NOP cycles=1", 4, "NOP has no operand cycles=; it has cycle= raw= words=");
	expect_fault("NOP cycle=1 cycle=2", 12, "cycle= is given twice");
	expect_fault("NOP cycle=-1", 10, "-1 is out of range; use 0 to 4294967295");
	expect_fault("NOP cycle=1.5", 10, "expected an integer, not 1.5");
	expect_fault("NOP cycle=1x", 11, "the operand should end here");
	expect_fault("NOP cycle=k", 10, "unknown name 'k'; define it with .set");
	expect_fault("NOP", 0, "NOP needs cycle=");
	expect_fault("NOP S[256]>=1 cycle=0", 6, "256 is out of range; use 0 to 255");
	expect_fault("NOP S[6]++ cycle=0", 10, "expected @complete or @read");
	expect_fault("NOP S[6]? cycle=0", 8, "expected a wait (>=3) or an update (++@complete)");
	expect_fault("NOP S[6]>=1 S[7]+=2@read cycle=0", 19,
		     "a slot has one value for its wait and its update; they have to be the same");
	expect_fault("NOP raw=64:00", 12,
		     "raw bytes have two digits each and end within the 64 of a slot");
	expect_fault("COPY src=fp33@0x0[1][2]", 9,
		     "'fp33' is not a name that fits here; use a number or uint64, int8, uint8, "
		     "int16, uint16, bfloat16, fp16, int32, uint32, fp32, fp32r, int64, fp8e3, "
		     "fp8e4, fp8e5");
	expect_fault("ACTIVATE RELUX src=fp32@0x0[1][2]", 9,
		     "'RELUX' is not a name that fits here; use a number or IDENTITY, RELU, "
		     "LEAKY_RELU, PARAMETRIC_RELU, TANH, EXP, LN, DERIVATIVE_IDENTITY, "
		     "DERIVATIVE_RELU, DERIVATIVE_LEAKY_RELU, SIN, RECIPROCAL_SQRT, SQUARE, SIGN, "
		     "ABS, IS_FINITE, SILU, COPY, MEMSET_ZERO");
	expect_fault("COPY src=fp32@0x0[1][2,3]", 25,
		     "1 steps but 2 counts; give the same number of both");
	expect_fault("COPY src=fp32@0x0[1,2,3,4,5]", 26, "at most 4 numbers fit here");
	expect_fault("LDWEIGHTS src=fp32@0x0[1][2] 300*1", 29, "rows and columns are 0 to 255");
	expect_fault("LDWEIGHTS src=fp32@0x0[1][2]", 0, "LDWEIGHTS needs its size, rows*columns");
	expect_fault("LDWEIGHTS src=fp32@0x0[1][2] 2*1 2*1", 33,
		     "expected an operand (name=value), a wait or an update");
	expect_fault("PSEUDO_DMA_TRIGGER block_id=1", 0,
		     "PSEUDO_DMA_TRIGGER needs its queue's name");
}

static void expect_round_trip(const uint8_t *slot, unsigned arch,
			      const struct nx_instruction_names *known)
{
	struct nx_instruction_context context = {arch, owners};
	char text[NX_INSTRUCTION_SOURCE_MAX];
	uint8_t again[NX_SLOT_BYTES];
	struct nx_error err = {0};
	size_t at;

	nx_instruction_source(slot, &context, known, text);
	if (nx_instruction_assemble(nx_slice_text(text), known, again, &at, &err))
		fail_msg("%s: at %zu: %s", text, at, err.message);
	assert_memory_equal(slot, again, NX_SLOT_BYTES);
}

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void test_random_slots_come_back(void **state)
{
	uint64_t seed = 88172645463325252;
	uint8_t slot[NX_SLOT_BYTES];

	(void)state;
	for (unsigned round = 0; round < 200; round++)
		for (unsigned opcode = 0; opcode < 256; opcode++) {
			/* dense, sparse and small bytes meet different branches */
			for (unsigned i = 0; i < NX_SLOT_BYTES; i++) {
				uint64_t bits = draw(&seed);

				slot[i] = (uint8_t)bits;
				if (round % 3)
					slot[i] &= bits >> 8 & 7 ? 0 : 0xff;
				if (round % 3 == 2)
					slot[i] &= 15;
			}
			slot[0] = (uint8_t)opcode;
			expect_round_trip(slot, 1 + round % 3, round & 1 ? &names : NULL);
		}
}

static void expect_source(const uint8_t *slot, const char *expected)
{
	struct nx_instruction_context context = {V3, owners};
	char text[NX_INSTRUCTION_SOURCE_MAX];

	assert_int_equal(nx_instruction_source(slot, &context, &names, text), strlen(expected));
	assert_string_equal(text, expected);
}

static void test_what_is_left_out_is_added(void **state)
{
	uint8_t s[NX_SLOT_BYTES];

	(void)state;
	assemble("ACT_TABLE_LOAD set=2 raw=20:0102,63:ff", s);
	expect_source(s, "ACT_TABLE_LOAD table_sel=0 set=2 raw=20:0102,63:ff");
	assemble("PSEUDO_DMA_TRIGGER S[8]>=16 qSyncIO0 block_id=2", s);
	expect_source(s, "PSEUDO_DMA_TRIGGER S[8] (qSyncIO0)>=16 qSyncIO0 block_id=2");
	assemble("ACTIVATE EXP bias_imm=0 scale=0.08838834764 src=fp32@0x0[1][4] "
		 "dst=fp32@0x0[1][4] channels=4",
		 s);
	expect_source(s, "ACTIVATE EXP bias_imm=0.000000 src=fp32@0x0[1,0,0][4,1,1] "
			 "dst=fp32@0x0[1,0,0][4,1,1] channels=4 scale=0.088388 imm=0.000000 "
			 "accumulator_cmd=IDLE scale_bits=0x3db504f3");
	assemble("ACTIVATE COPY bias_imm=0 bias_dtype=fp32 scale=1 src=fp32@0x0[1][4] "
		 "dst=fp32@0x0[1][4] channels=4",
		 s);
	assert_int_equal(s[32], 0xaa);
	expect_source(s, "ACTIVATE COPY bias_imm=0.000000 src=fp32@0x0[1,0,0][4,1,1] "
			 "dst=fp32@0x0[1,0,0][4,1,1] channels=4 scale=1.000000 imm=0.000000 "
			 "accumulator_cmd=IDLE bias_dtype=fp32");
}

static void test_hostile_names_become_bytes(void **state)
{
	const char *bad[NX_SEMAPHORE_COUNT] = {[8] = "a)\n# b"};
	struct nx_instruction_context context = {V2, bad};
	char text[NX_INSTRUCTION_SOURCE_MAX];
	uint8_t s[NX_SLOT_BYTES], again[NX_SLOT_BYTES];
	size_t at;

	(void)state;
	assemble("NOP S[8]>=1 cycle=5", s);
	nx_instruction_source(s, &context, &names, text);
	assert_null(strchr(text, '#'));
	assert_null(strchr(text, '\n'));
	assert_int_equal(nx_instruction_assemble(nx_slice_text(text), &names, again, &at, NULL), 0);
	assert_memory_equal(s, again, sizeof(s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_pointer_or_number),
		cmocka_unit_test(test_memset_values),
		cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_body_of_an_event_semaphore),
		cmocka_unit_test(test_raw_has_the_last_word),
		cmocka_unit_test(test_faults_name_place_and_remedy),
		cmocka_unit_test(test_random_slots_come_back),
		cmocka_unit_test(test_what_is_left_out_is_added),
		cmocka_unit_test(test_hostile_names_become_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
