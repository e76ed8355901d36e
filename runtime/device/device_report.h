/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_report: what a run of the software device did, and its faults.
 *
 * Faults are what hardware would report, and instructions whose meaning is unknown. The
 * first NX_FAULT_KEPT are kept, the rest is counted. Nothing needs releasing.
 */
#ifndef NX_RUNTIME_DEVICE_REPORT_H
#define NX_RUNTIME_DEVICE_REPORT_H

#include <stdint.h>

#include "base/bare/status.h"
#include "machine/hardware.h"

/* X(name, text as profiles show it) */
#define NX_FAULT_MAP(X)                                                                            \
	X(DMA_BOUNDS, "DMA2D OOB")                                                                 \
	X(ADDRESS_BOUNDS, "on-chip OOB")                                                           \
	X(INDEX_BOUNDS, "index OOB")                                                               \
	X(NUMERICAL, "numerical error")                                                            \
	X(SEMAPHORE, "semaphore overflow")                                                         \
	X(OPERAND, "operands do not fit")                                                          \
	X(UNKNOWN, "meaning unknown")

enum nx_device_fault_kind {
#define NX_FAULT_ENUM(name, text) NX_FAULT_##name,
	NX_FAULT_MAP(NX_FAULT_ENUM)
#undef NX_FAULT_ENUM
		NX_FAULT_KIND_COUNT,
};

#define NX_FAULT_KEPT 64

struct nx_device_fault {
	enum nx_device_fault_kind kind;
	uint8_t core;
	uint8_t engine; /* that executed the instruction or started the transfer */
	uint8_t opcode;
	uint32_t pc; /* slot in the engine's stream */
	char text[160];
};

struct nx_device_report {
	uint64_t executed[NX_ENGINE_COUNT][256]; /* instructions by engine and opcode */
	uint64_t executed_count;
	uint64_t dma_count; /* transfers completed */
	uint64_t dma_bytes; /* written by them */
	uint64_t flops;	    /* multiplications and additions of the array */
	uint64_t nan_count; /* results that are NaN */
	uint64_t fault_counts[NX_FAULT_KIND_COUNT];
	struct nx_device_fault faults[NX_FAULT_KEPT];
	unsigned fault_count; /* of those kept */
};

const char *nx_fault_kind_text(enum nx_device_fault_kind kind); /* "DMA2D OOB" */

#endif
