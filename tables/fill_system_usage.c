/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: load and memory of the hosts, memory of the devices. */
#include <assert.h>
#include <string.h>

#include "analyse/event_roles.h"
#include "base/number.h"
#include "format/ntrace.h"
#include "model/sorted_rows.h"
#include "tables/fillers.h"

/* --- the hosts ------------------------------------------------------------- */

#define AVERAGE_CPU UINT32_MAX

struct cpu_rows {
	struct nx_sorted_rows sorted;
	struct nx_cpu_sample tick; /* process and time of the samples that are averaged */
	double sum_percent;
	uint32_t sample_count;
};

static void put_cpu(void *context, const void *item)
{
	const struct nx_system_fill *fill = context;
	const struct nx_cpu_sample *s = item;
	const struct nx_system_process *process = &fill->profile->processes[s->process];
	char digits[NX_NUMBER_MAX];
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_CpuUsage);
	nx_row_put_u64(&row, NX_COL_CpuUsage_timestamp, s->time_ns);
	/* on a busy host ticks come late, and some samplers then exceed 100 % */
	nx_row_put_f64(&row, NX_COL_CpuUsage_util_percent,
		       s->util_percent < 100 ? (double)s->util_percent : 100);
	nx_row_put_slice(&row, NX_COL_CpuUsage_cpu_id,
			 s->cpu_id == AVERAGE_CPU
				 ? nx_slice_text("average")
				 : nx_slice_of(digits, nx_format_u64(digits, s->cpu_id)));
	nx_row_put_text(&row, NX_COL_CpuUsage_instance_id, process->instance_id);
	if (process->ultraserver.is_known) {
		nx_row_put_u64(&row, NX_COL_CpuUsage_ultraserver_id, process->ultraserver.id);
		nx_row_put_i64(&row, NX_COL_CpuUsage_ultraserver_instance_index,
			       process->ultraserver.instance_idx);
	}
	nx_table_sink_put(fill->sink, &row);
}

static void add_average(struct cpu_rows *rows)
{
	if (!rows->sample_count)
		return;
	rows->tick.cpu_id = AVERAGE_CPU;
	rows->tick.util_percent = (float)(rows->sum_percent / rows->sample_count);
	nx_sorted_rows_add(&rows->sorted, &rows->tick);
	rows->sum_percent = 0;
	rows->sample_count = 0;
}

/* A sampler writes all processors of a tick one after another, with the same time. */
static void add_cpu(void *context, const void *item)
{
	struct cpu_rows *rows = context;
	const struct nx_cpu_sample *s = item;

	if (rows->tick.time_ns != s->time_ns || rows->tick.process != s->process)
		add_average(rows);
	rows->tick = *s;
	rows->sum_percent += (double)s->util_percent;
	rows->sample_count++;
	nx_sorted_rows_add(&rows->sorted, s);
}

enum nx_status nx_fill_system_cpu(struct nx_system_fill *fill)
{
	struct cpu_rows rows = {0};
	enum nx_status st, sorted;

	nx_sorted_rows_init(&rows.sorted, sizeof(struct nx_cpu_sample));
	st = nx_system_scan(fill->profile, NX_SYSTEM_CPU, add_cpu, &rows, fill->err);
	add_average(&rows);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_CpuUsage);
	sorted = nx_sorted_rows_finish(&rows.sorted, put_cpu, fill, st ? NULL : fill->err);
	st = st ? st : sorted;
	nx_table_sink_end(fill->sink, NX_SCHEMA_CpuUsage);
	return st;
}

static void put_memory(void *context, const void *item)
{
	const struct nx_system_fill *fill = context;
	const struct nx_memory_sample *s = item;
	const struct nx_system_process *process = &fill->profile->processes[s->process];
	double capacity = (double)process->memory_capacity_bytes;
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_HostMemUsage);
	nx_row_put_u64(&row, NX_COL_HostMemUsage_timestamp, s->time_ns);
	nx_row_put_u64(&row, NX_COL_HostMemUsage_used_bytes, s->usage_bytes);
	nx_row_put_f64(&row, NX_COL_HostMemUsage_used_percent,
		       capacity > 0 ? 100.0 * (double)s->usage_bytes / capacity : 0);
	nx_row_put_text(&row, NX_COL_HostMemUsage_instance_id, process->instance_id);
	if (process->ultraserver.is_known) {
		nx_row_put_u64(&row, NX_COL_HostMemUsage_ultraserver_id, process->ultraserver.id);
		nx_row_put_i64(&row, NX_COL_HostMemUsage_ultraserver_instance_index,
			       process->ultraserver.instance_idx);
	}
	nx_table_sink_put(fill->sink, &row);
}

