/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "model/capture.h"

static void known_generations_have_their_numbers(void **state)
{
	const struct nx_hardware *v2 = nx_hardware_of(NX_ARCH_V2);
	const struct nx_hardware *v3 = nx_hardware_of(NX_ARCH_V3);

	(void)state;
	assert_non_null(v2);
	assert_non_null(v3);
	assert_int_equal(v2->hbm_bytes_per_s, INT64_C(410000000000));
	assert_int_equal(v3->hbm_bytes_per_s, INT64_C(716000000000));
	assert_int_equal(v2->sbuf_partition_bytes, 192 * 1024);
	assert_int_equal(v3->sbuf_partition_bytes, 224 * 1024);
	assert_true(v2->tensor_clock_ghz == 2.8 && v2->engine_clock_ghz == 1.4);
	assert_true(v3->tensor_clock_ghz == 2.4 && v3->engine_clock_ghz == 1.2);
}

static void unknown_generations_are_null(void **state)
{
	(void)state;
	assert_null(nx_hardware_of(NX_ARCH_V1));
	assert_null(nx_hardware_of(100));
	assert_null(nx_hardware_of(UINT_MAX));
}

static void queue_types_have_names(void **state)
{
	(void)state;
	assert_string_equal(nx_queue_type_name(0), "unknown");
	assert_string_equal(nx_queue_type_name(1), "instructions");
	assert_string_equal(nx_queue_type_name(2), "weights");
	assert_string_equal(nx_queue_type_name(3), "input");
	assert_string_equal(nx_queue_type_name(4), "output");
	assert_string_equal(nx_queue_type_name(5), "unknown");
	assert_string_equal(nx_queue_type_name(6), "h2t");
	assert_string_equal(nx_queue_type_name(7), "unknown");
	assert_string_equal(nx_queue_type_name(UINT_MAX), "unknown");
}

static void queue_classes_have_names(void **state)
{
	(void)state;
	assert_string_equal(nx_queue_class_name(NX_QUEUE_DATA), "data");
	assert_string_equal(nx_queue_class_name(NX_QUEUE_INSTRUCTION), "instruction");
	assert_string_equal(nx_queue_class_name(NX_QUEUE_HARDWARE_DYNAMIC), "hardware_dynamic");
	assert_string_equal(nx_queue_class_name(NX_QUEUE_SOFTWARE_DYNAMIC), "software_dynamic");
}

static void a_queue_is_found_by_both_numbers(void **state)
{
	struct nx_queue queues[] = {
		{.engine_idx = 64, .queue_idx = 0, .name = "first"},
		{.engine_idx = 65, .queue_idx = 0, .name = "other engine"},
		{.engine_idx = 64, .queue_idx = 1, .name = "other queue"},
		{.engine_idx = 64, .queue_idx = 0, .name = "again"},
	};
	struct nx_graph graph = {.queues = queues, .queue_count = 4};
	struct nx_graph empty = {.queues = NULL, .queue_count = 0};

	(void)state;
	assert_ptr_equal(nx_graph_queue(&graph, 64, 0), &queues[3]);
	assert_ptr_equal(nx_graph_queue(&graph, 65, 0), &queues[1]);
	assert_ptr_equal(nx_graph_queue(&graph, 64, 1), &queues[2]);
	assert_null(nx_graph_queue(&graph, 65, 1));
	assert_null(nx_graph_queue(&empty, 64, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_generations_have_their_numbers),
		cmocka_unit_test(unknown_generations_are_null),
		cmocka_unit_test(queue_types_have_names),
		cmocka_unit_test(queue_classes_have_names),
		cmocka_unit_test(a_queue_is_found_by_both_numbers),
	};

	return cmocka_run_group_tests_name("model/capture", tests, NULL, NULL);
}
