/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions: a row for each engine and one more for the matrix work of the tensor
 * engine. Arguments of a slot are made once; a row overwrites the first few. */
#include <assert.h>

#include "base/spool.h"
#include "export/perfetto_device.h"
#include "model/executions.h"
#include "model/measure.h"
#include "model/transfer.h"
#include "tables/instruction_fields.h"

/* --- flows ------------------------------------------------------------------ */

/*
 * Arrows between instructions that depend on each other. The earlier slice must already name its
 * flow, so all dependencies are collected first: by producer and by consumer, in spools that bound
 * the memory. If a predecessor ran several times, its latest run before the consumer counts.
 */

#define SPOOL_BYTES ((size_t)8 << 20)
/* Compilers name a few dozen; more are unreadable. */
#define MAX_FLOWS_IN 64

struct edge {
	uint64_t at;	/* place of one instruction in the table: the key */
	uint64_t other; /* place of the other */
};

struct flow_end { /* all edges seen from one of their ends, in order */
	struct nx_spool *spool;
	struct nx_spool_cursor *cursor;
	const struct edge *next;
	struct nx_flow_ids NX_VEC_BODY(uint64_t) ids;
};

struct flow_index {
	const struct nx_profile *profile;
	struct nx_executions executions;
	struct flow_end producers, consumers;
	struct nx_perfetto_flows flows;
	uint64_t row; /* places are counted from one */
	enum nx_status status;
	struct nx_error *err;
};

static void collect_row(void *context, const void *opaque)
{
	struct flow_index *x = context;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(x->profile, row);
	const struct nx_binary_graph *graph = x->profile->program.binary_graphs[row->graph];
	const struct nx_bir *bir = slot->bir == NX_NONE ? NULL : &graph->birs[slot->bir];
	uint64_t producers[MAX_FLOWS_IN];
	size_t count = 0;

	x->row++;
	for (size_t i = 0; bir && i < bir->predecessor_count && i < MAX_FLOWS_IN; i++) {
		const struct nx_execution *ran = NULL;
		size_t run_count = nx_executions_of(&x->executions, row->graph,
						    bir->predecessors[i].bir_id, &ran);
		uint64_t producer = 0; /* the latest run */
		size_t k = 0;

		for (size_t r = 0; r < run_count; r++)
			if (ran[r].id < x->row && ran[r].id > producer)
				producer = ran[r].id;
		/* several kinds of dependence on one instruction are one arrow */
		while (k < count && producers[k] != producer)
			k++;
		if (!producer || k < count)
			continue;
		producers[count++] = producer;
		if (!x->status)
			x->status = nx_spool_add(x->producers.spool,
						 &(struct edge){producer, x->row}, x->err);
		if (!x->status)
			x->status = nx_spool_add(x->consumers.spool,
						 &(struct edge){x->row, producer}, x->err);
	}
	nx_executions_pass(&x->executions, row, x->row);
}

static enum nx_status start_reading(struct flow_end *end, struct nx_error *err)
{
	enum nx_status st = nx_spool_sort(end->spool, err);

	if (!st)
		st = nx_spool_cursor_open(&end->cursor, end->spool, err);
	if (!st)
		end->next = nx_spool_cursor_next(end->cursor);
	return st;
}

static enum nx_status build_flows(struct flow_index **out, const struct nx_profile *profile,
				  struct nx_error *err)
{
	struct flow_index *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st;

	memset(x, 0, sizeof(*x));
	x->profile = profile;
	x->err = err;
	x->producers.spool = nx_spool_new(sizeof(struct edge), SPOOL_BYTES);
	x->consumers.spool = nx_spool_new(sizeof(struct edge), SPOOL_BYTES);
	*out = x;
	st = nx_executions_build(&x->executions, profile, err);
	if (!st)
		st = nx_profile_scan(profile, NX_TABLE_INSTRUCTION, collect_row, x, err);
	if (!st)
		st = x->status;
	nx_executions_release(&x->executions);
	if (!st)
		st = start_reading(&x->producers, err);
	if (!st)
		st = start_reading(&x->consumers, err);
	x->row = 0;
	return st;
}

/* The id of an edge; both ends compute the same one. */
static uint64_t flow_id(uint64_t producer, uint64_t consumer)
{
	return producer << 32 ^ consumer;
}

static void collect_ids(struct flow_end *end, uint64_t row, bool is_producer)
{
	nx_vec_clear(&end->ids);
	while (end->next && end->next->at <= row) {
		uint64_t other = end->next->other;

		nx_vec_push(&end->ids, is_producer ? flow_id(row, other) : flow_id(other, row));
		end->next = nx_spool_cursor_next(end->cursor);
	}
}

