/* SPDX-License-Identifier: Apache-2.0 */
#include "export/compare_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/page.h"

#define ROWS_SHOWN 8u
#define ROWS_ON_PAGE 200u
#define SMALLEST_SHOWN 0.001 /* metrics that change by less are not news */

/* --- numbers --------------------------------------------------------------- */

struct scale {
	double from;
	const char *unit;
};

static const char *scaled(const struct scale *scales, double value, const char *sign,
			  char out[NX_MEASURE_TEXT_MAX])
{
	const struct scale *s = scales;

	while (s[1].unit && fabs(value) < s->from)
		s++;
	snprintf(out, NX_MEASURE_TEXT_MAX, "%s%.3f %s", value < 0 ? "-" : sign,
		 fabs(value) / s->from, s->unit);
	return out;
}

static const char *number_text(const char *unit, double value, const char *sign,
			       char out[NX_MEASURE_TEXT_MAX])
{
	static const struct scale times[] = {
		{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}, {0, NULL}};
	static const struct scale sizes[] = {
		{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}, {0, NULL}};

	if (!strcmp(unit, NX_MEASURE_NS))
		return scaled(times, value, sign, out);
	if (!strcmp(unit, "seconds"))
		return scaled(times, value * 1e9, sign, out);
	if (!strcmp(unit, "bytes"))
		return scaled(sizes, value, sign, out);
	if (!strcmp(unit, "percent"))
		/* a difference of percentages is in points, so that nobody takes it for a share */
		snprintf(out, NX_MEASURE_TEXT_MAX, "%s%.2f %s", value < 0 ? "-" : sign,
			 fabs(value) * 100, *sign ? "points" : "%");
	else
		snprintf(out, NX_MEASURE_TEXT_MAX, "%s%.6g", value < 0 ? "-" : sign, fabs(value));
	return out;
}

const char *nx_measure_text(const char *unit, double value, char out[NX_MEASURE_TEXT_MAX])
{
	return number_text(unit, value, "", out);
}

const char *nx_change_text(const struct nx_compared *row, size_t side,
			   char out[2 * NX_MEASURE_TEXT_MAX])
{
	const struct nx_change *c = &row->changes[side];
	char low[NX_MEASURE_TEXT_MAX], high[NX_MEASURE_TEXT_MAX];
	double whole = fabs(row->samples[0].mean);

	if (!c->has_share && !c->has_interval)
		return number_text(row->unit, c->difference, "+", out);
	if (!c->has_interval)
		snprintf(out, 2 * NX_MEASURE_TEXT_MAX, "%+.2f %%", 100 * c->relative);
	else if (c->has_share)
		snprintf(out, 2 * NX_MEASURE_TEXT_MAX, "%+.2f %% (%+.2f to %+.2f)",
			 100 * c->relative, 100 * c->low / whole, 100 * c->high / whole);
	else
		snprintf(out, 2 * NX_MEASURE_TEXT_MAX, "%s to %s",
			 number_text(row->unit, c->low, "+", low),
			 number_text(row->unit, c->high, "+", high));
	return out;
}

/* --- which rows ------------------------------------------------------------ */

struct rows NX_VEC_BODY(const struct nx_compared *);

/* How much a row matters: metrics have many units, so only their shares compare. */
static double weight(const struct nx_compared *row, size_t side)
{
	const struct nx_change *c = &row->changes[side];

	if (!c->is_known || c->difference == 0)
		return 0;
	if (row->section != NX_MEASURE_METRIC)
		return fabs(c->difference);
	return c->has_share && fabs(c->relative) >= SMALLEST_SHOWN ? fabs(c->relative) : 0;
}

static int compare_weights(const void *a, const void *b, void *context)
{
	const struct nx_compared *x = *(const struct nx_compared *const *)a;
	const struct nx_compared *y = *(const struct nx_compared *const *)b;
	size_t side = *(const size_t *)context;
	double wx = weight(x, side), wy = weight(y, side);

	return wx != wy ? (wx < wy ? 1 : -1) : strcmp(x->name, y->name);
}

/* The rows of a section that changed, the most important first. */
static struct rows choose(const struct nx_comparison *c, enum nx_measure_section section,
			  size_t side)
{
	struct rows rows = {0};

	for (size_t i = 0; i < c->rows.len; i++)
		if (c->rows.items[i].section == section && weight(&c->rows.items[i], side) > 0)
			nx_vec_push(&rows, &c->rows.items[i]);
	if (rows.len)
		qsort_r(rows.items, rows.len, sizeof(*rows.items), compare_weights, &side);
	return rows;
}

static const struct nx_compared *find(const struct nx_comparison *c,
				      enum nx_measure_section section, const char *name)
{
	for (size_t i = 0; i < c->rows.len; i++)
		if (c->rows.items[i].section == section && !strcmp(c->rows.items[i].name, name))
			return &c->rows.items[i];
	return NULL;
}

static bool lacks_repetition(const struct nx_comparison *c, size_t side)
{
	return c->sides[0].capture_count < 2 || c->sides[side].capture_count < 2;
}

