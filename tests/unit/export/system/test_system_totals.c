/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/system_totals.h"
#include "system_export.h"

static void names_are_added_up_per_process_and_core(void **state)
{
	struct nx_system_fixture *f = *state;
	const struct nx_event_totals *process, *core;
	struct nx_system_totals t;

	nx_fixture_event(f, NAME_EXECUTE, 100, 110);
	nx_fixture_event(f, NAME_EXECUTE, 120, 150);
	nx_fixture_event(f, NAME_PRE, 120, 220)->nc_idx = 1;
	nx_fixture_event(f, NAME_CALL, 130, 131)->nc_idx = -1;
	nx_fixture_event(f, NAME_EXECUTE, 300, 305)->nc_idx = 1;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	process = &t.processes[0].events;
	assert_int_equal(process->event_count, 5);
	assert_int_equal(process->name_count, 3);
	assert_string_equal(process->names[0].name, "kbl_exec_pre");
	assert_string_equal(process->names[1].name, "nrt_execute");
	assert_int_equal(process->names[1].count, 3);
	assert_int_equal(process->names[1].total_ns, 45);
	assert_int_equal(process->names[1].max_ns, 30);
	assert_string_equal(process->names[2].name, "PjitFunction(f)");
	assert_int_equal(t.cores.len, 2);
	core = &t.cores.items[0].events;
	assert_int_equal(t.cores.items[0].nc_idx, 0);
	assert_int_equal(t.cores.items[0].worker_gid, 3);
	assert_int_equal(core->event_count, 2);
	assert_int_equal(core->name_count, 1);
	assert_int_equal(core->names[0].total_ns, 40);
	assert_int_equal(t.cores.items[1].events.names[1].total_ns, 5);
	nx_system_totals_release(&t);
}

static void one_name_from_two_sources_is_two(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_totals t;

	nx_fixture_event(f, NAME_EXECUTE, 100, 110);
	nx_fixture_event(f, NAME_EXECUTE, 100, 110)->source = NX_SOURCE_FRAMEWORK;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.processes[0].events.name_count, 2);
	assert_int_equal(t.processes[0].events.names[0].source, NX_SOURCE_RUNTIME);
	nx_system_totals_release(&t);
}

static void execution(struct nx_system_fixture *f, const char *core, uint64_t start_ns,
		      uint64_t end_ns)
{
	nx_fixture_event(f, NAME_RUNNING, start_ns, end_ns)->source = NX_SOURCE_HARDWARE;
	if (core)
		nx_fixture_attribute(f, "device_core_idx", core);
}

static void device_time_is_a_union_per_physical_core(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_totals t;

	execution(f, "5", 100, 200);
	execution(f, "4", 100, 110);
	execution(f, "5", 120, 130); /* inside */
	execution(f, "5", 150, 250); /* overlaps by 50 */
	execution(f, "5", 300, 310); /* apart */
	execution(f, "5", 320, 320);
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.device_cores.len, 2);
	assert_int_equal(t.device_cores.items[0].core_idx, 4);
	assert_int_equal(t.device_cores.items[0].busy_ns, 10);
	assert_int_equal(t.device_cores.items[1].core_idx, 5);
	assert_true(t.device_cores.items[1].is_physical);
	assert_int_equal(t.device_cores.items[1].busy_ns, 160);
	assert_int_equal(t.device_cores.items[1].execution_count, 4);
	nx_system_totals_release(&t);
}

static void execution_of(struct nx_system_fixture *f, int32_t nc_idx, const char *core)
{
	execution(f, core, 100, 110);
	f->events[f->p.rows[NX_SYSTEM_EVENT] - 1].nc_idx = nc_idx;
}

static void equal_cores_of_two_devices_are_two(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_totals t;

	execution_of(f, 8, "0");
	execution_of(f, 0, "0");
	execution_of(f, 0, "1");
	execution_of(f, 4, "0");
	f->hbm[0] = (struct nx_hbm_sample){.nc_idx = 8, .device_idx = 2};
	f->hbm[1] = (struct nx_hbm_sample){.nc_idx = 4, .device_idx = 1};
	f->hbm[2] = (struct nx_hbm_sample){.nc_idx = 0, .device_idx = 0};
	f->p.rows[NX_SYSTEM_HBM] = 3;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.device_cores.len, 4);
	for (uint32_t i = 0; i < 4; i++) {
		static const uint32_t devices[] = {0, 0, 1, 2}, cores[] = {0, 1, 0, 0};

		assert_int_equal(t.device_cores.items[i].device_idx, devices[i]);
		assert_int_equal(t.device_cores.items[i].core_idx, cores[i]);
		assert_int_equal(t.device_cores.items[i].execution_count, 1);
	}
	nx_system_totals_release(&t);
}

/* A filter may have dropped what tells the devices; the cores are still not one. */
static void without_memory_logical_cores_tell_them_apart(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_totals t;

	execution_of(f, 4, "0");
	execution_of(f, 0, "0");
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.device_cores.len, 2);
	assert_int_equal(t.device_cores.items[0].nc_idx, 0);
	assert_int_equal(t.device_cores.items[1].nc_idx, 4);
	assert_int_equal(t.device_cores.items[1].device_idx, UINT32_MAX);
	nx_system_totals_release(&t);
}

static void without_a_physical_core_the_logical_one_stands(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_totals t;

	execution(f, NULL, 100, 110);
	execution(f, "0", 100, 130);
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.device_cores.len, 2);
	assert_true(t.device_cores.items[0].is_physical != t.device_cores.items[1].is_physical);
	nx_system_totals_release(&t);
}

