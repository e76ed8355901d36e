/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the page: layers by duration, and every metric with its meaning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "export/exporters.h"
#include "model/metrics.h"
#include "serve/html.h"
#include "serve/page_internal.h"
#include "serve/quantity.h"

#define LAYERS_SHOWN 50
#define DESCRIPTION_MAX 1024

/* --- layers ---------------------------------------------------------------- */

static uint64_t duration_ps(const struct nx_layer *layer)
{
	return layer->end_ps > layer->start_ps ? layer->end_ps - layer->start_ps : 0;
}

static int longest_first(const void *left, const void *right)
{
	const struct nx_layer *a = *(const struct nx_layer *const *)left;
	const struct nx_layer *b = *(const struct nx_layer *const *)right;

	if (duration_ps(a) != duration_ps(b))
		return duration_ps(a) < duration_ps(b) ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void put_layer(struct nx_bytes *page, const struct nx_profile *profile,
		      const struct nx_layer *layer)
{
	uint64_t ps = duration_ps(layer);
	char core[16];

	snprintf(core, sizeof(core), "%u", profile->capture.graphs[layer->graph].nc_idx);
	nx_html_write(page, "<tr><th scope=\"row\">$</th><td>$</td><td>$</td><td>$</td>",
		      layer->name, core, nx_quantity_ps(layer->start_ps).text,
		      nx_quantity_ps(ps).text);
	for (unsigned i = 0; i < NX_ENGINE_COUNT; i++) {
		unsigned engine = nx_page_lane_order[i];
		double frac = ps ? (double)layer->engines[engine].active_ps / (double)ps : 0;

		if (layer->engines[engine].instruction_count)
			nx_html_write(page, "<td>$</td>", nx_quantity_percent(frac).text);
		else
			nx_html_write(page, "<td class=\"none\">–</td>");
	}
	nx_html_write(page, "</tr>");
}

static void put_layer_head(struct nx_bytes *page, size_t shown, size_t count)
{
	char hint[160];

	snprintf(hint, sizeof(hint),
		 shown < count ? "The %zu longest of %zu. Percentages are of the layer's time."
			       : "Longest first, %zu of %zu. Percentages are of the layer's time.",
		 shown, count);
	nx_html_write(page,
		      "<p class=\"hint\">$</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		      "aria-labelledby=\"layers\"><table class=\"layers\"><thead><tr>"
		      "<th scope=\"col\">Layer</th><th scope=\"col\">Core</th>"
		      "<th scope=\"col\">Start</th><th scope=\"col\">Duration</th>",
		      hint);
	for (unsigned i = 0; i < NX_ENGINE_COUNT; i++)
		nx_html_write(page, "<th scope=\"col\">$</th>",
			      nx_page_lane_label(nx_page_lane_order[i]));
	nx_html_write(page, "</tr></thead><tbody>");
}

void nx_page_layers(struct nx_bytes *page, const struct nx_profile *profile)
{
	struct nx_arena arena = {0};
	const struct nx_layer **layers =
		NX_NEW_ARRAY(&arena, const struct nx_layer *, profile->layers.len);
	size_t count = 0, shown;

	for (size_t i = 0; i < profile->layers.len; i++)
		if (*profile->layers.items[i].name)
			layers[count++] = &profile->layers.items[i];
	qsort(layers, count, sizeof(*layers), longest_first);
	shown = count < LAYERS_SHOWN ? count : LAYERS_SHOWN;
	nx_html_write(page, "<section aria-labelledby=\"layers\"><h2 id=\"layers\">Layers</h2>");
	if (count) {
		put_layer_head(page, shown, count);
		for (size_t i = 0; i < shown; i++)
			put_layer(page, profile, layers[i]);
		nx_html_write(page, "</tbody></table></div>");
	} else {
		nx_html_write(page, "<p class=\"hint\">No instruction names a layer: open the "
				    "capture with its NEFF, compiled with debug info.</p>");
	}
	nx_html_write(page, "</section>");
	nx_arena_release(&arena);
}

/* --- metrics --------------------------------------------------------------- */

struct match { /* a metric's definition, and which core's it is */
	const struct nx_metric_definition *definition;
	unsigned core;
};

static struct match define(const char *name, uint32_t core_count)
{
	char expanded[NX_METRIC_NAME_MAX];

	for (size_t i = 0; i < nx_metric_count; i++)
		if (!strcmp(nx_metrics[i].name, name))
			return (struct match){&nx_metrics[i], 0};
	for (uint32_t core = 0; core < core_count; core++)
		for (size_t i = 0; i < nx_core_metric_count; i++) {
			nx_metric_expand(nx_core_metrics[i].name, core, expanded, sizeof(expanded));
			if (!strcmp(expanded, name))
				return (struct match){&nx_core_metrics[i], core};
		}
	return (struct match){NULL, 0};
}

static void put_metric(struct nx_bytes *page, const struct nx_metric *metric, struct match match)
{
	const char *unit = match.definition ? match.definition->unit : "";
	char meaning[DESCRIPTION_MAX] = "";
	struct nx_quantity value;

	if (match.definition)
		nx_metric_expand(match.definition->description, match.core, meaning,
				 sizeof(meaning));
	if (metric->kind != NX_METRIC_TEXT)
		value = nx_quantity_metric(metric, unit);
	nx_html_write(page, "<tr><th scope=\"row\">$</th><td>$</td><td>$</td></tr>", metric->name,
		      metric->kind == NX_METRIC_TEXT ? metric->text : value.text, meaning);
}

/* "tensor_engine" becomes "tensor engine"; the style capitalises it. */
static void put_group_head(struct nx_bytes *page, const char *name, unsigned core)
{
	char title[NX_METRIC_NAME_MAX];

	nx_metric_expand(name, core, title, sizeof(title));
	for (char *c = title; *c; c++)
		if (*c == '_')
			*c = ' ';
	nx_html_write(page,
		      "<tbody><tr class=\"group\"><th colspan=\"3\" scope=\"rowgroup\">$"
		      "</th></tr>",
		      title);
}

/* group NULL: what nobody has defined. */
static bool is_member(const struct match *match, const char *group, unsigned core)
{
	if (!group || !match->definition)
		return !group && !match->definition;
	return strcmp(match->definition->group, group) == 0 && match->core == core;
}

static void put_group(struct nx_bytes *page, const struct nx_profile *profile,
		      const struct match *matches, const char *group, unsigned core)
{
	bool is_open = false;

	for (size_t i = 0; i < profile->metrics.len; i++) {
		if (!is_member(&matches[i], group, core))
			continue;
		if (!is_open)
			put_group_head(page, group ? group : "other", core);
		is_open = true;
		put_metric(page, &profile->metrics.items[i], matches[i]);
	}
	if (is_open)
		nx_html_write(page, "</tbody>");
}

void nx_page_metrics(struct nx_bytes *page, const struct nx_profile *profile)
{
	uint32_t cores = profile->capture.graph_count;
	struct nx_arena arena = {0};
	struct match *matches = NX_NEW_ARRAY(&arena, struct match, profile->metrics.len);

	for (size_t i = 0; i < profile->metrics.len; i++)
		matches[i] = define(profile->metrics.items[i].name, cores);
	nx_html_write(page, "<section aria-labelledby=\"metrics\"><h2 id=\"metrics\">All metrics"
			    "</h2><label class=\"search\">Search <input type=\"search\" "
			    "id=\"metric-search\" placeholder=\"dma, flops, spill …\" "
			    "autocomplete=\"off\"></label><p class=\"hint\" id=\"metric-found\" "
			    "role=\"status\"></p><table class=\"metrics\"><colgroup><col>"
			    "<col><col></colgroup>");
	for (size_t g = 0; g < nx_metric_group_count; g++) {
		const char *name = nx_metric_groups[g].name;
		uint32_t times = strstr(name, "%u") ? cores : 1;

		for (uint32_t core = 0; core < times; core++)
			put_group(page, profile, matches, name, core);
	}
	put_group(page, profile, matches, NULL, 0);
	nx_html_write(page, "</table></section>");
	nx_arena_release(&arena);
}