static const struct nx_perfetto_flows *next_flows(struct flow_index *x)
{
	x->row++;
	collect_ids(&x->producers, x->row, true);
	collect_ids(&x->consumers, x->row, false);
	x->flows = (struct nx_perfetto_flows){
		.out_ids = x->producers.ids.items,
		.out_count = x->producers.ids.len,
		.in_ids = x->consumers.ids.items,
		.in_count = x->consumers.ids.len,
	};
	return &x->flows;
}

static enum nx_status close_end(struct flow_end *end, struct nx_error *err)
{
	enum nx_status st = end->cursor ? nx_spool_cursor_close(end->cursor, err) : NX_OK;

	nx_spool_free(end->spool);
	nx_vec_release(&end->ids);
	return st;
}

static enum nx_status close_flows(struct flow_index *x, struct nx_error *err)
{
	enum nx_status first, second;

	if (!x)
		return NX_OK;
	first = close_end(&x->producers, err);
	second = close_end(&x->consumers, first ? NULL : err);
	nx_heap_free(x);
	return first ? first : second;
}

/* --- slots ------------------------------------------------------------------ */

#define MAX_IDS 16

enum { ARG_ID, ARG_CRC_IN, ARG_CRC_OUT, ARG_WAIT, ROW_ARG_COUNT };

/* Rows of a core from top to bottom. */
static const struct {
	uint8_t engine;
	bool is_matrix;
} row_order[] = {
	{NX_ENGINE_TENSOR, true},  {NX_ENGINE_TENSOR, false}, {NX_ENGINE_VECTOR, false},
	{NX_ENGINE_SCALAR, false}, {NX_ENGINE_GPSIMD, false}, {NX_ENGINE_SYNC, false},
};
#define ROW_COUNT (sizeof(row_order) / sizeof(row_order[0]))
static_assert(NX_RANK_ENGINES + ROW_COUNT == NX_RANK_PACKETS, "engines come first");

struct slot_args {
	struct nx_perfetto_arg *items;
	size_t count; /* without the trigger, which follows them */
	const char *name;
};

struct instruction_trace {
	const struct nx_device_trace *trace;
	const struct nx_profile *profile;
	struct nx_arena arena;
	struct slot_args *slots[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	struct nx_perfetto_row rows[NX_MAX_GRAPHS][ROW_COUNT];
	struct nx_utilisation utilisation[NX_MAX_GRAPHS];
	struct flow_index *flows; /* NULL unless requested */
	struct nx_instruction_fields fields;
	struct nx_perfetto_args scratch;
	uint64_t id;
	struct nx_trigger_walk triggers;
	double engine_clock; /* GHz */
};

static void put_field(struct instruction_trace *x, const struct nx_field *field)
{
	struct nx_perfetto_args *args = &x->scratch;
	const char *ids = "";

	switch ((enum nx_field_kind)field->kind) {
	case NX_FIELD_NUMBER:
		nx_perfetto_arg_u64(args, field->name, field->number);
		break;
	case NX_FIELD_BOOL:
		nx_perfetto_arg_bool(args, field->name, field->number);
		break;
	case NX_FIELD_TEXT:
		nx_perfetto_arg_text(args, field->name, (const char *)field->text.data);
		break;
	case NX_FIELD_IDS: /* Perfetto has no lists: write the first few as text */
		for (size_t i = 0; i < field->number && i < MAX_IDS; i++)
			ids = nx_arena_printf(&x->arena, "%s%s%llu", ids, i ? "," : "",
					      (unsigned long long)field->ids[i]);
		nx_perfetto_arg_text(args, field->name, ids);
		break;
	}
}

static void fill_slot(struct instruction_trace *x, const struct nx_instruction *row,
		      struct slot_args *slot)
{
	static const char *const names[ROW_ARG_COUNT] = {
		[ARG_ID] = "id",
		[ARG_CRC_IN] = "crc_in",
		[ARG_CRC_OUT] = "crc_out",
		[ARG_WAIT] = "evt_wait_time",
	};
	struct nx_perfetto_args *args = &x->scratch;

