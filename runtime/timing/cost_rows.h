/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost_rows: the tables behind nx_hardware_cost and nx_hardware_packet_ps.
 *
 * The first row that matches counts, so special rows come first; the last rows match
 * everything.
 */
#ifndef NX_RUNTIME_COST_ROWS_H
#define NX_RUNTIME_COST_ROWS_H

#include "runtime/timing/hardware_table.h"

/* Nanoseconds, as sources have them, in the picoseconds of the tables. */
#define NX_NS(ns) ((int32_t)((ns)*1000.0 + ((ns) < 0 ? -0.5 : 0.5)))

#define NX_ON_V2 1u /* trn1, inf2 */
#define NX_ON_V3 2u /* trn2, and trn3 for lack of data */
#define NX_ON_ANY (NX_ON_V2 | NX_ON_V3)

/* Properties of operands that change an instruction's time. */
enum nx_cost_trait {
	NX_FROM_PSUM = 1u << 0, /* a source is in PSUM */
	NX_TO_PSUM = 1u << 1,
	NX_FROM_STRIDED = 1u << 2, /* neighbours in a source are more than 16 bytes apart */
	NX_TO_STRIDED = 1u << 3,
	NX_FROM_WIDE = 1u << 4, /* elements of a source have 4 bytes or more */
	NX_TO_WIDE = 1u << 5,
	NX_POINTER = 1u << 6,	  /* a scalar, scale or bias comes from memory */
	NX_ACCUMULATE = 1u << 7,  /* ACTIVATE: also sums up */
	NX_ALL_BF16 = 1u << 8,	  /* every operand */
	NX_FROM_MIXED = 1u << 9,  /* one source in PSUM and one in SBUF */
	NX_TRANSPOSE = 1u << 10,  /* the array passes values through */
	NX_WHOLE_FP32 = 1u << 11, /* MATMUL of fp32 with both halves of what moves */
	NX_FROM_SBUF = 1u << 12,  /* registers are loaded from there, not from HBM */
	NX_REGISTERS = 1u << 13,  /* more than one of them */
};

/* latency = base + (elements - free_elements) * cycles, occupancy = latency - overlap. */
struct nx_compute_row {
	uint8_t opcode;	 /* 0: any */
	uint8_t engines; /* a bit per enum nx_engine */
	uint8_t generations;
	uint16_t has, lacks; /* enum nx_cost_trait */
	int32_t base_ps;
	double cycles; /* of the engine, per element and partition */
	uint32_t free_elements;
	int32_t overlap_ps;
	int32_t least_ps; /* of the occupancy */
	struct nx_source source;
};
extern const struct nx_compute_row nx_compute_rows[];
extern const size_t nx_compute_row_count;

/* cycles of the array per column; ps_per_column instead where memory is the limit. */
struct nx_array_row {
	uint8_t opcode;
	uint8_t generations;
	uint16_t has, lacks;
	double cycles;
	int32_t column_ps;
	struct nx_source source;
};
extern const struct nx_array_row nx_array_rows[];
extern const size_t nx_array_row_count;

struct nx_control_row {
	uint8_t opcode; /* 0: any */
	uint8_t generations;
	uint16_t has;
	int32_t latency_ps[NX_ENGINE_COUNT];
	int32_t gap_ps[NX_ENGINE_COUNT];
	uint8_t assumed; /* engines without a capture, a bit each */
	struct nx_source source;
};
extern const struct nx_control_row nx_control_rows[];
extern const size_t nx_control_row_count;

/* A packet of short runs takes at least elements * (base + run / rate). */
struct nx_element_row {
	bool is_from_hbm, is_to_hbm;
	uint32_t least_bytes, most_bytes; /* of a run */
	int32_t base_ps;
	double bytes_per_ns;
	struct nx_source source;
};
extern const struct nx_element_row nx_element_rows[];
extern const size_t nx_element_row_count;

/* Fewer partitions take a little less, of Scalar's and Vector's instructions but ACTIVATE. */
struct nx_lanes_row {
	uint8_t most_lanes;
	int32_t less_ps;
	struct nx_source source;
};
extern const struct nx_lanes_row nx_lanes_rows[];
extern const size_t nx_lanes_row_count;

/* Scalar: from the end of an instruction to the start of one on another route. */
struct nx_refill_row {
	uint32_t refill_ps;
	struct nx_source source;
};
extern const struct nx_refill_row nx_refill_row;

#endif
