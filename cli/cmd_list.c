/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_writer.h"
#include "base/map.h"
#include "base/path.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/workspace_view.h"
#include "model/system.h"

struct list {
	const char *data_path, *format;
};

static const struct nx_option options[] = {
	NX_ROW_DATA_PATH(struct list),
	{"format", 0, NX_CHOICE("FORMAT", "table json"), NX_FIELD(struct list, format),
	 "table for people (default), json for programs."},
	{0},
};

/* --- for people ------------------------------------------------------------ */

/* A finished profile of another version cannot be opened. */
static const char *state_text(const struct nx_profile_record *r)
{
	if (r->state == NX_PROFILE_READY && r->store_version > NX_STORE_VERSION)
		return "too new";
	if (r->state == NX_PROFILE_READY && r->store_version < NX_STORE_VERSION_OLDEST)
		return "too old";
	return nx_profile_state_text(r->state);
}

static const char *place_text(const struct nx_profile_record *r, struct nx_arena *arena)
{
	return r->state == NX_PROFILE_ARCHIVED
		       ? nx_arena_printf(arena, "archived in %s", r->archive.place)
		       : state_text(r);
}

static const char *moment_text(uint64_t ms, char text[32])
{
	time_t moment = (time_t)(ms / 1000);
	struct tm t;

	if (!ms || !localtime_r(&moment, &t) || !strftime(text, 32, "%Y-%m-%d %H:%M", &t))
		snprintf(text, 32, "-");
	return text;
}

/* A session that a program recorded itself, alone in its directory, says nothing new. */
static bool has_sessions(const struct nx_profile_record *r)
{
	return r->sessions.len > 1 ||
	       (r->sessions.len == 1 && strcmp(r->sessions.items[0].kind, "programmatic") != 0);
}

/* Newest first. */
static void add_sessions(struct nx_table_view *table, const struct nx_profile_record *r,
			 const char *indent)
{
	char when[32];

	for (size_t i = r->sessions.len; has_sessions(r) && i > 0; i--) {
		const struct nx_profile_session *s = &r->sessions.items[i - 1];

		nx_table_row(table,
			     nx_arena_printf(table->arena, "%s  session %s%s%s", indent, s->name,
					     *s->reason ? ": " : "", s->reason),
			     nx_run_session_kind_text(s->kind), "", "",
			     moment_text(s->start_ns / 1000000, when),
			     s->failed_count
				     ? nx_arena_printf(table->arena, "%u of %u hosts failed",
						       s->failed_count, s->host_count)
				     : "");
	}
}

static void add_row(struct nx_table_view *table, const struct nx_profile_record *r,
		    const char *indent)
{
	bool is_known = r->state != NX_PROFILE_DAMAGED;
	bool has_size = r->state == NX_PROFILE_READY;
	char size[NX_COUNT_TEXT_MAX] = "-", rows[NX_COUNT_TEXT_MAX] = "-", when[32];

	if (r->state == NX_PROFILE_ARCHIVED) {
		nx_size_text(r->archive.size_bytes, size);
		nx_count_text(nx_profile_record_rows(r), rows);
	} else if (has_size) {
		nx_size_text(r->size_bytes, size);
		nx_count_text(nx_profile_record_rows(r), rows);
	}
	nx_table_row(table,
		     nx_arena_printf(table->arena, "%s%s%s", indent, r->name,
				     r->is_favourite ? " *" : ""),
		     is_known ? nx_profile_kind_text(r->kind) : "-", size, rows,
		     moment_text(r->created_ms, when), place_text(r, table->arena));
	add_sessions(table, r, indent);
}

static bool is_of_run(const struct nx_profile_record *r, const char *run)
{
	return r->run && *r->run && !strcmp(r->run, run);
}

/* A run with several profiles is one block, at the place of the newest of them. */
static void add_rows(struct nx_table_view *table, const struct nx_profile_records *all)
{
	struct nx_text_map done = {0};
	uint64_t ignored;

	for (size_t i = 0; i < all->len; i++) {
		const struct nx_profile_record *r = &all->items[i];
		size_t count = 0;

		for (size_t k = i; r->run && *r->run && k < all->len; k++)
			count += is_of_run(&all->items[k], r->run);
		if (r->run && *r->run && nx_text_map_get(&done, nx_slice_text(r->run), &ignored))
			continue;
		if (count < 2) {
			add_row(table, r, "");
			continue;
		}
		nx_text_map_put(&done, nx_slice_text(r->run), 1);
		nx_table_row(table,
			     nx_arena_printf(table->arena, "run %s: %zu profiles",
					     nx_path_name(r->run), count),
			     "", "", "", "", "");
		for (size_t k = i; k < all->len; k++)
			if (is_of_run(&all->items[k], r->run))
				add_row(table, &all->items[k], "  ");
	}
	nx_text_map_release(&done);
}

