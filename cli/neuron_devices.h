/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neuron_devices: the Neuron devices that programs on this machine can use, and which processes do.
 *
 * Real devices are /dev/neuron0 and so on; the rest comes from what the driver and the firmware
 * publish below /sys. Without one, the devices in software of our libnrt.so.1 are listed, as the
 * environment configures them. Needs no privileges, but sees only processes of its own user then.
 */
#ifndef NX_CLI_NEURON_DEVICES_H
#define NX_CLI_NEURON_DEVICES_H

#include "base/arena.h"
#include "base/vec.h"
#include "runtime/nrt/instance.h"

struct nx_neuron_process {
	uint32_t pid;
	const char *command; /* words separated by spaces */
	const char *runtime; /* "2.30.51"; NULL: it has no libnrt loaded */
};

struct nx_neuron_device {
	uint32_t idx;
	const char *bdf;       /* "cc:00.0"; "" if unknown, as in software */
	const char *cpus;      /* "48-95,144-191" */
	const char *numa_node; /* "1"; "-1": no particular one */
	struct nx_links NX_VEC_BODY(uint32_t) links;
	uint32_t first_core, core_count; /* logical */
	uint64_t memory_bytes;		 /* 0: unknown */
	struct nx_neuron_processes NX_VEC_BODY(struct nx_neuron_process) processes;
};

struct nx_neuron_devices {
	struct nx_arena arena; /* of all texts */
	bool is_software;
	bool has_core_sizes; /* logical cores may be of more than one physical core: trn2 */
	uint32_t core_size;  /* physical cores per logical core */
	const char *instance_type, *instance_id;
	struct nx_neuron_device *items; /* by idx */
	size_t len;
};

/* root is "" except in tests: the folder that holds dev, sys and proc. */
void nx_neuron_devices_open(struct nx_neuron_devices *devices, const char *root);
void nx_neuron_devices_release(struct nx_neuron_devices *devices);

#endif
