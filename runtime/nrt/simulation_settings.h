/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation_settings: what the software device is to do, from the environment.
 *
 *	NEURON_SIM		numeric, timing or both (the default)
 *	NEURON_SIM_SEED		a number: times are drawn with it; 0, the default: none are
 *	NEURON_SIM_STRICT	1: what has no known meaning or cost is refused
 *	NEURON_SIM_EPOCH_PS	where the cores' clocks begin
 *	NEURON_RT_ENABLE_DGE_NOTIFICATIONS	1: records of generated DMAs
 *	NEURON_RT_PROFILE_BUF_{EVENT,DMA,THROTTLE}_MB	the rings of a core; 0: as they need
 *
 * They are read when a model is loaded, the epoch by nrt_init. A wrong value is
 * told in the log, with the nearest right one, and the default is used.
 */
#ifndef NX_RUNTIME_NRT_SIMULATION_SETTINGS_H
#define NX_RUNTIME_NRT_SIMULATION_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct nx_simulation_settings {
	bool has_numbers, has_times; /* one of them at least */
	bool is_strict;
	bool has_descriptors;
	uint64_t seed;
	uint64_t event_ring_bytes, dma_ring_bytes, throttle_ring_bytes;
};

void nx_simulation_settings_read(struct nx_simulation_settings *settings);

/*
 * Device time of a core's first execution. It is fixed, an hour after the device was
 * switched on, so that the same program gives the same profile.
 */
uint64_t nx_simulation_epoch_ps(void);

#endif
