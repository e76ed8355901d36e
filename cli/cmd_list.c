/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_writer.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/workspace_view.h"

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
	if (r->state == NX_PROFILE_READY && r->store_version < NX_STORE_VERSION)
		return "too old";
	return nx_profile_state_text(r->state);
}

static void add_row(struct nx_table_view *table, const struct nx_profile_record *r)
{
	bool is_known = r->state != NX_PROFILE_DAMAGED;
	bool has_size = r->state == NX_PROFILE_READY;
	char size[NX_COUNT_TEXT_MAX] = "-", rows[NX_COUNT_TEXT_MAX] = "-", when[32];
	time_t created = (time_t)(r->created_ms / 1000);
	struct tm t;

	if (has_size) {
		nx_size_text(r->size_bytes, size);
		nx_count_text(nx_profile_record_rows(r), rows);
	}
	if (!r->created_ms || !localtime_r(&created, &t) ||
	    !strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &t))
		snprintf(when, sizeof(when), "-");
	nx_table_row(table,
		     nx_arena_printf(table->arena, "%s%s", r->name, r->is_favourite ? " *" : ""),
		     is_known ? nx_profile_kind_text(r->kind) : "-", size, rows, when,
		     state_text(r));
}

static void print_table(struct nx_catalogue *c, const char *path, struct nx_output *out)
{
	struct nx_table_view table;

	if (!c->records.len) {
		nx_print(out, "no profiles%s%s\n", path ? " in " : "", path ? path : "");
		return;
	}
	nx_table_begin(&table, &c->arena, "name|kind|>size|>rows|created|state");
	for (size_t i = 0; i < c->records.len; i++)
		add_row(&table, &c->records.items[i]);
	nx_table_end(&table, out, 0);
	for (size_t i = 0; i < c->records.len; i++)
		if (c->records.items[i].reason[0])
			nx_print(out, "\n%s: %s\n", c->records.items[i].name,
				 c->records.items[i].reason);
}

/* --- for programs ---------------------------------------------------------- */

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
		"listed as such, with what to do about them. A star marks a favourite.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct list),
	.run = run,
};
