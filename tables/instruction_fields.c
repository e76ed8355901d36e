/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/instruction_fields.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "format/instruction.h"
#include "model/naming.h"

#define COL(name) NX_COL_Instruction_##name
/* For fields that have no column. */
#define NO_COL UINT32_MAX
/* For fields that only the table has. */
#define TABLE_ONLY NULL
/* Collectives and tables have one extension; more than a few are damage. */
#define MAX_EXTENSIONS 16
/* Deeper stacks lose their outer frames; the links of a damaged file may form a cycle. */
#define MAX_FRAMES 128
#define MAX_FRAME_TEXT 512

void nx_instruction_fields_init(struct nx_instruction_fields *fields,
				const struct nx_profile *profile, enum nx_field_reader reader)
{
	assert(reader == NX_FOR_JSON || reader == NX_FOR_PERFETTO || reader == NX_FOR_TABLE);
	*fields = (struct nx_instruction_fields){.profile = profile, .reader = reader};
}

void nx_instruction_fields_release(struct nx_instruction_fields *fields)
{
	nx_arena_release(&fields->arena);
	nx_vec_release(&fields->list);
}

void nx_instruction_fields_forget(struct nx_instruction_fields *fields)
{
	nx_arena_reset(&fields->arena);
	fields->kernel_file = NULL;
	fields->stack_frame_id = 0;
	fields->stack_frame_ids = (struct nx_slice){0};
	fields->traced_frame_id = 0;
	fields->stack_trace = (struct nx_slice){0};
}

/* --- putting --------------------------------------------------------------- */

static void put(struct nx_instruction_fields *f, unsigned readers, struct nx_field field)
{
	if (!field.name)
		readers &= ~(unsigned)(NX_FOR_JSON | NX_FOR_PERFETTO);
	if (field.column == NO_COL)
		readers &= ~(unsigned)NX_FOR_TABLE;
	if (readers & f->reader)
		nx_vec_push(&f->list, field);
}

#define ALL (NX_FOR_JSON | NX_FOR_PERFETTO | NX_FOR_TABLE)

static void put_number(struct nx_instruction_fields *f, const char *name, unsigned column,
		       uint64_t number)
{
	put(f, ALL, (struct nx_field){name, column, NX_FIELD_NUMBER, number, {{NULL, 0}}});
}

static void put_text(struct nx_instruction_fields *f, const char *name, unsigned column,
		     struct nx_slice text)
{
	if (text.data)
		put(f, ALL, (struct nx_field){name, column, NX_FIELD_TEXT, 0, {text}});
}

/* JSON always has some fields, even if they are not known. */
static void put_unknown_text(struct nx_instruction_fields *f, const char *name)
{
	put(f, NX_FOR_JSON, (struct nx_field){name, NO_COL, NX_FIELD_TEXT, 0, {nx_slice_text("")}});
}

static void put_text_or_empty(struct nx_instruction_fields *f, const char *name, unsigned column,
			      struct nx_slice text)
{
	if (text.data)
		put_text(f, name, column, text);
	else
		put_unknown_text(f, name);
}

static void put_number_or_zero(struct nx_instruction_fields *f, const char *name, unsigned column,
			       bool is_known, uint64_t number)
{
	if (is_known)
		put_number(f, name, column, number);
	else
		put(f, NX_FOR_JSON,
		    (struct nx_field){name, NO_COL, NX_FIELD_NUMBER, 0, {{NULL, 0}}});
}

static struct nx_slice keep(struct nx_instruction_fields *f, const char *text)
{
	return nx_slice_text(nx_arena_copy_text(&f->arena, text));
}

/* The model has "" for a text that is not known. */
static struct nx_slice text_or_null(const char *text)
{
	return text && *text ? nx_slice_text(text) : (struct nx_slice){NULL, 0};
}

/* --- words ----------------------------------------------------------------- */

