/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/options.h"
#include "cli/view.h"
#include "cli/workspace_view.h"

struct recommend {
	const char *profile, *data_path, *neff_path, *session_path, *display_name, *format;
	struct nx_number_value verbosity;
};

#define FIELD(member) NX_FIELD(struct recommend, member)

static const struct nx_option options[] = {
	NX_ROW_PROFILE(struct recommend),
	NX_ROW_DATA_PATH(struct recommend),
	NX_ROW_NEFF(struct recommend, "neff-path", 'n', ""),
	NX_ROW_SESSION(struct recommend, "session-file", 's',
		       " Stored in the workspace first, as 'view --ingest-only' does."),
	NX_ROW_NAME(struct recommend, "display-name"),
	{"format", 'f', NX_CHOICE("FORMAT", "text json"), FIELD(format),
	 "Output format: text (default), which is Markdown, or json."},
	{"verbosity", 'v', NX_NUMBER("N"), FIELD(verbosity),
	 "As for 'view': how much it says while it stores a session file."},
	{0},
};

static bool is_json(const struct recommend *o)
{
	return o->format && !strcmp(o->format, "json");
}

/* A capture that is not stored yet. */
static enum nx_status recommend_files(const struct nx_invocation *call, const struct recommend *o,
				      struct nx_operands *operands, struct nx_error *err)
{
	struct nx_view_options v = {.session_path = o->session_path,
				    .neff_path = o->neff_path,
				    .data_path = o->data_path,
				    .display_name = o->display_name,
				    .verbosity = o->verbosity,
				    .is_json = is_json(o),
				    .recommend = true};

	return nx_command_view.run(call, &v, operands, err);
}

static enum nx_status recommend_stored(const struct recommend *o, struct nx_error *err)
{
	struct nx_arena arena = {0};
	const char *path, *name = o->profile;
	enum nx_status st = nx_workspace_view_resolve(o->data_path, o->profile ? o->profile : ".",
						      &arena, &path, err);

	if (!st) {
		name = nx_arena_copy(&arena, nx_path_last(name ? name : path));
		st = nx_recommend(path, name, is_json(o), err);
	}
	nx_arena_release(&arena);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct recommend *o = values;
	bool has_files = o->neff_path || o->session_path;
	const struct nx_rule rules[] = {
		{o->profile && has_files,
		 "name a stored profile with -d, or files with -n and -s, not both"},
		{o->neff_path && !o->session_path, "-n needs a session file too: add -s FILE"},
		{o->display_name && !has_files,
		 "--display-name is for a session file: add -s FILE"},
		{0},
	};
	enum nx_status st = nx_rules_check(rules, err);

	if (st)
		return st;
	return has_files ? recommend_files(call, o, operands, err) : recommend_stored(o, err);
}

static const struct nx_example examples[] = {
	{"What should be changed first?", "recommend -d profile"},
	{"Store a capture, and ask the same:", "recommend -n model.neff -s profile.ntff"},
	{0},
};

const struct nx_command nx_command_recommend = {
	.name = "recommend",
	.summary = "say what to change first, and what it would gain",
	.operands = "",
	.operand_hint = "name a profile with -d, or files with -n and -s",
	.description =
		"Lists what fixed rules find in a profile, the largest gain first. Each finding "
		"has what was measured, where, the cause, what to do, the part of the run that is "
		"won at most, and how certain that is: high if a replay of the run gave the gain, "
		"medium if it is a sum of measured times, low if it is a rule of thumb or the run "
		"was simulated. 'why' explains the critical path behind them, and 'doctor' which "
		"numbers are in doubt. Needs DuckDB, like 'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct recommend),
	.run = run,
};
