/* SPDX-License-Identifier: Apache-2.0 */
#include "query/window.h"

#include "base/number.h"
#include "query/window_internal.h"

/* Names inside the SQL; nobody outside sees them. */
#define LABEL "nx_label"
#define LABEL_TIME "nx_label_time"

/* --- what can be asked ----------------------------------------------------- */

int64_t nx_window_bucket_width(const struct nx_window *w)
{
	uint64_t span = (uint64_t)w->to - (uint64_t)w->from, count = w->bucket_count;

	return count && span ? (int64_t)(span / count + (span % count != 0)) : 1;
}

static const struct nx_window_aggregate *find_dominant(const struct nx_window *w)
{
	for (size_t i = 0; i < w->aggregate_count; i++)
		if (w->aggregates[i].measure == NX_WINDOW_DOMINANT)
			return &w->aggregates[i];
	return NULL;
}

static enum nx_status check_aggregates(const struct nx_window *w, struct nx_error *err)
{
	const struct nx_window_aggregate *dominant = find_dominant(w);

	for (size_t i = 0; i < w->aggregate_count; i++) {
		const struct nx_window_aggregate *a = &w->aggregates[i];

		if (a->measure != NX_WINDOW_COUNT && !a->column)
			return nx_fail(err, NX_USAGE, "an aggregate has no column");
		if (a->measure >= NX_WINDOW_LONGEST && !w->end_column)
			return nx_fail(err, NX_USAGE,
				       "rows without an end have no longest or dominant one");
		if (a->measure == NX_WINDOW_DOMINANT && a != dominant)
			return nx_fail(err, NX_USAGE, "a window has one dominant name at most");
	}
	return NX_OK;
}

static enum nx_status check(const struct nx_window *w, struct nx_error *err)
{
	if (!w->table || !w->start_column)
		return nx_fail(err, NX_USAGE, "a window needs a table and its time column");
	if (w->from >= w->to)
		return nx_fail(err, NX_USAGE, "a window must end after it begins");
	if ((uint64_t)w->to - (uint64_t)w->from > INT64_MAX)
		return nx_fail(err, NX_USAGE, "a window is longer than 64 bits can count");
	if (!w->aggregate_count && (w->bucket_count || w->group_count))
		return nx_fail(err, NX_USAGE, "groups and buckets need something to add up");
	if (!w->aggregate_count && !w->column_count)
		return nx_fail(err, NX_USAGE, "a window asks for no column");
	for (size_t i = 0; i < w->filter_count; i++)
		if (w->filters[i].op != NX_WINDOW_ONE_OF && w->filters[i].value_count != 1)
			return nx_fail(err, NX_USAGE, "a filter on %.100s needs one value",
				       w->filters[i].column);
	return check_aggregates(w, err);
}

/* --- clauses --------------------------------------------------------------- */

static void put_duration(struct nx_window_text *t, const struct nx_window *w)
{
	nx_window_put_name(t, w->end_column);
	nx_window_put(t, " - ");
	nx_window_put_name(t, w->start_column);
}

static void put_bucket(struct nx_window_text *t, const struct nx_window *w)
{
	bool is_duckdb = t->dialect == NX_SQL_DUCKDB;

	nx_window_put(t, is_duckdb ? "(greatest(" : "intDiv(greatest(");
	nx_window_put_name(t, w->start_column);
	nx_window_put(t, ", ");
	nx_window_put_i64(t, w->from);
	nx_window_put(t, ") - ");
	nx_window_put_i64(t, w->from);
	nx_window_put(t, is_duckdb ? ") // " : ", ");
	nx_window_put_i64(t, nx_window_bucket_width(w));
	nx_window_put(t, is_duckdb ? " AS " : ") AS ");
	nx_window_put_name(t, NX_WINDOW_BUCKET_COLUMN);
}

/* The columns that make a group: in SELECT with the bucket's expression, else by its name. */
static void put_keys(struct nx_window_text *t, const struct nx_window *w, bool is_select,
		     bool *is_first)
{
	for (size_t i = 0; i < w->group_count; i++) {
		nx_window_put_comma(t, is_first);
		nx_window_put_name(t, w->groups[i]);
	}
	if (!w->bucket_count)
		return;
	nx_window_put_comma(t, is_first);
	if (is_select)
		put_bucket(t, w);
	else
		nx_window_put_name(t, NX_WINDOW_BUCKET_COLUMN);
}

