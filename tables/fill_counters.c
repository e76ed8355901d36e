/* SPDX-License-Identifier: Apache-2.0 */
/* The narrow tables of a trace, in order of time. */
#include "format/instruction.h"
#include "model/naming.h"
#include "model/sorted_rows.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"
#include <assert.h>
#include <stdio.h>

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

	assert(row_size && fn);
	nx_begin_table(fill->sink, &x.row, published);
	st = nx_sorted_rows_scan(fill->profile, table, row_size, fn, &x, fill->err);
	nx_table_sink_end(fill->sink, published);
	return st;
}

/* --- semaphores ------------------------------------------------------------ */

/* What an event's mode did; the record does not tell when within the instruction. */
static const char *const operation_names[] = {
	[1] = "evt_set",     [2] = "evt_clr",	  [3] = "sem_inc",    [4] = "sem_dec",
	[5] = "sem_add_imm", [7] = "sem_sub_imm", [9] = "sem_wr_imm",
};

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
			event->mode < sizeof(operation_names) / sizeof(operation_names[0])
				? operation_names[event->mode]
				: NULL);
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

/* --- errors ---------------------------------------------------------------- */

/* "engine=Vector pc=12 opcode=COPY": where it happened, as far as the record tells. */
static bool place_of(const struct nx_profile *p, const struct nx_fault *fault, char *out,
		     size_t cap)
{
	const uint8_t *word;
	char label[16];

	if (fault->engine >= NX_ENGINE_COUNT)
		return false;
	word = nx_instruction_word(p->capture.graphs[fault->graph].engines[fault->engine].code,
				   fault->slot);
	if (word)
		snprintf(out, cap, "engine=%s pc=%u opcode=%s", nx_engines[fault->engine].label,
			 fault->slot, nx_opcode_label(nx_word_opcode(word), label));
	else
		snprintf(out, cap, "engine=%s", nx_engines[fault->engine].label);
	return true;
}

static unsigned type_of(uint8_t kind)
{
	switch (kind) {
	case NX_FAULT_ERROR:
		return NX_VALUE_ErrorType_errors;
	case NX_FAULT_WARNING:
		return NX_VALUE_ErrorType_warnings;
	default:
		return NX_VALUE_ErrorType_custom_notification;
	}
}

static void put_fault(void *context, const void *opaque)
{
	struct counter_fill *x = context;
	const struct nx_fault *fault = opaque;
	struct nx_row *row = &x->row;
	char place[96], words[32];

	nx_row_put_i64(row, NX_COL_Error_timestamp, nx_ps_to_ns(fault->time_ps));
	nx_row_put_text(row, NX_COL_Error_description, nx_fault_name(fault));
	nx_row_put_i64(row, NX_COL_Error_error_type_id, fault->id);
	if (place_of(x->profile, fault, place, sizeof(place)))
		nx_row_put_text(row, NX_COL_Error_metadata, place);
	snprintf(words, sizeof(words), "0x%08x%08x", fault->w1, fault->w0);
	nx_row_put_text(row, NX_COL_Error_metadata_hex, words);
	nx_row_put_i64(row, NX_COL_Error_pcore_idx, fault->graph);
	nx_row_put_enum(row, NX_COL_Error_type, NX_SCHEMA_ErrorType, type_of(fault->kind));
	nx_table_sink_put(x->sink, row);
}

enum nx_status nx_fill_errors(struct nx_device_fill *fill)
{
	return fill_table(fill, NX_SCHEMA_Error, NX_TABLE_FAULT, sizeof(struct nx_fault),
			  put_fault);
}
