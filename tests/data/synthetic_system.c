/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_system.h"

#include <stdio.h>

#include "base/file.h"
#include "tests/data/synthetic_system_inside.h"

#define EPOCH_NS UINT64_C(1773237643508494611)
#define TICK_NS UINT64_C(1000220000)
#define MEMORY_BYTES UINT64_C(133975228416)
#define DROPPED_COUNT 1234
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const struct nx_synthetic_system_options nx_synthetic_system_small = {
	.seed = 1,
	.instance_count = 2,
	.worker_count = 4,
	.event_count = 4000,
};

/* --- processes ---------------------------------------------------------------------- */

static unsigned processes_per_instance(const struct nx_synthetic_system_options *o)
{
	return (o->worker_count + NX_SYNTHETIC_WORKERS_PER_PROCESS - 1) /
	       NX_SYNTHETIC_WORKERS_PER_PROCESS;
}

unsigned nx_synthetic_process_count(const struct nx_synthetic_system_options *o)
{
	return o->instance_count * processes_per_instance(o);
}

struct nx_synthetic_process nx_synthetic_process_of(const struct nx_synthetic_system_options *o,
						    unsigned index)
{
	unsigned instance = index / processes_per_instance(o);
	unsigned rank = index % processes_per_instance(o);
	unsigned left = o->worker_count - rank * NX_SYNTHETIC_WORKERS_PER_PROCESS;
	uint64_t random = o->seed * 1000 + instance;
	struct nx_synthetic_process p = {
		.index = index,
		.pid = 700000 + 1000u * rank + 97u * instance,
		.instance = instance,
		.worker_count = left < NX_SYNTHETIC_WORKERS_PER_PROCESS
					? left
					: NX_SYNTHETIC_WORKERS_PER_PROCESS,
		.first_worker =
			instance * o->worker_count + rank * NX_SYNTHETIC_WORKERS_PER_PROCESS,
		.init_ns = EPOCH_NS + o->delay_ns + index * UINT64_C(1300017),
		.has_unfinished = index == 0,
		.has_drops = index + 1 == nx_synthetic_process_count(o),
		.has_framework = index % 2 == 0,
		.has_device = index == 0,
	};

	if (o->has_growing_gaps)
		p.growing_step_count =
			nx_synthetic_steps_for(o->event_count, o->instance_count * o->worker_count);

	snprintf(p.instance_id, sizeof(p.instance_id), "i-%016llx",
		 (unsigned long long)nx_synthetic_random(&random));
	snprintf(p.folder, sizeof(p.folder), "%s_pid_%llu", p.instance_id,
		 (unsigned long long)p.pid);
	return p;
}

const char *nx_synthetic_tensor_name(unsigned tensor)
{
	static const char *const names[NX_SYNTHETIC_TENSORS] = {
		"hidden_states", "attention_mask", "position_ids", "kv_cache_k",
		"kv_cache_v",	 "logits",	   "loss",	   "gradients",
	};

	return names[tensor];
}

/* --- samples ------------------------------------------------------------------------- */

/* Ticks of the session: some before the first call, some after the last. */
static uint64_t tick_count(uint64_t step_count)
{
	return (step_count * NX_SYNTHETIC_STEP_MS + NX_SYNTHETIC_START_MS) / 1000 + 2;
}

static void write_samples(const struct nx_synthetic_process *p, uint64_t ticks,
			  struct nx_synthetic_process_files *files,
			  struct nx_synthetic_system_counts *counts)
{
	uint64_t random = p->pid;

	for (uint64_t tick = 0; tick < ticks; tick++) {
		struct nx_ntrace_memory memory = {
			.usage_bytes = UINT64_C(14470000000) + (tick > 1) * UINT64_C(570000000),
			.timestamp_ns = p->init_ns + UINT64_C(170000000) + tick * TICK_NS,
		};

		for (unsigned cpu = 0; cpu < NX_SYNTHETIC_CPUS; cpu++) {
			uint64_t share = nx_synthetic_random(&random) % (cpu == 3 ? 10000 : 800);
			struct nx_ntrace_cpu row = {tick ? (float)share / 100 : 0,
						    memory.timestamp_ns, cpu};

			nx_ntrace_append(&files->cpu, &nx_ntrace_cpu_message, &row);
		}
		nx_ntrace_append(&files->memory, &nx_ntrace_memory_message, &memory);
	}
	counts->cpu_row_count += ticks * NX_SYNTHETIC_CPUS;
	counts->memory_row_count += ticks;
}

/* --- trace_info.pb ------------------------------------------------------------------- */

static struct nx_slice file_name(struct nx_arena *arena, const struct nx_synthetic_process *p,
				 const char *name)
{
	return nx_slice_text(nx_arena_printf(arena, "./output/%s/%s", p->folder, name));
}

