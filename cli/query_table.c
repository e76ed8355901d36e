/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/query_session.h"

#include <assert.h>
#include <stdio.h>

#include "base/arena.h"
#include "cli/terminal.h"

#define SAMPLE_ROWS 1000    /* that decide how wide columns are */
#define WIDEST_COLUMN 120u  /* longer cells push the rest of their line */
#define NARROWEST_COLUMN 4u /* when columns have to share a terminal */
#define GAP 2u
#define DOTS "\xe2\x80\xa6"
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

struct cell {
	struct nx_slice text;
	unsigned width;
	bool is_null;
};

struct cells NX_VEC_BODY(struct cell);

struct table {
	struct nx_row_sink sink;
	struct nx_query_table_style style;
	struct nx_arena arena;	      /* of the table */
	struct nx_arena sample_arena; /* of the cells */
	const struct nx_column *columns;
	size_t column_count;
	unsigned *widths;
	struct cells cells; /* rows of the sample, or the row to print */
	uint64_t row_count;
	bool is_flowing; /* widths are fixed, rows are printed at once */
	struct nx_bytes text;
};

/* --- cells ----------------------------------------------------------------- */

static struct cell cell_of(struct table *t, struct nx_slice raw, bool is_null)
{
	struct nx_slice text;

	nx_vec_clear(&t->text);
	nx_text_append_tame(&t->text, raw);
	text = nx_slice_of(t->text.items, t->text.len);
	text = nx_slice_of(nx_arena_copy(&t->sample_arena, text), text.len);
	return (struct cell){text, nx_text_width(text), is_null};
}

static struct cell value_cell(struct table *t, const struct nx_value *value)
{
	struct nx_bytes raw = {0};
	struct cell cell;

	if (value->kind == NX_VALUE_TEXT)
		return cell_of(t, value->text, false);
	nx_value_append_text(value, &raw);
	cell = cell_of(t, nx_slice_of(raw.items, raw.len), value->kind == NX_VALUE_NULL);
	nx_vec_release(&raw);
	return cell;
}

/* --- widths ---------------------------------------------------------------- */

/* The widest column gives first; what still does not fit is cut at the right. */
static void share_width(struct table *t)
{
	for (;;) {
		unsigned total = 0, *widest = t->widths;

		for (size_t i = 0; i < t->column_count; i++) {
			total += t->widths[i] + (i ? GAP : 0);
			widest = t->widths[i] > *widest ? &t->widths[i] : widest;
		}
		if (total <= t->style.width || *widest <= NARROWEST_COLUMN)
			return;
		--*widest;
	}
}

static void decide_widths(struct table *t)
{
	for (size_t i = 0; i < t->column_count; i++)
		t->widths[i] = nx_text_width(nx_slice_text(t->columns[i].name));
	for (size_t i = 0; i < t->cells.len; i++) {
		unsigned *width;

		assert(t->column_count);
		width = &t->widths[i % t->column_count];
		*width = t->cells.items[i].width > *width ? t->cells.items[i].width : *width;
	}
	for (size_t i = 0; i < t->column_count; i++)
		t->widths[i] = t->widths[i] < WIDEST_COLUMN ? t->widths[i] : WIDEST_COLUMN;
	if (t->style.width)
		share_width(t);
}

/* --- lines ----------------------------------------------------------------- */

static void write_text(struct table *t, const char *text)
{
	nx_output_write(t->sink.out, text, strlen(text));
}

static void write_spaces(struct table *t, unsigned count)
{
	static const char spaces[] = "                                ";

	for (; count >= sizeof(spaces) - 1; count -= (unsigned)sizeof(spaces) - 1)
		write_text(t, spaces);
	nx_output_write(t->sink.out, spaces, count);
}

/* A cell in width columns, cut only where a terminal would break the line. */
static void write_cell(struct table *t, const struct cell *cell, unsigned width, bool is_right,
		       const char *colour)
{
	bool is_cut = t->style.width && cell->width > width;
	struct nx_slice text = is_cut ? nx_text_cut(cell->text, width ? width - 1 : 0) : cell->text;
	unsigned used = is_cut ? nx_text_width(text) + 1 : cell->width;
	unsigned gap = used < width ? width - used : 0;

	if (is_right)
		write_spaces(t, gap);
	if (t->style.is_coloured && colour)
		write_text(t, colour);
	nx_output_write(t->sink.out, text.data, text.len);
	if (is_cut)
		write_text(t, DOTS);
	if (t->style.is_coloured && colour)
		write_text(t, PLAIN);
	if (!is_right)
		write_spaces(t, gap);
}