struct nx_instruction_words nx_instruction_words(const struct nx_profile *profile, uint32_t graph,
						 const uint8_t *word, struct nx_arena *arena)
{
	struct nx_instruction_context context = {profile->capture.arch,
						 profile->program.semaphore_names[graph]};
	const char *opcode = nx_opcode_name(nx_word_opcode(word));
	char text[NX_INSTRUCTION_TEXT_MAX], label[16];
	bool is_known;

	if (!opcode)
		opcode = nx_arena_copy_text(arena, nx_opcode_label(nx_word_opcode(word), label));
	nx_instruction_text(word, &context, text, sizeof(text), &is_known);
	return (struct nx_instruction_words){nx_slice_text(opcode),
					     nx_slice_text(nx_arena_copy_text(arena, text))};
}

static void put_words(struct nx_instruction_fields *f, const struct nx_instruction *row,
		      const uint8_t *word)
{
	const struct nx_profile *p = f->profile;
	const char *engine = nx_engines[row->engine].label;
	bool is_matmul = nx_profile_slot(p, row)->flags & NX_SLOT_MATMUL;
	struct nx_instruction_words words = nx_instruction_words(p, row->graph, word, &f->arena);
	const char *graph = p->capture.graphs[row->graph].name;
	struct nx_slice activation = {0};
	char function[16];

	if (nx_word_opcode(word) == NX_OP_ACTIVATE)
		activation =
			keep(f, nx_activation_name(nx_word_of(word)->activate.function, function));
	put_number(f, "pc", COL(pc), row->slot);
	put_text(f, "label", COL(timeline_track),
		 nx_slice_text(is_matmul ? "TensorMatrix" : engine));
	put_text(f, "subgroup", COL(engine), nx_slice_text(engine));
	put_number(f, TABLE_ONLY, COL(pcore_idx), row->graph);
	put_text(f, "opcode", COL(opcode), words.opcode);
	put_text(f, "operands", COL(operands), words.operands);
	put_text_or_empty(f, "activation_fn", COL(scalar_activation_fn), activation);
	if (p->capture.graph_count > 1)
		put(f, NX_FOR_JSON,
		    (struct nx_field){
			    "subgraph", NO_COL, NX_FIELD_TEXT, 0, {nx_slice_text(graph)}});
	if (f->reader != NX_FOR_TABLE)
		put_text(f, "fully_qualified_subgraph", NO_COL,
			 nx_slice_text(nx_arena_printf(&f->arena, "/%s", graph)));
}

/* The compiler's instruction and the extensions after it, a line each. */
static struct nx_slice chain_of(struct nx_instruction_fields *f, uint32_t graph,
				struct nx_slice code, uint32_t slot)
{
	const char *chain = NULL;

	for (uint32_t i = 1; i <= MAX_EXTENSIONS; i++) {
		const uint8_t *next = nx_instruction_word(code, slot + i);
		struct nx_instruction_words words;

		if (!next || nx_word_opcode(next) != NX_OP_PSEUDO_EXTENSION)
			break;
		if (!chain) {
			words = nx_instruction_words(f->profile, graph,
						     nx_instruction_word(code, slot), &f->arena);
			chain = nx_arena_printf(&f->arena, "%s %s", (const char *)words.opcode.data,
						(const char *)words.operands.data);
		}
		words = nx_instruction_words(f->profile, graph, next, &f->arena);
		chain = nx_arena_printf(&f->arena, "%s\n%s %s", chain,
					(const char *)words.opcode.data,
					(const char *)words.operands.data);
	}
	return text_or_null(chain);
}

/* The compiler's own instruction, shown where the runtime replaced it. */
static void put_compiled(struct nx_instruction_fields *f, const struct nx_instruction *row,
			 const struct nx_slot *slot)
{
	const struct nx_binary_graph *graph = f->profile->program.binary_graphs[row->graph];
	struct nx_instruction_words words;
	const uint8_t *word;

	if (slot->compiler_slot == NX_NONE)
		return;
	put_number(f, "compiler_pc", COL(compiler_pc), slot->compiler_slot);
	if (!graph)
		return;
	word = nx_instruction_word(graph->engines[row->engine].code, slot->compiler_slot);
	if (!word)
		return;
	if (nx_word_opcode(word) != slot->opcode) {
		words = nx_instruction_words(f->profile, row->graph, word, &f->arena);
		put_text(f, "compiler_opcode", COL(compiler_opcode), words.opcode);
		put_text(f, "compiler_operands", COL(compiler_operands), words.operands);
	}
	if (f->reader == NX_FOR_TABLE)
		put_text(f, TABLE_ONLY, COL(instruction_chain),
			 chain_of(f, row->graph, graph->engines[row->engine].code,
				  slot->compiler_slot));
}