static void fill_tables(struct nx_ntrace_interned *tables, struct nx_arena *arena)
{
	static struct nx_ntrace_text errors[2] = {{0, {(const uint8_t *)"SUCCESS", 7}},
						  {12, {(const uint8_t *)"OUT_OF_MEMORY", 13}}};
	struct nx_ntrace_text *types =
		NX_NEW_ARRAY(arena, struct nx_ntrace_text, NX_SYNTHETIC_EVENT_TYPES);
	struct nx_ntrace_text *names =
		NX_NEW_ARRAY(arena, struct nx_ntrace_text, NX_SYNTHETIC_TENSORS + 1);
	struct nx_ntrace_text *usages =
		NX_NEW_ARRAY(arena, struct nx_ntrace_text, NX_NTRACE_CATEGORIES);

	for (unsigned i = 0; i < NX_SYNTHETIC_EVENT_TYPES; i++)
		types[i] = (struct nx_ntrace_text){i, nx_slice_text(nx_ntrace_event_name(i))};
	for (unsigned i = 0; i < NX_NTRACE_CATEGORIES; i++)
		usages[i] = (struct nx_ntrace_text){i, nx_slice_text(nx_ntrace_category_name(i))};
	for (unsigned i = 0; i <= NX_SYNTHETIC_TENSORS; i++) {
		names[i].text =
			nx_slice_text(i ? nx_synthetic_tensor_name(i - 1) : NX_SYNTHETIC_MODEL);
		names[i].id = nx_ntrace_intern_id(names[i].text);
	}
	tables[0] = (struct nx_ntrace_interned){nx_slice_text("ntrace_inspect_type"),
						{types, NX_SYNTHETIC_EVENT_TYPES}};
	tables[1] = (struct nx_ntrace_interned){nx_slice_text("system_trace"),
						{names, NX_SYNTHETIC_TENSORS + 1}};
	tables[2] = (struct nx_ntrace_interned){nx_slice_text("nrt_inspect_mem_usage_type"),
						{usages, NX_NTRACE_CATEGORIES}};
	tables[3] = (struct nx_ntrace_interned){nx_slice_text("nrt_inspect_mem_alloc_errno_type"),
						{errors, COUNT_OF(errors)}};
}

static void write_info(const struct nx_synthetic_process *p, uint64_t record_count, uint64_t ticks,
		       struct nx_bytes *out)
{
	struct nx_ntrace_interned tables[4];
	struct nx_arena arena = {0};
	struct nx_ntrace_info info = {
		.arch = 2,
		.pid = p->pid,
		.instance_id = nx_slice_text(p->instance_id),
		.events = {file_name(&arena, p, "ntrace.pb"), 1, record_count, 0},
		.has_events = true,
		.host = {.num_cpus = NX_SYNTHETIC_CPUS,
			 .cpu_name = nx_slice_text("Intel(R) Xeon(R) Platinum 8488C"),
			 .mem_capacity_bytes = MEMORY_BYTES,
			 .cpu_period_s = 1,
			 .mem_period_s = 1,
			 .cpu_util = {file_name(&arena, p, "cpu_util.pb"), 2, ticks, 0},
			 .host_mem = {file_name(&arena, p, "host_mem.pb"), 3, ticks, 0},
			 .has_cpu_util = true,
			 .has_host_mem = true},
		.has_host = true,
		.data_version = 2,
		.interned = {tables, COUNT_OF(tables)},
		.init_ns = p->init_ns,
		.close_ns = p->init_ns + ticks * TICK_NS,
		.instance_ip = nx_slice_text("192.0.2.1"),
		.total_event_count = record_count + (p->has_drops ? DROPPED_COUNT : 0),
		.instance_type = nx_slice_text("trn2.48xlarge"),
		.logical_nc_size = NX_SYNTHETIC_LNC,
		.instance_hostname = nx_slice_text("synthetic"),
		.ultraserver = {.instance_index = UINT32_MAX},
		.has_ultraserver = true,
	};

	fill_tables(tables, &arena);
	nx_wire_encode(&nx_ntrace_info_message, &info, out);
	nx_arena_release(&arena);
}

/* --- one process ------------------------------------------------------------------------ */

bool nx_synthetic_process_write(const struct nx_synthetic_system_options *o, unsigned index,
				nx_synthetic_sink sink, void *context,
				struct nx_synthetic_process_files *files,
				struct nx_synthetic_system_counts *counts)
{
	struct nx_synthetic_process p = nx_synthetic_process_of(o, index);
	uint64_t steps =
		nx_synthetic_steps_for(o->event_count, o->instance_count * o->worker_count);
	struct nx_synthetic_events events = {
		.process = &p,
		.step_count = steps,
		.seed = o->seed * 7919 + index * 31u,
		.sink = sink,
		.context = context,
		.counts = counts,
	};
	uint64_t before = counts->record_count;

	if (!nx_synthetic_write_events(&events))
		return false;
	write_info(&p, counts->record_count - before, tick_count(steps), &files->info);
	write_samples(&p, tick_count(steps), files, counts);
	if (p.has_framework)
		nx_synthetic_write_framework(&p, steps, &files->framework, counts);
	counts->process_count++;
	counts->dropped_count += p.has_drops ? DROPPED_COUNT : 0;
	counts->device_capture_count += p.has_device;
	return true;
}

