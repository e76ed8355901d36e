/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep: starts come with the events, ends wait in a heap. */
#include "analyse/steps.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/earliest.h"
#include "model/system_event.h"

#define NO_SUBJECT SIZE_MAX
/* An execution counts for at most so many steps that are open at once, the latest. */
#define MAX_OPEN_STEPS 16u

enum end_kind { END_EXECUTION, END_CALL, END_BARRIER, END_STEP };

enum name_role { ROLE_NONE, ROLE_RUNNING, ROLE_LAUNCH, ROLE_BARRIER };

static uint8_t role_of(const char *name)
{
	static const struct {
		const char *name;
		uint8_t role;
	} roles[] = {
		{"nc_exec_running", ROLE_RUNNING}, {"nrt_execute", ROLE_LAUNCH},
		{"nrt_model_submit", ROLE_LAUNCH}, {"kmgr_exec_core", ROLE_LAUNCH},
		{"kbl_exec_pre", ROLE_LAUNCH},	   {"kbl_exec_core", ROLE_LAUNCH},
		{"enc_barrier", ROLE_BARRIER},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(name, roles[i].name))
			return roles[i].role;
	return ROLE_NONE;
}

bool nx_step_number_of(struct nx_slice name, uint64_t *step_num)
{
	static const char stem[] = "ProfilerStep#", key[] = "#step_num=";
	const size_t key_len = sizeof(key) - 1;
	const uint8_t *at;
	struct nx_slice digits;
	size_t len = 0;

	if (nx_slice_starts(name, stem))
		return nx_slice_to_u64(nx_slice_part(name, sizeof(stem) - 1, name.len), step_num);
	at = name.len ? memmem(name.data, name.len, key, key_len) : NULL;
	if (!at)
		return false;
	digits = nx_slice_part(name, (size_t)(at - name.data) + key_len, name.len);
	while (len < digits.len && digits.data[len] >= '0' && digits.data[len] <= '9')
		len++;
	return nx_slice_to_u64(nx_slice_part(digits, 0, len), step_num);
}

/* --- time -------------------------------------------------------------------------- */

static void move_to(struct nx_step_analysis *a, uint64_t time_ns)
{
	uint64_t passed_ns = time_ns > a->now_ns ? time_ns - a->now_ns : 0;

	if (a->running_count)
		a->clocks.busy_ns += passed_ns;
	if (a->runtime_count)
		a->clocks.runtime_ns += passed_ns;
	if (a->runtime_count && !a->running_count)
		a->clocks.waiting_ns += passed_ns;
	if (a->barrier_count)
		a->clocks.barrier_ns += passed_ns;
	a->now_ns += passed_ns;
}

/* --- executions and gaps ------------------------------------------------------------- */

static size_t find_core(struct nx_step_analysis *a, int32_t nc_idx)
{
	uint32_t worker = nx_system_worker(&a->profile->processes[a->process], nc_idx);
	size_t at = 0;

	while (at < a->cores.len && a->cores.items[at].nc_idx != nc_idx)
		at++;
	if (at == a->cores.len)
		nx_vec_push(&a->cores, ((struct nx_swept_core){.nc_idx = nc_idx,
							       .total = {.process = a->process,
									 .nc_idx = nc_idx,
									 .worker_gid = worker}}));
	return at;
}

static size_t first_open(const struct nx_step_analysis *a)
{
	return a->open_steps.len > MAX_OPEN_STEPS ? a->open_steps.len - MAX_OPEN_STEPS : 0;
}

static void note_launch(struct nx_step_analysis *a)
{
	for (size_t i = first_open(a); i < a->open_steps.len; i++) {
		struct nx_step *step = &a->steps.items[a->open_steps.items[i].step];

		if (!step->first_launch_ns)
			step->first_launch_ns = a->now_ns;
	}
}

static void note_execution(struct nx_step_analysis *a, uint64_t gap_ns)
{
	for (size_t i = first_open(a); i < a->open_steps.len; i++) {
		struct nx_step *step = &a->steps.items[a->open_steps.items[i].step];

		if (!step->first_execution_ns)
			step->first_execution_ns = a->now_ns;
		step->execution_count++;
		step->gap_ns += gap_ns;
		if (gap_ns > step->max_gap_ns)
			step->max_gap_ns = gap_ns;
	}
}

