/* SPDX-License-Identifier: Apache-2.0 */
/* Expected texts are worked out by hand from docs/formats/isa.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "tests/unit/format/isa/slot.h"

#define V2 1
#define V3 2
#define V4 3

static const char *const names[NX_SEMAPHORE_COUNT] = {
	[4] = "Scalar", [5] = "Tensor", [6] = "Vector", [8] = "qGpSimdDynamic"};

static void expect_arch(const struct slot *s, unsigned arch, bool is_known, const char *expected)
{
	struct nx_instruction_context context = {arch, names};
	char text[NX_INSTRUCTION_TEXT_MAX];
	bool known = !is_known;
	size_t len = nx_instruction_text(s->bytes, &context, text, sizeof(text), &known);

	assert_string_equal(text, expected);
	assert_int_equal(len, strlen(expected));
	assert_int_equal(known, is_known);
}

static void expect(const struct slot *s, const char *expected)
{
	expect_arch(s, V3, true, expected);
}

static void test_ldweights(void **state)
{
	struct slot s = slot_of(0x01);

	(void)state;
	at(&s, 4, 5, 8); /* wait: semaphore 8 >= 16 */
	at32(&s, 8, 16);
	at32(&s, 16, 0x37afe);
	pattern(&s, 20, 3, (-1, 0, -32), (32, 1, 4));
	at(&s, 32, 6);
	at(&s, 38, 128, 96);
	at(&s, 44, 0x0f, 0x0f);
	expect(&s, "S[8] (qGpSimdDynamic)>=16 transpose_mode=DISABLED "
		   "src=bfloat16@0x37afe[-1,0,-32][32,1,4] 128*96 ");
	expect_arch(&s, V2, true,
		    "S[8] (qGpSimdDynamic)>=16 src=bfloat16@0x37afe[-1,0,-32][32,1,4] 128*96 ");
	at(&s, 32, 10, 1, 1);
	expect_arch(&s, V4, true,
		    "S[8] (qGpSimdDynamic)>=16 fp32_mode=LOW transpose_mode=ENABLED "
		    "src=fp32@0x37afe[-1,0,-32][32,1,4] 128*96 ");
	at(&s, 45, 0x01);
	expect_arch(&s, V2, true,
		    "S[8] (qGpSimdDynamic)>=16 fp32_mode=LOW "
		    "src=fp32@0x37afe[-1,0,-32][32,1,4] 128*96 col_grp=q0 ");
}

static void test_matmul(void **state)
{
	struct slot s = slot_of(0x02);

	(void)state;
	at(&s, 6, 0x13, 5);
	at32(&s, 16, 0x37600);
	pattern(&s, 20, 3, (1, 0, 0), (512, 1, 1));
	at(&s, 32, 10, 3);
	at(&s, 38, 128, 128);
	at(&s, 43, 3, 0x0f, 0x0f);
	at32(&s, 48, 0x2000800);
	pattern(&s, 52, 3, (1, 0, 0), (512, 1, 1));
	expect(&s, "S[5] (Tensor)++@complete acc_flags=3 fp32_mode=LOW_HIGH "
		   "src=fp32@0x37600[1,0,0][512,1,1] dst=0x2000800[1,0,0][512,1,1] 128*128 ");
	at(&s, 33, 2);
	at(&s, 38, 3);
	at(&s, 40, 10);
	at(&s, 44, 0x01);
	expect(&s, "S[5] (Tensor)++@complete acc_flags=3 psum_zero=2048 fp32_mode=HIGH row_grp=q0 "
		   "src=fp32@0x37600[1,0,0][512,1,1] dst=0x2000800[1,0,0][512,1,1] 3*128 ");
	at(&s, 33, 0);
	at(&s, 40, 255);
	at(&s, 44, 0x03, 0x08);
	expect(&s, "S[5] (Tensor)++@complete acc_flags=3 psum_zero=255 row_grp=0x3 col_grp=q3 "
		   "src=fp32@0x37600[1,0,0][512,1,1] dst=0x2000800[1,0,0][512,1,1] 3*128 ");
}

static struct slot activate_slot(void)
{
	struct slot s = slot_of(0x21);

