/* SPDX-License-Identifier: Apache-2.0 */
/* The narrower streamed tables, a function for each kind of row. */
#include <assert.h>
#include <stdio.h>

#include "export/json_sections.h"
#include "format/instruction.h"
#include "model/measure.h"
#include "model/naming.h"

struct table_export {
	struct nx_json_writer *w;
	const struct nx_profile *profile;
	uint64_t rows;
};

static struct nx_json_writer *begin_row(struct table_export *x, uint32_t graph)
{
	x->rows++;
	nx_json_begin_object(x->w);
	nx_json_subgraph(x->w, x->profile, graph);
	return x->w;
}

static void write_event(void *context, const void *opaque)
{
	struct table_export *x = context;
	const struct nx_event *row = opaque;
	struct nx_json_writer *w;
	char id[NX_SEMAPHORE_TEXT_MAX];

	if (!row->is_semaphore)
		return;
	w = begin_row(x, row->graph);
	nx_json_key_u64(w, "timestamp", row->time_ps / 1000);
	nx_json_key_text(w, "id", nx_semaphore_text(x->profile, row->graph, row->id, id));
	nx_json_key_u64(w, "value", row->value);
	nx_json_end_object(w);
}

static void write_pending(void *context, const void *opaque)
{
	const struct nx_pending *row = opaque;
	struct nx_json_writer *w = begin_row(context, row->graph);

	nx_json_key_u64(w, "timestamp", row->time_ps / 1000);
	nx_json_key_i64(w, "value", row->value);
	nx_json_end_object(w);
}

static void write_throughput(void *context, const void *opaque)
{
	const struct nx_throughput *row = opaque;
	struct nx_json_writer *w = begin_row(context, row->graph);

	nx_json_key_u64(w, "timestamp", row->time_ps / 1000);
	nx_json_key_u64(w, "total_transfer_bytes", row->total_bytes);
	nx_json_key_f32(w, "transfer_rate", row->bytes_per_s);
	/* the records do not show which packets touch HBM */
	nx_json_key_text(w, "uses_hbm", "false");
	nx_json_key_u64(w, "hbm_total_transfer_bytes", 0);
	nx_json_key_u64(w, "hbm_transfer_rate", 0);
	nx_json_end_object(w);
}

static void write_throttle(void *context, const void *opaque)
{
	const struct nx_throttle *row = opaque;
	struct nx_json_writer *w = begin_row(context, row->graph);

	nx_json_key_u64(w, "timestamp", row->start_ps / 1000);
	nx_json_key_u64(w, "duration", (row->end_ps - row->start_ps) / 1000);
	nx_json_key_u64(w, "k", row->k);
	nx_json_key_u64(w, "n", row->n);
	nx_json_key_u64(w, "type", row->type);
	nx_json_end_object(w);
}

static void write_active(void *context, const void *opaque)
{
	const struct nx_active *row = opaque;
	struct nx_json_writer *w = begin_row(context, row->graph);

	nx_json_key_text(w, "engine", nx_engines[row->engine].word);
	nx_json_key_u64(w, "pcore_idx", row->graph);
	nx_json_key_u64(w, "start_ts", row->start_ps / 1000);
	nx_json_key_u64(w, "end_ts", row->end_ps / 1000);
	nx_json_key_u64(w, "duration_ns", (row->end_ps - row->start_ps) / 1000);
	nx_json_end_object(w);
}

static void put_psum(struct nx_json_writer *w, const struct nx_buffer_usage *row)
{
	char key[24];

	nx_json_key_f64(w, "usage_avg", nx_psum_usage(row->banks));
	for (unsigned b = 0; b < NX_PSUM_BANKS; b++) {
		if (!(row->banks_ever >> b & 1))
			continue;
		snprintf(key, sizeof(key), "bank_%u_usage", b);
		nx_json_key_u64(w, key, row->banks >> b & 1);
	}
}

