/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/exporters.h"
#include "serve/html.h"
#include "serve/page_internal.h"
#include "serve/quantity.h"

const unsigned nx_page_lane_order[NX_LANE_BUSY_COUNT] = {
	NX_ENGINE_TENSOR, NX_ENGINE_VECTOR, NX_ENGINE_SCALAR,
	NX_ENGINE_GPSIMD, NX_ENGINE_SYNC,   NX_LANE_DMA,
};

const char *nx_page_lane_label(unsigned lane)
{
	return lane == NX_LANE_DMA ? "DMA" : nx_engines[lane].label;
}

const char *nx_page_lane_word(unsigned lane)
{
	return lane == NX_LANE_DMA ? "dma" : nx_engines[lane].word;
}

const struct nx_metric *nx_page_metric(const struct nx_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->metrics.len; i++)
		if (!strcmp(profile->metrics.items[i].name, name))
			return &profile->metrics.items[i];
	return NULL;
}

static double metric_number(const struct nx_profile *profile, const char *name)
{
	const struct nx_metric *m = nx_page_metric(profile, name);
	double number = m && m->kind == NX_METRIC_NUMBER ? m->number : 0;

	return isfinite(number) ? number : 0;
}

static void put_head(struct nx_bytes *page, const char *title)
{
	nx_html_write(page,
		      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
		      "<meta name=\"color-scheme\" content=\"light dark\"><title>$</title>"
		      "<link rel=\"icon\" href=\"/assets/icon.svg\" type=\"image/svg+xml\">"
		      "<link rel=\"stylesheet\" href=\"/assets/style.css\">"
		      "<script src=\"/assets/profile.js\" defer></script></head><body>"
		      "<a class=\"skip\" href=\"#main\">Skip to the profile</a>"
		      "<header class=\"top\"><a class=\"brand\" href=\"/\">"
		      "<img src=\"/assets/icon.svg\" alt=\"\" width=\"24\" height=\"24\">"
		      "Open Neuron Explorer</a>",
		      title);
}

static void put_foot(struct nx_bytes *page)
{
	nx_html_write(page,
		      "</main><footer>$ · served from this computer, nothing leaves it"
		      "</footer></body></html>\n",
		      NX_PRODUCT_VERSION);
}

void nx_page_message(struct nx_bytes *page, const char *title, const char *sentence)
{
	put_head(page, title);
	nx_html_write(page,
		      "</header><main id=\"main\"><h1>$</h1><p>$</p>"
		      "<p><a href=\"/\">All profiles</a></p>",
		      title, sentence);
	put_foot(page);
}

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "unknown";
}

static const char *title_of(const struct nx_profile *profile)
{
	const char *model = profile->capture.model_name;

	return model && *model ? model : profile->name;
}

void nx_page_list(struct nx_bytes *page, const struct nx_profile *profile)
{
	char key[NX_PROFILE_KEY_MAX];

	nx_profile_key(profile, key);
	put_head(page, "Profiles · Open Neuron Explorer");
	nx_html_write(page,
		      "</header><main id=\"main\"><h1>Profiles</h1><ul class=\"list\"><li>"
		      "<a class=\"card\" href=\"/profile/$\"><strong>$</strong>"
		      "<span>$ · $ · $</span></a></li></ul>",
		      key, title_of(profile), profile->name,
		      or_unknown(profile->capture.instance_type),
		      nx_quantity_ps(profile->capture.total_time_ps).text);
	put_foot(page);
}

static void put_fact(struct nx_bytes *page, const char *name, const char *value)
{
	nx_html_write(page, "<div><dt>$</dt><dd>$</dd></div>", name, or_unknown(value));
}

/* Captures write a version as "2.26.0 (commit)", often with an empty commit. */
static void put_version(struct nx_bytes *page, const char *name, const char *version)
{
	char text[128];

	snprintf(text, sizeof(text), "%s", or_unknown(version));
	if (nx_slice_ends(nx_slice_text(text), " ()"))
		text[strlen(text) - 3] = 0;
	put_fact(page, name, text);
}

