/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_text: as much of SQL's grammar as is needed to know where a statement
 * ends, and how to write names and values into one.
 *
 * Quotes ('a''b', "a""b", e'a\'b', $tag$ $tag$) and comments (-- to the end of
 * the line, nested slash-star) are honoured, so a ';' inside them ends nothing.
 * Safety does not depend on this reader: the engine parses every statement again
 * and refuses more than one.
 */
#ifndef NX_QUERY_SQL_TEXT_H
#define NX_QUERY_SQL_TEXT_H

#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

/*
 * Takes the first statement off text, without its ';'. False if no ';' ends
 * it; statement is then the rest, for the caller to run or to extend. A
 * statement of only blanks and comments is empty.
 */
bool nx_sql_take(struct nx_slice *text, struct nx_slice *statement);

/* Whether the text ends inside a quote or a comment, so that more has to follow. */
bool nx_sql_is_open(struct nx_slice text);

enum nx_sql_explain { NX_SQL_RUN, NX_SQL_EXPLAIN, NX_SQL_EXPLAIN_ANALYZE };

/* Removes a leading EXPLAIN or EXPLAIN ANALYZE; not if a comment precedes it. */
enum nx_sql_explain nx_sql_take_explain(struct nx_slice *statement);

enum nx_sql_dialect { NX_SQL_DUCKDB, NX_SQL_CLICKHOUSE };

/* A name or a text, quoted. It holds no zero byte, which no engine can read. */
void nx_sql_append_name(struct nx_bytes *sql, enum nx_sql_dialect dialect, const char *name);
void nx_sql_append_text(struct nx_bytes *sql, enum nx_sql_dialect dialect, struct nx_slice text);
void nx_sql_append(struct nx_bytes *sql, const char *words);

#endif
