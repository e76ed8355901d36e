/* SPDX-License-Identifier: Apache-2.0 */
#include "export/profile_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/compare_report.h"
#include "export/findings_report.h"
#include "export/page.h"

#define PARTS_SHOWN 12u
#define LINES_SHOWN 12u
#define ROWS_SHOWN 12u

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void put_bar(struct nx_bytes *out, const char *class, double share_percent)
{
	nx_bytes_printf(out, "<td class=bar><i class=%s style=\"width:%.1f%%\"></i></td></tr>\n",
			class, share_percent);
}

/* --- the head -------------------------------------------------------------- */

static const struct nx_measure *find_measure(const struct nx_measures *measures, const char *name)
{
	for (size_t i = 0; i < measures->items.len; i++)
		if (measures->items.items[i].section == NX_MEASURE_METRIC &&
		    !strcmp(measures->items.items[i].name, name))
			return &measures->items.items[i];
	return NULL;
}

static void put_card(struct nx_bytes *out, const char *title, const char *value)
{
	nx_bytes_printf(out, "<div class=card><b>%s</b><span>%s</span></div>\n", value, title);
}

static void put_cards(struct nx_bytes *out, const struct nx_profile_report *r)
{
	static const struct {
		const char *name, *title;
	} cards[] = {
		{"total_time", "total time"},
		{"mfu_estimated_percent", "MFU: FLOPS of the model, of the peak"},
		{"hfu_estimated_percent", "HFU: all FLOPS, of the peak"},
		{"mbu_estimated_percent", "MBU: bytes of the model, of HBM's peak"},
		{"tensor_engine_active_time_percent", "tensor engine active"},
		{"vector_engine_active_time_percent", "vector engine active"},
		{"scalar_engine_active_time_percent", "scalar engine active"},
		{"gpsimd_engine_active_time_percent", "GpSimd engine active"},
		{"dma_active_time_percent", "DMA active"},
		{"hbm_read_bytes", "read from HBM"},
		{"hbm_write_bytes", "written to HBM"},
		{"spill_reload_bytes", "spilled data read back"},
	};
	char text[NX_MEASURE_TEXT_MAX];

	nx_bytes_printf(out, "<div class=cards>\n");
	for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
		const struct nx_measure *m = find_measure(r->measures, cards[i].name);

		if (m)
			put_card(out, cards[i].title, nx_measure_text(m->unit, m->value, text));
	}
	if (r->why->span_ps) {
		nx_measure_text(NX_MEASURE_NS, (double)r->why->program_ps / 1e3, text);
		put_card(out, "the program, without the runtime's frame", text);
	}
	nx_bytes_printf(out, "</div>\n");
}

static void put_head(struct nx_bytes *out, const struct nx_profile_report *r)
{
	nx_bytes_printf(out, "<h1>");
	nx_page_text(out, r->name);
	nx_bytes_printf(out, "</h1>\n<p>%s profile",
			r->why->span_ps || find_measure(r->measures, "total_time") ? "Device"
										   : "System");
	for (size_t i = 0; i < r->diagnosis->symptoms.len; i++) {
		const char *category = r->diagnosis->symptoms.items[i].category;
		bool is_known = false;

		for (size_t k = 0; k < i; k++)
			is_known = is_known ||
				   !strcmp(category, r->diagnosis->symptoms.items[k].category);
		if (is_known)
			continue;
		nx_bytes_printf(out, " <span class=badge>");
		nx_page_text(out, category);
		nx_bytes_printf(out, "</span>");
	}
	nx_bytes_printf(out, "</p>\n");
	if (find_measure(r->measures, "total_time"))
		put_cards(out, r);
}

/* --- the critical path ----------------------------------------------------- */

