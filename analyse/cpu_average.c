/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/cpu_average.h"

bool nx_cpu_average_finish(struct nx_cpu_average *a, struct nx_cpu_sample *mean)
{
	if (!a->sample_count)
		return false;
	*mean = a->tick;
	mean->util_percent = (float)(a->sum_percent / a->sample_count);
	*a = (struct nx_cpu_average){0};
	return true;
}

bool nx_cpu_average_add(struct nx_cpu_average *a, const struct nx_cpu_sample *sample,
			struct nx_cpu_sample *mean)
{
	bool is_other = a->tick.time_ns != sample->time_ns || a->tick.process != sample->process;
	bool has_mean = is_other && nx_cpu_average_finish(a, mean);

	a->tick = *sample;
	a->sum_percent += sample->util_percent;
	a->sample_count++;
	return has_mean;
}