/* --- text ------------------------------------------------------------------ */

static void put_row(struct nx_bytes *out, const struct nx_compared *row, size_t side)
{
	char before[NX_MEASURE_TEXT_MAX], after[NX_MEASURE_TEXT_MAX],
		difference[NX_MEASURE_TEXT_MAX], change[2 * NX_MEASURE_TEXT_MAX];

	nx_bytes_printf(out, "  %13s -> %13s  %14s  %9s  %s\n",
			nx_measure_text(row->unit, row->samples[0].mean, before),
			nx_measure_text(row->unit, row->samples[side].mean, after),
			number_text(row->unit, row->changes[side].difference, "+", difference),
			row->changes[side].has_share || row->changes[side].has_interval
				? nx_change_text(row, side, change)
				: "new",
			row->name);
}

static void put_section(struct nx_bytes *out, const struct nx_comparison *c,
			enum nx_measure_section section, size_t side)
{
	struct rows rows = choose(c, section, side);
	const char *unit = rows.len ? rows.items[0]->unit : "";
	char text[NX_MEASURE_TEXT_MAX];
	double rest = 0;

	if (rows.len)
		nx_bytes_printf(out, "\n%s, the largest changes first:\n",
				nx_measure_sections[section].title);
	for (size_t i = 0; i < rows.len; i++) {
		if (i < ROWS_SHOWN)
			put_row(out, rows.items[i], side);
		else
			rest += rows.items[i]->changes[side].difference;
	}
	if (rows.len > ROWS_SHOWN && section == NX_MEASURE_PATH)
		nx_bytes_printf(out, "  %31s%14s  %9s  %zu smaller changes\n", "",
				number_text(unit, rest, "+", text), "", rows.len - ROWS_SHOWN);
	else if (rows.len > ROWS_SHOWN)
		nx_bytes_printf(out, "  and %zu smaller changes (--format json lists all)\n",
				rows.len - ROWS_SHOWN);
	nx_vec_release(&rows);
}

static void put_captures(struct nx_bytes *out, const struct nx_side *side)
{
	nx_bytes_printf(out, "%s (%zu capture%s)", side->name, side->capture_count,
			side->capture_count == 1 ? "" : "s");
}

static void put_side(struct nx_bytes *out, const struct nx_comparison *c, size_t side)
{
	const struct nx_compared *total = find(c, NX_MEASURE_METRIC, "total_time");

	put_captures(out, &c->sides[0]);
	nx_bytes_printf(out, " -> ");
	put_captures(out, &c->sides[side]);
	nx_bytes_printf(out, "\n");
	if (total && total->changes[side].is_known)
		put_row(out, total, side);
	if (lacks_repetition(c, side))
		nx_bytes_printf(
			out,
			"One capture on a side: a change may be noise. Name several captures, such "
			"as 'before-*', for intervals.\n");
	else
		nx_bytes_printf(out, "In brackets, the 95 %% interval of the change.\n");
	for (unsigned s = 0; s < NX_MEASURE_SECTION_COUNT; s++)
		if (s != NX_MEASURE_METRIC)
			put_section(out, c, (enum nx_measure_section)s, side);
	put_section(out, c, NX_MEASURE_METRIC, side);
}

void nx_comparison_text(struct nx_bytes *out, const struct nx_comparison *c)
{
	for (size_t side = 1; side < c->side_count; side++) {
		if (side > 1)
			nx_bytes_printf(out, "\n");
		put_side(out, c, side);
	}
}

/* --- JSON ------------------------------------------------------------------ */

