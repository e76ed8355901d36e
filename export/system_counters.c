/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "export/system_slices.h"

#define NO_TRACK UINT32_MAX
#define ALL_CATEGORIES UINT32_MAX
#define NAME_MAX_BYTES 320

struct tick { /* samples of all CPUs of a host at one time */
	uint64_t time_ns;
	double sum;
	uint32_t count;
	uint32_t host_track, average_track;
};

struct counters {
	struct nx_perfetto *p;
	const struct nx_system_profile *profile;
	bool cpu_per_core;
	uint32_t *hosts;    /* process -> first process on the same instance */
	struct tick *ticks; /* by host */
	uint32_t *memory_tracks, *hbm_groups, *program_groups; /* by process */
	struct nx_map tracks;				       /* of CPUs and device memories */
	struct nx_arena arena;
};

static void begin(struct counters *c)
{
	uint32_t count = c->profile->process_count;
	struct nx_text_map instances = {0};

	c->hosts = NX_NEW_ARRAY(&c->arena, uint32_t, count);
	c->ticks = NX_NEW_ARRAY(&c->arena, struct tick, count);
	c->memory_tracks = NX_NEW_ARRAY(&c->arena, uint32_t, count);
	c->hbm_groups = NX_NEW_ARRAY(&c->arena, uint32_t, count);
	c->program_groups = NX_NEW_ARRAY(&c->arena, uint32_t, count);
	for (uint32_t i = 0; i < count; i++) {
		struct nx_slice instance = nx_slice_text(c->profile->processes[i].instance_id);
		uint64_t host = i;

		if (!nx_text_map_get(&instances, instance, &host))
			nx_text_map_put(&instances, instance, i);
		c->hosts[i] = (uint32_t)host;
		c->ticks[i].host_track = c->ticks[i].average_track = NO_TRACK;
		c->memory_tracks[i] = c->hbm_groups[i] = c->program_groups[i] = NO_TRACK;
	}
	nx_text_map_release(&instances);
}

static struct tick *host_tick(struct counters *c, uint32_t process)
{
	struct tick *tick = &c->ticks[c->hosts[process]];
	char name[NAME_MAX_BYTES];

	assert(process < c->profile->process_count);
	if (tick->host_track == NO_TRACK) {
		snprintf(name, sizeof(name), "%s host", c->profile->processes[process].instance_id);
		tick->host_track =
			nx_perfetto_track(c->p, NX_PERFETTO_ROOT, name, c->hosts[process]);
	}
	return tick;
}

/* --- hosts -------------------------------------------------------------- */

static void flush_tick(struct counters *c, struct tick *tick)
{
	if (!tick->count)
		return;
	if (tick->average_track == NO_TRACK)
		tick->average_track = nx_perfetto_counter(c->p, tick->host_track, "CPU average",
							  NX_UNIT_NONE, "%", 0);
	nx_perfetto_count(c->p, tick->average_track, tick->time_ns, tick->sum / tick->count);
	tick->count = 0;
	tick->sum = 0;
}

static uint32_t cpu_track(struct counters *c, const struct nx_cpu_sample *s, uint32_t host_track)
{
	uint64_t key = (uint64_t)c->hosts[s->process] << 32 | s->cpu_id, track;
	char name[NAME_MAX_BYTES];

	if (nx_map_get(&c->tracks, key, &track))
		return (uint32_t)track;
	snprintf(name, sizeof(name), "CPU %u", s->cpu_id);
	track = nx_perfetto_counter(c->p, host_track, name, NX_UNIT_NONE, "%",
				    s->cpu_id < 65536 ? s->cpu_id + 2 : 65538);
	nx_map_put(&c->tracks, key, track);
	return (uint32_t)track;
}

static void add_cpu(void *context, const void *row)
{
	struct counters *c = context;
	const struct nx_cpu_sample *s = row;
	struct tick *tick = host_tick(c, s->process);

	if (tick->time_ns != s->time_ns)
		flush_tick(c, tick);
	tick->time_ns = s->time_ns;
	tick->sum += (double)s->util_percent;
	tick->count++;
	if (c->cpu_per_core)
		nx_perfetto_count(c->p, cpu_track(c, s, tick->host_track), s->time_ns,
				  (double)s->util_percent);
}

static void add_memory(void *context, const void *row)
{
	struct counters *c = context;
	const struct nx_memory_sample *s = row;
	uint32_t *track = &c->memory_tracks[s->process];
	char name[NAME_MAX_BYTES];

	if (*track == NO_TRACK) {
		snprintf(name, sizeof(name), "memory pid%llu",
			 (unsigned long long)c->profile->processes[s->process].pid);
		*track = nx_perfetto_counter(c->p, host_tick(c, s->process)->host_track, name,
					     NX_UNIT_BYTES, NULL, 1);
	}
	nx_perfetto_count(c->p, *track, s->time_ns, (double)s->usage_bytes);
}

