/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instance: the EC2 instance that this process simulates.
 *
 * NEURON_EXPLORER_INSTANCE is one of the table in instance.c, trn2.3xlarge by default.
 * NEURON_RT_VIRTUAL_CORE_SIZE (or NEURON_LOGICAL_NC_CONFIG) sets the physical cores per
 * logical core; NEURON_RT_VISIBLE_CORES ("0-3") or NEURON_RT_NUM_CORES the logical cores of
 * this process. The instance id is NEURON_INSTANCE_ID, that of the firmware, or derived from
 * the machine id.
 */
#ifndef NX_RUNTIME_NRT_INSTANCE_H
#define NX_RUNTIME_NRT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/device/device.h"

struct nx_instance_kind {
	const char *type; /* "trn2.3xlarge" */
	enum nx_device_arch arch;
	uint8_t family, size; /* of nrt_get_instance_info */
	uint32_t device_count;
	uint32_t device_cores, device_hbms; /* physical, of each device */
	uint32_t core_size; /* physical cores per logical core: default and maximum */
};

#define NX_INSTANCE_CORES_MAX 128

struct nx_instance {
	const struct nx_instance_kind *kind;
	uint32_t core_size;			/* physical cores per logical core */
	uint32_t total_count;			/* logical cores of the instance */
	uint32_t visible_count;			/* logical cores of this process, numbered from 0 */
	uint8_t visible[NX_INSTANCE_CORES_MAX]; /* their numbers on the instance */
	char instance_id[64];
	char hostname[64];
};

/* The smallest of an architecture, or NULL. ANY gives the default. */
const struct nx_instance_kind *nx_instance_kind_of(enum nx_device_arch arch);
/* Whether its devices take programs of that architecture: trn1 and inf2 have the same cores. */
bool nx_instance_runs(const struct nx_instance_kind *kind, enum nx_device_arch arch);

/* Physical cores per logical core, as the environment asks for: 1 to most, most if it does not. */
uint32_t nx_instance_core_size(uint32_t most);
/* Whether the environment asks for a size. */
bool nx_instance_has_core_size(void);

/* Reads the environment; wrong values are logged and replaced by the default. */
void nx_instance_read(struct nx_instance *instance);

/* The number of a logical core of this process on the instance: numbers may have gaps. */
static inline uint32_t nx_instance_worker(const struct nx_instance *instance, uint32_t core)
{
	return core < instance->visible_count ? instance->visible[core] : core;
}

/* The device of a logical core of this process, and its first physical core there. */
uint32_t nx_instance_device(const struct nx_instance *instance, uint32_t core);
uint32_t nx_instance_physical_core(const struct nx_instance *instance, uint32_t core);
uint32_t nx_instance_hbm(const struct nx_instance *instance, uint32_t core);
uint64_t nx_instance_memory_bytes(const struct nx_instance *instance);
/* The device address of a byte of an HBM. */
uint64_t nx_instance_address(uint32_t hbm_idx, uint64_t offset);

/*
 * Devices with a direct link to a device: 16 are a torus of 4 by 4 (up, left, down, right), fewer
 * are a ring (previous, next), one has none. Returns how many.
 */
#define NX_INSTANCE_LINKS_MAX 4
size_t nx_instance_links(const struct nx_instance_kind *kind, uint32_t device,
			 uint32_t links[NX_INSTANCE_LINKS_MAX]);

/*
 * A process that uses cores in software holds an empty memory file whose name says which, as one
 * that uses real ones holds /dev/neuron0: neuron-ls finds both in /proc. -1 if there can be none.
 */
int nx_instance_mark(const struct nx_instance *instance);
/* Reads what such a link of /proc names: the physical cores first to last. */
bool nx_instance_mark_read(const char *link, uint32_t *first, uint32_t *last);

#endif
