/* SPDX-License-Identifier: Apache-2.0 */
/* The narrow tables of a trace, a small function for each kind of row, in order of time. */
#include "model/naming.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"
#include "tables/sorted_rows.h"

struct counter_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_row row;
};

/* Streams a table of the profile, sorted, into a published one. */
static enum nx_status fill_table(struct nx_device_fill *fill, enum nx_schema_table_id published,
				 enum nx_table table, size_t row_size, nx_row_fn fn)
{
	struct counter_fill x = {.profile = fill->profile, .sink = fill->sink};
	enum nx_status st;

	nx_row_init(&x.row, published);
	nx_table_sink_begin(fill->sink, published);
	st = nx_sorted_rows_scan(fill->profile, table, row_size, fn, &x, fill->err);
	nx_table_sink_end(fill->sink, published);
	return st;
}

/* --- semaphores ------------------------------------------------------------ */

/* What a record's mode did; the record does not tell when within the instruction. */
static const char *operation_name(uint8_t mode)
{
	static const char *const names[] = {
		[1] = "evt_set",     [2] = "evt_clr",	  [3] = "sem_inc",    [4] = "sem_dec",
		[5] = "sem_add_imm", [7] = "sem_sub_imm", [9] = "sem_wr_imm",
	};

	return mode < sizeof(names) / sizeof(names[0]) ? names[mode] : NULL;
}

static void put_event(void *context, const void *opaque)
{
	struct counter_fill *x = context;
	const struct nx_event *event = opaque;
	char id[NX_SEMAPHORE_TEXT_MAX];
	struct nx_row *row = &x->row;

	if (!event->is_semaphore)
		return;
	nx_row_put_i64(row, NX_COL_SemaphoreUpdate_timestamp, nx_ps_to_ns(event->time_ps));
	nx_row_put_text(row, NX_COL_SemaphoreUpdate_id,
			nx_semaphore_text(x->profile, event->graph, event->id, id));
	nx_row_put_i64(row, NX_COL_SemaphoreUpdate_value, nx_to_i32(event->value));
	nx_row_put_text(row, NX_COL_SemaphoreUpdate_update_source,
			event->source < NX_ENGINE_COUNT ? nx_engines[event->source].label : "AXI");
	nx_row_put_i64(row, NX_COL_SemaphoreUpdate_update_mode, event->mode);
	nx_row_put_text(row, NX_COL_SemaphoreUpdate_update_operation_type,
			operation_name(event->mode));
	nx_row_put_i64(row, NX_COL_SemaphoreUpdate_pcore_idx, event->graph);
	nx_table_sink_put(x->sink, row);
}

enum nx_status nx_fill_semaphores(struct nx_device_fill *fill)
{
	return fill_table(fill, NX_SCHEMA_SemaphoreUpdate, NX_TABLE_EVENT, sizeof(struct nx_event),
			  put_event);
}

/* --- pending DMAs ---------------------------------------------------------- */

static void put_pending(void *context, const void *opaque)
{
	struct counter_fill *x = context;
	const struct nx_pending *pending = opaque;
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_PendingDma_timestamp, nx_ps_to_ns(pending->time_ps));
	nx_row_put_i64(row, NX_COL_PendingDma_value, nx_to_i32(pending->value));
	nx_row_put_i64(row, NX_COL_PendingDma_pcore_idx, pending->graph);
	nx_table_sink_put(x->sink, row);
}

enum nx_status nx_fill_pending(struct nx_device_fill *fill)
{
	return fill_table(fill, NX_SCHEMA_PendingDma, NX_TABLE_PENDING, sizeof(struct nx_pending),
			  put_pending);
}

/* --- active time ----------------------------------------------------------- */

static void put_active(void *context, const void *opaque)
{
	struct counter_fill *x = context;
	const struct nx_active *active = opaque;
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_ActiveTime_start_ts, nx_ps_to_ns(active->start_ps));
	nx_row_put_i64(row, NX_COL_ActiveTime_end_ts, nx_ps_to_ns(active->end_ps));
	nx_row_put_text(row, NX_COL_ActiveTime_engine, nx_engines[active->engine].word);
	nx_row_put_i64(row, NX_COL_ActiveTime_pcore_idx, active->graph);
	nx_row_put_i64(row, NX_COL_ActiveTime_duration_ns,
		       nx_ps_to_ns(active->end_ps - active->start_ps));
	nx_table_sink_put(x->sink, row);
}

enum nx_status nx_fill_active_time(struct nx_device_fill *fill)
{
	return fill_table(fill, NX_SCHEMA_ActiveTime, NX_TABLE_ACTIVE, sizeof(struct nx_active),
			  put_active);
}
