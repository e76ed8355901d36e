/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libnrt.so.1 in this process. Ours offers a table (runtime/trace/trace_share.h); with any other,
 * the public nrt_inspect_* calls are made. The library is never loaded here, only found.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <nrt/nrt_profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profiler/profiler_internal.h"

#define PATH_MAX_BYTES 1280

/* The reference keeps it loaded, as rings and functions of it are used from now on. */
static void *find_library(void)
{
	static void *library;

	if (!library)
		library = dlopen("libnrt.so.1", RTLD_NOW | RTLD_NOLOAD);
	return library;
}

/* A static runtime, or one of another file name, is found in the program itself. */
static void *find_function(const char *name)
{
	void *library = find_library();
	void *function = library ? dlsym(library, name) : NULL;

	return function ? function : dlsym(RTLD_DEFAULT, name);
}

void nx_profiler_runtime_find(struct nx_profiler_runtime *runtime)
{
	nx_trace_share_fn get;

	*(void **)&get = find_function(NX_TRACE_SHARE_FUNCTION);
	runtime->share = get ? get() : NULL;
	if (runtime->share && (runtime->share->version != NX_TRACE_SHARE_VERSION ||
			       runtime->share->size < sizeof(*runtime->share)))
		runtime->share = NULL;
	runtime->is_loaded = runtime->share || find_function("nrt_inspect_begin_with_options");
}

/* --- another runtime -------------------------------------------------------------------------- */

/* X(member, function): what a session needs of it */
#define CALLS(X)                                                                                   \
	X(allocate, nrt_inspect_config_allocate)                                                   \
	X(set_defaults, nrt_inspect_config_set_defaults)                                           \
	X(set_output_dir, nrt_inspect_config_set_output_dir)                                       \
	X(set_enable, nrt_inspect_config_set_enable_inspect)                                       \
	X(set_activity, nrt_inspect_config_set_activity)                                           \
	X(set_core, nrt_inspect_config_set_capture_enabled_for_nc)                                 \
	X(free, nrt_inspect_config_free)                                                           \
	X(begin, nrt_inspect_begin_with_options)                                                   \
	X(stop, nrt_inspect_stop)                                                                  \
	X(get_folder, nrt_inspect_get_instance_output_dir)

struct calls {
#define MEMBER(member, function) __typeof__(&(function)) member;
	CALLS(MEMBER)
#undef MEMBER
};

/* The name of the first function that is missing, or NULL. */
static const char *find_calls(struct calls *calls)
{
#define FIND(member, function)                                                                     \
	*(void **)&calls->member = find_function(#function);                                       \
	if (!calls->member)                                                                        \
		return #function;
	CALLS(FIND)
#undef FIND
	return NULL;
}

/* The subfolder of a session is named after its start time: the latest one is ours. */
static void find_newest(char *folder, size_t cap)
{
	unsigned long long newest = 0;
	DIR *dir = opendir(folder);
	size_t len = strlen(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *end;
		unsigned long long number = strtoull(entry->d_name, &end, 10);

		if (!*end && number > newest)
			newest = number;
	}
	if (dir)
		closedir(dir);
	if (newest)
		snprintf(folder + len, cap - len, "/%llu", newest);
}

/* Switches off all cores but those of the filter. A core that the runtime does not know may refuse,
 * as it records nothing either way. */
static void set_cores(const struct calls *calls, nrt_inspect_config_t *config,
		      const struct nx_trace_filter *filter)
{
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
		(void)calls->set_core(config, core, nx_trace_filter_has_core(filter, core));
}

static enum nx_status begin_other(const nx_profiler_options *options,
				  const struct nx_trace_filter *filter, char *folder, size_t cap,
				  struct nx_error *err)
{
	struct calls calls;
	const char *missing = find_calls(&calls);
	nrt_inspect_config_t *config = NULL;
	char found[PATH_MAX_BYTES];
	NRT_STATUS st;

	if (missing)
		return nx_fail(err, NX_UNSUPPORTED,
			       "libnrt.so.1 has no %s; its calls are not in the profile", missing);
	st = calls.allocate(&config);
	if (!st)
		st = calls.set_defaults(config);
	if (!st)
		st = calls.set_output_dir(config, options->output_dir);
	if (!st)
		st = calls.set_enable(config, true);
	if (!st && !options->with_device)
		st = calls.set_activity(config, "device_profile", false);
	if (!st && filter)
		set_cores(&calls, config, filter);
	if (!st)
		st = calls.begin(config);
	if (config)
		(void)calls.free(config);
	if (st)
		return nx_fail(err, NX_UNSUPPORTED,
			       "libnrt.so.1 refused to start its session (status %d), so its calls "
			       "are not in the profile; call nrt_init before the profiler starts",
			       (int)st);
	if (!calls.get_folder(options->output_dir, found, sizeof(found))) {
		find_newest(found, sizeof(found));
		snprintf(folder, cap, "%s", found);
	}
	return NX_OK;
}

/* --- a session -------------------------------------------------------------------------------- */

enum nx_status nx_profiler_runtime_set_cores(struct nx_profiler_runtime *runtime, const char *text,
					     struct nx_error *err)
{
	nx_trace_filter_set_all(&runtime->filter);
	runtime->is_filtered = text && *text;
	return runtime->is_filtered ? nx_trace_filter_parse_cores(&runtime->filter, text, err)
				    : NX_OK;
}

enum nx_status nx_profiler_runtime_begin(struct nx_profiler_runtime *runtime,
					 const nx_profiler_options *options,
					 uint64_t epoch_offset_ns, char *folder, size_t cap,
					 struct nx_error *err)
{
	struct nx_trace_share_session session = {folder, options->with_device,
						 options->max_events_per_core, epoch_offset_ns,
						 &runtime->filter};
	char message[512];

	if (!runtime->is_loaded)
		return NX_OK;
	if (runtime->share && !runtime->share->begin(&session, message, sizeof(message)))
		return nx_fail(err, NX_UNSUPPORTED,
			       "the calls of libnrt.so.1 are not in the profile: %s", message);
	if (!runtime->share) {
		enum nx_status st = begin_other(
			options, runtime->is_filtered ? &runtime->filter : NULL, folder, cap, err);

		if (st)
			return st;
	}
	runtime->is_on = true;
	return NX_OK;
}

bool nx_profiler_runtime_end(struct nx_profiler_runtime *runtime)
{
	NRT_STATUS (*stop)(void);
	bool was_on = runtime->is_on;

	runtime->is_on = false;
	if (!was_on)
		return false;
	if (runtime->share)
		return runtime->share->end();
	*(void **)&stop = find_function("nrt_inspect_stop");
	return stop && !stop();
}
