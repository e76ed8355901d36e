/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_program: a loaded program as an NTFF describes it, graph by graph.
 *
 * Code images with the patches that lead back to the compiler's streams, DMA
 * queues with the packets of each block on each ring, and where device memory
 * went. Everything lands in the arena or borrows from the program.
 */
#ifndef NX_RUNTIME_NRT_NTFF_PROGRAM_H
#define NX_RUNTIME_NRT_NTFF_PROGRAM_H

#include "format/ntff.h"
#include "runtime/timing/loaded_code.h"

/* Inline before version 6; from then on images lie at offset, which moves behind them. */
void nx_ntff_program_fill_code(const struct nx_loaded_core *core, uint8_t version, uint64_t *offset,
			       struct nx_arena *arena, struct nx_ntff_graph *graph);
/* The images, in the order in which they were given offsets. */
void nx_ntff_program_append_code(const struct nx_loaded_core *core, struct nx_bytes *out);

/* first_core is the device's core that runs the program's first. */
void nx_ntff_program_fill_queues(const struct nx_loaded_core *core, uint32_t first_core,
				 struct nx_arena *arena, struct nx_ntff_graph *graph);
void nx_ntff_program_fill_memory(const struct nx_loaded_code *code, size_t core,
				 struct nx_arena *arena, struct nx_ntff_graph *graph);

#endif
