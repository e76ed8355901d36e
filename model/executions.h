/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executions: which executed instructions came from which compiled one, so that
 * the compiler's dependency edges can be drawn between things that happened.
 *
 * An instruction's id is its place in the instruction table, counted from one.
 * A compiled instruction that ran at most NX_EXECUTIONS_LISTED times has all
 * its executions listed. One that ran more often is in a loop; listing all
 * would make output quadratic, so only its latest execution before the asking
 * one is named.
 */
#ifndef NX_MODEL_EXECUTIONS_H
#define NX_MODEL_EXECUTIONS_H

#include "base/map.h"
#include "base/vec.h"
#include "model/profile.h"

#define NX_EXECUTIONS_LISTED 16

struct nx_execution_list {
	uint32_t total;	 /* executions of this compiled instruction */
	uint32_t listed; /* ids in the pool */
	uint32_t first;	 /* its place in the pool */
	uint64_t latest; /* id of the latest execution streamed so far; 0 = none yet */
};

struct nx_executions {
	const struct nx_profile *profile;
	struct nx_map index[NX_MAX_GRAPHS]; /* BIR id -> list */
	struct nx_execution_lists NX_VEC_BODY(struct nx_execution_list) lists;
	uint64_t *pool;
	uint64_t shortened_count; /* lists too long to be given whole */
};

NX_MUST_CHECK enum nx_status nx_executions_build(struct nx_executions *x,
						 const struct nx_profile *profile,
						 struct nx_error *err);
void nx_executions_release(struct nx_executions *x);

/* The ids of a predecessor's executions, as seen from a row being streamed. */
size_t nx_executions_of(const struct nx_executions *x, uint32_t graph, uint64_t bir_id,
			const uint64_t **ids);
/* Call after using a row: its own execution becomes the latest of its kind. */
void nx_executions_pass(struct nx_executions *x, const struct nx_instruction *row, uint64_t id);

#endif
