/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/ntrace/ntrace_decoder.h"

#include <assert.h>

#include "format/process_folder.h"

#define SMALLEST_NAME_CAP 64

/* --- names ------------------------------------------------------------------ */

static void push_name(struct nx_ntrace_decoder *d, const char *name)
{
	struct nx_system_process *process = d->process;

	if (process->names != d->own_names || process->name_count >= d->own_name_cap) {
		size_t cap = process->name_count * 2;

		d->own_name_cap = cap < SMALLEST_NAME_CAP ? SMALLEST_NAME_CAP : cap;
		d->own_names = NX_NEW_ARRAY(d->arena, const char *, d->own_name_cap);
		if (process->name_count)
			memcpy(d->own_names, process->names,
			       process->name_count * sizeof(*process->names));
		process->names = d->own_names;
	}
	process->names[process->name_count++] = name;
}

uint32_t nx_ntrace_name_index(struct nx_ntrace_decoder *d, struct nx_slice name)
{
	uint64_t index;
	char *copy;

	if (nx_text_map_get(&d->names, name, &index))
		return (uint32_t)index;
	index = d->process->name_count;
	copy = nx_arena_copy(d->arena, name);
	push_name(d, copy);
	nx_text_map_put(&d->names, nx_slice_of(copy, name.len), index);
	return (uint32_t)index;
}

/* The types, categories or texts that one table of the file names. */
static void add_table(struct nx_ntrace_decoder *d, const struct nx_ntrace_interned *table,
		      size_t *text_count)
{
	bool has_types = nx_slice_is(table->category, "ntrace_inspect_type");
	bool has_categories = nx_slice_is(table->category, "nrt_inspect_mem_usage_type");
	bool has_texts = nx_slice_is(table->category, "system_trace");

	for (size_t i = 0; i < table->texts.count; i++) {
		const struct nx_ntrace_text *entry = &table->texts.items[i];

		if (has_types && entry->text.len)
			nx_map_put(&d->type_names, entry->id, nx_ntrace_name_index(d, entry->text));
		else if (has_categories)
			(void)nx_ntrace_name_index(d, entry->text);
		else if (has_texts) {
			nx_map_put(&d->interned, entry->id, *text_count);
			d->interned_texts[(*text_count)++] = entry->text;
		}
	}
}

/* The file's own tables come first: newer runtimes know more types than we do. */
static void add_tables(struct nx_ntrace_decoder *d)
{
	const struct nx_ntrace_info *info = &d->info;
	size_t max_text_count = 0, text_count = 0;
	const char *name;

	for (size_t i = 0; i < info->interned.count; i++)
		max_text_count += info->interned.items[i].texts.count;
	d->interned_texts = NX_NEW_ARRAY(d->arena, struct nx_slice, max_text_count);
	for (size_t i = 0; i < info->interned.count; i++)
		add_table(d, &info->interned.items[i], &text_count);
	for (uint64_t type = 0; (name = nx_ntrace_event_name(type)) != NULL; type++)
		if (!nx_map_get(&d->type_names, type, NULL))
			nx_map_put(&d->type_names, type,
				   nx_ntrace_name_index(d, nx_slice_text(name)));
	for (uint64_t i = 0; i < NX_NTRACE_CATEGORIES; i++)
		(void)nx_ntrace_name_index(d, nx_slice_text(nx_ntrace_category_name(i)));
}

struct nx_slice nx_ntrace_interned_text(const struct nx_ntrace_decoder *d, uint64_t id)
{
	uint64_t index;

	if (nx_map_get(&d->interned, id, &index))
		return d->interned_texts[index];
	return nx_slice_text("_unknown_");
}

/* --- the process --------------------------------------------------------------- */