static uint64_t end_gap(struct nx_step_analysis *a, struct nx_swept_core *core)
{
	const struct nx_swept_step *open =
		a->open_steps.len ? &a->open_steps.items[a->open_steps.len - 1] : NULL;
	struct nx_execution_gap gap = {
		.start_ns = core->idle_since_ns,
		.end_ns = a->now_ns,
		.runtime_ns = a->clocks.runtime_ns - core->runtime_reading_ns,
		.step_num = open ? a->steps.items[open->step].step_num : 0,
		.step_name = open ? a->steps.items[open->step].name : NULL,
		.process = a->process,
		.nc_idx = core->nc_idx,
		.worker_gid = core->total.worker_gid,
	};
	uint64_t duration_ns = gap.end_ns - gap.start_ns;

	core->total.count++;
	core->total.total_ns += duration_ns;
	if (duration_ns > core->total.max_ns)
		core->total.max_ns = duration_ns;
	nx_gap_sample_add(&core->sample, duration_ns);
	if (a->on_gap)
		a->on_gap(a->context, &gap);
	return duration_ns;
}

static void start_execution(struct nx_step_analysis *a, const struct nx_system_event *event)
{
	size_t at = find_core(a, event->nc_idx);
	struct nx_swept_core *core = &a->cores.items[at];

	a->has_executions = true;
	if (!core->open_count++)
		note_execution(a, core->has_run ? end_gap(a, core) : 0);
	core->has_run = true;
	a->running_count++;
	nx_earliest_push(&a->ends, ((struct nx_sweep_end){event->end_ns, END_EXECUTION, at}));
}

static void end_execution(struct nx_step_analysis *a, struct nx_swept_core *core)
{
	a->running_count--;
	if (--core->open_count)
		return;
	core->idle_since_ns = a->now_ns;
	core->runtime_reading_ns = a->clocks.runtime_ns;
}

/* --- steps --------------------------------------------------------------------------- */

static const char *kind_of_step(struct nx_step_analysis *a, const char *name)
{
	struct nx_slice kind = nx_slice_text(name);
	const uint8_t *cut = kind.len ? memchr(kind.data, '#', kind.len) : NULL;
	uint64_t at;

	if (cut && cut > kind.data)
		kind.len = (size_t)(cut - kind.data);
	if (!nx_text_map_get(&a->name_ids, kind, &at)) {
		at = (uint64_t)(uintptr_t)nx_arena_copy(&a->arena, kind);
		nx_text_map_put(&a->name_ids, nx_slice_text((const char *)(uintptr_t)at), at);
	}
	return (const char *)(uintptr_t)at;
}

static void start_step(struct nx_step_analysis *a, const struct nx_system_event *event)
{
	struct nx_step step = {
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.step_num = event->step_num,
		.event_id = event->id,
		.thread_id = event->thread_id,
		.name = kind_of_step(a, nx_system_event_name(a->profile, event)),
		.process = a->process,
		.is_unfinished = event->flags & NX_EVENT_UNFINISHED,
		.duration_mads = (double)NAN,
	};

	nx_vec_push(&a->open_steps, ((struct nx_swept_step){a->steps.len, a->clocks}));
	nx_earliest_push(&a->ends, ((struct nx_sweep_end){event->end_ns, END_STEP, a->steps.len}));
	nx_vec_push(&a->steps, step);
}

static void end_step(struct nx_step_analysis *a, size_t subject)
{
	struct nx_step *step = &a->steps.items[subject];
	size_t at = a->open_steps.len - 1;

	while (a->open_steps.items[at].step != subject)
		at--;
	step->busy_ns = a->clocks.busy_ns - a->open_steps.items[at].at_start.busy_ns;
	step->runtime_ns = a->clocks.waiting_ns - a->open_steps.items[at].at_start.waiting_ns;
	step->rank_wait_ns = a->clocks.barrier_ns - a->open_steps.items[at].at_start.barrier_ns;
	step->host_ns = step->end_ns - step->start_ns - step->busy_ns - step->runtime_ns;
	memmove(a->open_steps.items + at, a->open_steps.items + at + 1,
		(a->open_steps.len - at - 1) * sizeof(*a->open_steps.items));
	a->open_steps.len--;
}

