/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "serve/insight_cache.h"

static bool holds(struct nx_insight_cache *cache, const char *id, const char *answer)
{
	struct nx_bytes bytes = {0};
	bool is_same = nx_insight_cache_get(cache, id, &bytes) &&
		       nx_slice_is(nx_slice_of(bytes.items, bytes.len), answer);

	nx_vec_release(&bytes);
	return is_same;
}

static void answers_are_kept_by_the_profile(void **state)
{
	struct nx_insight_cache *cache = nx_insight_cache_new();

	(void)state;
	assert_false(holds(cache, "a", ""));
	nx_insight_cache_put(cache, "a", nx_slice_text("{1}"));
	nx_insight_cache_put(cache, "b", nx_slice_text("{2}"));
	assert_true(holds(cache, "a", "{1}"));
	assert_true(holds(cache, "b", "{2}"));
	/* two that ask at once both put it */
	nx_insight_cache_put(cache, "a", nx_slice_text("{1}"));
	assert_true(holds(cache, "a", "{1}"));
	nx_insight_cache_free(cache);
}

static void the_first_go_when_there_are_too_many(void **state)
{
	struct nx_insight_cache *cache = nx_insight_cache_new();
	char id[16];

	(void)state;
	for (unsigned i = 0; i <= NX_INSIGHT_CACHE_MAX; i++) {
		snprintf(id, sizeof(id), "%u", i);
		nx_insight_cache_put(cache, id, nx_slice_text(id));
	}
	assert_false(holds(cache, "0", "0"));
	assert_true(holds(cache, "1", "1"));
	assert_true(holds(cache, id, id));
	nx_insight_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_kept_by_the_profile),
		cmocka_unit_test(the_first_go_when_there_are_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
