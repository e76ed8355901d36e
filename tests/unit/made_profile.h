/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_profile: a device profile written by hand, for tests of what reads profiles.
 *
 * Two graphs, "sg00" and "sg01", on trn2; every engine has an image of NX_MADE_SLOTS slots, all
 * NOPs, that no NEFF knows. Tests change slots, give rows and transfers, and may add the NEFF in
 * `neff`, whose streams are `compiled`. Two queues: E0-Q1 "qSyncIO0" and E1-Q1 of the same name.
 * A packet belongs to the transfer that transfer_of names by its packet_idx.
 */
#ifndef NX_TESTS_MADE_PROFILE_H
#define NX_TESTS_MADE_PROFILE_H

#include "model/profile.h"

#define NX_MADE_SLOTS 8
#define NX_MADE_SLOT_BYTES 64
#define NX_MADE_PACKETS 16

struct nx_made_profile {
	struct nx_profile p;
	struct nx_graph graphs[2];
	struct nx_queue queues[2];
	uint8_t code[NX_ENGINE_COUNT][NX_MADE_SLOTS * NX_MADE_SLOT_BYTES];
	struct nx_slot slots[2][NX_ENGINE_COUNT][NX_MADE_SLOTS];
	struct nx_binary_graph neff;
	uint8_t compiled[NX_ENGINE_COUNT][NX_MADE_SLOTS * NX_MADE_SLOT_BYTES];
	struct nx_bir birs[NX_MADE_SLOTS];
	const char *layers[2];
	struct nx_bytes rows[NX_TABLE_COUNT];
	uint32_t transfer_of[NX_MADE_PACKETS]; /* NX_NONE */
	enum nx_table failing;		       /* its scan fails; NX_TABLE_COUNT: none */
};

void nx_made_profile_init(struct nx_made_profile *made);
void nx_made_profile_release(struct nx_made_profile *made);

/* Makes graph sg00 one of the NEFF; slot i of every engine is compiler slot i. */
void nx_made_profile_add_neff(struct nx_made_profile *made);
void nx_made_profile_add_row(struct nx_made_profile *made, enum nx_table table, const void *row);
/* An instruction of graph 0; times in ns. */
void nx_made_profile_run(struct nx_made_profile *made, enum nx_engine engine, uint32_t slot,
			 uint64_t start_ns, uint64_t end_ns);

#endif
