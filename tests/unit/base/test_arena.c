/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void memory_is_aligned_and_zeroed(void **state)
{
	struct nx_arena arena = {0};

	(void)state;
	for (size_t size = 0; size < 200; size++) {
		uint8_t *p = nx_arena_zalloc(&arena, 1, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
	}
	nx_arena_release(&arena);
}

static void pieces_do_not_overlap(void **state)
{
	enum { COUNT = 3000 };
	struct nx_arena arena = {0};
	uint8_t **pieces = NX_NEW_ARRAY(&arena, uint8_t *, COUNT);

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		pieces[i] = nx_arena_alloc(&arena, i + 1);
		memset(pieces[i], (int)(i % 251), i + 1);
	}
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(pieces[i][0], i % 251);
		assert_int_equal(pieces[i][i], i % 251);
	}
	nx_arena_release(&arena);
}

static void large_request_keeps_the_free_rest_of_the_block(void **state)
{
	struct nx_arena arena = {0};
	uint8_t *first = nx_arena_alloc(&arena, 16);
	uint8_t *large = nx_arena_alloc(&arena, 50 << 20);
	uint8_t *second = nx_arena_alloc(&arena, 16);

	(void)state;
	large[0] = 1;
	large[(50 << 20) - 1] = 1;
	assert_ptr_equal(second, first + 16);
	nx_arena_release(&arena);
}

static void large_request_may_come_first(void **state)
{
	struct nx_arena arena = {0};

	(void)state;
	memset(nx_arena_alloc(&arena, 1 << 20), 1, 1 << 20);
	memset(nx_arena_alloc(&arena, 10), 1, 10);
	nx_arena_release(&arena);
}

static void used_bytes_counts_rounded_sizes(void **state)
{
	struct nx_arena arena = {0};

	(void)state;
	nx_arena_alloc(&arena, 1);
	nx_arena_alloc(&arena, 17);
	assert_int_equal(arena.used_bytes, 16 + 32);
	nx_arena_release(&arena);
	assert_int_equal(arena.used_bytes, 0);
	assert_null(arena.newest);
	nx_arena_release(&arena);
}

static void a_reset_arena_reuses_its_block_and_hands_out_zeroes(void **state)
{
	struct nx_arena arena = {0};
	char *first = nx_arena_copy_text(&arena, "a row's text");

	(void)state;
	nx_arena_alloc(&arena, (size_t)1 << 20); /* a block of its own, which goes */
	nx_arena_reset(&arena);
	assert_int_equal(arena.used_bytes, 0);
	assert_ptr_equal(nx_arena_zalloc(&arena, 1, 16), first);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(first[i], 0);
	nx_arena_release(&arena);
	nx_arena_reset(&arena); /* an empty arena may be reset */
}

static void copies_end_with_nul(void **state)
{
	struct nx_arena arena = {0};

	(void)state;
	assert_string_equal(nx_arena_copy(&arena, nx_slice_of("abcdef", 3)), "abc");
	assert_string_equal(nx_arena_copy(&arena, nx_slice_of(NULL, 0)), "");
	assert_string_equal(nx_arena_copy_text(&arena, "text"), "text");
	nx_arena_release(&arena);
}

static void printf_handles_both_sides_of_its_stack_buffer(void **state)
{
	struct nx_arena arena = {0};

	(void)state;
	for (int width = 250; width < 262; width++) {
		char *text = nx_arena_printf(&arena, "%0*d", width, 7);

		assert_int_equal(strlen(text), width);
		assert_int_equal(text[width - 1], '7');
	}
	nx_arena_release(&arena);
}

static void expect_exit_code(int expected, void (*action)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		close(STDERR_FILENO);
		action();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected);
}

static void ask_for_overflowing_array(void)
{
	struct nx_arena arena = {0};

	nx_arena_zalloc(&arena, SIZE_MAX / 4, 8);
}

static void ask_for_the_address_space(void)
{
	struct nx_arena arena = {0};

	nx_arena_alloc(&arena, SIZE_MAX - 3);
}

static void ask_the_heap_for_too_much(void)
{
	nx_heap_alloc(SIZE_MAX);
}

static void impossible_requests_end_with_code_10(void **state)
{
	(void)state;
	expect_exit_code(10, ask_for_overflowing_array);
	expect_exit_code(10, ask_for_the_address_space);
	expect_exit_code(10, ask_the_heap_for_too_much);
}

static void heap_reallocs_from_nothing_and_to_nothing(void **state)
{
	uint8_t *p = nx_heap_realloc(NULL, 4);

	(void)state;
	memcpy(p, "abcd", 4);
	p = nx_heap_realloc(p, 4000);
	assert_memory_equal(p, "abcd", 4);
	p = nx_heap_realloc(p, 0);
	assert_non_null(p);
	nx_heap_free(p);
	nx_heap_free(NULL);
}

struct greedy {
	unsigned steps;
	bool inner_has_memory;
};

static void ask_for_too_much(void *context)
{
	struct greedy *greedy = context;

	greedy->steps++;
	nx_heap_alloc(SIZE_MAX);
	greedy->steps++;
}

static void ask_within(void *context)
{
	struct greedy *greedy = context;
	struct nx_arena arena = {0};

	greedy->inner_has_memory = nx_heap_guarded(ask_for_too_much, greedy);
	nx_arena_alloc(&arena, 100);
	nx_arena_release(&arena);
	greedy->steps += 10;
}

static void a_guarded_call_returns_when_memory_runs_out(void **state)
{
	struct greedy greedy = {0};

	(void)state;
	assert_false(nx_heap_guarded(ask_for_too_much, &greedy));
	assert_int_equal(greedy.steps, 1);
	greedy = (struct greedy){.inner_has_memory = true};
	assert_true(nx_heap_guarded(ask_within, &greedy));
	assert_false(greedy.inner_has_memory);
	assert_int_equal(greedy.steps, 11);
}

static void trying_tells_that_memory_is_not_there(void **state)
{
	uint8_t *memory = nx_heap_try_alloc(100);

	(void)state;
	assert_non_null(memory);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(memory[i], 0);
	nx_heap_free(memory);
	assert_null(nx_heap_try_alloc(SIZE_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_aligned_and_zeroed),
		cmocka_unit_test(pieces_do_not_overlap),
		cmocka_unit_test(large_request_keeps_the_free_rest_of_the_block),
		cmocka_unit_test(large_request_may_come_first),
		cmocka_unit_test(used_bytes_counts_rounded_sizes),
		cmocka_unit_test(a_reset_arena_reuses_its_block_and_hands_out_zeroes),
		cmocka_unit_test(copies_end_with_nul),
		cmocka_unit_test(printf_handles_both_sides_of_its_stack_buffer),
		cmocka_unit_test(impossible_requests_end_with_code_10),
		cmocka_unit_test(heap_reallocs_from_nothing_and_to_nothing),
		cmocka_unit_test(a_guarded_call_returns_when_memory_runs_out),
		cmocka_unit_test(trying_tells_that_memory_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
