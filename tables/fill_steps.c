/* SPDX-License-Identifier: Apache-2.0 */
/* Step, StepSummary, ExecutionGap and ExecutionGapSummary. */
#include <math.h>
#include <stdio.h>

#include "tables/fillers.h"
#include "tables/step_rows.h"

#define PUT(kind, table, column, value) nx_row_put_##kind(row, NX_COL_##table##_##column, value)
/* The columns that all four tables share. */
#define PUT_PROCESS(table, process)                                                                \
	do {                                                                                       \
		PUT(text, table, instance_id, profile->processes[process].instance_id);            \
		PUT(u64, table, process_id, profile->processes[process].pid);                      \
	} while (0)
/* How a time was spent; a step without duration has no shares. */
#define PUT_SHARES(table, item, whole_ns)                                                          \
	do {                                                                                       \
		if ((item)->has_shares && (whole_ns)) {                                            \
			PUT(f64, table, device_busy_frac, share((item)->busy_ns, whole_ns));       \
			PUT(f64, table, runtime_frac, share((item)->runtime_ns, whole_ns));        \
			PUT(f64, table, host_bound_frac, share((item)->host_ns, whole_ns));        \
		}                                                                                  \
	} while (0)

static double share(uint64_t part_ns, uint64_t whole_ns)
{
	return (double)part_ns / (double)whole_ns;
}

static void fill_step(struct nx_row *row, const struct nx_system_profile *profile, const void *item,
		      char label[NX_STEP_LABEL_MAX])
{
	const struct nx_step *step = item;
	uint64_t duration_ns = step->end_ns - step->start_ns;

	PUT(text, Step, name, step->name);
	PUT(i64, Step, step_num, (int64_t)step->step_num);
	snprintf(label, NX_STEP_LABEL_MAX, "%.250s %lld", step->name, (long long)step->step_num);
	PUT(text, Step, label, label);
	PUT(u64, Step, start_ts, step->start_ns);
	PUT(u64, Step, end_ts, step->end_ns);
	PUT(u64, Step, duration_ns, duration_ns);
	PUT_PROCESS(Step, step->process);
	PUT(u64, Step, thread_id, step->thread_id);
	PUT(i64, Step, event_id, (int64_t)step->event_id);
	PUT_SHARES(Step, step, duration_ns);
	PUT(u64, Step, execution_count, step->execution_count);
	PUT(u64, Step, gap_ns, step->gap_ns);
	PUT(u64, Step, max_gap_ns, step->max_gap_ns);
	if (step->has_late)
		PUT(u64, Step, late_ns, step->late_ns);
	PUT(u64, Step, rank_wait_ns, step->rank_wait_ns);
	if (step->rank)
		PUT(i64, Step, duration_rank, step->rank);
	if (!isnan(step->duration_mads))
		PUT(f64, Step, duration_mads, step->duration_mads);
	PUT(bool, Step, is_outlier, step->is_outlier);
	PUT(bool, Step, is_unfinished, step->is_unfinished);
}

static void fill_step_total(struct nx_row *row, const struct nx_system_profile *profile,
			    const void *item, char label[NX_STEP_LABEL_MAX])
{
	const struct nx_step_total *total = item;

	(void)label;
	PUT(text, StepSummary, name, total->name);
	PUT_PROCESS(StepSummary, total->process);
	PUT(u64, StepSummary, step_count, total->step_count);
	PUT(u64, StepSummary, unfinished_count, total->unfinished_count);
	if (total->step_count > total->unfinished_count) {
		PUT(u64, StepSummary, median_duration_ns, total->median_ns);
		PUT(u64, StepSummary, mad_duration_ns, total->mad_ns);
		PUT(i64, StepSummary, slowest_step_num, (int64_t)total->slowest_num);
		PUT(u64, StepSummary, slowest_duration_ns, total->slowest_ns);
		PUT(u64, StepSummary, median_rank_wait_ns, total->median_rank_wait_ns);
	}
	PUT(u64, StepSummary, outlier_count, total->outlier_count);
	PUT_SHARES(StepSummary, total, total->total_ns);
	if (total->late_count)
		PUT(u64, StepSummary, median_late_ns, total->median_late_ns);
}

