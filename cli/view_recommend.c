/* SPDX-License-Identifier: Apache-2.0 */
/* view --recommend: what a stored profile suggests to look at first, as Markdown. */
#include <math.h>

#include "analyse/insights.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "cli/workspace_view.h"
#include "query/insight_facts.h"
#include "store/workspace.h"

static enum nx_status profile_path(const struct nx_view_options *v, const char *name,
				   struct nx_arena *arena, const char **path, struct nx_error *err)
{
	struct nx_workspace_options where = {.path = v->data_path, .is_read_only = true};
	struct nx_workspace *workspace = NULL;
	enum nx_status st = NX_OK;

	if (!where.path)
		st = nx_workspace_default_path(arena, &where.path, err);
	if (!st)
		st = nx_workspace_open(&workspace, &where, err);
	if (!st)
		*path = nx_workspace_profile_path(workspace, arena, name);
	nx_workspace_close(workspace);
	return st;
}

static enum nx_status ask(void *facts, const struct nx_query_engine *engine, struct nx_error *err)
{
	return nx_insight_facts_ask(facts, engine, err);
}

static void print_finding(struct nx_output *out, size_t number, const struct nx_finding *f,
			  uint64_t origin_ns)
{
	const struct nx_fact_detail *d = f->detail;

	nx_print(out, "\n## %zu. %s\n\n**Measured:** %s\n\n", number, f->title, f->measured);
	if (*d->place || d->to_ns > d->from_ns)
		nx_print(out, "**Where:** %s", *d->place ? d->place : "the timeline");
	if (d->to_ns > d->from_ns)
		nx_print(out, ", from %.3f to %.3f us", (double)(d->from_ns - origin_ns) / 1e3,
			 (double)(d->to_ns - origin_ns) / 1e3);
	if (*d->place || d->to_ns > d->from_ns)
		nx_print(out, "\n\n");
	nx_print(out, "**Cause:** %s\n\n**What to do:** %s\n", f->cause, f->advice);
	if (!isnan(d->gain_frac))
		nx_print(out, "\n**Gain:** at most %.1f %% of the run", 100 * d->gain_frac);
	else
		nx_print(out, "\n**Gain:** not known");
	if (!isnan(d->path_frac))
		nx_print(out, "; %.1f %% of the critical path", 100 * d->path_frac);
	nx_print(out, "\n\n**Confidence:** %s\n", nx_confidence_names[f->confidence]);
}

enum nx_status nx_view_recommend(const struct nx_view_options *v, const char *name,
				 struct nx_error *err)
{
	struct nx_finding findings[NX_FINDINGS_MAX];
	struct nx_insight_facts facts;
	struct nx_arena arena = {0};
	const char *path = NULL;
	struct nx_output out;
	size_t count = 0;
	enum nx_status st = profile_path(v, name, &arena, &path, err);

	if (!st)
		st = nx_workspace_view_ask(path, ask, &facts, err);
	if (!st)
		st = nx_output_open(&out, "-", err);
	if (!st) {
		count = nx_insights_judge(&facts, findings);
		nx_print(&out, "# Recommendations for %s\n", name);
		if (!count)
			nx_print(&out, "\nNo rule found anything to improve.\n");
		for (size_t i = 0; i < count; i++)
			print_finding(&out, i + 1, &findings[i], facts.origin_ns);
		st = nx_print_end(&out, NX_OK, err);
	}
	nx_arena_release(&arena);
	return st;
}