static void put_path(struct nx_bytes *out, const struct nx_why_answer *why)
{
	double largest = why->path.len ? (double)why->path.items[0].time_ps : 0;
	double span_ps = (double)why->span_ps, rest_ps = 0;

	nx_bytes_printf(out, "<h2>What bound the run</h2>\n<p>The critical path: the chain of "
			     "causes that made the run this long, in parts that add up to "
			     "it.</p>\n<table><tbody>\n");
	for (size_t i = 0; i < why->path.len; i++) {
		const struct nx_why_part *p = &why->path.items[i];
		char class[8];

		if (i >= PARTS_SHOWN) {
			rest_ps += (double)p->time_ps;
			continue;
		}
		snprintf(class, sizeof(class), "k%u", nx_cause_colour(p->cause));
		nx_bytes_printf(out, "<tr><td class=name>");
		nx_page_text(out, p->engine ? p->engine : "");
		nx_bytes_printf(out, "%s", p->engine ? " " : "");
		nx_page_text(out, strcmp(p->cause, "frame")
					  ? p->cause
					  : "frame: the runtime's start-up and epilogue");
		nx_bytes_printf(out, "</td><td class=n>%.3f us</td><td class=n>%.1f %%</td>",
				(double)p->time_ps / 1e6, percent((double)p->time_ps, span_ps));
		put_bar(out, class, percent((double)p->time_ps, largest));
	}
	if (rest_ps > 0) {
		nx_bytes_printf(out,
				"<tr><td class=name>%zu smaller parts</td><td class=n>%.3f us</td>"
				"<td class=n>%.1f %%</td>",
				why->path.len - PARTS_SHOWN, rest_ps / 1e6,
				percent(rest_ps, span_ps));
		nx_bytes_printf(out, "<td></td></tr>\n");
	}
	nx_bytes_printf(out,
			"</tbody></table>\n<p class=quiet>%.2f %% of the path has no known cause; "
			"%lld of %lld waits are matched with what ended them.</p>\n",
			percent((double)why->path_unexplained_ps, span_ps),
			(long long)why->matched_count, (long long)why->wait_count);
}

static void put_scenarios(struct nx_bytes *out, const struct nx_why_answer *why)
{
	if (!why->scenarios.len)
		return;
	nx_bytes_printf(out,
			"<h2>What if</h2>\n<p>How much shorter the run would be if one cause "
			"went away, by a replay of the run. Other work then limits it, so that a "
			"gain is less than the share of the path.</p>\n<table><thead><tr><th>"
			"scenario</th><th class=n>on the path</th><th class=n>gain at most</th>"
			"<th class=n>of the run</th><th></th></tr></thead><tbody>\n");
	for (size_t i = 0; i < why->scenarios.len && i < ROWS_SHOWN; i++) {
		const struct nx_what_if *s = &why->scenarios.items[i];

		nx_bytes_printf(out, "<tr><td class=name>");
		nx_page_text(out, s->scenario);
		if (s->path_ps >= 0)
			nx_bytes_printf(out, "</td><td class=n>%.3f us</td>",
					(double)s->path_ps / 1e6);
		else
			nx_bytes_printf(out, "</td><td class=n>-</td>");
		nx_bytes_printf(out, "<td class=n>%.3f us</td><td class=n>%.1f %%</td>",
				(double)s->gain_ps / 1e6,
				percent((double)s->gain_ps, (double)why->span_ps));
		put_bar(out, "less", percent((double)s->gain_ps, (double)why->span_ps));
	}
	nx_bytes_printf(out, "</tbody></table>\n");
}

/* --- findings -------------------------------------------------------------- */

static void put_entry(struct nx_bytes *out, const char *title, const char *text)
{
	nx_bytes_printf(out, "<dt>%s</dt><dd>", title);
	nx_page_text(out, text);
	nx_bytes_printf(out, "</dd>\n");
}

static void put_findings(struct nx_bytes *out, const struct nx_profile_report *r)
{
	char where[NX_FINDING_WHERE_MAX], gain[NX_FINDING_GAIN_MAX];

	nx_bytes_printf(out, "<h2>What to change first</h2>\n");
	if (!r->finding_count)
		nx_bytes_printf(out, "<p>No rule found anything to improve.</p>\n");
	for (size_t i = 0; i < r->finding_count; i++) {
		const struct nx_finding *f = &r->findings[i];

		nx_bytes_printf(out, "<div class=finding><h3>%zu. ", i + 1);
		nx_page_text(out, f->title);
		nx_bytes_printf(out, "</h3>\n<dl>");
		put_entry(out, "Measured", f->measured);
		if (*nx_finding_where(f, r->origin_ns, where))
			put_entry(out, "Where", where);
		put_entry(out, "Cause", f->cause);
		put_entry(out, "What to do", f->advice);
		put_entry(out, "Gain", nx_finding_gain(f, gain));
		put_entry(out, "Confidence", nx_confidence_names[f->confidence]);
		nx_bytes_printf(out, "</dl></div>\n");
	}
}

