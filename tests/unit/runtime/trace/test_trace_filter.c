/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "runtime/trace/trace_event.h"
#include "runtime/trace/trace_filter.h"

#define BIT(type) (UINT64_C(1) << (type))
#define HARDWARE                                                                                   \
	(BIT(NX_TRACE_CC_BARRIER) | BIT(NX_TRACE_NC_RUNNING) | BIT(NX_TRACE_CC_RUNNING) |          \
	 BIT(NX_TRACE_NUMERICAL_ERR) | BIT(NX_TRACE_RT_MODEL_SWITCH) | BIT(NX_TRACE_HW_NOTIFY) |   \
	 BIT(NX_TRACE_SYNC_POINT) | BIT(NX_TRACE_NC_MODEL_SWITCH))
#define ALL (BIT(40) - 1)

static void check_cores(const char *text, uint64_t low, uint64_t high)
{
	struct nx_trace_filter filter = {.types = 5};
	struct nx_error err;

	assert_int_equal(nx_trace_filter_parse_cores(&filter, text, &err), NX_OK);
	assert_int_equal(filter.cores[0], low);
	assert_int_equal(filter.cores[1], high);
	assert_int_equal(filter.types, 5);
}

static void cores_are_numbers_and_ranges(void **state)
{
	(void)state;
	check_cores("0", 1, 0);
	check_cores("0,2,4", 0x15, 0);
	check_cores("0-3", 0xf, 0);
	check_cores("3-3", 8, 0);
	check_cores("0-1,4,6-7", 0xd3, 0);
	check_cores("63-64", UINT64_C(1) << 63, 1);
	check_cores("127", 0, UINT64_C(1) << 63);
	check_cores(" 1 , 3 - 4 ", 0x1a, 0);
	check_cores("5,5,5-5", 32, 0);
}

static void refuse_cores(const char *text, const char *part)
{
	struct nx_trace_filter filter = {.cores = {7, 9}};
	struct nx_error err;

	assert_int_equal(nx_trace_filter_parse_cores(&filter, text, &err), NX_USAGE);
	assert_non_null(strstr(err.message, part));
	assert_int_equal(filter.cores[0], 7);
	assert_int_equal(filter.cores[1], 9);
}

static void wrong_cores_are_told(void **state)
{
	(void)state;
	refuse_cores("", "0,2,4-7");
	refuse_cores("a", "\"a\" is not a core");
	refuse_cores("0,,1", "is not a core");
	refuse_cores("1,", "is not a core");
	refuse_cores("-1", "is not a core");
	refuse_cores("1-", "is not a core");
	refuse_cores("0x1", "is not a core");
	refuse_cores("5-2", "did you mean \"2-5\"?");
	refuse_cores("128", "there is no core 128; the highest core number is 127");
	refuse_cores("0-4000000000", "the highest core number is 127");
	refuse_cores("99999999999999999999999", "is not a core");
}

static void check_types(const char *text, uint64_t types)
{
	struct nx_trace_filter filter = {.cores = {3, 4}};
	struct nx_error err;

	assert_int_equal(nx_trace_filter_parse_types(&filter, text, &err), NX_OK);
	assert_int_equal(filter.types, types);
	assert_int_equal(filter.cores[0], 3);
}

static void types_are_names_groups_and_exceptions(void **state)
{
	(void)state;
	check_types("nrt_execute", BIT(3));
	check_types("nrt_execute,nrt_load", BIT(3) | BIT(1));
	check_types("generic", BIT(0));
	check_types("hardware", HARDWARE);
	check_types("software", ALL & ~HARDWARE);
	check_types("hardware,software", ALL);
	check_types("hardware,^cc_running", HARDWARE & ~BIT(8));
	check_types("^cc_running,hardware", HARDWARE & ~BIT(8));
	check_types("^dmem_buf_copyin,^nrt_dma_mem_alloc", ALL & ~BIT(30) & ~BIT(34));
	check_types("^hardware", ALL & ~HARDWARE);
	check_types(" hardware , nrt_tensor_read ", HARDWARE | BIT(9));
	check_types("nrt_load,^nrt_load", 0);
}

static void names_of_examples_are_known(void **state)
{
	(void)state;
	check_types("model_load,nrt_execute,runtime_execute", BIT(1) | BIT(3) | BIT(4));
	check_types("hardware,^cc_exec", HARDWARE & ~BIT(8));
	check_types("software,^model_load", ALL & ~HARDWARE & ~BIT(1));
	check_types("hardware,tensor_read,tensor_write", HARDWARE | BIT(9) | BIT(10));
	check_types("device_exec", BIT(7));
	check_types("nrt_model_switch,nc_model_switch", BIT(21) | BIT(26));
}

static void refuse_types(const char *text, const char *part)
{
	struct nx_trace_filter filter = {.types = 99};
	struct nx_error err;

	assert_int_equal(nx_trace_filter_parse_types(&filter, text, &err), NX_USAGE);
	assert_non_null(strstr(err.message, part));
	assert_int_equal(filter.types, 99);
}

static void wrong_types_are_told_with_the_nearest(void **state)
{
	char longest[400];

	(void)state;
	refuse_types("nrt_exectue", "no event type \"nrt_exectue\"; did you mean \"nrt_execute\"?");
	refuse_types("hardwre", "\"hardware\"");
	refuse_types("software,^nc_exec_runing", "\"nc_exec_running\"");
	refuse_types("NRT_LOAD", "did you mean \"nrt_load\"?");
	refuse_types("nosuch", "no event type \"nosuch\"; 'neuron-explorer capture "
			       "--systrace-get-event-types' lists them");
	refuse_types("", "empty item");
	refuse_types("nrt_load,", "empty item");
	refuse_types("^", "empty item");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	refuse_types(longest, "lists them");
}

static void single_cores_are_switched(void **state)
{
	struct nx_trace_filter filter;

	(void)state;
	nx_trace_filter_set_all(&filter);
	assert_int_equal(filter.types, ALL);
	assert_true(nx_trace_filter_has_core(&filter, 127));
	assert_false(nx_trace_filter_has_core(&filter, 128));
	assert_true(nx_trace_filter_set_core(&filter, 64, false));
	assert_false(nx_trace_filter_has_core(&filter, 64));
	assert_true(nx_trace_filter_has_core(&filter, 65));
	assert_true(nx_trace_filter_set_core(&filter, 64, true));
	assert_true(nx_trace_filter_has_core(&filter, 64));
	assert_false(nx_trace_filter_set_core(&filter, 128, true));
	assert_false(nx_trace_filter_set_core(&filter, UINT32_MAX, true));
}

static void single_types_are_switched(void **state)
{
	struct nx_trace_filter filter = {.types = BIT(1)};
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_trace_filter_set_type(&filter, "tensor_read", true, &err), NX_OK);
	assert_int_equal(filter.types, BIT(1) | BIT(9));
	assert_int_equal(nx_trace_filter_set_type(&filter, "software", false, &err), NX_OK);
	assert_int_equal(filter.types, 0);
	assert_int_equal(nx_trace_filter_set_type(&filter, "tensor_raed", true, &err), NX_USAGE);
	assert_non_null(strstr(err.message, "did you mean \"tensor_read\"?"));
	assert_int_equal(filter.types, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_are_numbers_and_ranges),
		cmocka_unit_test(wrong_cores_are_told),
		cmocka_unit_test(types_are_names_groups_and_exceptions),
		cmocka_unit_test(names_of_examples_are_known),
		cmocka_unit_test(wrong_types_are_told_with_the_nearest),
		cmocka_unit_test(single_cores_are_switched),
		cmocka_unit_test(single_types_are_switched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
