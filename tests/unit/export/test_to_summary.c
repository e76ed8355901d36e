/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/exporters.h"
#include "export_fixture.h"

static void add_metrics(struct nx_export_fixture *f)
{
	nx_vec_push(&f->p.metrics, ((struct nx_metric){.name = "a_rather_long_metric_name",
						       .kind = NX_METRIC_COUNT,
						       .count = 12}));
	nx_vec_push(&f->p.metrics,
		    ((struct nx_metric){.name = "b", .kind = NX_METRIC_TEXT, .text = "trn2"}));
	nx_vec_push(&f->p.metrics, ((struct nx_metric){.name = "total_time",
						       .kind = NX_METRIC_NUMBER,
						       .number = 0.017}));
}

static void the_table_is_aligned_and_sorted(void **state)
{
	struct nx_export_fixture *f = *state;

	add_metrics(f);
	assert_string_equal(nx_export_fixture_file(f, "summary-text", false),
			    "a_rather_long_metric_name  12\n"
			    "b                          trn2\n"
			    "profiler_version           " NX_PRODUCT_VERSION "\n"
			    "total_time                 0.017\n");
}

static void the_version_stands_even_alone(void **state)
{
	struct nx_export_fixture *f = *state;

	assert_string_equal(nx_export_fixture_file(f, "summary-text", false),
			    "profiler_version  " NX_PRODUCT_VERSION "\n");
}

static void json_is_one_object_under_the_profiles_key(void **state)
{
	struct nx_export_fixture *f = *state;
	char key[NX_PROFILE_KEY_MAX];

	add_metrics(f);
	f->p.exec_time_ps = 1500000;
	f->p.adjusted_flop_count = 8;
	f->p.adjusted_transpose_flop_count = 3;
	nx_profile_key(&f->p, key);
	assert_string_equal(
		nx_export_fixture_file(f, "summary-json", false),
		nx_arena_printf(&f->p.arena,
				"{\"%s\":{\"a_rather_long_metric_name\":12,\"b\":\"trn2\","
				"\"total_time\":0.017,\"profiler_version\":\"" NX_PRODUCT_VERSION
				"\",\"total_exec_time\":0.0000015,"
				"\"adjusted_hardware_flops\":8,\"adjusted_transpose_flops\":3}}\n",
				key));
	nx_assert_same_json(nx_export_fixture_file(f, "summary-json", false),
			    nx_export_fixture_file(f, "summary-json", true));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_export_fixture_setup, nx_export_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_table_is_aligned_and_sorted),
		TEST(the_version_stands_even_alone),
		TEST(json_is_one_object_under_the_profiles_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
