/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executed instructions. What depends on the slot alone (text, names, bytes) is
 * rendered once per slot; a row adds its times.
 */
#include <stdio.h>
#include <string.h>

#include "export/json_sections.h"
#include "format/instruction.h"
#include "model/executions.h"
#include "model/measure.h"
#include "model/naming.h"
#include "model/transfer.h"

struct instruction_export {
	struct nx_json_writer *w;
	const struct nx_profile *profile;
	struct nx_progress *progress;
	struct nx_executions executions;
	struct nx_arena arena;
	struct nx_json_fragment *fragments[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	uint64_t id;
	struct nx_trigger_walk triggers;
	double engine_clock; /* GHz */
};

struct slot_ref {
	const struct nx_profile *profile;
	uint32_t graph, engine, index;
	const struct nx_slot *slot;
};

/* --- what a slot says ------------------------------------------------------ */

static void put_text(struct nx_json_writer *w, const struct slot_ref *r, const uint8_t *word,
		     const char *opcode_key, const char *operands_key)
{
	struct nx_instruction_context context = {r->profile->capture.arch,
						 r->profile->program.semaphore_names[r->graph]};
	char text[NX_INSTRUCTION_TEXT_MAX], label[16];
	bool is_known;

	nx_instruction_text(word, &context, text, sizeof(text), &is_known);
	nx_json_key_text(w, opcode_key, nx_opcode_label(nx_word_opcode(word), label));
	nx_json_key_text(w, operands_key, text);
}

/* The compiler's own instruction, shown where the runtime replaced it. */
static void put_compiler_text(struct nx_json_writer *w, const struct slot_ref *r)
{
	const struct nx_binary_graph *graph = r->profile->program.binary_graphs[r->graph];
	const uint8_t *word;

	if (r->slot->compiler_slot == NX_NONE)
		return;
	nx_json_key_u64(w, "compiler_pc", r->slot->compiler_slot);
	if (!graph)
		return;
	word = nx_instruction_word(graph->engines[r->engine].code, r->slot->compiler_slot);
	if (word && nx_word_opcode(word) != r->slot->opcode)
		put_text(w, r, word, "compiler_opcode", "compiler_operands");
}

static void put_composed_id(struct nx_json_writer *w, const char *key, uint64_t id)
{
	char text[NX_DEBUG_ID_TEXT_MAX];

	nx_json_key_text(w, key, nx_debug_id_text(id, text));
}

static void put_no_names(struct nx_json_writer *w)
{
	nx_json_key_text(w, "bir_id", "");
	nx_json_key_u64(w, "raw_bir_id", 0);
	nx_json_key_text(w, "bir_instruction_name", "");
	nx_json_key_text(w, "penguin_id", "");
	nx_json_key_u64(w, "raw_penguin_id", 0);
	nx_json_key_text(w, "instruction_type", "");
	nx_json_key_text(w, "layer", "");
	nx_json_key_text(w, "hlo_name", "");
	nx_json_key_text(w, "hlo_attrs", "");
}

static void put_origin(struct nx_json_writer *w, const struct nx_origin *origin)
{
	nx_json_key_text(w, "hlo_name", origin && origin->has_hlo ? origin->hlo_name : "");
	nx_json_key_text(w, "hlo_attrs", origin ? origin->hlo_attributes : "[]");
	if (!origin || !origin->has_hlo)
		return;
	nx_json_key_u64(w, "raw_hlo_id", origin->hlo_id);
	if (!origin->framework_id_count)
		return;
	nx_json_key(w, "raw_framework_id");
	nx_json_begin_array(w);
	for (size_t i = 0; i < origin->framework_id_count; i++)
		nx_json_u64(w, origin->framework_ids[i]);
	nx_json_end_array(w);
}

static void put_source(struct nx_json_writer *w, const struct nx_bir *bir,
		       const struct nx_origin *origin)
{
	if (*bir->kernel_file) {
		nx_json_key_text(w, "source_file", bir->kernel_file);
		nx_json_key_u64(w, "source_line", bir->kernel_line);
	} else if (origin && *origin->source_file) {
		nx_json_key_text(w, "source_file", origin->source_file);
		nx_json_key_u64(w, "source_line", origin->source_line);
	}
}

static void put_names(struct nx_json_writer *w, const struct slot_ref *r)
{
	const struct nx_binary *binary = &r->profile->binary;
	const struct nx_origin *origin;
	const struct nx_bir *bir;

	if (r->slot->bir == NX_NONE) {
		put_no_names(w);
		return;
	}
	bir = &r->profile->program.binary_graphs[r->graph]->birs[r->slot->bir];
	origin = bir->origin < binary->origin_count ? &binary->origins[bir->origin] : NULL;
	put_composed_id(w, "bir_id", bir->id);
	nx_json_key_u64(w, "raw_bir_id", bir->id);
	nx_json_key_text(w, "bir_instruction_name", bir->name);
	if (bir->has_penguin)
		put_composed_id(w, "penguin_id", bir->penguin_id);
	else
		nx_json_key_text(w, "penguin_id", "");
	nx_json_key_u64(w, "raw_penguin_id", bir->has_penguin ? bir->penguin_id : 0);
	nx_json_key_text(w, "instruction_type", nx_instruction_type_name(bir->instruction_type));
	nx_json_key_text(w, "layer", r->profile->program.layers[r->slot->layer]);
	put_origin(w, origin);
	put_source(w, bir, origin);
}

static void put_bytes(struct nx_json_writer *w, const struct nx_slot *slot)
{
	if (slot->flags & NX_SLOT_HAS_ELEMENTS)
		nx_json_key_u64(w, "elements", slot->elements);
	if (slot->flags & NX_SLOT_SBUF_READ)
		nx_json_key_u64(w, "sbuf_read_bytes", slot->sbuf_read_bytes);
	if (slot->flags & NX_SLOT_SBUF_WRITE)
		nx_json_key_u64(w, "sbuf_write_bytes", slot->sbuf_write_bytes);
	if (slot->flags & NX_SLOT_PSUM_READ)
		nx_json_key_u64(w, "psum_read_bytes", slot->psum_read_bytes);
	if (slot->flags & NX_SLOT_PSUM_WRITE)
		nx_json_key_u64(w, "psum_write_bytes", slot->psum_write_bytes);
	if (slot->flags & NX_SLOT_HBM_READ)
		nx_json_key_u64(w, "hbm_read_bytes", slot->hbm_read_bytes);
	if (slot->flags & NX_SLOT_HBM_WRITE)
		nx_json_key_u64(w, "hbm_write_bytes", slot->hbm_write_bytes);
	if (slot->flags & NX_SLOT_EVICTION) {
		nx_json_key_u64(w, "psum_read_sbuf_write_bytes", slot->sbuf_write_bytes);
		nx_json_key_bool(w, "is_psum_read_sbuf_write", true);
	}
	if (slot->flags & NX_SLOT_SPILL_SAVE)
		nx_json_key_u64(w, "spill_save_bytes", slot->hbm_write_bytes);
	if (slot->flags & NX_SLOT_SPILL_RELOAD)
		nx_json_key_u64(w, "spill_reload_bytes", slot->hbm_read_bytes);
	if (slot->flags & NX_SLOT_WEIGHT_QUEUE)
		nx_json_key_u64(w, "weight_queue_bytes", slot->queue_bytes);
}

static void slot_members(struct nx_json_writer *w, const void *what)
{
	const struct slot_ref *r = what;
	const struct nx_graph *graph = &r->profile->capture.graphs[r->graph];
	const uint8_t *word =
		graph->engines[r->engine].code.data + (size_t)r->index * NX_SLOT_BYTES;
	const char *engine = nx_engines[r->engine].label;
	char name[260], function[16];

	nx_json_key_u64(w, "pc", r->index);
	nx_json_key_text(w, "label", r->slot->flags & NX_SLOT_MATMUL ? "TensorMatrix" : engine);
	nx_json_key_text(w, "subgroup", engine);
	put_text(w, r, word, "opcode", "operands");
	nx_json_key_text(w, "activation_fn",
			 nx_word_opcode(word) == NX_OP_ACTIVATE
				 ? nx_activation_name(nx_word_of(word)->activate.function, function)
				 : "");
	nx_json_subgraph(w, r->profile, r->graph);
	snprintf(name, sizeof(name), "/%s", graph->name);
	nx_json_key_text(w, "fully_qualified_subgraph", name);
	put_compiler_text(w, r);
	put_names(w, r);
	put_bytes(w, r->slot);
}

/* --- rows ------------------------------------------------------------------ */

static const struct nx_json_fragment *fragment_of(struct instruction_export *x,
						  const struct slot_ref *r)
{
	struct nx_json_fragment **fragments = &x->fragments[r->graph][r->engine];

	if (!*fragments)
		*fragments = NX_NEW_ARRAY(
			&x->arena, struct nx_json_fragment,
			(size_t)x->profile->capture.graphs[r->graph].engines[r->engine].slot_count +
				1);
	if (!(*fragments)[r->index].text)
		(*fragments)[r->index] = nx_json_render(&x->arena, slot_members, r);
	return &(*fragments)[r->index];
}

static void put_slot(struct instruction_export *x, const struct slot_ref *r)
{
	const struct nx_json_fragment *fragment;

	if (x->w->pretty) {
		slot_members(x->w, r);
		return;
	}
	fragment = fragment_of(x, r);
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

static void put_trigger(struct instruction_export *x, const struct nx_instruction *row)
{
	uint32_t transfer = nx_trigger_walk_find(&x->triggers, row);

	if (transfer != NX_NONE)
		nx_json_key_u64(x->w, "trigger",
				x->profile->transfers.items[transfer].start_ps / 1000);
}

static void write_row(void *context, const void *opaque)
{
	struct instruction_export *x = context;
	const struct nx_instruction *row = opaque;
	struct slot_ref r = {x->profile, row->graph, row->engine, row->slot,
			     nx_profile_slot(x->profile, row)};
	struct nx_json_writer *w = x->w;

	x->id++;
	nx_json_begin_object(w);
	nx_json_key_u64(w, "timestamp", row->start_ps / 1000);
	nx_json_key_u64(w, "duration", (row->end_ps - row->start_ps) / 1000);
	nx_json_key_u64(w, "id", x->id);
	nx_json_key_u64(w, "crc_in", row->crc_in);
	nx_json_key_u64(w, "crc_out", row->crc_out);
	nx_json_key_u64(w, "evt_wait_time", nx_wait_ns(row->wait_cycles, x->engine_clock));
	put_slot(x, &r);
	put_predecessors(x, row);
	if (r.slot->flags & NX_SLOT_TRIGGER)
		put_trigger(x, row);
	nx_json_end_object(w);
	nx_executions_pass(&x->executions, row, x->id);
	if (x->progress)
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
	x->triggers.transfers = &profile->transfers;
	x->engine_clock = profile->capture.hardware->engine_clock_ghz;
	nx_json_begin_array(w);
	st = nx_executions_build(&x->executions, profile, err);
	if (!st)
		st = nx_profile_scan(profile, NX_TABLE_INSTRUCTION, write_row, x, err);
	nx_json_end_array(w);
	*rows = x->id;
	nx_executions_release(&x->executions);
	nx_arena_release(&x->arena);
	nx_heap_free(x);
	return st;
}
