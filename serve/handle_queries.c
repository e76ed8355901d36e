/* SPDX-License-Identifier: Apache-2.0 */
/* SQL, named queries, and how often each value of a column occurs. */
#include <string.h>

#include "query/named_query.h"
#include "serve/handlers.h"
#include "serve/sql_answer.h"
#include "serve/where.h"

#define VALUES_USUAL 1000u
#define VALUES_MAX 10000u

NX_HANDLER(sql)
{
	struct nx_sql_asked asked = {0};
	const struct nx_json *body;
	enum nx_status st = nx_request_json(request, &body, err);

	if (st)
		return st;
	asked.sql = nx_json_as_slice(nx_json_get(body, "sql"));
	asked.limit = nx_json_get(body, "limit") ? nx_json_as_u64(nx_json_get(body, "limit"), 0)
						 : NX_SQL_ROWS_USUAL;
	if (!asked.sql.len)
		return nx_fail(err, NX_USAGE,
			       "the body should be {\"sql\":\"SELECT ...\",\"limit\":100}");
	if (!asked.limit || asked.limit > NX_SQL_ROWS_MAX)
		return nx_fail(err, NX_USAGE, "'limit' should be a whole number from 1 to %u",
			       NX_SQL_ROWS_MAX);
	return nx_sql_answer(server, request, &asked, reply, err);
}

/* --- the list ----------------------------------------------------------------------- */

static void put_words(struct nx_json_writer *w, const char *words)
{
	nx_json_key_array(w, "words");
	while (*words) {
		size_t len = strcspn(words, " ");

		nx_json_slice(w, nx_slice_of(words, len));
		words += len + strspn(words + len, " ");
	}
	nx_json_end_array(w);
}

static void put_query(struct nx_json_writer *w, const struct nx_named_query *query)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "name", query->name);
	nx_json_key_text(w, "description", query->help);
	nx_json_key_array(w, "parameters");
	for (size_t i = 0; i < NX_NAMED_PARAMETERS_MAX && query->parameters[i].name; i++) {
		const struct nx_named_parameter *p = &query->parameters[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", p->name);
		nx_json_key_text(w, "type", nx_named_type_name(p->type));
		nx_json_key_text(w, "description", p->help);
		nx_json_key_text(w, "default", p->fallback ? p->fallback : "");
		put_words(w, p->words ? p->words : "");
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_json_end_object(w);
}

NX_HANDLER(queries)
{
	struct nx_json_writer w;
	const char *kind;
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (st)
		return st;
	kind = nx_profile_kind_text(request->profile->record.kind);
	nx_reply_json(reply, &w);
	nx_json_key_array(&w, "queries");
	for (size_t i = 0; i < nx_named_query_count; i++)
		if (!strcmp(nx_named_queries[i].kind, kind))
			put_query(&w, &nx_named_queries[i]);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	return NX_OK;
}

/* --- one query ---------------------------------------------------------------------- */

static const char *find_value(void *request, const char *name)
{
	return nx_request_find(request, name);
}

static enum nx_status check_parameters(const struct nx_request *request,
				       const struct nx_named_query *query, struct nx_error *err)
{
	for (size_t i = 0; i < request->parameter_count; i++) {
		const char *name = request->parameters[i].name;

		if (strcmp(name, "limit") != 0 &&
		    !nx_named_query_parameter(query, nx_slice_text(name)))
			return nx_fail(err, NX_USAGE, "the query %s has no parameter '%.100s'",
				       query->name, name);
	}
	return NX_OK;
}

NX_HANDLER(query)
{
	const char *name = nx_request_variable(request, "name");
	const struct nx_named_query *query = nx_named_query_find(name);
	struct nx_sql_asked asked = {0};
	struct nx_bytes sql = {0};
	enum nx_status st;

	if (!query)
		return nx_fail(err, NX_NOT_FOUND,
			       "there is no query '%.100s'; .../queries lists them", name);
	st = nx_request_u64(request, "limit", NX_SQL_ROWS_USUAL, NX_SQL_ROWS_MAX, &asked.limit,
			    err);
	if (!st)
		st = check_parameters(request, query, err);
	if (!st)
		st = nx_named_query_append(&sql, query, find_value, request, err);
	if (!st) {
		asked.sql = nx_slice_of(sql.items, sql.len);
		st = nx_sql_answer(server, request, &asked, reply, err);
	}
	nx_vec_release(&sql);
	return st;
}

/* --- values of a column -------------------------------------------------------------- */

static enum nx_status append_values(struct nx_bytes *sql, const struct nx_stored_table *table,
				    const struct nx_request *request, struct nx_error *err)
{
	const char *column, *part = nx_request_find(request, "contains");
	size_t field;
	enum nx_status st = nx_request_need(request, "column", &column, err);

	if (st)
		return st;
	if (!nx_stored_table_find(table, column, &field))
		return nx_fail(err, NX_NOT_FOUND, "the table %s has no column '%.100s'",
			       table->name, column);
	nx_sql_append(sql, "WITH chosen AS (SELECT *, CAST(");
	nx_sql_append_name(sql, NX_SQL_DUCKDB, table->fields[field].name);
	nx_sql_append(sql, " AS VARCHAR) AS nx_value FROM ");
	nx_sql_append_name(sql, NX_SQL_DUCKDB, table->name);
	st = nx_where_append(sql, table, request, err);
	nx_sql_append(sql, ") SELECT nx_value AS value, count(*) AS count, count(*) / "
			   "sum(count(*)) OVER () AS count_frac");
	nx_sql_append(sql, nx_stored_table_find(table, "duration_ns", &field)
				   ? ", sum(duration_ns) AS total_ns, sum(duration_ns) / "
				     "nullif(sum(sum(duration_ns)) OVER (), 0) AS total_frac, "
				     "avg(duration_ns) AS mean_ns"
				   : ", NULL AS total_ns, NULL AS total_frac, NULL AS mean_ns");
	nx_sql_append(sql, " FROM chosen");
	if (part) {
		nx_sql_append(sql, " WHERE contains(lower(nx_value), lower(");
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(part));
		nx_sql_append(sql, "))");
	}
	nx_sql_append(sql, " GROUP BY nx_value ORDER BY count DESC, value");
	return st;
}

NX_HANDLER(values)
{
	const struct nx_stored_table *table;
	struct nx_sql_asked asked = {0};
	struct nx_bytes sql = {0};
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st)
		st = nx_request_u64(request, "limit", VALUES_USUAL, VALUES_MAX, &asked.limit, err);
	if (!st)
		st = nx_open_profile_table(request->profile, nx_request_variable(request, "T"),
					   &table, err);
	if (!st)
		st = append_values(&sql, table, request, err);
	if (!st) {
		asked.sql = nx_slice_of(sql.items, sql.len);
		st = nx_sql_answer(server, request, &asked, reply, err);
	}
	nx_vec_release(&sql);
	return st;
}
