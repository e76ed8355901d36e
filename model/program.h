/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program: the static side of every instruction that a capture may execute: one struct nx_slot per
 * 64-byte word of every engine image, joined with what the NEFF knows of it.
 */
#ifndef NX_MODEL_PROGRAM_H
#define NX_MODEL_PROGRAM_H

#include "model/binary.h"
#include "model/capture.h"

enum nx_slot_flags {
	NX_SLOT_WAITS_ONLY = 1 << 0, /* EVENT_SEMAPHORE: not work, left out of activity */
	NX_SLOT_MATMUL = 1 << 1,
	NX_SLOT_ACTIVATE = 1 << 2,
	NX_SLOT_DYNAMIC_DMA = 1 << 3, /* DMA_DIRECT2D */
	NX_SLOT_TRIGGER = 1 << 4,     /* rings a static queue */
	NX_SLOT_HAS_ELEMENTS = 1 << 5,
	NX_SLOT_SBUF_READ = 1 << 6, /* the byte count below exists */
	NX_SLOT_SBUF_WRITE = 1 << 7,
	NX_SLOT_PSUM_READ = 1 << 8,
	NX_SLOT_PSUM_WRITE = 1 << 9,
	NX_SLOT_HBM_READ = 1 << 10,
	NX_SLOT_HBM_WRITE = 1 << 11,
	NX_SLOT_EVICTION = 1 << 12,	/* reads PSUM, writes SBUF */
	NX_SLOT_TEXT_UNKNOWN = 1 << 13, /* operands shown as raw words */
	NX_SLOT_SPILL_SAVE = 1 << 14,
	NX_SLOT_SPILL_RELOAD = 1 << 15,
	NX_SLOT_WEIGHT_QUEUE = 1 << 16,
	NX_SLOT_INPUT_QUEUE = 1 << 17,
	NX_SLOT_OUTPUT_QUEUE = 1 << 18,
	NX_SLOT_HAS_LAYER = 1 << 19,
	NX_SLOT_LOAD_WEIGHTS = 1 << 20,
	NX_SLOT_SETUP = 1 << 21,	   /* surrounds the work: left out of total_exec_time */
	NX_SLOT_WAITS_SEMAPHORE = 1 << 22, /* before it starts */
};

#define NX_SLOT_STARTS_DMA (NX_SLOT_TRIGGER | NX_SLOT_DYNAMIC_DMA)

struct nx_operand {	  /* on-chip memory an instruction touches, per partition */
	uint32_t address; /* offset in its buffer, partition bits included */
	uint8_t buffer;	  /* enum nx_buffer */
	bool is_write;
	uint8_t element_bytes;
	uint8_t dims;
	uint8_t partition_count; /* from the one in the address on */
	int16_t steps[4];	 /* in elements, fastest first */
	uint16_t counts[4];
};

/* One side of a static DMA as an SBUF operand; false if it does not fit one. */
bool nx_operand_from_dma(struct nx_operand *operand, uint64_t offset, const uint64_t *sizes,
			 const int64_t *steps, size_t dims);

/* What the sequencer of an engine does with a word, which decides what may hold it up. */
enum nx_control {
	NX_CONTROL_NONE, /* queues it: the engine computes */
	NX_CONTROL_OTHER,
	NX_CONTROL_DRAIN,
	NX_CONTROL_SEMAPHORE,
	NX_CONTROL_NOTIFY,
	NX_CONTROL_ORDERING,
	NX_CONTROL_BRANCH,
	NX_CONTROL_WRITE,
	NX_CONTROL_LOAD,
	NX_CONTROL_CLEAR,
	NX_CONTROL_DMA, /* makes descriptors */
	NX_CONTROL_COUNT,
};

enum nx_signal_test {
	NX_TEST_NONE,
	NX_TEST_EQUAL,
	NX_TEST_LESS,
	NX_TEST_AT_MOST,
	NX_TEST_MORE,
	NX_TEST_AT_LEAST,
	NX_TEST_UNKNOWN, /* the value is in a register */
};

enum nx_signal_step {
	NX_STEP_NONE,
	NX_STEP_INCREMENT,
	NX_STEP_DECREMENT,
	NX_STEP_ADD,
	NX_STEP_SUBTRACT,
	NX_STEP_SET,
};

struct nx_signal {    /* a wait for a semaphore, or a change of one */
	uint8_t what; /* enum nx_signal_test or nx_signal_step; 0: there is none */
	uint8_t semaphore;
	uint32_t value;
};

struct nx_slot_signals {
	struct nx_signal before;     /* waited for before it starts */
	struct nx_signal inside;     /* waited for while an EVENT_SEMAPHORE runs */
	struct nx_signal changes[2]; /* made by the header, by the body */
	uint32_t barrier;	     /* id of the meeting of cores that it is part of; NX_NONE */
	int16_t dma_semaphore;	     /* counted by the transfers of a dynamic DMA; -1 */
	int32_t branch_slots;	     /* how far a branch jumps; 0: it is none */
	bool may_ring_core;	     /* writes the one word with which cores wake each other */
};

struct nx_slot {
	uint8_t opcode;
	uint8_t instruction_type; /* enum nx_type */
	uint8_t operand_count;
	uint8_t wait_semaphore; /* of NX_SLOT_WAITS_SEMAPHORE */
	uint32_t flags;		/* enum nx_slot_flags */
	uint32_t signals;	/* into the program's signals; 0 = none */
	uint8_t control;	/* enum nx_control */
	uint32_t compiler_slot; /* NX_NONE */
	uint32_t bir;		/* into the binary graph's birs, NX_NONE */
	uint32_t layer;		/* into the program's layer names; 0 = none */
	uint32_t operand;	/* first of operand_count in the program's operands */
	uint32_t trigger_queue; /* of a trigger or dynamic DMA: into queue_names, NX_NONE */
	uint32_t trigger_block;
	/* of the NEFF's block in its engine, or of a dynamic DMA in dynamic_blocks; NX_NONE
	 * without NEFF */
	uint32_t trigger_block_index;
	uint64_t elements;
	uint64_t adjusted_flop_count; /* of a MATMUL, in bf16 equivalents */
	uint64_t sbuf_read_bytes, sbuf_write_bytes;
	uint64_t psum_read_bytes, psum_write_bytes;
	uint64_t hbm_read_bytes, hbm_write_bytes;
	uint64_t queue_bytes; /* of a trigger: bytes its block moves through its queue */
};

struct nx_program {
	struct nx_slot *slots[NX_MAX_GRAPHS][NX_ENGINE_COUNT];	    /* slot_count of the image */
	const struct nx_binary_graph *binary_graphs[NX_MAX_GRAPHS]; /* same name; NULL */
	const char *const *semaphore_names[NX_MAX_GRAPHS]; /* 256 each; NULL without NEFF */
	struct nx_operand *operands;
	size_t operand_count;
	struct nx_slot_signals *signals; /* signals[0] has none */
	size_t signal_count;
	const char **layers; /* layers[0] = "" */
	size_t layer_count;
	struct nx_dma_block *dynamic_blocks; /* what dynamic DMAs move, as if it were static */
	size_t dynamic_block_count;
	const char **queue_names; /* runtime spelling, of triggered queues */
	size_t queue_name_count;
};

static inline const struct nx_slot_signals *nx_program_signals(const struct nx_program *program,
							       const struct nx_slot *slot)
{
	static const struct nx_slot_signals none = {.barrier = NX_NONE, .dma_semaphore = -1};

	return slot->signals < program->signal_count ? &program->signals[slot->signals] : &none;
}

#endif
