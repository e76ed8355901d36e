/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/row_wire.h"

static const struct nx_column columns[] = {{"a", NX_VALUE_I64}, {"", NX_VALUE_STRUCT}};

static const struct nx_value *two_values(void)
{
	static const struct nx_value items[] = {{.kind = NX_VALUE_NULL},
						{.kind = NX_VALUE_BOOL, .flag = true}};
	static struct nx_slice names[2];
	static struct nx_value row[2];

	names[0] = nx_slice_text("x");
	names[1] = nx_slice_text("");
	row[0] = (struct nx_value){.kind = NX_VALUE_I64, .i64 = -7};
	row[1] = (struct nx_value){.kind = NX_VALUE_STRUCT, .list = {items, names, 2}};
	return row;
}

static void what_is_written_is_read(void **state)
{
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};
	struct nx_bytes text = {0};
	struct nx_column *read_columns;
	struct nx_value row[2];
	struct nx_slice from;
	size_t count;

	(void)state;
	nx_row_wire_put_columns(&bytes, columns, 2);
	assert_true(nx_row_wire_put_row(&bytes, two_values(), 2, 100));
	assert_true(nx_row_wire_put_row(&bytes, two_values(), 2, 100));
	from = nx_slice_of(bytes.items, bytes.len);
	assert_int_equal(nx_row_wire_get_columns(&from, &arena, &read_columns, &count), NX_OK);
	assert_int_equal(count, 2);
	assert_string_equal(read_columns[0].name, "a");
	assert_int_equal(read_columns[1].kind, NX_VALUE_STRUCT);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nx_row_wire_get_row(&from, &arena, row, 2), NX_OK);
		assert_int_equal(row[0].i64, -7);
		nx_vec_clear(&text);
		nx_value_append_text(&row[1], &text);
		assert_memory_equal(text.items, "{'x': NULL, '': true}", text.len);
	}
	assert_int_equal(from.len, 0);
	nx_vec_release(&text);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

static void a_row_that_is_too_long_leaves_nothing(void **state)
{
	struct nx_bytes bytes = {0};

	(void)state;
	assert_true(nx_row_wire_put_row(&bytes, two_values(), 2, 26));
	assert_int_equal(bytes.len, 26); /* 1 + 8, 1 + 4 + (4 + 1 + 1) + (4 + 2) */
	assert_false(nx_row_wire_put_row(&bytes, two_values(), 2, 25));
	assert_int_equal(bytes.len, 26);
	nx_vec_release(&bytes);
}

/* Every prefix is refused, and so is a count that cannot be true. */
static void damage_is_refused(void **state)
{
	static const uint8_t liar[] = {NX_VALUE_LIST, 0xff, 0xff, 0xff, 0xff, NX_VALUE_NULL};
	static const uint8_t unknown[] = {NX_VALUE_STRUCT + 1};
	struct nx_slice from = nx_slice_of(liar, sizeof(liar));
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};
	struct nx_value row[2];

	(void)state;
	assert_true(nx_row_wire_put_row(&bytes, two_values(), 2, 100));
	for (size_t len = 0; len < bytes.len; len++) {
		struct nx_slice part = nx_slice_of(bytes.items, len);

		assert_int_equal(nx_row_wire_get_row(&part, &arena, row, 2), NX_FORMAT);
	}
	assert_int_equal(nx_row_wire_get_row(&from, &arena, row, 1), NX_FORMAT);
	from = nx_slice_of(unknown, sizeof(unknown));
	assert_int_equal(nx_row_wire_get_row(&from, &arena, row, 1), NX_FORMAT);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

static void nesting_has_an_end(void **state)
{
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};
	struct nx_value row[1];
	struct nx_slice from;

	(void)state;
	for (int i = 0; i < 1000; i++)
		nx_bytes_append(&bytes, "\x09\1\0\0\0", 5);
	nx_bytes_append_zeros(&bytes, 1);
	assert_int_equal(NX_VALUE_LIST, 9);
	from = nx_slice_of(bytes.items, bytes.len);
	assert_int_equal(nx_row_wire_get_row(&from, &arena, row, 1), NX_FORMAT);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_row_that_is_too_long_leaves_nothing),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(nesting_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
