/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "system_export.h"

static const char *trace(struct nx_system_fixture *f,
			 const struct nx_system_export_options *options, bool with_args)
{
	size_t len;
	const char *bytes = nx_fixture_export(f, "perfetto", options, &len);

	return nx_trace_text(&f->arena, nx_slice_of(bytes, len), with_args);
}

static void cpu(struct nx_system_fixture *f, uint32_t process, uint64_t time_ns, uint32_t cpu_id,
		float util_percent)
{
	f->cpu[f->p.rows[NX_SYSTEM_CPU]++] = (struct nx_cpu_sample){.process = process,
								    .time_ns = time_ns,
								    .cpu_id = cpu_id,
								    .util_percent = util_percent};
}

static void cpus_are_averaged_per_instance_and_tick(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	f->p.process_count = 2;
	cpu(f, 0, 100, 0, 10);
	cpu(f, 0, 100, 1, 20);
	cpu(f, 1, 150, 0, 3);
	cpu(f, 0, 200, 0, 50);
	assert_string_equal(trace(f, &options, false), "track \"i-a host\"\n"
						       "counter \"i-a host/CPU average\"\n"
						       "  in %\n"
						       "i-a host/CPU average count 100 15\n"
						       "i-a host/CPU average count 200 50\n"
						       "track \"i-b host\"\n"
						       "counter \"i-b host/CPU average\"\n"
						       "  in %\n"
						       "i-b host/CPU average count 150 3\n");
}

static void processes_of_one_instance_share_its_cpus(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.cpu_per_core = true};

	f->p.process_count = 2;
	f->processes[1].instance_id = "i-a";
	f->processes[1].pid = 71;
	cpu(f, 0, 100, 7, 10);
	cpu(f, 1, 110, 7, 30);
	f->memory[0] = (struct nx_memory_sample){.time_ns = 100, .usage_bytes = 5};
	f->memory[1] = (struct nx_memory_sample){.time_ns = 110, .usage_bytes = 6, .process = 1};
	f->p.rows[NX_SYSTEM_MEMORY] = 2;
	assert_string_equal(trace(f, &options, false), "track \"i-a host\"\n"
						       "counter \"i-a host/CPU 7\"\n"
						       "  in %\n"
						       "i-a host/CPU 7 count 100 10\n"
						       "counter \"i-a host/CPU average\"\n"
						       "  in %\n"
						       "i-a host/CPU average count 100 10\n"
						       "i-a host/CPU 7 count 110 30\n"
						       "i-a host/CPU average count 110 30\n"
						       "counter \"i-a host/memory pid70\"\n"
						       "i-a host/memory pid70 count 100 5\n"
						       "counter \"i-a host/memory pid71\"\n"
						       "i-a host/memory pid71 count 110 6\n");
}

static void device_memory_has_a_total_and_categories(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	f->hbm[0] = (struct nx_hbm_sample){.time_ns = 10,
					   .total_bytes = 8,
					   .category_bytes = 8,
					   .hbm_idx = 2,
					   .category = NAME_WEIGHT};
	f->hbm[1] = (struct nx_hbm_sample){.time_ns = 20,
					   .total_bytes = 9,
					   .category_bytes = 1,
					   .hbm_idx = 2,
					   .category = 999};
	f->p.rows[NX_SYSTEM_HBM] = 2;
	assert_string_equal(trace(f, &options, false),
			    "track \"i-a-pid70 HBM\"\n"
			    "counter \"i-a-pid70 HBM/ND0 HBM2 nc0 total\"\n"
			    "i-a-pid70 HBM/ND0 HBM2 nc0 total count 10 8\n"
			    "counter \"i-a-pid70 HBM/ND0 HBM2 nc0 weight\"\n"
			    "i-a-pid70 HBM/ND0 HBM2 nc0 weight count 10 8\n"
			    "i-a-pid70 HBM/ND0 HBM2 nc0 total count 20 9\n"
			    "counter \"i-a-pid70 HBM/ND0 HBM2 nc0 unknown\"\n"
			    "i-a-pid70 HBM/ND0 HBM2 nc0 unknown count 20 1\n");
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cpus_are_averaged_per_instance_and_tick),
		TEST(processes_of_one_instance_share_its_cpus),
		TEST(device_memory_has_a_total_and_categories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
