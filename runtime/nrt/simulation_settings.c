/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/simulation_settings.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/nrt/nrt_log.h"
#include "runtime/trace/trace_filter.h"

#define DEFAULT_EPOCH_PS UINT64_C(3600000000000000)
#define MAX_EPOCH_PS (UINT64_C(1) << 61) /* readers count in 63 bits */

#define MAX_RING_MB 65536

static const char *const modes[] = {"both", "numeric", "timing"};
#define MODE_COUNT (sizeof(modes) / sizeof(modes[0]))

static size_t read_mode(void)
{
	const char *text = getenv("NEURON_SIM");

	if (!text || !*text)
		return 0;
	for (size_t i = 0; i < MODE_COUNT; i++)
		if (strcmp(text, modes[i]) == 0)
			return i;
	nx_log_error("NEURON_SIM=%.40s is neither numeric, timing nor both, did you mean %s? both "
		     "is used",
		     text, nx_trace_filter_nearest_of(nx_slice_text(text), modes, MODE_COUNT));
	return 0;
}

static uint64_t read_number(const char *variable, uint64_t most, uint64_t fallback)
{
	const char *text = getenv(variable);
	uint64_t value;

	if (!text || !*text)
		return fallback;
	if (nx_slice_to_u64(nx_slice_text(text), &value) && value <= most)
		return value;
	nx_log_error("%s=%.40s is no number from 0 to %llu; %llu is used", variable, text,
		     (unsigned long long)most, (unsigned long long)fallback);
	return fallback;
}

/* What it may be is told by nrt_init. */
static bool wants_descriptors(void)
{
	const char *text = getenv("NEURON_RT_ENABLE_DGE_NOTIFICATIONS");

	return text && (strcmp(text, "1") == 0 || strcmp(text, "true") == 0);
}

static uint64_t read_megabytes(const char *variable)
{
	return read_number(variable, MAX_RING_MB, 0) << 20;
}

void nx_simulation_settings_read(struct nx_simulation_settings *settings)
{
	size_t mode = read_mode();

	*settings = (struct nx_simulation_settings){
		.has_numbers = mode != 2,
		.has_times = mode != 1,
		.is_strict = read_number("NEURON_SIM_STRICT", 1, 0),
		.has_descriptors = wants_descriptors(),
		.seed = read_number("NEURON_SIM_SEED", UINT64_MAX, 0),
		.event_ring_bytes = read_megabytes("NEURON_RT_PROFILE_BUF_EVENT_MB"),
		.dma_ring_bytes = read_megabytes("NEURON_RT_PROFILE_BUF_DMA_MB"),
		.throttle_ring_bytes = read_megabytes("NEURON_RT_PROFILE_BUF_THROTTLE_MB"),
	};
}

uint64_t nx_simulation_epoch_ps(void)
{
	return read_number("NEURON_SIM_EPOCH_PS", MAX_EPOCH_PS, DEFAULT_EPOCH_PS);
}