/* --- where it came from ---------------------------------------------------- */

static struct nx_slice debug_id(struct nx_instruction_fields *f, uint64_t id)
{
	char text[NX_DEBUG_ID_TEXT_MAX];

	return keep(f, nx_debug_id_text(id, text));
}

/* "kernel.py:139" */
static struct nx_slice kernel_place(struct nx_instruction_fields *f, const struct nx_bir *bir)
{
	if (!*bir->kernel_file)
		return (struct nx_slice){NULL, 0};
	if (f->kernel_file != bir->kernel_file || f->kernel_line != bir->kernel_line) {
		f->kernel_file = bir->kernel_file;
		f->kernel_line = bir->kernel_line;
		f->kernel_place = nx_slice_text(
			nx_arena_printf(&f->arena, "%s:%u", bir->kernel_file, bir->kernel_line));
	}
	return f->kernel_place;
}

static struct nx_slice frame_ids(struct nx_instruction_fields *f, uint32_t frame_id)
{
	const struct nx_binary *binary = &f->profile->binary;
	char text[MAX_FRAMES * 11 + 3];
	size_t len = 0;

	if (f->stack_frame_id == frame_id)
		return f->stack_frame_ids;
	f->stack_frame_id = frame_id;
	for (unsigned depth = 0;
	     depth < MAX_FRAMES && frame_id && frame_id <= binary->stack.frame_count; depth++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%c%u", len ? ',' : '[',
					frame_id);
		frame_id = binary->stack.frames[frame_id - 1].parent;
	}
	if (len)
		snprintf(text + len, sizeof(text) - len, "]");
	f->stack_frame_ids = len ? keep(f, text) : (struct nx_slice){NULL, 0};
	return f->stack_frame_ids;
}

/* A line for each call, the innermost first: "forward (model.py:57)". */
static struct nx_slice stack_trace(struct nx_instruction_fields *f, uint32_t frame_id)
{
	const struct nx_stack *stack = &f->profile->binary.stack;
	struct nx_bytes text = {0};

	if (f->traced_frame_id == frame_id)
		return f->stack_trace;
	f->traced_frame_id = frame_id;
	for (unsigned depth = 0; depth < MAX_FRAMES && frame_id && frame_id <= stack->frame_count;
	     depth++) {
		char line[MAX_FRAME_TEXT];

		nx_stack_frame_text(stack, frame_id, line, sizeof(line));
		if (text.len)
			nx_vec_push(&text, '\n');
		for (const char *c = line; *c; c++)
			nx_vec_push(&text, (uint8_t)*c);
		frame_id = stack->frames[frame_id - 1].parent;
	}
	nx_vec_push(&text, 0);
	f->stack_trace = text.len > 1 ? keep(f, (const char *)text.items) : (struct nx_slice){0};
	nx_vec_release(&text);
	return f->stack_trace;
}

static void put_no_origin(struct nx_instruction_fields *f)
{
	put(f, NX_FOR_JSON | NX_FOR_TABLE,
	    (struct nx_field){"bir_id", COL(bir_id), NX_FIELD_TEXT, 0, {nx_slice_text("")}});
	put_number_or_zero(f, "raw_bir_id", NO_COL, false, 0);
	put_unknown_text(f, "bir_instruction_name");
	put_unknown_text(f, "penguin_id");
	put_number_or_zero(f, "raw_penguin_id", NO_COL, false, 0);
	put_unknown_text(f, "instruction_type");
	put_unknown_text(f, "layer");
	put_unknown_text(f, "hlo_name");
	put_unknown_text(f, "hlo_attrs");
}

