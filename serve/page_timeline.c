/* SPDX-License-Identifier: Apache-2.0 */
/* Engine activity as bars, and over time as one small area chart per lane. */
#include <stdio.h>

#include "export/exporters.h"
#include "serve/html.h"
#include "serve/page_internal.h"
#include "serve/quantity.h"

#define CHART_HEIGHT 100
#define LEVEL_MAX 10000

static void put_bar(struct nx_bytes *page, const struct nx_overview *o, uint32_t core,
		    unsigned lane)
{
	double frac = (double)o->cores[core].lanes[lane].total_ps / (double)o->span_ps;
	char width[32];

	snprintf(width, sizeof(width), "%.2f%%", 100 * frac);
	nx_html_write(page,
		      "<li><span>$</span><svg class=\"bar\" aria-hidden=\"true\"><rect "
		      "class=\"track\" width=\"100%\"/><rect class=\"lane-$\" width=\"$\"/></svg>"
		      "<b>$</b></li>",
		      nx_page_lane_label(lane), nx_page_lane_word(lane), width,
		      nx_quantity_percent(frac).text);
}

/* A step line around the area: a point only where the level changes. */
static void put_area(struct nx_bytes *page, const struct nx_overview *o, const struct nx_lane *lane,
		     const char *word)
{
	unsigned last = 0;
	char step[48];

	nx_html_write(page, "<path class=\"lane-$\" d=\"M0 100", word);
	for (unsigned c = 0; c < o->column_count; c++) {
		unsigned level = nx_overview_level(o, lane, c);

		if (level == last)
			continue;
		snprintf(step, sizeof(step), "H%uV%.4g", c,
			 CHART_HEIGHT - (double)level * CHART_HEIGHT / LEVEL_MAX);
		nx_html_write(page, "$", step);
		last = level;
	}
	snprintf(step, sizeof(step), "H%uV%d", o->column_count, CHART_HEIGHT);
	nx_html_write(page, "$Z\"/>", step);
}

static void put_throttle_bands(struct nx_bytes *page, const struct nx_overview *o, uint32_t core)
{
	const struct nx_lane *lane = &o->cores[core].lanes[NX_LANE_THROTTLE];
	char x[24], width[24];

	for (unsigned c = 0, first; c < o->column_count; c++) {
		if (!lane->busy_ps[c])
			continue;
		first = c;
		while (c < o->column_count && lane->busy_ps[c])
			c++;
		snprintf(x, sizeof(x), "%u", first);
		snprintf(width, sizeof(width), "%u", c - first);
		nx_html_write(page,
			      "<rect class=\"throttle\" x=\"$\" width=\"$\" "
			      "height=\"100\"/>",
			      x, width);
	}
}

static void put_lane(struct nx_bytes *page, const struct nx_overview *o, uint32_t core,
		     unsigned lane)
{
	char width[32];

	/* the last column may stand for less time than the others */
	snprintf(width, sizeof(width), "%.6g", (double)o->span_ps / (double)o->column_ps);
	nx_html_write(page,
		      "<div class=\"lane\"><span>$</span><svg viewBox=\"0 0 $ 100\" "
		      "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
		      nx_page_lane_label(lane), width);
	put_throttle_bands(page, o, core);
	put_area(page, o, &o->cores[core].lanes[lane], nx_page_lane_word(lane));
	nx_html_write(page, "</svg></div>");
}

/* A round step (1, 2 or 5 times a power of ten) that gives four to ten marks. */
static uint64_t tick_step_ps(uint64_t span_ps)
{
	uint64_t step = 1;

	while (span_ps / step >= 100)
		step *= 10;
	if (span_ps / step >= 50)
		return step * 10;
	if (span_ps / step >= 20)
		return step * 5;
	return span_ps / step >= 10 ? step * 2 : step;
}

static void put_axis(struct nx_bytes *page, const struct nx_overview *o)
{
	uint64_t step_ps = tick_step_ps(o->span_ps);
	char x[32];

	nx_html_write(page, "<div class=\"lane axis\"><span></span><svg aria-hidden=\"true\">");
	/* a label near the right edge would be cut off */
	for (uint64_t at_ps = 0; at_ps < o->span_ps - o->span_ps / 16; at_ps += step_ps) {
		snprintf(x, sizeof(x), "%.3f%%", 100 * (double)at_ps / (double)o->span_ps);
		nx_html_write(
			page,
			"<line x1=\"$\" x2=\"$\" y1=\"-9999\" y2=\"6\"/><text x=\"$\" y=\"20\">"
			"$</text>",
			x, x, x, nx_quantity_ps(at_ps).text);
	}
	nx_html_write(page, "</svg></div>");
}

static void put_core(struct nx_bytes *page, const struct nx_profile *profile,
		     const struct nx_overview *o, uint32_t core)
{
	char name[48];

	snprintf(name, sizeof(name), "NeuronCore %u", profile->capture.graphs[core].nc_idx);
	nx_html_write(page, "<h3>$</h3>", name);
	for (unsigned i = 0; i < NX_LANE_BUSY_COUNT; i++)
		put_lane(page, o, core, nx_page_lane_order[i]);
}

static bool has_throttling(const struct nx_overview *o)
{
	for (uint32_t core = 0; core < o->core_count; core++)
		if (o->cores[core].lanes[NX_LANE_THROTTLE].total_ps)
			return true;
	return false;
}

static void put_activity(struct nx_bytes *page, const struct nx_profile *profile,
			 const struct nx_overview *o)
{
	char name[48];

	nx_html_write(page, "<section aria-labelledby=\"activity\"><h2 id=\"activity\">Activity"
			    "</h2><p class=\"hint\">Share of the time in which each engine, or "
			    "any DMA, was at work.</p><div class=\"columns\">");
	for (uint32_t core = 0; core < o->core_count; core++) {
		snprintf(name, sizeof(name), "NeuronCore %u", profile->capture.graphs[core].nc_idx);
		nx_html_write(page, "<div><h3>$</h3><ul class=\"bars\">", name);
		for (unsigned i = 0; i < NX_LANE_BUSY_COUNT; i++)
			put_bar(page, o, core, nx_page_lane_order[i]);
		nx_html_write(page, "</ul></div>");
	}
	nx_html_write(page, "</div></section>");
}

void nx_page_timeline(struct nx_bytes *page, const struct nx_profile *profile,
		      const struct nx_overview *o)
{
	char key[NX_PROFILE_KEY_MAX];

	nx_profile_key(profile, key);
	nx_html_write(page,
		      "<section aria-labelledby=\"timeline\"><h2 id=\"timeline\">Timeline</h2>"
		      "<p class=\"hint\">Height is how busy each was at that time. Point at it, "
		      "or focus it and use the arrow keys.$</p><div class=\"lanes\" "
		      "tabindex=\"0\" role=\"group\" aria-labelledby=\"timeline\" "
		      "data-overview=\"/profile/$/overview.json\">",
		      has_throttling(o) ? " Red: throttled." : "", key);
	for (uint32_t core = 0; core < o->core_count; core++)
		put_core(page, profile, o, core);
	put_axis(page, o);
	nx_html_write(page, "<div class=\"cursor\" hidden></div></div><div class=\"tip\" "
			    "role=\"status\" hidden></div></section>");
	put_activity(page, profile, o);
}
