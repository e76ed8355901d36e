/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/slot_texts.h"

#include <stdio.h>
#include <string.h>

#include "model/naming.h"

/* Collectives have one extension, tables one; a longer row of them is damage. */
#define MAX_EXTENSIONS 16
/* Deeper stacks are cut at their outer end; the index may also run in circles. */
#define MAX_FRAMES 128

void nx_slot_text_cache_init(struct nx_slot_text_cache *cache, const struct nx_profile *profile)
{
	memset(cache, 0, sizeof(*cache));
	cache->profile = profile;
}

void nx_slot_text_cache_release(struct nx_slot_text_cache *cache)
{
	nx_arena_release(&cache->arena);
	memset(cache, 0, sizeof(*cache));
}

static struct nx_slice keep(struct nx_slot_text_cache *cache, const char *text)
{
	return nx_slice_text(nx_arena_copy_text(&cache->arena, text));
}

/* Empty texts of the model mean that there is none. */
static struct nx_slice text_or_null(const char *text)
{
	return text && *text ? nx_slice_text(text) : (struct nx_slice){NULL, 0};
}

/* --- words ----------------------------------------------------------------- */

static struct nx_slice opcode_of(struct nx_slot_text_cache *cache, const uint8_t *word)
{
	const char *name = nx_opcode_name(nx_word_opcode(word));
	char label[16];

	return name ? nx_slice_text(name)
		    : keep(cache, nx_opcode_label(nx_word_opcode(word), label));
}

static struct nx_slice operands_of(struct nx_slot_text_cache *cache, uint32_t graph,
				   const uint8_t *word)
{
	struct nx_instruction_context context = {cache->profile->capture.arch,
						 cache->profile->program.semaphore_names[graph]};
	char text[NX_INSTRUCTION_TEXT_MAX];
	bool is_known;

	nx_instruction_text(word, &context, text, sizeof(text), &is_known);
	return keep(cache, text);
}

const uint8_t *nx_slot_compiler_word(const struct nx_profile *profile,
				     const struct nx_instruction *row)
{
	const struct nx_binary_graph *graph = profile->program.binary_graphs[row->graph];
	uint32_t slot = nx_profile_slot(profile, row)->compiler_slot;

	if (!graph || slot == NX_NONE)
		return NULL;
	return nx_instruction_word(graph->engines[row->engine].code, slot);
}

/* The compiler's slot and the extensions behind it, a line each. */
static struct nx_slice chain_of(struct nx_slot_text_cache *cache, const struct nx_instruction *row,
				const uint8_t *word)
{
	const struct nx_binary_graph *graph = cache->profile->program.binary_graphs[row->graph];
	uint32_t slot = nx_profile_slot(cache->profile, row)->compiler_slot;
	struct nx_instruction_context context = {
		cache->profile->capture.arch, cache->profile->program.semaphore_names[row->graph]};
	const char *chain = NULL;

	for (uint32_t i = 1; i <= MAX_EXTENSIONS; i++) {
		const uint8_t *next =
			nx_instruction_word(graph->engines[row->engine].code, slot + i);
		char text[NX_INSTRUCTION_TEXT_MAX], label[16];
		bool is_known;

		if (!next || next[0] != NX_OP_PSEUDO_EXTENSION)
			break;
		if (!chain) {
			nx_instruction_text(word, &context, text, sizeof(text), &is_known);
			chain = nx_arena_printf(&cache->arena, "%s %s",
						nx_opcode_label(nx_word_opcode(word), label), text);
		}
		nx_instruction_text(next, &context, text, sizeof(text), &is_known);
		chain = nx_arena_printf(&cache->arena, "%s\n%s %s", chain,
					nx_opcode_label(next[0], label), text);
	}
	return text_or_null(chain);
}

static void put_compiler(struct nx_slot_text_cache *cache, struct nx_slot_texts *texts,
			 const struct nx_instruction *row)
{
	const uint8_t *word = nx_slot_compiler_word(cache->profile, row);

	if (!word)
		return;
	if (nx_word_opcode(word) != nx_profile_slot(cache->profile, row)->opcode) {
		texts->compiler_opcode = opcode_of(cache, word);
		texts->compiler_operands = operands_of(cache, row->graph, word);
	}
	texts->chain = chain_of(cache, row, word);
}

