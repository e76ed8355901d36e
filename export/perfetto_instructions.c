/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executed instructions: a row for each engine and one more for the matrix
 * work of the tensor engine. What depends on the slot alone is made once per
 * slot; a row overwrites the first few arguments.
 */
#include "export/perfetto_args.h"
#include "export/perfetto_device.h"
#include "export/perfetto_flows.h"
#include "export/perfetto_rows.h"
#include "export/perfetto_utilisation.h"
#include "model/measure.h"
#include "tables/instruction_fields.h"

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
	struct nx_flow_index *flows; /* NULL when not asked for */
	struct nx_instruction_fields fields;
	struct nx_perfetto_args scratch;
	uint64_t id;
	size_t next_transfer;
	double engine_clock; /* GHz */
};

/* Perfetto has no lists: ids become a text, all that a person would read. */
static const char *ids_text(struct nx_arena *arena, const struct nx_field *field)
{
	const char *text = "";

	for (size_t i = 0; i < field->number && i < MAX_IDS; i++)
		text = nx_arena_printf(arena, "%s%s%llu", text, i ? "," : "",
				       (unsigned long long)field->ids[i]);
	return text;
}

static void put_field(struct instruction_trace *x, const struct nx_field *field)
{
	struct nx_perfetto_args *args = &x->scratch;

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
	case NX_FIELD_IDS:
		nx_perfetto_arg_text(args, field->name, ids_text(&x->arena, field));
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

/* Both lists are in order of time; rows of one nanosecond may come in any order. */
static bool find_trigger(struct instruction_trace *x, const struct nx_instruction *row,
			 uint64_t *start_ns)
{
	const struct nx_transfers *t = &x->profile->transfers;
	uint64_t row_ns = row->start_ps / 1000;

	while (x->next_transfer < t->len && t->items[x->next_transfer].trigger_ps / 1000 < row_ns)
		x->next_transfer++;
	for (size_t i = x->next_transfer; i < t->len && t->items[i].trigger_ps / 1000 == row_ns;
	     i++)
		if (t->items[i].trigger_ps == row->start_ps && t->items[i].graph == row->graph &&
		    t->items[i].engine == row->engine) {
			*start_ns = t->items[i].start_ps / 1000;
			return true;
		}
	return false;
}

static struct nx_perfetto_row *row_of(struct instruction_trace *x, const struct nx_instruction *row,
				      bool is_matrix)
{
	size_t i = 0;

	while (row_order[i].engine != row->engine || row_order[i].is_matrix != is_matrix)
		i++;
	return &x->rows[row->graph][i];
}

static void write_row(void *context, const void *opaque)
{
	struct instruction_trace *x = context;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(x->profile, row);
	struct slot_args *args = slot_of(x, row);
	bool is_matrix = row->engine == NX_ENGINE_TENSOR && slot->flags & NX_SLOT_MATMUL;
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
	if (slot->flags & NX_SLOT_TRIGGER && find_trigger(x, row, &args->items[args->count].u64))
		slice.arg_count++;
	if (x->flows)
		slice.flows = nx_flow_index_next(x->flows);
	nx_perfetto_row_put(row_of(x, row, is_matrix), &slice);
	if (is_matrix)
		nx_utilisation_add(&x->utilisation[row->graph], row, slot);
	if (x->trace->options->progress)
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

static void finish_rows(struct instruction_trace *x)
{
	for (uint32_t g = 0; g < x->profile->capture.graph_count; g++) {
		for (uint32_t i = 0; i < ROW_COUNT; i++)
			nx_perfetto_row_finish(&x->rows[g][i]);
		nx_utilisation_finish(&x->utilisation[g]);
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
	begin_rows(x);
	if (trace->options->perfetto_flows)
		st = nx_flow_index_build(&x->flows, trace->profile, err);
	if (!st)
		st = nx_profile_scan(trace->profile, NX_TABLE_INSTRUCTION, write_row, x, err);
	finish_rows(x);
	closed = nx_flow_index_close(x->flows, st ? NULL : err);
	nx_instruction_fields_release(&x->fields);
	nx_vec_release(&x->scratch);
	nx_arena_release(&x->arena);
	nx_heap_free(x);
	return st ? st : closed;
}
