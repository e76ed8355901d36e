/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_encode: models of a core and their executions as the bytes of an NTFF.
 *
 * Files have version 6, or version 5 for programs of NeuronCore v2, as real
 * captures do. The same program gives the same bytes: times come from the
 * simulated device, and only captures of a whole session name process and machine.
 */
#ifndef NX_RUNTIME_NRT_NTFF_ENCODE_H
#define NX_RUNTIME_NRT_NTFF_ENCODE_H

#include "format/ntff.h"
#include "runtime/nrt/loaded_model.h"

struct nx_ntff_model { /* a node of the file */
	const struct nx_model *model;
	uint64_t duration_ps;		    /* of the latest execution */
	const struct nx_notified *notified; /* before version 6: its rings; NULL: none */
};

struct nx_ntff_recording { /* borrows everything */
	/* At least one, all of one core and one NTFF version, no NEFF twice. */
	const struct nx_ntff_model *models;
	size_t model_count;
	const struct nx_port_run *run;	    /* of the only model; its rings are encoded */
	const struct nx_notified *notified; /* version 6, without run: the rings of all models */
	const struct nx_ntff_execution *executions; /* their uids are those of the models */
	size_t execution_count;
	bool has_process; /* name the process and the machine */
};

/* The id of a model in nodes and executions. */
struct nx_slice nx_ntff_model_uid(const struct nx_model *model);
/* Captures of NeuronCore v2 have version 5: no list of executions, and rings for each graph. */
bool nx_ntff_has_timeline(const struct nx_model *model);

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