	at32(&s, 16, 0x36200);
	pattern(&s, 20, 3, (1, 1, 1), (512, 1, 1));
	at(&s, 32, 0xa7, 6, 128, 7);
	at_f32(&s, 36, 0.5f);
	at32(&s, 40, 0x6010);
	at32(&s, 48, 0x6020);
	pattern(&s, 52, 3, (1, 1, 1), (512, 1, 1));
	return s;
}

static void test_activate(void **state)
{
	struct slot s = activate_slot();

	(void)state;
	at(&s, 4, 5, 6, 0x13, 4);
	at32(&s, 8, 7);
	expect(&s, "S[6] (Vector)>=7 S[4] (Scalar)++@complete EXP bias_ptr=fp32@0x6010 "
		   "src=fp16@0x36200[1,1,1][512,1,1] dst=bfloat16@0x6020[1,1,1][512,1,1] "
		   "channels=128 scale=0.500000 imm=0.000000 accumulator_cmd=IDLE");
}

static void test_activate_choices(void **state)
{
	struct slot s = activate_slot();

	(void)state;
	at(&s, 12, 1, 1, 3); /* bias immediate, scale pointer, an accumulator command */
	at(&s, 35, 128);
	at32(&s, 36, 0x448c);
	at_f32(&s, 40, -1.25f);
	at32(&s, 44, 0xab);
	expect_arch(&s, V2, true,
		    " COPY bias_imm=-1.250000 src=fp16@0x36200[1,1,1][512,1,1] "
		    "dst=bfloat16@0x6020[1,1,1][512,1,1] channels=128 scale=[0x448c] imm=[0xab] "
		    "accumulator_cmd=3");
	at(&s, 35, 99);
	at_f32(&s, 44, 2.0f);
	expect(&s, " 99 bias_imm=-1.250000 src=fp16@0x36200[1,1,1][512,1,1] "
		   "dst=bfloat16@0x6020[1,1,1][512,1,1] channels=128 scale=[0x448c] imm=2.000000 "
		   "accumulator_cmd=3");
}

/* 0x42, 0x46..0x48, 0x6a, 0x6b share this layout. */
static struct slot copy_slot(uint8_t opcode)
{
	struct slot s = slot_of(opcode);

	at32(&s, 12, 0x2000800);
	pattern(&s, 16, 4, (1, 2, -3, 32767), (512, 1, 65535, 1));
	at(&s, 32, 10, 6, 128);
	at32(&s, 44, 0x4000);
	pattern(&s, 48, 4, (1, 1, 1, -32768), (512, 1, 1, 1));
	return s;
}

#define COPY_TEXT                                                                                  \
	"src=fp32@0x2000800[1,2,-3,32767][512,1,65535,1] "                                         \
	"dst=bfloat16@0x4000[1,1,1,-32768][512,1,1,1] channels=128 "

static void test_copy_family(void **state)
{
	static const uint8_t opcodes[] = {0x46, 0x47, 0x48, 0x6a, 0x6b};

	(void)state;
	for (unsigned i = 0; i < sizeof(opcodes); i++) {
		struct slot s = copy_slot(opcodes[i]);

		expect(&s, " " COPY_TEXT);
		at(&s, 4, 5, 5, 0x13, 6);
		at32(&s, 8, 2);
		expect(&s, "S[5] (Tensor)>=2 S[6] (Vector)++@complete " COPY_TEXT);
	}
}

static void test_tensor_reduce(void **state)
{
	struct slot s = copy_slot(0x42);

	(void)state;
	at(&s, 36, 8, 2);
	expect(&s, " op=MAX dim=X " COPY_TEXT);
	at(&s, 35, 1, 4, 3);
	expect(&s, " op=ADD dim=XY negated=1 " COPY_TEXT);
	at(&s, 35, 0, 77, 5);
	expect(&s, " op=77 dim=5 " COPY_TEXT);
}

