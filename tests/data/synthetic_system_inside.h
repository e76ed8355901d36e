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

/* Of an execution, where gaps grow. */
#define NX_SYNTHETIC_RUN_NS UINT64_C(3600000)
#define NX_SYNTHETIC_LAUNCH_NS UINT64_C(100000) /* from the first call of a step to the core */

/* Between execution step and the next. */
static inline uint64_t nx_synthetic_gap_ns(uint64_t step_count, uint64_t step)
{
	uint64_t gap_count = step_count - 1, quarter = gap_count / 4;

	if (step < quarter)
		return NX_SYNTHETIC_FIRST_GAP_NS;
	if (step >= gap_count - quarter)
		return NX_SYNTHETIC_LAST_GAP_NS;
	return NX_SYNTHETIC_FIRST_GAP_NS + (NX_SYNTHETIC_LAST_GAP_NS - NX_SYNTHETIC_FIRST_GAP_NS) *
						   (step - quarter) / (gap_count - 2 * quarter);
}

/* When execution step of any core of the process starts. */
static inline uint64_t nx_synthetic_step_ns(const struct nx_synthetic_process *process,
					    uint64_t step)
{
	uint64_t start_ns = process->init_ns + (NX_SYNTHETIC_START_MS + 10) * NX_SYNTHETIC_MS;

	if (!process->growing_step_count)
		return start_ns + step * NX_SYNTHETIC_STEP_MS * NX_SYNTHETIC_MS;
	for (uint64_t i = 0; i < step; i++)
		start_ns +=
			NX_SYNTHETIC_RUN_NS + nx_synthetic_gap_ns(process->growing_step_count, i);
	return start_ns;
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
