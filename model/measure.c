/* SPDX-License-Identifier: Apache-2.0 */
#include "model/measure.h"

float nx_rate(uint64_t size_bytes, uint64_t duration_ps)
{
	float seconds = (float)((double)duration_ps / 1e12);

	return duration_ps ? (float)((double)size_bytes / (double)seconds) : 0.0f;
}

uint64_t nx_wait_ns(uint16_t cycles, double clock_ghz)
{
	return (uint64_t)(float)((double)cycles * 1000.0 / (double)(float)clock_ghz) / 1000;
}

uint64_t nx_cycle_count(uint64_t time_ps, double clock_ghz)
{
	float time_ns = (float)((double)time_ps / 1000.0);

	return (uint64_t)(float)((double)time_ns * (double)(float)clock_ghz);
}

double nx_peak_flops(const struct nx_hardware *hardware)
{
	return 2.0 * hardware->array_rows * hardware->array_columns * hardware->tensor_clock_ghz *
	       1e9;
}
