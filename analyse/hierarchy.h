/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hierarchy: the cost of executions at each level of the compiler: BIR instructions, penguin
 * instructions, HLO operations, framework operations and the modules that contain them.
 *
 * An instruction counts once at each level its debug records reach. Modules come from the names of
 * framework operations, which are paths ("/model/layer1/linear"): every part of a path is a module,
 * the whole is the innermost. Bytes of a DMA count where the instruction that started it ran.
 *
 * Memory is a few hundred bytes per node, and there are no more nodes than debug records times the
 * depth of paths. Intervals go through a spool, so memory does not grow with the trace.
 */
#ifndef NX_ANALYSE_HIERARCHY_H
#define NX_ANALYSE_HIERARCHY_H

#include "analyse/span_union.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/profile.h"
#include "model/sorted_rows.h"

/*
 * Spans of work in order of time. Beyond NX_INTERVALS_MAX the intervals with the shortest pauses
 * between them are joined, so a list costs bounded memory and its sums stay exact.
 */
#define NX_INTERVALS_MAX 4096

struct nx_interval {
	uint64_t start_ps, end_ps;
	uint64_t element_count; /* of MATMULs */
	uint64_t transpose_element_count;
	uint64_t hbm_bytes; /* read and written */
};

struct nx_intervals NX_VEC_BODY(struct nx_interval);

/* A file may state absurd numbers: sums stop at what a column can hold. */
static inline void nx_interval_sum(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum) || *sum > INT64_MAX)
		*sum = INT64_MAX;
}

/* Appends; feed in order of start. May leave up to twice NX_INTERVALS_MAX. */
void nx_intervals_add(struct nx_intervals *list, const struct nx_interval *interval);
/* Joins until there are at most limit (not 0). */
void nx_intervals_reduce(struct nx_intervals *list, size_t limit);

#define NX_MODULE_DEPTH_MAX 64 /* the rest of a deeper path stays in one name */

enum nx_hierarchy_level {
	NX_LEVEL_BIR,
	NX_LEVEL_PENGUIN,
	NX_LEVEL_HLO,
	NX_LEVEL_FRAMEWORK,
	NX_LEVEL_MODULE,
	NX_LEVEL_COUNT,
};

struct nx_engine_costs { /* of framework operations and modules */
	uint64_t instruction_count[NX_ENGINE_COUNT];
	uint64_t channel_count[NX_ENGINE_COUNT];
	struct nx_span_union busy[NX_ENGINE_COUNT]; /* pure waits left out */
};

struct nx_hierarchy_node {
	uint8_t level; /* enum nx_hierarchy_level */
	uint8_t graph; /* of a BIR instruction; others gather all */
	bool has_sbuf_read, has_sbuf_write, has_weights, has_matmul, has_dma;
	uint32_t id;		 /* from one on in its level, in order of start */
	uint32_t module;	 /* of a framework operation, and a module's own; else NX_NONE */
	uint32_t next_operation; /* of a framework operation: node of the next in its module */
	uint32_t above[3];	 /* of a BIR: nodes of its penguin, HLO and framework; NX_NONE */
	uint64_t bir_id, penguin_id, hlo_id, framework_id; /* 0 where it has none */
	struct nx_slice name; /* of a module: its path; empty when not known */
	uint64_t start_ps, end_ps;
	uint64_t element_count, transpose_element_count;
	uint64_t hbm_read_bytes, hbm_write_bytes;
	uint64_t sbuf_read_bytes, sbuf_write_bytes;
	uint64_t weight_bytes;
	struct nx_engine_costs *engines; /* NULL below the framework */
	struct nx_interval open;	 /* still growing */
};

struct nx_module {     /* its place in the tree; indices into modules, NX_NONE */
	uint32_t node; /* into nodes */
	uint32_t parent, next_sibling, first_child, last_child;
	uint32_t first_operation; /* node of a framework operation of that name, NX_NONE */
};

struct nx_hierarchy {
	const struct nx_profile *profile;
	struct nx_arena arena;
	struct nx_hierarchy_nodes NX_VEC_BODY(struct nx_hierarchy_node) nodes;
	struct nx_modules NX_VEC_BODY(struct nx_module) modules;
	uint32_t *bir_nodes[NX_MAX_GRAPHS]; /* by BIR; made when the graph first runs */
	uint32_t model_count;
	struct nx_map (*by_id)[NX_LEVEL_COUNT]; /* of each model: their ids may be the same */
	struct nx_text_map module_of_path;
	uint32_t counts[NX_LEVEL_COUNT];
	struct nx_sorted_rows intervals;
};

/* intervals has at most NX_INTERVALS_MAX entries without overlaps, valid during the call. */
typedef void (*nx_hierarchy_fn)(void *context, const struct nx_hierarchy_node *node,
				const struct nx_intervals *intervals);

void nx_hierarchy_init(struct nx_hierarchy *h, const struct nx_profile *profile);
void nx_hierarchy_release(struct nx_hierarchy *h);
/* Feed every executed instruction in order of start. */
void nx_hierarchy_add(struct nx_hierarchy *h, const struct nx_instruction *row);
/* Hands out every node that ran, level by level, in order of start. */
NX_MUST_CHECK enum nx_status nx_hierarchy_finish(struct nx_hierarchy *h, nx_hierarchy_fn fn,
						 void *context, struct nx_error *err);

/* Appends the ids of the framework operations in a module and in those below it, ascending. */
struct nx_ids NX_VEC_BODY(uint32_t);
void nx_hierarchy_operations(const struct nx_hierarchy *h, uint32_t module, struct nx_ids *ids);

#endif
