/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/nrt_state.h"

#include <assert.h>
#include <dlfcn.h>
#include <nrt/nrt_experimental.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "runtime/nrt/async_queue.h"
#include "runtime/nrt/collectives.h"
#include "runtime/nrt/execution.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/interned.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/ntff_capture.h"
#include "runtime/nrt/ranks/rank_world.h"
#include "runtime/nrt/trace_keeping.h"
#include "runtime/trace/tracer.h"

enum phase { PHASE_NEW, PHASE_READY, PHASE_CLOSED };

static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER; /* init and close */
static _Atomic int phase;
static _Atomic uint64_t execution_count;
static struct nx_instance instance;

/* See nx_instance_mark. */
static struct {
	bool is_open;
	int fd;
	dev_t device;
	ino_t file;
} mark;

NRT_STATUS nx_state_check(void)
{
	switch (atomic_load_explicit(&phase, memory_order_acquire)) {
	case PHASE_READY:
		return NRT_SUCCESS;
	case PHASE_CLOSED:
		return NRT_CLOSED;
	default:
		return NRT_UNINITIALIZED;
	}
}

NRT_STATUS nx_state_check_core_for(const char *call, int64_t core)
{
	NRT_STATUS st = nx_state_check();

	if (st == NRT_SUCCESS && (core < 0 || core >= instance.visible_count)) {
		nx_log_error(call, "there is no core %lld; this process has cores 0 to %u",
			     (long long)core, instance.visible_count - 1);
		st = NRT_INVALID;
	}
	return st;
}

NRT_STATUS nx_state_acquire(const void *handle, enum nx_handle_kind kind, void *object)
{
	void *found;

	assert(object && kind != NX_HANDLE_NONE);
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!handle)
		return NRT_INVALID;
	found = nx_handle_acquire(handle, kind);
	memcpy(object, &found, sizeof(found));
	return found ? NRT_SUCCESS : NRT_INVALID_HANDLE;
}

const struct nx_instance *nx_state_instance(void)
{
	return &instance;
}

uint64_t nx_state_next_execution(void)
{
	return atomic_fetch_add(&execution_count, 1) + 1;
}

NRT_STATUS nx_state_fail(const char *call, const struct nx_error *err)
{
	nx_log_error(call, "%s", err->message);
	switch (err->status) {
	case NX_OK:
		return NRT_SUCCESS;
	case NX_USAGE:
	case NX_FORMAT:
	case NX_MISMATCH:
	case NX_NOT_FOUND:
		return NRT_INVALID;
	case NX_VERSION:
		return NRT_UNSUPPORTED_NEFF_VERSION;
	case NX_LIMIT:
	case NX_NO_SPACE:
		return NRT_RESOURCE;
	default:
		return NRT_FAILURE;
	}
}

static struct {
	_Atomic uint64_t count;
	_Atomic uint32_t latest;
} failures;

void nx_state_note_failure(NRT_STATUS st)
{
	if (st == NRT_SUCCESS)
		return;
	atomic_store(&failures.latest, (uint32_t)st);
	atomic_fetch_add(&failures.count, 1);
}

uint64_t nx_state_failures(uint32_t *latest)
{
	uint64_t count = atomic_load(&failures.count);

	*latest = atomic_load(&failures.latest);
	return count;
}

/* --- lists of names ------------------------------------------------------------- */

void nx_text_list_free(const char **list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		nx_heap_free((void *)(uintptr_t)list[i]);
	nx_heap_free((void *)list);
}

NRT_STATUS nx_text_list_new(const char *const *names, size_t name_count, const char ***out,
			    size_t *out_count)
{
	const char **list;

	if (!out || !out_count)
		return NRT_INVALID;
	list = nx_heap_try_alloc(name_count * sizeof(*list));
	for (size_t i = 0; list && i < name_count; i++) {
		char *copy = nx_heap_try_alloc(strlen(names[i]) + 1);

		if (!copy) {
			nx_text_list_free(list, i);
			return NRT_RESOURCE;
		}
		memcpy(copy, names[i], strlen(names[i]) + 1);
		list[i] = copy;
	}
	if (!list)
		return NRT_RESOURCE;
	*out = list;
	*out_count = name_count;
	return NRT_SUCCESS;
}

/* --- life ------------------------------------------------------------------------ */

static void set_mark(void)
{
	struct stat st;

	mark.fd = nx_instance_mark(&instance);
	mark.is_open = mark.fd >= 0 && fstat(mark.fd, &st) == 0;
	if (mark.is_open) {
		mark.device = st.st_dev;
		mark.file = st.st_ino;
	}
}

/* The host may have closed all descriptors and opened another file with this number. */
static void drop_mark(void)
{
	struct stat st;

	if (mark.is_open && fstat(mark.fd, &st) == 0 && st.st_dev == mark.device &&
	    st.st_ino == mark.file)
		close(mark.fd);
	mark.is_open = false;
}

/* A child process has none of our threads and must not write our files. */
static void renew(void *context, struct nx_object *object)
{
	struct nx_model *model = (struct nx_model *)object;

	(void)context;
	if (object->kind == NX_HANDLE_TENSOR_SET)
		nx_tensor_set_abandon((struct nx_tensor_set *)object);
	else if (model->port->abandon)
		model->port->abandon(model->program);
}

/* Threads of the parent may hold any lock; in the child nobody would release it. */
static void renew_locks(void)
{
	pthread_mutex_init(&life_lock, NULL);
	nx_handles_abandon();
	nx_interned_abandon();
	nx_memory_abandon();
	nx_tensors_abandon();
	nx_execution_abandon();
	nx_sendrecv_abandon();
	nx_handle_each(NX_HANDLE_MODEL, renew, NULL);
	nx_handle_each(NX_HANDLE_TENSOR_SET, renew, NULL);
}

