/* SPDX-License-Identifier: Apache-2.0 */
/* window_internal: the pieces of a window's SQL that the dialects write differently. */
#ifndef NX_QUERY_WINDOW_INTERNAL_H
#define NX_QUERY_WINDOW_INTERNAL_H

#include "query/window.h"

/*
 * A text under construction. The first failure sticks and what follows it is
 * ignored, so that a clause reads like the SQL it makes.
 */
struct nx_window_text {
	struct nx_bytes *sql;
	enum nx_sql_dialect dialect;
	enum nx_status status;
	struct nx_error *err;
};

void nx_window_put(struct nx_window_text *t, const char *words);
void nx_window_put_name(struct nx_window_text *t, const char *name);
/* prefix and name as one name: "sum_bytes" */
void nx_window_put_joined(struct nx_window_text *t, const char *prefix, const char *name);
void nx_window_put_i64(struct nx_window_text *t, int64_t value);
void nx_window_put_value(struct nx_window_text *t, const struct nx_value *value);
void nx_window_put_filter(struct nx_window_text *t, const struct nx_window_filter *filter);

/* Behind begin and the expression comes end: a number of one type in all engines. */
void nx_window_begin_number(struct nx_window_text *t, bool is_real);
void nx_window_end_number(struct nx_window_text *t, bool is_real);

/* ", " but before the first */
void nx_window_put_comma(struct nx_window_text *t, bool *is_first);

#endif
