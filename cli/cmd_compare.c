/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/comparison.h"
#include "base/file.h"
#include "cli/options.h"
#include "cli/workspace_view.h"
#include "export/compare_report.h"
#include "query/measures.h"

struct compare {
	const char *data_path, *format, *output_file;
	struct nx_list_value limits;
};

#define FIELD(member) NX_FIELD(struct compare, member)

static const struct nx_option options[] = {
	NX_ROW_DATA_PATH(struct compare),
	{"fail-if", 0, NX_LIST("LIMIT"), FIELD(limits),
	 "End with exit code 10 if this holds, such as 'total_time>+2%'. May be repeated."},
	{"format", 'f', NX_CHOICE("FORMAT", "text json html"), FIELD(format),
	 "Output format: text (default), json or html, a page to attach to a ticket."},
	{"output-file", 'o', NX_FILE("FILE"), FIELD(output_file),
	 "Where to write the comparison (default: standard output)."},
	{0},
};

/* --- limits ---------------------------------------------------------------- */

struct limit {
	const char *text;
	const struct nx_compared *row;
	bool is_above;	  /* '>': exceeded by larger values */
	bool is_change;	  /* signed: the change is limited, not the value */
	bool is_relative; /* the change in per cent of the baseline */
	double value;	  /* in the unit of the row */
};

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
				  struct limit *limit, struct nx_error *err)
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
	*limit = (struct limit){.text = text, .is_above = *sign == '>'};
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

static double limited_value(const struct limit *limit, size_t side)
{
	const struct nx_change *change = &limit->row->changes[side];

	if (!limit->is_change)
		return limit->row->samples[side].mean;
	if (!limit->is_relative || change->difference == 0)
		return change->difference;
	/* of a baseline of 0, any change is beyond every share */
	return change->has_share ? change->relative : copysign(INFINITY, change->difference);
}

static bool is_exceeded(const struct limit *limit, size_t side)
{
	double value;

	assert(limit->row);
	if (limit->is_change && is_noise(&limit->row->changes[side]))
		return false;
	value = limited_value(limit, side);
	return limit->is_above ? value > limit->value : value < limit->value;
}

static enum nx_status parse_limits(const struct compare *o, const struct nx_comparison *c,
				   struct limit limits[NX_LIST_MAX], struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < o->limits.count; i++)
		st = parse_limit(o->limits.items[i], c, &limits[i], err);
	return st;
}

/* LIMIT with what the first one that is exceeded measured. */
static enum nx_status check_limits(const struct limit *limits, size_t count,
				   const struct nx_comparison *c, struct nx_error *err)
{
	char change[2 * NX_MEASURE_TEXT_MAX], value[NX_MEASURE_TEXT_MAX], more[48] = "";
	const struct limit *first = NULL;
	size_t first_side = 0, exceeded = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t side = 1; side < c->side_count; side++)
			if (is_exceeded(&limits[i], side) && !exceeded++) {
				first = &limits[i];
				first_side = side;
			}
	if (!first)
		return NX_OK;
	if (exceeded > 1)
		snprintf(more, sizeof(more), "; %zu more limits are exceeded", exceeded - 1);
	return nx_fail(err, NX_LIMIT, "%s: %s of %s is %s, %s against %s%s", first->text,
		       first->row->name, c->sides[first_side].name,
		       nx_measure_text(first->row->unit, first->row->samples[first_side].mean,
				       value),
		       nx_change_text(first->row, first_side, change), c->sides[0].name, more);
}

/* --- captures -------------------------------------------------------------- */

static enum nx_status measure(void *measures, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	return nx_measures_ask(measures, engine, err);
}

struct side {
	const char *name;
	struct nx_profile_paths paths;
	struct nx_measures *captures; /* one for each path */
};

static enum nx_status read_side(struct side *side, const struct compare *o, const char *words,
				struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = nx_workspace_view_expand(o->data_path, words, arena, &side->paths, err);

	side->name = words;
	side->captures = NX_NEW_ARRAY(arena, struct nx_measures, side->paths.len);
	for (size_t i = 0; !st && i < side->paths.len; i++)
		st = nx_workspace_view_ask(side->paths.items[i], measure, &side->captures[i], err);
	return st;
}

