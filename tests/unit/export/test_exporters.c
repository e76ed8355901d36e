/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/exporters.h"

static void every_exporter_is_found_by_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_exporter_count; i++) {
		assert_ptr_equal(nx_exporter_find(nx_exporters[i].name), &nx_exporters[i]);
		assert_non_null(nx_exporters[i].write);
		assert_true(*nx_exporters[i].description != 0);
	}
	assert_non_null(nx_exporter_find("json"));
	assert_non_null(nx_exporter_find("summary-json"));
	assert_non_null(nx_exporter_find("summary-text"));
	assert_null(nx_exporter_find("JSON"));
	assert_null(nx_exporter_find(""));
}

static void a_key_is_forty_hex_digits(void **state)
{
	struct nx_profile p = {.name = "session"};
	char key[NX_PROFILE_KEY_MAX];

	(void)state;
	nx_profile_key(&p, key);
	assert_int_equal(strlen(key), 42);
	assert_memory_equal(key, "n_", 2);
	assert_int_equal(strspn(key + 2, "0123456789abcdef"), 40);
}

static void a_key_depends_on_what_a_profile_is(void **state)
{
	struct nx_profile p = {.name = "session"}, other;
	char key[NX_PROFILE_KEY_MAX], again[NX_PROFILE_KEY_MAX];

	(void)state;
	nx_profile_key(&p, key);
	nx_profile_key(&p, again);
	assert_string_equal(key, again);
	other = p;
	other.name = "session2";
	nx_profile_key(&other, again);
	assert_string_not_equal(key, again);
	other = p;
	other.capture.window_start_ps = -1;
	nx_profile_key(&other, again);
	assert_string_not_equal(key, again);
	other = p;
	other.capture.uuid = nx_slice_text("x");
	nx_profile_key(&other, again);
	assert_string_not_equal(key, again);
	other = p;
	other.capture.path = "elsewhere.ntff"; /* where the file lies is no part of it */
	nx_profile_key(&other, again);
	assert_string_equal(key, again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_exporter_is_found_by_its_name),
		cmocka_unit_test(a_key_is_forty_hex_digits),
		cmocka_unit_test(a_key_depends_on_what_a_profile_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
