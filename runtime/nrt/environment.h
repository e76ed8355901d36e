/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment: settings that the host process gets from environment variables.
 *
 * An unset or empty variable means the default. A wrong value is logged, with the
 * nearest valid one, and the default is used.
 */
#ifndef NX_RUNTIME_NRT_ENVIRONMENT_H
#define NX_RUNTIME_NRT_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t nx_environment_number(const char *variable, uint64_t least, uint64_t most,
			       uint64_t fallback);
/* 0, false, 1 or true. */
bool nx_environment_switch(const char *variable, bool fallback);
/* The index of the value among the names; 0, the first one, is the default. */
size_t nx_environment_choice(const char *variable, const char *const *names, size_t count);
/* What was probably meant by a text that is not a switch, such as "yes", "on" or "2". */
bool nx_environment_nearest_switch(const char *text);

/*
 * What the software device simulates, read when a model is loaded:
 *
 *	NEURON_SIM		both (the default), numeric or timing
 *	NEURON_SIM_SEED		seed for random times; 0, the default: no randomness
 *	NEURON_SIM_STRICT	1: refuse instructions without a known meaning or cost
 *	NEURON_RT_ENABLE_DGE_NOTIFICATIONS	1: also record generated DMAs
 *	NEURON_RT_PROFILE_BUF_{EVENT,DMA,THROTTLE}_MB	ring sizes per core; 0: as needed
 */
struct nx_simulation_settings {
	bool has_numbers, has_times; /* at least one is set */
	bool is_strict;
	bool has_descriptors;
	uint64_t seed;
	uint64_t event_ring_bytes, dma_ring_bytes, throttle_ring_bytes;
};

void nx_simulation_settings_read(struct nx_simulation_settings *settings);

/*
 * Device time at which a core's first execution starts: NEURON_SIM_EPOCH_PS, or one hour.
 * It is fixed so that the same program gives the same profile. Read by nrt_init.
 */
uint64_t nx_simulation_epoch_ps(void);

#endif
