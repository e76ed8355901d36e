/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot_texts: what a slot says in words, made once however often it runs.
 *
 * Texts live in the cache's arena until it is released; memory is bounded by the program. A
 * slice without data is null.
 */
#ifndef NX_TABLES_SLOT_TEXTS_H
#define NX_TABLES_SLOT_TEXTS_H

#include "format/instruction.h"
#include "model/profile.h"

struct nx_slot_texts {
	struct nx_slice opcode, operands;
	struct nx_slice activation;
	struct nx_slice compiler_opcode, compiler_operands; /* where the runtime replaced them */
	struct nx_slice chain;				    /* of a slot with extensions */
	struct nx_slice bir_id, bir_name, penguin_id;
	struct nx_slice layer, hlo_name, hlo_attributes;
	struct nx_slice kernel_place; /* "kernel.py:139" */
	struct nx_slice stack_frame_ids;
	const struct nx_bir *bir;	/* NULL: none */
	const struct nx_origin *origin; /* NULL: none */
	struct nx_matmul_flops flops;	/* of a MATMUL */
};

struct nx_slot_text_cache {
	const struct nx_profile *profile;
	struct nx_arena arena;
	struct nx_slot_texts **slots[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	/* the latest of each, which the next slot often shares */
	const char *kernel_file;
	uint32_t kernel_line;
	struct nx_slice kernel_place;
	uint32_t stack_frame_id;
	struct nx_slice stack_frame_ids;
};

void nx_slot_text_cache_init(struct nx_slot_text_cache *cache, const struct nx_profile *profile);
void nx_slot_text_cache_release(struct nx_slot_text_cache *cache);

const struct nx_slot_texts *nx_slot_texts_make(struct nx_slot_text_cache *cache,
					       const struct nx_instruction *row);

static inline const struct nx_slot_texts *nx_slot_texts_of(struct nx_slot_text_cache *cache,
							   const struct nx_instruction *row)
{
	struct nx_slot_texts **slots = cache->slots[row->graph][row->engine];

	return slots && slots[row->slot] ? slots[row->slot] : nx_slot_texts_make(cache, row);
}

/* The compiler's word behind a slot; NULL without a NEFF, and for slots the runtime added. */
const uint8_t *nx_slot_compiler_word(const struct nx_profile *profile,
				     const struct nx_instruction *row);

#endif
