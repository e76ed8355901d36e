/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"

struct rename_options {
	const char *data_path;
};

static const struct nx_option options[] = {
	NX_ROW_DATA_PATH(struct rename_options),
	{0},
};

static enum nx_status rename_in(struct nx_workspace *ws, const struct nx_catalogue *c,
				const char *name, const char *new_name, struct nx_error *err)
{
	const struct nx_profile_record *r = nx_catalogue_find(c, name);
	enum nx_status st;

	if (!r)
		return nx_workspace_view_refuse(c, name, err);
	if (r->state != NX_PROFILE_READY && r->state != NX_PROFILE_ARCHIVED &&
	    r->state != NX_PROFILE_DAMAGED)
		return nx_fail(err, NX_USAGE,
			       "profile '%s' is %s; only a finished one can be renamed", r->name,
			       nx_profile_state_text(r->state));
	st = nx_workspace_rename(ws, r->name, new_name, err);
	if (!st)
		nx_say("renamed '%s' to '%s'", r->name, new_name);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct rename_options *o = values;
	struct nx_catalogue c = {0};
	struct nx_workspace *ws;
	enum nx_status st;

	(void)call;
	if (operands->count != 2)
		return nx_fail(err, NX_USAGE, "give two names: rename OLD NEW");
	st = nx_workspace_view_open(&ws, o->data_path, false, err);
	if (!st && ws)
		st = nx_catalogue_load(&c, ws, err);
	if (!st)
		st = rename_in(ws, &c, operands->items[0], operands->items[1], err);
	nx_catalogue_release(&c);
	nx_workspace_close(ws);
	return st;
}

static const struct nx_example examples[] = {
	{"Give a profile a better name:", "rename run-7 bert-before-fusion"},
	{0},
};

const struct nx_command nx_command_rename = {
	.name = "rename",
	.summary = "give a profile another name",
	.operands = "OLD NEW",
	.description = "Renames a profile in one step; its address in the browser and its folder "
		       "change with it. A name has at most 150 characters, none of / \\ @ * ? [ ], "
		       "and does not begin with a dot or a dash.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct rename_options),
	.run = run,
};
