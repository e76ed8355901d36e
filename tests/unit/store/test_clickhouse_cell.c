/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_cell.h"

static void types_have_kinds(void **state)
{
	static const struct {
		const char *type;
		int kind; /* -1: none */
	} cases[] = {
		{"Int8", NX_CELL_I64},
		{"UInt64", NX_CELL_I64},
		{"Nullable(Int64)", NX_CELL_I64},
		{"LowCardinality(Nullable(String))", NX_CELL_TEXT},
		{"Int128", NX_CELL_TEXT},
		{"Float32", NX_CELL_F64},
		{"Decimal(9, 2)", NX_CELL_F64},
		{"Bool", NX_CELL_BOOL},
		{"DateTime64(9)", NX_CELL_TEXT},
		{"Enum8('a' = 1)", NX_CELL_TEXT},
		{"Array(Int64)", NX_CELL_LIST_I64},
		{"Array(Nullable(UInt8))", NX_CELL_LIST_I64},
		{"Array(String)", NX_CELL_LIST_TEXT},
		{"Array(Float64)", NX_CELL_LIST_TEXT},
		{"Array(Array(Int64))", -1},
		{"Array(Tuple(Int64, String))", -1},
		{"Nullable(", NX_CELL_TEXT},
		{"Array()", NX_CELL_LIST_TEXT},
		{"", NX_CELL_TEXT},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum nx_cell_kind kind = NX_CELL_NULL;
		bool is_read = nx_clickhouse_type_kind(nx_slice_text(cases[i].type), &kind);

		if (is_read != (cases[i].kind >= 0) || (is_read && (int)kind != cases[i].kind))
			fail_msg("%s: %d %d", cases[i].type, is_read, (int)kind);
	}
}

static void integers_have_64_bits(void **state)
{
	int64_t value = 0;

	(void)state;
	assert_true(nx_clickhouse_read_i64(nx_slice_text("9223372036854775807"), &value));
	assert_true(value == INT64_MAX);
	assert_true(nx_clickhouse_read_i64(nx_slice_text("-9223372036854775808"), &value));
	assert_true(value == INT64_MIN);
	assert_true(nx_clickhouse_read_i64(nx_slice_text("-0"), &value));
	assert_true(value == 0);
	assert_false(nx_clickhouse_read_i64(nx_slice_text("9223372036854775808"), &value));
	assert_false(nx_clickhouse_read_i64(nx_slice_text("-9223372036854775809"), &value));
	assert_false(nx_clickhouse_read_i64(nx_slice_text("-"), &value));
	assert_false(nx_clickhouse_read_i64(nx_slice_text(""), &value));
	assert_false(nx_clickhouse_read_i64(nx_slice_text("1.5"), &value));
	assert_false(nx_clickhouse_read_i64(nx_slice_text(" 1"), &value));
}

static void floats_are_read_as_printed(void **state)
{
	double value = 0;

	(void)state;
	assert_true(nx_clickhouse_read_f64(nx_slice_text("-1.5e-3"), &value));
	assert_true(value == -1.5e-3);
	assert_true(nx_clickhouse_read_f64(nx_slice_text("nan"), &value));
	assert_true(isnan(value));
	assert_true(nx_clickhouse_read_f64(nx_slice_text("-inf"), &value));
	assert_true(isinf(value) && value < 0);
	assert_false(nx_clickhouse_read_f64(nx_slice_text("1.5x"), &value));
	assert_false(nx_clickhouse_read_f64(nx_slice_text(""), &value));
}

static void escapes_are_undone(void **state)
{
	struct nx_slice raw = nx_slice_text("a\\tb\\nc\\\\d\\'e\\0f\\q\\");
	struct nx_bytes texts = {0};
	struct nx_slice text;

	(void)state;
	text = nx_clickhouse_unescape(&texts, raw);
	assert_int_equal(text.len, 13);
	assert_memory_equal(text.data, "a\tb\nc\\d'e\0fq\\", 13);
	raw = nx_slice_text("plain");
	assert_ptr_equal(nx_clickhouse_unescape(&texts, raw).data, raw.data);
	nx_vec_release(&texts);
}

static void lists_are_taken_apart(void **state)
{
	struct nx_bytes texts = {0};
	struct nx_slice list, item;
	int64_t number = 0;

	(void)state;
	assert_true(nx_clickhouse_open_list(nx_slice_text("[-1,22]"), &list));
	assert_true(nx_clickhouse_next_number(&list, &number) && number == -1);
	assert_true(nx_clickhouse_next_number(&list, &number) && number == 22);
	assert_int_equal(list.len, 0);
	assert_true(nx_clickhouse_open_list(nx_slice_text("['a,b','','it\\'s',1.5]"), &list));
	assert_true(nx_clickhouse_next_item(&list, &texts, &item) && nx_slice_is(item, "a,b"));
	assert_true(nx_clickhouse_next_item(&list, &texts, &item) && item.len == 0);
	assert_true(nx_clickhouse_next_item(&list, &texts, &item) && nx_slice_is(item, "it's"));
	assert_true(nx_clickhouse_next_item(&list, &texts, &item) && nx_slice_is(item, "1.5"));
	assert_int_equal(list.len, 0);
	nx_vec_release(&texts);
}

static void damaged_lists_are_refused(void **state)
{
	static const char *const items[] = {"['a]", "['a'b]", "['a',]", "['\\']", "[,'a']"};
	struct nx_bytes texts = {0};
	struct nx_slice list, item;
	int64_t number;

	(void)state;
	assert_false(nx_clickhouse_open_list(nx_slice_text("[1"), &list));
	assert_false(nx_clickhouse_open_list(nx_slice_text("["), &list));
	assert_false(nx_clickhouse_open_list(nx_slice_text(""), &list));
	assert_true(nx_clickhouse_open_list(nx_slice_text("[1,]"), &list));
	assert_false(nx_clickhouse_next_number(&list, &number));
	assert_true(nx_clickhouse_open_list(nx_slice_text("[NULL]"), &list));
	assert_false(nx_clickhouse_next_number(&list, &number));
	for (unsigned i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		assert_true(nx_clickhouse_open_list(nx_slice_text(items[i]), &list));
		assert_false(nx_clickhouse_next_item(&list, &texts, &item));
	}
	nx_vec_release(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_have_kinds),
		cmocka_unit_test(integers_have_64_bits),
		cmocka_unit_test(floats_are_read_as_printed),
		cmocka_unit_test(escapes_are_undone),
		cmocka_unit_test(lists_are_taken_apart),
		cmocka_unit_test(damaged_lists_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