static void fill_gap(struct nx_row *row, const struct nx_system_profile *profile, const void *item,
		     char label[NX_STEP_LABEL_MAX])
{
	const struct nx_execution_gap *gap = item;
	uint64_t duration_ns = gap->end_ns - gap->start_ns;

	(void)label;
	PUT(u64, ExecutionGap, start_ts, gap->start_ns);
	PUT(u64, ExecutionGap, end_ts, gap->end_ns);
	PUT(u64, ExecutionGap, duration_ns, duration_ns);
	PUT(u64, ExecutionGap, runtime_ns, gap->runtime_ns);
	PUT(text, ExecutionGap, waits_for, gap->runtime_ns > duration_ns / 2 ? "runtime" : "host");
	PUT_PROCESS(ExecutionGap, gap->process);
	PUT(i64, ExecutionGap, nc_idx, gap->nc_idx);
	if (gap->worker_gid != UINT32_MAX)
		PUT(i64, ExecutionGap, worker_gid, gap->worker_gid);
	if (!gap->step_name)
		return;
	PUT(text, ExecutionGap, step_name, gap->step_name);
	PUT(i64, ExecutionGap, step_num, (int64_t)gap->step_num);
}

static void fill_gap_total(struct nx_row *row, const struct nx_system_profile *profile,
			   const void *item, char label[NX_STEP_LABEL_MAX])
{
	const struct nx_gap_total *total = item;

	(void)label;
	PUT_PROCESS(ExecutionGapSummary, total->process);
	PUT(i64, ExecutionGapSummary, nc_idx, total->nc_idx);
	if (total->worker_gid != UINT32_MAX)
		PUT(i64, ExecutionGapSummary, worker_gid, total->worker_gid);
	PUT(u64, ExecutionGapSummary, gap_count, total->count);
	PUT(u64, ExecutionGapSummary, total_ns, total->total_ns);
	PUT(u64, ExecutionGapSummary, median_ns, total->median_ns);
	PUT(u64, ExecutionGapSummary, first_quarter_median_ns, total->first_median_ns);
	PUT(u64, ExecutionGapSummary, last_quarter_median_ns, total->last_median_ns);
	PUT(u64, ExecutionGapSummary, max_ns, total->max_ns);
	PUT(bool, ExecutionGapSummary, is_growing, total->is_growing);
}

const struct nx_step_table nx_step_tables[NX_STEP_TABLES] = {
	{NX_SCHEMA_Step, NX_SYSTEM_STEP, fill_step},
	{NX_SCHEMA_StepSummary, NX_SYSTEM_STEP_TOTAL, fill_step_total},
	{NX_SCHEMA_ExecutionGap, NX_SYSTEM_GAP, fill_gap},
	{NX_SCHEMA_ExecutionGapSummary, NX_SYSTEM_GAP_TOTAL, fill_gap_total},
};

struct step_rows {
	const struct nx_system_fill *fill;
	const struct nx_step_table *table;
	struct nx_row row;
	char label[NX_STEP_LABEL_MAX];
};

static void put_row(void *context, const void *item)
{
	struct step_rows *rows = context;

	rows->table->fill(&rows->row, rows->fill->profile, item, rows->label);
	nx_table_sink_put(rows->fill->sink, &rows->row);
}

enum nx_status nx_fill_system_steps(struct nx_system_fill *fill)
{
	struct step_rows rows = {.fill = fill};
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < NX_STEP_TABLES && !st; i++) {
		rows.table = &nx_step_tables[i];
		nx_begin_table(fill->sink, &rows.row, rows.table->published);
		st = nx_system_scan(fill->profile, rows.table->source, put_row, &rows, fill->err);
		nx_table_sink_end(fill->sink, rows.table->published);
	}
	return st;
}
