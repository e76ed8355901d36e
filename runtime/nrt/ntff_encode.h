/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_encode: a model and its executions as the bytes of an NTFF.
 *
 * Files have version 6, or version 5 for programs of NeuronCore v2, as real
 * captures do. The same program gives the same bytes: times come from the
 * simulated device, and only captures of a whole session name process and machine.
 */
#ifndef NX_RUNTIME_NRT_NTFF_ENCODE_H
#define NX_RUNTIME_NRT_NTFF_ENCODE_H

#include "format/ntff.h"
#include "runtime/nrt/loaded_model.h"

struct nx_ntff_recording { /* borrows everything */
	const struct nx_model *model;
	const struct nx_port_run *run;	    /* if not NULL, its rings are encoded */
	const struct nx_notified *notified; /* else these; NULL: no rings */
	const struct nx_ntff_execution *executions;
	size_t execution_count;
	uint64_t duration_ps; /* of the latest execution */
	bool has_process;     /* name the process and the machine */
};

/* Replaces the contents of out. If memory runs out, it logs that, empties out, returns false. */
bool nx_ntff_encode(const struct nx_ntff_recording *recording, struct nx_bytes *out);

/* --- one graph of a loaded program; results borrow from it or live in the arena --- */

/*
 * Code images and the patches that lead back to the compiler's streams. Before version 6
 * images are inline; from then on they are placed at *offset, which moves past them.
 */
void nx_ntff_fill_code(const struct nx_loaded_core *core, uint8_t version, uint64_t *offset,
		       struct nx_arena *arena, struct nx_ntff_graph *graph);
/* Appends the images in the order in which they got their offsets. */
void nx_ntff_append_code(const struct nx_loaded_core *core, struct nx_bytes *out);
/* DMA queues with the packets of each block per ring; first_core: where the program starts. */
void nx_ntff_fill_queues(const struct nx_loaded_core *core, uint32_t first_core,
			 struct nx_arena *arena, struct nx_ntff_graph *graph);
/* How device memory is used. Tensors are shared by the cores and counted on the first. */
void nx_ntff_fill_memory(const struct nx_loaded_code *code, size_t core, struct nx_arena *arena,
			 struct nx_ntff_graph *graph);

#endif
