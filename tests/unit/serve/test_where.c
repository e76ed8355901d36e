/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "serve/where.h"

static const struct nx_parquet_field fields[] = {
	{.name = "start_ts", .type = NX_PARQUET_I64},
	{.name = "op\"code", .type = NX_PARQUET_TEXT},
	{.name = "share", .type = NX_PARQUET_F64},
	{.name = "is_on", .type = NX_PARQUET_BOOL},
	{.name = "ids", .type = NX_PARQUET_I64, .is_list = true},
	{.name = "end_ts", .type = NX_PARQUET_I64},
};
static const struct nx_stored_table table = {.name = "T", .fields = fields, .field_count = 6};

static void check(const char *condition, const char *expected)
{
	struct nx_bytes sql = {0};
	struct nx_error err = {0};

	if (nx_where_append_one(&sql, &table, condition, &err))
		fail_msg("%s: %s", condition, err.message);
	assert_int_equal(sql.len, strlen(expected));
	assert_memory_equal(sql.items, expected, sql.len);
	nx_vec_release(&sql);
}

static void refuse(const char *condition, enum nx_status status)
{
	struct nx_bytes sql = {0};
	struct nx_error err;

	assert_int_equal(nx_where_append_one(&sql, &table, condition, &err), status);
	nx_vec_release(&sql);
}

static void conditions_become_sql(void **state)
{
	(void)state;
	check("start_ts=5", "\"start_ts\" = 5");
	check("START_TS>=-5", "\"start_ts\" >= -5");
	check("start_ts!=5", "\"start_ts\" IS DISTINCT FROM 5");
	check("share<0.5", "\"share\" < 0.5");
	check("is_on=true", "\"is_on\" = true");
	check("op\"code=it's", "\"op\"\"code\" = 'it''s'");
	check("op\"code==x", "\"op\"\"code\" = '=x'");
	check("op\"code=", "\"op\"\"code\" = ''");
	check("op\"code~^a", "regexp_matches(\"op\"\"code\", '^a')");
	check("start_ts~1", "regexp_matches(CAST(\"start_ts\" AS VARCHAR), '1')");
	check("ids=[1]", "CAST(\"ids\" AS VARCHAR) = '[1]'");
}

static void what_is_no_condition_is_refused(void **state)
{
	static const char *const values[] = {"",	 "x",	"1;",
					     "1 OR 1=1", "1)",	"'1'",
					     "0x10",	 "nan", "inf",
					     "1e999",	 "--1", "1--",
					     "-",	 ".",	"99999999999999999999999x"};
	char condition[64];

	(void)state;
	refuse("", NX_USAGE);
	refuse("start_ts", NX_USAGE);
	refuse("=1", NX_USAGE);
	refuse("nope=1", NX_NOT_FOUND);
	refuse("start_ts =1", NX_NOT_FOUND);
	refuse("is_on=1", NX_USAGE);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		strcpy(condition, "start_ts="); /* NOLINT: short texts of our own */
		strcat(condition, values[i]);	/* NOLINT */
		refuse(condition, NX_USAGE);
	}
}

static void orders_become_sql(void **state)
{
	struct nx_bytes sql = {0};
	struct nx_error err;
	const char *expected = " ORDER BY \"share\" DESC NULLS LAST, \"start_ts\"";

	(void)state;
	assert_int_equal(nx_where_append_order(&sql, &table, "-share", &err), NX_OK);
	assert_int_equal(sql.len, strlen(expected));
	assert_memory_equal(sql.items, expected, sql.len);
	nx_vec_clear(&sql);
	assert_int_equal(nx_where_append_order(&sql, &table, "start_ts", &err), NX_OK);
	assert_memory_equal(sql.items, " ORDER BY \"start_ts\" ASC NULLS LAST", sql.len);
	assert_int_equal(nx_where_append_order(&sql, &table, "nope", &err), NX_NOT_FOUND);
	assert_int_equal(nx_where_append_order(&sql, &table, "-", &err), NX_NOT_FOUND);
	nx_vec_release(&sql);
}

static void conditions_of_a_request_are_joined(void **state)
{
	const char *expected = " WHERE \"start_ts\" > 1 AND \"share\" < 2";
	struct nx_request request;
	struct nx_bytes sql = {0};
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_request_parse(&request, NX_GET,
					  "/?where=start_ts%3E1&x=2&where=share%3C2", &err),
			 NX_OK);
	assert_int_equal(nx_where_append(&sql, &table, &request, &err), NX_OK);
	assert_int_equal(sql.len, strlen(expected));
	assert_memory_equal(sql.items, expected, sql.len);
	nx_request_release(&request);
	nx_vec_release(&sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_become_sql),
		cmocka_unit_test(what_is_no_condition_is_refused),
		cmocka_unit_test(orders_become_sql),
		cmocka_unit_test(conditions_of_a_request_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
