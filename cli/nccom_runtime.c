/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom_runtime.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "capture/runtime_choice.h"

static const struct {
	const char *name;
	size_t offset;
} calls[] = {
#define ROW(result, name, parameters) {#name, offsetof(struct nx_nccom_runtime, name)},
	NX_NCCOM_CALLS(ROW)
#undef ROW
};

static enum nx_status choose_path(struct nx_nccom_runtime *runtime, const char *given,
				  struct nx_error *err)
{
	const struct nx_runtime_wish wish = {.given = given,
					     .library_path = getenv("LD_LIBRARY_PATH"),
					     .program_folder = nx_program_folder(&runtime->arena),
					     .root = ""};
	struct nx_runtime_choice choice;
	enum nx_status st = nx_runtime_choose(&wish, &runtime->arena, &choice, err);

	if (st)
		return st;
	if (!choice.folder)
		return nx_fail(err, NX_NOT_FOUND,
			       "there is no libnrt.so.1, neither beside this program nor in the "
			       "system; install one or name it with --runtime");
	runtime->path = nx_arena_printf(&runtime->arena, "%s/libnrt.so.1", choice.folder);
	return NX_OK;
}

enum nx_status nx_nccom_runtime_open(struct nx_nccom_runtime **out, const char *path,
				     struct nx_error *err)
{
	struct nx_nccom_runtime *runtime = nx_heap_alloc(sizeof(*runtime));
	enum nx_status st;
	void *library;

	memset(runtime, 0, sizeof(*runtime));
	*out = runtime;
	st = choose_path(runtime, path, err);
	if (st)
		return st;
	/* Never closed: its threads may outlive what we know of it. */
	library = dlopen(runtime->path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return nx_fail(err, NX_NOT_FOUND, "%s cannot be loaded: %s", runtime->path,
			       dlerror());
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		void *found = dlsym(library, calls[i].name);

		if (!found)
			return nx_fail(err, NX_VERSION, "%s has no %s; use a newer runtime",
				       runtime->path, calls[i].name);
		memcpy((char *)runtime + calls[i].offset, &found, sizeof(found));
	}
	return NX_OK;
}

enum nx_status nx_nccom_runtime_start(struct nx_nccom_runtime *runtime, uint32_t *core_count,
				      struct nx_error *err)
{
	NRT_STATUS st = runtime->nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");

	if (st == NRT_SUCCESS) {
		runtime->is_started = true;
		st = runtime->nrt_get_visible_nc_count(core_count);
	}
	if (st == NRT_SUCCESS)
		return NX_OK;
	return nx_fail(err, NX_IO, "%s: nrt_init ended with %s", runtime->path,
		       runtime->nrt_get_status_as_str(st));
}

void nx_nccom_runtime_close(struct nx_nccom_runtime *runtime)
{
	if (!runtime)
		return;
	if (runtime->is_started)
		runtime->nrt_close();
	nx_arena_release(&runtime->arena);
	nx_heap_free(runtime);
}
