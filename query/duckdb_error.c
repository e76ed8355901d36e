/* SPDX-License-Identifier: Apache-2.0 */
/* An error of DuckDB as a status and one sentence. */
#include <stdio.h>
#include <strings.h>

#include "base/json_reader.h"
#include "query/duckdb_internal.h"

#define SENTENCE_MAX 600
#define PLACE_MAX 64

struct complaint {
	const char *type, *text, *subtype, *name, *thing, *candidates;
	uint64_t position; /* UINT64_MAX: none */
};

static enum nx_status status_of(const struct complaint *c)
{
	static const struct {
		const char *type;
		enum nx_status status;
	} statuses[] = {
		{"Permission", NX_PERMISSION},	     {"Out of Memory", NX_LIMIT},
		{"INTERRUPT", NX_CANCELLED},	     {"IO", NX_IO},
		{"Not implemented", NX_UNSUPPORTED}, {"Serialization", NX_FORMAT},
		{"INTERNAL", NX_UNSUPPORTED},	     {"FATAL", NX_UNSUPPORTED},
	};

	if (!strcmp(c->subtype, "MISSING_ENTRY") || !strcmp(c->subtype, "COLUMN_NOT_FOUND"))
		return NX_NOT_FOUND;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (!strcasecmp(statuses[i].type, c->type))
			return statuses[i].status;
	return NX_USAGE;
}

/* Errors of the parser come with "Parser Error: " before the JSON. */
static struct complaint read_complaint(const char *words, struct nx_arena *arena)
{
	const char *brace = strchr(words, '{');
	struct nx_json *root = NULL;
	uint64_t position;

	if (!brace || nx_json_parse(nx_slice_text(brace), arena, &root, NULL))
		root = NULL;
	if (!nx_slice_to_u64(nx_json_as_slice(nx_json_get(root, "position")), &position))
		position = UINT64_MAX;
	return (struct complaint){
		.type = nx_json_as_text(nx_json_get(root, "exception_type"), arena, ""),
		.text = nx_json_as_text(nx_json_get(root, "exception_message"), arena, words),
		.subtype = nx_json_as_text(nx_json_get(root, "error_subtype"), arena, ""),
		.name = nx_json_as_text(nx_json_get(root, "name"), arena, ""),
		.thing = nx_json_as_text(nx_json_get(root, "type"), arena, ""),
		.candidates = nx_json_as_text(nx_json_get(root, "candidates"), arena, ""),
		.position = position,
	};
}

/* " (line 2, column 7)", counted in characters from 1; empty outside of the user's SQL. */
static const char *place_of(const struct complaint *c, struct nx_slice sql, size_t sql_at,
			    char out[PLACE_MAX])
{
	uint64_t at = c->position - sql_at;
	unsigned line = 1, column = 1;

	out[0] = '\0';
	if (c->position == UINT64_MAX || c->position < sql_at || at > sql.len)
		return out;
	for (uint64_t i = 0; i < at; i++) {
		if (sql.data[i] == '\n') {
			line++;
			column = 1;
		} else {
			column += (sql.data[i] & 0xc0) != 0x80;
		}
	}
	snprintf(out, PLACE_MAX, " (line %u, column %u)", line, column);
	return out;
}

/* One line; DuckDB explains in several, and ends with an exclamation mark or a full stop. */
static const char *flatten(const char *text, char out[SENTENCE_MAX])
{
	size_t len = 0;

	for (; *text && len < SENTENCE_MAX - 1; text++) {
		bool is_break = *text == '\n' || *text == '\r' || *text == '\t';

		if (is_break && (!len || out[len - 1] == ' '))
			continue;
		out[len++] = is_break ? ' ' : *text;
	}
	while (len && strchr(" !.", out[len - 1]))
		len--;
	out[len] = '\0';
	return out;
}

static enum nx_status fail_table(const struct nx_duckdb *db, const struct complaint *c,
				 const char *place, struct nx_error *err)
{
	const struct nx_folder_table *table = nx_profile_folder_find(db->profile, c->name);
	const char *near = c->candidates;

	if (table && table->fault)
		return nx_fail(err, NX_FORMAT, "the table %s cannot be read: %s", table->name,
			       table->fault);
	if (nx_profile_folder_check_lost(db->profile, c->name, err))
		return NX_NOT_FOUND;
	if (!nx_profile_folder_find(db->profile, near))
		return nx_fail(err, NX_NOT_FOUND,
			       "there is no table '%.100s'%s; SHOW TABLES lists them", c->name,
			       place);
	return nx_fail(err, NX_NOT_FOUND, "there is no table '%.100s'%s; did you mean '%.100s'?",
		       c->name, place, near);
}

/* DuckDB takes a file that is gone for a folder, in which it may not look. */
static enum nx_status check_lost(const struct nx_duckdb *db, struct nx_slice path,
				 struct nx_error *err)
{
	for (size_t t = 0; t < db->profile->tables.len; t++) {
		const struct nx_folder_table *table = &db->profile->tables.items[t];

		for (size_t i = 0; i < table->file_count; i++) {
			size_t len = strlen(table->files[i]);

			if (path.len >= len && !memcmp(path.data, table->files[i], len))
				return nx_profile_folder_check_lost(db->profile, table->name, err);
		}
	}
	return NX_OK;
}

static enum nx_status fail_permission(const struct nx_duckdb *db, const struct complaint *c,
				      const char *place, struct nx_error *err)
{
	const char *quoted = strchr(c->text, '"');
	size_t len = quoted ? strcspn(quoted + 1, "\"") : 0;

	if (len && check_lost(db, nx_slice_of(quoted + 1, len), err))
		return NX_NOT_FOUND;
	if (!len)
		return nx_fail(err, NX_PERMISSION, "%.300s%s", c->text, place);
	return nx_fail(err, NX_PERMISSION,
		       "\"%.*s\" may not be read%s: only the tables of the profile can be asked",
		       (int)(len < 300 ? len : 300), quoted + 1, place);
}

enum nx_status nx_duckdb_fail(const struct nx_duckdb *db, const char *words, struct nx_slice sql,
			      size_t sql_at, struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct complaint c = read_complaint(words ? words : "DuckDB gave no reason", &arena);
	enum nx_status st = status_of(&c);
	char sentence[SENTENCE_MAX], place[PLACE_MAX];

	place_of(&c, sql, sql_at, place);
	if (st == NX_NOT_FOUND && !strcmp(c.thing, "Table"))
		st = fail_table(db, &c, place, err);
	else if (st == NX_NOT_FOUND && !strcmp(c.subtype, "COLUMN_NOT_FOUND"))
		st = nx_fail(err, st, "there is no column '%.100s'%s%s%.300s", c.name, place,
			     *c.candidates ? "; near it are: " : "", c.candidates);
	else if (st == NX_PERMISSION)
		st = fail_permission(db, &c, place, err);
	else if (st == NX_LIMIT)
		st = nx_fail(
			err, st,
			"the query needs more memory than the limit of %.1f MB; ask for less, or "
			"raise it with --memory-limit",
			(double)db->memory_limit_bytes / 1e6);
	else if (st == NX_CANCELLED)
		st = nx_fail(err, st, "the query was interrupted");
	else
		st = nx_fail(err, st, "%s%s", flatten(c.text, sentence), place);
	nx_arena_release(&arena);
	return st;
}
