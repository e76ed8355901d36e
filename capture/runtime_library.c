/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime_library.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/runtime_choice.h"

#define LIBRARY "libnrt.so.1"
#define OWN_DETAIL "Open Neuron Explorer" /* what our library says in its version */

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct function {
	const char *name;
	size_t offset;
	bool is_required;
};

static const struct function functions[] = {
#define ROW(name, is_required) {#name, offsetof(struct nx_runtime_library, name), is_required},
#define REQUIRED_ROW(result, name, parameters) ROW(name, true)
#define OPTIONAL_ROW(result, name, parameters) ROW(name, false)
	NX_RUNTIME_REQUIRED(REQUIRED_ROW) NX_RUNTIME_OPTIONAL(OPTIONAL_ROW)
#undef OPTIONAL_ROW
#undef REQUIRED_ROW
#undef ROW
};

/* --- finding it ------------------------------------------------------------------------- */

static enum nx_status take_given(char out[PATH_MAX], const char *path, struct nx_error *err)
{
	struct stat facts;
	int len;

	if (stat(path, &facts) != 0)
		return nx_fail(err, NX_NOT_FOUND,
			       "there is no runtime at %.500s; --runtime takes the path of "
			       "a " LIBRARY,
			       path);
	/* Without a slash, dlopen would search its own path instead. */
	len = snprintf(out, PATH_MAX, "%s%s%s", strchr(path, '/') ? "" : "./", path,
		       S_ISDIR(facts.st_mode) ? "/" LIBRARY : "");
	return len < PATH_MAX ? NX_OK : nx_fail(err, NX_LIMIT, "--runtime has too long a path");
}

static enum nx_status choose(char out[PATH_MAX], struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_runtime_wish wish = {.library_path = getenv("LD_LIBRARY_PATH"),
				       .program_folder = nx_program_folder(&arena),
				       .root = ""};
	struct nx_runtime_choice choice;
	enum nx_status st = nx_runtime_choose(&wish, &arena, &choice, err);

	if (!st && choice.folder)
		snprintf(out, PATH_MAX, "%s/" LIBRARY, choice.folder);
	else if (!st && choice.has_device)
		snprintf(out, PATH_MAX, LIBRARY); /* the loader may know a place we do not */
	else if (!st)
		st = nx_fail(err, NX_NOT_FOUND,
			     "there is no Neuron device here, and no " LIBRARY
			     " of ours beside the program; name a runtime with --runtime PATH");
	nx_arena_release(&arena);
	return st;
}

/* --- loading it ---------------------------------------------------------------------------- */

static enum nx_status resolve(struct nx_runtime_library *lib, void *library, struct nx_error *err)
{
	for (size_t i = 0; i < COUNT(functions); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function && functions[i].is_required)
			return nx_fail(err, NX_VERSION,
				       "%s has no function %s, so it is not a Neuron runtime or a "
				       "very old one; name another with --runtime PATH",
				       lib->path, functions[i].name);
		memcpy((char *)lib + functions[i].offset, &function, sizeof(function));
	}
	/* Version 2 of the interface took a tracker where version 3 takes a status. */
	if (dlsym(library, "nrta_error_tracker_create") &&
	    !dlsym(library, "nrta_event_register_xu_completion"))
		lib->nrta_execute_schedule = NULL;
	return NX_OK;
}

static void ask_version(struct nx_runtime_library *lib)
{
	nrt_version_t version = {0};

	if (!lib->nrt_get_version || lib->nrt_get_version(&version, sizeof(version)) != NRT_SUCCESS)
		return;
	version.rt_detail[sizeof(version.rt_detail) - 1] = '\0';
	lib->is_own = strcmp(version.rt_detail, OWN_DETAIL) == 0;
	snprintf(lib->version, sizeof(lib->version), "%llu.%llu.%llu",
		 (unsigned long long)version.rt_major, (unsigned long long)version.rt_minor,
		 (unsigned long long)version.rt_patch);
}

enum nx_status nx_runtime_library_open(struct nx_runtime_library *lib, const char *path,
				       struct nx_error *err)
{
	enum nx_status st;
	void *library;