static void write_usage(void *context, const void *opaque)
{
	static const char *const sbuf_keys[] = {"usage_avg", "partition_0_usage",
						"partition_32_usage", "partition_64_usage",
						"partition_96_usage"};
	struct table_export *x = context;
	const struct nx_buffer_usage *row = opaque;
	struct nx_json_writer *w = begin_row(x, row->graph);

	nx_json_key_u64(w, "timestamp", row->time_ps / 1000);
	nx_json_key_text(w, "type", row->buffer == NX_BUFFER_PSUM ? "psum" : "sb");
	if (row->buffer == NX_BUFFER_PSUM)
		put_psum(w, row);
	else
		for (size_t i = 0; i < sizeof(sbuf_keys) / sizeof(sbuf_keys[0]); i++)
			nx_json_key_f32(w, sbuf_keys[i],
					nx_sbuf_usage(x->profile->capture.hardware,
						      row->live_bytes));
	nx_json_end_object(w);
}

static void write_fault(void *context, const void *opaque)
{
	static const char *const types[] = {"Errors", "Warnings", "Custom Notification"};
	struct table_export *x = context;
	const struct nx_fault *row = opaque;
	const struct nx_graph *graph = &x->profile->capture.graphs[row->graph];
	struct nx_json_writer *w = begin_row(x, row->graph);
	char text[32];

	nx_json_key_u64(w, "timestamp", row->time_ps / 1000);
	nx_json_key_text(w, "type", types[row->kind]);
	nx_json_key_text(w, "description", nx_fault_name(row));
	nx_json_key_u64(w, "error_type_id", row->id);
	nx_json_key_u64(w, "pcore_idx", row->graph);
	snprintf(text, sizeof(text), "0x%08x%08x", row->w1, row->w0);
	nx_json_key_text(w, "metadata_hex", text);
	if (row->engine < NX_ENGINE_COUNT)
		nx_json_key_text(w, "engine", nx_engines[row->engine].label);
	if (row->slot != NX_NONE) {
		const uint8_t *word =
			nx_instruction_word(graph->engines[row->engine].code, row->slot);

		nx_json_key_u64(w, "pc", row->slot);
		nx_json_key_text(w, "opcode", nx_opcode_label(nx_word_opcode(word), text));
	}
	nx_json_end_object(w);
}

static void write_memory_use(void *context, const void *opaque)
{
	struct table_export *x = context;
	const struct nx_memory_use *row = opaque;
	const struct nx_memory_holder *holder = &x->profile->memory->holders[row->holder];
	struct nx_json_writer *w = begin_row(x, row->graph);

	nx_json_key_u64(w, "timestamp", row->time_ps / 1000);
	nx_json_key_text(w, "memory", nx_memory_name((enum nx_memory)row->memory));
	nx_json_key_text(w, "tensor", holder->name);
	nx_json_key_text(w, "kind", holder->kind);
	nx_json_key_u64(w, "live_bytes", row->live_bytes);
	nx_json_key_u64(w, "total_bytes", row->total_bytes);
	nx_json_end_object(w);
}

enum nx_status nx_json_table(struct nx_json_writer *w, const struct nx_profile *profile,
			     enum nx_table table, uint64_t *rows, struct nx_error *err)
{
	static const nx_row_fn writers[NX_TABLE_COUNT] = {
		[NX_TABLE_EVENT] = write_event,		  [NX_TABLE_PENDING] = write_pending,
		[NX_TABLE_THROUGHPUT] = write_throughput, [NX_TABLE_THROTTLE] = write_throttle,
		[NX_TABLE_ACTIVE] = write_active,	  [NX_TABLE_BUFFER_USAGE] = write_usage,
		[NX_TABLE_FAULT] = write_fault,		  [NX_TABLE_MEMORY_USE] = write_memory_use,
	};
	struct table_export x = {.w = w, .profile = profile};
	enum nx_status st;

	assert(writers[table]);
	nx_json_begin_array(w);
	st = nx_profile_scan(profile, table, writers[table], &x, err);
	nx_json_end_array(w);
	*rows = x.rows;
	return st;
}
