/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/ntrace.h"

static void test_event_names(void **state)
{
	(void)state;
	assert_string_equal(nx_ntrace_event_name(0), "generic");
	assert_string_equal(nx_ntrace_event_name(7), "nc_exec_running");
	assert_string_equal(nx_ntrace_event_name(10), "nrt_tensor_write");
	assert_string_equal(nx_ntrace_event_name(25), "timestamp_sync_point");
	assert_string_equal(nx_ntrace_event_name(34), "nrt_dma_mem_alloc");
	assert_string_equal(nx_ntrace_event_name(39), "exec_consume_gpsimd_stdio");
	assert_null(nx_ntrace_event_name(40));
	assert_null(nx_ntrace_event_name(UINT64_MAX));
}

/* The hardware's types, by number. */
static void test_hardware(void **state)
{
	static const uint64_t mask =
		1u << 6 | 1u << 7 | 1u << 8 | 1u << 13 | 1u << 24 | 1u << 25 | 1u << 26;

	(void)state;
	for (uint64_t type = 0; type < 40; type++)
		assert_int_equal(nx_ntrace_is_hardware(nx_ntrace_event_name(type)),
				 mask >> type & 1);
	assert_false(nx_ntrace_is_hardware("event_type_77"));
	assert_false(nx_ntrace_is_hardware(""));
}

static void test_categories(void **state)
{
	(void)state;
	assert_string_equal(nx_ntrace_category_name(0), "generic");
	assert_string_equal(nx_ntrace_category_name(6), "weight");
	assert_string_equal(nx_ntrace_category_name(12), "tensor");
	assert_string_equal(nx_ntrace_category_name(21), "dma rings collectives");
	assert_null(nx_ntrace_category_name(22));
}

/* Ids that real runtimes gave these texts; lengths on both sides of a word of eight bytes. */
static void test_interned_ids(void **state)
{
	(void)state;
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("")), UINT64_C(121655548788208));
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("abc")), UINT64_C(528815857739038));
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("input0")), UINT64_C(549549689270190));
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("_unknown_")),
			 UINT64_C(202982732869795));
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("file.neff")),
			 UINT64_C(605291374318702));
	assert_int_equal(nx_ntrace_intern_id((struct nx_slice){0}), UINT64_C(121655548788208));
}

/* Texts of 7 and 15 bytes: with the 0xFF behind the text they fill words exactly. */
static void test_interned_word_ends(void **state)
{
	(void)state;
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("sixteen")), UINT64_C(440604016165243));
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("tensor_of_eight")),
			 UINT64_C(1048256478117755));
	assert_int_equal(nx_ntrace_intern_id(nx_slice_text("tensor_8")), UINT64_C(648803988836199));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_names),	   cmocka_unit_test(test_hardware),
		cmocka_unit_test(test_categories),	   cmocka_unit_test(test_interned_ids),
		cmocka_unit_test(test_interned_word_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