void nx_synthetic_process_files_release(struct nx_synthetic_process_files *files)
{
	nx_vec_release(&files->info);
	nx_vec_release(&files->cpu);
	nx_vec_release(&files->memory);
	nx_vec_release(&files->framework);
}

/* --- a directory --------------------------------------------------------------------------- */

static bool write_output(void *context, const void *data, size_t len)
{
	struct nx_output *out = context;

	nx_output_write(out, data, len);
	return out->status == NX_OK;
}

static enum nx_status write_file(const char *folder, const char *name, const struct nx_bytes *bytes,
				 struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st;
	char path[4096];

	if (!bytes->len)
		return NX_OK;
	snprintf(path, sizeof(path), "%.4000s/%s", folder, name);
	st = nx_output_open(&out, path, err);
	if (st)
		return st;
	nx_output_write(&out, bytes->items, bytes->len);
	return nx_output_commit(&out, err);
}

static enum nx_status write_device(const char *folder, struct nx_error *err)
{
	uint64_t id = nx_ntrace_intern_id(nx_slice_text(NX_SYNTHETIC_MODEL));
	struct nx_bytes neff = {0}, ntff = {0};
	enum nx_status st;
	char name[64];

	nx_synthetic_capture(&nx_synthetic_demo, &neff, &ntff, NULL);
	snprintf(name, sizeof(name), "neff_%llu.neff", (unsigned long long)id);
	st = write_file(folder, name, &neff, err);
	snprintf(name, sizeof(name), "%llu_instid_0_vnc_0.ntff", (unsigned long long)id);
	if (!st)
		st = write_file(folder, name, &ntff, err);
	nx_vec_release(&neff);
	nx_vec_release(&ntff);
	return st;
}

static enum nx_status write_small_files(const struct nx_synthetic_process *p, const char *folder,
					const struct nx_synthetic_process_files *files,
					struct nx_error *err)
{
	enum nx_status st = write_file(folder, "trace_info.pb", &files->info, err);

	if (!st)
		st = write_file(folder, "cpu_util.pb", &files->cpu, err);
	if (!st)
		st = write_file(folder, "host_mem.pb", &files->memory, err);
	if (!st)
		st = write_file(folder, "trace.json.gz", &files->framework, err);
	if (!st && p->has_device)
		st = write_device(folder, err);
	return st;
}

static enum nx_status write_folder(const struct nx_synthetic_system_options *o, unsigned index,
				   const char *folder, struct nx_synthetic_system_counts *counts,
				   struct nx_error *err)
{
	struct nx_synthetic_process p = nx_synthetic_process_of(o, index);
	struct nx_synthetic_process_files files = {0};
	struct nx_output out;
	enum nx_status st = nx_make_directories(folder, err);
	char path[4096];

	snprintf(path, sizeof(path), "%.4000s/ntrace.pb", folder);
	if (!st)
		st = nx_output_open(&out, path, err);
	if (st)
		return st;
	(void)nx_synthetic_process_write(o, index, write_output, &out, &files, counts);
	st = nx_output_commit(&out, err);
	if (!st)
		st = write_small_files(&p, folder, &files, err);
	nx_synthetic_process_files_release(&files);
	return st;
}

enum nx_status nx_synthetic_system_write(const struct nx_synthetic_system_options *o,
					 const char *folder,
					 struct nx_synthetic_system_counts *counts,
					 struct nx_error *err)
{
	*counts = (struct nx_synthetic_system_counts){0};
	for (unsigned i = 0; i < nx_synthetic_process_count(o); i++) {
		struct nx_synthetic_process p = nx_synthetic_process_of(o, i);
		enum nx_status st;
		char path[4096];

		snprintf(path, sizeof(path), "%.3900s/%s", folder, p.folder);
		st = write_folder(o, i, path, counts, err);
		if (st)
			return st;
	}
	return NX_OK;
}

/* --- seeds --------------------------------------------------------------------------------- */

static bool append(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
	return true;
}

bool nx_synthetic_system_corpus(nx_synthetic_seed_fn fn, void *context)
{
	static const struct nx_synthetic_system_options tiny = {1, 2, 1, 72, false, 0};
	bool is_taken = true;

	for (unsigned i = 0; i < nx_synthetic_process_count(&tiny) && is_taken; i++) {
		struct nx_synthetic_process_files files = {0};
		struct nx_synthetic_system_counts counts = {0};
		struct nx_bytes events = {0};
		char name[32];

		(void)nx_synthetic_process_write(&tiny, i, append, &events, &files, &counts);
		snprintf(name, sizeof(name), "process_%u.pb", i);
		is_taken = fn(context, "fuzz_ntrace", name, &events) &&
			   fn(context, "fuzz_trace_info", name, &files.info) &&
			   fn(context, "fuzz_cpu_util", name, &files.cpu) &&
			   fn(context, "fuzz_host_mem", name, &files.memory);
		nx_vec_release(&events);
		nx_synthetic_process_files_release(&files);
	}
	return is_taken;
}
