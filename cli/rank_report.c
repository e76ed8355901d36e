/* SPDX-License-Identifier: Apache-2.0 */
/* The device captures of a directory on one clock: a table for people, ranks.json for programs. */
#include <stdio.h>

#include "analyse/rank_times.h"
#include "base/arena.h"
#include "base/json_writer.h"
#include "base/path.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/view.h"

struct report {
	struct nx_arena arena;
	const struct nx_device_job **jobs; /* processed just now, without failures */
	struct nx_rank_time *times;	   /* of each */
	size_t count;
	enum nx_rank_clock clock;
};

static void begin(struct report *r, const struct nx_device_jobs *jobs, bool needs_rank)
{
	*r = (struct report){0};
	r->jobs = NX_NEW_ARRAY(&r->arena, const struct nx_device_job *, jobs->len);
	r->times = NX_NEW_ARRAY(&r->arena, struct nx_rank_time, jobs->len);
	for (size_t i = 0; i < jobs->len; i++) {
		const struct nx_device_result *result = &jobs->items[i].result;

		if (result->status || result->is_known ||
		    (needs_rank && result->rank == UINT32_MAX))
			continue;
		r->times[r->count] = (struct nx_rank_time){
			.start_epoch_ns = result->start_epoch_ns,
			.total_ns = result->total_time_ps / 1000,
			.collective = result->collective,
			.collective_end_ns = result->collective_end_ns,
		};
		r->jobs[r->count++] = &jobs->items[i];
	}
	r->clock = nx_rank_times_align(r->times, r->count);
}

/* --- for people ---------------------------------------------------------------------------- */

static uint64_t earliest_start(const struct report *r)
{
	uint64_t earliest = UINT64_MAX;

	for (size_t i = 0; i < r->count; i++)
		if (r->times[i].start_epoch_ns && r->times[i].start_epoch_ns < earliest)
			earliest = r->times[i].start_epoch_ns;
	return earliest;
}

/* On the common clock if there is one, else relative to the earliest that has the host's time. */
static void start_text(const struct report *r, size_t at, uint64_t earliest,
		       char text[NX_COUNT_TEXT_MAX])
{
	const struct nx_rank_time *time = &r->times[at];

	if (r->clock != NX_RANK_CLOCK_NONE)
		nx_duration_text(time->offset_ns * 1000, text);
	else if (time->start_epoch_ns)
		nx_duration_text((time->start_epoch_ns - earliest) * 1000, text);
	else
		snprintf(text, NX_COUNT_TEXT_MAX, "-");
}

void nx_view_report_devices(const struct nx_device_jobs *jobs, struct nx_output *out)
{
	char time[NX_COUNT_TEXT_MAX], instructions[NX_COUNT_TEXT_MAX], packets[NX_COUNT_TEXT_MAX];
	char start[NX_COUNT_TEXT_MAX];
	struct nx_table_view table;
	struct report r;
	uint64_t earliest;

	begin(&r, jobs, false);
	earliest = earliest_start(&r);
	nx_table_begin(&table, &r.arena, "device profile|>time|>instructions|>DMA packets|>start");
	for (size_t i = 0; i < r.count; i++) {
		const struct nx_device_result *result = &r.jobs[i]->result;

		start_text(&r, i, earliest, start);
		/* a file, a name in the workspace or a database, or the folder of the tables */
		nx_table_row(&table,
			     r.jobs[i]->target ? r.jobs[i]->target
			     : *result->name   ? result->name
					       : r.jobs[i]->store->folder,
			     nx_duration_text(result->total_time_ps, time),
			     nx_count_text(result->instruction_count, instructions),
			     nx_count_text(result->packet_count, packets), start);
	}
	nx_table_end(&table, out, 0);
	if (r.clock != NX_RANK_CLOCK_NONE)
		nx_print(out, "%s\n", nx_rank_clock_sentence(r.clock));
	nx_arena_release(&r.arena);
}

/* --- for programs -------------------------------------------------------------------------- */

static void write_rank(struct nx_json_writer *w, const struct nx_device_job *job,
		       const struct nx_rank_time *time)
{
	nx_json_begin_object(w);
	nx_json_key_u64(w, "rank", job->result.rank);
	nx_json_key_text(w, "file", nx_path_name(job->target));
	nx_json_key_u64(w, "offset_ns", time->offset_ns);
	nx_json_key_u64(w, "total_ns", time->total_ns);
	nx_json_end_object(w);
}

static void write_ranks(struct nx_json_writer *w, const struct report *r)
{
	struct nx_rank_totals totals;

	nx_rank_times_sum(r->times, r->count, &totals);
	nx_json_begin_object(w);
	nx_json_key_text(w, "aligned_by", nx_rank_clock_name(r->clock));
	nx_json_key_u64(w, "span_ns", totals.span_ns);
	nx_json_key_u64(w, "least_total_ns", totals.least_ns);
	nx_json_key_u64(w, "mean_total_ns", totals.mean_ns);
	nx_json_key_u64(w, "most_total_ns", totals.most_ns);
	nx_json_key_u64(w, "fastest_rank", r->jobs[totals.fastest]->result.rank);
	nx_json_key_u64(w, "slowest_rank", r->jobs[totals.slowest]->result.rank);
	if (totals.collective_skew_ns != UINT64_MAX)
		nx_json_key_u64(w, "collective_skew_ns", totals.collective_skew_ns);
	nx_json_key(w, "ranks");
	nx_json_begin_array(w);
	for (size_t i = 0; i < r->count; i++)
		write_rank(w, r->jobs[i], &r->times[i]);
	nx_json_end_array(w);
	nx_json_end_object(w);
}

enum nx_status nx_view_write_ranks(const struct nx_device_jobs *jobs, const char *path, bool pretty,
				   struct nx_error *err)
{
	struct nx_json_writer w;
	struct nx_output out;
	struct report r;
	enum nx_status st = NX_OK;

	begin(&r, jobs, true);
	if (r.count > 1)
		st = nx_output_open(&out, path, err);
	if (!st && r.count > 1) {
		nx_json_init_output(&w, &out, pretty);
		write_ranks(&w, &r);
		nx_output_write(&out, "\n", 1);
		st = nx_print_end(&out, NX_OK, err);
	}
	nx_arena_release(&r.arena);
	return st;
}
