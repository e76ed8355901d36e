/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/query/duckdb_fixture.h"

static int begin(void **state)
{
	int st = fixture_begin(state);

	if (st)
		return st;
	fixture_make(*state, "One.parquet", "SELECT 1 AS one");
	fixture_open(*state, NULL);
	return 0;
}

static void integers_of_every_width(void **state)
{
	assert_answer(*state,
		      "SELECT (-128)::TINYINT, (-32768)::SMALLINT, (-2147483648)::INTEGER, "
		      "(-9223372036854775808)::BIGINT",
		      "-128|-32768|-2147483648|-9223372036854775808");
	assert_answer(*state,
		      "SELECT 255::UTINYINT, 65535::USMALLINT, 4294967295::UINTEGER, "
		      "18446744073709551615::UBIGINT",
		      "255|65535|4294967295|18446744073709551615");
	assert_answer(*state, "SELECT true, false", "true|false");
}

static void integers_beyond_64_bits(void **state)
{
	assert_answer(*state,
		      "SELECT 170141183460469231731687303715884105727::HUGEINT, "
		      "(-170141183460469231731687303715884105728)::HUGEINT, "
		      "340282366920938463463374607431768211455::UHUGEINT, 0::HUGEINT",
		      "170141183460469231731687303715884105727|"
		      "-170141183460469231731687303715884105728|"
		      "340282366920938463463374607431768211455|0");
}

static void decimals_keep_their_scale(void **state)
{
	assert_answer(*state,
		      "SELECT 1.50::DECIMAL(4,2), (-0.05)::DECIMAL(9,2), 0::DECIMAL(18,3), "
		      "0.00000000000000000000000000000000000001::DECIMAL(38,38), 7::DECIMAL(3,0)",
		      "1.50|-0.05|0.000|0.00000000000000000000000000000000000001|7");
}

static void reals_are_shortest(void **state)
{
	assert_answer(*state, "SELECT 0.1::FLOAT, 0.1::DOUBLE, 'nan'::DOUBLE, '-inf'::FLOAT",
		      "0.1|0.1|nan|-inf");
}

static void texts_short_and_long(void **state)
{
	assert_answer(*state,
		      "SELECT '', 'twelve bytes', 'thirteen byte', repeat('ab', 10), 'é日', "
		      "'\\x00\\xFF'::BLOB",
		      "|twelve bytes|thirteen byte|abababababababababab|é日|\\x00\\xFF");
}

static void dates_and_times_are_written_as_duckdb_does(void **state)
{
	assert_answer(*state,
		      "SELECT DATE '2024-02-29', TIME '01:02:03.5', TIMESTAMP '2024-02-29 "
		      "12:00:00', TIMESTAMP_S '2024-02-29 12:00:00', TIMESTAMP_MS '2024-02-29 "
		      "12:00:00.001', TIMESTAMP_NS '2024-02-29 12:00:00.000000001', TIMESTAMPTZ "
		      "'2024-02-29 12:00:00+02', INTERVAL '1 month 2 days 3 hours'",
		      "2024-02-29|01:02:03.5|2024-02-29 12:00:00|2024-02-29 12:00:00|"
		      "2024-02-29 12:00:00.001|2024-02-29 12:00:00.000000001|"
		      "2024-02-29 10:00:00+00|1 month 2 days 03:00:00");
}

static void enums_and_uuids(void **state)
{
	assert_answer(*state,
		      "SELECT 'b'::ENUM('a', 'b'), '6ccd780c-baba-1026-9564-5b8c656024db'::UUID, "
		      "'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID",
		      "b|6ccd780c-baba-1026-9564-5b8c656024db|"
		      "ffffffff-ffff-ffff-ffff-ffffffffffff");
}

static void values_inside_values(void **state)
{
	assert_answer(*state, "SELECT [1, NULL, 3], []::INT[], NULL::INT[], [['a'], NULL, []]",
		      "[1, NULL, 3]|[]|NULL|[['a'], NULL, []]");
	assert_answer(*state, "SELECT {'a': 1, 'b': {'c': [2]}}, MAP {'k': 1, 'it''s': NULL}",
		      "{'a': 1, 'b': {'c': [2]}}|{'k': 1, 'it''s': NULL}");
	assert_answer(*state,
		      "SELECT * FROM (VALUES (array_value(1, 2)), (NULL), (array_value(3, NULL)))",
		      "[1, 2]\nNULL\n[3, NULL]");
	assert_answer(*state, "SELECT s FROM (VALUES ({'x': 1}), (NULL), ({'x': NULL})) t(s)",
		      "{'x': 1}\nNULL\n{'x': NULL}");
	assert_answer(*state, "SELECT MAP {1: 'a', 2: 'b'}", "{'1': 'a', '2': 'b'}");
}

static void nulls_at_any_place_of_many_chunks(void **state)
{
	assert_answer(
		*state,
		"SELECT count(*), count(x), sum(x) FROM (SELECT CASE WHEN i % 3 = 0 THEN NULL "
		"ELSE i END AS x FROM range(10000) t(i))",
		"10000|6666|33326667");
	assert_answer(
		*state,
		"SELECT NULL AS n, x FROM (SELECT CASE WHEN i % 2000 = 1 THEN NULL ELSE i END "
		"AS x FROM range(4097) t(i)) WHERE x IS NULL OR x IN (0, 64, 2048, 4096)",
		"NULL|0\nNULL|NULL\nNULL|64\nNULL|NULL\nNULL|2048\nNULL|NULL\nNULL|4096");
}

static void what_has_no_text_is_refused(void **state)
{
	assert_refused(*state, "SELECT '101'::BIT AS b", NX_UNSUPPORTED,
		       "the column 'b' has a type that cannot be shown; write CAST(... AS "
		       "VARCHAR)");
	assert_answer(*state, "SELECT CAST('101'::BIT AS VARCHAR)", "101");
}

static void too_deep_is_refused(void **state)
{
	char sql[256] = "SELECT ";

	for (int i = 0; i < 33; i++)
		strncat(sql, "[", sizeof(sql) - strlen(sql) - 1);
	strncat(sql, "1", sizeof(sql) - strlen(sql) - 1);
	for (int i = 0; i < 33; i++)
		strncat(sql, "]", sizeof(sql) - strlen(sql) - 1);
	strncat(sql, " AS x", sizeof(sql) - strlen(sql) - 1);
	assert_refused(*state, sql, NX_LIMIT, "the column 'x' is nested more than 32 deep");
}

#define CASE(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(integers_of_every_width),
		CASE(integers_beyond_64_bits),
		CASE(decimals_keep_their_scale),
		CASE(reals_are_shortest),
		CASE(texts_short_and_long),
		CASE(dates_and_times_are_written_as_duckdb_does),
		CASE(enums_and_uuids),
		CASE(values_inside_values),
		CASE(nulls_at_any_place_of_many_chunks),
		CASE(what_has_no_text_is_refused),
		CASE(too_deep_is_refused),
	};

	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, begin, fixture_end);
}
