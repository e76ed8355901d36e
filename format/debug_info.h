/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_info: the compiler's debug files in a NEFF (`*.dbg`), one message per file. They lead from
 * an instruction slot to its names and source lines (docs/formats/neff.md).
 */
#ifndef NX_FORMAT_DEBUG_INFO_H
#define NX_FORMAT_DEBUG_INFO_H

#include "format/wire.h"

enum nx_instruction_type {
	NX_INSTRUCTION_UNKNOWN,
	NX_INSTRUCTION_REGULAR,
	NX_INSTRUCTION_SPILL,
	NX_INSTRUCTION_TRANSPOSE,
};

enum nx_edge_type {
	NX_EDGE_INVALID,
	NX_EDGE_ORDERED,
	NX_EDGE_ANTI_DEPENDENCE,
	NX_EDGE_OUTPUT_DEPENDENCE,
	NX_EDGE_FLOW_DEPENDENCE,
};

#define NX_MESSAGE NX_WIRE_STRUCT
#define NX_MEMBER NX_WIRE_MEMBER
#define NX_MESSAGE_END NX_WIRE_STRUCT_END
#include "format/debug_info.def"

#endif
