/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timed_neff: a NEFF loaded and simulated, as plain rows.
 *
 * A file of its own because the room that reads captures and the room that
 * times programs each have a struct nx_hardware, and no file can see both.
 */
#ifndef NX_TESTS_TIMED_NEFF_H
#define NX_TESTS_TIMED_NEFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMED_NOT_COMPILED UINT32_MAX

struct timed_word {
	uint64_t start_ps, end_ps;
	uint32_t compiler_pc; /* TIMED_NOT_COMPILED when the runtime added it */
	uint8_t core, engine, opcode;
};

struct timed_ring { /* packets of a core's DMA engine */
	uint64_t packet_count, byte_count;
};

struct timed_neff {
	struct timed_word *words; /* by core, engine, slot */
	size_t word_count;
	struct timed_ring rings[2][16][16]; /* core, engine, queue */
	uint64_t total_ps;
	uint64_t assumed_count;
	double seconds; /* that the simulation took */
};

/*
 * NULL, or the sentence that says what failed; it lives until the next call. has_descriptors: DGE
 * notifications are on.
 */
const char *timed_neff_run(const char *path, uint64_t seed, bool has_descriptors,
			   struct timed_neff *out);
void timed_neff_release(struct timed_neff *t);

#endif
