/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/naming.h"
#include "tests/unit/made_profile.h"

static void a_named_semaphore_says_its_name(void **state)
{
	const char *names[256] = {[8] = "qSyncIO0"};
	struct nx_made_profile made;
	char text[NX_SEMAPHORE_TEXT_MAX];

	(void)state;
	nx_made_profile_init(&made);
	assert_string_equal(nx_semaphore_text(&made.p, 0, 8, text), "8");
	made.p.program.semaphore_names[0] = names;
	assert_string_equal(nx_semaphore_text(&made.p, 0, 8, text), "S[8] (qSyncIO0)");
	assert_string_equal(nx_semaphore_text(&made.p, 0, 9, text), "9");
	assert_string_equal(nx_semaphore_text(&made.p, 1, 8, text), "8");
	assert_string_equal(nx_semaphore_text(&made.p, 0, UINT32_MAX, text), "4294967295");
	nx_made_profile_release(&made);
}

static void long_names_are_cut(void **state)
{
	static char name[2 * NX_SEMAPHORE_TEXT_MAX];
	const char *names[256] = {[0] = name};
	struct nx_made_profile made;
	char text[NX_SEMAPHORE_TEXT_MAX];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	nx_made_profile_init(&made);
	made.p.program.semaphore_names[0] = names;
	assert_int_equal(strlen(nx_semaphore_text(&made.p, 0, 0, text)), NX_SEMAPHORE_TEXT_MAX - 1);
	nx_made_profile_release(&made);
}

static void a_debug_id_is_graph_and_number(void **state)
{
	char text[NX_DEBUG_ID_TEXT_MAX];

	(void)state;
	assert_string_equal(nx_debug_id_text(17, text), "sg0000:17");
	assert_string_equal(nx_debug_id_text((uint64_t)3 << 48 | 5, text), "sg0003:5");
	assert_string_equal(nx_debug_id_text(UINT64_MAX, text), "sg65535:4294967295");
}

static void throttles_have_types(void **state)
{
	char text[NX_THROTTLE_TYPE_TEXT_MAX];

	(void)state;
	assert_string_equal(nx_throttle_type_text(0, text), "activity_0");
	assert_string_equal(nx_throttle_type_text(255, text), "activity_255");
	assert_string_equal(nx_throttle_type_text(NX_THROTTLE_UNKNOWN, text), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_named_semaphore_says_its_name),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(a_debug_id_is_graph_and_number),
		cmocka_unit_test(throttles_have_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
