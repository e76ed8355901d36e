/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/environment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/nrt/nrt_log.h"
#include "runtime/trace/trace_filter.h"

#define DEFAULT_EPOCH_PS UINT64_C(3600000000000000)
#define MAX_EPOCH_PS (UINT64_C(1) << 61) /* readers count in 63 bits */
#define MAX_RING_MB 65536

static const char *text_of(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text ? text : NULL;
}

uint64_t nx_environment_number(const char *variable, uint64_t least, uint64_t most,
			       uint64_t fallback)
{
	const char *text = text_of(variable);
	uint64_t value;

	assert(least <= fallback && fallback <= most);
	if (!text)
		return fallback;
	if (nx_slice_to_u64(nx_slice_text(text), &value) && value >= least && value <= most)
		return value;
	nx_log_error("environment", "%s=%.40s is not a number from %llu to %llu; using %llu",
		     variable, text, (unsigned long long)least, (unsigned long long)most,
		     (unsigned long long)fallback);
	return fallback;
}

bool nx_environment_nearest_switch(const char *text)
{
	return strchr("tTyYeE123456789", *text) || strcasecmp(text, "on") == 0;
}

bool nx_environment_switch(const char *variable, bool fallback)
{
	const char *text = text_of(variable);

	if (!text)
		return fallback;
	if (strcmp(text, "1") == 0 || strcmp(text, "true") == 0)
		return true;
	if (strcmp(text, "0") == 0 || strcmp(text, "false") == 0)
		return false;
	nx_log_error("environment", "%s=%.40s is not 0 or 1; did you mean %d? Using %d", variable,
		     text, nx_environment_nearest_switch(text), fallback);
	return fallback;
}

/* Names the nearest value, or all if none is near. */
static void log_unknown(const char *variable, const char *text, const char *const *names,
			size_t count)
{
	const char *nearest = nx_trace_filter_nearest_of(nx_slice_text(text), names, count);
	char all[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i == 0		 ? ""
					 : i + 1 < count ? ", "
							 : " or ",
					 names[i]);
	if (nearest)
		nx_log_error("environment",
			     "%s=%.40s is not a known value; did you mean %s? Using %s", variable,
			     text, nearest, names[0]);
	else
		nx_log_error("environment", "%s=%.40s is not a known value: %s. Using %s", variable,
			     text, all, names[0]);
}

size_t nx_environment_choice(const char *variable, const char *const *names, size_t count)
{
	const char *text = text_of(variable);

	assert(count > 0);
	for (size_t i = 0; text && i < count; i++)
		if (strcmp(text, names[i]) == 0)
			return i;
	if (text)
		log_unknown(variable, text, names, count);
	return 0;
}

static uint64_t read_megabytes(const char *variable)
{
	return nx_environment_number(variable, 0, MAX_RING_MB, 0) << 20;
}

void nx_simulation_settings_read(struct nx_simulation_settings *settings)
{
	static const char *const modes[] = {"both", "numeric", "timing"};
	size_t mode = nx_environment_choice("NEURON_SIM", modes, 3);

	*settings = (struct nx_simulation_settings){
		.has_numbers = mode != 2,
		.has_times = mode != 1,
		.is_strict = nx_environment_number("NEURON_SIM_STRICT", 0, 1, 0),
		.has_descriptors =
			nx_environment_switch("NEURON_RT_ENABLE_DGE_NOTIFICATIONS", false),
		.seed = nx_environment_number("NEURON_SIM_SEED", 0, UINT64_MAX, 0),
		.event_ring_bytes = read_megabytes("NEURON_RT_PROFILE_BUF_EVENT_MB"),
		.dma_ring_bytes = read_megabytes("NEURON_RT_PROFILE_BUF_DMA_MB"),
		.throttle_ring_bytes = read_megabytes("NEURON_RT_PROFILE_BUF_THROTTLE_MB"),
	};
}

uint64_t nx_simulation_epoch_ps(void)
{
	return nx_environment_number("NEURON_SIM_EPOCH_PS", 0, MAX_EPOCH_PS, DEFAULT_EPOCH_PS);
}
