/* SPDX-License-Identifier: Apache-2.0 */
#include "export/findings_report.h"

#include <math.h>
#include <stdio.h>

const char *nx_finding_where(const struct nx_finding *finding, uint64_t origin_ns,
			     char out[NX_FINDING_WHERE_MAX])
{
	const struct nx_fact_detail *d = finding->detail;
	bool has_time = d->to_ns > d->from_ns;
	int len = snprintf(out, NX_FINDING_WHERE_MAX, "%s",
			   *d->place  ? d->place
			   : has_time ? "the timeline"
				      : "");

	if (has_time)
		snprintf(out + len, NX_FINDING_WHERE_MAX - (size_t)len, ", from %.3f to %.3f us",
			 (double)(d->from_ns - origin_ns) / 1e3,
			 (double)(d->to_ns - origin_ns) / 1e3);
	return out;
}

const char *nx_finding_gain(const struct nx_finding *finding, char out[NX_FINDING_GAIN_MAX])
{
	const struct nx_fact_detail *d = finding->detail;
	int len = isnan(d->gain_frac) ? snprintf(out, NX_FINDING_GAIN_MAX, "not known")
				      : snprintf(out, NX_FINDING_GAIN_MAX,
						 "at most %.1f %% of the run", 100 * d->gain_frac);

	if (!isnan(d->path_frac))
		snprintf(out + len, NX_FINDING_GAIN_MAX - (size_t)len,
			 "; %.1f %% of the critical path", 100 * d->path_frac);
	return out;
}

void nx_findings_markdown(struct nx_bytes *out, const struct nx_finding *findings, size_t count,
			  uint64_t origin_ns)
{
	char where[NX_FINDING_WHERE_MAX], gain[NX_FINDING_GAIN_MAX];

	if (!count)
		nx_bytes_printf(out, "\nNo rule found anything to improve.\n");
	for (size_t i = 0; i < count; i++) {
		const struct nx_finding *f = &findings[i];

		nx_bytes_printf(out, "\n## %zu. %s\n\n**Measured:** %s\n\n", i + 1, f->title,
				f->measured);
		if (*nx_finding_where(f, origin_ns, where))
			nx_bytes_printf(out, "**Where:** %s\n\n", where);
		nx_bytes_printf(out,
				"**Cause:** %s\n\n**What to do:** %s\n\n**Gain:** %s\n\n"
				"**Confidence:** %s\n",
				f->cause, f->advice, nx_finding_gain(f, gain),
				nx_confidence_names[f->confidence]);
	}
}

static void key_frac_or_null(struct nx_json_writer *w, const char *key, double frac)
{
	nx_json_key(w, key);
	if (isnan(frac))
		nx_json_null(w);
	else
		nx_json_f64(w, frac);
}

/* As text: times of a system profile do not fit a double. */
static void key_time(struct nx_json_writer *w, const char *key, uint64_t time_ns)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)time_ns);
	nx_json_key_text(w, key, digits);
}

void nx_finding_json(struct nx_json_writer *w, const struct nx_finding *finding)
{
	const struct nx_fact_detail *d = finding->detail;

	nx_json_begin_object(w);
	nx_json_key_text(w, "kind", nx_finding_names[finding->kind]);
	nx_json_key_u64(w, "severity", finding->severity);
	nx_json_key_text(w, "title", finding->title);
	nx_json_key_text(w, "measured", finding->measured);
	nx_json_key_text(w, "cause", finding->cause);
	nx_json_key_text(w, "advice", finding->advice);
	nx_json_key_f64(w, "value", finding->value);
	nx_json_key_text(w, "unit", finding->unit);
	nx_json_key_text(w, "place", d->place);
	key_time(w, "from_ns", d->from_ns);
	key_time(w, "to_ns", d->to_ns);
	key_frac_or_null(w, "gain_frac", d->gain_frac);
	key_frac_or_null(w, "path_frac", d->path_frac);
	nx_json_key_text(w, "confidence", nx_confidence_names[finding->confidence]);
	nx_json_end_object(w);
}
