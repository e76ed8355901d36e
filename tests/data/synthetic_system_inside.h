/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_system_inside: what the parts of the maker of system profiles share. */
#ifndef NX_TESTS_SYNTHETIC_SYSTEM_INSIDE_H
#define NX_TESTS_SYNTHETIC_SYSTEM_INSIDE_H

#include "format/ntrace.h"
#include "tests/data/synthetic_system.h"

#define NX_SYNTHETIC_MS UINT64_C(1000000)
#define NX_SYNTHETIC_LNC 2 /* physical cores of a logical one */
#define NX_SYNTHETIC_START_MS 2000
#define NX_SYNTHETIC_STEP_MS 4 /* from one execution to the next */
#define NX_SYNTHETIC_TENSORS 8

static inline uint64_t nx_synthetic_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* When execution step of any core of the process starts. */
static inline uint64_t nx_synthetic_step_ns(const struct nx_synthetic_process *process,
					    uint64_t step)
{
	return process->init_ns +
	       (NX_SYNTHETIC_START_MS + step * NX_SYNTHETIC_STEP_MS + 10) * NX_SYNTHETIC_MS;
}

/* The thread that calls the runtime for this core. */
static inline uint64_t nx_synthetic_thread(const struct nx_synthetic_process *process,
					   unsigned core)
{
	return core ? process->pid + 10u * core : process->pid;
}

const char *nx_synthetic_tensor_name(unsigned tensor);

struct nx_synthetic_events {
	const struct nx_synthetic_process *process;
	uint64_t step_count; /* executions of each core */
	uint64_t seed;
	nx_synthetic_sink sink;
	void *context;
	struct nx_synthetic_system_counts *counts;
};

/* Steps that give about as many records. */
uint64_t nx_synthetic_steps_for(uint64_t record_count, unsigned core_count);
bool nx_synthetic_write_events(const struct nx_synthetic_events *events);

/* trace.json.gz: steps as a framework saw them. */
void nx_synthetic_write_framework(const struct nx_synthetic_process *process, uint64_t step_count,
				  struct nx_bytes *out, struct nx_synthetic_system_counts *counts);

#endif
