/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and gaps between executions (analyse/steps.h), from the sorted events of each process. */
#include "pipeline/system_run.h"

#define GAP_SPOOL_BYTES ((size_t)8 << 20)

static void keep_gap(void *context, const void *gap)
{
	struct nx_system_run *run = context;

	if (!run->status)
		run->status = nx_spool_add(run->gaps, gap, &run->error);
}

/* Needs neither nesting nor attributes, so it reads the spool itself. */
static enum nx_status sweep_process(struct nx_system_run *run, uint32_t process,
				    struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	const struct nx_kept_event *kept;
	enum nx_status st = nx_spool_cursor_open_part(&cursor, run->events, process, err);

	if (st)
		return st;
	nx_step_analysis_begin(&run->steps, process);
	while ((kept = nx_spool_cursor_next(cursor))) {
		struct nx_system_event event;

		nx_kept_event_show(kept, process, &event);
		if (event.flags & NX_EVENT_STEP)
			nx_map_get(&run->inputs[process].step_numbers, event.id, &event.step_num);
		nx_step_analysis_add(&run->steps, &event);
	}
	nx_step_analysis_end(&run->steps);
	return nx_spool_cursor_close(cursor, err);
}

static enum nx_status derive(struct nx_system_run *run, struct nx_error *err)
{
	uint64_t *rows = run->profile.rows;
	enum nx_status st = NX_OK;

	run->gaps = nx_spool_new(sizeof(struct nx_execution_gap), GAP_SPOOL_BYTES);
	run->steps = (struct nx_step_analysis){
		.profile = &run->profile, .on_gap = keep_gap, .context = run};
	for (uint32_t i = 0; i < run->profile.process_count && !st; i++) {
		if (run->inputs[i].is_kept)
			st = sweep_process(run, i, err);
		nx_spool_cut(run->gaps);
	}
	if (!st && run->status) {
		if (err)
			*err = run->error;
		st = run->status;
	}
	if (!st)
		st = nx_spool_sort(run->gaps, err);
	if (st) {
		nx_spool_free(run->gaps);
		run->gaps = NULL;
		nx_step_analysis_release(&run->steps);
		return st;
	}
	nx_step_analysis_conclude(&run->steps);
	rows[NX_SYSTEM_STEP] = run->steps.steps.len;
	rows[NX_SYSTEM_STEP_TOTAL] = run->steps.step_totals.len;
	rows[NX_SYSTEM_GAP_TOTAL] = run->steps.gap_totals.len;
	for (size_t i = 0; i < run->steps.gap_totals.len; i++)
		rows[NX_SYSTEM_GAP] += run->steps.gap_totals.items[i].count;
	return NX_OK;
}

enum nx_status nx_system_scan_steps(struct nx_system_run *run, enum nx_system_table table,
				    nx_row_fn fn, void *context, struct nx_error *err)
{
	const struct nx_step_analysis *a = &run->steps;
	enum nx_status st = run->gaps ? NX_OK : derive(run, err);

	if (st)
		return st;
	if (table == NX_SYSTEM_STEP)
		for (size_t i = 0; i < a->steps.len; i++)
			fn(context, &a->steps.items[i]);
	else if (table == NX_SYSTEM_STEP_TOTAL)
		for (size_t i = 0; i < a->step_totals.len; i++)
			fn(context, &a->step_totals.items[i]);
	else if (table == NX_SYSTEM_GAP_TOTAL)
		for (size_t i = 0; i < a->gap_totals.len; i++)
			fn(context, &a->gap_totals.items[i]);
	for (uint32_t i = 0; i < run->profile.process_count && table == NX_SYSTEM_GAP && !st; i++)
		st = nx_spool_each(run->gaps, i, fn, context, err);
	return st;
}
