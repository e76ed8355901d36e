/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions. What depends on the slot alone is rendered once; a row adds its times. */
#include <assert.h>
#include <string.h>

#include "export/json_sections.h"
#include "model/executions.h"
#include "model/measure.h"
#include "model/transfer.h"
#include "tables/instruction_fields.h"

struct instruction_export {
	struct nx_json_writer *w;
	const struct nx_profile *profile;
	struct nx_progress *progress;
	struct nx_executions executions;
	struct nx_instruction_fields fields;
	struct nx_arena arena;
	struct nx_json_fragment *fragments[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	uint64_t id;
	struct nx_trigger_walk triggers;
	double engine_clock; /* GHz */
};

/* --- what a slot says ------------------------------------------------------ */

static void put_field(struct nx_json_writer *w, const struct nx_field *field)
{
	nx_json_key(w, field->name);
	switch ((enum nx_field_kind)field->kind) {
	case NX_FIELD_NUMBER:
		nx_json_u64(w, field->number);
		break;
	case NX_FIELD_BOOL:
		nx_json_bool(w, field->number);
		break;
	case NX_FIELD_TEXT:
		nx_json_slice(w, field->text);
		break;
	case NX_FIELD_IDS:
		nx_json_begin_array(w);
		for (size_t i = 0; i < field->number; i++)
			nx_json_u64(w, field->ids[i]);
		nx_json_end_array(w);
		break;
	}
}

static void put_fields(struct nx_json_writer *w, const void *what)
{
	const struct nx_field_list *list = what;

	for (size_t i = 0; i < list->len; i++)
		put_field(w, &list->items[i]);
}

/* --- rows ------------------------------------------------------------------ */

static struct nx_json_fragment *fragment_of(struct instruction_export *x,
					    const struct nx_instruction *row)
{
	struct nx_json_fragment **fragments = &x->fragments[row->graph][row->engine];
	const struct nx_engine_image *image =
		&x->profile->capture.graphs[row->graph].engines[row->engine];

	assert(row->slot <= image->slot_count);
	if (!*fragments)
		*fragments = NX_NEW_ARRAY(&x->arena, struct nx_json_fragment,
					  (size_t)image->slot_count + 1);
	return &(*fragments)[row->slot];
}

static void put_slot(struct instruction_export *x, const struct nx_instruction *row)
{
	struct nx_json_fragment *fragment = fragment_of(x, row);

	if (!fragment->text) {
		nx_instruction_fields_read(&x->fields, row);
		if (x->w->pretty)
			put_fields(x->w, &x->fields.list);
		else
			*fragment = nx_json_render(&x->arena, put_fields, &x->fields.list);
		nx_instruction_fields_forget(&x->fields);
	}
	if (fragment->text)
		nx_json_raw_members(x->w, nx_slice_of(fragment->text, fragment->len));
}

static void put_predecessors(struct instruction_export *x, const struct nx_instruction *row)
{
	struct nx_predecessor_walk walk = nx_predecessors_of(&x->executions, row);
	bool is_open = false;

	while (nx_predecessor_walk_next(&walk)) {
		if (!is_open) {
			nx_json_key(x->w, "predecessors");
			nx_json_begin_array(x->w);
			is_open = true;
		}
		for (size_t k = 0; k < walk.count; k++) {
			nx_json_begin_object(x->w);
			nx_json_key_u64(x->w, "id", walk.executions[k].id);
			nx_json_key_text(x->w, "type", nx_edge_name(walk.type));
			nx_json_end_object(x->w);
		}
	}
	if (is_open)
		nx_json_end_array(x->w);
}

static void write_row(void *context, const void *opaque)
{
	struct instruction_export *x = context;
	const struct nx_instruction *row = opaque;
	struct nx_json_writer *w = x->w;
	uint32_t transfer = NX_NONE;

	x->id++;
	nx_json_begin_object(w);
	nx_json_key_u64(w, "timestamp", row->start_ps / 1000);
	nx_json_key_u64(w, "duration", (row->end_ps - row->start_ps) / 1000);
	nx_json_key_u64(w, "id", x->id);
	nx_json_key_u64(w, "crc_in", row->crc_in);
	nx_json_key_u64(w, "crc_out", row->crc_out);
	nx_json_key_u64(w, "evt_wait_time", nx_wait_ns(row->wait_cycles, x->engine_clock));
	put_slot(x, row);
	put_predecessors(x, row);
	if (nx_profile_slot(x->profile, row)->flags & NX_SLOT_STARTS_DMA)
		transfer = nx_trigger_walk_find(&x->triggers, row);
	if (transfer != NX_NONE)
		nx_json_key_u64(w, "trigger",
				x->profile->transfers.items[transfer].start_ps / 1000);
	nx_json_end_object(w);
	nx_executions_pass(&x->executions, row, x->id);
	nx_progress_add(x->progress, 1);
}

enum nx_status nx_json_instructions(struct nx_json_writer *w, const struct nx_profile *profile,
				    struct nx_progress *progress, uint64_t *rows,
				    struct nx_error *err)
{
	struct instruction_export *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st;

	memset(x, 0, sizeof(*x));
	x->w = w;
	x->profile = profile;
	x->progress = progress;
	nx_instruction_fields_init(&x->fields, profile, NX_FOR_JSON);
	x->triggers.transfers = &profile->transfers;
	x->engine_clock = profile->capture.hardware->engine_clock_ghz;
	nx_json_begin_array(w);
	st = nx_executions_build(&x->executions, profile, err);
	if (!st)
		st = nx_profile_scan(profile, NX_TABLE_INSTRUCTION, write_row, x, err);
	nx_json_end_array(w);
	*rows = x->id;
	nx_executions_release(&x->executions);
	nx_instruction_fields_release(&x->fields);
	nx_arena_release(&x->arena);
	nx_heap_free(x);
	return st;
}
