/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective: kinds and algorithms of operations over ranks, and our records of them.
 *
 * Kinds are the codes of PSEUDO_TRIGGER_COLLECTIVE (docs/formats/isa.md); those from 64 on are
 * ours. Algorithms are numbered as in AWS's runtime. The records of collective firmware are not
 * published; those below are our own, and our runtime writes them to `cc_op_trace` of an NTFF
 * (docs/formats/ntff.md).
 */
#ifndef NX_FORMAT_COLLECTIVE_H
#define NX_FORMAT_COLLECTIVE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

enum nx_collective_kind {
	NX_COLLECTIVE_ALL_REDUCE = 1,
	NX_COLLECTIVE_REDUCE_SCATTER = 2,
	NX_COLLECTIVE_ALL_GATHER = 3,
	NX_COLLECTIVE_ALL_TO_ALL = 4,
	NX_COLLECTIVE_PERMUTE = 5,
	NX_COLLECTIVE_ALL_TO_ALL_V = 9,
	NX_COLLECTIVE_ALL_GATHER_V = 64,
	NX_COLLECTIVE_SEND_RECV = 65,
	NX_COLLECTIVE_BROADCAST = 66,
};

enum nx_collective_algorithm {
	NX_ALGORITHM_RING = 0,
	NX_ALGORITHM_MESH = 2,
	NX_ALGORITHM_KANGARING = 3,
	NX_ALGORITHM_RDH = 5,
	NX_ALGORITHM_RDH_NODES = 7, /* between machines */
};

/* "AllReduce"; NULL for codes without a known meaning. */
const char *nx_collective_kind_name(int64_t kind);
/* "ring"; NULL as above. */
const char *nx_collective_algorithm_name(int64_t algorithm);

/* Between pairs of ranks; replica groups do not apply. */
bool nx_collective_is_pairwise(int64_t kind);

/* Elements that a rank receives if each contributes element_count; 0 if that is impossible. */
uint64_t nx_collective_output_count(int64_t kind, uint64_t element_count, uint64_t rank_count);
/* The share of the bytes that crosses links, such as 2(n-1)/n for an all-reduce. */
double nx_collective_bus_factor(int64_t kind, uint64_t rank_count);

/* --- the word ------------------------------------------------------------------------ */

struct nx_collective_word {
	uint8_t kind;
	uint8_t op; /* an ALU operation: 4 add, 6 multiply, 8 max, 9 min */
	uint8_t dtype;
	uint8_t root;	   /* of a broadcast, in its group; ours */
	uint16_t group;	   /* in replica_groups or src_target_pairs of def.json */
	uint16_t counts;   /* in cc_counts of def.json, of the v-operations; ours */
	uint32_t input_id; /* variables */
	uint32_t output_id;
	uint64_t element_count;
};

void nx_collective_word_get(const uint8_t *slot, struct nx_collective_word *out);

/* --- records --------------------------------------------------------------------------- */

struct nx_collective_record {
	uint32_t op_idx; /* in cc_ops */
	uint32_t engine; /* that triggered it */
	uint64_t trigger_ps, start_ps, end_ps;
};

struct nx_collective_ranks { /* the participants */
	uint32_t id;	     /* comm_id of cc_ops */
	const uint32_t *ranks;
	uint32_t count;
};

struct nx_collective_trace {
	struct nx_collective_ranks *groups;
	size_t group_count;
	struct nx_collective_record *records;
	size_t record_count;
};

void nx_collective_trace_put(const struct nx_collective_trace *trace, struct nx_bytes *out);
/* False, and an empty trace, if the bytes are not ours or are cut. */
bool nx_collective_trace_get(struct nx_slice bytes, struct nx_arena *arena,
			     struct nx_collective_trace *out);

#endif