static void test_tensor_scalar(void **state)
{
	struct slot s = slot_of(0x43);

	(void)state;
	at32(&s, 16, 0x6020);
	pattern(&s, 20, 3, (1, 1, 1), (512, 1, 1));
	at(&s, 32, 10, 10, 128, 1, 6, 0);
	at32(&s, 40, 0x8040);
	at32(&s, 48, 0x8050);
	pattern(&s, 52, 3, (1, 1, 1), (512, 1, 1));
	expect(&s, " ops=MULTIPLY,BYPASS imm=0x8040,0 imm_src=PTR,INSTRUCTION "
		   "src=fp32@0x6020[1,1,1][512,1,1] dst=fp32@0x8050[1,1,1][512,1,1] "
		   "channels=128 ");
	at(&s, 35, 2, 8, 9);
	at_f32(&s, 40, 1.0018653e-12f);
	at32(&s, 44, 0x20);
	expect(&s, " ops=MAX,MIN imm=1.0018653e-12,0x20 imm_src=INSTRUCTION,PTR "
		   "src=fp32@0x6020[1,1,1][512,1,1] dst=fp32@0x8050[1,1,1][512,1,1] "
		   "channels=128 ");
}

static void test_tensor_tensor(void **state)
{
	struct slot s = slot_of(0x41);

	(void)state;
	at(&s, 12, 0x6a, 7, 6, 128); /* fp32 and bfloat16 to fp16 */
	at32(&s, 16, 0x28000);
	pattern(&s, 20, 3, (1, 1, 1), (8192, 1, 1));
	at32(&s, 32, 0xc000);
	pattern(&s, 36, 3, (0, 1, 1), (8192, 1, 1));
	at32(&s, 48, 0x4000);
	pattern(&s, 52, 3, (1, 1, 1), (8192, 1, 1));
	expect(&s, " op=MULTIPLY src0=fp32@0x28000[1,1,1][8192,1,1] "
		   "src1=bfloat16@0xc000[0,1,1][8192,1,1] dst=fp16@0x4000[1,1,1][8192,1,1] "
		   "channels=128 ");
	s.bytes[0] = 0x72;
	expect(&s, " predicate=fp32@0x28000[1,1,1][8192,1,1] "
		   "src=bfloat16@0xc000[0,1,1][8192,1,1] dst=fp16@0x4000[1,1,1][8192,1,1] "
		   "channels=128 ");
}

static void test_memset(void **state)
{
	struct slot s = slot_of(0x49);

	(void)state;
	at(&s, 32, 10, 0, 128);
	at_f32(&s, 40, -3.5f);
	at32(&s, 44, 0x2001000);
	pattern(&s, 48, 4, (1, 1, 1, 1), (16, 1, 1, 1));
	expect(&s, " value=-3.5 dst=fp32@0x2001000[1,1,1,1][16,1,1,1] channels=128 ");
	at(&s, 32, 6);
	at32(&s, 40, 0x3f80); /* bfloat16 1 */
	expect(&s, " value=1 dst=bfloat16@0x2001000[1,1,1,1][16,1,1,1] channels=128 ");
	at(&s, 32, 8);
	at32(&s, 40, 0xfffffffe);
	expect(&s, " value=-2 dst=int32@0x2001000[1,1,1,1][16,1,1,1] channels=128 ");
	at(&s, 32, 5);
	expect(&s, " value=0xfffe dst=uint16@0x2001000[1,1,1,1][16,1,1,1] channels=128 ");
	at(&s, 32, 3);
	expect(&s, " value=0xfe dst=uint8@0x2001000[1,1,1,1][16,1,1,1] channels=128 ");
	at(&s, 32, 200);
	expect(&s, " value=0xfffffffe dst=200@0x2001000[1,1,1,1][16,1,1,1] channels=128 ");
}

static void test_lane_and_index_instructions(void **state)
{
	struct slot s = copy_slot(0x67);

	(void)state;
	expect(&s, " src=fp32@0x2000800[1,2,-3,32767][512,1,65535,1] channels=128 ");
	s.bytes[0] = 0x68;
	expect(&s, " index=fp32@0x2000800[1,2,-3,32767][512,1,65535,1] "
		   "dst=bfloat16@0x4000[1,1,1,-32768][512,1,1,1] channels=128 ");
	at32(&s, 48, 0x500);
	pattern(&s, 52, 2, (1, 1), (8, 1));
	for (uint8_t op = 0x6c; op <= 0x6e; op = (uint8_t)(op + 2)) {
		s.bytes[0] = op;
		expect(&s, " src=fp32@0x2000800[1,2,-3,32767][512,1,65535,1] "
			   "dst=bfloat16@0x500[1,1][8,1] channels=128 ");
	}
	s = slot_of(0x6d);
	at32(&s, 16, 0x700);
	pattern(&s, 20, 2, (-1, 1), (8, 1));
	at(&s, 32, 10, 0, 64);
	expect(&s, " src=fp32@0x700[-1,1][8,1] channels=64 ");
}

