/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"

struct delete_options {
	const char *data_path;
	bool is_sure;
};

static const struct nx_option options[] = {
	{"yes", 'y', NX_FLAG, NX_FIELD(struct delete_options, is_sure), "Delete without asking."},
	NX_ROW_DATA_PATH(struct delete_options),
	{0},
};

/* Only "yes" and "y" confirm; the end of the input does not. */
static bool is_confirmed(const struct nx_profile_record *r)
{
	char size[NX_COUNT_TEXT_MAX], answer[16];

	nx_say("Delete profile '%s'%s%s%s? This cannot be undone. [y/N]", r->name,
	       r->size_bytes ? " (" : "", r->size_bytes ? nx_size_text(r->size_bytes, size) : "",
	       r->size_bytes ? ")" : "");
	if (!fgets(answer, sizeof(answer), stdin))
		return false;
	answer[strcspn(answer, "\n")] = '\0';
	return !strcmp(answer, "y") || !strcmp(answer, "yes");
}

static enum nx_status delete_one(struct nx_workspace *ws, const struct nx_catalogue *c,
				 const char *name, bool is_sure, struct nx_error *err)
{
	const struct nx_profile_record *r = nx_catalogue_find(c, name);
	enum nx_status st;

	if (!r)
		return nx_workspace_view_refuse(c, name, err);
	if (!is_sure && !is_confirmed(r)) {
		nx_say("kept '%s'", r->name);
		return NX_OK;
	}
	st = nx_workspace_remove(ws, r->name, err);
	if (!st)
		nx_say("deleted '%s'", r->name);
	return st;
}

/* Deletes what it can; the first failure is the result, further ones are warnings. */
static enum nx_status delete_all(struct nx_workspace *ws, const struct nx_operands *names,
				 bool is_sure, struct nx_error *err)
{
	struct nx_catalogue c = {0};
	enum nx_status st = ws ? nx_catalogue_load(&c, ws, err) : NX_OK;
	enum nx_status failed = NX_OK;

	for (size_t i = 0; !st && i < names->count; i++) {
		struct nx_error one = {0};
		enum nx_status here = delete_one(ws, &c, names->items[i], is_sure, &one);

		if (here && failed)
			nx_say_warning("%s", one.message);
		else if (here)
			failed = nx_fail(err, here, "%s", one.message);
	}
	nx_catalogue_release(&c);
	return st ? st : failed;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct delete_options *o = values;
	struct nx_workspace *ws;
	enum nx_status st;

	(void)call;
	if (!operands->count)
		return nx_fail(err, NX_USAGE,
			       "name the profile to delete; 'list' shows all profiles");
	if (!o->is_sure && !(isatty(STDIN_FILENO) && nx_terminal_is_error_shown()))
		return nx_fail(err, NX_USAGE,
			       "deleting cannot be undone and there is no terminal to confirm on: "
			       "add --yes");
	st = nx_workspace_view_open(&ws, o->data_path, false, err);
	if (!st)
		st = delete_all(ws, operands, o->is_sure, err);
	nx_workspace_close(ws);
	return st;
}

static const struct nx_example examples[] = {
	{"Delete a profile, after confirming:", "delete bert"},
	{"Delete several, in a script:", "delete --yes run-1 run-2"},
	{0},
};

const struct nx_command nx_command_delete = {
	.name = "delete",
	.summary = "delete profiles from a workspace",
	.operands = "NAME...",
	.description = "Deletes profiles with all their tables. The captures they were made from "
		       "are kept. Asks before deleting; without a terminal, --yes is required. "
		       "Names must be given in full.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct delete_options),
	.run = run,
};
