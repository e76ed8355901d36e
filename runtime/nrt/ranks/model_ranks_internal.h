/* SPDX-License-Identifier: Apache-2.0 */
/* model_ranks_internal: what a rank keeps, for those who carry it out and who write it down. */
#ifndef NX_RUNTIME_NRT_RANKS_MODEL_RANKS_INTERNAL_H
#define NX_RUNTIME_NRT_RANKS_MODEL_RANKS_INTERNAL_H

#include "runtime/device/device_ranks.h"
#include "runtime/nrt/ranks/model_ranks.h"
#include "runtime/nrt/ranks/rank_collective.h"

struct nx_model_group { /* a group of the program, or of all ranks */
	uint32_t id;
	struct nx_rank_group group;
	uint32_t node_count; /* machines they are on */
};

struct nx_model_collective { /* a word of the program */
	uint32_t core, engine, pc;
	struct nx_rank_collective call;
	uint32_t group; /* in groups */
	uint32_t group_id;
	uint64_t cost_ps;
};

struct nx_model_ranks {
	struct nx_device_ranks door;
	struct nx_rank_world *world; /* NULL: no rank needs another */
	struct nx_rank_group all;
	struct nx_collective_place place;
	uint32_t core, rank;
	uint64_t key;
	bool is_broken; /* messages of a failed execution may still lie about */
	struct nx_arena arena;
	NX_VEC(struct nx_model_group) groups;
	NX_VEC(struct nx_model_collective) ops;
	/* Of this execution, from its start: */
	uint64_t now_ps;  /* where nobody has simulated it, */
	uint64_t late_ps; /* where somebody has: others came so much later than this rank */
	NX_VEC(struct nx_port_collective) records;
};

#endif
