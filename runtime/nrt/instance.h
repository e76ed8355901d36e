/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instance: what this process believes it runs on.
 *
 * The instance is a trn2.3xlarge: one device, 8 physical cores, 4 HBMs.
 * NEURON_RT_VIRTUAL_CORE_SIZE (or NEURON_LOGICAL_NC_CONFIG) makes 1 or 2 of them
 * a logical core, NEURON_RT_VISIBLE_CORES ("0-3") or NEURON_RT_NUM_CORES says
 * which this process uses. The instance id is NEURON_INSTANCE_ID, else what the
 * firmware knows, else made from the machine's id; the network is never asked.
 */
#ifndef NX_RUNTIME_NRT_INSTANCE_H
#define NX_RUNTIME_NRT_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#define NX_INSTANCE_HBMS 4
#define NX_INSTANCE_HBM_BYTES (UINT64_C(24) << 30)
#define NX_INSTANCE_ARCH 2 /* V3, as files number it */
#define NX_INSTANCE_TYPE "trn2.3xlarge"

struct nx_instance {
	uint32_t core_size;	/* physical cores of a logical one */
	uint32_t total_count;	/* logical cores of the instance */
	uint32_t visible_count; /* of this process; they count from 0 */
	uint32_t first_visible; /* number on the instance of the first */
	char instance_id[64];
	char hostname[64];
};

/* Reads the environment; wrong values are logged and replaced by the default. */
void nx_instance_read(struct nx_instance *instance);

/* Of a logical core of the process. */
uint32_t nx_instance_physical_core(const struct nx_instance *instance, uint32_t core);
uint32_t nx_instance_hbm(const struct nx_instance *instance, uint32_t core);
uint64_t nx_instance_memory_bytes(const struct nx_instance *instance);
/* Where a byte of an HBM lies for the device. */
uint64_t nx_instance_address(uint32_t hbm_idx, uint64_t offset);

#endif
