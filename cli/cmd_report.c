/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/insights.h"
#include "base/path.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "export/profile_report.h"
#include "query/insight_facts.h"
#include "query/measures.h"
#include "query/why_rows.h"

struct report {
	const char *data_path, *output_file;
};

#define FIELD(member) NX_FIELD(struct report, member)

static const struct nx_option options[] = {
	{"output-file", 'o', NX_FILE("FILE"), FIELD(output_file),
	 "Where to write the page (default: standard output)."},
	NX_ROW_DATA_PATH(struct report),
	{0},
};

struct answers {
	struct nx_measures measures;
	struct nx_why_answer why;
	struct nx_insight_facts facts;
	struct nx_diagnosis diagnosis;
	struct nx_picture picture;
	struct nx_source_costs costs;
};

/* A system profile, or one of a huge capture, has no critical path; its page has the rest. */
static enum nx_status or_nothing(enum nx_status st)
{
	return st == NX_NOT_FOUND ? NX_OK : st;
}

static enum nx_status ask(void *context, const struct nx_query_engine *engine, struct nx_error *err)
{
	struct answers *a = context;
	enum nx_status st = nx_measures_ask(&a->measures, engine, err);

	if (!st)
		st = or_nothing(nx_why_answer_ask(&a->why, engine, NULL, err));
	if (!st)
		st = nx_insight_facts_ask(&a->facts, engine, err);
	if (!st)
		st = nx_diagnosis_ask(&a->diagnosis, engine, err);
	if (!st)
		st = nx_picture_ask(&a->picture, engine, err);
	if (!st)
		st = or_nothing(nx_source_costs_ask(&a->costs, engine, err));
	return st;
}

static void release(struct answers *a)
{
	nx_measures_release(&a->measures);
	nx_why_answer_release(&a->why);
	nx_diagnosis_release(&a->diagnosis);
	nx_picture_release(&a->picture);
	nx_source_costs_release(&a->costs);
}

static enum nx_status write_page(const struct report *o, const char *name, const struct answers *a,
				 struct nx_error *err)
{
	struct nx_finding findings[NX_FINDINGS_MAX];
	struct nx_profile_report report = {.name = name,
					   .measures = &a->measures,
					   .why = &a->why,
					   .findings = findings,
					   .finding_count = nx_insights_judge(&a->facts, findings),
					   .origin_ns = a->facts.origin_ns,
					   .diagnosis = &a->diagnosis,
					   .picture = &a->picture,
					   .costs = &a->costs};
	struct nx_bytes page = {0};
	struct nx_output out = {0};
	enum nx_status st = nx_output_open(&out, o->output_file ? o->output_file : "-", err);

	if (!st) {
		nx_profile_report_html(&page, &report);
		nx_output_write(&out, page.items, page.len);
	}
	nx_vec_release(&page);
	return nx_print_end(&out, st, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct report *o = values;
	struct answers answers = {0};
	struct nx_arena arena = {0};
	const char *path;
	enum nx_status st =
		operands->count == 1
			? NX_OK
			: nx_fail(err, NX_USAGE, "name one profile: report PROFILE -o report.html");

	(void)call;
	if (!st)
		st = nx_workspace_view_resolve(o->data_path, operands->items[0], &arena, &path,
					       err);
	if (!st)
		st = nx_workspace_view_ask(path, ask, &answers, err);
	if (!st)
		st = write_page(o, nx_arena_copy(&arena, nx_path_last(operands->items[0])),
				&answers, err);
	release(&answers);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"A page to attach to a ticket:", "report profile -o report.html"},
	{0},
};

const struct nx_command nx_command_report = {
	.name = "report",
	.summary = "write a profile as one HTML page, to attach to a ticket",
	.operands = "PROFILE",
	.description =
		"Writes one HTML file that needs no network, no script and no other file: metrics, "
		"what bound the run, a picture of the timeline with the critical path, the time of "
		"each engine, findings, predicted gains, lines of source and what the capture "
		"lacks. It follows the light or dark theme of its reader, and can be printed.\n"
		"\n"
		"PROFILE is a name in the workspace, or a folder with Parquet files. The page "
		"contains names of the capture: operators, tensors, paths of source files. Needs "
		"DuckDB, like 'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct report),
	.run = run,
};
