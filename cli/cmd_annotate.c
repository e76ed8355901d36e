/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "export/source_report.h"
#include "store/profile_source.h"

#define CONTEXT_LINES 3u
#define HOT_FRAC 0.1   /* of the path: red */
#define WARM_FRAC 0.01 /* yellow, and its causes are listed */
#define PARTS_SHOWN 3u
#define ENGINES_COLUMNS 14

struct annotate {
	const char *profile, *data_path, *format;
	bool shows_all;
};

#define FIELD(member) NX_FIELD(struct annotate, member)

static const struct nx_option options[] = {
	NX_ROW_PROFILE(struct annotate),
	NX_ROW_DATA_PATH(struct annotate),
	{"all", 'a', NX_FLAG, FIELD(shows_all),
	 "Show the whole file, not only the lines that cost something and those around them."},
	{"format", 'f', NX_CHOICE("FORMAT", "text json"), FIELD(format),
	 "Output format: text (default) or json."},
	{0},
};

/* --- the source ------------------------------------------------------------ */

struct source {
	struct nx_file mapped;	    /* the user's file, or */
	struct nx_bytes stored;	    /* the one kept with the profile */
	struct nx_source_text text; /* empty: neither is there */
};

static bool read_stored(const char *folder, const char *file, struct nx_bytes *bytes)
{
	struct nx_error ignored;
	uint64_t size_bytes;
	ssize_t len = 1;
	int fd;

	while (*file == '/')
		file++;
	if (nx_folder_source_open(folder, file, &fd, &size_bytes, &ignored))
		return false;
	nx_vec_reserve(bytes, size_bytes + 1);
	while (len > 0 && bytes->len < size_bytes) {
		len = read(fd, bytes->items + bytes->len, size_bytes - bytes->len);
		bytes->len += len > 0 ? (size_t)len : 0;
	}
	close(fd);
	return true;
}

/* The file as it was when the profile was made, if it was kept; else as the user has it now. */
static void find_source(struct source *source, const char *folder, const char *file,
			const char *name)
{
	struct nx_error ignored;

	if (read_stored(folder, file, &source->stored))
		nx_source_text_split(&source->text,
				     nx_slice_of(source->stored.items, source->stored.len));
	else if (!nx_file_map(&source->mapped, name, &ignored))
		nx_source_text_split(&source->text, source->mapped.bytes);
}

static void release_source(struct source *source)
{
	nx_vec_release(&source->text);
	nx_vec_release(&source->stored);
	nx_file_unmap(&source->mapped);
}

/* --- text ------------------------------------------------------------------ */

struct page {
	struct nx_output *out;
	const struct nx_source_costs *costs;
	const struct nx_source_text *text;
	const char *file;
	bool is_coloured;
};

static double frac_of(const struct page *page, int64_t time_ps)
{
	return (double)time_ps / (double)page->costs->span_ps;
}

static void put_colour(const struct page *page, const char *code)
{
	if (page->is_coloured)
		nx_output_write(page->out, code, strlen(code));
}

/* "12.3", "1.24 G"; 0 is empty, so that the numbers that matter stand out. */
static const char *count_text(uint64_t count, char text[NX_COUNT_TEXT_MAX])
{
	static const char *const units[] = {"", " K", " M", " G", " T", " P"};
	double value = (double)count;
	unsigned unit = 0;

	while (value >= 999.5 && unit < 5) {
		value /= 1000;
		unit++;
	}
	text[0] = '\0';
	if (count)
		snprintf(text, NX_COUNT_TEXT_MAX, "%.3g%s", value, units[unit]);
	return text;
}

static const char *time_text(int64_t time_ps, char text[NX_COUNT_TEXT_MAX])
{
	text[0] = '\0';
	if (time_ps)
		snprintf(text, NX_COUNT_TEXT_MAX, "%.3f", (double)time_ps / 1e6);
	return text;
}

static const char *engines_text(const struct nx_line_cost *cost, char text[32])
{
	const struct nx_line_parts *engines = &cost->parts[NX_LINE_BUSY];
	int len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < engines->len && len < ENGINES_COLUMNS; i++)
		len += snprintf(text + len, 32 - (size_t)len, "%s%.8s", i ? "," : "",
				engines->items[i].name);
	if (len > ENGINES_COLUMNS)
		snprintf(text + ENGINES_COLUMNS - 2, 3, "..");
	return text;
}

