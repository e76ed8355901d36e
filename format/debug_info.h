/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_info: the compiler's debug files inside a NEFF (`*.dbg`), which lead
 * from an instruction slot to the names and source lines it came from.
 * docs/formats/neff.md has the chain. One message per file.
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

struct nx_debug_attribute {
	struct nx_slice key, value;
};

struct nx_debug_record {
	uint64_t id;
	struct nx_slice name;
	NX_WIRE_LIST(uint64_t) parent_ids;
	NX_WIRE_LIST(uint64_t) dataflow_predecessors;
	NX_WIRE_LIST(uint64_t) scheduling_predecessors;
	uint64_t instruction_type; /* enum nx_instruction_type */
	NX_WIRE_LIST(struct nx_debug_attribute) attributes;
	uint64_t stack_frame_id;		 /* one-based, 0 = none */
	NX_WIRE_LIST(uint64_t) dataflow_types;	 /* enum nx_edge_type, parallel */
	NX_WIRE_LIST(uint64_t) scheduling_types; /* enum nx_edge_type, parallel, may be absent */
};

struct nx_debug_location {
	uint64_t file_name_id, function_name_id, line; /* ids one-based */
};

struct nx_debug_frame {
	uint64_t location_id, parent_frame_id; /* one-based, 0 = none */
};

struct nx_debug_stack_index {
	NX_WIRE_LIST(struct nx_slice) file_names;
	NX_WIRE_LIST(struct nx_slice) function_names;
	NX_WIRE_LIST(struct nx_debug_location) locations;
	NX_WIRE_LIST(struct nx_debug_frame) frames;
};

struct nx_debug_info {
	struct nx_slice description;
	struct nx_slice parent_file_name;
	NX_WIRE_LIST(struct nx_debug_record) records;
	uint64_t engine_type; /* 1 PE, 2 Activation, 3 Pool, 4 DMA, 5 DVE, 6 SP */
	NX_WIRE_LIST(struct nx_slice) kernel_file_names;
	struct nx_debug_stack_index stack_index;
	bool has_stack_index;
	NX_WIRE_LIST(struct nx_slice) kernel_function_names;
};

extern const struct nx_wire_message nx_debug_info_message;

#endif