static void put_word(struct nx_slot_text_cache *cache, struct nx_slot_texts *texts,
		     const struct nx_instruction *row)
{
	const struct nx_profile *p = cache->profile;
	const uint8_t *word = nx_instruction_word(
		p->capture.graphs[row->graph].engines[row->engine].code, row->slot);
	char function[16];

	texts->opcode = opcode_of(cache, word);
	texts->operands = operands_of(cache, row->graph, word);
	if (nx_word_opcode(word) == NX_OP_ACTIVATE)
		texts->activation = keep(
			cache, nx_activation_name(nx_word_of(word)->activate.function, function));
	if (nx_word_opcode(word) == NX_OP_MATMUL)
		texts->flops =
			nx_matmul_flops(word, p->capture.arch, nx_profile_slot(p, row)->elements);
}

/* --- where it came from ---------------------------------------------------- */

static struct nx_slice debug_id(struct nx_slot_text_cache *cache, uint64_t id)
{
	char text[NX_DEBUG_ID_TEXT_MAX];

	return keep(cache, nx_debug_id_text(id, text));
}

static struct nx_slice kernel_place(struct nx_slot_text_cache *cache, const struct nx_bir *bir)
{
	if (!*bir->kernel_file)
		return (struct nx_slice){NULL, 0};
	if (cache->kernel_file != bir->kernel_file || cache->kernel_line != bir->kernel_line) {
		cache->kernel_file = bir->kernel_file;
		cache->kernel_line = bir->kernel_line;
		cache->kernel_place = nx_slice_text(nx_arena_printf(
			&cache->arena, "%s:%u", bir->kernel_file, bir->kernel_line));
	}
	return cache->kernel_place;
}

static struct nx_slice frames_text(struct nx_slot_text_cache *cache, uint32_t frame_id)
{
	const struct nx_binary *binary = &cache->profile->binary;
	char text[MAX_FRAMES * 11 + 3];
	size_t len = 0;

	for (unsigned depth = 0;
	     depth < MAX_FRAMES && frame_id && frame_id <= binary->stack.frame_count; depth++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%c%u", len ? ',' : '[',
					frame_id);
		frame_id = binary->stack.frames[frame_id - 1].parent;
	}
	if (!len)
		return (struct nx_slice){NULL, 0};
	text[len++] = ']';
	return nx_slice_of(nx_arena_copy(&cache->arena, nx_slice_of(text, len)), len);
}

static struct nx_slice frame_ids(struct nx_slot_text_cache *cache, uint32_t frame_id)
{
	if (cache->stack_frame_id != frame_id) {
		cache->stack_frame_id = frame_id;
		cache->stack_frame_ids = frames_text(cache, frame_id);
	}
	return cache->stack_frame_ids;
}

static void put_origin(struct nx_slot_text_cache *cache, struct nx_slot_texts *texts,
		       const struct nx_instruction *row)
{
	const struct nx_profile *p = cache->profile;
	const struct nx_slot *slot = nx_profile_slot(p, row);
	const struct nx_bir *bir;

	texts->bir_id = nx_slice_text("");
	if (slot->bir == NX_NONE)
		return;
	bir = texts->bir = &p->program.binary_graphs[row->graph]->birs[slot->bir];
	texts->bir_id = debug_id(cache, bir->id);
	texts->bir_name = text_or_null(bir->name);
	texts->kernel_place = kernel_place(cache, bir);
	texts->layer = text_or_null(p->program.layers[slot->layer]);
	texts->hlo_attributes = nx_slice_text("[]");
	if (bir->has_penguin)
		texts->penguin_id = debug_id(cache, bir->penguin_id);
	if (bir->origin >= p->binary.origin_count)
		return;
	texts->origin = &p->binary.origins[bir->origin];
	texts->hlo_attributes = nx_slice_text(texts->origin->hlo_attributes);
	texts->stack_frame_ids = frame_ids(cache, texts->origin->stack_frame);
	if (texts->origin->has_hlo)
		texts->hlo_name = text_or_null(texts->origin->hlo_name);
}

const struct nx_slot_texts *nx_slot_texts_make(struct nx_slot_text_cache *cache,
					       const struct nx_instruction *row)
{
	struct nx_slot_texts ***slots = &cache->slots[row->graph][row->engine];
	struct nx_slot_texts *texts = NX_NEW(&cache->arena, struct nx_slot_texts);

	if (!*slots)
		*slots = (struct nx_slot_texts **)nx_arena_zalloc(
			&cache->arena,
			(size_t)cache->profile->capture.graphs[row->graph]
					.engines[row->engine]
					.slot_count +
				1,
			sizeof(**slots));
	put_word(cache, texts, row);
	put_compiler(cache, texts, row);
	put_origin(cache, texts, row);
	(*slots)[row->slot] = texts;
	return texts;
}