static void put_hlo(struct nx_instruction_fields *f, const struct nx_origin *origin)
{
	bool has_hlo = origin && origin->has_hlo;

	put_text_or_empty(f, "hlo_name", COL(hlo_name),
			  has_hlo ? text_or_null(origin->hlo_name) : (struct nx_slice){0});
	put(f, has_hlo ? ALL : NX_FOR_JSON | NX_FOR_TABLE,
	    (struct nx_field){"hlo_attrs",
			      COL(hlo_attrs),
			      NX_FIELD_TEXT,
			      0,
			      {nx_slice_text(origin ? origin->hlo_attributes : "[]")}});
	if (!has_hlo)
		return;
	put_number(f, "raw_hlo_id", COL(raw_hlo_id), origin->hlo_id);
	if (origin->framework_id_count)
		put(f, ALL,
		    (struct nx_field){"raw_framework_id",
				      COL(raw_framework_id),
				      NX_FIELD_IDS,
				      origin->framework_id_count,
				      {.ids = origin->framework_ids}});
}

static void put_stack(struct nx_instruction_fields *f, const struct nx_origin *origin)
{
	if (!origin || !origin->stack_frame)
		return;
	put_text(f, "stack_frame_ids", COL(stack_frame_ids), frame_ids(f, origin->stack_frame));
	/* the JSON has a section of frames, which saves repeating them for each execution */
	if (f->reader == NX_FOR_PERFETTO)
		put_text(f, "framework_stack_trace", NO_COL, stack_trace(f, origin->stack_frame));
}

static void put_source(struct nx_instruction_fields *f, const struct nx_bir *bir,
		       const struct nx_origin *origin)
{
	if (f->reader == NX_FOR_TABLE) {
		struct nx_slice place = kernel_place(f, bir);

		put_text(f, TABLE_ONLY, COL(nki_source_location), place);
		put_text(f, TABLE_ONLY, COL(bir_debug_info_source_location), place);
	} else if (*bir->kernel_file) {
		put_text(f, "source_file", NO_COL, nx_slice_text(bir->kernel_file));
		put_number(f, "source_line", NO_COL, bir->kernel_line);
	} else if (origin && *origin->source_file) {
		put_text(f, "source_file", NO_COL, nx_slice_text(origin->source_file));
		put_number(f, "source_line", NO_COL, origin->source_line);
	}
}

static void put_origin(struct nx_instruction_fields *f, const struct nx_instruction *row,
		       const struct nx_slot *slot)
{
	const struct nx_profile *p = f->profile;
	const struct nx_origin *origin = NULL;
	const struct nx_bir *bir;

	if (slot->bir == NX_NONE) {
		put_no_origin(f);
		return;
	}
	bir = &p->program.binary_graphs[row->graph]->birs[slot->bir];
	if (bir->origin < p->binary.origin_count)
		origin = &p->binary.origins[bir->origin];
	put_text(f, "bir_id", COL(bir_id), debug_id(f, bir->id));
	put_number(f, "raw_bir_id", COL(raw_bir_id), bir->id);
	put_text_or_empty(f, "bir_instruction_name", COL(bir_instruction_name),
			  text_or_null(bir->name));
	put_text_or_empty(f, "penguin_id", COL(penguin_id),
			  bir->has_penguin ? debug_id(f, bir->penguin_id) : (struct nx_slice){0});
	put_number_or_zero(f, "raw_penguin_id", COL(raw_penguin_id), bir->has_penguin,
			   bir->penguin_id);
	put_text_or_empty(f, "instruction_type", NO_COL,
			  text_or_null(nx_instruction_type_name(bir->instruction_type)));
	put_text_or_empty(f, "layer", COL(layer), text_or_null(p->program.layers[slot->layer]));
	put_hlo(f, origin);
	put_source(f, bir, origin);
	put_stack(f, origin);
}

/* --- what it moved and computed -------------------------------------------- */

