/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/table_fixture.h"

static void check_presence(bool with_neff)
{
	struct nx_table_fixture f;

	nx_table_fixture_make(&f, &nx_synthetic_tiny, with_neff);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		uint8_t scope = nx_schema_tables[i].scope;
		unsigned count = scope == NX_SCOPE_DEVICE || scope == NX_SCOPE_BOTH;

		assert_int_equal(f.memory.begin_counts[i], count);
		assert_int_equal(f.memory.end_counts[i], count);
	}
	nx_table_fixture_release(&f);
}

static void every_table_of_a_device_is_there_once(void **state)
{
	(void)state;
	check_presence(true);
	check_presence(false);
}

static void a_failing_sink_ends_the_writing(void **state)
{
	struct nx_table_fixture f;
	struct nx_table_memory other;
	struct nx_tables_options options = {0};

	(void)state;
	nx_table_fixture_make(&f, &nx_synthetic_tiny, true);
	nx_table_memory_init(&other);
	other.fail_after = 3;
	assert_int_not_equal(nx_device_tables_write(f.profile, &options, &other.sink, &f.err),
			     NX_OK);
	assert_true(f.err.message[0]);
	nx_table_memory_release(&other);
	nx_table_fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_of_a_device_is_there_once),
		cmocka_unit_test(a_failing_sink_ends_the_writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
