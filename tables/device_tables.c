/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/device_tables.h"

#include "tables/ahead_rows.h"
#include "tables/counting_sink.h"
#include "tables/fillers.h"

/* In this order: ExecutionInfo counts the rows before it, the summary those of all others. A line
 * each. */
/* clang-format off */
static const nx_device_filler fillers[] = {
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
	nx_fill_tensors,
	nx_fill_stack_frames,
	nx_fill_kernels,
	nx_fill_hierarchy,
	nx_fill_buffer_usage,
	nx_fill_sbuf_allocations,
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

enum nx_status nx_device_tables_write(const struct nx_profile *profile,
				      const struct nx_tables_options *options,
				      struct nx_table_sink *sink, struct nx_error *err)
{
	struct nx_counting_sink counting;
	struct nx_device_fill fill = {.profile = profile,
				      .options = options,
				      .sink = &counting.sink,
				      .ahead = nx_ahead_rows_begin(profile),
				      .err = err};
	enum nx_status st = NX_OK;

	nx_counting_sink_init(&counting, sink, options->progress);
	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]) && !st; i++) {
		fill.row_count = counting.row_count;
		st = fillers[i](&fill);
		if (!st)
			st = nx_table_sink_status(&counting.sink, err);
	}
	nx_ahead_rows_end(fill.ahead);
	if (st)
		return st;
	nx_counting_sink_complete(&counting, NX_SCOPE_DEVICE);
	return nx_table_sink_status(&counting.sink, err);
}