/* Hands on the samples of all processes in order of time. */
static enum nx_status put_by_time(struct nx_system_fill *fill, enum nx_system_table table,
				  size_t row_size, nx_row_fn fn, void *context)
{
	struct nx_sorted_rows rows;
	enum nx_status st, sorted;

	assert(fn);
	nx_sorted_rows_init(&rows, row_size);
	st = nx_system_scan(fill->profile, table, nx_sorted_rows_add, &rows, fill->err);
	sorted = nx_sorted_rows_finish(&rows, fn, context, st ? NULL : fill->err);
	return st ? st : sorted;
}

enum nx_status nx_fill_system_memory(struct nx_system_fill *fill)
{
	enum nx_status st;

	nx_table_sink_begin(fill->sink, NX_SCHEMA_HostMemUsage);
	st = put_by_time(fill, NX_SYSTEM_MEMORY, sizeof(struct nx_memory_sample), put_memory, fill);
	nx_table_sink_end(fill->sink, NX_SCHEMA_HostMemUsage);
	return st;
}

static void put_counter(void *context, const void *item)
{
	const struct nx_system_fill *fill = context;
	const struct nx_counter_sample *s = item;
	const struct nx_system_process *process = &fill->profile->processes[s->process];
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_ProgramCounter);
	nx_row_put_u64(&row, NX_COL_ProgramCounter_timestamp, s->time_ns);
	nx_row_put_text(&row, NX_COL_ProgramCounter_name, process->names[s->name]);
	nx_row_put_f64(&row, NX_COL_ProgramCounter_value, s->value);
	nx_row_put_text(&row, NX_COL_ProgramCounter_instance_id, process->instance_id);
	nx_row_put_u64(&row, NX_COL_ProgramCounter_process_id, process->pid);
	nx_table_sink_put(fill->sink, &row);
}

enum nx_status nx_fill_program_counters(struct nx_system_fill *fill)
{
	enum nx_status st;

	nx_table_sink_begin(fill->sink, NX_SCHEMA_ProgramCounter);
	st = put_by_time(fill, NX_SYSTEM_COUNTER, sizeof(struct nx_counter_sample), put_counter,
			 fill);
	nx_table_sink_end(fill->sink, NX_SCHEMA_ProgramCounter);
	return st;
}

/* --- the devices ----------------------------------------------------------- */

/* By the runtime's number of a category, whose text is nx_ntrace_category_name(). The published
 * table has no column for "xt cc". */
static const unsigned purposes[NX_NTRACE_CATEGORIES] = {
	NX_COL_SystemProfileHbmUsage_generic_bytes,
	NX_COL_SystemProfileHbmUsage_tensor_instructions_bytes,
	NX_COL_SystemProfileHbmUsage_scalar_instructions_bytes,
	NX_COL_SystemProfileHbmUsage_gpsimd_instructions_bytes,
	NX_COL_SystemProfileHbmUsage_io_bytes,
	NX_COL_SystemProfileHbmUsage_dram_spill_bytes,
	NX_COL_SystemProfileHbmUsage_weights_bytes,
	NX_COL_SystemProfileHbmUsage_profiler_buffers_bytes,
	NX_COL_SystemProfileHbmUsage_scalar_table_bytes,
	NX_COL_SystemProfileHbmUsage_vector_instructions_bytes,
	NX_COL_SystemProfileHbmUsage_sync_instructions_bytes,
	NX_COL_SystemProfileHbmUsage_shared_scratchpad_bytes,
	NX_COL_SystemProfileHbmUsage_tensors_bytes,
	NX_COL_SystemProfileHbmUsage_ucode_lib_bytes,
	NX_COL_SystemProfileHbmUsage_gpsimd_stdio_bytes,
	NX_COL_SystemProfileHbmUsage_collectives_bytes,
	NX_COL_SystemProfileHbmUsage_scratchpad_bytes,
	NX_COL_SystemProfileHbmUsage_unknown_bytes,
	NX_COL_SystemProfileHbmUsage_dma_rings_runtime_bytes,
	NX_COL_SystemProfileHbmUsage_dma_rings_spill_bytes,
	NX_COL_SystemProfileHbmUsage_dma_rings_io_bytes,
	NX_COL_SystemProfileHbmUsage_dma_rings_collectives_bytes,
};
static_assert(NX_COL_SystemProfileHbmUsage_unknown_bytes < NX_HBM_PURPOSES,
	      "a purpose is numbered like its column");