static void put_where(struct nx_window_text *t, const struct nx_window *w)
{
	nx_window_put(t, " FROM ");
	nx_window_put_name(t, w->table);
	nx_window_put(t, " WHERE ");
	if (w->profile && t->dialect == NX_SQL_CLICKHOUSE) {
		struct nx_value name = {.kind = NX_VALUE_TEXT, .text = nx_slice_text(w->profile)};

		nx_window_put_filter(t, &(struct nx_window_filter){NX_WINDOW_PROFILE_COLUMN,
								   NX_WINDOW_EQUAL, &name, 1});
		nx_window_put(t, " AND ");
	}
	nx_window_put_name(t, w->start_column);
	nx_window_put(t, " < ");
	nx_window_put_i64(t, w->to);
	nx_window_put(t, w->end_column ? " AND (" : " AND ");
	nx_window_put_name(t, w->start_column);
	nx_window_put(t, " >= ");
	nx_window_put_i64(t, w->from);
	if (w->end_column) {
		nx_window_put(t, " OR ");
		nx_window_put_name(t, w->end_column);
		nx_window_put(t, " > ");
		nx_window_put_i64(t, w->from);
		nx_window_put(t, ")");
	}
	for (size_t i = 0; i < w->filter_count; i++) {
		nx_window_put(t, " AND ");
		nx_window_put_filter(t, &w->filters[i]);
	}
}

/* An answer to nothing is no row in all engines, where some would say 0 and others NULL. */
static void put_grouping(struct nx_window_text *t, const struct nx_window *w, const char *label)
{
	bool is_first = true;

	if (w->group_count || w->bucket_count || label) {
		nx_window_put(t, " GROUP BY ");
		put_keys(t, w, false, &is_first);
		if (label) {
			nx_window_put_comma(t, &is_first);
			nx_window_put_name(t, label);
		}
	} else {
		nx_window_put(t, " HAVING count(*) > 0");
	}
}

static void put_order(struct nx_window_text *t, const struct nx_window *w)
{
	char digits[NX_NUMBER_MAX];
	bool is_first = true;

	if (!w->aggregate_count) {
		nx_window_put(t, " ORDER BY ");
		nx_window_put_name(t, w->start_column);
	} else if (w->group_count || w->bucket_count) {
		nx_window_put(t, " ORDER BY ");
		put_keys(t, w, false, &is_first);
	}
	if (!w->limit_count)
		return;
	nx_window_put(t, " LIMIT ");
	nx_bytes_append(t->sql, digits, nx_format_u64(digits, w->limit_count));
}

/* --- aggregates ------------------------------------------------------------ */

static void put_call(struct nx_window_text *t, const char *function, const char *column)
{
	nx_window_put(t, function);
	nx_window_put(t, "(");
	nx_window_put_name(t, column);
	nx_window_put(t, ")");
}

static const char *latest(const struct nx_window_text *t)
{
	return t->dialect == NX_SQL_DUCKDB ? "arg_max(" : "argMax(";
}

static void put_longest(struct nx_window_text *t, const struct nx_window *w, const char *column)
{
	nx_window_put(t, latest(t));
	nx_window_put_name(t, column);
	nx_window_put(t, ", ");
	put_duration(t, w);
	nx_window_put(t, ")");
}

static void put_measure(struct nx_window_text *t, const struct nx_window *w,
			const struct nx_window_aggregate *a)
{
	if (a->measure == NX_WINDOW_LONGEST) {
		put_longest(t, w, a->column);
		return;
	}
	nx_window_begin_number(t, a->is_real);
	if (a->measure == NX_WINDOW_COUNT)
		nx_window_put(t, "count(*)");
	else
		put_call(t, a->measure == NX_WINDOW_SUM ? "sum" : "max", a->column);
	nx_window_end_number(t, a->is_real);
}

static void put_answer_name(struct nx_window_text *t, const struct nx_window_aggregate *a)
{
	static const char *const prefixes[] = {"row_count", "sum_", "max_", "longest_",
					       "dominant_"};

	nx_window_put(t, " AS ");
	nx_window_put_joined(t, prefixes[a->measure], a->column ? a->column : "");
}

/* The name of the i-th aggregate between the two levels, and of what ranks it. */
static void put_part_name(struct nx_window_text *t, const char *prefix, size_t i)
{
	char digits[NX_NUMBER_MAX + 1];

	digits[nx_format_u64(digits, i)] = '\0';
	nx_window_put_joined(t, prefix, digits);
}

