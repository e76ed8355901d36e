/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search: what a request looks for (where=, text=, table=, from=, to=) as SQL over events
 * (query/event_sql.h).
 *
 *	st = nx_search_init(&search, request, err);
 *	nx_search_append_hits(&sql, &search);			"(SELECT ... UNION ALL ...)"
 *
 * Without a table, searches all tables that are drawn as spans and have the columns of the
 * conditions. Everything lives in the request's arena.
 */
#ifndef NX_SERVE_SEARCH_H
#define NX_SERVE_SEARCH_H

#include "query/event_sql.h"
#include "serve/open_profiles.h"
#include "serve/request.h"

struct nx_search_table {
	const struct nx_stored_table *stored;
	const struct nx_folder_table *files;
	struct nx_event_columns columns;
	const char *condition; /* SQL, without the time range */
};

struct nx_search {
	struct nx_search_table *tables;
	size_t table_count;
	struct nx_time_range range;
	const char *key; /* equal for searches of a profile that have the same hits */
};

/* Requires the request's profile. */
NX_MUST_CHECK enum nx_status nx_search_init(struct nx_search *search, struct nx_request *request,
					    struct nx_error *err);

/* All hits in the time range, in parentheses; columns as in enum nx_event_column. */
void nx_search_append_hits(struct nx_bytes *sql, const struct nx_search *search);
/* "FROM ... WHERE ..." of one table, of all time. */
void nx_search_append_rows(struct nx_bytes *sql, const struct nx_search_table *table);

#endif