static void put_numbers(const struct page *page, const struct nx_line_cost *cost)
{
	char path[NX_COUNT_TEXT_MAX], stall[NX_COUNT_TEXT_MAX], busy[NX_COUNT_TEXT_MAX];
	char size[NX_COUNT_TEXT_MAX], flops[NX_COUNT_TEXT_MAX], engines[32], share[16] = "";
	double frac = frac_of(page, cost->total_ps[NX_LINE_PATH]);

	if (frac > 0)
		snprintf(share, sizeof(share), "%.1f %%", 100 * frac);
	put_colour(page, frac >= HOT_FRAC ? "\033[1;31m" : frac >= WARM_FRAC ? "\033[33m" : "");
	nx_print(page->out, "%7s %10s %10s %10s %9s %8s  %-*s", share,
		 time_text(cost->total_ps[NX_LINE_PATH], path),
		 time_text(cost->total_ps[NX_LINE_STALL], stall),
		 time_text(cost->total_ps[NX_LINE_BUSY], busy),
		 cost->hbm_bytes ? nx_size_text(cost->hbm_bytes, size) : "",
		 count_text(cost->flops, flops), ENGINES_COLUMNS, engines_text(cost, engines));
	put_colour(page, frac >= WARM_FRAC ? "\033[0m" : "");
}

static void put_parts(const struct page *page, const char *title, const struct nx_line_parts *parts)
{
	if (parts->len)
		nx_print(page->out, "%s", title);
	for (size_t i = 0; i < parts->len && i < PARTS_SHOWN; i++)
		nx_print(page->out, "%s%s %.3f us", i ? ", " : "", parts->items[i].name,
			 (double)parts->items[i].time_ps / 1e6);
	if (parts->len > PARTS_SHOWN)
		nx_print(page->out, ", %zu more", parts->len - PARTS_SHOWN);
}

static void put_causes(const struct page *page, const struct nx_line_cost *cost)
{
	const struct nx_line_parts *stalls = &cost->parts[NX_LINE_STALL];

	if (frac_of(page, cost->total_ps[NX_LINE_PATH]) < WARM_FRAC)
		return;
	put_colour(page, "\033[2m");
	put_parts(page, "        on the path: ", &cost->parts[NX_LINE_PATH]);
	put_parts(page, "; stalled for: ", stalls);
	put_colour(page, "\033[0m");
	nx_print(page->out, "\n");
}

static void put_source(const struct page *page, uint32_t line)
{
	struct nx_bytes spaced = {0}, tame = {0};

	if (line && line <= page->text->len) {
		struct nx_slice text = page->text->items[line - 1];

		for (size_t i = 0; i < text.len; i++)
			if (text.data[i] == '\t') /* nx_text_append_tame would write \t */
				nx_bytes_append(&spaced, "    ", 4);
			else
				nx_vec_push(&spaced, text.data[i]);
		nx_text_append_tame(&tame, nx_slice_of(spaced.items, spaced.len));
	}
	nx_print(page->out, " %5u | ", line);
	nx_output_write(page->out, tame.items, tame.len);
	nx_print(page->out, "\n");
	nx_vec_release(&spaced);
	nx_vec_release(&tame);
}

/* Lines without a cost from one line up to, but without, another; few unless all are wanted. */
static void put_between(const struct page *page, uint32_t from, uint32_t to, bool shows_all)
{
	bool is_cut = false;

	for (uint32_t line = from; line < to && line <= page->text->len; line++) {
		bool is_near = (from > 1 && line - from < CONTEXT_LINES) ||
			       (to <= page->text->len && to - line <= CONTEXT_LINES);

		if (is_near || shows_all) {
			nx_print(page->out, "%75s", "");
			put_source(page, line);
		} else if (!is_cut) {
			is_cut = true;
			nx_print(page->out, "%75s   ...\n", "");
		}
	}
}

