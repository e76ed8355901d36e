/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule: the order in which engines and queues take their steps.
 *
 * A step (device_core.h) is one instruction of an engine, or one block of a DMA queue,
 * and is atomic. The order of ready steps does not change the results of a correct
 * program.
 *
 * A clock of the caller chooses among the actors that are ready, and is notified after
 * each step. Without `choose` the order is fixed, or random if there is a seed.
 */
#ifndef NX_RUNTIME_SCHEDULE_H
#define NX_RUNTIME_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "format/instruction_word.h"

struct nx_machine;

struct nx_actor {
	uint8_t core;
	bool is_queue;
	/* The engine, or the queue: those of device_program.h, then a dynamic one per engine. */
	uint32_t index;
};

struct nx_schedule_step {
	struct nx_actor actor;
	unsigned engine;	   /* that executed the instruction or started the transfer */
	uint32_t pc;		   /* slot in the stream of that engine */
	const union nx_word *word; /* the instruction, or the one that started the transfer */
	uint64_t dma_bytes;	   /* moved by a queue's step */
	uint32_t semaphore;	   /* that the step counted up or down; UINT32_MAX for none */
	uint32_t value;		   /* of it, after the step */
};

struct nx_device_clock {
	void *context;
	/* The index of the actor to run next; count or more stops the run. */
	size_t (*choose)(void *context, const struct nx_actor *ready, size_t count);
	void (*stepped)(void *context, const struct nx_schedule_step *step);
};

/* Until all engines have ended and all queues are empty. */
NX_MUST_CHECK enum nx_status nx_schedule_run(struct nx_machine *machine, struct nx_error *err);

#endif
