/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/tables.h"
#include "tables/ahead_rows.h"
#include "tables/fillers.h"
#include <assert.h>

/* ExecutionInfo counts the rows before it, the summary those of all others. */
/* clang-format off */
static const nx_device_filler device_fillers[] = {
	nx_fill_instructions,
	nx_fill_assembly,
	nx_fill_opcodes,
	nx_fill_dma,
	nx_fill_semaphores,
	nx_fill_pending,
	nx_fill_active_time,
	nx_fill_throttles,
	nx_fill_dma_usage,
	nx_fill_hbm_usage,
	nx_fill_errors,
	nx_fill_collectives,
	nx_fill_why,
	nx_fill_tensors,
	nx_fill_stack_frames,
	nx_fill_kernels,
	nx_fill_hierarchy,
	nx_fill_buffer_usage,
	nx_fill_sbuf_allocations,
	nx_fill_memory_usage,
	nx_fill_queues,
	nx_fill_memory,
	nx_fill_execution,
	nx_fill_metadata,
	nx_fill_neff_header,
	nx_fill_warnings,
	nx_fill_schema_fields,
	nx_fill_summary,
};
/* clang-format on */

static const nx_system_filler system_fillers[] = {
	nx_fill_system_events,	 nx_fill_system_hbm,   nx_fill_system_cpu,
	nx_fill_system_memory,	 nx_fill_system_steps, nx_fill_system_metadata,
	nx_fill_system_devices,	 nx_fill_system_notes, nx_fill_program_counters,
	nx_fill_system_sessions,
};

/* A sink in front of the caller's that notes which tables were begun and counts rows. */
struct counting_sink {
	struct nx_table_sink sink; /* give this one to the fillers */
	struct nx_table_sink *target;
	bool is_begun[NX_SCHEMA_TABLE_COUNT];
	uint64_t row_count;
	struct nx_progress *progress;
};

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct counting_sink *c = (struct counting_sink *)sink;

	c->is_begun[table] = true;
	nx_table_sink_begin(c->target, table);
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct counting_sink *c = (struct counting_sink *)sink;

	assert(c->is_begun[row->table]);
	c->row_count++;
	c->target->ops->put(c->target, row);
	nx_progress_add(c->progress, 1);
	nx_table_sink_follow(&c->sink, c->target);
}

static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct counting_sink *c = (struct counting_sink *)sink;

	nx_table_sink_end(c->target, table);
	nx_table_sink_follow(&c->sink, c->target);
}

static const struct nx_table_sink_ops counting_ops = {begin, put, end};

/* Begins and ends, with no rows, all tables of the scope that were not begun. */
static enum nx_status complete(struct counting_sink *c, enum nx_schema_scope scope,
			       struct nx_error *err)
{
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		if (c->is_begun[i] || (nx_schema_tables[i].scope != scope &&
				       nx_schema_tables[i].scope != NX_SCOPE_BOTH))
			continue;
		nx_table_sink_begin(&c->sink, (enum nx_schema_table_id)i);
		nx_table_sink_end(&c->sink, (enum nx_schema_table_id)i);
	}
	return nx_table_sink_status(&c->sink, err);
}

enum nx_status nx_device_tables_write(const struct nx_profile *profile,
				      const struct nx_tables_options *options,
				      struct nx_table_sink *sink, struct nx_error *err)
{
	struct counting_sink counting = {
		.sink = {.ops = &counting_ops}, .target = sink, .progress = options->progress};
	struct nx_device_fill fill = {.profile = profile,
				      .options = options,
				      .sink = &counting.sink,
				      .ahead = options->only_why ? NULL
								 : nx_ahead_rows_begin(profile),
				      .err = err};
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < sizeof(device_fillers) / sizeof(device_fillers[0]) && !st; i++) {
		if (options->only_why && device_fillers[i] != nx_fill_why)
			continue;
		fill.row_count = counting.row_count;
		st = device_fillers[i](&fill);
		if (!st)
			st = nx_table_sink_status(&counting.sink, err);
	}
	if (fill.ahead)
		nx_ahead_rows_end(fill.ahead);
	return st ? st : complete(&counting, NX_SCOPE_DEVICE, err);
}

enum nx_status nx_system_tables_write(const struct nx_system_profile *profile,
				      const struct nx_tables_options *options,
				      struct nx_table_sink *sink, struct nx_error *err)
{
	struct counting_sink counting = {
		.sink = {.ops = &counting_ops}, .target = sink, .progress = options->progress};
	struct nx_system_fill fill = {.profile = profile, .sink = &counting.sink, .err = err};
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < sizeof(system_fillers) / sizeof(system_fillers[0]) && !st; i++) {
		st = system_fillers[i](&fill);
		if (!st)
			st = nx_table_sink_status(&counting.sink, err);
	}
	return st ? st : complete(&counting, NX_SCOPE_SYSTEM, err);
}