static void use_folder_name(struct nx_ntrace_decoder *d, const char *folder_name)
{
	struct nx_system_process *process = d->process;

	for (const char *at = folder_name; *at;) {
		size_t len = strcspn(at, "/");
		struct nx_slice instance;
		uint64_t pid;

		if (nx_process_folder_parse(nx_slice_of(at, len), &instance, &pid)) {
			if (!d->info.instance_id.len)
				process->instance_id = nx_arena_copy(d->arena, instance);
			if (!d->info.pid)
				process->pid = pid;
		}
		at += len;
		at += strspn(at, "/");
	}
}

static uint32_t bounded_u32(uint64_t value)
{
	return value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void describe_process(struct nx_ntrace_decoder *d, const char *folder_name)
{
	struct nx_system_process *process = d->process;
	const struct nx_ntrace_info *info = &d->info;

	*process = (struct nx_system_process){
		.folder = nx_arena_copy_text(d->arena, folder_name),
		.instance_id = nx_arena_copy(d->arena, info->instance_id),
		.pid = info->pid,
		.instance_type = nx_arena_copy(d->arena, info->instance_type),
		.instance_ip = nx_arena_copy(d->arena, info->instance_ip),
		.instance_hostname = nx_arena_copy(d->arena, info->instance_hostname),
		.arch = bounded_u32(info->arch),
		.logical_nc_size = bounded_u32(info->logical_nc_size),
		.cpu_count = bounded_u32(info->host.num_cpus),
		.memory_capacity_bytes = info->host.mem_capacity_bytes,
		.data_version = bounded_u32(info->data_version),
		.init_ns = info->init_ns,
		.close_ns = info->close_ns,
		.stored_event_count = info->events.num_events,
		.total_event_count = info->total_event_count,
	};
	if (info->has_ultraserver)
		process->ultraserver =
			nx_ultraserver_of(info->ultraserver.id, info->ultraserver.size,
					  info->ultraserver.instance_index);
	use_folder_name(d, folder_name);
}

/* Loss counts what cannot be read of trace_info.pb; the other files do not need it. */
static void read_info(struct nx_ntrace_decoder *d)
{
	struct nx_wire_loss loss = {0};

	if (d->loss.info_is_missing)
		return;
	if (nx_wire_decode(&nx_ntrace_info_message, d->files.info, &d->info, d->arena, &loss,
			   NULL)) {
		memset(&d->info, 0, sizeof(d->info));
		d->loss.info_is_damaged = true;
	}
	d->loss.info_is_damaged |= loss.truncated_count || loss.wrong_type_count;
	d->info_unknown_field_count = loss.unknown_field_count;
	d->loss.unknown_field_count = loss.unknown_field_count;
}

enum nx_status nx_ntrace_decoder_open(struct nx_ntrace_decoder *decoder,
				      const struct nx_ntrace_files *files, const char *folder_name,
				      uint32_t process_idx, struct nx_arena *arena,
				      struct nx_system_process *process, struct nx_error *err)
{
	assert(files && folder_name && arena && process);
	*decoder = (struct nx_ntrace_decoder){
		.files = *files,
		.process = process,
		.process_idx = process_idx,
		.arena = arena,
		.loss = {.info_is_missing = !files->info.len,
			 .events_are_missing = !files->events.len,
			 .cpu_is_missing = !files->cpu.len,
			 .memory_is_missing = !files->memory.len},
	};
	if (!files->info.len && !files->events.len && !files->cpu.len && !files->memory.len &&
	    !files->has_spans)
		return nx_fail(err, NX_FORMAT,
			       "%s holds no system trace: trace_info.pb, ntrace.pb, cpu_util.pb "
			       "and host_mem.pb are missing or empty; was the traced process "
			       "stopped before it ended?",
			       folder_name);
	read_info(decoder);
	describe_process(decoder, folder_name);
	add_tables(decoder);
	return NX_OK;
}

void nx_ntrace_decoder_release(struct nx_ntrace_decoder *decoder)
{
	nx_map_release(&decoder->type_names);
	nx_text_map_release(&decoder->names);
	nx_map_release(&decoder->interned);
}
