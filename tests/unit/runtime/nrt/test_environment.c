/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "runtime/nrt/environment.h"

static const char *const variables[] = {"NEURON_SIM",
					"NEURON_SIM_SEED",
					"NEURON_SIM_STRICT",
					"NEURON_SIM_EPOCH_PS",
					"NEURON_RT_ENABLE_DGE_NOTIFICATIONS",
					"NEURON_RT_PROFILE_BUF_DMA_MB",
					"NEURON_RT_PROFILE_BUF_EVENT_MB"};

static struct nx_simulation_settings read_with(const char *name, const char *value)
{
	struct nx_simulation_settings settings;

	setenv("NEURON_RT_LOG_LEVEL", "OFF", 1);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	if (name)
		setenv(name, value, 1);
	nx_simulation_settings_read(&settings);
	return settings;
}

static void everything_is_simulated_unless_told_otherwise(void **state)
{
	struct nx_simulation_settings settings = read_with(NULL, NULL);

	(void)state;
	assert_true(settings.has_numbers && settings.has_times);
	assert_false(settings.is_strict || settings.has_descriptors);
	assert_int_equal(settings.seed, 0);
	assert_int_equal(nx_simulation_epoch_ps(), UINT64_C(3600000000000000));
}

static void one_half_can_be_had_alone(void **state)
{
	struct nx_simulation_settings settings = read_with("NEURON_SIM", "numeric");

	(void)state;
	assert_true(settings.has_numbers && !settings.has_times);
	settings = read_with("NEURON_SIM", "timing");
	assert_true(!settings.has_numbers && settings.has_times);
	settings = read_with("NEURON_SIM", "both");
	assert_true(settings.has_numbers && settings.has_times);
}

static void values_are_taken(void **state)
{
	(void)state;
	assert_int_equal(read_with("NEURON_SIM_SEED", "18446744073709551615").seed, UINT64_MAX);
	assert_true(read_with("NEURON_SIM_STRICT", "1").is_strict);
	assert_int_equal(read_with("NEURON_RT_PROFILE_BUF_DMA_MB", "512").dma_ring_bytes,
			 UINT64_C(512) << 20);
	assert_int_equal(read_with("NEURON_RT_PROFILE_BUF_EVENT_MB", "much").event_ring_bytes, 0);
	assert_true(read_with("NEURON_RT_ENABLE_DGE_NOTIFICATIONS", "1").has_descriptors);
	read_with("NEURON_SIM_EPOCH_PS", "12");
	assert_int_equal(nx_simulation_epoch_ps(), 12);
}

static void wrong_values_leave_the_defaults(void **state)
{
	struct nx_simulation_settings settings = read_with("NEURON_SIM", "timng");

	(void)state;
	assert_true(settings.has_numbers && settings.has_times);
	settings = read_with("NEURON_SIM", "");
	assert_true(settings.has_numbers && settings.has_times);
	assert_int_equal(read_with("NEURON_SIM_SEED", "seven").seed, 0);
	assert_false(read_with("NEURON_SIM_STRICT", "2").is_strict);
	/* beyond what readers of a profile can count */
	read_with("NEURON_SIM_EPOCH_PS", "9223372036854775808");
	assert_int_equal(nx_simulation_epoch_ps(), UINT64_C(3600000000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_simulated_unless_told_otherwise),
		cmocka_unit_test(one_half_can_be_had_alone),
		cmocka_unit_test(values_are_taken),
		cmocka_unit_test(wrong_values_leave_the_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
