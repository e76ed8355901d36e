/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "base/arena.h"
#include "serve/answer_cache.h"

/* An answer that takes so many bytes. */
static struct nx_answer made(uint64_t size_bytes)
{
	struct nx_answer answer = {.hits.size_bytes = size_bytes - 1};
	struct nx_hit_strip strip = {.bits = nx_heap_alloc(8)};

	nx_vec_push(&answer.hits.strips, strip);
	nx_vec_push(&answer.text, 'x');
	return answer;
}

static void put(struct nx_answer_cache *cache, const char *key, uint64_t size_bytes)
{
	struct nx_answer answer = made(size_bytes);

	nx_answer_cache_return(cache, nx_answer_cache_put(cache, "p", key, &answer));
	assert_int_equal(answer.hits.strips.len + answer.text.len, 0);
}

static bool has(struct nx_answer_cache *cache, const char *id, const char *key)
{
	struct nx_answer *hits = nx_answer_cache_take(cache, id, key);

	nx_answer_cache_return(cache, hits);
	return hits != NULL;
}

static void what_was_asked_lately_is_kept(void **state)
{
	struct nx_answer_cache *cache = nx_answer_cache_new(2, 1000);

	(void)state;
	put(cache, "a", 1);
	put(cache, "b", 1);
	assert_true(has(cache, "p", "a"));
	put(cache, "c", 1);
	assert_false(has(cache, "p", "b"));
	assert_true(has(cache, "p", "a"));
	assert_true(has(cache, "p", "c"));
	assert_false(has(cache, "another", "c"));
	nx_answer_cache_free(cache);
}

static void large_ones_push_others_out_but_stay(void **state)
{
	struct nx_answer_cache *cache = nx_answer_cache_new(10, 100);

	(void)state;
	put(cache, "a", 60);
	put(cache, "b", 60);
	assert_false(has(cache, "p", "a"));
	assert_true(has(cache, "p", "b"));
	put(cache, "huge", 5000);
	assert_false(has(cache, "p", "b"));
	assert_true(has(cache, "p", "huge"));
	nx_answer_cache_free(cache);
}

static void who_holds_one_keeps_it(void **state)
{
	struct nx_answer_cache *cache = nx_answer_cache_new(1, 100);
	struct nx_answer *held;

	(void)state;
	put(cache, "a", 1);
	held = nx_answer_cache_take(cache, "p", "a");
	put(cache, "b", 1);
	assert_false(has(cache, "p", "a"));
	assert_int_equal(held->hits.strips.len, 1);
	assert_int_equal(held->text.len, 1);
	nx_answer_cache_return(cache, held);
	nx_answer_cache_return(cache, NULL);
	nx_answer_cache_free(cache);
}

static void *visit(void *context)
{
	struct nx_answer_cache *cache = context;

	for (int i = 0; i < 200; i++) {
		const char *key = i % 3 ? "a" : i % 5 ? "b" : "c";
		struct nx_answer *hits = nx_answer_cache_take(cache, "p", key);
		struct nx_answer found;

		if (!hits) {
			found = made(10);
			hits = nx_answer_cache_put(cache, "p", key, &found);
		}
		nx_answer_cache_return(cache, hits);
	}
	return NULL;
}

static void a_crowd_may_share_it(void **state)
{
	struct nx_answer_cache *cache = nx_answer_cache_new(2, 1000);
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, visit, cache), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	nx_answer_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_asked_lately_is_kept),
		cmocka_unit_test(large_ones_push_others_out_but_stay),
		cmocka_unit_test(who_holds_one_keeps_it),
		cmocka_unit_test(a_crowd_may_share_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
