/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyse/why/why.h"
#include "base/path.h"
#include "cli/options.h"
#include "cli/temporary_folder.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "export/system_why_report.h"
#include "export/why_report.h"
#include "pipeline/device_session.h"
#include "pipeline/stored_profile.h"
#include "query/system_why_rows.h"
#include "query/why_rows.h"

struct why {
	const char *profile, *data_path, *neff_path, *session_path, *gap, *by, *format;
	bool what_if;
	struct nx_number_value execution;
	struct nx_temporary_folder folder; /* of tables made for this answer */
};

#define FIELD(member) NX_FIELD(struct why, member)

static const struct nx_option options[] = {
	NX_ROW_PROFILE(struct why),
	NX_ROW_DATA_PATH(struct why),
	NX_ROW_NEFF(struct why, "neff-path", 'n', ""),
	NX_ROW_SESSION(struct why, "session-file", 's',
		       " Explained without storing it, however large it is."),
	{"execution", 0, NX_NUMBER("N"), FIELD(execution),
	 "Which execution of the session file to explain (default: 0, the first)."},
	{"gap", 0, NX_TEXT("ENGINE@TIME"), FIELD(gap),
	 "Explain the pause of an engine around a time, such as Vector@13.7us or, on another core "
	 "than 0, 1.Vector@13.7us."},
	{"by", 0, NX_CHOICE("WHAT", NX_WHY_GROUPINGS), FIELD(by),
	 "Also sum the critical path up by line (of source), layer, opcode or tensor."},
	{"what-if", 0, NX_FLAG, FIELD(what_if),
	 "Show how long the run would take if one cause went away, by a replay."},
	{"format", 'f', NX_CHOICE("FORMAT", "text json"), FIELD(format),
	 "Output format: text (default) or json."},
	{0},
};

static enum nx_status check(const struct why *w, struct nx_error *err)
{
	const struct nx_rule rules[] = {
		{w->profile && (w->session_path || w->neff_path),
		 "name a stored profile with -d, or files with -n and -s, not both"},
		{w->neff_path && !w->session_path, "-n needs a session file too: add -s FILE"},
		{w->execution.is_given && !w->session_path,
		 "--execution chooses from a session file: add -s FILE"},
		{w->gap && (w->by || w->what_if),
		 "--gap explains one pause; leave out --by and --what-if"},
		{0},
	};

	return nx_rules_check(rules, err);
}

/* --- tables of files ------------------------------------------------------- */

static enum nx_status read_files(struct why *w, struct nx_error *err)
{
	struct nx_device_session_options options_of = {.session_path = w->session_path,
						       .neff_path = w->neff_path,
						       .execution = w->execution.value,
						       .skip_buffer_usage = true};
	const char *sources[NX_DEVICE_SOURCES_MAX];
	struct nx_device_session *session;
	struct nx_store_target target = {.folder = w->folder.path, .only_why = true};
	struct nx_stored stored;
	enum nx_status st = nx_temporary_folder_make(&w->folder, "why", err);

	if (!st)
		st = nx_device_session_open(&session, &options_of, err);
	if (st)
		return st;
	st = nx_store_device(&target, nx_device_session_borrow(session), sources,
			     nx_device_session_sources(&options_of, sources), &stored, err);
	nx_device_session_close(session);
	return st;
}

/* --- answers --------------------------------------------------------------- */

static enum nx_status explain_gap(const struct why *w, const struct nx_query_engine *engine,
				  struct nx_bytes *text, struct nx_json_writer *json,
				  struct nx_error *err)
{
	struct nx_stored_releases stored = {0};
	struct nx_why_gap_answer gap = {0};
	struct nx_gap_place place;
	enum nx_status st = nx_gap_place_parse(w->gap, &place, err);

	if (!st)
		st = nx_stored_releases_ask(&stored, engine, err);
	if (!st)
		st = nx_why_explain_gap(&stored.graph, stored.labels.items, place.core,
					place.engine, place.time_ps, &gap, err);
	if (!st && json)
		nx_gap_json(json, &gap);
	else if (!st)
		nx_gap_text(text, &gap);
	nx_vec_release(&gap.pieces);
	nx_stored_releases_release(&stored);
	return st;
}

/* Processes instead of engines. what: the profile's own failure, if it is no system profile. */
static enum nx_status explain_system(const struct why *w, const struct nx_query_engine *engine,
				     const char *name, struct nx_bytes *text,
				     struct nx_json_writer *json, struct nx_error *what)
{
	struct nx_system_why answer;
	struct nx_error err = {0};
	enum nx_status st = nx_system_why_ask(&answer, engine, &err);

