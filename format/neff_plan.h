/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_plan: a compiled model as plain structs, and the NEFF that is written from it.
 *
 * One graph per physical core: variables, DMA queues, and for each engine its instruction slots,
 * their origins and static DMA blocks. The members are those that current compilers write
 * (docs/formats/neff.md). Everything is borrowed.
 */
#ifndef NX_FORMAT_NEFF_PLAN_H
#define NX_FORMAT_NEFF_PLAN_H

#include "base/json_writer.h"
#include "format/neff.h"
#include "machine/hardware.h"

#define NX_PLAN_MAX_DIMS 16
#define NX_PLAN_NO_ORIGIN UINT32_MAX
#define NX_PLAN_STATE_BUFFER "SB" /* variable 0 of every graph */
/* Debug files of an engine, by its stem. */
#define NX_PLAN_ASSEMBLY_DEBUG "debug_info_asm_%s.dbg"
#define NX_PLAN_BACKEND_DEBUG "debug_info_backend_%s.dbg"

/* A variable's number is its place in the graph's list. */
struct nx_plan_variable {
	const char *name;
	const char *type;  /* state-buffer, input, output, file, virtual, remote, dge-table */
	const char *dtype; /* "float32"; NULL when it has no shape */
	uint64_t size_bytes;
	unsigned dims;
	uint64_t shape[NX_PLAN_MAX_DIMS];
	uint64_t scratch_offset; /* virtual */
	const char *file_name;	 /* file: a member beside def.json, */
	struct nx_slice file;	 /* and the .npy that is its content */
	const uint32_t *list;	 /* dge-table: numbers of variables */
	size_t list_count;
};

struct nx_plan_queue {
	const char *name;  /* "qSPIO0" */
	const char *owner; /* "sp" */
	const char *type;  /* in, data, dynamic */
	uint32_t ring_count;
	const uint8_t *semaphores;
	size_t semaphore_count;
	uint64_t scratch_offset, scratch_bytes; /* in the state buffer, for descriptors */
};

/* One side of a transfer; sizes and steps fastest first, the first size in bytes. */
struct nx_plan_side {
	const char *variable;
	const char *dtype;
	uint64_t offset;
	unsigned dims;
	uint64_t sizes[NX_PLAN_MAX_DIMS];
	int64_t steps[NX_PLAN_MAX_DIMS];
};

struct nx_plan_descriptor {
	const char *op;		  /* copy, cast, add; NULL with a transposition */
	const char *transpose_op; /* "WZXY" */
	uint32_t transpose_element_bytes;
	uint32_t tiling_dims;
	const struct nx_plan_side *from; /* several for a sum */
	size_t from_count;
	struct nx_plan_side to;
};

struct nx_plan_block {
	const char *queue;
	const char *comment;
	uint32_t id;
	uint32_t semaphore;
	const struct nx_plan_descriptor *descriptors;
	size_t descriptor_count;
};

struct nx_plan_engine {
	struct nx_slice code;
	const uint32_t *origins; /* per slot, into the plan's; NULL: none has one */
	const struct nx_plan_block *blocks;
	size_t block_count;
};

/* Lists of lists of numbers, as JSON: "[[0,1],[2,3]]". */
struct nx_plan_lists {
	const char *const *items;
	size_t count;
};

struct nx_plan_graph {
	const struct nx_plan_variable *variables;
	size_t variable_count;
	const struct nx_plan_queue *queues;
	size_t queue_count;
	struct nx_plan_engine engines[NX_ENGINE_COUNT];
	const char *const *activation_sets;
	size_t activation_set_count;
	/* For collectives: the groups of ranks of each way to divide them, pairs of source and
	 * target, and (ours) how many elements each rank brings. */
	struct nx_plan_lists replica_groups, source_target_pairs, element_counts;
};

struct nx_plan_origin {
	const char *layer; /* "" unknown, as are those below */
	const char *file;
	uint32_t line;
};

enum nx_plan_debug {
	NX_PLAN_DEBUG_ORIGINS, /* debug files that lead to the origins */
	NX_PLAN_DEBUG_OTHER,   /* the caller adds debug files */
	NX_PLAN_DEBUG_NONE,
};

struct nx_neff_plan {
	const char *name;
	const char *target;	      /* sunda, cayman, mariana */
	const char *compiler_version; /* NULL: ours */
	enum nx_plan_debug debug_info;
	const struct nx_plan_graph *graphs;
	size_t graph_count;
	const struct nx_plan_origin *origins;
	size_t origin_count;
	const struct nx_neff_member *members; /* written as they are, beside the plan's own */
	size_t member_count;
};

void nx_neff_plan_write(const struct nx_neff_plan *plan, struct nx_bytes *out);

/* Members under construction. A zeroed struct is empty. */
struct nx_plan_members {
	struct nx_arena arena;
	NX_VEC(struct nx_neff_member) items;
	struct nx_bytes json; /* of the open member */
	struct nx_json_writer writer;
};

/* The members of a plan, for callers that write the header themselves. */
void nx_plan_add_program(struct nx_plan_members *m, const struct nx_neff_plan *plan);
/* Copies name and bytes, and empties the buffer. */
void nx_plan_add_member(struct nx_plan_members *m, const char *name, struct nx_bytes *bytes);
void nx_plan_members_release(struct nx_plan_members *m);

#endif
