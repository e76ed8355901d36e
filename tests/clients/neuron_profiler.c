/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of torch_neuronx's profiler: defaults instead of activities, filters by name whose
 * failure is a warning, anything else that fails ends it.
 * usage: neuron_profiler NEFF FOLDER
 */
#include <nrt/nrt_profile.h>

#include "tests/clients/client.h"

static void filter(nrt_inspect_config_t *config, const char *event_type, bool is_enabled)
{
	NRT_STATUS status = nrt_inspect_config_set_capture_enabled_for_event_type_string(
		config, event_type, is_enabled);

	if (status != NRT_SUCCESS)
		printf("warning: %s is not filtered (%d)\n", event_type, status);
}

int main(int argc, char **argv)
{
	nrt_inspect_config_t *config;
	struct client_model loaded;

	if (argc != 3)
		return 2;
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_PYTORCH, "2.8", "2.8"));
	loaded = client_load(argv[1], 0);
	SUCCEED(nrt_inspect_config_allocate(&config));
	SUCCEED(nrt_inspect_config_set_defaults(config));
	SUCCEED(nrt_inspect_config_set_output_dir(config, argv[2]));
	SUCCEED(nrt_inspect_config_set_enable_inspect(config, true));
	SUCCEED(nrt_inspect_config_set_capture_enabled_for_nc(config, 0, true));
	filter(config, "cc_exec_barrier", true);
	filter(config, "nrt_model_switch", true);
	filter(config, "nc_model_switch", true);
	filter(config, "timestamp_sync_point", false);
	filter(config, "an_event_of_another_runtime", false);
	SUCCEED(nrt_inspect_begin_with_options(config));
	SUCCEED(nrt_execute_repeat(loaded.model, loaded.inputs, loaded.outputs, 3));
	SUCCEED(nrt_inspect_stop());
	SUCCEED(nrt_inspect_config_free(config));
	nrt_close();
	return 0;
}
