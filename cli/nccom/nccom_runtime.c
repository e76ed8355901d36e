/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_runtime.h"

#include <string.h>

#include "capture/runtime_library.h"

enum nx_status nx_nccom_runtime_open(struct nx_nccom_runtime *runtime, const char *path,
				     struct nx_error *err)
{
	static const char *const names[] = {"nrt_load_collectives", NULL};
	enum nx_status st;

	memset(runtime, 0, sizeof(*runtime));
	st = nx_runtime_library_open(&runtime->calls, path, err);
	return st ? st : nx_runtime_library_need(&runtime->calls, "nccom-test", names, err);
}

enum nx_status nx_nccom_runtime_start(struct nx_nccom_runtime *runtime, uint32_t *core_count,
				      struct nx_error *err)
{
	NRT_STATUS st = runtime->calls.nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");

	if (st == NRT_SUCCESS) {
		runtime->is_started = true;
		st = runtime->calls.nrt_get_visible_nc_count(core_count);
	}
	if (st == NRT_SUCCESS)
		return NX_OK;
	return nx_fail(err, NX_IO, "%.600s: nrt_init ended with %s", runtime->calls.path,
		       nx_runtime_status_name(&runtime->calls, st));
}

void nx_nccom_runtime_close(struct nx_nccom_runtime *runtime)
{
	if (runtime->is_started)
		runtime->calls.nrt_close();
	runtime->is_started = false;
}
