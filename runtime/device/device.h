/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device: a NeuronCore in software. Give it a NEFF and inputs, run, read outputs.
 *
 *	struct nx_device *d;
 *	if (nx_device_open(&neff, &options, &d, &err)) ...
 *	size_t q = nx_device_find(d, "q_ref");
 *	if (nx_device_write(d, q, 0, q_bytes, &err)) ...
 *	if (nx_device_run(d, &report, &err)) ...
 *	if (nx_device_read(d, out, 0, buffer, size, &err)) ...
 *	nx_device_close(d);
 *
 * It executes what AWS's compiler wrote: instruction streams of the five engines, DMA
 * descriptors and semaphores, for each physical core. docs/design/simulator.md
 * describes the numerical behaviour. This room does not model time; schedule.h lets a
 * clock decide the order.
 *
 * Each call takes the device's lock, a run for as long as it lasts. The NEFF must
 * outlive the device.
 */
#ifndef NX_RUNTIME_DEVICE_H
#define NX_RUNTIME_DEVICE_H

#include <stdbool.h>

#include "base/bare/slice.h"
#include "base/error.h"
#include "machine/hardware.h"
#include "runtime/device/device_report.h"

struct nx_device;
struct nx_device_clock;
struct nx_device_program;
struct nx_device_ranks;
struct nx_neff;

/* A zeroed struct selects the defaults. */
struct nx_device_options {
	enum nx_device_arch arch;
	/* Fail on what has no known meaning instead of counting it and continuing. */
	bool is_strict;
	/* Fill on-chip and device memory with 0xff, a NaN in every float type, to show reads of
	 * unwritten memory. Costs 64 MiB per core. */
	bool is_poisoned;
	/* Compute functions exactly instead of from the activation tables in the NEFF. */
	bool has_exact_functions;
	/* 0: engines run in a fixed order. Otherwise this seed picks a random order; a correct
	 * program gives the same result. */
	uint64_t seed;
	/* Device memory the program may use; 0 for NX_DEVICE_MEMORY_BYTES. */
	uint64_t memory_limit_bytes;
	const struct nx_device_clock *clock; /* borrowed; NULL for none */
	/* Runs collectives (device_ranks.h); borrowed. NULL: they are reported as faults. */
	const struct nx_device_ranks *ranks;
};

#define NX_DEVICE_MEMORY_BYTES (UINT64_C(24) << 30) /* what a logical core has on trn2 */
#define NX_DEVICE_MAX_DIMS 16

enum nx_device_tensor_kind { NX_DEVICE_INPUT, NX_DEVICE_OUTPUT };

struct nx_device_tensor {
	const char *name;
	enum nx_device_tensor_kind kind;
	unsigned dtype;		/* enum nx_dtype; 0 if the NEFF does not say */
	const char *dtype_name; /* as the NEFF spells it, "float32"; may be "" */
	unsigned dims;
	uint64_t shape[NX_DEVICE_MAX_DIMS];
	uint64_t size_bytes;
};

/* FORMAT if the NEFF is damaged, MISMATCH if it is for another chip, LIMIT if memory is short. */
NX_MUST_CHECK enum nx_status nx_device_open(const struct nx_neff *neff,
					    const struct nx_device_options *options,
					    struct nx_device **out, struct nx_error *err);
void nx_device_close(struct nx_device *device); /* NULL is allowed */
/* In the child after a fork: a thread of the parent may be running it. */
void nx_device_abandon(struct nx_device *device);

/* The program (device_program.h), which does not change while the device is open. */
const struct nx_device_program *nx_device_program_borrow(const struct nx_device *device);

/* Inputs and outputs, in the order of the NEFF; NULL beyond the last. */
const struct nx_device_tensor *nx_device_tensor_borrow(const struct nx_device *device,
						       size_t index);
#define NX_DEVICE_NO_TENSOR SIZE_MAX
size_t nx_device_find(const struct nx_device *device, const char *name);

/* Part of a tensor; LIMIT if it extends past the end. */
NX_MUST_CHECK enum nx_status nx_device_write(struct nx_device *device, size_t tensor,
					     uint64_t offset, struct nx_slice bytes,
					     struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_device_read(struct nx_device *device, size_t tensor,
					    uint64_t offset, void *out, size_t len,
					    struct nx_error *err);

/*
 * One execution, from cleared semaphores and registers to the end of all engines. FORMAT if the
 * engines are deadlocked; the message says what each waits for. UNSUPPORTED if strict, and
 * something has no known meaning. The report is always filled. Hardware faults do not end a run.
 */
NX_MUST_CHECK enum nx_status nx_device_run(struct nx_device *device,
					   struct nx_device_report *report, struct nx_error *err);

#endif
