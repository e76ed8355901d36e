/* SPDX-License-Identifier: Apache-2.0 */
/* engine: names of what compilers say about instructions; engines are in machine/hardware.h. */
#ifndef NX_MODEL_ENGINE_H
#define NX_MODEL_ENGINE_H

#include "machine/hardware.h"

/* Why the compiler made an instruction, as its debug info says. */
enum nx_type { NX_TYPE_NONE, NX_TYPE_REGULAR, NX_TYPE_SPILL, NX_TYPE_TRANSPOSE };

const char *nx_edge_name(unsigned type);	     /* "FLOW_DEPENDENCE" */
const char *nx_instruction_type_name(unsigned type); /* "TRANSPOSE"; "" for none */

#endif
