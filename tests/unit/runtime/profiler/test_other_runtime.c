/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with a runtime that is not ours. The functions it needs are in this program, which
 * exports them, and note what they are called with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_profile.h>
#include <nx/profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CORES 8 /* of this runtime; it refuses others */

struct nrt_inspect_config {
	bool is_on[CORES];
};

static struct nrt_inspect_config config;
static unsigned begin_count, core_calls;
static char folder[64];

NRT_STATUS nrt_inspect_config_allocate(nrt_inspect_config_t **options)
{
	*options = &config;
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_defaults(nrt_inspect_config_t *options)
{
	memset(options->is_on, true, sizeof(options->is_on));
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_output_dir(nrt_inspect_config_t *options, const char *output_dir)
{
	(void)options;
	assert_string_equal(output_dir, folder);
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_enable_inspect(nrt_inspect_config_t *options, bool enable)
{
	(void)options;
	assert_true(enable);
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_activity(nrt_inspect_config_t *options, const char *activity,
					   bool enabled)
{
	(void)options;
	assert_string_equal(activity, "device_profile");
	assert_false(enabled);
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_capture_enabled_for_nc(nrt_inspect_config_t *options,
							 uint32_t nc_idx, bool enabled)
{
	core_calls++;
	if (nc_idx >= CORES)
		return NRT_INVALID;
	options->is_on[nc_idx] = enabled;
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_free(nrt_inspect_config_t *options)
{
	assert_ptr_equal(options, &config);
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t *options)
{
	assert_ptr_equal(options, &config);
	begin_count++;
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_stop(void)
{
	begin_count--;
	return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_get_instance_output_dir(const char *output_dir, char *instance_dir_buf,
					       size_t buf_size)
{
	(void)output_dir;
	(void)instance_dir_buf;
	(void)buf_size;
	return NRT_FAILURE;
}

static void run_session(const char *cores)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;

	options.output_dir = folder;
	options.cores = cores;
	core_calls = 0;
	if (nx_profiler_start(&options))
		fail_msg("%s", nx_profiler_error());
	assert_int_equal(begin_count, 1);
	assert_int_equal(nx_profiler_stop(), 0);
	assert_int_equal(begin_count, 0);
}

static void it_records_the_cores_that_the_options_name(void **state)
{
	static const bool wanted[CORES] = {true, false, true, true, false, false, false, true};

	(void)state;
	run_session("0,2-3, 7,100");
	assert_memory_equal(config.is_on, wanted, sizeof(wanted));
}

static void without_cores_it_keeps_its_own(void **state)
{
	(void)state;
	run_session(NULL);
	assert_int_equal(core_calls, 0);
	run_session("");
	assert_int_equal(core_calls, 0);
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/nx-profiler-XXXXXX");
	return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_records_the_cores_that_the_options_name),
		cmocka_unit_test(without_cores_it_keeps_its_own),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