static void test_load_mask_select(void **state)
{
	struct slot s = slot_of(0x69);

	(void)state;
	for (unsigned lane = 0; lane < 32; lane++)
		s.bytes[32 + lane] = lane < 4 ? (uint8_t)(3 - lane) : 32;
	expect(&s, " mask=[3,2,1,0,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,"
		   "32,32,32,32,32,32,32,32] ");
}

static void test_affine_select(void **state)
{
	struct slot s = slot_of(0x92);

	(void)state;
	at(&s, 12, 128, 0x6a, 3, 61);
	at32(&s, 16, 0xffffff80);
	pattern(&s, 20, 4, (1, 1, 1, 1), (128, 1, 1, 1));
	at32(&s, 36, 0x58a8);
	pattern(&s, 40, 2, (1, 1), (128, 1));
	at32(&s, 48, 0x6a10);
	pattern(&s, 52, 2, (1, 1), (128, 1));
	at32(&s, 60, 0xffffffff);
	expect(&s, " cmp_op=3 fill=$R[61] base=-128 channel_step=-1 index=[1,1,1,1][128,1,1,1] "
		   "src=fp32@0x58a8[1,1][128,1] dst=bfloat16@0x6a10[1,1][128,1] channels=128 ");
}

static void test_copy_predicated_scalar(void **state)
{
	struct slot s = slot_of(0xe8);

	(void)state;
	at32(&s, 16, 0x100);
	pattern(&s, 20, 3, (1, 1, 1), (4, 2, 1));
	at(&s, 32, 3, 1, 16);
	at(&s, 41, 10, 6, 1);
	at32(&s, 44, 0x40);
	at32(&s, 48, 0x200);
	pattern(&s, 52, 3, (1, 4, 1), (4, 2, 1));
	expect(&s, " predicate=uint8@0x100[1,1,1][4,2,1] inverted=1 scalar_ptr=fp32@0x40 "
		   "dst=bfloat16@0x200[1,4,1][4,2,1] channels=16 ");
	at(&s, 33, 0);
	at(&s, 43, 0);
	expect(&s, " predicate=uint8@0x100[1,1,1][4,2,1] scalar_src=0 scalar=fp32@0x40 "
		   "dst=bfloat16@0x200[1,4,1][4,2,1] channels=16 ");
}

static void test_event_semaphore(void **state)
{
	struct slot s = slot_of(0xa0);

	(void)state;
	expect(&s, " setter=0   ");
	at(&s, 32, 1, 2, 0x19, 2);
	at32(&s, 36, 8);
	expect(&s, " setter=0 $S[2]==8 $S[2]=0@complete ");
	at(&s, 4, 5, 5, 0x13, 4);
	at32(&s, 8, 3);
	at(&s, 12, 7);
	at(&s, 32, 0, 0, 0x15, 2);
	at32(&s, 40, 4294967295u);
	expect(&s, "S[5] (Tensor)>=3 S[4] (Scalar)++@complete setter=7  "
		   "$S[2]+=4294967295@complete ");
}

static void test_plain_control(void **state)
{
	struct slot s = slot_of(0xa2);

	(void)state;
	expect(&s, " ");
	s = slot_of(0xa4);
	at(&s, 4, 7, 4);
	at32(&s, 12, 1);
	expect(&s, "$E[4]==1- cycle=1 ");
	s = slot_of(0x23);
	at(&s, 12, 2);
	expect(&s, " table_sel=2 ");
	s = slot_of(0xb1);
	expect(&s, " ordering_mode=relaxed ");
	at(&s, 12, 1);
	expect(&s, " ordering_mode=strict ");
	at(&s, 12, 2);
	expect(&s, " ordering_mode=2 ");
	s = slot_of(0xb0);
	at(&s, 12, 1, 207, 255);
	expect(&s, " mode=SEMAPHORE_ZERO first=207 last=255 ");
	at(&s, 12, 4);
	expect(&s, " mode=4 first=207 last=255 ");
}

