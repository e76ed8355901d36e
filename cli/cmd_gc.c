/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/options.h"
#include "cli/table.h"
#include "cli/workspace_view.h"
#include "store/retention.h"

struct gc {
	const char *data_path, *keep_bytes, *archive_to;
	struct nx_number_value keep_days;
	bool is_dry_run;
};

static const struct nx_option options[] = {
	{"dry-run", 0, NX_FLAG, NX_FIELD(struct gc, is_dry_run),
	 "Only show what would be removed."},
	{"keep-days", 0, NX_NUMBER("N"), NX_FIELD(struct gc, keep_days),
	 "Also remove profiles that have not been used for N days. Favourites stay."},
	{"keep-bytes", 0, NX_TEXT("SIZE"), NX_FIELD(struct gc, keep_bytes),
	 "Also remove the profiles used least recently until all have at most this size, such as "
	 "200GB. Favourites stay."},
	{"archive-to", 0, NX_TEXT("PLACE"), NX_FIELD(struct gc, archive_to),
	 "Move these profiles to a folder or s3://BUCKET/PREFIX instead, as 'archive' does."},
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

/* Options replace the workspace's own rules. */
static enum nx_status read_rules(const struct gc *o, const struct nx_workspace *ws,
				 struct nx_arena *arena, struct nx_retention *rules,
				 struct nx_error *err)
{
	*rules = (struct nx_retention){.has_days = o->keep_days.is_given,
				       .keep_days = o->keep_days.value,
				       .has_bytes = o->keep_bytes != NULL,
				       .archive_to = o->archive_to};
	if (o->keep_bytes)
		return nx_size_parse("keep-bytes", o->keep_bytes, &rules->keep_bytes, err);
	if (rules->has_days || !ws)
		return NX_OK;
	if (o->archive_to)
		return nx_fail(err, NX_USAGE,
			       "--archive-to needs --keep-days or --keep-bytes, which choose what "
			       "is moved; 'archive' moves one profile");
	return nx_retention_read(ws, arena, rules, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct gc *o = values;
	struct nx_leftovers leftovers = {0};
	struct nx_arena arena = {0};
	struct nx_retention rules;
	struct nx_error why = {0};
	struct nx_workspace *ws;
	struct nx_output out;
	enum nx_status kept = NX_OK,
		       st = nx_workspace_view_open(&ws, o->data_path, o->is_dry_run, err);

	(void)call, (void)operands;
	if (!st)
		st = read_rules(o, ws, &arena, &rules, err);
	if (!st && ws)
		st = nx_workspace_collect(ws, o->is_dry_run, &arena, &leftovers, err);
	/* what was removed before a failure is listed all the same */
	if (!st && ws)
		kept = nx_retention_apply(ws, &rules, o->is_dry_run, &arena, &leftovers, &why);
	if (!st)
		st = nx_output_open(&out, "-", err);
	if (!st) {
		print(&leftovers, o->is_dry_run, &arena, &out);
		st = nx_output_commit(&out, err);
	}
	nx_vec_release(&leftovers);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
	if (!st && kept)
		st = nx_fail(err, kept, "%s", why.message);
	return st;
}

static const struct nx_example examples[] = {
	{"How much could be freed?", "gc --dry-run"},
	{"Free it:", "gc"},
	{"Keep a month, and favourites:", "gc --keep-days 30"},
	{"Move what exceeds 200 GB to a bucket:",
	 "gc --keep-bytes 200GB --archive-to s3://profiles/old"},
	{0},
};

const struct nx_command nx_command_gc = {
	.name = "gc",
	.summary = "remove failed, unfinished and replaced profiles from a workspace",
	.operands = "",
	.operand_hint = "'delete' removes a profile",
	.description = "Removes profiles that failed or were never finished, versions that have "
		       "been replaced, and temporary files of processes that were killed. Finished "
		       "profiles and those being processed are kept, unless --keep-days, "
		       "--keep-bytes or the file retention.json in the workspace say otherwise. "
		       "The server applies that file as well. Captures are never removed.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct gc),
	.run = run,
};
