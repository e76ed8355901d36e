/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine: the five engines of a NeuronCore and the names people call them by.
 * Their numbers are in machine/hardware.h, because byte layouts use them too.
 */
#ifndef NX_MODEL_ENGINE_H
#define NX_MODEL_ENGINE_H

#include "machine/hardware.h"

struct nx_engine_names {
	const char *label;    /* "Tensor": rows of a timeline */
	const char *word;     /* "tensor": in field names */
	const char *neff_key; /* "pe": in a NEFF's def.json */
	const char *stem;     /* "PE": file names in a NEFF */
};

extern const struct nx_engine_names nx_engines[NX_ENGINE_COUNT];

/* Why the compiler made an instruction, as its debug info says. */
enum nx_type { NX_TYPE_NONE, NX_TYPE_REGULAR, NX_TYPE_SPILL, NX_TYPE_TRANSPOSE };

const char *nx_edge_name(unsigned type);	     /* "FLOW_DEPENDENCE" */
const char *nx_instruction_type_name(unsigned type); /* "TRANSPOSE"; "" for none */

#endif
