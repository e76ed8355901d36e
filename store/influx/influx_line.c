/* SPDX-License-Identifier: Apache-2.0 */
#include "store/influx/influx_line.h"

#include <assert.h>
#include <math.h>

#include "base/bare/text.h"
#include "base/number.h"

static void append(struct nx_bytes *out, const char *text)
{
	nx_bytes_append(out, text, strlen(text));
}

static void append_i64(struct nx_bytes *out, int64_t value)
{
	char number[NX_NUMBER_MAX];

	nx_bytes_append(out, number, nx_format_i64(number, value));
}

/* The protocol cannot express a control character in a tag, nor a backslash before a separator. */
static void append_tag_text(struct nx_bytes *out, struct nx_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];

		if (c == ',' || c == '=' || c == ' ')
			nx_vec_push(out, '\\');
		nx_vec_push(out, c < ' ' || c == '\\' ? '_' : c);
	}
}

static void append_tag(struct nx_bytes *out, const char *name, struct nx_slice text)
{
	if (!text.len)
		return;
	append(out, ",");
	append(out, name);
	append(out, "=");
	append_tag_text(out, text);
}

static void append_tag_number(struct nx_bytes *out, const char *name, int64_t value)
{
	char number[NX_NUMBER_MAX];

	append_tag(out, name, nx_slice_of(number, nx_format_i64(number, value)));
}

static void append_tags(struct nx_bytes *out, const struct nx_row *row,
			const struct nx_track_columns *track, const struct nx_influx_point *point)
{
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;

	append_tag(out, "profile", point->profile);
	for (unsigned i = 0; i < track->count; i++) {
		unsigned at = track->columns[i];

		if (row->kinds[at] == NX_CELL_TEXT)
			append_tag(out, columns[at].name, row->cells[at].text);
		else if (row->kinds[at] == NX_CELL_I64)
			append_tag_number(out, columns[at].name, row->cells[at].i64);
	}
	if (point->ordinal)
		append_tag_number(out, "ordinal", (int64_t)point->ordinal);
}

static void append_quoted(struct nx_bytes *out, struct nx_slice text)
{
	append(out, "\"");
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '"' || text.data[i] == '\\')
			nx_vec_push(out, '\\');
		nx_vec_push(out, text.data[i] ? text.data[i] : ' ');
	}
	append(out, "\"");
}

/* JSON's escapes first, then those of the protocol: "a\"b" is written \"a\\\"b\". */
static void append_json_text(struct nx_bytes *out, struct nx_slice text)
{
	append(out, "\\\"");
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];

		if (c == '"')
			append(out, "\\\\\\\"");
		else if (c == '\\')
			append(out, "\\\\\\\\");
		else if (c < ' ') {
			char digits[2];

			nx_hex_encode(digits, nx_slice_of(&c, 1));
			append(out, "\\\\u00");
			nx_bytes_append(out, digits, sizeof(digits));
		} else
			nx_vec_push(out, c);
	}
	append(out, "\\\"");
}

static void append_list(struct nx_bytes *out, unsigned kind, const union nx_cell *cell)
{
	bool is_text = kind == NX_CELL_LIST_TEXT;
	size_t count = is_text ? cell->list_text.count : cell->list_i64.count;

	append(out, "\"[");
	for (size_t i = 0; i < count; i++) {
		append(out, i ? "," : "");
		if (is_text)
			append_json_text(out, cell->list_text.items[i]);
		else
			append_i64(out, cell->list_i64.items[i]);
	}
	append(out, "]\"");
}

static void append_value(struct nx_bytes *out, const struct nx_schema_column *column, unsigned kind,
			 const union nx_cell *cell)
{
	char number[NX_NUMBER_MAX];

	switch (kind) {
	case NX_CELL_I64:
		append_i64(out, cell->i64);
		append(out, "i");
		break;
	case NX_CELL_F64:
		nx_bytes_append(out, number,
				column->type == NX_SCHEMA_FLOAT
					? nx_format_f32(number, (float)cell->f64)
					: nx_format_f64(number, cell->f64));
		break;
	case NX_CELL_BOOL:
		append(out, cell->boolean ? "true" : "false");
		break;
	case NX_CELL_TEXT:
		append_quoted(out, cell->text);
		break;
	default:
		append_list(out, kind, cell);
		break;
	}
}

