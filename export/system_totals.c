/* SPDX-License-Identifier: Apache-2.0 */
#include "export/system_totals.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/system_event.h"

/* One map has the keys of all lists. */
enum key_kind { KEY_CORE, KEY_DEVICE_CORE, KEY_NAME, KEY_PEAK };

/* The item's place in its list; len if it is new. */
static size_t place(struct nx_system_totals *t, size_t len, enum key_kind kind, uint64_t a,
		    uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t parts[] = {kind, a, b, c, d}, at = len;
	uint64_t key = nx_hash_words(parts, sizeof(parts) / sizeof(parts[0]));

	if (!nx_map_get(&t->by_key, key, &at))
		nx_map_put(&t->by_key, key, len);
	return (size_t)at;
}

/* --- events ------------------------------------------------------------- */

/* Groups are processes, then cores in order of appearance. */
static uint32_t group_of(const struct nx_system_totals *t, size_t core)
{
	return t->profile->process_count + (uint32_t)core;
}

static size_t find_core(struct nx_system_totals *t, uint32_t process, int32_t nc_idx)
{
	size_t at = place(t, t->cores.len, KEY_CORE, process, (uint64_t)(int64_t)nc_idx, 0, 0);

	if (at == t->cores.len)
		nx_vec_push(&t->cores, ((struct nx_core_totals){.process = process,
								.nc_idx = nc_idx,
								.worker_gid = UINT32_MAX,
								.device_idx = UINT32_MAX}));
	return at;
}

static void add_name(struct nx_system_totals *t, uint32_t group, const struct nx_system_event *e)
{
	size_t at = place(t, t->names.len, KEY_NAME, group, e->name, e->source, 0);
	uint64_t duration_ns = nx_event_duration_ns(e);
	struct nx_name_total *name;

	if (at == t->names.len)
		nx_vec_push(&t->names,
			    ((struct nx_name_total){.group = group,
						    .source = e->source,
						    .name = nx_system_event_name(t->profile, e)}));
	name = &t->names.items[at];
	name->count++;
	name->total_ns += duration_ns;
	if (duration_ns > name->max_ns)
		name->max_ns = duration_ns;
}

/* Rows come in order of start, so the union of executions needs only its last end. */
static void add_execution(struct nx_system_totals *t, const struct nx_system_event *e)
{
	uint64_t core_idx = (uint64_t)(int64_t)e->nc_idx;
	bool is_physical = nx_event_number(t->profile, e, "device_core_idx", &core_idx);
	size_t at = place(t, t->device_cores.len, KEY_DEVICE_CORE, e->process, is_physical,
			  core_idx, (uint64_t)(int64_t)e->nc_idx);
	struct nx_device_core_totals *core;

	if (at == t->device_cores.len)
		nx_vec_push(&t->device_cores,
			    ((struct nx_device_core_totals){.process = e->process,
							    .is_physical = is_physical,
							    .core_idx = core_idx,
							    .nc_idx = e->nc_idx,
							    .device_idx = UINT32_MAX}));
	core = &t->device_cores.items[at];
	core->execution_count++;
	if (e->end_ns <= core->until_ns)
		return;
	core->busy_ns += e->end_ns - (e->start_ns > core->until_ns ? e->start_ns : core->until_ns);
	core->until_ns = e->end_ns;
}

static void add_event(void *context, const void *row)
{
	struct nx_system_totals *t = context;
	const struct nx_system_event *e = row;
	struct nx_process_totals *p = &t->processes[e->process];

	p->first_ns =
		!p->events.event_count || e->start_ns < p->first_ns ? e->start_ns : p->first_ns;
	p->last_ns = e->end_ns > p->last_ns ? e->end_ns : p->last_ns;
	p->events.event_count++;
	p->unfinished_count += !!(e->flags & NX_EVENT_UNFINISHED);
	p->orphan_count += !!(e->flags & NX_EVENT_ORPHAN);
	add_name(t, e->process, e);
	if (e->nc_idx >= 0) {
		size_t core = find_core(t, e->process, e->nc_idx);

		t->cores.items[core].events.event_count++;
		if (nx_event_has_worker(e))
			t->cores.items[core].worker_gid = e->worker_gid;
		add_name(t, group_of(t, core), e);
	}
	if (e->source == NX_SOURCE_HARDWARE && e->end_ns > e->start_ns &&
	    !strcmp(nx_system_event_name(t->profile, e), "nc_exec_running"))
		add_execution(t, e);
}