static void put_identity(struct nx_bytes *page, const struct nx_profile *profile)
{
	const struct nx_capture *c = &profile->capture;
	char cores[48];

	snprintf(cores, sizeof(cores), "%s, %u core%s", c->hardware->name, c->graph_count,
		 c->graph_count == 1 ? "" : "s");
	nx_html_write(page, "<h1>$</h1><dl class=\"facts\">", title_of(profile));
	put_fact(page, "Capture", profile->name);
	put_fact(page, "Instance", c->instance_type);
	put_fact(page, "Hardware", cores);
	put_version(page, "Runtime", c->runtime_version);
	put_version(page, "Driver", c->driver_version);
	put_version(page, "Collectives", c->collectives_version);
	if (profile->has_binary)
		put_version(page, "Compiler", profile->binary.compiler_version);
	nx_html_write(page, "</dl>");
}

/* One sentence that tells where to look first. */
static void put_verdict(struct nx_bytes *page, const struct nx_profile *profile)
{
	double best = -1;
	unsigned busiest = NX_LANE_DMA;
	char name[64];

	for (unsigned i = 0; i < NX_LANE_BUSY_COUNT; i++) {
		unsigned lane = nx_page_lane_order[i];
		double frac;

		snprintf(name, sizeof(name), "%s%s_active_time_percent", nx_page_lane_word(lane),
			 lane == NX_LANE_DMA ? "" : "_engine");
		frac = metric_number(profile, name);
		if (frac > best) {
			best = frac;
			busiest = lane;
		}
	}
	nx_html_write(page,
		      "<p class=\"verdict\"><b>$</b> is busiest: at work$ $ of the time. For $ of "
		      "it nothing ran at all.</p>",
		      nx_page_lane_label(busiest),
		      profile->capture.graph_count > 1 ? " on some core" : "",
		      nx_quantity_percent(best).text,
		      nx_quantity_percent(
			      fmax(0, 1 - metric_number(profile, "total_active_time_percent")))
			      .text);
}

static void put_card(struct nx_bytes *page, const char *title, const char *value, double frac,
		     const char *note)
{
	char width[32];

	nx_html_write(page, "<li class=\"card\"><span>$</span><strong>$</strong>", title, value);
	if (frac >= 0) {
		snprintf(width, sizeof(width), "%.2f%%", 100 * fmin(frac, 1));
		nx_html_write(page,
			      "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"track\" "
			      "width=\"100%\"/><rect class=\"level\" width=\"$\"/></svg>",
			      width);
	}
	nx_html_write(page, "<small>$</small></li>", note);
}

static void put_cards(struct nx_bytes *page, const struct nx_profile *profile)
{
	static const struct {
		const char *title, *metric, *note;
	} shares[] = {
		{"MFU", "mfu_estimated_percent", "matrix work the model needs, of the peak"},
		{"HFU", "hfu_estimated_percent", "matrix work the hardware did, of the peak"},
		{"HBM bandwidth", "mbu_estimated_percent", "bytes moved, of what was possible"},
		{"Anything active", "total_active_time_percent", "any engine or any DMA"},
	};

	nx_html_write(page, "<ul class=\"cards\">");
	put_card(page, "Total time", nx_quantity_ps(profile->capture.total_time_ps).text, -1,
		 "from start mark to end mark");
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		double frac = metric_number(profile, shares[i].metric);

		put_card(page, shares[i].title, nx_quantity_percent(frac).text, frac,
			 shares[i].note);
	}
	nx_html_write(page, "</ul>");
}

static void put_warnings(struct nx_bytes *page, const struct nx_profile *profile)
{
	if (!profile->warnings.len)
		return;
	nx_html_write(page, "<section aria-labelledby=\"notes\"><h2 id=\"notes\">"
			    "Good to know</h2><ul class=\"notes\">");
	for (size_t i = 0; i < profile->warnings.len; i++)
		nx_html_write(page, "<li><b>$</b> $</li>", profile->warnings.items[i].category,
			      profile->warnings.items[i].message);
	nx_html_write(page, "</ul></section>");
}

void nx_page_profile(struct nx_bytes *page, const struct nx_profile *profile,
		     const struct nx_overview *overview)
{
	char key[NX_PROFILE_KEY_MAX];

	nx_profile_key(profile, key);
	put_head(page, title_of(profile));
	nx_html_write(page,
		      "<nav aria-label=\"Downloads\"><a href=\"/profile/$/summary.json\">Summary "
		      "JSON</a><a href=\"/profile/$/profile.json\" download>Profile JSON</a></nav>"
		      "</header><main id=\"main\">",
		      key, key);
	put_identity(page, profile);
	put_cards(page, profile);
	put_verdict(page, profile);
	nx_page_timeline(page, profile, overview);
	put_warnings(page, profile);
	nx_page_layers(page, profile);
	nx_page_metrics(page, profile);
	put_foot(page);
}
