/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/event_roles.h"

static struct nx_role_places places;

static void add(struct nx_read_attributes *read, const char *key, const char *value)
{
	read->items[read->count++] =
		(struct nx_event_attribute){nx_slice_text(key), nx_slice_text(value)};
}

static void names_decide_roles(void **state)
{
	(void)state;
	assert_int_equal(nx_event_role_of("nrt_dma_mem_alloc"), NX_ROLE_ALLOCATE);
	assert_int_equal(nx_event_role_of("dmem_buf_batch_copyout"), NX_ROLE_TO_HOST);
	assert_int_equal(nx_event_role_of("kbl_exec_core"), NX_ROLE_EXECUTION);
	assert_int_equal(nx_event_role_of("timestamp_sync_point"), NX_ROLE_SYNC);
	assert_int_equal(nx_event_role_of("nrt_load"), NX_ROLE_NONE);
}

static void executions_of_a_core_are_one_flow(void **state)
{
	struct nx_system_event event = {.process = 1, .nc_idx = 2}, other = {.process = 1};
	struct nx_read_attributes read = {0};
	uint64_t model_id = 7, flow;

	(void)state;
	assert_int_equal(nx_execution_flow(&places, &event, &read, &model_id), 0);
	add(&read, "exec_id", "5");
	flow = nx_execution_flow(&places, &event, &read, &model_id);
	assert_true(flow);
	assert_int_equal(model_id, 7);
	assert_true(flow != nx_execution_flow(&places, &other, &read, &model_id));
	add(&read, "model_id", "9");
	assert_true(flow == nx_execution_flow(&places, &event, &read, &model_id));
	assert_int_equal(model_id, 9);
}

static void both_clocks_make_an_offset(void **state)
{
	struct nx_read_attributes read = {0};
	int64_t offset_ns = 0;

	(void)state;
	add(&read, "nc_start_timestamp_ns", "100");
	assert_false(nx_sync_offset(&places, &read, &offset_ns));
	add(&read, "cpu_timestamp_ns", "40");
	assert_true(nx_sync_offset(&places, &read, &offset_ns));
	assert_int_equal(offset_ns, -60);
}

/* With a shape the places of keys are looked up once, and hold for every event of it. */
static void memory_changes_are_read_by_shape(void **state)
{
	static const struct nx_slice keys[] = {{(const uint8_t *)"is_nc_hbm", 9},
					       {(const uint8_t *)"freed_bytes", 11},
					       {(const uint8_t *)"usage_type", 10}};
	const struct nx_event_shape shape = {.idx = 3, .count = 3, .keys = keys};
	struct nx_system_event event = {.end_ns = 20, .process = 1, .nc_idx = 2};
	struct nx_read_attributes read = {.shape = &shape};
	struct nx_memory_change change;
	struct nx_slice category;

	(void)state;
	add(&read, "is_nc_hbm", "1");
	add(&read, "freed_bytes", "64");
	add(&read, "usage_type", "tensor");
	for (int i = 0; i < 2; i++) {
		assert_true(nx_memory_change_of(&places, &event, &read, true, &change, &category));
		assert_true(nx_slice_is(category, "tensor"));
		assert_int_equal(change.time_ns, 20);
		assert_int_equal(change.change.size_bytes, 64);
		assert_true(change.change.is_release);
		assert_int_equal(change.row.nc_idx, 2);
		assert_int_equal(change.row.hbm_idx, 0);
	}
	read.items[0].value = nx_slice_text("0");
	assert_false(nx_memory_change_of(&places, &event, &read, true, &change, &category));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_decide_roles),
		cmocka_unit_test(executions_of_a_core_are_one_flow),
		cmocka_unit_test(both_clocks_make_an_offset),
		cmocka_unit_test(memory_changes_are_read_by_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