static void test_write(void **state)
{
	struct slot s = slot_of(0xa5);

	(void)state;
	at(&s, 12, 4);
	at64(&s, 16, 0x803802701804);
	at64(&s, 32, 1);
	expect(&s, " data=0x1 size=4 dst=0x803802701804 ");
	at(&s, 13, 8);
	at64(&s, 24, 0xffffffffffffffff);
	expect(&s, " data=0x1,0x0 size=4,8 dst=0x803802701804,0xffffffffffffffff ");
}

static void test_notify(void **state)
{
	struct slot s = slot_of(0xa6);

	(void)state;
	at16(&s, 36, NX_NOTIFY_HINT_START);
	at(&s, 39, 1);
	expect(&s, "  hint=2 notification=EXPLICIT  trace=START ");
	at(&s, 39, 2);
	expect(&s, "  hint=2 notification=2  trace=START ");
}

static void test_compare_branch(void **state)
{
	struct slot s = slot_of(0xa9);

	(void)state;
	at(&s, 3, 2);
	at32(&s, 48, 4294964480u);
	expect(&s, " cmp_op=ALWAYS label_id=4294964480 debugHint=2");
	at(&s, 3, 0);
	at(&s, 12, 3, 8);
	at32(&s, 16, 5);
	at32(&s, 32, 0xffffffff);
	at32(&s, 48, 896);
	expect(&s, " cmp_op=EQ dtype=int32 cmp0=$R[5] cmp1=-1 label_id=896 ");
	at(&s, 12, 9, 9);
	expect(&s, " cmp_op=9 dtype=uint32 cmp0=$R[5] cmp1=0xffffffff label_id=896 ");
}

static void test_tensor_load_store(void **state)
{
	struct slot s = slot_of(0xaa);

	(void)state;
	at(&s, 12, 9, 0, 2, 1);
	at64(&s, 16, 0x8005c0365000);
	at32(&s, 24, 1);
	at(&s, 32, 130, 131);
	expect(&s, " addr=uint32@0x8005c0365000[1,0][2,1] data=$R[130],$R[131] ");
	s.bytes[0] = 0xab;
	at32(&s, 28, 0xffffffff);
	at(&s, 14, 0);
	expect(&s, " addr=uint32@0x8005c0365000[1,-1][0,1] data= ");
}

static unsigned register_count(uint8_t rows, uint8_t columns)
{
	struct slot s = slot_of(0xaa);
	struct nx_instruction_context context = {V3, NULL};
	char text[NX_INSTRUCTION_TEXT_MAX];
	unsigned count = 0;
	bool known;

	at(&s, 14, rows, columns);
	memset(s.bytes + 32, 255, 32);
	nx_instruction_text(s.bytes, &context, text, sizeof(text), &known);
	for (const char *p = text; (p = strstr(p, "$R[255]")) != NULL; p++)
		count++;
	return count;
}

/* The slot has room for the names of 32 registers, whatever it asks for. */
static void test_register_list_is_bounded(void **state)
{
	(void)state;
	assert_int_equal(register_count(4, 8), 32);
	assert_int_equal(register_count(3, 11), 32);
	assert_int_equal(register_count(255, 255), 32);
}

static void test_register_arithmetic(void **state)
{
	struct slot s = slot_of(0xa7);

	(void)state;
	at(&s, 12, 1, 9, 1);
	at32(&s, 24, 61);
	at32(&s, 32, 0x3f800000);
	expect(&s, " dtype=uint32 dst=$R[61] src=0x3f800000 ");
	at(&s, 14, 0);
	at32(&s, 32, 7);
	expect(&s, " dtype=uint32 dst=$R[61] src=$R[7] ");
	s = slot_of(0xa8);
	at(&s, 12, 6, 8, 1);
	at32(&s, 16, 60);
	at32(&s, 20, 61);
	at32(&s, 24, 0xfffffff0);
	expect(&s, " op=MULTIPLY dtype=int32 dst=$R[61] src0=$R[60] src1=-16 ");
}

