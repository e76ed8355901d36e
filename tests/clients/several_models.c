/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server with several models on one core: they run in turns while a session captures the core.
 * The first runs twice, is unloaded and loaded again; then every session function is called.
 * usage: several_models FOLDER FILE.ntff NEFF...
 */
#include <nrt/nrt_profile.h>

#include "tests/clients/client.h"

#define MODELS 8

static void execute(const struct client_model *loaded)
{
	SUCCEED(nrt_execute(loaded->model, loaded->inputs, loaded->outputs));
}

static void take_turns(char **neffs, int count)
{
	struct client_model models[MODELS];

	for (int i = 0; i < count; i++)
		models[i] = client_load(neffs[i], 0);
	for (int i = 0; i < count; i++)
		execute(&models[i]);
	SUCCEED(nrt_unload(models[0].model));
	models[0] = client_load(neffs[0], 0);
	execute(&models[0]);
	for (int i = 0; i < count; i++)
		SUCCEED(nrt_unload(models[i].model));
}

static void inspect(const char *folder, char **neffs, int count)
{
	nrt_inspect_config_t *config;

	SUCCEED(nrt_inspect_config_allocate(&config));
	SUCCEED(nrt_inspect_config_set_defaults(config));
	SUCCEED(nrt_inspect_config_set_enable_inspect(config, true));
	SUCCEED(nrt_inspect_config_set_inspect_device_profile_mode(
		config, NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION));
	SUCCEED(nrt_inspect_config_set_output_dir(config, folder));
	SUCCEED(nrt_inspect_begin_with_options(config));
	take_turns(neffs, count);
	SUCCEED(nrt_inspect_stop());
	SUCCEED(nrt_inspect_config_free(config));
}

int main(int argc, char **argv)
{
	uint64_t first, second;

	if (argc < 4 || argc - 3 > MODELS)
		return 2;
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "server", "1.0"));
	inspect(argv[1], argv + 3, argc - 3);
	SUCCEED(nrt_profile_session_start(0));
	take_turns(argv + 3, argc - 3);
	SUCCEED(nrt_profile_session_stop(0, &first));
	EXPECT(nrt_profile_session_stop(0, &second) == NRT_INVALID);
	SUCCEED(nrt_profile_session_start(0));
	SUCCEED(nrt_profile_session_stop(0, &second));
	EXPECT(second == first + 1);
	SUCCEED(nrt_profile_session_serialize(first, argv[2]));
	EXPECT(nrt_profile_session_serialize(first, argv[2]) == NRT_INVALID);
	SUCCEED(nrt_profile_session_drop(second));
	nrt_close();
	return 0;
}
