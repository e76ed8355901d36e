/* SPDX-License-Identifier: Apache-2.0 */
/* recommend: what a stored profile suggests to look at first, as Markdown or JSON. */
#include "analyse/insights.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "cli/workspace_view.h"
#include "export/findings_report.h"
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

static void put_json(struct nx_output *out, const char *name, const struct nx_finding *findings,
		     size_t count)
{
	struct nx_json_writer w;

	nx_json_init_output(&w, out, true);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "profile", name);
	nx_json_key(&w, "findings");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		nx_finding_json(&w, &findings[i]);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
}

static void put_markdown(struct nx_output *out, const char *name, const struct nx_finding *findings,
			 size_t count, uint64_t origin_ns)
{
	struct nx_bytes text = {0};

	nx_findings_markdown(&text, findings, count, origin_ns);
	nx_print(out, "# Recommendations for %s\n%.*s", name, (int)text.len,
		 (const char *)text.items);
	nx_vec_release(&text);
}

enum nx_status nx_recommend(const char *path, const char *name, bool is_json, struct nx_error *err)
{
	struct nx_finding findings[NX_FINDINGS_MAX];
	struct nx_insight_facts facts;
	struct nx_output out = {0};
	size_t count;
	enum nx_status st = nx_workspace_view_ask(path, ask, &facts, err);

	if (!st)
		st = nx_output_open(&out, "-", err);
	if (st)
		return st;
	count = nx_insights_judge(&facts, findings);
	if (is_json)
		put_json(&out, name, findings, count);
	else
		put_markdown(&out, name, findings, count, facts.origin_ns);
	return nx_print_end(&out, NX_OK, err);
}

enum nx_status nx_view_recommend(const struct nx_view_options *v, const char *name,
				 struct nx_error *err)
{
	struct nx_arena arena = {0};
	const char *path = NULL;
	enum nx_status st = profile_path(v, name, &arena, &path, err);

	if (!st)
		st = nx_recommend(path, name, v->is_json, err);
	nx_arena_release(&arena);
	return st;
}