static void wall_time_is_the_sessions_or_that_of_events(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_totals t;

	f->p.process_count = 2;
	nx_fixture_event(f, NAME_EXECUTE, 100, 110)->flags = NX_EVENT_UNFINISHED;
	nx_fixture_event(f, NAME_EXECUTE, 105, 109)->process = 1;
	nx_fixture_event(f, NAME_EXECUTE, 106, 107)->process = 1;
	f->events[2].flags = NX_EVENT_ORPHAN;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.processes[0].wall_ns, 1000);
	assert_int_equal(t.processes[0].unfinished_count, 1);
	assert_int_equal(t.processes[1].wall_ns, 4);
	assert_int_equal(t.processes[1].orphan_count, 1);
	assert_int_equal(nx_dropped_count(&f->processes[0]), 2);
	f->processes[0].stored_event_count = 11;
	assert_int_equal(nx_dropped_count(&f->processes[0]), 0);
	nx_system_totals_release(&t);
}

static void peaks_are_kept_per_memory_and_category(void **state)
{
	static const struct nx_hbm_sample samples[] = {
		{.total_bytes = 100, .category_bytes = 100, .hbm_idx = 2, .category = NAME_WEIGHT},
		{.total_bytes = 130, .category_bytes = 30, .hbm_idx = 2, .category = NAME_IO},
		{.total_bytes = 120, .category_bytes = 20, .hbm_idx = 2, .category = NAME_IO},
		{.total_bytes = 7, .category_bytes = 7, .hbm_idx = 0, .category = NAME_IO},
	};
	struct nx_system_fixture *f = *state;
	const struct nx_hbm_peak *peaks;
	struct nx_system_totals t;

	memcpy(f->hbm, samples, sizeof(samples));
	f->p.rows[NX_SYSTEM_HBM] = 4;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.cores.len, 1);
	assert_int_equal(t.cores.items[0].peak_count, 5);
	peaks = t.cores.items[0].peaks;
	assert_int_equal(peaks[0].hbm_idx, 0);
	assert_null(peaks[0].category);
	assert_string_equal(peaks[1].category, "io");
	assert_null(peaks[2].category);
	assert_int_equal(peaks[2].peak_bytes, 130);
	assert_string_equal(peaks[3].category, "weight");
	assert_int_equal(peaks[3].peak_bytes, 100);
	assert_int_equal(peaks[4].peak_bytes, 30);
	nx_system_totals_release(&t);
}

static void the_first_cpu_samples_of_a_process_have_no_interval(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_totals t;

	f->cpu[0].time_ns = f->cpu[1].time_ns = 5;
	f->p.rows[NX_SYSTEM_CPU] = 2;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_true(t.processes[0].has_cpu_samples);
	assert_int_equal(t.processes[0].cpu_sample_count, 0);
	nx_system_totals_release(&t);
	f->cpu[2] = (struct nx_cpu_sample){.time_ns = 6, .util_percent = 60};
	f->cpu[3] = (struct nx_cpu_sample){.time_ns = 6, .cpu_id = 1};
	f->p.rows[NX_SYSTEM_CPU] = 4;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_int_equal(t.processes[0].cpu_sample_count, 2);
	assert_true(t.processes[0].cpu_sum == 60);
	nx_system_totals_release(&t);
}

static void samples_and_transfers_are_added_up(void **state)
{
	struct nx_system_fixture *f = *state;
	const struct nx_transfer_total *in, *back;
	struct nx_system_totals t;

	f->cpu[0].util_percent = 10;
	f->cpu[1].util_percent = 40;
	f->p.rows[NX_SYSTEM_CPU] = 2;
	f->memory[0].usage_bytes = 500;
	f->memory[1].usage_bytes = 400;
	f->p.rows[NX_SYSTEM_MEMORY] = 2;
	f->transfers[0] = (struct nx_host_transfer){.start_ns = 10, .end_ns = 14, .size_bytes = 8};
	f->transfers[1] = (struct nx_host_transfer){.start_ns = 12, .end_ns = 16, .size_bytes = 16};
	f->transfers[2] = (struct nx_host_transfer){
		.start_ns = 20, .end_ns = 10, .size_bytes = 1, .direction = 200};
	f->transfers[3] = (struct nx_host_transfer){
		.start_ns = 20, .end_ns = 21, .size_bytes = 3, .direction = NX_DEVICE_TO_HOST};
	f->p.rows[NX_SYSTEM_TRANSFER] = 4;
	assert_int_equal(nx_system_totals_read(&t, &f->p, &f->err), NX_OK);
	assert_true(t.processes[0].cpu_sum == 50 && t.processes[0].cpu_max == 40);
	assert_int_equal(t.processes[0].cpu_sample_count, 2);
	assert_int_equal(t.processes[0].memory_peak_bytes, 500);
	in = &t.cores.items[0].transfers[NX_HOST_TO_DEVICE];
	back = &t.cores.items[0].transfers[NX_DEVICE_TO_HOST];
	assert_int_equal(in->count, 3);
	assert_int_equal(in->size_bytes, 25);
	assert_int_equal(in->duration_ns, 8);
	assert_true(nx_bytes_per_s(in) == 25e9 / 8);
	assert_int_equal(back->size_bytes, 3);
	assert_true(nx_bytes_per_s(&(struct nx_transfer_total){.size_bytes = 4}) == 0);
	nx_system_totals_release(&t);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_are_added_up_per_process_and_core),
		TEST(one_name_from_two_sources_is_two),
		TEST(device_time_is_a_union_per_physical_core),
		TEST(equal_cores_of_two_devices_are_two),
		TEST(without_memory_logical_cores_tell_them_apart),
		TEST(without_a_physical_core_the_logical_one_stands),
		TEST(wall_time_is_the_sessions_or_that_of_events),
		TEST(peaks_are_kept_per_memory_and_category),
		TEST(the_first_cpu_samples_of_a_process_have_no_interval),
		TEST(samples_and_transfers_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
