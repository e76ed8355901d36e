/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "format/perfetto/perfetto_internal.h"

static uint64_t intern(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
		       enum nx_perfetto_space space, const char *text, bool want_new)
{
	bool is_new = !want_new;
	uint64_t iid = nx_perfetto_intern(texts, iids, space, nx_slice_text(text), &is_new);

	assert_int_equal(is_new, want_new);
	return iid;
}

static void numbers_are_per_track_and_space(void **state)
{
	struct nx_perfetto_texts texts = {0};
	struct nx_perfetto_iids a = {0}, b = {0};

	(void)state;
	assert_int_equal(intern(&texts, &a, NX_SPACE_EVENT_NAME, "x", true), 1);
	assert_int_equal(intern(&texts, &a, NX_SPACE_EVENT_NAME, "y", true), 2);
	assert_int_equal(intern(&texts, &a, NX_SPACE_EVENT_NAME, "x", false), 1);
	assert_int_equal(intern(&texts, &a, NX_SPACE_ARG_TEXT, "y", true), 1);
	assert_int_equal(intern(&texts, &b, NX_SPACE_EVENT_NAME, "y", true), 1);
	assert_int_equal(intern(&texts, &b, NX_SPACE_EVENT_NAME, "", true), 2);
	assert_int_equal(texts.ids.len, 3); /* x, y and nothing, once each */
	nx_perfetto_iids_release(&a);
	nx_perfetto_iids_release(&b);
	nx_perfetto_texts_release(&texts);
}

static void a_full_track_stores_nothing_more(void **state)
{
	struct nx_perfetto_texts texts = {0};
	struct nx_perfetto_iids iids = {0};
	char text[32];

	(void)state;
	for (unsigned i = 0; i < NX_PERFETTO_TEXTS_MAX; i++) {
		snprintf(text, sizeof(text), "%u", i);
		assert_int_equal(intern(&texts, &iids, NX_SPACE_ARG_TEXT, text, true), i + 1);
	}
	assert_int_equal(intern(&texts, &iids, NX_SPACE_ARG_TEXT, "new", false), 0);
	assert_int_equal(intern(&texts, &iids, NX_SPACE_ARG_TEXT, "7", false), 8);
	assert_int_equal(texts.ids.len, NX_PERFETTO_TEXTS_MAX);
	assert_int_equal(intern(&texts, &iids, NX_SPACE_ARG_NAME, "new", true), 1);
	nx_perfetto_iids_release(&iids);
	nx_perfetto_texts_release(&texts);
}

static void a_name_is_known_by_its_text_wherever_it_lies(void **state)
{
	struct nx_perfetto_texts texts = {0};
	struct nx_perfetto_iids iids = {0};
	char buffer[16] = "one", other[16] = "one";
	bool is_new;

	(void)state;
	assert_int_equal(nx_perfetto_intern_name(&texts, &iids, NX_SPACE_ARG_NAME, buffer, &is_new),
			 1);
	assert_true(is_new);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(nx_perfetto_intern_name(&texts, &iids, NX_SPACE_ARG_NAME,
							 i % 2 ? other : buffer, &is_new),
				 1);
		assert_false(is_new);
	}
	snprintf(buffer, sizeof(buffer), "two"); /* another text at the same place */
	assert_int_equal(nx_perfetto_intern_name(&texts, &iids, NX_SPACE_ARG_NAME, buffer, &is_new),
			 2);
	assert_true(is_new);
	assert_int_equal(nx_perfetto_intern(&texts, &iids, NX_SPACE_ARG_NAME, nx_slice_text("one"),
					    &is_new),
			 1);
	assert_int_equal(texts.ids.len, 2);
	nx_perfetto_iids_release(&iids);
	nx_perfetto_texts_release(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_per_track_and_space),
		cmocka_unit_test(a_name_is_known_by_its_text_wherever_it_lies),
		cmocka_unit_test(a_full_track_stores_nothing_more),
	};

	return cmocka_run_group_tests_name("format/perfetto_intern", tests, NULL, NULL);
}
