/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyse/comparison.h"
#include "base/file.h"
#include "cli/limit.h"
#include "cli/options.h"
#include "cli/workspace_view.h"
#include "export/compare_report.h"
#include "query/measures.h"

struct compare {
	const char *data_path, *format, *output_file;
	struct nx_list_value limits;
};

#define FIELD(member) NX_FIELD(struct compare, member)

static const struct nx_option options[] = {
	NX_ROW_DATA_PATH(struct compare),
	{"fail-if", 0, NX_LIST("LIMIT"), FIELD(limits),
	 "End with exit code 10 if this holds, such as 'total_time>+2%'. May be repeated."},
	{"format", 'f', NX_CHOICE("FORMAT", "text json html"), FIELD(format),
	 "Output format: text (default), json or html, a page to attach to a ticket."},
	{"output-file", 'o', NX_FILE("FILE"), FIELD(output_file),
	 "Where to write the comparison (default: standard output)."},
	{0},
};

/* --- captures -------------------------------------------------------------- */

static enum nx_status measure(void *measures, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	return nx_measures_ask(measures, engine, err);
}

struct side {
	const char *name;
	struct nx_profile_paths paths;
	struct nx_measures *captures; /* one for each path */
};

static enum nx_status read_side(struct side *side, const struct compare *o, const char *words,
				struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = nx_workspace_view_expand(o->data_path, words, arena, &side->paths, err);

	side->name = words;
	side->captures = NX_NEW_ARRAY(arena, struct nx_measures, side->paths.len);
	for (size_t i = 0; !st && i < side->paths.len; i++)
		st = nx_workspace_view_ask(side->paths.items[i], measure, &side->captures[i], err);
	return st;
}

static void release_side(struct side *side)
{
	for (size_t i = 0; side->captures && i < side->paths.len; i++)
		nx_measures_release(&side->captures[i]);
	nx_vec_release(&side->paths);
}

/* --- the command ----------------------------------------------------------- */

static enum nx_status report(const struct compare *o, const struct nx_comparison *c,
			     struct nx_error *err)
{
	const char *format = o->format ? o->format : "text";
	struct nx_json_writer json;
	struct nx_bytes text = {0};
	struct nx_output out = {0};
	enum nx_status st;

	if (!strcmp(format, "json")) {
		nx_json_init_bytes(&json, &text, true);
		nx_json_begin_object(&json);
		nx_comparison_json(&json, c);
		nx_json_end_object(&json);
		nx_vec_push(&text, '\n');
	} else if (!strcmp(format, "html")) {
		nx_comparison_html(&text, c);
	} else {
		nx_comparison_text(&text, c);
	}
	st = nx_output_open(&out, o->output_file ? o->output_file : "-", err);
	if (!st) {
		nx_output_write(&out, text.items, text.len);
		st = nx_output_commit(&out, err);
	}
	nx_vec_release(&text);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct compare *o = values;
	struct nx_comparison comparison = {0};
	struct nx_arena arena = {0};
	struct nx_captures *captures = NX_NEW_ARRAY(&arena, struct nx_captures, operands->count);
	struct side *sides = NX_NEW_ARRAY(&arena, struct side, operands->count);
	struct nx_limits limits = {0};
	enum nx_status st = NX_OK;

	(void)call;
	if (operands->count < 2)
		st = nx_fail(
			err, NX_USAGE,
			"name at least two profiles, the baseline first: compare before after");
	for (size_t i = 0; !st && i < operands->count; i++) {
		st = read_side(&sides[i], o, operands->items[i], &arena, err);
		captures[i] =
			(struct nx_captures){sides[i].name, sides[i].captures, sides[i].paths.len};
	}
	if (!st) {
		nx_compare(&comparison, captures, operands->count);
		st = nx_limits_parse(&limits, &o->limits, &comparison, err);
	}
	if (!st)
		st = report(o, &comparison, err);
	if (!st)
		st = nx_limits_check(&limits, &comparison, err);
	nx_comparison_release(&comparison);
	for (size_t i = 0; i < operands->count; i++)
		release_side(&sides[i]);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"What changed between two profiles?", "compare before after"},
	{"Five captures on each side, with intervals:", "compare 'before-*' 'after-*'"},
	{"Fail a build that got slower by more than 2 %:",
	 "compare main branch --fail-if 'total_time>+2%'"},
	{"A page for a ticket:", "compare before after -f html -o comparison.html"},
	{0},
};

const struct nx_command nx_command_compare = {
	.name = "compare",
	.summary = "show what changed between captures, and fail if it is too much",
	.operands = "BASELINE PROFILE...",
	.operand_hint = "name the baseline first, then the profiles to compare with it",
	.description =
		"Compares profiles of the workspace, or folders with their Parquet files, with the "
		"first one: metrics, the causes on the critical path, whose changes add up to the "
		"change of the run, the time of each engine, operators by their place in the "
		"hierarchy, instructions by source line, and for system profiles steps, gaps and "
		"calls.\n"
		"\n"
		"Runs vary. Capture each side several times and name all of a side, with commas or "
		"by a quoted pattern; every change then has its 95 % interval (Welch's).\n"
		"\n"
		"--fail-if takes a name, < or >, and a number. A number with a sign limits the "
		"change, such as 'total_time>+2%' or 'total_time>+3us'; with intervals, only a "
		"change whose interval does not hold 0 counts. A number without a sign limits the "
		"value, such as 'mfu_estimated_percent<40%'. 'path:DMA start-up>+1us' names a row "
		"of "
		"another section, by the words of --format json. A side that lacks the name is an "
		"error. Needs DuckDB, like 'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct compare),
	.run = run,
};