static void after_fork(void)
{
	renew_locks();
	nx_tracer_abandon();
	nx_inspect_abandon();
	nx_trace_keeping_abandon();
	nx_ntff_capture_abandon();
	nx_async_abandon();
	nx_collectives_abandon();
	nx_rank_worlds_abandon();
	drop_mark();
}

static void register_fork_handler(void)
{
	if (pthread_atfork(NULL, NULL, after_fork))
		nx_log_warn("nrt_init", "cannot register a fork handler: children may write into "
					"this process's capture");
}

/*
 * A session of libnxprofiler.so.1 that began before this library was loaded: it would find us a
 * moment later, and the first calls would be missing.
 */
static void let_profiler_join(void)
{
	void *library = dlopen("libnxprofiler.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "nx_profiler_join_runtime") : NULL;
	int (*join)(void);

	memcpy(&join, &symbol, sizeof(join)); /* ISO C has no cast from data to functions */
	if (join)
		join();
	if (library)
		dlclose(library);
}

/* Whether a variable is set that libnxprofiler.so.1 obeys when it is loaded. */
static bool is_profiler_wanted(void)
{
	const char *recording = getenv("NEURON_PROFILER_CONTINUOUS");
	const char *port = getenv("NEURON_PROFILER_PORT");

	/* port 0 stands for any that is free */
	return (recording && *recording && strcmp(recording, "0") != 0) || (port && *port);
}

/*
 * Programs that do not link with the profiler get it if a variable asks for what it does. It is
 * installed beside the folder of this library; in a build tree it has a folder of its own.
 */
static void load_profiler(void)
{
	static const char *const places[] = {"", "../", "../profiler/"};
	char path[1280];
	Dl_info here;
	int len;

	if (!is_profiler_wanted() || dlopen("libnxprofiler.so.1", RTLD_NOW | RTLD_GLOBAL))
		return;
	if (!dladdr(&failures, &here) || !here.dli_fname)
		return;
	len = (int)(strrchr(here.dli_fname, '/') ? strrchr(here.dli_fname, '/') - here.dli_fname + 1
						 : 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%.*s%slibnxprofiler.so.1", len, here.dli_fname,
			 places[i]);
		if (dlopen(path, RTLD_NOW | RTLD_GLOBAL))
			return;
	}
	nx_log_warn("nrt_init",
		    "libnxprofiler.so.1 cannot be loaded, so there is no continuous recording "
		    "and no profiler server; "
		    "add its folder to LD_LIBRARY_PATH");
}

NX_EXPORT NRT_STATUS nrt_init(nrt_framework_type_t framework, const char *fw_version,
			      const char *fal_version)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	NRT_STATUS st = NRT_SUCCESS;

	if (framework <= NRT_FRAMEWORK_TYPE_INVALID || framework > NRT_FRAMEWORK_TYPE_PRECHECK)
		return NRT_INVALID;
	load_profiler();
	let_profiler_join(); /* calls back, so it must not find the lock taken */
	pthread_mutex_lock(&life_lock);
	if (atomic_load(&phase) == PHASE_READY) {
		nx_log_error(__func__, "the runtime is already initialised; call nrt_close first");
		st = NRT_INVALID;
	} else {
		nx_log_restart();
		pthread_once(&once, register_fork_handler);
		nx_instance_read(&instance);
		set_mark();
		nx_execution_restart();
		atomic_store_explicit(&phase, PHASE_READY, memory_order_release);
		nx_log_info(__func__, "framework %d (%s, %s), %u cores", (int)framework,
			    fw_version ? fw_version : "", fal_version ? fal_version : "",
			    instance.visible_count);
		nx_inspect_begin_from_environment();
		nx_trace_keeping_begin();
	}
	pthread_mutex_unlock(&life_lock);
	return st;
}

NX_EXPORT void nrt_close(void)
{
	pthread_mutex_lock(&life_lock);
	if (atomic_load(&phase) == PHASE_READY) {
		nx_async_end();
		nx_sendrecv_end();
		nx_inspect_end();
		nx_trace_keeping_end();
		nx_ntff_capture_end();
		nx_tracer_end();
		nx_tracer_forget();
		atomic_store_explicit(&phase, PHASE_CLOSED, memory_order_release);
		nx_handle_close_all();
		nx_collectives_end();
		nx_rank_worlds_end();
		drop_mark();
	}
	pthread_mutex_unlock(&life_lock);
}

/* Completes the capture of programs that never call nrt_close. */
static void __attribute__((destructor)) close_at_exit(void)
{
	nx_inspect_end();
}

/* --- counts ------------------------------------------------------------------------ */

static NRT_STATUS count_cores(uint32_t *count, bool is_visible)
{
	struct nx_instance now = instance;

	if (!count)
		return NRT_INVALID;
	if (nx_state_check() != NRT_SUCCESS)
		nx_instance_read(&now);
	*count = is_visible ? now.visible_count : now.total_count;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_get_total_nc_count(uint32_t *vnc_count)
{
	return count_cores(vnc_count, false);
}

NX_EXPORT NRT_STATUS nrt_get_total_vnc_count(uint32_t *vnc_count)
{
	return count_cores(vnc_count, false);
}

NX_EXPORT NRT_STATUS nrt_get_visible_nc_count(uint32_t *vnc_count)
{
	return count_cores(vnc_count, true);
}

NX_EXPORT NRT_STATUS nrt_get_visible_vnc_count(uint32_t *vnc_count)
{
	return count_cores(vnc_count, true);
}