static void put_plain(struct nx_window_text *t, const struct nx_window *w)
{
	bool is_first = true;

	nx_window_put(t, "SELECT ");
	put_keys(t, w, true, &is_first);
	for (size_t i = 0; i < w->aggregate_count; i++) {
		nx_window_put_comma(t, &is_first);
		put_measure(t, w, &w->aggregates[i]);
		put_answer_name(t, &w->aggregates[i]);
	}
	put_where(t, w);
	put_grouping(t, w, NULL);
}

/* The dominant name needs two steps: time by name, then the name with the most of it. */
static void put_inner(struct nx_window_text *t, const struct nx_window *w, const char *label)
{
	bool is_first = true;

	nx_window_put(t, "SELECT ");
	put_keys(t, w, true, &is_first);
	nx_window_put_comma(t, &is_first);
	nx_window_put_name(t, label);
	nx_window_put(t, " AS " LABEL ", sum(");
	put_duration(t, w);
	nx_window_put(t, ") AS " LABEL_TIME);
	for (size_t i = 0; i < w->aggregate_count; i++) {
		if (w->aggregates[i].measure == NX_WINDOW_DOMINANT)
			continue;
		nx_window_put(t, ", ");
		put_measure(t, w, &w->aggregates[i]);
		nx_window_put(t, " AS ");
		put_part_name(t, "nx_part_", i);
		if (w->aggregates[i].measure != NX_WINDOW_LONGEST)
			continue;
		nx_window_put(t, ", max(");
		put_duration(t, w);
		nx_window_put(t, ") AS ");
		put_part_name(t, "nx_rank_", i);
	}
	put_where(t, w);
	put_grouping(t, w, LABEL);
}

static void put_outer_measure(struct nx_window_text *t, const struct nx_window_aggregate *a,
			      size_t i)
{
	switch (a->measure) {
	case NX_WINDOW_DOMINANT:
		nx_window_put(t, latest(t));
		nx_window_put(t, LABEL ", " LABEL_TIME ")");
		return;
	case NX_WINDOW_LONGEST:
		nx_window_put(t, latest(t));
		put_part_name(t, "nx_part_", i);
		nx_window_put(t, ", ");
		put_part_name(t, "nx_rank_", i);
		nx_window_put(t, ")");
		return;
	default:
		nx_window_begin_number(t, a->is_real);
		nx_window_put(t, a->measure == NX_WINDOW_MAX ? "max(" : "sum(");
		put_part_name(t, "nx_part_", i);
		nx_window_put(t, ")");
		nx_window_end_number(t, a->is_real);
	}
}

static void put_two_levels(struct nx_window_text *t, const struct nx_window *w, const char *label)
{
	bool is_first = true;

	nx_window_put(t, "SELECT ");
	put_keys(t, w, false, &is_first);
	for (size_t i = 0; i < w->aggregate_count; i++) {
		nx_window_put_comma(t, &is_first);
		put_outer_measure(t, &w->aggregates[i], i);
		put_answer_name(t, &w->aggregates[i]);
	}
	nx_window_put(t, " FROM (");
	put_inner(t, w, label);
	nx_window_put(t, ")");
	put_grouping(t, w, NULL);
}

static void put_rows(struct nx_window_text *t, const struct nx_window *w)
{
	bool is_first = true;

	nx_window_put(t, "SELECT ");
	for (size_t i = 0; i < w->column_count; i++) {
		nx_window_put_comma(t, &is_first);
		nx_window_put_name(t, w->columns[i]);
	}
	put_where(t, w);
}

/* --- the whole ------------------------------------------------------------- */

enum nx_status nx_window_render(const struct nx_window *w, enum nx_sql_dialect dialect,
				struct nx_bytes *sql, struct nx_error *err)
{
	struct nx_window_text t = {.sql = sql, .dialect = dialect, .err = err};
	const struct nx_window_aggregate *dominant = find_dominant(w);

	t.status = check(w, err);
	if (t.status)
		return t.status;
	if (!w->aggregate_count)
		put_rows(&t, w);
	else if (dominant)
		put_two_levels(&t, w, dominant->column);
	else
		put_plain(&t, w);
	put_order(&t, w);
	nx_bytes_append_zeros(sql, 1);
	return t.status;
}

enum nx_status nx_window_ask(const struct nx_window *w, const struct nx_query_engine *engine,
			     struct nx_row_stream **out, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st = nx_window_render(w, engine->dialect, &sql, err);

	*out = NULL;
	if (!st)
		st = engine->ask(engine->context, nx_slice_of(sql.items, sql.len - 1), out, err);
	nx_vec_release(&sql);
	return st;
}
