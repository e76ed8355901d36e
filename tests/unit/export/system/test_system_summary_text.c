/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "system_export.h"

static void tables_align(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	nx_fixture_fill_summary(f);
	assert_string_equal(
		nx_fixture_export(f, "summary-text", &options, NULL),
		"i-a pid 70 trn2.3xlarge\n"
		"  wall time    1.000 us\n"
		"  events       3, unfinished 0, without start 0\n"
		"  records      8 stored of 10, dropped 2\n"
		"  CPU          mean 12.5%, max 12.5%\n"
		"  memory peak  250 B, 25.0%\n"
		"         count          total           mean            max  event\n"
		"             2         251 ns         126 ns         250 ns  nrt_execute "
		"(neuron_rt)\n"
		"             1          10 ns          10 ns          10 ns  nc_exec_running "
		"(neuron_hw)\n"
		"    executions           busy  of wall time  device time\n"
		"             1          10 ns            1%  device 0, core 4\n"
		"\n"
		"  logical core 0, worker 3: 3 events\n"
		"         count          total           mean            max  event\n"
		"             2         251 ns         126 ns         250 ns  nrt_execute "
		"(neuron_rt)\n"
		"             1          10 ns          10 ns          10 ns  nc_exec_running "
		"(neuron_hw)\n"
		"             bytes  device memory at its peak\n"
		"         2.000 KiB  ND0 HBM0 total\n"
		"         1.500 KiB  ND0 HBM0 weight\n"
		"         count          bytes        bandwidth  transfers\n"
		"             1            8 B      1.863 GiB/s  host_to_device\n"
		"\n"
		"device profiles\n"
		"  a/p.ntff, NEFF a/n.neff\n"
		"warnings\n"
		"  Data Loss: 2 records lost\n");
}

static void one_cpu_sample_is_no_load(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	nx_fixture_fill_summary(f);
	f->cpu[0].util_percent = 0;
	assert_non_null(strstr(nx_fixture_export(f, "summary-text", &options, NULL),
			       "  CPU          n/a: sampled once, and a load needs two samples\n"));
}

static void long_names_are_cut_and_few_facts_are_enough(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};
	const char *names[30], *text;
	char long_name[5000];

	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	for (unsigned i = 0; i < 30; i++) {
		names[i] = long_name;
		nx_fixture_event(f, (enum fixture_name)i, 0, UINT64_MAX)->nc_idx = -1;
	}
	f->processes[0] =
		(struct nx_system_process){.instance_id = "", .names = names, .name_count = 30};
	f->memory[0].usage_bytes = 250;
	f->p.rows[NX_SYSTEM_MEMORY] = 1;
	nx_vec_push(&f->p.devices,
		    ((struct nx_device_capture){.session_path = "e.ntff", .is_empty = true}));
	text = nx_fixture_export(f, "summary-text", &options, NULL);
	assert_non_null(strstr(text, "    and 10 more names with less time\n"));
	assert_non_null(strstr(text, "  memory peak  250 B\n"));
	assert_non_null(strstr(text, "  e.ntff (empty), no NEFF found\n"));
	assert_null(strstr(text, "CPU"));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tables_align),
		TEST(one_cpu_sample_is_no_load),
		TEST(long_names_are_cut_and_few_facts_are_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
