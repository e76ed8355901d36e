/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of PyTorch's profiler: a configuration made anew for each session, everything off,
 * then the requested kinds one by one, device profiles in session mode; no variables.
 * usage: torch_profiler NEFF FOLDER
 */
#include <nrt/nrt_profile.h>
#include <stdint.h>

#include "tests/clients/client.h"

enum kind { RUNTIME = 1, DRIVER = 2, CPU_OP = 4 };

static nrt_inspect_config_t *start(const char *folder, unsigned kinds)
{
	nrt_inspect_config_t *config;

	SUCCEED(nrt_inspect_config_allocate(&config));
	SUCCEED(nrt_inspect_config_set_defaults(config));
	SUCCEED(nrt_inspect_config_set_enable_inspect(config, true));
	SUCCEED(nrt_inspect_config_set_activity(config, "all", false));
	if (kinds & RUNTIME)
		SUCCEED(nrt_inspect_config_set_activity(config, "system_profile", true));
	if (kinds & DRIVER) {
		SUCCEED(nrt_inspect_config_set_activity(config, "device_profile", true));
		SUCCEED(nrt_inspect_config_set_inspect_device_profile_mode(
			config, NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION));
	}
	if (kinds & CPU_OP)
		SUCCEED(nrt_inspect_config_set_activity(config, "cpu_util", true));
	SUCCEED(nrt_inspect_config_set_sys_trace_max_events_per_nc(config, 100000));
	SUCCEED(nrt_inspect_config_set_capture_enabled_for_nc(config, 0, true));
	SUCCEED(nrt_inspect_config_set_activity(config, "host_memory", kinds != 0));
	SUCCEED(nrt_inspect_config_set_output_dir(config, folder));
	SUCCEED(nrt_inspect_begin_with_options(config));
	return config;
}

static void stop(nrt_inspect_config_t *config)
{
	SUCCEED(nrt_inspect_stop());
	SUCCEED(nrt_inspect_config_free(config));
}

int main(int argc, char **argv)
{
	nrt_inspect_config_t *config;
	struct client_model loaded;

	if (argc != 3)
		return 2;
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_PYTORCH, "2.9", "1.0"));
	loaded = client_load(argv[1], 0);
	EXPECT(nrt_inspect_config_set_inspect_device_profile_mode(
		       NULL, NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION) == NRT_INVALID);
	for (int session = 0; session < 2; session++) {
		config = start(argv[2], RUNTIME | DRIVER | CPU_OP);
		SUCCEED(nrt_execute_repeat(loaded.model, loaded.inputs, loaded.outputs, 3));
		stop(config);
		/* not captured */
		SUCCEED(nrt_execute(loaded.model, loaded.inputs, loaded.outputs));
	}
	stop(start(argv[2], 0)); /* nothing requested: both calls succeed */
	nrt_close();
	return 0;
}
