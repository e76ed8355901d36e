/* SPDX-License-Identifier: Apache-2.0 */
#include "query/sql_text.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

static bool is_word_byte(uint8_t byte)
{
	return isalnum(byte) || byte == '_' || byte == '$' || byte >= 0x80;
}

static bool has(struct nx_slice text, size_t at, const char *what)
{
	return nx_slice_starts(nx_slice_part(text, at, text.len), what);
}

/* --- quotes and comments: each returns the place behind it, or text.len when it stays open --- */

static size_t skip_quoted(struct nx_slice text, size_t at, bool has_backslash, bool *is_open)
{
	uint8_t quote = text.data[at++];

	for (; at < text.len; at++) {
		if (has_backslash && text.data[at] == '\\' && at + 1 < text.len) {
			at++;
		} else if (text.data[at] == quote) {
			if (!has(text, at + 1, quote == '"' ? "\"" : "'"))
				return at + 1;
			at++;
		}
	}
	*is_open = true;
	return text.len;
}

static size_t skip_comment(struct nx_slice text, size_t at, bool *is_open)
{
	size_t depth = 0;

	while (at < text.len) {
		if (has(text, at, "/*")) {
			depth++;
			at += 2;
		} else if (has(text, at, "*/")) {
			at += 2;
			if (!--depth)
				return at;
		} else {
			at++;
		}
	}
	*is_open = true;
	return text.len;
}

/* $$ or $tag$; 0 when it is neither, as in $1 */
static size_t tag_length(struct nx_slice text, size_t at)
{
	size_t end = at + 1;

	if (end < text.len && isdigit(text.data[end]))
		return 0;
	while (end < text.len && text.data[end] != '$' && is_word_byte(text.data[end]))
		end++;
	return end < text.len && text.data[end] == '$' ? end + 1 - at : 0;
}

static size_t skip_dollars(struct nx_slice text, size_t at, size_t tag_len, bool *is_open)
{
	struct nx_slice tag = nx_slice_part(text, at, tag_len);

	for (at += tag_len; at + tag_len <= text.len; at++)
		if (nx_slice_equal(nx_slice_part(text, at, tag_len), tag))
			return at + tag_len;
	*is_open = true;
	return text.len;
}

/* Skips whole words, so that the $ of a$1 begins no quote; e'' is a quote with backslashes. */
static size_t skip_word(struct nx_slice text, size_t at, bool *is_open)
{
	size_t start = at;

	while (at < text.len && is_word_byte(text.data[at]))
		at++;
	if (at - start == 1 && (text.data[start] | 0x20) == 'e' && has(text, at, "'"))
		return skip_quoted(text, at, true, is_open);
	return at;
}

static size_t skip_blank(struct nx_slice text, size_t at, bool *is_open)
{
	if (has(text, at, "--")) {
		while (at < text.len && text.data[at] != '\n' && text.data[at] != '\r')
			at++;
		return at;
	}
	if (has(text, at, "/*"))
		return skip_comment(text, at, is_open);
	return at < text.len && isspace(text.data[at]) ? at + 1 : at;
}

static size_t skip_token(struct nx_slice text, size_t at, bool *is_open)
{
	uint8_t byte = text.data[at];
	size_t tag_len = byte == '$' ? tag_length(text, at) : 0;

	if (byte == '\'' || byte == '"')
		return skip_quoted(text, at, false, is_open);
	if (tag_len)
		return skip_dollars(text, at, tag_len, is_open);
	return is_word_byte(byte) ? skip_word(text, at, is_open) : at + 1;
}

/* --- statements ------------------------------------------------------------ */

/* Place of the ';' that ends the first statement, text.len for none. */
static size_t find_end(struct nx_slice text, bool *is_open, bool *is_empty)
{
	size_t at = 0;

	*is_open = false;
	*is_empty = true;
	while (at < text.len) {
		size_t next = skip_blank(text, at, is_open);

		if (next == at && text.data[at] == ';')
			return at;
		if (next == at) {
			*is_empty = false;
			next = skip_token(text, at, is_open);
		}
		at = next;
	}
	return text.len;
}

bool nx_sql_take(struct nx_slice *text, struct nx_slice *statement)
{
	bool is_open, is_empty;
	size_t end = find_end(*text, &is_open, &is_empty), len = text->len;

	*statement =
		is_empty && !is_open ? nx_slice_part(*text, end, 0) : nx_slice_part(*text, 0, end);
	*text = nx_slice_part(*text, end + 1, len);
	return end < len;
}

bool nx_sql_is_open(struct nx_slice text)
{
	bool is_open, is_empty;

	while (text.len) {
		size_t end = find_end(text, &is_open, &is_empty);

		if (end == text.len)
			return is_open;
		text = nx_slice_part(text, end + 1, text.len);
	}
	return false;
}

static bool take_word(struct nx_slice *text, const char *word)
{
	struct nx_slice rest = *text;
	size_t len = strlen(word);

	while (rest.len && isspace(rest.data[0]))
		rest = nx_slice_part(rest, 1, rest.len);
	if (rest.len <= len || strncasecmp((const char *)rest.data, word, len) != 0 ||
	    is_word_byte(rest.data[len]))
		return false;
	*text = nx_slice_part(rest, len, rest.len);
	return true;
}

enum nx_sql_explain nx_sql_take_explain(struct nx_slice *statement)
{
	if (!take_word(statement, "EXPLAIN"))
		return NX_SQL_RUN;
	return take_word(statement, "ANALYZE") ? NX_SQL_EXPLAIN_ANALYZE : NX_SQL_EXPLAIN;
}

/* --- writing --------------------------------------------------------------- */

void nx_sql_append(struct nx_bytes *sql, const char *words)
{
	nx_bytes_append(sql, words, strlen(words));
}

/* Doubles a quote for DuckDB, which knows no backslash; escapes both for ClickHouse. */
static void append_quoted(struct nx_bytes *sql, enum nx_sql_dialect dialect, char quote,
			  struct nx_slice text)
{
	assert(!text.len || !memchr(text.data, 0, text.len));
	nx_bytes_append(sql, &quote, 1);
	for (size_t i = 0; i < text.len; i++) {
		uint8_t byte = text.data[i];

		if (dialect == NX_SQL_CLICKHOUSE && (byte == (uint8_t)quote || byte == '\\'))
			nx_sql_append(sql, "\\");
		else if (dialect == NX_SQL_DUCKDB && byte == (uint8_t)quote)
			nx_bytes_append(sql, &quote, 1);
		nx_bytes_append(sql, &byte, 1);
	}
	nx_bytes_append(sql, &quote, 1);
}

void nx_sql_append_name(struct nx_bytes *sql, enum nx_sql_dialect dialect, const char *name)
{
	append_quoted(sql, dialect, dialect == NX_SQL_CLICKHOUSE ? '`' : '"', nx_slice_text(name));
}

void nx_sql_append_text(struct nx_bytes *sql, enum nx_sql_dialect dialect, struct nx_slice text)
{
	append_quoted(sql, dialect, '\'', text);
}