/* --- events -------------------------------------------------------------------------- */

static void end_until(struct nx_step_analysis *a, uint64_t time_ns)
{
	while (a->ends.len && a->ends.items[0].end_ns <= time_ns) {
		struct nx_sweep_end end = a->ends.items[0];

		nx_earliest_drop(&a->ends);
		move_to(a, end.end_ns);
		if (end.kind == END_EXECUTION)
			end_execution(a, &a->cores.items[end.subject]);
		else if (end.kind == END_CALL)
			a->runtime_count--;
		else if (end.kind == END_BARRIER)
			a->barrier_count--;
		else
			end_step(a, end.subject);
	}
}

void nx_step_analysis_begin(struct nx_step_analysis *a, uint32_t process)
{
	const struct nx_system_process *p = &a->profile->processes[process];

	assert(process < a->profile->process_count && !a->ends.len && !a->cores.len);
	a->process = process;
	a->name_roles = NX_NEW_ARRAY(&a->arena, uint8_t, p->name_count + 1);
	for (size_t i = 0; i < p->name_count; i++)
		a->name_roles[i] = role_of(p->names[i]);
	a->now_ns = 0;
	a->clocks = (struct nx_step_clocks){0};
	a->first_step = a->steps.len;
	a->has_executions = false;
}

static void start_call(struct nx_step_analysis *a, const struct nx_system_event *event,
		       uint8_t role)
{
	a->runtime_count++;
	nx_earliest_push(&a->ends, ((struct nx_sweep_end){event->end_ns, END_CALL, NO_SUBJECT}));
	if (role == ROLE_LAUNCH)
		note_launch(a);
	if (role != ROLE_BARRIER)
		return;
	a->barrier_count++;
	nx_earliest_push(&a->ends, ((struct nx_sweep_end){event->end_ns, END_BARRIER, NO_SUBJECT}));
}

void nx_step_analysis_add(struct nx_step_analysis *a, const struct nx_system_event *event)
{
	uint8_t role = event->name < a->profile->processes[a->process].name_count
			       ? a->name_roles[event->name]
			       : ROLE_NONE;

	if ((event->flags & (NX_EVENT_INSTANT | NX_EVENT_ORPHAN)) ||
	    event->end_ns < event->start_ns)
		return;
	end_until(a, event->start_ns);
	move_to(a, event->start_ns);
	if (event->flags & NX_EVENT_STEP) {
		start_step(a, event);
	} else if (event->source == NX_SOURCE_HARDWARE) {
		if (role == ROLE_RUNNING)
			start_execution(a, event);
	} else if (event->source == NX_SOURCE_RUNTIME && !(event->flags & NX_EVENT_UNFINISHED)) {
		start_call(a, event, role);
	}
}

void nx_step_analysis_end(struct nx_step_analysis *a)
{
	end_until(a, UINT64_MAX);
	for (size_t i = a->first_step; i < a->steps.len; i++)
		a->steps.items[i].has_shares = a->has_executions;
	for (size_t i = 0; i < a->cores.len; i++) {
		struct nx_swept_core *core = &a->cores.items[i];

		nx_gap_sample_judge(&core->sample, &core->total);
		if (core->total.count)
			nx_vec_push(&a->gap_totals, core->total);
		nx_vec_release(&core->sample.durations);
	}
	nx_vec_clear(&a->cores);
}

void nx_step_analysis_release(struct nx_step_analysis *a)
{
	for (size_t i = 0; i < a->cores.len; i++)
		nx_vec_release(&a->cores.items[i].sample.durations);
	nx_vec_release(&a->cores);
	nx_vec_release(&a->open_steps);
	nx_vec_release(&a->ends);
	nx_vec_release(&a->steps);
	nx_vec_release(&a->step_totals);
	nx_vec_release(&a->gap_totals);
	nx_text_map_release(&a->name_ids);
	nx_arena_release(&a->arena);
}
