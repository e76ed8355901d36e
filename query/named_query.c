/* SPDX-License-Identifier: Apache-2.0 */
#include "query/named_query.h"

#include <assert.h>
#include <string.h>

#include "query/sql_text.h"
#include "query/time_range.h"

#define DIGITS_MAX 18 /* fit into 64 bits */

const struct nx_named_query *nx_named_query_find(const char *name)
{
	for (size_t i = 0; i < nx_named_query_count; i++)
		if (!strcmp(nx_named_queries[i].name, name))
			return &nx_named_queries[i];
	return NULL;
}

const struct nx_named_parameter *nx_named_query_parameter(const struct nx_named_query *query,
							  struct nx_slice name)
{
	for (size_t i = 0; i < NX_NAMED_PARAMETERS_MAX && query->parameters[i].name; i++)
		if (nx_slice_is(name, query->parameters[i].name))
			return &query->parameters[i];
	return NULL;
}

const char *nx_named_type_name(enum nx_named_type type)
{
	static const char *const names[] = {
		[NX_NAMED_TIME] = "time",
		[NX_NAMED_INTEGER] = "integer",
		[NX_NAMED_TEXT] = "text",
		[NX_NAMED_WORD] = "word",
	};

	assert((size_t)type < sizeof(names) / sizeof(names[0]));
	return names[type];
}

static bool is_word_of(const char *words, const char *value)
{
	size_t len = strlen(value);

	if (!len || strchr(value, ' '))
		return false;
	for (const char *at = strstr(words, value); at; at = strstr(at + 1, value))
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static enum nx_status append_value(struct nx_bytes *sql, const struct nx_named_parameter *p,
				   const char *value, struct nx_error *err)
{
	int64_t time_ns;
	size_t len;

	switch (p->type) {
	case NX_NAMED_TIME:
		if (nx_time_parse(value, &time_ns, err))
			return nx_context(err, "'%s'", p->name);
		nx_bytes_printf(sql, "%lld", (long long)time_ns);
		return NX_OK;
	case NX_NAMED_INTEGER:
		len = strspn(value, "0123456789");
		if (!len || len > DIGITS_MAX || value[len])
			return nx_fail(err, NX_USAGE, "'%s' should be a whole number, not '%.100s'",
				       p->name, value);
		nx_sql_append(sql, value);
		return NX_OK;
	case NX_NAMED_WORD:
		if (!is_word_of(p->words, value))
			return nx_fail(err, NX_USAGE, "'%s' should be one of: %s; not '%.100s'",
				       p->name, p->words, value);
		break;
	case NX_NAMED_TEXT:
		break;
	}
	nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(value));
	return NX_OK;
}

enum nx_status nx_named_query_append(struct nx_bytes *sql, const struct nx_named_query *query,
				     const char *(*find)(void *context, const char *name),
				     void *context, struct nx_error *err)
{
	const char *at = query->sql;
	enum nx_status st = NX_OK;

	while (!st && *at) {
		size_t text_len = strcspn(at, "$"), len = 0;
		const struct nx_named_parameter *p;
		const char *value;

		nx_bytes_append(sql, at, text_len);
		at += text_len;
		if (!*at)
			break;
		while ((at[1 + len] >= 'a' && at[1 + len] <= 'z') || at[1 + len] == '_')
			len++;
		if (!len) { /* a path inside JSON: '$.model_id' */
			nx_bytes_append(sql, at++, 1);
			continue;
		}
		p = nx_named_query_parameter(query, nx_slice_of(at + 1, len));
		assert(p);
		value = find(context, p->name);
		value = value ? value : p->fallback;
		if (value)
			st = append_value(sql, p, value, err);
		else
			nx_sql_append(sql, "NULL");
		at += 1 + len;
	}
	return st;
}
