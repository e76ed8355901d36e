/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "model/capture.h"

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

struct queue_names {
	const struct nx_queue *items[4];
	size_t count;
};

static void take_queue(void *context, const struct nx_queue *queue)
{
	struct queue_names *names = context;

	names->items[names->count++] = queue;
}

static void the_last_declaration_of_a_name_stands_for_all(void **state)
{
	struct nx_queue queues[] = {
		{.engine_idx = 64, .name = "a"},
		{.engine_idx = 65, .name = "b"},
		{.engine_idx = 66, .name = "a"},
		{.engine_idx = 64, .name = "c"},
	};
	struct nx_graph graph = {.queues = queues, .queue_count = 4};
	struct queue_names names = {0};

	(void)state;
	nx_graph_each_queue(&graph, take_queue, &names);
	assert_int_equal(names.count, 3);
	assert_ptr_equal(names.items[0], &queues[1]);
	assert_ptr_equal(names.items[1], &queues[2]);
	assert_ptr_equal(names.items[2], &queues[3]);
}

static void memory_of_all_kinds_adds_up(void **state)
{
	struct nx_memory_usage memory[] = {{"IO", 8}, {"Weights", 34}};
	struct nx_graph graph = {.memory = memory, .memory_count = 2};

	(void)state;
	assert_int_equal(nx_graph_memory_bytes(&graph), 42);
}

static void the_highest_index_is_outside_of_any_ultraserver(void **state)
{
	struct nx_ultraserver server = nx_ultraserver_of(77, 4, 3);

	(void)state;
	assert_true(server.is_known);
	assert_int_equal(server.id, 77);
	assert_int_equal(server.size, 4);
	assert_int_equal(server.instance_idx, 3);
	assert_false(nx_ultraserver_of(77, 4, UINT32_MAX).is_known);
	assert_false(nx_ultraserver_of(77, 4, UINT64_MAX).is_known);
	assert_false(nx_ultraserver_of(77, UINT64_C(1) << 32, 3).is_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_types_have_names),
		cmocka_unit_test(queue_classes_have_names),
		cmocka_unit_test(a_queue_is_found_by_both_numbers),
		cmocka_unit_test(the_last_declaration_of_a_name_stands_for_all),
		cmocka_unit_test(memory_of_all_kinds_adds_up),
		cmocka_unit_test(the_highest_index_is_outside_of_any_ultraserver),
	};

	return cmocka_run_group_tests_name("model/capture", tests, NULL, NULL);
}
