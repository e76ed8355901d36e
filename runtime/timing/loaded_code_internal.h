/* SPDX-License-Identifier: Apache-2.0 */
/* loaded_code_internal: shared by loaded_code.c, loaded_words.c and loaded_packets.c. */
#ifndef NX_RUNTIME_LOADED_CODE_INTERNAL_H
#define NX_RUNTIME_LOADED_CODE_INTERNAL_H

#include "base/vec.h"
#include "runtime/timing/loaded_code.h"

struct nx_slot_list NX_VEC_BODY(struct nx_loaded_slot);

/* --- words the runtime adds (loaded_words.c) ------------------------------------- */

/* Captures of trn1 come from an older runtime than those of inf2 and trn2. */
enum nx_loading_runtime { NX_LOADED_BY_NEWER, NX_LOADED_BY_OLDER };

static inline enum nx_loading_runtime nx_loading_runtime_of(enum nx_device_arch arch)
{
	return arch == NX_DEVICE_TRN1 ? NX_LOADED_BY_OLDER : NX_LOADED_BY_NEWER;
}

void nx_loaded_words_begin(struct nx_slot_list *out, unsigned engine,
			   enum nx_loading_runtime runtime);
/* doorbell_count: static queues of the engine, whose rings the newer runtime puts back. */
void nx_loaded_words_end(struct nx_slot_list *out, unsigned engine, size_t doorbell_count,
			 enum nx_loading_runtime runtime);

void nx_loaded_word_doorbell(union nx_word *word, uint32_t queue_index);
/* Two in one word, as the older runtime writes them. */
void nx_loaded_word_doorbells(union nx_word *word, uint32_t queue_index);
void nx_loaded_word_move(union nx_word *word, uint32_t bound);
/* The compiler's pseudo words as an engine executes them; word holds theirs and is changed. */
void nx_loaded_word_replace_load(union nx_word *word);
void nx_loaded_word_replace_direct2d(union nx_word *word, bool has_bound);
void nx_loaded_word_replace_barrier(union nx_word *word);

/* --- packets of a transfer (loaded_packets.c) ---------------------------------------- */

struct nx_packet_list NX_VEC_BODY(struct nx_loaded_packet);

struct nx_packet_maker {
	struct nx_arena *arena;
	enum nx_device_arch arch;
	uint64_t packets_left; /* that the program may still have */
	struct nx_packet_list list;
};

/* False if the program has too many packets. */
NX_MUST_CHECK bool nx_packet_maker_static(struct nx_packet_maker *maker,
					  const struct nx_core_program *core,
					  const struct nx_neff_block *from,
					  struct nx_loaded_block *out);
/* word: PSEUDO_DMA_DIRECT2D as the compiler wrote it. */
NX_MUST_CHECK bool nx_packet_maker_dynamic(struct nx_packet_maker *maker,
					   const struct nx_core_program *core,
					   enum nx_loaded_queue_kind kind, const uint8_t *word,
					   struct nx_loaded_block *out);
/* Counts the packets of a block that is started; false as above. */
NX_MUST_CHECK bool nx_packet_maker_count(struct nx_packet_maker *maker,
					 const struct nx_loaded_block *block);

#endif
