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

float nx_sbuf_usage(const struct nx_hardware *hardware, uint64_t live_bytes)
{
	float per_byte = (float)(1.0 / hardware->sbuf_partition_bytes);

	return (float)((double)live_bytes * (double)per_byte);
}

double nx_psum_usage(uint8_t banks)
{
	return (double)__builtin_popcount(banks) / NX_PSUM_BANKS;
}

uint64_t nx_load_average_bytes(const struct nx_tensor_load *load)
{
	return load->dma_count ? load->total_bytes / load->dma_count : 0;
}

double nx_load_repeat_factor(const struct nx_tensor_load *load, uint64_t size_bytes)
{
	return size_bytes ? (double)load->total_bytes / (double)size_bytes : 0;
}
