/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_neff: what the writers of the members of a synthetic NEFF share. */
#ifndef NX_TESTS_SYNTHETIC_NEFF_H
#define NX_TESTS_SYNTHETIC_NEFF_H

#include "base/json_writer.h"
#include "format/neff.h"
#include "tests/data/synthetic_inside.h"

struct nx_synthetic_members {
	struct nx_arena arena;
	NX_VEC(struct nx_neff_member) items;
};

/* Copies name and bytes, and empties the buffer. */
void nx_synthetic_add_member(struct nx_synthetic_members *m, const char *name,
			     struct nx_bytes *bytes);
/* "sg00/" + stem + suffix */
const char *nx_synthetic_path(struct nx_synthetic_members *m, unsigned graph, const char *stem,
			      const char *suffix);
/* The stream of an engine and the table of its static DMA blocks. */
void nx_synthetic_add_stream(struct nx_synthetic_members *m,
			     const struct nx_synthetic_machine *machine, unsigned graph,
			     unsigned engine);

static inline uint64_t nx_synthetic_block_bytes(const struct nx_synthetic_machine *machine,
						const struct nx_synthetic_block *block)
{
	return (uint64_t)machine->options.dma_engine_count * block->packet_count *
	       NX_SYNTHETIC_PACKET_BYTES;
}

#endif