static struct slot dma_slot(uint8_t opcode)
{
	struct slot s = slot_of(opcode);

	at(&s, 13, 24, 16);
	at32(&s, 24, 512);
	at32(&s, 28, 1);
	at16(&s, 32, 128);
	at16(&s, 34, 1);
	at16(&s, 36, 512);
	at32(&s, 48, 262144);
	at32(&s, 52, 0xffffffff);
	at16(&s, 56, 128);
	at16(&s, 58, 1);
	at16(&s, 60, 512);
	at(&s, 62, 10, 10);
	return s;
}

#define DMA_TEXT                                                                                   \
	"semaphore=24 sem_increment=16  src_elem_size=512 dst_elem_size=512 "                      \
	"src_pattern=[512,1][128,1] dst_pattern=[262144,-1][128,1] "

static void test_dma_direct2d(void **state)
{
	struct slot s = dma_slot(0xb8);

	(void)state;
	at64(&s, 16, 0x8005c03b0000);
	at64(&s, 40, 0x802000033000);
	expect(&s, " " DMA_TEXT "src_addr_imm=0x8005c03b0000 src_shape_reg=0 "
		   "dst_addr_imm=0x802000033000 dst_shape_reg=0 compute_op=NONE ");
	at64(&s, 16, 0x2000000500000010);
	at(&s, 62, 10, 6);
	at(&s, 15, 4);
	expect(&s, " " DMA_TEXT "src_table_offset_imm=0x10 src_table_index=5 src_shape_reg=0 "
		   "dst_addr_imm=0x802000033000 dst_shape_reg=0 "
		   "in_dtype=fp32 out_dtype=bfloat16 compute_op=4 ");
	at64(&s, 16, 0x280000050000003d);
	at(&s, 38, 189);
	expect(&s, " " DMA_TEXT "src_table_offset_reg=$R[61] src_table_index=5 src_shape_reg=189 "
		   "dst_addr_imm=0x802000033000 dst_shape_reg=0 "
		   "in_dtype=fp32 out_dtype=bfloat16 compute_op=4 ");
}

static void test_pseudo_dma_direct2d(void **state)
{
	struct slot s = dma_slot(0xd4);

	(void)state;
	at64(&s, 16, 0x1000000500000000);
	at64(&s, 40, 0x1000000000033000);
	expect(&s, " dge_op=DIRECT2D " DMA_TEXT "src_var_id=5 src_var_offset=0 src_shape_reg=0 "
		   "dst_var_id=0 dst_var_offset=208896 dst_shape_reg=0   ");
	at64(&s, 16, 0x2000000100000400);
	at(&s, 12, 1);
	at(&s, 62, 2, 7);
	expect(&s, " dge_op=1 " DMA_TEXT "src_table_offset_imm=1024 src_table_index=1 "
		   "src_shape_reg=0 dst_var_id=0 dst_var_offset=208896 dst_shape_reg=0 "
		   "in_dtype=int8 out_dtype=fp16   ");
}

static void test_dma_trigger(void **state)
{
	struct slot s = slot_of(0xc1);

	(void)state;
	memcpy(s.bytes + 12, "qSPIO0", 6);
	at32(&s, 48, 7);
	expect(&s, " qSyncIO0 block_id=7 ");
	memset(s.bytes + 12, 'q', 36); /* no NUL at all */
	expect(&s, " qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq block_id=7 ");
	memcpy(s.bytes + 12, "q\n\xff\0", 4);
	expect(&s, " q?? block_id=7 ");
}

