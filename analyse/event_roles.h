/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_roles: the meaning of runtime events for the derived tables of a system profile: executions
 * that form a flow, changes of device memory, copies between host and device, and clock
 * synchronisation. The name of an event decides its role.
 */
#ifndef NX_ANALYSE_EVENT_ROLES_H
#define NX_ANALYSE_EVENT_ROLES_H

#include "analyse/rank_hang.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/event_shapes.h"
#include "model/system.h"

enum nx_event_role {
	NX_ROLE_NONE,
	NX_ROLE_EXECUTION, /* has an exec_id: belongs to a flow */
	NX_ROLE_SYNC,	   /* the same, with the time on both clocks */
	NX_ROLE_ALLOCATE,
	NX_ROLE_RELEASE,
	NX_ROLE_TO_DEVICE,
	NX_ROLE_TO_HOST,
	NX_ROLE_BARRIER, /* ranks wait for each other */
	NX_ROLE_PEER,	 /* one rank waits for another */
};

/* One of enum nx_event_role; look it up once per name. */
uint8_t nx_event_role_of(const char *event_name);

/* Where each shape of events has the attributes that matter here. A zeroed struct is valid. */
#define NX_ROLE_KEYS 16
struct nx_role_places {
	struct {
		bool is_known;
		uint8_t of[NX_ROLE_KEYS];
	} shapes[NX_MAX_SHAPES];
};

/* The flow of an execution, 0 if the event has none; *model_id stays if it names no model. */
uint64_t nx_execution_flow(struct nx_role_places *places, const struct nx_system_event *event,
			   const struct nx_read_attributes *read, uint64_t *model_id);

/* A barrier of a rank, for analyse/rank_hang.h; false if the event does not name its rank. */
bool nx_barrier_of(struct nx_role_places *places, const struct nx_system_event *event,
		   const struct nx_read_attributes *read, struct nx_rank_barrier *barrier);
/* The other rank; false if the event does not name it. */
bool nx_peer_of(struct nx_role_places *places, const struct nx_read_attributes *read,
		uint64_t *rank);

/* What to add to the clock of the device to get that of the host; false if not known. */
bool nx_sync_offset(struct nx_role_places *places, const struct nx_read_attributes *read,
		    int64_t *offset_ns);

struct nx_hbm_change {
	uint64_t size_bytes;
	bool is_release;
	uint64_t total_bytes, category_total_bytes; /* as reported, after the change */
	unsigned core_count; /* physical cores of the logical one; 0 = not known */
};

struct nx_memory_change { /* of device memory, at the end of the event that reports it */
	uint64_t time_ns;
	struct nx_hbm_change change;
	struct nx_hbm_sample row; /* its category and sums are left to the caller */
};

/* False for host memory, which is not part of the cores' totals. category borrows from read. */
bool nx_memory_change_of(struct nx_role_places *places, const struct nx_system_event *event,
			 const struct nx_read_attributes *read, bool is_release,
			 struct nx_memory_change *change, struct nx_slice *category);

/*
 * An allocation reports the running total of its physical core, but not which core of the logical
 * one it was. Each total continues one of the totals seen before (it differs by exactly the bytes
 * allocated or freed), so the totals form chains, one per physical core, and the memory in use is
 * their sum. The same holds per category. There are no more chains than cores: a total that
 * continues none, because changes before it were lost, replaces the nearest.
 */
struct nx_hbm_chains {
	struct nx_hbm_totals NX_VEC_BODY(uint64_t) totals;
};

struct nx_hbm_analysis {
	struct nx_map index; /* process, core, category -> chains */
	struct nx_hbm_chain_list NX_VEC_BODY(struct nx_hbm_chains) chains;
};

/* Feed changes in order of time. row has process, nc_idx and category set; fills its two sums. */
void nx_hbm_add(struct nx_hbm_analysis *a, const struct nx_hbm_change *change,
		struct nx_hbm_sample *row);
void nx_hbm_release(struct nx_hbm_analysis *a);

/*
 * The contents of each device memory over time, by purpose.
 *
 * A sample states what a logical core has allocated, in total and for one purpose. The difference
 * to its previous sample is the change of the memory that the sample names; several cores and
 * processes may share that memory. What was allocated before the trace began is in the total from
 * the first sample on, but its purpose shows only with the next change of that kind.
 *
 * Feed samples of all processes in order of time.
 */
#define NX_HBM_PURPOSES 32 /* as many as a caller may distinguish */

struct nx_hbm_place {
	uint64_t total_bytes;
	uint64_t bytes[NX_HBM_PURPOSES];
};

struct nx_hbm_places {
	struct nx_map index; /* instance, device, memory -> place */
	struct nx_hbm_place_list NX_VEC_BODY(struct nx_hbm_place) places;
	struct nx_map taken; /* process, core, category or all -> bytes in the sample before */
};

/* The place after the change, borrowed until the next call. instance is any number that processes
 * of one instance share; purpose is the caller's number for the category, below NX_HBM_PURPOSES. */
const struct nx_hbm_place *nx_hbm_places_add(struct nx_hbm_places *p, uint32_t instance,
					     const struct nx_hbm_sample *sample, unsigned purpose);
void nx_hbm_places_release(struct nx_hbm_places *p);

#endif