/* --- samples ------------------------------------------------------------ */

static void add_cpu(void *context, const void *row)
{
	const struct nx_cpu_sample *s = row;
	struct nx_process_totals *p = &((struct nx_system_totals *)context)->processes[s->process];

	/* A load is that since the sample before: the first ones are 0 and say nothing. */
	if (!p->has_cpu_samples)
		p->cpu_first_ns = s->time_ns;
	p->has_cpu_samples = true;
	if (s->time_ns == p->cpu_first_ns && s->util_percent <= 0)
		return;
	p->cpu_sample_count++;
	p->cpu_sum += (double)s->util_percent;
	if ((double)s->util_percent > p->cpu_max)
		p->cpu_max = (double)s->util_percent;
}

static void add_memory(void *context, const void *row)
{
	const struct nx_memory_sample *s = row;
	struct nx_process_totals *p = &((struct nx_system_totals *)context)->processes[s->process];

	if (s->usage_bytes > p->memory_peak_bytes)
		p->memory_peak_bytes = s->usage_bytes;
}

static void raise_peak(struct nx_system_totals *t, const struct nx_hbm_sample *s, uint32_t group,
		       const char *category, uint64_t bytes)
{
	size_t at = place(t, t->peaks.len, KEY_PEAK, group, s->device_idx, s->hbm_idx,
			  category ? s->category : UINT64_MAX);

	if (at == t->peaks.len)
		nx_vec_push(&t->peaks, ((struct nx_hbm_peak){.group = group,
							     .device_idx = s->device_idx,
							     .hbm_idx = s->hbm_idx,
							     .category = category}));
	if (bytes > t->peaks.items[at].peak_bytes)
		t->peaks.items[at].peak_bytes = bytes;
}

static void add_hbm(void *context, const void *row)
{
	struct nx_system_totals *t = context;
	const struct nx_hbm_sample *s = row;
	const struct nx_system_process *p = &t->profile->processes[s->process];
	size_t core = find_core(t, s->process, s->nc_idx);
	uint32_t group = group_of(t, core);
	const char *category = s->category < p->name_count ? p->names[s->category] : "unknown";

	t->cores.items[core].device_idx = s->device_idx;
	raise_peak(t, s, group, NULL, s->total_bytes);
	raise_peak(t, s, group, category, s->category_bytes);
}

static void add_transfer(void *context, const void *row)
{
	struct nx_system_totals *t = context;
	const struct nx_host_transfer *x = row;
	size_t core = find_core(t, x->process, x->nc_idx);
	struct nx_transfer_total *to =
		&t->cores.items[core].transfers[x->direction == NX_DEVICE_TO_HOST];

	to->count++;
	to->size_bytes += x->size_bytes;
	to->duration_ns += x->end_ns > x->start_ns ? x->end_ns - x->start_ns : 0;
}

/* --- order -------------------------------------------------------------- */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_names(const void *left, const void *right)
{
	const struct nx_name_total *a = left, *b = right;
	int order = ORDER(a->group, b->group);

	order = order ? order : ORDER(b->total_ns, a->total_ns);
	order = order ? order : ORDER(b->count, a->count);
	order = order ? order : strcmp(a->name, b->name);
	return order ? order : ORDER(a->source, b->source);
}

static int compare_peaks(const void *left, const void *right)
{
	const struct nx_hbm_peak *a = left, *b = right;
	int order = ORDER(a->group, b->group);

	order = order ? order : ORDER(a->device_idx, b->device_idx);
	order = order ? order : ORDER(a->hbm_idx, b->hbm_idx);
	order = order ? order : ORDER(a->category != NULL, b->category != NULL);
	order = order ? order : ORDER(b->peak_bytes, a->peak_bytes);
	return order || !a->category ? order : strcmp(a->category, b->category);
}

static int compare_cores(const void *left, const void *right)
{
	const struct nx_core_totals *a = left, *b = right;
	int order = ORDER(a->process, b->process);

	return order ? order : ORDER(a->nc_idx, b->nc_idx);
}

