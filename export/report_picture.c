/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a report, as SVG in the page's own colours. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/page.h"
#include "export/profile_report.h"

#define LABEL_WIDTH 130.0
#define LABEL_CHARACTERS 18
#define WIDTH 1000.0 /* of all; of the rows the rest */
#define ROW_HEIGHT 22.0
#define ROW_GAP 6.0
#define QUEUES_SHOWN 6u
#define TICKS 8u
#define IDLE_FRAC 0.001	     /* of the run: an engine that does less is left out */
#define FRAME_ONLY_FRAC 0.01 /* the same for what is not the runtime's frame */
#define LEAST_BUSY 0.02	     /* of a column: less is not seen */

const char *const nx_cause_colour_names[NX_CAUSE_COLOURS] = {
	"useful work",	    "transposes", "throttled",		 "control and issue",
	"waits for others", "DMA",	  "the runtime's frame", "unexplained",
};

unsigned nx_cause_colour(const char *cause)
{
	static const struct {
		const char *cause;
		unsigned colour;
	} colours[] = {
		{"useful", 0},	   {"transpose", 1},  {"throttled", 2}, {"control", 3},
		{"DMA issue", 3},  {"issue", 3},      {"wake", 3},	{"wait", 4},
		{"collective", 4}, {"other core", 4}, {"frame", 6},
	};

	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		if (!strcmp(cause, colours[i].cause))
			return colours[i].colour;
	return strncmp(cause, "DMA ", 4) ? NX_CAUSE_COLOURS - 1 : 5;
}

void nx_report_legend(struct nx_bytes *out)
{
	nx_bytes_printf(out, "<p class=legend>");
	for (unsigned i = 0; i < NX_CAUSE_COLOURS; i++)
		nx_bytes_printf(out, "<span><i class=k%u></i>%s</span>", i,
				nx_cause_colour_names[i]);
	nx_bytes_printf(out, "</p>\n");
}

static void begin_picture(struct nx_bytes *out, const char *title, double height)
{
	nx_bytes_printf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=img><title>%s</title>\n", WIDTH,
			height, title);
}

static void put_label(struct nx_bytes *out, const char *name, double y)
{
	char label[LABEL_CHARACTERS + 1];

	snprintf(label, sizeof(label), "%.*s", LABEL_CHARACTERS, name);
	if (strlen(name) > LABEL_CHARACTERS)
		snprintf(label + LABEL_CHARACTERS - 2, 3, "..");
	nx_bytes_printf(out, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=end>", LABEL_WIDTH - 8,
			y + ROW_HEIGHT - 6);
	nx_page_text(out, label);
	nx_bytes_printf(out,
			"</text><rect class=row x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" "
			"height=\"%.0f\"/>\n",
			LABEL_WIDTH, y, WIDTH - LABEL_WIDTH, ROW_HEIGHT);
}

/* --- time ------------------------------------------------------------------ */

static double x_of(const struct nx_picture *picture, double time_ps)
{
	return LABEL_WIDTH + (WIDTH - LABEL_WIDTH) * time_ps / picture->span_ps;
}

/* Neighbours of one colour are one rectangle. */
static void put_path(struct nx_bytes *out, const struct nx_picture *picture, double y)
{
	put_label(out, "critical path", y);
	for (size_t i = 0; i < picture->path.len;) {
		unsigned colour = nx_cause_colour(picture->path.items[i].cause);
		double from = x_of(picture, picture->path.items[i].start_ps), to = from;

		while (i < picture->path.len &&
		       nx_cause_colour(picture->path.items[i].cause) == colour)
			to = x_of(picture, picture->path.items[i++].end_ps);
		nx_bytes_printf(out,
				"<rect class=k%u x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
				"height=\"%.0f\"/>",
				colour, from, y, to - from, ROW_HEIGHT);
	}
	nx_bytes_printf(out, "\n");
}

/* A bar in each column is as high as the part of it that was busy. */
static void put_busy(struct nx_bytes *out, const struct nx_picture *picture,
		     const struct nx_picture_row *row, double y)
{
	double width = (WIDTH - LABEL_WIDTH) / NX_PICTURE_COLUMNS;

	put_label(out, row->name, y);
	nx_bytes_printf(out, "<path class=k%u d=\"", row->is_queue ? 5 : 0);
	for (unsigned i = 0; i < NX_PICTURE_COLUMNS; i++) {
		double height = ROW_HEIGHT * (row->busy[i] < 1 ? row->busy[i] : 1);

		if (row->busy[i] >= LEAST_BUSY)
			nx_bytes_printf(out, "M%.2f %.1fv-%.1fh%.2fv%.1fz", LABEL_WIDTH + i * width,
					y + ROW_HEIGHT, height, width, height);
	}
	nx_bytes_printf(out, "\"><title>");
	nx_page_text(out, row->name);
	nx_bytes_printf(out, ": busy for %.1f %%</title></path>\n",
			100 * row->total_ps / picture->span_ps);
}

