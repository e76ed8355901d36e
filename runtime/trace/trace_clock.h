/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_clock: CPU ticks while tracing, converted to epoch nanoseconds later.
 *
 * Reading the time stamp counter costs a third of clock_gettime, so events carry
 * ticks. The reader repeatedly records ties, pairs of ticks and epoch time, and
 * interpolates between them. Converted times never run backwards, even if the
 * system clock is changed: only its value at the first tie counts. Without an
 * invariant counter, ticks are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_CLOCK_H
#define NX_RUNTIME_TRACE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NX_TRACE_TIES 64

struct nx_trace_tie {
	uint64_t ticks;
	uint64_t epoch_ns;
};

struct nx_trace_clock {
	struct nx_trace_tie ties[NX_TRACE_TIES]; /* the latest, in order */
	unsigned tie_count;
	uint64_t epoch_offset_ns; /* epoch minus CLOCK_MONOTONIC at the first tie */
};

/* Set once, when the library is loaded. */
extern bool nx_trace_clock_has_counter;

static inline uint64_t nx_trace_clock_ticks(void)
{
	struct timespec now;

#if defined(__x86_64__)
	if (__builtin_expect(nx_trace_clock_has_counter, 1))
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	if (__builtin_expect(nx_trace_clock_has_counter, 1)) {
		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
		return ticks;
	}
#endif
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t nx_trace_clock_epoch_ns(void); /* the system clock, for events without ticks */

/* Epoch minus CLOCK_MONOTONIC now; clocks that begin with the same value agree. */
uint64_t nx_trace_clock_epoch_offset_ns(void);
void nx_trace_clock_begin(struct nx_trace_clock *clock, uint64_t epoch_offset_ns);
/* Adds a tie. Call it after events were written and before they are converted. */
void nx_trace_clock_tie(struct nx_trace_clock *clock);
/* Adds the given tie; ticks and time must increase. */
void nx_trace_clock_add(struct nx_trace_clock *clock, struct nx_trace_tie tie);
uint64_t nx_trace_clock_convert(const struct nx_trace_clock *clock, uint64_t ticks);

#endif