struct hbm_rows {
	const struct nx_system_profile *profile;
	struct nx_table_sink *sink;
	struct nx_hbm_places places;
	uint32_t *instances;	/* of each process: the first one on the same instance */
	struct nx_map purposes; /* by the address of a category's name */
	struct nx_row row;
};

static unsigned purpose_of(struct hbm_rows *rows, const struct nx_hbm_sample *s)
{
	const struct nx_system_process *process = &rows->profile->processes[s->process];
	const char *name;
	uint64_t purpose;

	if (s->category >= process->name_count)
		return NX_COL_SystemProfileHbmUsage_unknown_bytes;
	name = process->names[s->category];
	if (!nx_map_get(&rows->purposes, (uint64_t)(uintptr_t)name, &purpose)) {
		purpose = NX_COL_SystemProfileHbmUsage_unknown_bytes;
		for (unsigned i = NX_NTRACE_CATEGORIES; i-- > 0;)
			if (!strcmp(name, nx_ntrace_category_name(i)))
				purpose = purposes[i];
		nx_map_put(&rows->purposes, (uint64_t)(uintptr_t)name, purpose);
	}
	return (unsigned)purpose;
}

/* The rest of the total was allocated before the trace began. */
static void put_purposes(struct nx_row *row, const struct nx_hbm_place *place)
{
	uint64_t sum = 0, rest;

	for (unsigned i = NX_COL_SystemProfileHbmUsage_generic_bytes;
	     i <= NX_COL_SystemProfileHbmUsage_unknown_bytes; i++) {
		nx_row_put_u64(row, i, place->bytes[i]);
		sum += place->bytes[i];
	}
	rest = place->total_bytes > sum ? place->total_bytes - sum : 0;
	nx_row_put_u64(row, NX_COL_SystemProfileHbmUsage_unknown_bytes,
		       place->bytes[NX_COL_SystemProfileHbmUsage_unknown_bytes] + rest);
	nx_row_put_u64(row, NX_COL_SystemProfileHbmUsage_total_bytes, sum + rest);
}

static void put_hbm(void *context, const void *item)
{
	struct hbm_rows *rows = context;
	const struct nx_hbm_sample *s = item;
	const struct nx_hbm_place *place = nx_hbm_places_add(
		&rows->places, rows->instances[s->process], s, purpose_of(rows, s));
	struct nx_row *row = &rows->row;

	put_purposes(row, place);
	nx_row_put_u64(row, NX_COL_SystemProfileHbmUsage_timestamp, s->time_ns);
	nx_row_put_i64(row, NX_COL_SystemProfileHbmUsage_device_idx, s->device_idx);
	nx_row_put_i64(row, NX_COL_SystemProfileHbmUsage_hbm_idx, s->hbm_idx);
	nx_row_put_text(row, NX_COL_SystemProfileHbmUsage_instance_id,
			rows->profile->processes[s->process].instance_id);
	nx_table_sink_put(rows->sink, row);
}

static void find_instances(struct hbm_rows *rows)
{
	struct nx_text_map first = {0};

	for (uint32_t i = 0; i < rows->profile->process_count; i++) {
		struct nx_slice id = nx_slice_text(rows->profile->processes[i].instance_id);
		uint64_t instance = i;

		if (!nx_text_map_get(&first, id, &instance))
			nx_text_map_put(&first, id, instance);
		rows->instances[i] = (uint32_t)instance;
	}
	nx_text_map_release(&first);
}

/* Processes of an instance may share a memory, so their samples are sorted by time. */
enum nx_status nx_fill_system_hbm(struct nx_system_fill *fill)
{
	struct hbm_rows rows = {.profile = fill->profile, .sink = fill->sink};
	enum nx_status st;

	rows.instances =
		nx_heap_alloc(sizeof(uint32_t) * ((size_t)fill->profile->process_count + 1));
	find_instances(&rows);
	nx_begin_table(fill->sink, &rows.row, NX_SCHEMA_SystemProfileHbmUsage);
	st = put_by_time(fill, NX_SYSTEM_HBM, sizeof(struct nx_hbm_sample), put_hbm, &rows);
	nx_table_sink_end(fill->sink, NX_SCHEMA_SystemProfileHbmUsage);
	nx_heap_free(rows.instances);
	nx_hbm_places_release(&rows.places);
	nx_map_release(&rows.purposes);
	return st;
}
