/* SPDX-License-Identifier: Apache-2.0 */
/* What fills the memories, if the profile has a memory report. */
#include "tables/fillers.h"
#include "tables/row_numbers.h"

struct memory_fill {
	struct nx_device_fill *fill;
	struct nx_row row;
};

static void put_use(void *context, const void *opaque)
{
	struct memory_fill *x = context;
	const struct nx_memory_use *use = opaque;
	const struct nx_memory_holder *holder = &x->fill->profile->memory->holders[use->holder];
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_MemoryUsage_timestamp, nx_ps_to_ns(use->time_ps));
	nx_row_put_text(row, NX_COL_MemoryUsage_memory,
			nx_memory_name((enum nx_memory)use->memory));
	nx_row_put_text(row, NX_COL_MemoryUsage_tensor_name, holder->name);
	nx_row_put_text(row, NX_COL_MemoryUsage_kind, holder->kind);
	nx_row_put_u64(row, NX_COL_MemoryUsage_live_bytes, use->live_bytes);
	nx_row_put_u64(row, NX_COL_MemoryUsage_total_bytes, use->total_bytes);
	nx_row_put_i64(row, NX_COL_MemoryUsage_pcore_idx, use->graph);
	nx_table_sink_put(x->fill->sink, row);
}

enum nx_status nx_fill_memory_usage(struct nx_device_fill *fill)
{
	struct memory_fill x = {.fill = fill};
	enum nx_status st = NX_OK;

	nx_begin_table(fill->sink, &x.row, NX_SCHEMA_MemoryUsage);
	if (fill->profile->memory)
		st = nx_profile_scan(fill->profile, NX_TABLE_MEMORY_USE, put_use, &x, fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_MemoryUsage);
	return st;
}
