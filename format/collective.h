/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective: operations over ranks as programs and captures number them, and our records of them.
 *
 * Kinds are the codes of PSEUDO_TRIGGER_COLLECTIVE (docs/formats/isa.md); those
 * from 64 on are ours. Algorithms are numbered as AWS's runtime does. How the
 * firmware of collective cores records what it did is not published: the records
 * at the end, which `cc_op_trace` of an NTFF holds when our runtime wrote it, are
 * our own (docs/formats/ntff.md).
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

/* Ranks in pairs, of all there are: no replica group counts. */
bool nx_collective_is_pairwise(int64_t kind);

/* How many elements a rank gets for element_count elements put in; 0 when not possible. */
uint64_t nx_collective_output_count(int64_t kind, uint64_t element_count, uint64_t rank_count);
/* The share of the bytes that crosses links: 2(n-1)/n for an all-reduce. */
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

struct nx_collective_ranks { /* that take part */
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
/* False when the bytes are not ours or are cut; then the trace is empty. */
bool nx_collective_trace_get(struct nx_slice bytes, struct nx_arena *arena,
			     struct nx_collective_trace *out);

#endif
