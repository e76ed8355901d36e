/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_layout.h"

static void expect(const struct nx_row *row, const char *bytes, size_t len)
{
	struct nx_bytes out = {0};

	nx_row_binary_append(&out, row);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.items, bytes, len);
	nx_vec_release(&out);
}

static void numbers_and_texts_lie_one_after_another(void **state)
{
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_ActiveTime);
	nx_row_put_i64(&row, NX_COL_ActiveTime_start_ts, 1);
	nx_row_put_i64(&row, NX_COL_ActiveTime_end_ts, -2);
	nx_row_put_text(&row, NX_COL_ActiveTime_engine, "pe");
	nx_row_put_i64(&row, NX_COL_ActiveTime_pcore_idx, 258);
	nx_row_put_i64(&row, NX_COL_ActiveTime_duration_ns, 0);
	expect(&row,
	       "\1\0\0\0\0\0\0\0"
	       "\xfe\xff\xff\xff\xff\xff\xff\xff"
	       "\2pe"
	       "\2\1\0\0\0\0\0\0"
	       "\0\0\0\0\0\0\0\0",
	       35);
}

static void nulls_are_a_byte_and_required_ones_are_zero(void **state)
{
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_CcInstruction);
	nx_row_put_i64(&row, NX_COL_CcInstruction_trigger_start_ts, 3);
	/* start, end, duration, core: 8 bytes each; description empty; then two nullable ones. */
	expect(&row,
	       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	       "\0"
	       "\1"
	       "\0\3\0\0\0\0\0\0\0",
	       43);
	nx_row_put_text(&row, NX_COL_CcInstruction_trigger_engine, "x");
	nx_row_put_null(&row, NX_COL_CcInstruction_trigger_start_ts);
	expect(&row,
	       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	       "\0"
	       "\0\1x"
	       "\1",
	       37);
}

static void floats_have_the_width_of_the_schema(void **state)
{
	struct nx_row row;
	struct nx_bytes out = {0};
	float narrow = 0;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_CpuUsage);
	nx_row_put_f64(&row, NX_COL_CpuUsage_util_percent, 12.5);
	nx_row_binary_append(&out, &row);
	memcpy(&narrow, out.items + 8, sizeof(narrow));
	assert_true(narrow == 12.5f);
	nx_vec_release(&out);
}

static void booleans_are_a_byte(void **state)
{
	struct nx_row row;
	struct nx_bytes out = {0}, other = {0};
	unsigned differences = 0;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_SchemaFields);
	nx_row_put_bool(&row, NX_COL_SchemaFields_field_required, true);
	nx_row_binary_append(&out, &row);
	nx_row_put_bool(&row, NX_COL_SchemaFields_field_required, false);
	nx_row_binary_append(&other, &row);
	assert_int_equal(out.len, other.len);
	for (size_t i = 0; i < out.len; i++)
		differences += out.items[i] != other.items[i];
	assert_int_equal(differences, 1);
	nx_vec_release(&out);
	nx_vec_release(&other);
}

static void lists_are_a_length_and_items(void **state)
{
	struct nx_slice items[] = {nx_slice_text("a"), nx_slice_text("")};
	struct nx_bytes without = {0}, with = {0};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_SystemProfileEvents);
	nx_row_binary_append(&without, &row);
	nx_row_put_list_text(&row, NX_COL_SystemProfileEvents_flow_id, items, 2);
	nx_row_binary_append(&with, &row);
	assert_int_equal(with.len, without.len + 3);
	/* Behind it are two nullable columns without value: the list ends two bytes before the end.
	 */
	assert_memory_equal(with.items + with.len - 6, "\2\1a\0\1\1", 6);
	assert_memory_equal(without.items + without.len - 3, "\0\1\1", 3);
	nx_vec_release(&without);
	nx_vec_release(&with);
}

static void lists_of_integers_have_8_bytes_each(void **state)
{
	int64_t numbers[] = {7, -1};
	struct nx_bytes without = {0}, with = {0};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_BirInstruction);
	nx_row_binary_append(&without, &row);
	nx_row_put_list_i64(&row, NX_COL_BirInstruction_element_count_per_interval, numbers, 2);
	nx_row_binary_append(&with, &row);
	assert_int_equal(with.len, without.len + 16);
	nx_vec_release(&without);
	nx_vec_release(&with);
}

static void long_texts_have_long_lengths(void **state)
{
	static char text[20000];
	struct nx_bytes out = {0};

	(void)state;
	nx_row_binary_text(&out, nx_slice_of(text, 127));
	assert_int_equal(out.len, 128);
	nx_vec_clear(&out);
	nx_row_binary_text(&out, nx_slice_of(text, 128));
	assert_int_equal(out.len, 130);
	assert_memory_equal(out.items, "\x80\x01", 2);
	nx_vec_clear(&out);
	nx_row_binary_text(&out, nx_slice_of(text, 20000));
	assert_int_equal(out.len, 20003);
	assert_memory_equal(out.items, "\xa0\x9c\x01", 3);
	nx_vec_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_texts_lie_one_after_another),
		cmocka_unit_test(nulls_are_a_byte_and_required_ones_are_zero),
		cmocka_unit_test(floats_have_the_width_of_the_schema),
		cmocka_unit_test(booleans_are_a_byte),
		cmocka_unit_test(lists_are_a_length_and_items),
		cmocka_unit_test(lists_of_integers_have_8_bytes_each),
		cmocka_unit_test(long_texts_have_long_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
