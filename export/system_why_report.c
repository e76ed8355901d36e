/* SPDX-License-Identifier: Apache-2.0 */
#include "export/system_why_report.h"

#include <inttypes.h>
#include <string.h>

#define PARTS_SHOWN 6u /* the rest is one line */

/* Exact to the nanosecond, so that a reader can add the parts up. */
#define MS_FORMAT "%" PRId64 ".%06" PRId64 " ms"
#define MS(time_ns) (time_ns) / 1000000, (time_ns) % 1000000

static double percent(int64_t part_ns, int64_t whole_ns)
{
	return whole_ns > 0 ? 100.0 * (double)part_ns / (double)whole_ns : 0;
}

static const char *explain(const char *cause)
{
	static const struct {
		const char *cause, *text;
	} texts[] = {
		{"host", "the program itself"},
		{"runtime", "calls of the runtime, no core runs"},
		{"execution", "a core runs"},
		{"collective", "a collective runs"},
		{"other ranks", "wait for other ranks"},
		{"not recorded", "before the process was recorded"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(cause, texts[i].cause))
			return texts[i].text;
	return cause;
}

static void put_path(struct nx_bytes *out, const struct nx_system_why *why)
{
	int64_t rest_ns = 0;

	for (size_t i = 0; i < why->path.len; i++) {
		const struct nx_system_part *p = &why->path.items[i];

		if (i >= PARTS_SHOWN) {
			rest_ns += p->time_ns;
			continue;
		}
		nx_bytes_printf(out, "  %8" PRId64 ".%06" PRId64 " ms %5.1f %%  %s: %s",
				MS(p->time_ns), percent(p->time_ns, why->span_ns), p->cause,
				explain(p->cause));
		if (p->instance)
			nx_bytes_printf(out, " (process %" PRId64 ")", p->process);
		nx_bytes_printf(out, "\n");
	}
	if (why->path.len > PARTS_SHOWN)
		nx_bytes_printf(out,
				"  %8" PRId64 ".%06" PRId64
				" ms %5.1f %%  %zu smaller parts (--format json lists all)\n",
				MS(rest_ns), percent(rest_ns, why->span_ns),
				why->path.len - PARTS_SHOWN);
}

static const struct nx_system_span *longest_span(const struct nx_system_why *why,
						 const char *instance, int64_t process)
{
	for (size_t i = 0; i < why->host.len; i++) /* the longest of a process first */
		if (why->host.items[i].process == process &&
		    !strcmp(why->host.items[i].instance, instance))
			return &why->host.items[i];
	return NULL;
}

static void put_last_rank(struct nx_bytes *out, const struct nx_system_why *why)
{
	const struct nx_system_rank *r = why->ranks.items;
	const struct nx_system_span *span;

	if (!why->ranks.len || !r->stall_ns)
		return;
	nx_bytes_printf(out, "Process %" PRId64, r->process);
	if (r->rank >= 0)
		nx_bytes_printf(out, " (rank %" PRId64 ")", r->rank);
	nx_bytes_printf(out,
			" came last to %" PRId64 " of %" PRId64
			" meetings; the others waited " MS_FORMAT " for it, added up.\n",
			r->last_count, r->meeting_count, MS(r->stall_ns));
	span = longest_span(why, r->instance, r->process);
	if (span)
		nx_bytes_printf(out,
				"While no core ran, its program was in \"%s\" for " MS_FORMAT ".\n",
				span->name, MS(span->time_ns));
}

static void put_steps(struct nx_bytes *out, const struct nx_system_why *why)
{
	const struct nx_system_steps *s = &why->steps;

	if (s->slowest)
		nx_bytes_printf(out,
				"%" PRId64 " steps, median " MS_FORMAT
				"; the slowest, %s of process "
				"%" PRId64 ", took " MS_FORMAT "; %" PRId64 " stand out.\n",
				s->count, MS(s->median_ns), s->slowest, s->slowest_process,
				MS(s->slowest_ns), s->outlier_count);
	if (why->gaps.count)
		nx_bytes_printf(out,
				"%" PRId64 " gaps between executions, " MS_FORMAT
				" in all, the longest " MS_FORMAT "; %" PRId64
				" of them wait for the program.\n",
				why->gaps.count, MS(why->gaps.total_ns), MS(why->gaps.longest_ns),
				why->gaps.host_count);
}

void nx_system_why_text(struct nx_bytes *out, const struct nx_system_why *why, const char *profile)
{
	nx_bytes_printf(out,
			"%s took " MS_FORMAT
			". The critical path over all processes, in parts that add up to it:\n",
			profile, MS(why->span_ns));
	put_path(out, why);
	put_last_rank(out, why);
	put_steps(out, why);
}

/* --- JSON ------------------------------------------------------------------ */

static void key_array(struct nx_json_writer *w, const char *key)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
}

static void put_json_parts(struct nx_json_writer *w, const char *key,
			   const struct nx_system_parts *parts)
{
	key_array(w, key);
	for (size_t i = 0; i < parts->len; i++) {
		const struct nx_system_part *p = &parts->items[i];

		nx_json_begin_object(w);
		if (p->instance) {
			nx_json_key_text(w, "instance_id", p->instance);
			nx_json_key_i64(w, "process_id", p->process);
		}
		nx_json_key_text(w, "cause", p->cause);
		nx_json_key_i64(w, "time_ns", p->time_ns);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_json_ranks(struct nx_json_writer *w, const struct nx_system_why *why)
{
	key_array(w, "ranks");
	for (size_t i = 0; i < why->ranks.len; i++) {
		const struct nx_system_rank *r = &why->ranks.items[i];

		nx_json_begin_object(w);
		nx_json_key_i64(w, "rank", r->rank);
		nx_json_key_text(w, "instance_id", r->instance);
		nx_json_key_i64(w, "process_id", r->process);
		nx_json_key_i64(w, "meetings", r->meeting_count);
		nx_json_key_i64(w, "came_last", r->last_count);
		nx_json_key_i64(w, "slack_ns", r->slack_ns);
		nx_json_key_i64(w, "stall_ns", r->stall_ns);
		nx_json_key_i64(w, "observed_ns", r->observed_ns);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

void nx_system_why_json(struct nx_json_writer *w, const struct nx_system_why *why)
{
	nx_json_key_i64(w, "span_ns", why->span_ns);
	put_json_parts(w, "path", &why->path);
	put_json_parts(w, "processes", &why->processes);
	put_json_ranks(w, why);
	key_array(w, "host");
	for (size_t i = 0; i < why->host.len; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", why->host.items[i].name);
		nx_json_key_text(w, "instance_id", why->host.items[i].instance);
		nx_json_key_i64(w, "process_id", why->host.items[i].process);
		nx_json_key_i64(w, "time_ns", why->host.items[i].time_ns);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}
