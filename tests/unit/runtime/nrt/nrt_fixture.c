/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/data/synthetic.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

const char nx_fixture_input[] = "hidden_states";
const char nx_fixture_output[] = "logits";

static char folder[64];
static char found_path[4096];
static const char *wanted_suffix;
static size_t found_count;

const struct nx_bytes *nx_fixture_neff(void)
{
	static struct nx_bytes neff;
	struct nx_bytes ntff = {0};

	if (!neff.len)
		nx_synthetic_capture(&nx_synthetic_tiny, &neff, &ntff, NULL);
	nx_vec_release(&ntff);
	return &neff;
}

size_t nx_fixture_tensor_bytes(void)
{
	return 524288;
}

void nx_fixture_init(void)
{
	unsetenv("NEURON_RT_ROOT_COMM_ID");
	setenv("NEURON_EXPLORER_DEVICE", "idle", 1);
	setenv("NEURON_RT_LOG_LEVEL", "OFF", 1);
	setenv("NEURON_INSTANCE_ID", "i-0test", 1);
	assert_int_equal(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "1", "2"), NRT_SUCCESS);
}

int nx_fixture_begin(void **state)
{
	(void)state;
	nx_fixture_init();
	return 0;
}

int nx_fixture_end(void **state)
{
	(void)state;
	nrt_close();
	return 0;
}

struct nx_fixture_run nx_fixture_load(int core)
{
	const struct nx_bytes *neff = nx_fixture_neff();
	size_t bytes = nx_fixture_tensor_bytes();
	struct nx_fixture_run run = {0};

	assert_int_equal(nrt_load(neff->items, neff->len, core, -1, &run.model), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, bytes,
					     nx_fixture_input, &run.input),
			 NRT_SUCCESS);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, bytes,
					     nx_fixture_output, &run.output),
			 NRT_SUCCESS);
	assert_int_equal(nrt_allocate_tensor_set(&run.inputs), NRT_SUCCESS);
	assert_int_equal(nrt_allocate_tensor_set(&run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_add_tensor_to_tensor_set(run.inputs, nx_fixture_input, run.input),
			 NRT_SUCCESS);
	assert_int_equal(nrt_add_tensor_to_tensor_set(run.outputs, nx_fixture_output, run.output),
			 NRT_SUCCESS);
	return run;
}

const char *nx_fixture_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/nx-nrt-XXXXXX");
	assert_non_null(mkdtemp(folder));
	return folder;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

void nx_fixture_remove(void)
{
	if (folder[0])
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	folder[0] = '\0';
}

static int look_at(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	size_t len = strlen(path), suffix_len = strlen(wanted_suffix);

	(void)status;
	(void)place;
	if (kind == FTW_F && len >= suffix_len &&
	    strcmp(path + len - suffix_len, wanted_suffix) == 0) {
		snprintf(found_path, sizeof(found_path), "%s", path);
		found_count++;
	}
	return 0;
}

size_t nx_fixture_count(const char *suffix)
{
	found_count = 0;
	wanted_suffix = suffix;
	nftw(folder, look_at, 16, FTW_PHYS);
	return found_count;
}

const char *nx_fixture_find(const char *suffix)
{
	if (nx_fixture_count(suffix) != 1)
		fail_msg("%zu files end with %s", found_count, suffix);
	return found_path;
}

/* --- inspect ------------------------------------------------------------------------ */

static const char *const variables[] = {
	"NEURON_RT_INSPECT_ENABLE",
	"NEURON_RT_INSPECT_DEVICE_PROFILE",
	"NEURON_RT_INSPECT_SYSTEM_PROFILE",
	"NEURON_RT_INSPECT_CPU_UTIL",
	"NEURON_RT_INSPECT_HOST_MEMORY",
	"NEURON_RT_INSPECT_EVENT_FILTER_TYPE",
	"NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC",
};

int nx_fixture_begin_inspect(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	setenv("NEURON_RT_INSPECT_ENABLE", "1", 1);
	setenv("NEURON_RT_INSPECT_OUTPUT_DIR", nx_fixture_folder(), 1);
	return 0;
}

int nx_fixture_end_inspect(void **state)
{
	(void)state;
	nrt_close();
	nx_fixture_remove();
	return 0;
}

struct nx_ntff nx_fixture_read_ntff(const char *path, struct nx_arena *arena)
{
	struct nx_file file;
	struct nx_ntff ntff;

	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	assert_int_equal(nx_ntff_read(nx_slice_of(nx_arena_copy(arena, file.bytes), file.bytes.len),
				      arena, &ntff, NULL),
			 NX_OK);
	nx_file_unmap(&file);
	return ntff;
}
