/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/trace_info.h"

#include <stdio.h>
#include <unistd.h>

#include "runtime/nrt/interned.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/trace/guest_files.h"
#include "runtime/trace/trace_event.h"

#define DATA_VERSION 2
#define SAMPLE_PERIOD_S 1.0f
#define NO_INSTANCE UINT64_C(0xffffffff) /* not part of an UltraServer */

enum { STREAM_EVENTS = 1, STREAM_CPU = 2, STREAM_MEMORY = 3 }; /* types of files */

static struct nx_ntrace_file file_of(struct nx_arena *arena, const char *folder, const char *name,
				     uint64_t type, uint64_t count)
{
	return (struct nx_ntrace_file){
		.filename = nx_slice_text(nx_arena_printf(arena, "%s/%s", folder, name)),
		.type = type,
		.num_events = count,
	};
}

static void list_names(struct nx_ntrace_interned *table, struct nx_arena *arena, size_t cap,
		       const char *(*name)(uint64_t number))
{
	table->texts.items = NX_NEW_ARRAY(arena, struct nx_ntrace_text, cap);
	for (uint64_t i = 0; i < cap && name(i); i++)
		table->texts.items[table->texts.count++] =
			(struct nx_ntrace_text){i, nx_slice_text(name(i))};
}

static void fill_tables(struct nx_ntrace_info *info, struct nx_arena *arena)
{
	struct nx_ntrace_interned *tables = NX_NEW_ARRAY(arena, struct nx_ntrace_interned, 4);
	size_t count = nx_interned_count();
	struct nx_ntrace_text *names = NX_NEW_ARRAY(arena, struct nx_ntrace_text, count + 1);
	struct nx_ntrace_text *outcomes = NX_NEW_ARRAY(arena, struct nx_ntrace_text, 2);

	tables[0].category = nx_slice_text("ntrace_inspect_type");
	list_names(&tables[0], arena, NX_TRACE_TYPE_COUNT, nx_ntrace_event_name);
	tables[1].category = nx_slice_text("system_trace");
	tables[1].texts.items = names;
	tables[1].texts.count = nx_interned_list(names, count);
	names[tables[1].texts.count++] =
		(struct nx_ntrace_text){0, nx_slice_text("invalid_interned_string")};
	tables[2].category = nx_slice_text("nrt_inspect_mem_usage_type");
	list_names(&tables[2], arena, NX_NTRACE_CATEGORIES, nx_ntrace_category_name);
	tables[3].category = nx_slice_text("nrt_inspect_mem_alloc_errno_type");
	outcomes[0] = (struct nx_ntrace_text){0, nx_slice_text("SUCCESS")};
	outcomes[1] = (struct nx_ntrace_text){12, nx_slice_text("OUT_OF_MEMORY")};
	tables[3].texts.items = outcomes;
	tables[3].texts.count = 2;
	info->interned.items = tables;
	info->interned.count = 4;
}

struct encoding {
	const struct nx_trace_info *info;
	struct nx_bytes bytes;
};

static void encode(void *context)
{
	struct encoding *e = context;
	const struct nx_trace_info *given = e->info;
	const struct nx_instance *instance = nx_state_instance();
	struct nx_arena arena = {0};
	struct nx_ntrace_info info = {
		.arch = nx_device_generation(instance->kind->arch),
		.pid = (uint64_t)getpid(),
		.instance_id = nx_slice_text(instance->instance_id),
		.session_id = given->session_id,
		.has_events = given->has_events,
		.data_version = DATA_VERSION,
		.init_ns = given->init_ns,
		.close_ns = given->close_ns,
		.total_event_count = given->total_count,
		.instance_type = nx_slice_text(instance->kind->type),
		.logical_nc_size = instance->core_size,
		.instance_hostname = nx_slice_text(instance->hostname),
		.ultraserver = {.instance_index = NO_INSTANCE},
		.has_ultraserver = true,
		.events = file_of(&arena, given->folder, "ntrace.pb", STREAM_EVENTS,
				  given->stored_count),
		.has_host = true,
		.host =
			{
				.num_cpus = given->host->cpu_count,
				.cpu_name = nx_slice_text(given->host->cpu_name),
				.mem_capacity_bytes = given->host->memory_bytes,
				.cpu_period_s = SAMPLE_PERIOD_S,
				.mem_period_s = SAMPLE_PERIOD_S,
				.has_cpu_util = given->has_cpu,
				.cpu_util = file_of(&arena, given->folder, "cpu_util.pb",
						    STREAM_CPU, given->cpu_ticks),
				.has_host_mem = given->has_memory,
				.host_mem = file_of(&arena, given->folder, "host_mem.pb",
						    STREAM_MEMORY, given->memory_ticks),
			},
	};

	fill_tables(&info, &arena);
	nx_wire_encode(&nx_ntrace_info_message, &info, &e->bytes);
	nx_arena_release(&arena);
}

enum nx_status nx_trace_info_write(const struct nx_trace_info *info, const char *folder,
				   struct nx_error *err)
{
	struct encoding e = {.info = info};
	enum nx_status st;
	char path[1536];

	snprintf(path, sizeof(path), "%s/trace_info.pb", folder);
	if (!nx_heap_guarded(encode, &e))
		return nx_fail(err, NX_LIMIT, "out of memory for %s", path);
	st = nx_guest_write_file(path, nx_slice_of(e.bytes.items, e.bytes.len), err);
	nx_vec_release(&e.bytes);
	return st;
}