static void put_ticks(struct nx_bytes *out, const struct nx_picture *picture, double y)
{
	bool is_short = picture->span_ps < 1e9;

	for (unsigned i = 0; i <= TICKS; i++) {
		double time_ps = picture->span_ps * i / TICKS;

		nx_bytes_printf(out,
				"<text class=tick x=\"%.1f\" y=\"%.1f\" text-anchor=%s>%.4g%s"
				"</text>",
				x_of(picture, time_ps), y + 12,
				i == TICKS ? "end"
				: i	   ? "middle"
					   : "start",
				time_ps / (is_short ? 1e6 : 1e9), is_short ? " us" : " ms");
	}
	nx_bytes_printf(out, "\n");
}

/* Engines by name, then the busiest queues. */
static int compare_rows(const void *a, const void *b)
{
	const struct nx_picture_row *const *x = a, *const *y = b;

	if ((*x)->is_queue != (*y)->is_queue)
		return (*x)->is_queue ? 1 : -1;
	if (!(*x)->is_queue || (*x)->total_ps == (*y)->total_ps)
		return strcmp((*x)->name, (*y)->name);
	return (*x)->total_ps < (*y)->total_ps ? 1 : -1;
}

void nx_report_timeline(struct nx_bytes *out, const struct nx_picture *picture)
{
	NX_VEC(struct nx_picture_row *) shown = {0};
	size_t engine_count = 0;
	double y = 0;

	assert(picture->span_ps > 0);
	for (size_t i = 0; i < picture->rows.len; i++) {
		struct nx_picture_row *row = picture->rows.items[i];

		if (row->total_ps < IDLE_FRAC * picture->span_ps)
			continue;
		nx_vec_push(&shown, row);
		engine_count += !row->is_queue;
	}
	if (shown.len)
		qsort(shown.items, shown.len, sizeof(*shown.items), compare_rows);
	if (shown.len > engine_count + QUEUES_SHOWN)
		shown.len = engine_count + QUEUES_SHOWN;
	begin_picture(out, "Timeline", (double)(shown.len + 1) * (ROW_HEIGHT + ROW_GAP) + 18);
	put_path(out, picture, y);
	for (size_t i = 0; i < shown.len; i++) {
		y += ROW_HEIGHT + ROW_GAP;
		put_busy(out, picture, shown.items[i], y);
	}
	put_ticks(out, picture, y + ROW_HEIGHT + ROW_GAP);
	nx_bytes_printf(out, "</svg>\n");
	nx_vec_release(&shown);
}

/* --- engines --------------------------------------------------------------- */

static bool is_same_engine(const struct nx_why_part *a, const struct nx_why_part *b)
{
	return a->core == b->core && !strcmp(a->engine, b->engine);
}

static void put_engine(struct nx_bytes *out, const struct nx_why_part *parts, size_t count,
		       int64_t span_ps, double y)
{
	double sums[NX_CAUSE_COLOURS] = {0}, x = LABEL_WIDTH;
	char name[64];

	for (size_t i = 0; i < count; i++)
		sums[nx_cause_colour(parts[i].cause)] += (double)parts[i].time_ps;
	if (parts[0].core)
		snprintf(name, sizeof(name), "%u.%.40s", parts[0].core, parts[0].engine);
	else
		snprintf(name, sizeof(name), "%.40s", parts[0].engine);
	put_label(out, name, y);
	for (unsigned i = 0; i < NX_CAUSE_COLOURS; i++) {
		double width = (WIDTH - LABEL_WIDTH) * sums[i] / (double)span_ps;

		if (sums[i] > 0)
			nx_bytes_printf(
				out,
				"<rect class=k%u x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
				"height=\"%.0f\"><title>%s: %.3f us, %.1f %%</title></rect>",
				i, x, y, width, ROW_HEIGHT, nx_cause_colour_names[i], sums[i] / 1e6,
				100 * sums[i] / (double)span_ps);
		x += width;
	}
	nx_bytes_printf(out, "\n");
}

/* Such as the engines of a core that the program does not use. */
static bool is_frame_only(const struct nx_why_part *parts, size_t count, int64_t span_ps)
{
	int64_t frame_ps = 0;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(parts[i].cause, "frame"))
			frame_ps += parts[i].time_ps;
	return (double)(span_ps - frame_ps) < FRAME_ONLY_FRAC * (double)span_ps;
}

static size_t engine_parts(const struct nx_why_answer *why, size_t first)
{
	size_t count = 1;

	while (first + count < why->engines.len &&
	       is_same_engine(&why->engines.items[first], &why->engines.items[first + count]))
		count++;
	return count;
}

void nx_report_engines(struct nx_bytes *out, const struct nx_why_answer *why)
{
	const struct nx_why_part *parts = why->engines.items;
	size_t engine_count = 0;
	double y = 0;

	for (size_t i = 0; i < why->engines.len; i += engine_parts(why, i))
		engine_count += !is_frame_only(&parts[i], engine_parts(why, i), why->span_ps);
	begin_picture(out, "Time of the engines", (double)engine_count * (ROW_HEIGHT + ROW_GAP));
	for (size_t i = 0; i < why->engines.len; i += engine_parts(why, i)) {
		size_t count = engine_parts(why, i);

		if (is_frame_only(&parts[i], count, why->span_ps))
			continue;
		put_engine(out, &parts[i], count, why->span_ps, y);
		y += ROW_HEIGHT + ROW_GAP;
	}
	nx_bytes_printf(out, "</svg>\n");
}
