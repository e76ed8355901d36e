/* SPDX-License-Identifier: Apache-2.0 */
/* A system profile as a Perfetto trace. If no two processes of the profile share a process of the
 * trace, each is a shard that a thread writes; shards follow one another in the file. */
#include <assert.h>
#include <string.h>

#include "base/conveyor.h"
#include "base/vec.h"
#include "export/exporters.h"
#include "export/system_slices.h"

/* A shard with this much output waits until the shards before it are in the file. */
#define SHARD_BYTES ((size_t)8 << 20)

/* --- shards ------------------------------------------------------------- */

struct trace {
	const struct nx_slices_plan *plan;
	struct nx_output *out;
	struct nx_conveyor *shards;
	enum nx_status status; /* first failure */
	struct nx_error error;
};

struct shard {
	struct trace *trace;
	uint32_t process;
	struct nx_bytes bytes;
	uint64_t event_count;
	enum nx_status status;
	struct nx_error error;
};

static void write_shard(void *context, const void *data, size_t len)
{
	struct shard *shard = context;

	assert(shard->process < shard->trace->plan->profile->process_count);
	nx_bytes_append(&shard->bytes, data, len);
	if (shard->bytes.len < SHARD_BYTES)
		return;
	nx_conveyor_await_turn(shard->trace->shards, shard);
	nx_output_write(shard->trace->out, shard->bytes.items, shard->bytes.len);
	nx_vec_clear(&shard->bytes);
}

static void export_process(void *context, void *item)
{
	const struct nx_slices_plan *plan = ((struct trace *)context)->plan;
	struct shard *shard = item;
	struct nx_perfetto_shard place = {shard->process, plan->profile->process_count + 1,
					  write_shard, shard};
	struct nx_perfetto *p = nx_perfetto_new_shard(&place, plan->options->compress);
	struct nx_slices *slices = nx_slices_new(plan, p);

	shard->status = nx_system_scan_process(plan->profile, shard->process, nx_slices_add, slices,
					       &shard->error);
	shard->event_count = nx_slices_finish(slices);
	nx_perfetto_finish(p);
}

static void finish_process(void *context, void *item)
{
	struct trace *trace = context;
	struct shard *shard = item;

	nx_output_write(trace->out, shard->bytes.items, shard->bytes.len);
	nx_vec_clear(&shard->bytes);
	nx_progress_add(trace->plan->options->progress, shard->event_count);
	if (!shard->status || trace->status)
		return;
	trace->status = shard->status;
	trace->error = shard->error;
}

static void release_shard(void *context, void *item)
{
	(void)context;
	nx_vec_release(&((struct shard *)item)->bytes);
}

static enum nx_status write_shards(const struct nx_slices_plan *plan, struct nx_output *out,
				   struct nx_error *err)
{
	struct trace trace = {.plan = plan, .out = out};

	trace.shards =
		nx_conveyor_new(sizeof(struct shard), export_process, finish_process, &trace);
	for (uint32_t i = 0; i < plan->profile->process_count && !trace.status; i++) {
		struct shard *shard = nx_conveyor_take(trace.shards);

		shard->trace = &trace;
		shard->process = i;
		nx_conveyor_put(trace.shards);
	}
	nx_conveyor_finish(trace.shards, release_shard);
	if (trace.status && err)
		*err = trace.error;
	return trace.status;
}

static void write_out(void *context, const void *data, size_t len)
{
	nx_output_write(context, data, len);
}

/* Counters, transfers, steps, and events of groups that span processes are not in shards. */
static enum nx_status write_rest(const struct nx_slices_plan *plan, bool events_too,
				 struct nx_output *out, struct nx_error *err)
{
	uint32_t count = plan->profile->process_count + 1;
	struct nx_perfetto_shard place = {count - 1, count, write_out, out};
	bool compress = plan->options->compress;
	struct nx_perfetto *p = events_too ? nx_perfetto_new(out, compress)
					   : nx_perfetto_new_shard(&place, compress);
	enum nx_status st = NX_OK;

	if (events_too) {
		struct nx_slices *slices = nx_slices_new(plan, p);

		st = nx_system_scan(plan->profile, NX_SYSTEM_EVENT, nx_slices_add, slices, err);
		nx_progress_add(plan->options->progress, nx_slices_finish(slices));
	}
	if (!st)
		st = nx_system_counters_write(p, plan->profile, plan->options->cpu_per_core, err);
	if (!st)
		st = nx_system_transfers_write(p, plan->profile, err);
	if (!st)
		st = nx_system_steps_write(p, plan->profile, err);
	nx_perfetto_finish(p);
	return st;
}

/* --- plan --------------------------------------------------------------- */

static bool names_field(const struct nx_group *group, enum nx_group_field field)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->fields[i] == field)
			return true;
	return false;
}

/* Whether each process of the profile has a process of the trace to itself. */
static bool processes_stay_apart(const struct nx_slices_plan *plan)
{
	const struct nx_system_profile *profile = plan->profile;
	struct nx_map seen = {0};
	bool apart = profile->process_count > 1 && names_field(&plan->primary, NX_GROUP_INSTANCE) &&
		     names_field(&plan->primary, NX_GROUP_PROCESS);

	for (uint32_t i = 0; i < profile->process_count && apart; i++) {
		const struct nx_system_process *p = &profile->processes[i];
		uint64_t key =
			nx_fnv1a(nx_fnv1a(NX_FNV_SEED, p->instance_id, strlen(p->instance_id)),
				 &p->pid, sizeof(p->pid));

		apart = !nx_map_get(&seen, key, NULL);
		nx_map_put(&seen, key, 1);
	}
	nx_map_release(&seen);
	return apart;
}

static enum nx_status parse_groups(struct nx_slices_plan *plan, struct nx_error *err)
{
	const struct nx_system_export_options *o = plan->options;
	enum nx_status st;

	st = nx_group_parse(&plan->primary,
			    o->primary_group ? o->primary_group : NX_DEFAULT_PRIMARY_GROUP,
			    "--system-trace-primary-group", err);
	if (st)
		return st;
	st = nx_group_parse(&plan->secondary,
			    o->secondary_group ? o->secondary_group : NX_DEFAULT_SECONDARY_GROUP,
			    "--system-trace-secondary-group", err);
	if (st)
		return st;
	for (unsigned field = 0; field < NX_GROUP_FIELD_COUNT; field++)
		plan->is_in_label[field] =
			names_field(&plan->primary, (enum nx_group_field)field) ||
			names_field(&plan->secondary, (enum nx_group_field)field);
	return NX_OK;
}

enum nx_status nx_system_export_perfetto(const struct nx_system_profile *profile,
					 const struct nx_system_export_options *options,
					 struct nx_output *out, struct nx_error *err)
{
	struct nx_slices_plan plan = {.profile = profile, .options = options};
	enum nx_status st = parse_groups(&plan, err);
	bool in_shards;

	if (st)
		return st;
	for (size_t i = 0; i < profile->devices.len; i++)
		if (profile->devices.items[i].model_id && !profile->devices.items[i].is_empty)
			nx_map_put(&plan.profiled_models, profile->devices.items[i].model_id, 1);
	in_shards = processes_stay_apart(&plan);
	if (in_shards)
		st = write_shards(&plan, out, err);
	if (!st)
		st = write_rest(&plan, !in_shards, out, err);
	nx_map_release(&plan.profiled_models);
	return st;
}