static void write_samples(struct nx_json_writer *w, const struct nx_compared *row, size_t count)
{
	nx_json_key(w, "samples");
	nx_json_begin_array(w);
	for (size_t side = 0; side < count; side++) {
		const struct nx_measure_sample *s = &row->samples[side];

		nx_json_begin_object(w);
		nx_json_key_u64(w, "count", s->count);
		if (s->count) {
			nx_json_key(w, "mean");
			nx_json_f64(w, s->mean);
		}
		if (s->count > 1) {
			nx_json_key(w, "standard_deviation");
			nx_json_f64(w, sqrt(s->variance));
		}
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_change(struct nx_json_writer *w, const struct nx_change *c, size_t side)
{
	const struct {
		const char *key;
		bool is_there;
		double value;
	} members[] = {
		{"difference", c->is_known, c->difference},
		{"relative", c->has_share, c->relative},
		{"low", c->has_interval, c->low},
		{"high", c->has_interval, c->high},
	};

	nx_json_begin_object(w);
	nx_json_key_u64(w, "side", side);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (members[i].is_there) {
			nx_json_key(w, members[i].key);
			nx_json_f64(w, members[i].value);
		}
	nx_json_end_object(w);
}

void nx_comparison_json(struct nx_json_writer *w, const struct nx_comparison *c)
{
	nx_json_key(w, "sides");
	nx_json_begin_array(w);
	for (size_t side = 0; side < c->side_count; side++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", c->sides[side].name);
		nx_json_key_u64(w, "captures", c->sides[side].capture_count);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_json_key(w, "rows");
	nx_json_begin_array(w);
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct nx_compared *row = &c->rows.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "section", nx_measure_sections[row->section].word);
		nx_json_key_text(w, "name", row->name);
		nx_json_key_text(w, "unit", row->unit);
		write_samples(w, row, c->side_count);
		nx_json_key(w, "changes");
		nx_json_begin_array(w);
		for (size_t side = 1; side < c->side_count; side++)
			write_change(w, &row->changes[side], side);
		nx_json_end_array(w);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

/* --- a page ---------------------------------------------------------------- */

static void put_cell(struct nx_bytes *out, const char *text)
{
	nx_bytes_printf(out, "<td class=n>");
	nx_page_text(out, text);
	nx_bytes_printf(out, "</td>");
}

/* Less time is good; whether more of another metric is depends on the metric. */
static const char *colour_of(const struct nx_compared *row, double difference)
{
	if (strcmp(row->unit, NX_MEASURE_NS) != 0 && strcmp(row->unit, "seconds") != 0)
		return "other";
	return difference < 0 ? "less" : "more";
}

static void put_page_row(struct nx_bytes *out, const struct nx_compared *row, size_t side,
			 double largest)
{
	char text[2 * NX_MEASURE_TEXT_MAX];
	double difference = row->changes[side].difference;

	nx_bytes_printf(out, "<tr><td class=name>");
	nx_page_text(out, row->name);
	nx_bytes_printf(out, "</td>");
	put_cell(out, nx_measure_text(row->unit, row->samples[0].mean, text));
	put_cell(out, nx_measure_text(row->unit, row->samples[side].mean, text));
	put_cell(out, number_text(row->unit, difference, "+", text));
	put_cell(out, nx_change_text(row, side, text));
	nx_bytes_printf(out, "<td class=bar><i class=%s style=\"width:%.1f%%\"></i></td></tr>\n",
			colour_of(row, difference),
			largest > 0 ? 100 * weight(row, side) / largest : 0);
}

static void put_page_section(struct nx_bytes *out, const struct nx_comparison *c,
			     enum nx_measure_section section, size_t side)
{
	struct rows rows = choose(c, section, side);

	if (rows.len) {
		nx_bytes_printf(out, "<h2>");
		nx_page_text(out, nx_measure_sections[section].title);
		nx_bytes_printf(out, "</h2>\n<table><thead><tr><th>name</th><th class=n>");
		nx_page_text(out, c->sides[0].name);
		nx_bytes_printf(out, "</th><th class=n>");
		nx_page_text(out, c->sides[side].name);
		nx_bytes_printf(
			out, "</th><th class=n>difference</th><th class=n>change</th><th></th></tr>"
			     "</thead><tbody>\n");
	}
	for (size_t i = 0; i < rows.len && i < ROWS_ON_PAGE; i++)
		put_page_row(out, rows.items[i], side, weight(rows.items[0], side));
	if (rows.len)
		nx_bytes_printf(out, "</tbody></table>\n");
	if (rows.len > ROWS_ON_PAGE)
		nx_bytes_printf(out, "<p>%zu smaller changes are not shown.</p>\n",
				rows.len - ROWS_ON_PAGE);
	nx_vec_release(&rows);
}

void nx_comparison_html(struct nx_bytes *out, const struct nx_comparison *c)
{
	const struct nx_compared *total = find(c, NX_MEASURE_METRIC, "total_time");
	char text[2 * NX_MEASURE_TEXT_MAX];

	nx_page_begin(out, "Comparison");
	for (size_t side = 1; side < c->side_count; side++) {
		nx_bytes_printf(out, "<h1>");
		nx_page_text(out, c->sides[0].name);
		nx_bytes_printf(out, " &rarr; ");
		nx_page_text(out, c->sides[side].name);
		nx_bytes_printf(out, "</h1>\n<p>%zu and %zu captures. ", c->sides[0].capture_count,
				c->sides[side].capture_count);
		if (total && total->changes[side].is_known) {
			nx_bytes_printf(out, "Total time %s, ",
					nx_measure_text(total->unit, total->samples[0].mean, text));
			nx_bytes_printf(out, "then %s: ",
					nx_measure_text(total->unit, total->samples[side].mean,
							text));
			nx_bytes_printf(out, "<b>%s</b>. ", nx_change_text(total, side, text));
		}
		nx_bytes_printf(out, "%s</p>\n",
				lacks_repetition(c, side)
					? "One capture on a side: a change may be noise."
					: "In brackets, the 95 % interval of the change.");
		for (unsigned s = 0; s < NX_MEASURE_SECTION_COUNT; s++)
			if (s != NX_MEASURE_METRIC)
				put_page_section(out, c, (enum nx_measure_section)s, side);
		put_page_section(out, c, NX_MEASURE_METRIC, side);
	}
	nx_page_end(out);
}
