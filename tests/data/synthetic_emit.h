/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_emit: appends operations to a synthetic program and keeps track of who waits for whom.
 */
#ifndef NX_TESTS_SYNTHETIC_EMIT_H
#define NX_TESTS_SYNTHETIC_EMIT_H

#include "tests/data/synthetic_inside.h"

#define NX_SYNTHETIC_PSUM_BANKS 8

/* Something finished that others can wait for. */
struct nx_mark {
	uint8_t semaphore; /* 0: nothing to wait for */
	uint32_t value;
	uint32_t bir;
	uint8_t engine;
};

struct nx_compiler {
	const struct nx_synthetic_options *options;
	struct nx_synthetic_program *out;
	unsigned graph;
	bool is_throttled;
	uint32_t penguin;
	uint32_t semaphores[NX_SEMAPHORE_COUNT]; /* values when all so far has finished */
	uint32_t block_counts[NX_SYNTHETIC_QUEUE_COUNT];
	uint32_t tile;
	struct nx_mark bank_free[NX_SYNTHETIC_PSUM_BANKS];
	struct nx_mark input;	/* what the next part reads */
	struct nx_mark weights; /* prefetched for the next projection */
	struct nx_mark spilled;
	struct nx_mark last_matmul;
};

struct nx_needs { /* up to two things to wait for: data, then a place to put the result */
	struct nx_mark data, place;
};

void nx_emit_layer(struct nx_compiler *c, const char *name, const char *hlo);
/* One statement of the kernel: backend instructions made from it share it. */
void nx_emit_statement(struct nx_compiler *c, const char *name);

struct nx_synthetic_op *nx_emit_raw(struct nx_compiler *c, enum nx_engine engine,
				    const uint8_t *word, uint32_t duration_ps, uint32_t bir);
/* The operation, preceded by a wait of its own when it needs two things. */
struct nx_synthetic_op *nx_emit(struct nx_compiler *c, enum nx_engine engine, const uint8_t *word,
				uint32_t duration_ps, unsigned type, struct nx_needs needs);
/* Makes an operation count its engine's semaphore up when it ends. */
struct nx_mark nx_emit_signal(struct nx_compiler *c, struct nx_synthetic_op *op);

/* Starts a static block of its own. */
struct nx_mark nx_emit_static_dma(struct nx_compiler *c, enum nx_synthetic_queue queue,
				  enum nx_engine engine, uint32_t packet_count,
				  const char *variable, struct nx_needs needs);
struct nx_mark nx_emit_dynamic_dma(struct nx_compiler *c, enum nx_synthetic_queue queue,
				   uint32_t packet_count, uint32_t from, uint32_t to,
				   struct nx_mark data);

#endif