	memset(lib, 0, sizeof(*lib));
	st = path ? take_given(lib->path, path, err) : choose(lib->path, err);
	if (st)
		return st;
	/* Lazy: functions that it lacks may never be called. */
	library = dlopen(lib->path, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return nx_fail(err, NX_UNSUPPORTED,
			       "the Neuron runtime cannot be loaded (%.600s); install it, or name "
			       "another with --runtime PATH",
			       dlerror());
	st = resolve(lib, library, err);
	if (!st)
		ask_version(lib);
	return st;
}

enum nx_status nx_runtime_library_need(const struct nx_runtime_library *lib, const char *what,
				       const char *const *names, struct nx_error *err)
{
	for (; *names; names++) {
		void *function = NULL;

		for (size_t i = 0; i < COUNT(functions); i++)
			if (strcmp(functions[i].name, *names) == 0)
				memcpy(&function, (const char *)lib + functions[i].offset,
				       sizeof(function));
		if (!function)
			return nx_fail(err, NX_UNSUPPORTED,
				       "%s needs the function %s, which %s does not have; a newer "
				       "runtime has it",
				       what, *names, lib->path);
	}
	return NX_OK;
}

const char *nx_runtime_library_text(const struct nx_runtime_library *lib, char *out, size_t cap)
{
	assert(cap > 0);
	snprintf(out, cap, "%.*s%s%s%s", (int)(cap > 128 ? cap - 128 : 0), lib->path,
		 *lib->version ? ", version " : "", lib->version,
		 lib->is_own ? " (a NeuronCore in software)" : "");
	return out;
}

/* --- its statuses -------------------------------------------------------------------------- */

#define LOG "NEURON_RT_LOG_LEVEL=INFO shows what the runtime did"
#define INPUTS "give real inputs (NAME FILE), or continue with --ignore-exec-errors"
#define DRIVER "look at 'dmesg' and restart the Neuron driver"

static const struct meaning {
	NRT_STATUS status;
	const char *name;
	enum nx_status ours;
	const char *text; /* what it means; what to do */
} meanings[] = {
#define ROW(status, ours, text)                                                                    \
	{                                                                                          \
		status, #status, ours, text                                                        \
	}
	ROW(NRT_FAILURE, NX_IO, "the runtime gives no reason; " LOG),
	ROW(NRT_INVALID, NX_IO, "the runtime refused an argument or the moment; " LOG),
	ROW(NRT_INVALID_HANDLE, NX_IO, "the runtime does not know the handle; " LOG),
	ROW(NRT_RESOURCE, NX_LIMIT,
	    "memory or another resource ran out; end other programs on the device, or try "
	    "--single-io or --disable-profile"),
	ROW(NRT_TIMEOUT, NX_IO,
	    "the device did not end in time; look for a deadlock in the program, or raise "
	    "NEURON_RT_EXEC_TIMEOUT"),
	ROW(NRT_HW_ERROR, NX_IO, "the hardware reports an error; " DRIVER),
	ROW(NRT_QUEUE_FULL, NX_LIMIT,
	    "too many executions are waiting; lower --num-exec or use --exec-mode sync"),
	ROW(NRT_LOAD_NOT_ENOUGH_NC, NX_LIMIT,
	    "there are not enough NeuronCores; use fewer workers (-r), or free the cores that "
	    "other programs hold"),
	ROW(NRT_UNSUPPORTED_NEFF_VERSION, NX_VERSION,
	    "the runtime does not read this version of NEFF; use a newer runtime, or compile "
	    "again"),
	ROW(NRT_FAIL_HOST_MEM_ALLOC, NX_LIMIT, "the host has no memory left; end other programs"),
	ROW(NRT_UNINITIALIZED, NX_IO,
	    "the runtime could not begin; is there a Neuron device that no other program holds?"),
	ROW(NRT_CLOSED, NX_IO, "the runtime was closed already; run the command again"),
	ROW(NRT_QUEUE_EMPTY, NX_IO, "nothing was queued; run the command again"),
	ROW(NRT_EXEC_UNIT_UNRECOVERABLE, NX_IO, "the device has to be reset; " DRIVER),
	ROW(NRT_EXEC_BAD_INPUT, NX_MISMATCH,
	    "an input is missing or has the wrong size; try --io-from runtime"),
	ROW(NRT_EXEC_COMPLETED_WITH_NUM_ERR, NX_IO, "the model computed NaN or infinity; " INPUTS),
	ROW(NRT_EXEC_COMPLETED_WITH_ERR, NX_IO, "the execution ended with errors; " INPUTS),
	ROW(NRT_EXEC_NC_BUSY, NX_IO,
	    "the NeuronCore is busy with another program; end that one first"),
	ROW(NRT_EXEC_OOB, NX_IO, "the model reached outside of a tensor or memory; " INPUTS),
	ROW(NRT_COLL_PENDING, NX_IO, "a collective operation has not ended; try again"),
	ROW(NRT_EXEC_HW_ERR_COLLECTIVES, NX_IO,
	    "a collective operation failed; check that all workers run, on all nodes"),
	ROW(NRT_EXEC_HW_ERR_HBM_UE, NX_IO,
	    "device memory has an uncorrectable error; restart the instance"),
	ROW(NRT_EXEC_HW_ERR_NC_UE, NX_IO,
	    "the NeuronCore has an uncorrectable error; restart the instance"),
	ROW(NRT_EXEC_HW_ERR_DMA_ABORT, NX_IO, "a DMA engine gave up; " DRIVER),
	ROW(NRT_EXEC_SW_NQ_OVERFLOW, NX_IO,
	    "a queue of notifications overflowed; leave --enable-dge-notifs out"),
	ROW(NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE, NX_IO,
	    "device memory has an error that a restart of the instance repairs"),
	ROW(NRT_NETWORK_PROXY_FAILURE, NX_IO,
	    "the workers cannot reach each other; check the network and NEURON_RT_ROOT_COMM_ID"),
#undef ROW
};

static const struct meaning *meaning_of(NRT_STATUS status)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].status == status)
			return &meanings[i];
	return NULL;
}

const char *nx_runtime_status_name(const struct nx_runtime_library *lib, NRT_STATUS status)
{
	const struct meaning *meaning = meaning_of(status);
	const char *name = NULL;

	if (meaning)
		return meaning->name;
	if (lib && lib->nrt_get_status_as_str)
		name = lib->nrt_get_status_as_str(status);
	return name ? name : "an unknown status";
}

enum nx_status nx_runtime_fail(const struct nx_runtime_library *lib, NRT_STATUS status,
			       struct nx_error *err, const char *fmt, ...)
{
	const struct meaning *meaning = meaning_of(status);
	char what[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (meaning)
		return nx_fail(err, meaning->ours, "%s failed with %s: %s", what, meaning->name,
			       meaning->text);
	return nx_fail(err, NX_IO, "%s failed with %s (%d); " LOG, what,
		       nx_runtime_status_name(lib, status), (int)status);
}
