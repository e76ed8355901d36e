/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_ranks: how a device takes part in collectives.
 *
 * When an engine triggers a collective, the device calls `run`, which moves the data
 * and returns when this rank is done. If it fails, the device's run ends.
 */
#ifndef NX_RUNTIME_DEVICE_RANKS_H
#define NX_RUNTIME_DEVICE_RANKS_H

#include "format/collective.h"
#include "runtime/device/device_program.h"

/* Times from the start of the execution; the device itself does not know them. */
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
	struct nx_device_moment when;
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
