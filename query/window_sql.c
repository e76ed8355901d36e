/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/number.h"
#include "query/window_internal.h"

void nx_window_put(struct nx_window_text *t, const char *words)
{
	nx_sql_append(t->sql, words);
}

void nx_window_put_name(struct nx_window_text *t, const char *name)
{
	if (!t->status)
		t->status = nx_sql_append_name(t->sql, t->dialect, name, t->err);
}

void nx_window_put_joined(struct nx_window_text *t, const char *prefix, const char *name)
{
	struct nx_bytes whole = {0};

	nx_sql_append(&whole, prefix);
	nx_sql_append(&whole, name);
	nx_bytes_append_zeros(&whole, 1);
	nx_window_put_name(t, (const char *)whole.items);
	nx_vec_release(&whole);
}

void nx_window_put_comma(struct nx_window_text *t, bool *is_first)
{
	if (!*is_first)
		nx_window_put(t, ", ");
	*is_first = false;
}

/* --- numbers --------------------------------------------------------------- */

static void put_digits(struct nx_window_text *t, const char *digits, size_t len)
{
	nx_bytes_append(t->sql, digits, len);
}

/* ClickHouse types a literal by its size, and refuses to mix some of those types. */
void nx_window_put_i64(struct nx_window_text *t, int64_t value)
{
	char digits[NX_NUMBER_MAX];
	bool is_clickhouse = t->dialect == NX_SQL_CLICKHOUSE;

	if (is_clickhouse)
		nx_window_put(t, "toInt64(");
	put_digits(t, digits, nx_format_i64(digits, value));
	if (is_clickhouse)
		nx_window_put(t, ")");
}

/* The exponent keeps DuckDB from reading a decimal, which rounds on its way to a double. */
static void put_real(struct nx_window_text *t, double value)
{
	char digits[NX_NUMBER_MAX];
	size_t len = nx_format_f64(digits, value);

	if (!isfinite(value)) {
		t->status = nx_fail(t->err, NX_USAGE, "a filter cannot compare with %g", value);
		return;
	}
	put_digits(t, digits, len);
	if (!memchr(digits, 'e', len))
		nx_window_put(t, "e0");
}

void nx_window_begin_number(struct nx_window_text *t, bool is_real)
{
	if (t->dialect == NX_SQL_DUCKDB)
		nx_window_put(t, "CAST(");
	else
		nx_window_put(t, is_real ? "toFloat64(" : "toInt64(");
}

void nx_window_end_number(struct nx_window_text *t, bool is_real)
{
	if (t->dialect == NX_SQL_DUCKDB)
		nx_window_put(t, is_real ? " AS DOUBLE)" : " AS BIGINT)");
	else
		nx_window_put(t, ")");
}

/* --- filters --------------------------------------------------------------- */

static void put_bool(struct nx_window_text *t, bool value)
{
	if (t->dialect == NX_SQL_DUCKDB)
		nx_window_put(t, value ? "TRUE" : "FALSE");
	else
		nx_window_put(t, value ? "1" : "0");
}

void nx_window_put_value(struct nx_window_text *t, const struct nx_value *value)
{
	char digits[NX_NUMBER_MAX];

	if (t->status)
		return;
	switch (value->kind) {
	case NX_VALUE_BOOL:
		put_bool(t, value->flag);
		break;
	case NX_VALUE_I64:
		put_digits(t, digits, nx_format_i64(digits, value->i64));
		break;
	case NX_VALUE_U64:
		put_digits(t, digits, nx_format_u64(digits, value->u64));
		break;
	case NX_VALUE_F32:
		put_real(t, (double)value->f32);
		break;
	case NX_VALUE_F64:
		put_real(t, value->f64);
		break;
	case NX_VALUE_TEXT:
		t->status = nx_sql_append_text(t->sql, t->dialect, value->text, t->err);
		break;
	default:
		t->status = nx_fail(t->err, NX_USAGE,
				    "a filter compares with a number, a text or a truth value");
		break;
	}
}

static void put_one_of(struct nx_window_text *t, const struct nx_window_filter *filter)
{
	bool is_first = true;

	if (!filter->value_count) {
		nx_window_put(t, "1 = 0");
		return;
	}
	nx_window_put_name(t, filter->column);
	nx_window_put(t, " IN (");
	for (size_t i = 0; i < filter->value_count; i++) {
		nx_window_put_comma(t, &is_first);
		nx_window_put_value(t, &filter->values[i]);
	}
	nx_window_put(t, ")");
}

static void put_contains(struct nx_window_text *t, const struct nx_window_filter *filter)
{
	bool is_duckdb = t->dialect == NX_SQL_DUCKDB;

	nx_window_put(t, is_duckdb ? "contains(" : "position(");
	nx_window_put_name(t, filter->column);
	nx_window_put(t, ", ");
	nx_window_put_value(t, filter->values);
	nx_window_put(t, is_duckdb ? ")" : ") > 0");
}

void nx_window_put_filter(struct nx_window_text *t, const struct nx_window_filter *filter)
{
	static const char *const signs[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};

	if (filter->op == NX_WINDOW_ONE_OF) {
		put_one_of(t, filter);
	} else if (filter->op == NX_WINDOW_CONTAINS) {
		put_contains(t, filter);
	} else {
		nx_window_put_name(t, filter->column);
		nx_window_put(t, signs[filter->op]);
		nx_window_put_value(t, filter->values);
	}
}