static void put_bytes(struct nx_instruction_fields *f, const struct nx_slot *slot)
{
	const struct {
		uint32_t flag;
		const char *name;
		unsigned column;
		uint64_t number;
	} counts[] = {
		{NX_SLOT_HAS_ELEMENTS, "elements", NO_COL, slot->elements},
		{NX_SLOT_SBUF_READ, "sbuf_read_bytes", COL(sbuf_read_bytes), slot->sbuf_read_bytes},
		{NX_SLOT_SBUF_WRITE, "sbuf_write_bytes", COL(sbuf_write_bytes),
		 slot->sbuf_write_bytes},
		{NX_SLOT_PSUM_READ, "psum_read_bytes", COL(psum_read_bytes), slot->psum_read_bytes},
		{NX_SLOT_PSUM_WRITE, "psum_write_bytes", COL(psum_write_bytes),
		 slot->psum_write_bytes},
		{NX_SLOT_HBM_READ, "hbm_read_bytes", COL(hbm_read_bytes), slot->hbm_read_bytes},
		{NX_SLOT_HBM_WRITE, "hbm_write_bytes", COL(hbm_write_bytes), slot->hbm_write_bytes},
		{NX_SLOT_EVICTION, "psum_read_sbuf_write_bytes", COL(psum_read_sbuf_write_bytes),
		 slot->sbuf_write_bytes},
		{NX_SLOT_EVICTION, "is_psum_read_sbuf_write", NO_COL, true},
		{NX_SLOT_SPILL_SAVE, "spill_save_bytes", COL(spill_save_bytes),
		 slot->hbm_write_bytes},
		{NX_SLOT_SPILL_RELOAD, "spill_reload_bytes", COL(spill_reload_bytes),
		 slot->hbm_read_bytes},
		{NX_SLOT_WEIGHT_QUEUE, "weight_queue_bytes", COL(weight_queue_bytes),
		 slot->queue_bytes},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (slot->flags & counts[i].flag)
			put(f, ALL,
			    (struct nx_field){counts[i].name,
					      counts[i].column,
					      !strncmp(counts[i].name, "is_", 3) ? NX_FIELD_BOOL
										 : NX_FIELD_NUMBER,
					      counts[i].number,
					      {{NULL, 0}}});
	if (slot->flags & NX_SLOT_WEIGHT_QUEUE)
		return; /* a queue has one kind, as in the summary */
	if (slot->flags & NX_SLOT_INPUT_QUEUE)
		put_number(f, TABLE_ONLY, COL(input_queue_bytes), slot->queue_bytes);
	else if (slot->flags & NX_SLOT_OUTPUT_QUEUE)
		put_number(f, TABLE_ONLY, COL(output_queue_bytes), slot->queue_bytes);
}

static void put_flops(struct nx_instruction_fields *f, const struct nx_slot *slot,
		      const uint8_t *word)
{
	bool is_transpose = slot->instruction_type == NX_TYPE_TRANSPOSE;
	struct nx_matmul_flops flops = {0};

	if (nx_word_opcode(word) == NX_OP_MATMUL)
		flops = nx_matmul_flops(word, f->profile->capture.arch, slot->elements);
	put_number(f, TABLE_ONLY, COL(tensor_elements), slot->elements);
	put_number(f, TABLE_ONLY, COL(tensor_elements_transpose),
		   is_transpose ? slot->elements : 0);
	put_number(f, TABLE_ONLY, COL(raw_flops), (uint64_t)flops.raw);
	put_number(f, TABLE_ONLY, COL(flops_transpose), is_transpose ? (uint64_t)flops.raw : 0);
	if (flops.adjusted < 0)
		return;
	put_number(f, TABLE_ONLY, COL(adjusted_flops), (uint64_t)flops.adjusted);
	put_number(f, TABLE_ONLY, COL(adjusted_flops_transpose),
		   is_transpose ? (uint64_t)flops.adjusted : 0);
}

void nx_instruction_fields_read(struct nx_instruction_fields *fields,
				const struct nx_instruction *row)
{
	const struct nx_profile *p = fields->profile;
	const struct nx_slot *slot = nx_profile_slot(p, row);
	const uint8_t *word = nx_instruction_word(
		p->capture.graphs[row->graph].engines[row->engine].code, row->slot);

	nx_vec_clear(&fields->list);
	assert(word); /* rows name slots that the capture has */
	put_words(fields, row, word);
	put_compiled(fields, row, slot);
	put_origin(fields, row, slot);
	put_bytes(fields, slot);
	if (fields->reader == NX_FOR_TABLE && slot->flags & NX_SLOT_MATMUL)
		put_flops(fields, slot, word);
	if (row->engine == NX_ENGINE_TENSOR && slot->instruction_type)
		put_text(fields, TABLE_ONLY, COL(tensor_instruction_type),
			 nx_slice_text(nx_instruction_type_name(slot->instruction_type)));
}
