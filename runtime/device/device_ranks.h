/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_ranks: the door through which a device takes part in collectives.
 *
 * A device is one rank and knows no other. When an engine triggers a collective
 * the device finds its memory and calls `run`, which moves the data and returns
 * when this rank is done; what it fails with ends the device's run.
 */
#ifndef NX_RUNTIME_DEVICE_RANKS_H
#define NX_RUNTIME_DEVICE_RANKS_H

#include "format/collective.h"
#include "runtime/device/device_program.h"

/* From the start of the execution, as whoever stands between device and ranks has it. */
struct nx_device_moment {
	bool is_known;
	uint64_t trigger_ps, start_ps, end_ps;
};

struct nx_device_collective {
	struct nx_collective_word word;
	struct nx_slice input;
	uint8_t *output;
	size_t output_len;
	/* What def.json lists for the word; empty when it lists nothing. */
	struct nx_rank_lists groups, pairs;
	struct nx_rank_list counts;
	unsigned core, engine;
	uint32_t pc;
	struct nx_device_moment when; /* not known to the device itself */
};

struct nx_device_ranks {
	void *context;
	enum nx_status (*run)(void *context, const struct nx_device_collective *call,
			      struct nx_error *err);
};

/* What the program lists for call->word, borrowed from it. */
void nx_device_collective_set_ranks(struct nx_device_collective *call,
				    const struct nx_core_program *program);

#endif
