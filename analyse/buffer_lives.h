/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer_lives: when each byte of the on-chip memories was live, and who wrote it.
 *
 *	nx_buffer_lives_begin(&lives, profile, &ops, context);
 *	for each instruction in order of start: nx_buffer_lives_add(&lives, row);
 *	nx_buffer_lives_finish(&lives);
 *	nx_buffer_lives_release(&lives);
 *
 * A byte is live from the start of the instruction or static DMA that writes it to the end of the
 * last instruction that reads it before the next write (or of the writer, if none does). If
 * something else writes it while it is live, one life ends and the next begins at that moment; the
 * same owner continues its own life. Bytes are those of one partition: what an operand touches in
 * one, it touches in all. Dynamic DMAs are not known.
 */
#ifndef NX_ANALYSE_BUFFER_LIVES_H
#define NX_ANALYSE_BUFFER_LIVES_H

#include "model/profile.h"

/* Memory is tracked in grains of two bytes, the size of the smallest operand. */
#define NX_GRAIN_BYTES 2

struct nx_life { /* of neighbouring grains that were written and read together */
	uint64_t start_ps, end_ps;
	uint32_t owner;
	uint32_t grain_count;
	uint8_t graph;
	uint8_t buffer; /* enum nx_buffer */
	uint8_t bank;	/* of PSUM; no life crosses one */
};

struct nx_buffer_lives_ops {
	/* who writes; NULL: all bytes have the owner 0 */
	uint32_t (*owner_of_instruction)(void *context, const struct nx_instruction *row);
	uint32_t (*owner_of_transfer)(void *context, const struct nx_transfer *transfer);
	/* for every write operand, even one that changes nothing; may be NULL */
	void (*wrote)(void *context, uint64_t time_ps, uint8_t graph, uint8_t buffer);
	void (*ended)(void *context, const struct nx_life *life);
};

struct nx_grain_life {
	uint64_t start_ps, end_ps;
	uint32_t owner;
};

/*
 * Neighbouring grains mostly share a life, so it is kept once for a run of them: at the run's first
 * grain, which a bit marks. No run crosses a bank.
 */
struct nx_grain_lives {
	struct nx_grain_life *of; /* valid at the first grain of a run */
	uint64_t *is_first;
	uint32_t count;
};

struct nx_buffer_lives {
	const struct nx_profile *profile;
	const struct nx_buffer_lives_ops *ops;
	void *context;
	uint32_t *transfers; /* by start */
	size_t next_transfer;
	struct {
		struct nx_grain_lives buffers[NX_BUFFER_COUNT]; /* made when first touched */
		uint8_t banks_ever;				/* PSUM: a bit for each bank */
	} graphs[NX_MAX_GRAPHS];
	struct nx_life run; /* lives that ended together, collected to become one */
};

void nx_buffer_lives_begin(struct nx_buffer_lives *a, const struct nx_profile *profile,
			   const struct nx_buffer_lives_ops *ops, void *context);
void nx_buffer_lives_add(struct nx_buffer_lives *a, const struct nx_instruction *row);
void nx_buffer_lives_finish(struct nx_buffer_lives *a);
void nx_buffer_lives_release(struct nx_buffer_lives *a);

/* PSUM banks of the graph that were written up to now. */
static inline uint8_t nx_buffer_lives_banks(const struct nx_buffer_lives *lives, uint32_t graph)
{
	return lives->graphs[graph].banks_ever;
}

#endif
