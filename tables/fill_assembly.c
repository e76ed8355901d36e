/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's text of every executed instruction, before the runtime changed it, and the
 * barriers between cores, which exist only there. */
#include <assert.h>
#include <string.h>

#include "format/instruction.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"

struct word_text {
	struct nx_slice opcode, operands;
};

struct assembly_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_arena arena;
	/* by compiler slot, made on first use */
	struct word_text *words[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	uint64_t id;
	struct nx_row assembly, barrier;
};

static const struct nx_engine_program *stream_of(const struct assembly_fill *x,
						 const struct nx_instruction *ran)
{
	const struct nx_binary_graph *graph = x->profile->program.binary_graphs[ran->graph];

	return graph ? &graph->engines[ran->engine] : NULL;
}

/* Without the names of semaphores: the compiler knows only their numbers. */
static struct word_text text_of(struct assembly_fill *x, const uint8_t *word)
{
	struct nx_instruction_context context = {x->profile->capture.arch, NULL};
	char text[NX_INSTRUCTION_TEXT_MAX], label[16];
	const char *opcode = nx_opcode_label(nx_word_opcode(word), label);
	bool is_known;

	nx_instruction_text(word, &context, text, sizeof(text), &is_known);
	if (opcode == label)
		opcode = nx_arena_copy_text(&x->arena, label);
	return (struct word_text){nx_slice_text(opcode),
				  nx_slice_text(nx_arena_copy_text(&x->arena, text))};
}

static const struct word_text *word_of(struct assembly_fill *x, const struct nx_instruction *ran,
				       uint32_t compiler_slot, const uint8_t *word)
{
	struct word_text **words = &x->words[ran->graph][ran->engine];

	assert(compiler_slot < stream_of(x, ran)->code.len / NX_SLOT_BYTES);
	if (!*words)
		*words = NX_NEW_ARRAY(&x->arena, struct word_text,
				      stream_of(x, ran)->code.len / NX_SLOT_BYTES);
	if (!(*words)[compiler_slot].opcode.data)
		(*words)[compiler_slot] = text_of(x, word);
	return &(*words)[compiler_slot];
}

static void put_barrier(struct assembly_fill *x, const struct nx_instruction *ran,
			uint32_t compiler_slot, const struct word_text *text,
			const struct nx_core_barrier *barrier)
{
	struct nx_row *row = &x->barrier;

	nx_row_put_i64(row, NX_COL_CoreBarriers_start_ts, nx_ps_to_ns(ran->start_ps));
	nx_row_put_i64(row, NX_COL_CoreBarriers_end_ts, nx_ps_to_ns(ran->end_ps));
	nx_row_put_i64(row, NX_COL_CoreBarriers_duration_ns,
		       nx_ps_to_ns(ran->end_ps - ran->start_ps));
	nx_row_put_text(row, NX_COL_CoreBarriers_engine_name, nx_engines[ran->engine].label);
	nx_row_put_i64(row, NX_COL_CoreBarriers_id, barrier->id);
	nx_row_put_i64(row, NX_COL_CoreBarriers_semaphore, barrier->semaphore);
	nx_row_put_i64(row, NX_COL_CoreBarriers_compiler_pc, compiler_slot);
	nx_row_put_slice(row, NX_COL_CoreBarriers_compiler_opcode, text->opcode);
	nx_row_put_slice(row, NX_COL_CoreBarriers_compiler_operands, text->operands);
	nx_row_put_i64(row, NX_COL_CoreBarriers_pcore_idx, ran->graph);
	nx_table_sink_put(x->sink, row);
}

static void fill_row(void *context, const void *opaque)
{
	struct assembly_fill *x = context;
	const struct nx_instruction *ran = opaque;
	const struct nx_engine_program *stream = stream_of(x, ran);
	uint32_t slot = nx_profile_slot(x->profile, ran)->compiler_slot;
	const uint8_t *word = stream ? nx_instruction_word(stream->code, slot) : NULL;
	struct nx_row *row = &x->assembly;
	struct nx_core_barrier barrier;
	const struct word_text *text;

	x->id++;
	if (!word)
		return;
	text = word_of(x, ran, slot, word);
	nx_row_put_i64(row, NX_COL_AssemblyInstruction_instruction_id, (int64_t)x->id);
	nx_row_put_slice(row, NX_COL_AssemblyInstruction_compiler_opcode, text->opcode);
	nx_row_put_slice(row, NX_COL_AssemblyInstruction_compiler_operands, text->operands);
	nx_row_put_i64(row, NX_COL_AssemblyInstruction_compiler_pc, slot);
	nx_table_sink_put(x->sink, row);
	if (nx_instruction_core_barrier(word, &barrier))
		put_barrier(x, ran, slot, text, &barrier);
}

enum nx_status nx_fill_assembly(struct nx_device_fill *fill)
{
	struct assembly_fill *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st = NX_OK;

	memset(x, 0, sizeof(*x));
	x->profile = fill->profile;
	x->sink = fill->sink;
	nx_row_init(&x->assembly, NX_SCHEMA_AssemblyInstruction);
	nx_row_init(&x->barrier, NX_SCHEMA_CoreBarriers);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_AssemblyInstruction);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_CoreBarriers);
	if (fill->profile->has_binary)
		st = nx_profile_scan(fill->profile, NX_TABLE_INSTRUCTION, fill_row, x, fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_AssemblyInstruction);
	nx_table_sink_end(fill->sink, NX_SCHEMA_CoreBarriers);
	nx_arena_release(&x->arena);
	nx_heap_free(x);
	return st;
}
