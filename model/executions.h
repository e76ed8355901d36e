/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executions: which executed instructions came from which compiled one, to draw the compiler's
 * dependency edges between them.
 *
 * An instruction's id is its place in the instruction table, counted from one. A compiled
 * instruction that ran more than NX_EXECUTIONS_LISTED times is in a loop: to avoid quadratic
 * output, only its latest execution before the row at hand is listed.
 */
#ifndef NX_MODEL_EXECUTIONS_H
#define NX_MODEL_EXECUTIONS_H

#include "base/map.h"
#include "base/vec.h"
#include "model/profile.h"

#define NX_EXECUTIONS_LISTED 16

struct nx_execution {
	uint64_t id;
	uint64_t end_ps;
};

struct nx_execution_list {
	uint32_t total;		    /* executions of this compiled instruction */
	uint32_t listed;	    /* ids in the pool */
	uint32_t first;		    /* its place in the pool */
	struct nx_execution latest; /* streamed so far; id 0 = none yet */
};

struct nx_executions {
	const struct nx_profile *profile;
	struct nx_map index[NX_MAX_GRAPHS]; /* BIR id -> list */
	struct nx_execution_lists NX_VEC_BODY(struct nx_execution_list) lists;
	struct nx_execution *pool;
	uint64_t shortened_count; /* lists too long to be given whole */
};

NX_MUST_CHECK enum nx_status nx_executions_build(struct nx_executions *x,
						 const struct nx_profile *profile,
						 struct nx_error *err);
void nx_executions_release(struct nx_executions *x);

/* A predecessor's executions, as seen from a row being streamed. */
size_t nx_executions_of(const struct nx_executions *x, uint32_t graph, uint64_t bir_id,
			const struct nx_execution **list);
/* Call after using a row: its own execution becomes the latest of its kind. */
void nx_executions_pass(struct nx_executions *x, const struct nx_instruction *row, uint64_t id);

/*
 * What a row being streamed depends on, one compiled instruction and kind of dependence at a
 * time, each once:
 *
 *	struct nx_predecessor_walk walk = nx_predecessors_of(&executions, row);
 *
 *	while (nx_predecessor_walk_next(&walk))
 *		use(walk.type, walk.executions, walk.count);
 */
struct nx_predecessor_walk {
	const struct nx_executions *from;
	const struct nx_bir *bir; /* NULL: the row came from no compiled instruction */
	size_t at;
	uint32_t graph;
	unsigned type; /* text in nx_edge_name() */
	const struct nx_execution *executions;
	size_t count; /* never 0 */
};

struct nx_predecessor_walk nx_predecessors_of(const struct nx_executions *x,
					      const struct nx_instruction *row);
bool nx_predecessor_walk_next(struct nx_predecessor_walk *walk);

#endif
