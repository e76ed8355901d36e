/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "model/metrics.h"

#define FEW_WARNINGS 6u

unsigned nx_view_verbosity(const struct nx_view_options *v)
{
	return v->verbosity.is_given ? v->verbosity.value : NX_SAY_WARNINGS;
}

bool nx_view_says(const struct nx_view_options *v)
{
	return nx_view_verbosity(v) > NX_SAY_ERRORS;
}

static bool is_first_of_category(const struct nx_warnings *w, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(w->items[i].category, w->items[index].category))
			return false;
	return true;
}

/* Many warnings: the first of each kind and how many more there are. */
static void say_grouped(const struct nx_warnings *w)
{
	for (size_t i = 0; i < w->len; i++) {
		const char *category = w->items[i].category;
		size_t count = 0;

		if (!is_first_of_category(w, i))
			continue;
		for (size_t k = i; k < w->len; k++)
			count += !strcmp(w->items[k].category, category);
		if (count > 1)
			nx_say_warning("%s: %s (and %zu more)", category, w->items[i].message,
				       count - 1);
		else
			nx_say_warning("%s: %s", category, w->items[i].message);
	}
	nx_say("%zu warnings in all; -v 4 shows each", w->len);
}

void nx_view_say_warnings(const struct nx_warnings *w, unsigned verbosity)
{
	if (verbosity < NX_SAY_WARNINGS)
		return;
	if (w->len > FEW_WARNINGS && verbosity < NX_SAY_ALL) {
		say_grouped(w);
		return;
	}
	for (size_t i = 0; i < w->len; i++)
		for (size_t k = i; k < w->len && is_first_of_category(w, i); k++)
			if (!strcmp(w->items[k].category, w->items[i].category))
				nx_say_warning("%s: %s", w->items[k].category, w->items[k].message);
}

/* Without numbers and names of files, which differ where the cause is the same. */
static struct nx_slice cause_of(const char *text, struct nx_arena *arena)
{
	char *cause = nx_arena_copy_text(arena, text);
	size_t len = 0;

	while (*text) {
		size_t word = strcspn(text, " ");
		bool is_name = memmem(text, word, ".ntff", 5) || memmem(text, word, ".neff", 5);

		for (size_t i = 0; i < word && !is_name; i++)
			if (!strchr("0123456789,.", text[i]))
				cause[len++] = text[i];
		text += word + strspn(text + word, " ");
	}
	return nx_slice_of(cause, len);
}

static const char *next_text(const char *text)
{
	return text + strlen(text) + 1;
}

static void say_device_warning(const struct nx_device_job *job, const char *text, uint64_t count)
{
	if (count > 1)
		nx_say_warning("%s: %s (and %llu more device profile%s)", job->options.session_path,
			       text, (unsigned long long)count - 1, count == 2 ? "" : "s");
	else
		nx_say_warning("%s: %s", job->options.session_path, text);
}

void nx_view_say_device_warnings(const struct nx_device_jobs *jobs, unsigned verbosity)
{
	struct nx_text_map counts = {0};
	struct nx_arena arena = {0};
	uint64_t count;

	for (size_t i = 0; i < jobs->len; i++)
		for (const char *t = jobs->items[i].result.warnings; *t; t = next_text(t)) {
			struct nx_slice cause = cause_of(t, &arena);

			count = nx_text_map_get(&counts, cause, &count) ? count + 1 : 1;
			nx_text_map_put(&counts, cause, count);
		}
	for (size_t i = 0; i < jobs->len && verbosity >= NX_SAY_WARNINGS; i++)
		for (const char *t = jobs->items[i].result.warnings; *t; t = next_text(t)) {
			struct nx_slice cause = cause_of(t, &arena);

			count = verbosity >= NX_SAY_ALL || !nx_text_map_get(&counts, cause, &count)
					? 1
					: count;
			if (count)
				say_device_warning(&jobs->items[i], t, count);
			if (verbosity < NX_SAY_ALL) /* the others of that cause were counted */
				nx_text_map_put(&counts, cause, 0);
		}
	nx_text_map_release(&counts);
	nx_arena_release(&arena);
}

void nx_view_say_result(const struct nx_profile *profile, const char *path, uint64_t written_bytes,
			uint64_t duration_ns)
{
	char packet_text[NX_COUNT_TEXT_MAX], instruction_text[NX_COUNT_TEXT_MAX];
	char size_text[NX_COUNT_TEXT_MAX], duration_text[NX_COUNT_TEXT_MAX];
	uint64_t packets = 0, instructions = 0;

	for (uint32_t g = 0; g < profile->capture.graph_count; g++) {
		packets += profile->graphs[g].packet_count;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			instructions += profile->graphs[g].instruction_count[e];
	}
	snprintf(duration_text, sizeof(duration_text),
		 duration_ns < 100000000 ? "%.0f ms" : "%.1f s",
		 (double)duration_ns / (duration_ns < 100000000 ? 1e6 : 1e9));
	nx_say("wrote %s: %s packets, %s instructions, %s in %s", path,
	       nx_count_text(packets, packet_text), nx_count_text(instructions, instruction_text),
	       nx_size_text(written_bytes, size_text), duration_text);
}

static void print_entry(struct nx_output *out, const char *name, const char *unit,
			const char *description)
{
	nx_print(out, *unit ? "%s (%s)\n    " : "%s%s\n    ", name, unit);
	nx_print_wrapped(out, description, 4, 4, nx_terminal_columns());
}

static void print_metrics(struct nx_output *out, const struct nx_metric_definition *metrics,
			  size_t count)
{
	char name[NX_METRIC_NAME_MAX], description[1024];

	for (size_t i = 0; i < count; i++) {
		nx_metric_expand(metrics[i].name, 0, name, sizeof(name));
		nx_metric_expand(metrics[i].description, 0, description, sizeof(description));
		print_entry(out, name, metrics[i].unit, description);
	}
}

void nx_view_print_terminology(struct nx_output *out)
{
	nx_print(out, "TERMS\n\n");
	for (size_t i = 0; i < nx_term_count; i++)
		print_entry(out, nx_terms[i].term, "", nx_terms[i].description);
	nx_print(out, "\nMETRICS\n\n");
	print_metrics(out, nx_metrics, nx_metric_count);
	nx_print(out, "\nMETRICS OF EACH CORE (shown for core 0)\n\n");
	print_metrics(out, nx_core_metrics, nx_core_metric_count);
}

void nx_view_say_stored(const struct nx_stored *stored, uint64_t duration_ns)
{
	char rows[NX_COUNT_TEXT_MAX], size[NX_COUNT_TEXT_MAX];
	double seconds = (double)duration_ns / 1e9;
	bool is_profile = *stored->name && stored->place[0] == '/';

	if (stored->source_count)
		nx_say("kept %zu of the %zu source files that the capture names%s",
		       stored->sources.found_count, stored->source_count,
		       stored->sources.missing_count
			       ? "; the others are not below the folders given"
			       : "");
	nx_count_text(stored->counts.row_count, rows);
	nx_size_text(stored->counts.file_bytes, size);
	if (is_profile)
		nx_say("stored as %s: %s rows, %s in %.1f s (%s)", stored->name, rows, size,
		       seconds, stored->place);
	else
		nx_say("wrote %s to %s: %s rows, %s in %.1f s",
		       *stored->name ? stored->name : "tables", stored->place, rows, size, seconds);
	if (is_profile)
		nx_say("query it with: neuron-explorer query -d %s .tables", stored->name);
}
