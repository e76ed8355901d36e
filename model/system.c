/* SPDX-License-Identifier: Apache-2.0 */
#include "model/system.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/path.h"

const char *nx_event_source_name(enum nx_event_source source)
{
	static const char *const names[] = {"neuron_rt", "neuron_hw", "framework"};

	assert(source <= NX_SOURCE_FRAMEWORK);
	return names[source];
}

enum nx_status nx_system_scan(const struct nx_system_profile *profile, enum nx_system_table table,
			      nx_row_fn fn, void *context, struct nx_error *err)
{
	assert(table < NX_SYSTEM_TABLE_COUNT && fn);
	return profile->source.scan(profile->source.context, table, fn, context, err);
}

enum nx_status nx_system_scan_process(const struct nx_system_profile *profile, uint32_t process,
				      nx_row_fn fn, void *context, struct nx_error *err)
{
	assert(fn);
	return profile->source.scan_process(profile->source.context, process, fn, context, err);
}

size_t nx_system_attributes(const struct nx_system_profile *profile,
			    const struct nx_system_event *event, struct nx_event_attribute *out,
			    size_t cap)
{
	return profile->source.attributes(profile->source.context, event, out, cap);
}

struct nx_slice nx_system_interned(const struct nx_system_profile *profile, uint32_t process,
				   uint64_t id)
{
	return profile->source.interned(profile->source.context, process, id);
}

static int compare_thread(const void *id, const void *thread)
{
	uint64_t wanted = *(const uint64_t *)id;
	uint64_t is = ((const struct nx_thread_name *)thread)->thread_id;

	return (wanted > is) - (wanted < is);
}

const struct nx_thread_name *nx_system_thread_of(const struct nx_system_process *process,
						 uint64_t thread_id)
{
	return process->thread_count ? bsearch(&thread_id, process->threads, process->thread_count,
					       sizeof(*process->threads), compare_thread)
				     : NULL;
}

const char *nx_system_thread_name(const struct nx_system_process *process, uint64_t thread_id)
{
	const struct nx_thread_name *thread = nx_system_thread_of(process, thread_id);

	return thread ? thread->name : NULL;
}

static int compare_core(const void *nc_idx, const void *worker)
{
	int32_t wanted = *(const int32_t *)nc_idx;
	int32_t is = ((const struct nx_core_worker *)worker)->nc_idx;

	return (wanted > is) - (wanted < is);
}

/* Workers are sorted by core. */
uint32_t nx_system_worker(const struct nx_system_process *process, int32_t nc_idx)
{
	const struct nx_core_worker *worker =
		process->worker_count ? bsearch(&nc_idx, process->workers, process->worker_count,
						sizeof(*process->workers), compare_core)
				      : NULL;

	return worker ? worker->worker_gid : UINT32_MAX;
}

const char *nx_system_event_name(const struct nx_system_profile *profile,
				 const struct nx_system_event *event)
{
	const struct nx_system_process *process = &profile->processes[event->process];

	assert(event->process < profile->process_count);
	return event->name < process->name_count ? process->names[event->name] : "unknown";
}

static const char *device_stem(const struct nx_device_capture *d, struct nx_arena *arena)
{
	struct nx_slice stem = nx_path_stem(d->session_path);

	if (d->rank != UINT32_MAX)
		return nx_arena_printf(arena, "device_profile_rank_%u", d->rank);
	if (d->model_id)
		return nx_arena_printf(arena, "device_profile_model_%" PRIu64, d->model_id);
	return nx_arena_printf(arena, "device_profile_%.*s", (int)stem.len, stem.data);
}

/* stems: how many names of a stem there are so far; the first has no number. */
static const char *device_name(const struct nx_device_capture *d, struct nx_text_map *stems,
			       struct nx_arena *arena)
{
	const char *stem = device_stem(d, arena), *name = stem;
	uint64_t count = 0, taken;

	nx_text_map_get(stems, nx_slice_text(stem), &count);
	if (count)
		do /* a session may itself be called like a numbered one */
			name = nx_arena_printf(arena, "%s_%" PRIu64, stem, count++);
		while (nx_text_map_get(stems, nx_slice_text(name), &taken));
	else
		count = 1;
	nx_text_map_put(stems, nx_slice_text(stem), count);
	if (name != stem)
		nx_text_map_put(stems, nx_slice_text(name), 1);
	return name;
}

const char **nx_system_device_names(const struct nx_system_profile *profile, struct nx_arena *arena)
{
	const char **names = NX_NEW_ARRAY(arena, const char *, profile->devices.len);
	struct nx_text_map stems = {0};

	for (size_t i = 0; i < profile->devices.len; i++)
		if (!profile->devices.items[i].is_empty)
			names[i] = device_name(&profile->devices.items[i], &stems, arena);
	nx_text_map_release(&stems);
	return names;
}

const char *nx_run_session_kind_text(const char *kind)
{
	return strcmp(kind, "on_demand") ? kind : "on demand";
}

void nx_system_warn(struct nx_system_profile *profile, const char *category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	nx_warnings_add(&profile->warnings, &profile->arena, category, fmt, args);
	va_end(args);
}
