/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_core: one physical core, and its steps.
 *
 * A core has SBUF and PSUM (operand.h), 256 semaphores, 64 registers per engine, the
 * state of its engines, and DMA queues with the transfers that were started. A machine
 * is the cores of a logical core and their shared memory. schedule.c calls nx_core_step
 * for one instruction and nx_core_transfer for one block, when they are ready.
 *
 * Instructions do not fail; faults go to the report. An unknown instruction also sets
 * its results to NaN, and stops a strict machine.
 */
#ifndef NX_RUNTIME_DEVICE_CORE_H
#define NX_RUNTIME_DEVICE_CORE_H

#include <assert.h>

#include "runtime/device/array_multiply.h"
#include "runtime/device/device_program.h"
#include "runtime/device/operand.h"
#include "runtime/device/schedule.h"

#define NX_MATCH_COUNT 8u
#define NX_MASK_NONE 0x20u
static_assert(NX_MASK_NONE == NX_MASK_LANES, "lanes below it exist");

/* Memory of the device, mapped when it is touched. A zeroed struct is empty and may be released. */
struct nx_device_memory {
	uint8_t *bytes;
	uint64_t size_bytes;
};

/* All zero; LIMIT if the host is out of memory. */
NX_MUST_CHECK enum nx_status nx_device_memory_open(struct nx_device_memory *memory,
						   uint64_t size_bytes, struct nx_error *err);
void nx_device_memory_release(struct nx_device_memory *memory);
/* 0xff in every byte. */
void nx_device_memory_poison(struct nx_device_memory *memory);

/* A place that a dynamic transfer reads or writes, resolved when the instruction issues. */
struct nx_dma_place {
	uint32_t variable; /* position in the core's list */
	uint64_t offset;
	uint64_t limit; /* no byte from here on; UINT64_MAX when only the variable's end counts */
};

struct nx_dma_job {
	const struct nx_neff_block *block; /* NULL: the instruction is its own descriptor */
	const union nx_word *word;
	uint32_t pc;
	uint8_t engine;
	struct nx_dma_place from, to;
};

struct nx_dma_job_queue NX_VEC_BODY(struct nx_dma_job);

struct nx_array_state {
	float *weights; /* [row][column], NX_ARRAY_ROWS x NX_ARRAY_COLUMNS */
	float *moving, *sums;
	size_t capacity; /* of both, in floats per row */
	uint8_t *armed;	 /* per fp32 of PSUM: the next sum replaces what is there */
	unsigned rows, columns, partition;
	bool is_loaded, is_transpose;
};

struct nx_vector_state {
	uint8_t mask[NX_MASK_LANES]; /* lane to read for each lane of a quadrant */
	float match[NX_PARTITION_COUNT][NX_MATCH_COUNT];
};

/* A table per lane for GATHER. */
struct nx_gather_state {
	struct nx_bytes bytes;
	unsigned lanes, size_bytes;
	size_t count;
};

struct nx_core {
	struct nx_machine *machine;
	const struct nx_core_program *program;
	unsigned index;
	struct nx_device_memory on_chip, scratch;
	uint32_t semaphores[NX_SEMAPHORE_COUNT];
	uint32_t registers[NX_ENGINE_COUNT][NX_REGISTER_COUNT];
	uint32_t pcs[NX_ENGINE_COUNT];
	/* The arrival at a barrier with which the engine waits; 0 if it has not arrived. */
	uint64_t arrival[NX_ENGINE_COUNT];
	struct nx_map arrivals; /* barrier -> number of arrivals */
	uint32_t function_set;
	struct nx_array_state array;
	struct nx_vector_state vector;
	struct nx_gather_state gather;
	struct nx_dma_job_queue *queues; /* the program's, then one per engine */
	size_t *queue_heads;
	size_t queue_count;
	float *rows[3]; /* scratch: NX_OPERAND_MAX_ELEMENTS each */
	/* The instruction being executed, for messages. */
	unsigned engine;
	uint32_t pc;
	const union nx_word *word;
	uint32_t changed_semaphore;
	bool has_bad_number; /* it has been reported */
};

struct nx_machine {
	const struct nx_device_program *program;
	const struct nx_device_options *options;
	struct nx_device_report *report;
	uint32_t sbuf_partition_bytes;
	struct nx_core *cores;
	size_t core_count;
	struct nx_device_memory *tensors;
	enum nx_status status; /* set by a strict machine that met something unknown */
	bool has_lost_results; /* an opcode ran of which not even the layout is known */
	struct nx_error error;
};

NX_MUST_CHECK enum nx_status nx_core_init(struct nx_core *core, struct nx_machine *machine,
					  unsigned index, struct nx_error *err);
void nx_core_release(struct nx_core *core);
/* Resets registers, semaphores and queues; memory is kept, or poisoned if the options say so. */
void nx_core_reset(struct nx_core *core);

/* --- steps ------------------------------------------------------------------- */

bool nx_core_engine_is_ready(struct nx_core *core, unsigned engine);
void nx_core_step(struct nx_core *core, unsigned engine);
/* "waits for S[5] >= 3, which is 2" */
void nx_core_explain_wait(const struct nx_core *core, unsigned engine, char *out, size_t cap);

bool nx_core_queue_is_ready(const struct nx_core *core, size_t queue);
void nx_core_transfer(struct nx_core *core, size_t queue);
void nx_core_notify_clock(const struct nx_core *core, struct nx_actor actor, uint64_t dma_bytes);

/* --- for instructions ----------------------------------------------------------- */

void nx_core_fault(struct nx_core *core, enum nx_device_fault_kind kind, const char *fmt, ...)
	NX_PRINTF(3, 4);
/* Reports a fault and sets the results of the instruction to NaN. */
void nx_core_refuse(struct nx_core *core, enum nx_device_fault_kind kind, const char *fmt, ...)
	NX_PRINTF(3, 4);
/* False, after nx_core_refuse, if the operand is not inside memory. */
bool nx_core_accepts(struct nx_core *core, const struct nx_device_operand *operand,
		     const char *name);
/* The same for a source and a target, which must have the same number of elements. */
bool nx_core_accepts_pair(struct nx_core *core, const struct nx_device_operand *source,
			  const struct nx_device_operand *target);
/* Counts NaNs, and reports the first of an instruction. */
void nx_core_check_numbers(struct nx_core *core, const float *values, size_t count);

void nx_core_update_semaphore(struct nx_core *core, struct nx_word_sync update, uint32_t value);
void nx_core_add_semaphore(struct nx_core *core, uint32_t index, uint32_t increment);
float *nx_core_row(struct nx_core *core, unsigned which);

/* The bytes of a variable; size 0 if it has none. Constants must not be written. */
struct nx_dma_region {
	uint8_t *bytes;
	uint64_t size_bytes;
	bool is_on_chip, is_constant;
};
struct nx_dma_region nx_core_region(struct nx_core *core, uint32_t variable);

#endif