static bool is_tag(const struct nx_track_columns *track, unsigned column)
{
	for (unsigned i = 0; i < track->count; i++)
		if (track->columns[i] == column)
			return true;
	return false;
}

static bool has_field(const struct nx_row *row, unsigned column)
{
	bool is_float = row->kinds[column] == NX_CELL_F64;

	if (is_float && nx_schema_tables[row->table].columns[column].type == NX_SCHEMA_FLOAT)
		return isfinite((float)row->cells[column].f64);
	return row->kinds[column] != NX_CELL_NULL &&
	       (!is_float || isfinite(row->cells[column].f64));
}

void nx_influx_line_append(struct nx_bytes *out, const struct nx_row *row,
			   const struct nx_track_columns *track,
			   const struct nx_influx_point *point)
{
	const struct nx_schema_table *table = &nx_schema_tables[row->table];

	assert(row->column_count == table->column_count);
	append(out, table->name);
	append_tags(out, row, track, point);
	append(out, " ");
	for (unsigned i = 0; i < row->column_count; i++) {
		if (!has_field(row, i) || is_tag(track, i))
			continue;
		append(out, table->columns[i].name);
		append(out, "=");
		append_value(out, &table->columns[i], row->kinds[i], &row->cells[i]);
		append(out, ",");
	}
	append(out, "row=");
	append_i64(out, (int64_t)point->row_number);
	append(out, "i ");
	append_i64(out, point->time_ns);
	append(out, "\n");
}

uint64_t nx_influx_series_hash(const struct nx_row *row, const struct nx_track_columns *track)
{
	uint64_t hash = nx_fnv1a(NX_FNV_SEED, &row->table, sizeof(row->table));

	for (unsigned i = 0; i < track->count; i++) {
		unsigned at = track->columns[i];
		const union nx_cell *cell = &row->cells[at];

		hash = nx_fnv1a(hash, &row->kinds[at], 1);
		if (row->kinds[at] == NX_CELL_TEXT)
			hash = nx_fnv1a(hash, cell->text.data, cell->text.len);
		else if (row->kinds[at] == NX_CELL_I64)
			hash = nx_fnv1a(hash, &cell->i64, sizeof(cell->i64));
	}
	return hash;
}

/* Two series with the same hash share ordinals: wasted numbers, never equal points. */
static struct nx_influx_series *series_of(struct nx_influx_ordinals *ordinals, uint64_t hash,
					  bool *is_new)
{
	uint64_t at;

	*is_new = !nx_map_get(&ordinals->idx_of_hash, hash, &at);
	if (*is_new) {
		at = ordinals->series.len;
		nx_vec_push(&ordinals->series, ((struct nx_influx_series){0}));
		nx_map_put(&ordinals->idx_of_hash, hash, at);
	}
	return &ordinals->series.items[at];
}

uint64_t nx_influx_ordinals_next(struct nx_influx_ordinals *ordinals, uint64_t series_hash,
				 int64_t time_ns)
{
	bool is_new;
	struct nx_influx_series *series = series_of(ordinals, series_hash, &is_new);

	if (is_new || time_ns > series->latest_ns) {
		series->latest_ns = time_ns;
		series->base = 0;
		series->next = 0;
	} else if (time_ns < series->last_ns) {
		series->base = series->highest + 1;
		series->next = series->base;
	} else if (time_ns > series->last_ns) {
		series->next = series->base;
	}
	series->last_ns = time_ns;
	if (series->next > series->highest)
		series->highest = series->next;
	return series->next++;
}

void nx_influx_ordinals_release(struct nx_influx_ordinals *ordinals)
{
	nx_map_release(&ordinals->idx_of_hash);
	nx_vec_release(&ordinals->series);
}