static void put_page(const struct page *page, struct nx_slice profile, bool shows_all)
{
	const struct nx_source_costs *costs = page->costs;
	int64_t path_ps = 0;
	uint32_t next = 1;

	for (size_t i = 0; i < costs->lines.len; i++)
		if (costs->lines.items[i].file == page->file)
			path_ps += costs->lines.items[i].total_ps[NX_LINE_PATH];
	nx_print(page->out, "%s in %.*s: %.3f us of %.3f us, %.1f %% of the critical path\n",
		 page->file, (int)profile.len, (const char *)profile.data, (double)path_ps / 1e6,
		 (double)costs->span_ps / 1e6, 100 * frac_of(page, path_ps));
	put_colour(page, "\033[1m");
	nx_print(page->out, "%7s %10s %10s %10s %9s %8s  %-*s %5s\n", "path", "path us",
		 "stalled us", "busy us", "HBM", "FLOPs", ENGINES_COLUMNS, "engines", "line");
	put_colour(page, "\033[0m");
	for (size_t i = 0; i < costs->lines.len; i++) {
		const struct nx_line_cost *cost = &costs->lines.items[i];

		if (cost->file != page->file)
			continue;
		put_between(page, next, cost->line, shows_all);
		put_numbers(page, cost);
		put_source(page, cost->line);
		put_causes(page, cost);
		next = cost->line + 1;
	}
	put_between(page, next, UINT32_MAX, shows_all);
}

/* --- the command ----------------------------------------------------------- */

static enum nx_status ask(void *costs, const struct nx_query_engine *engine, struct nx_error *err)
{
	return nx_source_costs_ask(costs, engine, err);
}

static void put_json(struct nx_output *out, const struct page *page)
{
	struct nx_json_writer w;

	nx_json_init_output(&w, out, true);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "file", page->file);
	nx_source_costs_json(&w, page->costs, page->file, page->text);
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
}

static enum nx_status answer(const struct annotate *o, const char *name, const char *path,
			     const struct nx_source_costs *costs, struct nx_error *err)
{
	struct source source = {0};
	struct nx_output out = {0};
	struct page page = {&out, costs, &source.text, NULL,
			    nx_terminal_is_coloured(STDOUT_FILENO)};
	enum nx_status st = nx_source_costs_find(costs, name, &page.file, err);

	if (st)
		return st;
	find_source(&source, path, page.file, name);
	st = nx_output_open(&out, "-", err);
	if (!st && o->format && !strcmp(o->format, "json"))
		put_json(&out, &page);
	else if (!st)
		put_page(&page, nx_path_last(o->profile ? o->profile : path), o->shows_all);
	st = nx_print_end(&out, st, err);
	if (!st && !source.text.len)
		nx_say("the text of %s is not here: name its path, or store it with the profile "
		       "by 'view --source-code-root'",
		       page.file);
	release_source(&source);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct annotate *o = values;
	struct nx_source_costs costs = {0};
	struct nx_arena arena = {0};
	const char *path;
	enum nx_status st =
		operands->count == 1
			? NX_OK
			: nx_fail(err, NX_USAGE,
				  "name one source file: annotate kernel.py -d PROFILE");

	(void)call;
	if (!st)
		st = nx_workspace_view_resolve(o->data_path, o->profile ? o->profile : ".", &arena,
					       &path, err);
	if (!st)
		st = nx_workspace_view_ask(path, ask, &costs, err);
	if (!st)
		st = answer(o, operands->items[0], path, &costs, err);
	nx_source_costs_release(&costs);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"Which lines of a kernel bound the run?", "annotate kernel.py -d profile"},
	{"The same for a program:", "annotate kernel.py -d profile --format json"},
	{0},
};

const struct nx_command nx_command_annotate = {
	.name = "annotate",
	.summary = "show what each line of a source file costs",
	.operands = "FILE",
	.operand_hint = "name a source file, and a profile with -d",
	.description =
		"Prints a source file with, beside each line, its share of the critical path, how "
		"long engines paused before its instructions, how long they were busy with them, "
		"the bytes that its transfers read from and wrote to HBM, FLOPs and engines. "
		"Below each line with 1 % of the path or more are the causes of its time on the "
		"path, and what its instructions waited for.\n"
		"\n"
		"The shares of all lines, and of what belongs to none, such as the runtime's "
		"start-up, add up to the run. Stalls and busy times do not: engines work at the "
		"same time.\n"
		"\n"
		"FILE is a path, or the end of a path that the compiler recorded. The text is the "
		"one stored with the profile, if there is one (view --source-code-root), else that "
		"of FILE. Colours go to terminals only, unless NO_COLOR is set. Needs DuckDB, like "
		"'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct annotate),
	.run = run,
};
