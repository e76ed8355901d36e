/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/map.h"

static void empty_map_has_nothing(void **state)
{
	struct nx_map map = {0};
	struct nx_text_map texts = {0};
	uint64_t value;

	(void)state;
	assert_false(nx_map_get(&map, 0, &value));
	assert_false(nx_map_get(&map, 5, &value));
	assert_false(nx_text_map_get(&texts, nx_slice_text("a"), &value));
	nx_map_release(&map);
	nx_text_map_release(&texts);
}

static void extreme_keys_are_ordinary(void **state)
{
	struct nx_map map = {0};
	uint64_t value = 99;

	(void)state;
	nx_map_put(&map, 1, 10);
	assert_false(nx_map_get(&map, 0, &value));
	nx_map_put(&map, 0, 0);
	nx_map_put(&map, UINT64_MAX, 20);
	assert_true(nx_map_get(&map, 0, &value));
	assert_int_equal(value, 0);
	assert_true(nx_map_get(&map, UINT64_MAX, &value));
	assert_int_equal(value, 20);
	assert_true(nx_map_get(&map, 1, &value));
	assert_int_equal(value, 10);
	assert_true(nx_map_get(&map, 1, NULL));
	assert_int_equal(map.len, 3);
	nx_map_release(&map);
}

static void put_replaces(void **state)
{
	struct nx_map map = {0};
	struct nx_text_map texts = {0};
	uint64_t value;

	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		nx_map_put(&map, 7, i);
		nx_map_put(&map, 0, i + 100);
		nx_text_map_put(&texts, nx_slice_text("k"), i);
	}
	assert_int_equal(map.len, 2);
	assert_int_equal(texts.len, 1);
	assert_true(nx_map_get(&map, 7, &value));
	assert_int_equal(value, 4);
	assert_true(nx_map_get(&map, 0, &value));
	assert_int_equal(value, 104);
	assert_true(nx_text_map_get(&texts, nx_slice_text("k"), &value));
	assert_int_equal(value, 4);
	nx_map_release(&map);
	nx_text_map_release(&texts);
}

static void many_keys_survive_growth(void **state)
{
	struct nx_map map = {0};
	uint64_t value;

	(void)state;
	/* Multiples of a page: without mixing they would all share one slot. */
	for (uint64_t i = 0; i < 200000; i++)
		nx_map_put(&map, i << 12, i);
	assert_int_equal(map.len, 200000);
	assert_true(map.cap >= 200000 / 3 * 4);
	for (uint64_t i = 0; i < 200000; i++) {
		assert_true(nx_map_get(&map, i << 12, &value));
		assert_int_equal(value, i);
		assert_false(nx_map_get(&map, (i << 12) + 1, NULL));
	}
	nx_map_release(&map);
}

static void texts_differ_by_length_and_any_byte(void **state)
{
	static const char *const keys[] = {"",
					   "a",
					   "b",
					   "aa",
					   "12345678",
					   "123456789",
					   "12345678\1",
					   "1234567812345678",
					   "8765432112345678"};
	struct nx_text_map map = {0};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		nx_text_map_put(&map, nx_slice_text(keys[i]), i);
	nx_text_map_put(&map, nx_slice_of("a\0", 2), 50);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_true(nx_text_map_get(&map, nx_slice_text(keys[i]), &value));
		assert_int_equal(value, i);
	}
	assert_true(nx_text_map_get(&map, nx_slice_of("a\0", 2), &value));
	assert_int_equal(value, 50);
	assert_true(nx_text_map_get(&map, nx_slice_of(NULL, 0), &value));
	assert_int_equal(value, 0);
	assert_false(nx_text_map_get(&map, nx_slice_text("c"), &value));
	nx_text_map_release(&map);
}

static void many_texts_survive_growth(void **state)
{
	struct nx_arena arena = {0};
	struct nx_text_map map = {0};
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < 50000; i++)
		nx_text_map_put(&map, nx_slice_text(nx_arena_printf(&arena, "name.%u", i)), i);
	assert_int_equal(map.len, 50000);
	for (unsigned i = 0; i < 50000; i++) {
		char *key = nx_arena_printf(&arena, "name.%u", i);

		assert_true(nx_text_map_get(&map, nx_slice_text(key), &value));
		assert_int_equal(value, i);
	}
	nx_text_map_release(&map);
	nx_arena_release(&arena);
}

static void a_pool_has_each_text_once(void **state)
{
	struct nx_arena arena = {0};
	struct nx_text_pool pool = {.arena = &arena};
	char text[] = "qSPIO0";
	const char *first = nx_text_pool_copy(&pool, nx_slice_text(text));

	(void)state;
	text[0] = 'x'; /* the pool keeps its own copy */
	assert_string_equal(first, "qSPIO0");
	assert_ptr_equal(nx_text_pool_copy(&pool, nx_slice_text("qSPIO0")), first);
	assert_ptr_not_equal(nx_text_pool_copy(&pool, nx_slice_text(text)), first);
	assert_string_equal(nx_text_pool_copy(&pool, (struct nx_slice){NULL, 0}), "");
	nx_text_pool_release(&pool);
	assert_string_equal(first, "qSPIO0");
	nx_arena_release(&arena);
}

/* Published test vectors of FNV-1a 64. */
static void fnv_matches_its_vectors(void **state)
{
	(void)state;
	assert_true(nx_fnv1a(NX_FNV_SEED, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(nx_fnv1a(NX_FNV_SEED, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(nx_fnv1a(NX_FNV_SEED, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(nx_fnv1a(nx_fnv1a(NX_FNV_SEED, "foo", 3), "bar", 3) ==
		    UINT64_C(0x85944171f73967e8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_map_has_nothing),
		cmocka_unit_test(extreme_keys_are_ordinary),
		cmocka_unit_test(put_replaces),
		cmocka_unit_test(many_keys_survive_growth),
		cmocka_unit_test(texts_differ_by_length_and_any_byte),
		cmocka_unit_test(many_texts_survive_growth),
		cmocka_unit_test(a_pool_has_each_text_once),
		cmocka_unit_test(fnv_matches_its_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
