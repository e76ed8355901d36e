/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_words: 64-byte instruction words, written field by field. */
#ifndef NX_TESTS_SYNTHETIC_WORDS_H
#define NX_TESTS_SYNTHETIC_WORDS_H

#include "format/instruction.h"

enum nx_word_dtype { NX_WORD_BF16 = 6, NX_WORD_FP32 = 10 };

enum nx_word_alu { NX_ALU_BYPASS = 0, NX_ALU_ADD = 4, NX_ALU_MULTIPLY = 6, NX_ALU_MAX = 8 };

enum nx_word_function { NX_FUNCTION_EXP = 0x07, NX_FUNCTION_COPY = 0x80 };

#define NX_WAIT_AT_LEAST 5
#define NX_UPDATE_INCREMENT 0x13 /* when the instruction completes */

struct nx_place { /* an on-chip operand: elements side by side in each partition */
	uint32_t address;
	enum nx_word_dtype dtype;
	uint16_t count;
};

/* All of them clear the word first. */
void nx_word_plain(uint8_t *word, uint8_t opcode);
void nx_word_load_weights(uint8_t *word, struct nx_place source, bool is_transpose);
void nx_word_matmul(uint8_t *word, struct nx_place source, uint32_t target, uint8_t acc_flags,
		    bool is_transpose);
void nx_word_activate(uint8_t *word, enum nx_word_function function, struct nx_place source,
		      struct nx_place target);
/* COPY, CAST, RECIPROCAL */
void nx_word_copy(uint8_t *word, uint8_t opcode, struct nx_place source, struct nx_place target);
void nx_word_reduce(uint8_t *word, enum nx_word_alu op, struct nx_place source,
		    struct nx_place target);
void nx_word_scalar(uint8_t *word, enum nx_word_alu op, struct nx_place source,
		    struct nx_place target);
void nx_word_pair(uint8_t *word, enum nx_word_alu op, struct nx_place a, struct nx_place b,
		  struct nx_place target);
void nx_word_event_semaphore(uint8_t *word, uint8_t semaphore, uint32_t at_least);
void nx_word_range_clear(uint8_t *word, uint8_t first, uint8_t last);
void nx_word_notify(uint8_t *word, uint16_t hint);
void nx_word_write(uint8_t *word, uint64_t address, uint32_t data);
void nx_word_dma_trigger(uint8_t *word, const char *queue, uint32_t block_id);

/* As compiled: variable 0 is the state buffer. */
struct nx_word_dma {
	uint8_t semaphore;
	uint32_t from_variable, from_offset;
	uint32_t to_variable, to_offset;
	uint16_t element_bytes, element_count;
};
void nx_word_dma(uint8_t *word, const struct nx_word_dma *dma);

void nx_word_set_wait(uint8_t *word, uint8_t semaphore, uint32_t at_least);
void nx_word_set_update(uint8_t *word, uint8_t semaphore);

#endif
