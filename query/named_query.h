/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named_query: queries with a name and typed parameters, so that the pages, the command line and
 * other programs get the same numbers from one text.
 *
 *	const struct nx_named_query *query = nx_named_query_find("layers");
 *	st = nx_named_query_append(&sql, query, find_value, context, err);
 *
 * The SQL is DuckDB's. To add a query, add a row to the table in named_queries.c.
 */
#ifndef NX_QUERY_NAMED_QUERY_H
#define NX_QUERY_NAMED_QUERY_H

#include "base/error.h"
#include "base/vec.h"

enum nx_named_type {
	NX_NAMED_TIME,	  /* as nx_time_parse reads it: 1500, 20us */
	NX_NAMED_INTEGER, /* not negative */
	NX_NAMED_TEXT,
	NX_NAMED_WORD, /* one of a list */
};

struct nx_named_parameter {
	const char *name; /* $name in the SQL */
	enum nx_named_type type;
	const char *words;    /* of a WORD, separated by blanks */
	const char *fallback; /* used when no value is given; NULL is SQL's NULL */
	const char *help;
};

#define NX_NAMED_PARAMETERS_MAX 4

struct nx_named_query {
	const char *name;
	const char *kind; /* of the profiles it fits: "device" or "system" */
	const char *help;
	struct nx_named_parameter parameters[NX_NAMED_PARAMETERS_MAX]; /* up to a NULL name */
	const char *sql;
};

extern const struct nx_named_query nx_named_queries[];
extern const size_t nx_named_query_count;

/* NULL when there is none. */
const struct nx_named_query *nx_named_query_find(const char *name);
/* NULL when the query has no such parameter. */
const struct nx_named_parameter *nx_named_query_parameter(const struct nx_named_query *query,
							  struct nx_slice name);
/* "time", "integer", "text" or "word" */
const char *nx_named_type_name(enum nx_named_type type);

/*
 * Appends the SQL with each parameter replaced by a quoted or checked value, so a value is never
 * read as SQL. find returns the value of a parameter as text, or NULL. USAGE names a parameter
 * whose value does not fit.
 */
NX_MUST_CHECK enum nx_status nx_named_query_append(
	struct nx_bytes *sql, const struct nx_named_query *query,
	const char *(*find)(void *context, const char *name), void *context, struct nx_error *err);

#endif