	if (!st && (w->gap || w->by || w->what_if))
		st = nx_fail(what, NX_USAGE,
			     "%s is a system profile; --gap, --by and --what-if explain device "
			     "profiles",
			     name);
	else if (!st && json)
		nx_system_why_json(json, &answer);
	else if (!st)
		nx_system_why_text(text, &answer, name);
	else if (st != NX_NOT_FOUND)
		*what = err;
	nx_system_why_release(&answer);
	return st;
}

static enum nx_status explain_run(const struct why *w, const struct nx_query_engine *engine,
				  const char *name, struct nx_bytes *text,
				  struct nx_json_writer *json, struct nx_error *err)
{
	struct nx_why_answer answer;
	enum nx_status st = nx_why_answer_ask(&answer, engine, w->by, err);

	if (!st && json) {
		nx_why_report_json(json, &answer);
	} else if (!st) {
		nx_why_report_text(text, &answer, name);
		if (w->what_if)
			nx_what_if_text(text, &answer);
	}
	nx_why_answer_release(&answer);
	return st;
}

struct answer {
	const struct why *w;
	const char *name;
	struct nx_bytes text;
};

static enum nx_status explain(void *context, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	struct answer *a = context;
	bool is_json = a->w->format && !strcmp(a->w->format, "json");
	struct nx_json_writer json;
	enum nx_status st;

	nx_json_init_bytes(&json, &a->text, true);
	if (is_json)
		nx_json_begin_object(&json);
	st = a->w->gap ? explain_gap(a->w, engine, &a->text, is_json ? &json : NULL, err)
		       : explain_run(a->w, engine, a->name, &a->text, is_json ? &json : NULL, err);
	if (st == NX_NOT_FOUND)
		st = explain_system(a->w, engine, a->name, &a->text, is_json ? &json : NULL, err);
	if (!st && is_json) {
		nx_json_end_object(&json);
		nx_vec_push(&a->text, '\n');
	}
	return st;
}

static enum nx_status answer_from(const struct why *w, const char *path, const char *name,
				  struct nx_error *err)
{
	struct answer a = {.w = w, .name = name};
	struct nx_output out = {0};
	enum nx_status st = nx_workspace_view_ask(path, explain, &a, err);

	if (!st)
		st = nx_output_open(&out, "-", err);
	if (!st) {
		nx_output_write(&out, a.text.items, a.text.len);
		st = nx_output_commit(&out, err);
	}
	nx_vec_release(&a.text);
	return st;
}

/* --- the command ----------------------------------------------------------- */

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct why *w = values;
	struct nx_arena arena = {0};
	const char *path = NULL, *name;
	enum nx_status st = check(w, err);

	(void)call, (void)operands;
	if (!st && w->session_path) {
		st = read_files(w, err);
		path = w->folder.path;
	} else if (!st) {
		st = nx_workspace_view_resolve(w->data_path, w->profile ? w->profile : ".", &arena,
					       &path, err);
	}
	if (!st) {
		name = w->session_path ? w->session_path : w->profile ? w->profile : path;
		st = answer_from(w, path, nx_arena_copy(&arena, nx_path_stem(name)), err);
	}
	nx_temporary_folder_remove(&w->folder);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"What bound the run?", "why -d profile"},
	{"The same for files, without storing them:", "why -n model.neff -s profile.ntff"},
	{"Which lines of source are on the critical path?", "why -d profile --by line"},
	{"Why did the vector engine pause?", "why -d profile --gap Vector@13.7us"},
	{"What would help?", "why -d profile --what-if"},
	{"Which rank do the others wait for?", "why -d system_profile"},
	{0},
};

const struct nx_command nx_command_why = {
	.name = "why",
	.summary = "say what bound a run, in parts that add up",
	.operands = "",
	.operand_hint = "name a profile with -d, or files with -n and -s",
	.description =
		"Says which chain of causes made a run of a device this long: work, waits for "
		"semaphores, transfers that start up, queue, move and complete, collectives, other "
		"cores, the runtime's own code. The parts cover the measured window exactly; time "
		"without a known cause is a part too, called unexplained.\n"
		"\n"
		"--gap follows one pause of an engine back to its deepest cause. --what-if replays "
		"the run with one cause removed and shows the time of the cause on the path beside "
		"the gain, which is less if other work then limits the run. It predicts only if a "
		"replay without a change repeats the measurement within 0.1 %.\n"
		"\n"
		"Of a system profile it follows the processes: up to each meeting before a "
		"collective the rank that comes last, whose time is execution, collective, calls "
		"of the runtime or the program itself. It names who came last, how long the others "
		"waited, and what the program did meanwhile.\n"
		"\n"
		"The numbers come from the tables CriticalPath, EngineTime, Release and WhatIf of "
		"the profile. Profiles of more than a million instructions are stored without "
		"them; name their files with -n and -s. Needs DuckDB, like 'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct why),
	.run = run,
	.tmpdir = "With -s, the tables of the answer, which are removed at the end.",
};