/* --- device memories ---------------------------------------------------- */

static uint32_t hbm_group(struct counters *c, uint32_t process)
{
	const struct nx_system_process *p = &c->profile->processes[process];
	char name[NAME_MAX_BYTES];

	if (c->hbm_groups[process] == NO_TRACK) {
		snprintf(name, sizeof(name), "%.250s-pid%llu HBM", p->instance_id,
			 (unsigned long long)p->pid);
		c->hbm_groups[process] = nx_perfetto_track(c->p, NX_PERFETTO_ROOT, name, process);
	}
	return c->hbm_groups[process];
}

/* Totals are per core even if cores share a memory, so the core is part of the name. */
static uint32_t hbm_track(struct counters *c, const struct nx_hbm_sample *s, uint32_t category)
{
	const struct nx_system_process *p = &c->profile->processes[s->process];
	uint64_t parts[] = {s->process, (uint64_t)(int64_t)s->nc_idx, s->device_idx, s->hbm_idx,
			    category};
	uint64_t key = nx_hash_words(parts, sizeof(parts) / sizeof(parts[0])), track;
	const char *what = category < p->name_count ? p->names[category] : "unknown";
	char name[NAME_MAX_BYTES];

	if (nx_map_get(&c->tracks, key, &track))
		return (uint32_t)track;
	if (category == ALL_CATEGORIES)
		what = "total";
	snprintf(name, sizeof(name), "ND%u HBM%u nc%d %.200s", s->device_idx, s->hbm_idx, s->nc_idx,
		 what);
	track = nx_perfetto_counter(c->p, hbm_group(c, s->process), name, NX_UNIT_BYTES, NULL,
				    category == ALL_CATEGORIES ? 0 : 1);
	nx_map_put(&c->tracks, key, track);
	return (uint32_t)track;
}

static void add_hbm(void *context, const void *row)
{
	struct counters *c = context;
	const struct nx_hbm_sample *s = row;

	nx_perfetto_count(c->p, hbm_track(c, s, ALL_CATEGORIES), s->time_ns,
			  (double)s->total_bytes);
	nx_perfetto_count(c->p, hbm_track(c, s, s->category), s->time_ns,
			  (double)s->category_bytes);
}

/* --- counters of programs ------------------------------------------------- */

static uint32_t program_group(struct counters *c, uint32_t process)
{
	const struct nx_system_process *p = &c->profile->processes[process];
	char name[NAME_MAX_BYTES];

	if (c->program_groups[process] == NO_TRACK) {
		snprintf(name, sizeof(name), "%.250s-pid%llu counters", p->instance_id,
			 (unsigned long long)p->pid);
		c->program_groups[process] =
			nx_perfetto_track(c->p, NX_PERFETTO_ROOT, name, process);
	}
	return c->program_groups[process];
}

static void add_counter(void *context, const void *row)
{
	struct counters *c = context;
	const struct nx_counter_sample *s = row;
	uint64_t key = (uint64_t)s->process << 32 | s->name, track;

	if (!nx_map_get(&c->tracks, key, &track)) {
		track = nx_perfetto_counter(c->p, program_group(c, s->process),
					    c->profile->processes[s->process].names[s->name],
					    NX_UNIT_NONE, NULL, 0);
		nx_map_put(&c->tracks, key, track);
	}
	nx_perfetto_count(c->p, (uint32_t)track, s->time_ns, s->value);
}

enum nx_status nx_system_counters_write(struct nx_perfetto *p,
					const struct nx_system_profile *profile, bool cpu_per_core,
					struct nx_error *err)
{
	struct counters c = {.p = p, .profile = profile, .cpu_per_core = cpu_per_core};
	enum nx_status st;

	begin(&c);
	st = nx_system_scan(profile, NX_SYSTEM_CPU, add_cpu, &c, err);
	for (uint32_t i = 0; i < profile->process_count; i++)
		flush_tick(&c, &c.ticks[i]);
	if (!st)
		st = nx_system_scan(profile, NX_SYSTEM_MEMORY, add_memory, &c, err);
	/* keys of CPUs and of device memories may be equal */
	nx_map_release(&c.tracks);
	if (!st)
		st = nx_system_scan(profile, NX_SYSTEM_HBM, add_hbm, &c, err);
	nx_map_release(&c.tracks);
	if (!st && profile->rows[NX_SYSTEM_COUNTER])
		st = nx_system_scan(profile, NX_SYSTEM_COUNTER, add_counter, &c, err);
	nx_map_release(&c.tracks);
	nx_arena_release(&c.arena);
	return st;
}