static void print_table(struct nx_catalogue *c, const char *path, struct nx_output *out)
{
	struct nx_table_view table;

	if (!c->records.len) {
		nx_print(out, "no profiles%s%s\n", path ? " in " : "", path ? path : "");
		return;
	}
	nx_table_begin(&table, &c->arena, "name|kind|>size|>rows|created|state");
	add_rows(&table, &c->records);
	nx_table_end(&table, out, 0);
	for (size_t i = 0; i < c->records.len; i++)
		if (c->records.items[i].reason[0])
			nx_print(out, "\n%s: %s\n", c->records.items[i].name,
				 c->records.items[i].reason);
}

/* --- for programs ---------------------------------------------------------- */

static void write_sessions(struct nx_json_writer *w, const struct nx_profile_record *r)
{
	nx_json_key_text(w, "run", r->run);
	nx_json_key(w, "sessions");
	nx_json_begin_array(w);
	for (size_t i = 0; i < r->sessions.len; i++) {
		const struct nx_profile_session *s = &r->sessions.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", s->name);
		nx_json_key_text(w, "kind", s->kind);
		nx_json_key_text(w, "reason", s->reason);
		nx_json_key_u64(w, "start_ns", s->start_ns);
		nx_json_key_u64(w, "end_ns", s->end_ns);
		nx_json_key_u64(w, "host_count", s->host_count);
		nx_json_key_u64(w, "failed_count", s->failed_count);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_record(struct nx_json_writer *w, const struct nx_profile_record *r,
			 const char *path)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "name", r->name);
	nx_json_key_text(w, "state", nx_profile_state_text(r->state));
	nx_json_key_text(w, "message", r->reason);
	if (r->state != NX_PROFILE_DAMAGED) {
		nx_json_key_text(w, "type", nx_profile_kind_text(r->kind));
		nx_json_key_text(w, "id", r->id);
		nx_json_key_text(w, "key", r->key);
		nx_json_key_u64(w, "size_bytes", r->size_bytes);
		nx_json_key_u64(w, "row_count", nx_profile_record_rows(r));
		nx_json_key_u64(w, "created_ms", r->created_ms);
		nx_json_key_u64(w, "opened_ms", r->opened_ms);
		nx_json_key_text(w, "schema_version", r->schema_version);
		nx_json_key_u64(w, "store_version", r->store_version);
		nx_json_key_bool(w, "favourite", r->is_favourite);
		nx_json_key_text(w, "label", r->label);
		nx_json_key(w, "sources");
		nx_json_begin_array(w);
		for (size_t i = 0; i < r->sources.len; i++)
			nx_json_text(w, r->sources.items[i].path);
		nx_json_end_array(w);
		write_sessions(w, r);
		nx_json_key_text(w, "archive", r->archive.place);
	}
	if (path)
		nx_json_key_text(w, "path", path);
	nx_json_end_object(w);
}

static void print_json(struct nx_catalogue *c, const struct nx_workspace *ws, struct nx_output *out)
{
	struct nx_json_writer w;

	nx_json_init_output(&w, out, true);
	nx_json_begin_object(&w);
	if (ws)
		nx_json_key_text(&w, "data_path", nx_workspace_path(ws));
	nx_json_key(&w, "profiles");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < c->records.len; i++) {
		const struct nx_profile_record *r = &c->records.items[i];
		bool is_placed = r->state == NX_PROFILE_READY || r->state == NX_PROFILE_DAMAGED;

		write_record(&w, r,
			     is_placed && ws ? nx_workspace_profile_path(ws, &c->arena, r->name)
					     : NULL);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
}

/* --- the command ----------------------------------------------------------- */

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct list *o = values;
	struct nx_catalogue c = {0};
	struct nx_workspace *ws;
	struct nx_output out;
	enum nx_status st = nx_workspace_view_open(&ws, o->data_path, true, err);

	(void)call, (void)operands;
	if (!st && ws)
		st = nx_catalogue_load(&c, ws, err);
	if (!st)
		st = nx_output_open(&out, "-", err);
	if (!st) {
		if (o->format && !strcmp(o->format, "json"))
			print_json(&c, ws, &out);
		else
			print_table(&c, ws ? nx_workspace_path(ws) : NULL, &out);
		st = nx_output_commit(&out, err);
	}
	nx_catalogue_release(&c);
	nx_workspace_close(ws);
	return st;
}

static const struct nx_example examples[] = {
	{"Which profiles are there?", "list"},
	{"Names of all ready profiles, for a script:",
	 "list --format json | jq -r '.profiles[] | select(.state == \"ready\") | .name'"},
	{0},
};

const struct nx_command nx_command_list = {
	.name = "list",
	.summary = "list the profiles of a workspace",
	.operands = "",
	.operand_hint = "see 'list --help'",
	.description =
		"Lists all profiles, newest first, with their kind, size, number of rows and "
		"state. Profiles that are being processed, failed or were never finished are "
		"listed as such, with what to do about them. A star marks a favourite. Profiles of "
		"one run are listed together, each with its sessions.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct list),
	.run = run,
};