static void release_side(struct side *side)
{
	for (size_t i = 0; side->captures && i < side->paths.len; i++)
		nx_measures_release(&side->captures[i]);
	nx_vec_release(&side->paths);
}

/* --- the command ----------------------------------------------------------- */

static enum nx_status report(const struct compare *o, const struct nx_comparison *c,
			     struct nx_error *err)
{
	const char *format = o->format ? o->format : "text";
	struct nx_json_writer json;
	struct nx_bytes text = {0};
	struct nx_output out = {0};
	enum nx_status st;

	if (!strcmp(format, "json")) {
		nx_json_init_bytes(&json, &text, true);
		nx_json_begin_object(&json);
		nx_comparison_json(&json, c);
		nx_json_end_object(&json);
		nx_vec_push(&text, '\n');
	} else if (!strcmp(format, "html")) {
		nx_comparison_html(&text, c);
	} else {
		nx_comparison_text(&text, c);
	}
	st = nx_output_open(&out, o->output_file ? o->output_file : "-", err);
	if (!st) {
		nx_output_write(&out, text.items, text.len);
		st = nx_output_commit(&out, err);
	}
	nx_vec_release(&text);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct compare *o = values;
	struct nx_comparison comparison = {0};
	struct nx_arena arena = {0};
	struct nx_captures *captures = NX_NEW_ARRAY(&arena, struct nx_captures, operands->count);
	struct side *sides = NX_NEW_ARRAY(&arena, struct side, operands->count);
	struct limit limits[NX_LIST_MAX] = {0};
	enum nx_status st = NX_OK;

	(void)call;
	if (operands->count < 2)
		st = nx_fail(
			err, NX_USAGE,
			"name at least two profiles, the baseline first: compare before after");
	for (size_t i = 0; !st && i < operands->count; i++) {
		st = read_side(&sides[i], o, operands->items[i], &arena, err);
		captures[i] =
			(struct nx_captures){sides[i].name, sides[i].captures, sides[i].paths.len};
	}
	if (!st) {
		nx_compare(&comparison, captures, operands->count);
		st = parse_limits(o, &comparison, limits, err);
	}
	if (!st)
		st = report(o, &comparison, err);
	if (!st)
		st = check_limits(limits, o->limits.count, &comparison, err);
	nx_comparison_release(&comparison);
	for (size_t i = 0; i < operands->count; i++)
		release_side(&sides[i]);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"What changed between two profiles?", "compare before after"},
	{"Five captures on each side, with intervals:", "compare 'before-*' 'after-*'"},
	{"Fail a build that got slower by more than 2 %:",
	 "compare main branch --fail-if 'total_time>+2%'"},
	{"A page for a ticket:", "compare before after -f html -o comparison.html"},
	{0},
};

const struct nx_command nx_command_compare = {
	.name = "compare",
	.summary = "show what changed between captures, and fail if it is too much",
	.operands = "BASELINE PROFILE...",
	.operand_hint = "name the baseline first, then the profiles to compare with it",
	.description =
		"Compares profiles of the workspace, or folders with their Parquet files, with the "
		"first one: metrics, the causes on the critical path, whose changes add up to the "
		"change of the run, the time of each engine, operators by their place in the "
		"hierarchy, instructions by source line, and for system profiles steps, gaps and "
		"calls.\n"
		"\n"
		"Runs vary. Capture each side several times and name all of a side, with commas or "
		"by a quoted pattern; every change then has its 95 % interval (Welch's).\n"
		"\n"
		"--fail-if takes a name, < or >, and a number. A number with a sign limits the "
		"change, such as 'total_time>+2%' or 'total_time>+3us'; with intervals, only a "
		"change whose interval does not hold 0 counts. A number without a sign limits the "
		"value, such as 'mfu_estimated_percent<40%'. 'path:DMA start-up>+1us' names a row "
		"of "
		"another section, by the words of --format json. A side that lacks the name is an "
		"error. Needs DuckDB, like 'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct compare),
	.run = run,
};
