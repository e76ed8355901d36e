/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: from the ticks of a hardware block to picoseconds, in exact integers.
 *
 * Each block counts with its own clock. A capture states for each what one tick
 * was expected to be and what it was measured to be; the common time is
 * floor((ticks - init) * expected / actual). Doubles would be off by
 * nanoseconds after a day of uptime, so none are used.
 */
#ifndef NX_MODEL_CLOCK_H
#define NX_MODEL_CLOCK_H

#include <stdint.h>

struct nx_clock {
	uint64_t init;
	uint64_t actual; /* 0: the block's ticks are picoseconds already */
	uint64_t expected;
};

int64_t nx_clock_ps(const struct nx_clock *clock, uint64_t ticks);

#endif