static int compare_device_cores(const void *left, const void *right)
{
	const struct nx_device_core_totals *a = left, *b = right;
	int order = ORDER(a->process, b->process);

	order = order ? order : ORDER(a->device_idx, b->device_idx);
	order = order ? order : ORDER(a->core_idx, b->core_idx);
	return order ? order : ORDER(a->nc_idx, b->nc_idx);
}

#define SORT(list, compare)                                                                        \
	do {                                                                                       \
		if ((list)->len)                                                                   \
			qsort((list)->items, (list)->len, sizeof(*(list)->items), compare);        \
	} while (0)

/* Gives each group its range of the sorted lists. */
static void share_out(struct nx_system_totals *t)
{
	uint32_t processes = t->profile->process_count;

	for (size_t i = 0; i < t->names.len; i++) {
		const struct nx_name_total *name = &t->names.items[i];
		struct nx_event_totals *to =
			name->group < processes ? &t->processes[name->group].events
						: &t->cores.items[name->group - processes].events;

		to->names = to->name_count ? to->names : name;
		to->name_count++;
	}
	for (size_t i = 0; i < t->peaks.len; i++) {
		const struct nx_hbm_peak *peak = &t->peaks.items[i];
		struct nx_core_totals *to = &t->cores.items[peak->group - processes];

		assert(peak->group >= processes && peak->group - processes < t->cores.len);
		to->peaks = to->peak_count ? to->peaks : peak;
		to->peak_count++;
	}
}

/* Call this before cores are sorted: the map has their old places. */
static void find_devices(struct nx_system_totals *t)
{
	for (size_t i = 0; i < t->device_cores.len; i++) {
		struct nx_device_core_totals *core = &t->device_cores.items[i];

		if (core->is_physical && core->nc_idx >= 0)
			core->device_idx = t->cores.items[find_core(t, core->process, core->nc_idx)]
						   .device_idx;
	}
}

static void finish(struct nx_system_totals *t)
{
	find_devices(t);
	SORT(&t->names, compare_names);
	SORT(&t->peaks, compare_peaks);
	share_out(t);
	SORT(&t->cores, compare_cores);
	SORT(&t->device_cores, compare_device_cores);
	for (uint32_t i = 0; i < t->profile->process_count; i++) {
		const struct nx_system_process *p = &t->profile->processes[i];
		struct nx_process_totals *to = &t->processes[i];

		if (p->init_ns && p->close_ns > p->init_ns)
			to->wall_ns = p->close_ns - p->init_ns;
		else if (to->last_ns > to->first_ns)
			to->wall_ns = to->last_ns - to->first_ns;
	}
}

enum nx_status nx_system_totals_read(struct nx_system_totals *totals,
				     const struct nx_system_profile *profile, struct nx_error *err)
{
	/* steps and gaps have totals of their own */
	static const nx_row_fn add[NX_SYSTEM_TABLE_COUNT] = {
		[NX_SYSTEM_EVENT] = add_event,	     [NX_SYSTEM_CPU] = add_cpu,
		[NX_SYSTEM_MEMORY] = add_memory,     [NX_SYSTEM_HBM] = add_hbm,
		[NX_SYSTEM_TRANSFER] = add_transfer,
	};
	enum nx_status st = NX_OK;

	*totals = (struct nx_system_totals){.profile = profile};
	totals->processes =
		NX_NEW_ARRAY(&totals->arena, struct nx_process_totals, profile->process_count);
	for (unsigned table = 0; table < NX_SYSTEM_TABLE_COUNT && !st; table++)
		if (add[table])
			st = nx_system_scan(profile, (enum nx_system_table)table, add[table],
					    totals, err);
	if (st)
		nx_system_totals_release(totals);
	else
		finish(totals);
	return st;
}

void nx_system_totals_release(struct nx_system_totals *totals)
{
	nx_vec_release(&totals->cores);
	nx_vec_release(&totals->device_cores);
	nx_vec_release(&totals->names);
	nx_vec_release(&totals->peaks);
	nx_map_release(&totals->by_key);
	nx_arena_release(&totals->arena);
}