/* --- lines of source ------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
	const struct nx_line_cost *const *x = a, *const *y = b;
	int64_t left = (*x)->total_ps[NX_LINE_PATH], right = (*y)->total_ps[NX_LINE_PATH];

	return (left < right) - (left > right);
}

static void put_lines(struct nx_bytes *out, const struct nx_source_costs *costs)
{
	NX_VEC(const struct nx_line_cost *) lines = {0};

	for (size_t i = 0; i < costs->lines.len; i++)
		if (costs->lines.items[i].total_ps[NX_LINE_PATH] > 0)
			nx_vec_push(&lines, &costs->lines.items[i]);
	if (lines.len) {
		qsort(lines.items, lines.len, sizeof(*lines.items), compare_lines);
		nx_bytes_printf(out, "<h2>Lines of source on the critical path</h2>\n<table><thead>"
				     "<tr><th>line</th><th>mostly</th><th class=n>on the path</th>"
				     "<th class=n>share</th><th></th></tr></thead><tbody>\n");
	}
	for (size_t i = 0; i < lines.len && i < LINES_SHOWN; i++) {
		const struct nx_line_cost *line = lines.items[i];
		const char *cause = line->parts[NX_LINE_PATH].items[0].name;
		double path_ps = (double)line->total_ps[NX_LINE_PATH];
		char class[8];

		snprintf(class, sizeof(class), "k%u", nx_cause_colour(cause));
		nx_bytes_printf(out, "<tr><td class=name>");
		nx_page_text(out, line->file);
		nx_bytes_printf(out, ":%u</td><td>", line->line);
		nx_page_text(out, cause);
		nx_bytes_printf(out, "</td><td class=n>%.3f us</td><td class=n>%.1f %%</td>",
				path_ps / 1e6, percent(path_ps, (double)costs->span_ps));
		put_bar(out, class, percent(path_ps, (double)lines.items[0]->total_ps[0]));
	}
	if (lines.len)
		nx_bytes_printf(out, "</tbody></table>\n");
	nx_vec_release(&lines);
}

/* --- the rest -------------------------------------------------------------- */

/* Steps, gaps and calls of a system profile, the longest first. */
static int compare_measures(const void *a, const void *b)
{
	const struct nx_measure *const *x = a, *const *y = b;

	return ((*x)->value < (*y)->value) - ((*x)->value > (*y)->value);
}

static void put_section(struct nx_bytes *out, const struct nx_measures *measures,
			enum nx_measure_section section)
{
	NX_VEC(const struct nx_measure *) rows = {0};
	char text[NX_MEASURE_TEXT_MAX];

	for (size_t i = 0; i < measures->items.len; i++)
		if (measures->items.items[i].section == section)
			nx_vec_push(&rows, &measures->items.items[i]);
	if (rows.len) {
		qsort(rows.items, rows.len, sizeof(*rows.items), compare_measures);
		nx_bytes_printf(out, "<h2>%s</h2>\n<table><tbody>\n",
				nx_measure_sections[section].title);
	}
	for (size_t i = 0; i < rows.len && i < ROWS_SHOWN; i++) {
		nx_bytes_printf(out, "<tr><td class=name>");
		nx_page_text(out, rows.items[i]->name);
		nx_bytes_printf(out, "</td><td class=n>%s</td>",
				nx_measure_text(rows.items[i]->unit, rows.items[i]->value, text));
		put_bar(out, "other", percent(rows.items[i]->value, rows.items[0]->value));
	}
	if (rows.len)
		nx_bytes_printf(out, "</tbody></table>\n");
	nx_vec_release(&rows);
}

static void put_diagnosis(struct nx_bytes *out, const struct nx_diagnosis *diagnosis)
{
	nx_bytes_printf(out, "<h2>What the capture lacks</h2>\n");
	if (!diagnosis->symptoms.len)
		nx_bytes_printf(out, "<p>Nothing that is checked is missing or lost.</p>\n");
	else
		nx_bytes_printf(out, "<dl>");
	for (size_t i = 0; i < diagnosis->symptoms.len; i++) {
		nx_bytes_printf(out, "<dt>");
		nx_page_text(out, diagnosis->symptoms.items[i].category);
		nx_bytes_printf(out, "</dt><dd>");
		nx_page_text(out, diagnosis->symptoms.items[i].message);
		nx_bytes_printf(out, "</dd>\n");
	}
	if (diagnosis->symptoms.len)
		nx_bytes_printf(out, "</dl>\n");
}

void nx_profile_report_html(struct nx_bytes *out, const struct nx_profile_report *r)
{
	nx_page_begin(out, r->name);
	put_head(out, r);
	if (r->why->span_ps)
		put_path(out, r->why);
	if (r->picture->span_ps > 0) {
		nx_bytes_printf(out, "<h2>Timeline</h2>\n");
		nx_report_legend(out);
		nx_report_timeline(out, r->picture);
	}
	if (r->why->engines.len) {
		nx_bytes_printf(out, "<h2>Time of the engines</h2>\n<p>What each engine did, and "
				     "what it waited for, over the whole run.</p>\n");
		nx_report_engines(out, r->why);
	}
	put_section(out, r->measures, NX_MEASURE_STEP);
	put_section(out, r->measures, NX_MEASURE_GAP);
	put_section(out, r->measures, NX_MEASURE_CALL);
	put_findings(out, r);
	put_scenarios(out, r->why);
	put_lines(out, r->costs);
	put_diagnosis(out, r->diagnosis);
	nx_page_end(out);
}
