/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "format/operand_text.h"
#include "tests/unit/format/isa/slot.h"

static const char *const names[NX_SEMAPHORE_COUNT] = {[5] = "Tensor", [255] = "last"};
static const struct nx_instruction_context named = {2, names};
static const struct nx_instruction_context unnamed = {2, NULL};

static char buffer[256];

static struct nx_operand_text text_of(const struct slot *s,
				      const struct nx_instruction_context *context)
{
	memset(buffer, 0, sizeof(buffer));
	return (struct nx_operand_text){buffer, sizeof(buffer), 0, s->bytes, context};
}

static void expect_wait(const struct nx_instruction_context *context, uint8_t mode, uint8_t index,
			uint32_t value, const char *expected)
{
	struct slot s = slot_of(0xa2);
	struct nx_operand_text t = text_of(&s, context);

	nx_operand_put_wait(&t, mode, index, value);
	assert_string_equal(buffer, expected);
}

static void expect_update(uint8_t mode, uint8_t index, uint32_t value, const char *expected)
{
	struct slot s = slot_of(0xa2);
	struct nx_operand_text t = text_of(&s, &named);

	nx_operand_put_update(&t, mode, index, value);
	assert_string_equal(buffer, expected);
}

static void test_waits(void **state)
{
	(void)state;
	expect_wait(&named, 0, 5, 1, "");
	expect_wait(&named, 1, 5, 0, "S[5] (Tensor)==0");
	expect_wait(&named, 2, 5, 1, "S[5] (Tensor)<1");
	expect_wait(&named, 3, 5, 1, "S[5] (Tensor)<=1");
	expect_wait(&named, 4, 255, 1, "S[255] (last)>1");
	expect_wait(&named, 5, 6, UINT32_MAX, "$S[6]>=4294967295");
	expect_wait(&unnamed, 5, 5, 16, "$S[5]>=16");
	expect_wait(&named, 6, 3, 1, "$E[3]==1");
	expect_wait(&named, 7, 3, 1, "$E[3]==1-");
	expect_wait(&named, 14, 3, 1, "$E[3]==0");
	expect_wait(&named, 15, 3, 1, "$E[3]==0+");
}

static void test_unknown_waits_stay_visible(void **state)
{
	(void)state;
	expect_wait(&named, 8, 3, 1, "?w8[3]");
	expect_wait(&named, 9, 3, 1, "?w9[3]");
	expect_wait(&named, 16, 5, 1, "?w16[5]");
	expect_wait(&named, 0x85, 5, 1, "?w133[5]");
	expect_wait(&named, 255, 255, 1, "?w255[255]");
}

static void test_updates(void **state)
{
	(void)state;
	expect_update(0, 5, 1, "");
	expect_update(1, 4, 1, "$E[4]+@read");
	expect_update(0x11, 4, 1, "$E[4]+@complete");
	expect_update(0x12, 4, 1, "$E[4]-@complete");
	expect_update(3, 5, 9, "S[5] (Tensor)++@read");
	expect_update(0x13, 5, 9, "S[5] (Tensor)++@complete");
	expect_update(0x14, 6, 9, "$S[6]--@complete");
	expect_update(0x15, 6, 9, "$S[6]+=9@complete");
	expect_update(7, 6, 9, "$S[6]-=9@read");
	expect_update(0x19, 6, 0, "$S[6]=0@complete");
}

static void test_unknown_updates_stay_visible(void **state)
{
	(void)state;
	expect_update(6, 5, 1, "?u6[5]");
	expect_update(0x10, 5, 1, "?u16[5]");
	expect_update(0x33, 5, 1, "?u51[5]");
	expect_update(255, 0, 1, "?u255[0]");
}

static void test_prefix(void **state)
{
	struct slot s = slot_of(0x46);
	struct nx_operand_text t = text_of(&s, &named);

	(void)state;
	nx_operand_put_prefix(&t);
	assert_string_equal(buffer, " ");
	at(&s, 6, 0x13, 5);
	t = text_of(&s, &named);
	nx_operand_put_prefix(&t);
	assert_string_equal(buffer, "S[5] (Tensor)++@complete ");
	at(&s, 4, 5, 9);
	at32(&s, 8, 2);
	t = text_of(&s, &named);
	nx_operand_put_prefix(&t);
	assert_string_equal(buffer, "$S[9]>=2 S[5] (Tensor)++@complete ");
}

static void expect_shortest(float value, const char *expected)
{
	struct slot s = slot_of(0xa2);
	struct nx_operand_text t = text_of(&s, &named);

	nx_operand_put_shortest(&t, value);
	assert_string_equal(buffer, expected);
}

static void test_floats(void **state)
{
	struct slot s = slot_of(0xa2);
	struct nx_operand_text t = text_of(&s, &named);

	(void)state;
	expect_shortest(0.0f, "0");
	expect_shortest(1.0f, "1");
	expect_shortest(0.1f, "0.1");
	expect_shortest(-16777216.0f, "-16777216");
	expect_shortest(3.4028235e38f, "3.4028235e+38");
	expect_shortest(1e-45f, "1e-45");
	expect_shortest(INFINITY, "inf");
	expect_shortest(NAN, "nan");
	nx_operand_put_fixed(&t, -0.088388346f);
	assert_string_equal(buffer, "-0.088388");
}

static void test_every_field_kind(void **state)
{
	struct slot s = slot_of(0xa2);
	struct nx_operand_text t = text_of(&s, &named);

	(void)state;
	for (unsigned i = 0; i < NX_SLOT_BYTES; i++)
		s.bytes[i] = (uint8_t)(0xf0 | i % 16);
	at(&s, 12, 0x6a, 0, 10, 200);
	nx_operand_put_fields(&t, "{b63} {h62} {u60} {i60} {x60} {l56} {s63} {n12} {m12} {d14} "
				  "{d15} {a13} {a15} {2:56}}");
	assert_string_equal(buffer, "255 65534 4294901244 -66052 0xfffefdfc 0xfffefdfcfbfaf9f8 "
				    "$R[255] fp32 bfloat16 fp32 200 BYPASS 200 "
				    "[-1544,-1030][65020,65534]}");
}

static void test_marks_and_names(void **state)
{
	struct slot s = slot_of(0xa2);
	struct nx_operand_text t = text_of(&s, &named);

	(void)state;
	s.bytes[20] = 0;
	at(&s, 12, 200, 3, 0, 1);
	nx_operand_put_fields(&t, "?a={b12} ~b={b20} ~c={h14} +d={b12} e={e12:X=1,Y=200} "
				  "{e13:X=1,Y=200} {g13} {!12:1}{U12}");
	assert_string_equal(buffer, "a=200 c=256 e=Y 3 0x3 16778184");
}

static void test_cut(void **state)
{
	char small[4] = "###";
	struct slot s = slot_of(0xa2);
	struct nx_operand_text t = {small, 3, 0, s.bytes, &named};

	(void)state;
	nx_operand_put(&t, "a");
	nx_operand_put(&t, "bcd");
	nx_operand_put_u64(&t, 7);
	assert_int_equal(t.len, 2);
	assert_memory_equal(small, "ab#", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_unknown_waits_stay_visible),
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_unknown_updates_stay_visible),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_every_field_kind),
		cmocka_unit_test(test_marks_and_names),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