	nx_vec_clear(args);
	for (unsigned i = 0; i < ROW_ARG_COUNT; i++)
		nx_perfetto_arg_u64(args, names[i], 0);
	nx_instruction_fields_read(&x->fields, row);
	for (size_t i = 0; i < x->fields.list.len; i++)
		put_field(x, &x->fields.list.items[i]);
	nx_perfetto_arg_u64(args, "trigger", 0);
	slot->items = NX_NEW_ARRAY(&x->arena, struct nx_perfetto_arg, args->len);
	memcpy(slot->items, args->items, args->len * sizeof(*args->items));
	slot->count = args->len - 1;
	for (size_t i = 0; i < slot->count; i++)
		if (!strcmp(slot->items[i].name, "opcode"))
			slot->name = (const char *)slot->items[i].text.data;
}

static struct slot_args *slot_of(struct instruction_trace *x, const struct nx_instruction *row)
{
	struct slot_args **slots = &x->slots[row->graph][row->engine];
	const struct nx_engine_image *image =
		&x->profile->capture.graphs[row->graph].engines[row->engine];

	if (!*slots)
		*slots = NX_NEW_ARRAY(&x->arena, struct slot_args, (size_t)image->slot_count + 1);
	if (!(*slots)[row->slot].items)
		fill_slot(x, row, &(*slots)[row->slot]);
	return &(*slots)[row->slot];
}

static void write_row(void *context, const void *opaque)
{
	struct instruction_trace *x = context;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(x->profile, row);
	struct slot_args *args = slot_of(x, row);
	bool is_matrix = row->engine == NX_ENGINE_TENSOR && slot->flags & NX_SLOT_MATMUL;
	uint32_t transfer;
	size_t at = 0;
	struct nx_perfetto_slice slice = {
		.start_ns = row->start_ps / 1000,
		.end_ns = nx_perfetto_end_ns(row->start_ps, row->end_ps),
		.name = args->name,
		.args = args->items,
		.arg_count = args->count,
	};

	args->items[ARG_ID].u64 = ++x->id;
	args->items[ARG_CRC_IN].u64 = row->crc_in;
	args->items[ARG_CRC_OUT].u64 = row->crc_out;
	args->items[ARG_WAIT].u64 = nx_wait_ns(row->wait_cycles, x->engine_clock);
	if (slot->flags & NX_SLOT_STARTS_DMA &&
	    (transfer = nx_trigger_walk_find(&x->triggers, row)) != NX_NONE) {
		args->items[args->count].u64 =
			x->profile->transfers.items[transfer].start_ps / 1000;
		slice.arg_count++;
	}
	if (x->flows)
		slice.flows = next_flows(x->flows);
	while (row_order[at].engine != row->engine || row_order[at].is_matrix != is_matrix)
		at++;
	assert(at < ROW_COUNT && args->name);
	nx_perfetto_row_put(&x->rows[row->graph][at], &slice);
	if (is_matrix)
		nx_utilisation_add(&x->utilisation[row->graph], row, slot);
	nx_progress_add(x->trace->options->progress, 1);
}

static void begin_rows(struct instruction_trace *x)
{
	for (uint32_t g = 0; g < x->profile->capture.graph_count; g++) {
		for (uint32_t i = 0; i < ROW_COUNT; i++)
			x->rows[g][i] = (struct nx_perfetto_row){
				.p = x->trace->p,
				.name = row_order[i].is_matrix
						? "TensorMatrix"
						: nx_engines[row_order[i].engine].label,
				.parent = x->trace->cores[g],
				.rank = NX_RANK_ENGINES + i,
			};
		nx_utilisation_begin(&x->utilisation[g], x->trace, g);
	}
}

enum nx_status nx_perfetto_instructions(const struct nx_device_trace *trace, struct nx_error *err)
{
	struct instruction_trace *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st = NX_OK, closed;

	memset(x, 0, sizeof(*x));
	x->trace = trace;
	x->profile = trace->profile;
	nx_instruction_fields_init(&x->fields, trace->profile, NX_FOR_PERFETTO);
	x->engine_clock = (double)(float)trace->profile->capture.hardware->engine_clock_ghz;
	x->triggers.transfers = &trace->profile->transfers;
	begin_rows(x);
	if (trace->options->perfetto_flows)
		st = build_flows(&x->flows, trace->profile, err);
	if (!st)
		st = nx_profile_scan(trace->profile, NX_TABLE_INSTRUCTION, write_row, x, err);
	for (uint32_t g = 0; g < x->profile->capture.graph_count; g++) {
		for (uint32_t i = 0; i < ROW_COUNT; i++)
			nx_perfetto_row_finish(&x->rows[g][i]);
		nx_utilisation_finish(&x->utilisation[g]);
	}
	closed = close_flows(x->flows, st ? NULL : err);
	nx_instruction_fields_release(&x->fields);
	nx_vec_release(&x->scratch);
	nx_arena_release(&x->arena);
	nx_heap_free(x);
	return st ? st : closed;
}
