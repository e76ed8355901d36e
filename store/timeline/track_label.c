/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/track_label.h"

#include <assert.h>
#include <stdio.h>

#include "base/utf8.h"

/* --- texts ----------------------------------------------------------------- */

static void add_text(struct nx_track_label *label, struct nx_slice text)
{
	size_t room = NX_LABEL_MAX - label->len, len = text.len < room ? text.len : room;

	/* Do not cut inside a character. */
	while (len && len < text.len && nx_utf8_is_tail(text.data[len]))
		len--;
	if (len)
		memcpy(label->text + label->len, text.data, len);
	label->len += len;
}

static void add_attribute(struct nx_track_label *label, const char *key, struct nx_slice value)
{
	assert(label->attribute_count < sizeof(label->attributes) / sizeof(label->attributes[0]));
	label->attributes[label->attribute_count++] =
		(struct nx_track_attribute){nx_slice_text(key), value};
}

/* Leaves out cells that are null. */
static void add_parts(struct nx_track_label *label, const struct nx_row *row,
		      const struct nx_rule_part *parts, bool is_shown)
{
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;

	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		char *digits = label->digits[label->attribute_count];
		struct nx_slice value;

		if (row->kinds[parts->column] == NX_CELL_TEXT) {
			value = cell->text;
		} else if (row->kinds[parts->column] == NX_CELL_I64) {
			snprintf(digits, sizeof(label->digits[0]), "%lld", (long long)cell->i64);
			value = nx_slice_text(digits);
		} else {
			continue;
		}
		add_attribute(label, columns[parts->column].name, value);
		if (!is_shown || parts->is_hidden)
			continue;
		if (label->len)
			add_text(label, nx_slice_text(" "));
		add_text(label, nx_slice_text(parts->prefix));
		add_text(label, value);
	}
}

static void begin_label(struct nx_track_label *label)
{
	label->len = 0;
	label->attribute_count = 0;
}

static void describe(const struct nx_track_label *label, struct nx_track *track)
{
	track->name = nx_slice_of(label->text, label->len);
	track->attributes = label->attributes;
	track->attribute_count = label->attribute_count;
}

/* --- ranks ----------------------------------------------------------------- */

/* From top to bottom of the screen; other words come below. */
static const char *const ordered_words[] = {
	"Errors",    "Warnings",  "Custom Notification",
	"Sync",	     "Tensor",	  "TensorMatrix",
	"Vector",    "Scalar",	  "GpSimd",
	"average", /* of all processors */
	"framework", "neuron_rt", "neuron_hw",
};
#define WORD_COUNT (sizeof(ordered_words) / sizeof(ordered_words[0]))
#define PLACE_MAX ((uint64_t)0xffff)

static uint64_t place_of_text(struct nx_slice text)
{
	uint64_t number;

	for (size_t i = 0; i < WORD_COUNT; i++)
		if (nx_slice_is(text, ordered_words[i]))
			return i;
	if (nx_slice_to_u64(text, &number) && number < PLACE_MAX - WORD_COUNT)
		return WORD_COUNT + number;
	return PLACE_MAX;
}

static uint64_t place_of(const struct nx_row *row, const struct nx_rule_part *part)
{
	const union nx_cell *cell = &row->cells[part->column];

	if (!part->prefix)
		return 0;
	if (row->kinds[part->column] == NX_CELL_TEXT)
		return place_of_text(cell->text);
	if (row->kinds[part->column] == NX_CELL_I64 && cell->i64 >= 0 &&
	    (uint64_t)cell->i64 < PLACE_MAX)
		return (uint64_t)cell->i64;
	return PLACE_MAX;
}

/* The last core is on top. */
static uint64_t place_of_core(const struct nx_timeline_rule *rule, const struct nx_row *row)
{
	bool is_number = rule->group[0].prefix && row->kinds[rule->group[0].column] == NX_CELL_I64;

	return is_number ? PLACE_MAX - place_of(row, &rule->group[0]) : 0;
}

/* Comparable over all groups, so that a page may leave the groups out: rule, what it sorts by,
 * core, order of appearance, series. */
static int64_t rank_of(const struct nx_timeline_rule *rule, const struct nx_row *row,
		       uint64_t sequence, unsigned series)
{
	const uint64_t most = ((uint64_t)1 << 20) - 1;
	uint64_t rank = (uint64_t)(rule - nx_timeline_rules);

	rank = rank << 16 | place_of(row, &rule->track[0]);
	rank = rank << 16 | place_of_core(rule, row);
	rank = rank << 20 | (sequence < most ? sequence : most);
	return (int64_t)(rank << 2 | series);
}

/* --- tracks ---------------------------------------------------------------- */

void nx_track_label_group(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			  const struct nx_row *row, struct nx_track *track)
{
	begin_label(label);
	add_parts(label, row, rule->group, true);
	*track = (struct nx_track){.kind = NX_TRACK_GROUP,
				   .parent = NX_TRACK_NONE,
				   .unit = nx_slice_text(""),
				   .rank = (int64_t)place_of_core(rule, row)};
	describe(label, track);
}

void nx_track_label_series(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			   const struct nx_row *row, unsigned series, uint64_t sequence,
			   struct nx_track *track)
{
	const struct nx_rule_series *s = &rule->series[series];

	begin_label(label);
	add_parts(label, row, rule->group, false);
	add_text(label, nx_slice_text(s->title));
	add_parts(label, row, rule->track, true);
	if (rule->key)
		add_attribute(label, rule->key, nx_slice_text(rule->value));
	if (!label->len)
		add_text(label, nx_slice_text(nx_schema_tables[rule->table].name));
	*track = (struct nx_track){
		.kind = s->kind == NX_SERIES_SPANS ? NX_TRACK_SPANS : NX_TRACK_COUNTER,
		.unit = nx_slice_text(s->unit),
		.rank = rank_of(rule, row, sequence, series),
		.keys = {rule->table, series || rule->takes},
	};
	describe(label, track);
}

/* "partition_32_util_percent" is "partition 32". */
static void add_share_name(struct nx_track_label *label, const char *column)
{
	static const char *const endings[] = {"_util_percent", "_bytes"};
	struct nx_slice name = nx_slice_text(column);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t len = strlen(endings[i]);

		if (name.len > len && !memcmp(name.data + name.len - len, endings[i], len))
			name.len -= len;
	}
	add_text(label, name);
	for (size_t i = 0; i < label->len; i++)
		if (label->text[i] == '_')
			label->text[i] = ' ';
}

void nx_track_label_share(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			  const struct nx_row *row, unsigned column, struct nx_track *track)
{
	const char *name = nx_schema_tables[rule->table].columns[column].name;

	begin_label(label);
	add_share_name(label, name);
	add_parts(label, row, rule->group, false);
	add_parts(label, row, rule->track, false);
	add_attribute(label, "column", nx_slice_text(name));
	*track = (struct nx_track){
		.kind = NX_TRACK_COUNTER,
		.unit = nx_slice_text(rule->series[0].unit),
		.rank = column,
		.keys = {rule->table, 1},
	};
	describe(label, track);
}