static void test_neff_only(void **state)
{
	struct slot s = slot_of(0xce);

	(void)state;
	at(&s, 12, 9, 0, 1, 1);
	at32(&s, 20, 94976);
	at32(&s, 24, 1);
	at32(&s, 28, 8);
	at(&s, 32, 60);
	expect(&s, " dtype=uint32 var_id=0 var_offset=94976 [1,8][1,1] data=$R[60] ");
	s = slot_of(0xd8);
	at(&s, 4, 5, 45, 0x13, 8);
	at32(&s, 8, 16);
	at32(&s, 12, 1);
	at(&s, 16, 9);
	expect(&s, "$S[45]>=16 S[8] (qGpSimdDynamic)++@complete semaphore=9 id=1 ");
	s = slot_of(0xcc);
	expect(&s, " ");
	at(&s, 63, 1);
	expect_arch(&s, V3, false,
		    " words=0x00000000,0x00000000,0x00000000,0x00000000,0x00000000,0x00000000,"
		    "0x00000000,0x00000000,0x00000000,0x00000000,0x00000000,0x00000000,0x01000000");
}

/* An extension slot has no header: bytes 1..11 are not a wait and an update. */
static void test_extension_has_no_header(void **state)
{
	struct slot s = slot_of(0xda);

	(void)state;
	memset(s.bytes + 1, 0x13, 11);
	at32(&s, 12, 0x10000000);
	expect(&s, " tensor_bytes=268435456 ");
}

static void test_unknown_opcode(void **state)
{
	struct slot s = slot_of(0x95);

	(void)state;
	at(&s, 4, 5, 5, 0x13, 4);
	at32(&s, 8, 1);
	for (unsigned i = 12; i < NX_SLOT_BYTES; i++)
		s.bytes[i] = (uint8_t)i;
	expect_arch(&s, V3, false,
		    "S[5] (Tensor)>=1 S[4] (Scalar)++@complete words=0x0f0e0d0c,0x13121110,"
		    "0x17161514,0x1b1a1918,0x1f1e1d1c,0x23222120,0x27262524,0x2b2a2928,0x2f2e2d2c,"
		    "0x33323130,0x37363534,0x3b3a3938,0x3f3e3d3c");
}

/* Whatever the bytes, text and NUL stay inside cap; the sanitizers watch the edges. */
static void test_any_bytes_in_any_room(void **state)
{
	struct nx_instruction_context context = {V3, names};
	uint32_t random = 12345;
	bool known;

	(void)state;
	for (unsigned round = 0; round < 256 * 24; round++) {
		size_t cap = round % 7 ? round % 300 : NX_INSTRUCTION_TEXT_MAX;
		uint8_t *slot = malloc(NX_SLOT_BYTES);
		char *out = malloc(cap ? cap : 1);
		size_t len;

		for (unsigned i = 0; i < NX_SLOT_BYTES; i++) {
			random = random * 1664525 + 1013904223;
			slot[i] = (uint8_t)(random >> 24);
		}
		slot[0] = (uint8_t)round;
		context.arch = random >> 30;
		len = nx_instruction_text(slot, &context, out, cap, &known);
		if (cap) {
			assert_true(len < cap);
			assert_int_equal(strlen(out), len);
		} else {
			assert_int_equal(len, 0);
		}
		free(out);
		free(slot);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ldweights),
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_activate),
		cmocka_unit_test(test_activate_choices),
		cmocka_unit_test(test_copy_family),
		cmocka_unit_test(test_tensor_reduce),
		cmocka_unit_test(test_tensor_scalar),
		cmocka_unit_test(test_tensor_tensor),
		cmocka_unit_test(test_memset),
		cmocka_unit_test(test_lane_and_index_instructions),
		cmocka_unit_test(test_load_mask_select),
		cmocka_unit_test(test_affine_select),
		cmocka_unit_test(test_copy_predicated_scalar),
		cmocka_unit_test(test_event_semaphore),
		cmocka_unit_test(test_plain_control),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_notify),
		cmocka_unit_test(test_compare_branch),
		cmocka_unit_test(test_tensor_load_store),
		cmocka_unit_test(test_register_list_is_bounded),
		cmocka_unit_test(test_register_arithmetic),
		cmocka_unit_test(test_dma_direct2d),
		cmocka_unit_test(test_pseudo_dma_direct2d),
		cmocka_unit_test(test_dma_trigger),
		cmocka_unit_test(test_neff_only),
		cmocka_unit_test(test_extension_has_no_header),
		cmocka_unit_test(test_unknown_opcode),
		cmocka_unit_test(test_any_bytes_in_any_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
