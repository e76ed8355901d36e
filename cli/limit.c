/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/limit.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/compare_report.h"

#define CHANGE_MAX 384

/* "total_time", or "path:DMA start-up" for a row of another section. */
static const struct nx_compared *find_row(const struct nx_comparison *c, struct nx_slice name)
{
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct nx_compared *row = &c->rows.items[i];
		const char *word = nx_measure_sections[row->section].word;
		struct nx_slice rest = name;
		size_t len = strlen(word);

		if (name.len > len && name.data[len] == ':' && !memcmp(name.data, word, len))
			rest = nx_slice_of(name.data + len + 1, name.len - len - 1);
		else if (row->section != NX_MEASURE_METRIC)
			continue;
		if (nx_slice_is(rest, row->name))
			return row;
	}
	return NULL;
}

/* What a number with this suffix is in the unit of the row; false if it does not fit the row. */
static bool scale_of(const struct nx_compared *row, const char *suffix, double *scale)
{
	static const struct {
		const char *suffix;
		double ns;
	} times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	double unit_ns = !strcmp(row->unit, NX_MEASURE_NS) ? 1
			 : !strcmp(row->unit, "seconds")   ? 1e9
							   : 0;

	*scale = 1;
	if (!*suffix)
		return true;
	if (!strcmp(suffix, "%")) {
		*scale = 0.01;
		return !strcmp(row->unit, "percent");
	}
	for (size_t i = 0; unit_ns > 0 && i < sizeof(times) / sizeof(times[0]); i++)
		if (!strcmp(suffix, times[i].suffix)) {
			*scale = times[i].ns / unit_ns;
			return true;
		}
	return false;
}

static enum nx_status parse_limit(const char *text, const struct nx_comparison *c,
				  struct nx_limit *limit, struct nx_error *err)
{
	const char *sign = strpbrk(text, "<>");
	struct nx_slice name;
	double scale;
	char *suffix;

	if (!sign)
		return nx_fail(err, NX_USAGE,
			       "--fail-if needs a name, < or >, and a number, such as "
			       "'total_time>+2%%'; got '%.200s'",
			       text);
	name = nx_slice_of(text, (size_t)(sign - text));
	*limit = (struct nx_limit){.text = text, .is_above = *sign == '>'};
	limit->row = find_row(c, name);
	if (!limit->row)
		return nx_fail(err, NX_NOT_FOUND,
			       "--fail-if: neither side has '%.*s'; --format json lists the names, "
			       "such as total_time or 'path:DMA start-up'",
			       (int)(name.len < 200 ? name.len : 200), (const char *)name.data);
	for (size_t side = 0; side < c->side_count; side++)
		if (!limit->row->samples[side].count)
			return nx_fail(err, NX_NOT_FOUND, "--fail-if: %s has no '%s'",
				       c->sides[side].name, limit->row->name);
	limit->is_change = sign[1] == '+' || sign[1] == '-';
	limit->value = strtod(sign + 1, &suffix);
	limit->is_relative = limit->is_change && !strcmp(suffix, "%");
	if (suffix == sign + 1 || (!limit->is_relative && !scale_of(limit->row, suffix, &scale)))
		return nx_fail(err, NX_USAGE,
			       "--fail-if: '%.100s' is no limit for %s; +2%% limits the change, "
			       "60us or 40%% the value",
			       sign + 1, limit->row->name);
	limit->value *= limit->is_relative ? 0.01 : scale;
	return NX_OK;
}

/* With several captures on both sides, only a change whose interval excludes 0 counts. */
static bool is_noise(const struct nx_change *change)
{
	return change->has_interval && change->low <= 0 && change->high >= 0;
}

static double limited_value(const struct nx_limit *limit, size_t side)
{
	const struct nx_change *change = &limit->row->changes[side];

	if (!limit->is_change)
		return limit->row->samples[side].mean;
	if (!limit->is_relative || change->difference == 0)
		return change->difference;
	/* of a baseline of 0, any change is beyond every share */
	return change->has_share ? change->relative : copysign(INFINITY, change->difference);
}

static bool is_exceeded(const struct nx_limit *limit, size_t side)
{
	double value;

	assert(limit->row);
	if (limit->is_change && is_noise(&limit->row->changes[side]))
		return false;
	value = limited_value(limit, side);
	return limit->is_above ? value > limit->value : value < limit->value;
}

enum nx_status nx_limits_parse(struct nx_limits *limits, const struct nx_list_value *texts,
			       const struct nx_comparison *c, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	limits->count = 0;
	for (size_t i = 0; !st && i < texts->count; i++) {
		st = parse_limit(texts->items[i], c, &limits->items[i], err);
		if (!st && limits->items[i].is_change && c->side_count == 1)
			st = nx_fail(err, NX_USAGE,
				     "--fail-if: '%.100s' limits a change; name what to compare "
				     "with by --baseline",
				     texts->items[i]);
		limits->count += !st;
	}
	return st;
}

static void put_change(const struct nx_comparison *c, const struct nx_compared *row, size_t side,
		       char text[CHANGE_MAX])
{
	char change[2 * NX_MEASURE_TEXT_MAX];

	*text = '\0';
	if (side)
		snprintf(text, CHANGE_MAX, ", %s against %.200s", nx_change_text(row, side, change),
			 c->sides[0].name);
}

enum nx_status nx_limits_check(const struct nx_limits *limits, const struct nx_comparison *c,
			       struct nx_error *err)
{
	char change[CHANGE_MAX], value[NX_MEASURE_TEXT_MAX], more[48] = "";
	const struct nx_limit *first = NULL;
	size_t first_side = 0, exceeded = 0;

	for (size_t i = 0; i < limits->count; i++)
		for (size_t side = c->side_count > 1; side < c->side_count; side++)
			if (is_exceeded(&limits->items[i], side) && !exceeded++) {
				first = &limits->items[i];
				first_side = side;
			}
	if (!first)
		return NX_OK;
	if (exceeded > 1)
		snprintf(more, sizeof(more), "; %zu more limits are exceeded", exceeded - 1);
	put_change(c, first->row, first_side, change);
	return nx_fail(err, NX_LIMIT, "%s: %s of %s is %s%s%s", first->text, first->row->name,
		       c->sides[first_side].name,
		       nx_measure_text(first->row->unit, first->row->samples[first_side].mean,
				       value),
		       change, more);
}
