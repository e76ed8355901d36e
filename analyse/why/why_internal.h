/* SPDX-License-Identifier: Apache-2.0 */
/* why_internal: what the steps of the analysis share. */
#ifndef NX_ANALYSE_WHY_INTERNAL_H
#define NX_ANALYSE_WHY_INTERNAL_H

#include "analyse/why/why.h"
#include "base/map.h"

#define NX_WHY_KEYS (NX_MAX_GRAPHS * NX_SEMAPHORE_COUNT)

struct nx_why_edge { /* something that may have released a node */
	int64_t event_ps, ready_ps;
	uint32_t cause; /* node; NX_NONE: not known */
	uint8_t kind;	/* enum nx_release_kind; NONE: there is no edge */
	uint8_t how;
	uint8_t semaphore;
};

struct nx_why_limit { /* the array may use a part of its cycles */
	int64_t start_ps, end_ps;
	uint16_t k, n;
};

/* A value of a semaphore, from a moment on. Producer and how share a word. */
#define NX_WHY_NO_PRODUCER 0x1fffffffu
struct nx_why_moment {
	int64_t time_ps;
	uint32_t value;
	uint32_t producer : 29;
	uint32_t how : 3;
};

struct nx_why_history {	     /* of one semaphore */
	size_t first, count; /* into moments */
	/* counted: values ascend by one from each of the resets, which are into moments */
	bool is_counted;
	size_t first_reset, reset_count;
};

struct nx_why_list NX_VEC_BODY(uint32_t);

struct nx_why {
	const struct nx_profile *profile;
	const struct nx_why_lags *lags;
	struct nx_release_graph graph;
	struct nx_why_counts counts;
	bool keeps_candidates;
	int64_t program_start_ps;
	/* nodes of each engine: in order of start; as the program has them */
	struct nx_why_list engines[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	struct nx_why_limits NX_VEC_BODY(struct nx_why_limit) limits[NX_MAX_GRAPHS];
	/* semaphores */
	NX_VEC(struct nx_why_moment) moments;
	NX_VEC(size_t) resets;
	struct nx_why_history *histories; /* by graph and semaphore */
	struct nx_map first_loads;	  /* block that loads again -> the one that loaded first */
	/* meetings */
	struct nx_map partners;	     /* node -> the last to come, of another core */
	struct nx_map collective_of; /* trigger -> collective */
	struct nx_map least_of;	     /* kind of collective -> the shortest time of one, in ps */
	/* candidates, of node i from first_edge[i] to first_edge[i + 1] */
	NX_VEC(struct nx_why_edge) edges;
	NX_VEC(uint32_t) first_edge; /* by node, when candidates are kept */
	NX_VEC(uint32_t) edge_count;
};

static inline struct nx_release_node *nx_why_node(struct nx_why *why, uint32_t node)
{
	return &why->graph.nodes.items[node];
}

/* For qsort_r over node numbers, with the nodes as context: by start of work, then end. */
int nx_why_compare_work(const void *left, const void *right, void *context);

static inline const struct nx_slot *nx_why_slot(const struct nx_why *why,
						const struct nx_release_node *n)
{
	return &why->profile->program.slots[n->graph][n->engine][n->place];
}

static inline const struct nx_slot_signals *nx_why_signals(const struct nx_why *why,
							   const struct nx_release_node *n)
{
	return nx_program_signals(&why->profile->program, nx_why_slot(why, n));
}

static inline size_t nx_why_key(unsigned graph, unsigned semaphore)
{
	return (size_t)graph * NX_SEMAPHORE_COUNT + semaphore;
}

static inline int64_t nx_why_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t nx_why_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* From the change of its semaphore to the start of a node. */
int64_t nx_why_wake(const struct nx_why *why, const struct nx_release_node *n);

/* The steps, in this order. */
enum nx_status nx_why_add_blocks(struct nx_why *why, struct nx_error *err);
void nx_why_mark_reloads(struct nx_why *why); /* for replays */
void nx_why_add_collectives(struct nx_why *why);
enum nx_status nx_why_build_histories(struct nx_why *why, struct nx_error *err);
void nx_why_release_engines(struct nx_why *why);

/* The candidate that was ready last is the cause; keeps all if asked to. */
void nx_why_bind(struct nx_why *why, uint32_t node, const struct nx_why_edge *edges, size_t count);

/* Whether the value ends the wait. */
bool nx_why_holds(uint8_t test, uint32_t have, uint32_t value);
/* The change after which the wait held until not_after; NULL: none. */
const struct nx_why_moment *nx_why_find_moment(const struct nx_why *why, unsigned graph,
					       const struct nx_signal *wait, int64_t not_after_ps);

/* Equal for collectives of one kind, size and group. */
uint64_t nx_why_collective_key(const struct nx_why *why, const struct nx_release_node *n);

/* A walk that can be interrupted: nx_why_walk in pieces. It is over when time_ps is low_ps. */
struct nx_why_walker {
	const struct nx_release_graph *graph;
	int64_t time_ps, low_ps;
	uint32_t node, hops;
	unsigned still; /* releases at one and the same time */
	bool is_behind;
};

/* Goes on until there are at least so many pieces, or to the end. */
void nx_why_walker_run(struct nx_why_walker *walker, struct nx_why_pieces *out, size_t limit);

/* How much of the time that a node worked is due to a limit on the array. */
int64_t nx_why_throttled(const struct nx_why *why, const struct nx_release_node *n,
			 int64_t length_ps);
/* What a node's own work is: USEFUL, TRANSPOSE, CONTROL or DMA_ISSUE. */
enum nx_cause nx_why_work(const struct nx_release_node *n);

#endif
