/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_average: the mean load of a host's processors.
 *
 * A sampler writes all processors of a tick one behind another, with one time. Feed samples in
 * that order, process by process.
 */
#ifndef NX_ANALYSE_CPU_AVERAGE_H
#define NX_ANALYSE_CPU_AVERAGE_H

#include "model/system.h"

struct nx_cpu_average {
	struct nx_cpu_sample tick; /* process and time of the samples at hand */
	double sum_percent;
	uint32_t sample_count;
};

/* True when the sample begins another tick: *mean is that of the one before. */
bool nx_cpu_average_add(struct nx_cpu_average *a, const struct nx_cpu_sample *sample,
			struct nx_cpu_sample *mean);
/* The mean of the last tick; false when there was none. cpu_id says nothing. */
bool nx_cpu_average_finish(struct nx_cpu_average *a, struct nx_cpu_sample *mean);

#endif
