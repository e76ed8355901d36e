/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/options.h"
#include "cli/table.h"
#include "cli/workspace_view.h"

struct gc {
	const char *data_path;
	bool is_dry_run;
};

static const struct nx_option options[] = {
	{"dry-run", 0, NX_FLAG, NX_FIELD(struct gc, is_dry_run),
	 "Only show what would be removed."},
	NX_ROW_DATA_PATH(struct gc),
	{0},
};

static void print(const struct nx_leftovers *leftovers, bool is_dry_run, struct nx_arena *arena,
		  struct nx_output *out)
{
	struct nx_table_view table;
	char size[NX_COUNT_TEXT_MAX];
	uint64_t total_bytes = 0;

	if (!leftovers->len) {
		nx_print(out, "nothing to remove\n");
		return;
	}
	nx_table_begin(&table, arena, "name|what|>size");
	for (size_t i = 0; i < leftovers->len; i++) {
		nx_table_row(&table, leftovers->items[i].name, leftovers->items[i].what,
			     nx_size_text(leftovers->items[i].size_bytes, size));
		total_bytes += leftovers->items[i].size_bytes;
	}
	nx_table_end(&table, out, 0);
	nx_print(out, "\n%s %s\n", is_dry_run ? "would free" : "freed",
		 nx_size_text(total_bytes, size));
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct gc *o = values;
	struct nx_leftovers leftovers = {0};
	struct nx_arena arena = {0};
	struct nx_workspace *ws;
	struct nx_output out;
	enum nx_status st = nx_workspace_view_open(&ws, o->data_path, o->is_dry_run, err);

	(void)call, (void)operands;
	if (!st && ws)
		st = nx_workspace_collect(ws, o->is_dry_run, &arena, &leftovers, err);
	if (!st)
		st = nx_output_open(&out, "-", err);
	if (!st) {
		print(&leftovers, o->is_dry_run, &arena, &out);
		st = nx_output_commit(&out, err);
	}
	nx_vec_release(&leftovers);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
	return st;
}

static const struct nx_example examples[] = {
	{"How much could be freed?", "gc --dry-run"},
	{"Free it:", "gc"},
	{0},
};

const struct nx_command nx_command_gc = {
	.name = "gc",
	.summary = "remove failed, unfinished and replaced profiles from a workspace",
	.operands = "",
	.operand_hint = "'delete' removes a profile",
	.description = "Removes profiles that failed or were never finished, versions that have "
		       "been replaced, and temporary files of processes that were killed. Finished "
		       "profiles and those being processed are kept.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct gc),
	.run = run,
};