static void write_line(struct table *t, const struct cell *cells, const char *colour)
{
	unsigned at = 0;

	for (size_t i = 0; i < t->column_count; i++) {
		bool is_right = nx_value_kind_is_number(t->columns[i].kind);
		bool is_last = i + 1 == t->column_count;
		unsigned width = t->widths[i];

		if (t->style.width && at + width + (is_last ? 0 : GAP + 1) > t->style.width) {
			write_text(t, at < t->style.width ? DOTS : "");
			break;
		}
		if (is_last && !is_right && cells[i].width <= width)
			width = cells[i].width; /* no blanks at the end of a line */
		write_cell(t, &cells[i], width, is_right, cells[i].is_null ? DIM : colour);
		if (!is_last)
			write_spaces(t, GAP);
		at += t->widths[i] + GAP;
	}
	write_text(t, "\n");
}

static void drop_rows(struct table *t)
{
	nx_vec_clear(&t->cells);
	nx_arena_release(&t->sample_arena);
}

static void start_flowing(struct table *t)
{
	struct cell *titles = NX_NEW_ARRAY(&t->arena, struct cell, t->column_count);

	assert(!t->is_flowing);
	decide_widths(t);
	for (size_t i = 0; i < t->column_count; i++)
		titles[i] = cell_of(t, nx_slice_text(t->columns[i].name), false);
	write_line(t, titles, BOLD);
	for (size_t i = 0; i < t->cells.len; i += t->column_count)
		write_line(t, &t->cells.items[i], NULL);
	drop_rows(t);
	t->is_flowing = true;
}

/* --- the sink -------------------------------------------------------------- */

static enum nx_status begin(struct nx_row_sink *sink, const struct nx_column *columns, size_t count,
			    struct nx_error *err)
{
	struct table *t = (struct table *)sink;

	(void)err;
	t->columns = columns;
	t->column_count = count;
	t->widths = NX_NEW_ARRAY(&t->arena, unsigned, count);
	return NX_OK;
}

static enum nx_status add(struct nx_row_sink *sink, const struct nx_value *row,
			  struct nx_error *err)
{
	struct table *t = (struct table *)sink;

	(void)err;
	assert(!t->is_flowing || !t->cells.len);
	for (size_t i = 0; i < t->column_count; i++)
		nx_vec_push(&t->cells, value_cell(t, &row[i]));
	t->row_count++;
	if (t->is_flowing) {
		write_line(t, t->cells.items, NULL);
		drop_rows(t);
	} else if (t->row_count == SAMPLE_ROWS) {
		start_flowing(t);
	}
	return NX_OK;
}

static bool is_full(const struct nx_row_sink *sink)
{
	const struct table *t = (const struct table *)sink;

	return t->style.limit_count && t->row_count == t->style.limit_count;
}

static enum nx_status end(struct nx_row_sink *sink, uint64_t left_count, struct nx_error *err)
{
	struct table *t = (struct table *)sink;
	uint64_t count = left_count ? left_count : t->row_count;
	char number[NX_COUNT_TEXT_MAX], line[128];

	(void)err;
	if (!t->is_flowing)
		start_flowing(t);
	if (!left_count && !t->style.shows_count)
		return NX_OK;
	snprintf(line, sizeof(line), "%s%s%s%s row%s%s\n", t->style.is_coloured ? DIM : "",
		 left_count ? DOTS " " : "", nx_count_text(count, number),
		 left_count ? " more" : "", count == 1 ? "" : "s",
		 t->style.is_coloured ? PLAIN : "");
	write_text(t, line);
	return NX_OK;
}

static void table_close(struct nx_row_sink *sink)
{
	struct table *t = (struct table *)sink;

	nx_vec_release(&t->cells);
	nx_vec_release(&t->text);
	nx_arena_release(&t->sample_arena);
	nx_arena_release(&t->arena);
	nx_heap_free(t);
}

struct nx_row_sink *nx_query_table_open(struct nx_output *out,
					const struct nx_query_table_style *style)
{
	static const struct nx_row_sink_ops ops = {begin, add, is_full, end, table_close};
	struct table *t = nx_heap_alloc(sizeof(*t));

	*t = (struct table){.sink = {&ops, out}, .style = *style};
	return &t->sink;
}
