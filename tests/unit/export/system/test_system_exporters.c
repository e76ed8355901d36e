/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "export/exporters.h"
#include "system_export.h"

static void every_exporter_is_found_by_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_system_exporter_count; i++) {
		assert_ptr_equal(nx_system_exporter_find(nx_system_exporters[i].name),
				 &nx_system_exporters[i]);
		assert_true(*nx_system_exporters[i].description != 0);
	}
	assert_string_equal(nx_system_exporter_find("json")->default_file, "system_profile.json");
	assert_string_equal(nx_system_exporter_find("perfetto")->default_file,
			    "system_profile.pftrace");
	assert_null(nx_system_exporter_find("summary-json")->default_file);
	assert_null(nx_system_exporter_find("summary-text")->default_file);
	assert_null(nx_system_exporter_find("Json"));
}

/* Summaries have the totals of gaps, Perfetto draws what the totals are made of. */
static bool reads(const char *format, unsigned table)
{
	bool is_perfetto = !strcmp(format, "perfetto");

	if (table == NX_SYSTEM_COUNTER)
		return !strstr(format, "summary");
	if (table == NX_SYSTEM_STEP_TOTAL || table == NX_SYSTEM_GAP_TOTAL)
		return !is_perfetto;
	if (table == NX_SYSTEM_GAP)
		return is_perfetto || !strcmp(format, "json");
	/* steps are printed below the totals of their kind, of which this profile has none */
	return table != NX_SYSTEM_STEP || strcmp(format, "summary-text") != 0;
}

static void a_failing_table_fails_the_exporters_that_read_it(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	for (unsigned table = 0; table < NX_SYSTEM_TABLE_COUNT; table++)
		for (size_t i = 0; i < nx_system_exporter_count; i++) {
			bool reads_it = table == NX_SYSTEM_EVENT || table == NX_SYSTEM_COUNTER ||
					strcmp(nx_system_exporters[i].name, "xspace") != 0;
			struct nx_output out;

			/* exporters ask for counters only if there are any */
			f->p.rows[NX_SYSTEM_COUNTER] = table == NX_SYSTEM_COUNTER;
			if (!reads(nx_system_exporters[i].name, table))
				continue;
			f->failing_table = table;
			assert_int_equal(nx_output_open(&out, "/dev/null", &f->err), NX_OK);
			assert_int_equal(nx_system_exporters[i].write(&f->p, &options, &out,
								      &f->err),
					 reads_it ? NX_IO : NX_OK);
			nx_output_abort(&out);
		}
}

static void an_empty_profile_can_be_exported(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	f->p.process_count = 0;
	for (size_t i = 0; i < nx_system_exporter_count; i++)
		nx_fixture_export(f, nx_system_exporters[i].name, &options, NULL);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_exporter_is_found_by_its_name),
		TEST(a_failing_table_fails_the_exporters_that_read_it),
		TEST(an_empty_profile_can_be_exported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
