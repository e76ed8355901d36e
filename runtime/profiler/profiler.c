/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of libnxprofiler.so.1: folders, the life of the ring and of its thread. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "format/process_folder.h"
#include "format/spans.h"
#include "runtime/profiler/profiler_internal.h"
#include "runtime/trace/guest_files.h"
#include "runtime/trace/host_identity.h"

#define DEFAULT_BUFFER_BYTES ((uint64_t)32 << 20)
#define DEFAULT_FOLDER "output"
#define FOLDER_BYTES 1280
#define CLAIM_ATTEMPTS 100u /* names that are tried for a folder */
#define DATA_VERSION 2	    /* of trace_info.pb */

static _Thread_local char error[1024];

static struct {
	pthread_mutex_t lock; /* of all below; held while a session starts or stops */
	bool is_on;
	_Atomic uint64_t number; /* sessions so far */
	struct nx_trace_ring own_ring;
	struct nx_trace_ring *ring;
	struct nx_profiler_runtime runtime;
	struct nx_host_identity identity;
	uint64_t init_ns, epoch_offset_ns;
	nx_profiler_options
		options; /* while it runs; output_dir is a copy, runtime has the cores */
	char output_dir[FOLDER_BYTES];
	bool is_runtime_refused;
	bool is_described; /* trace_info.pb is ours to complete */
	nx_profiler_demand_fn demand;
	void *demand_context;
} session = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Not under the lock, as readers may not wait for a session that starts: written before the switch.
 */
static char directory[FOLDER_BYTES];

static int fail(int status, const struct nx_error *err)
{
	snprintf(error, sizeof(error), "%s", err->message);
	return status;
}

static int fail_with(int status, const char *sentence)
{
	snprintf(error, sizeof(error), "%s", sentence);
	return status;
}

NX_PROFILER_EXPORT const char *nx_profiler_error(void)
{
	return error;
}

static int status_of(enum nx_status st)
{
	switch (st) {
	case NX_OK:
		return NX_PROFILER_OK;
	case NX_LIMIT:
		return NX_PROFILER_LIMIT;
	case NX_UNSUPPORTED:
		return NX_PROFILER_RUNTIME;
	default:
		return NX_PROFILER_IO;
	}
}

/* --- files ------------------------------------------------------------------------------------ */

/* A folder of its own below that of the process, like those of libnrt.so.1. */
static enum nx_status make_folder(const char *output_dir, struct nx_error *err)
{
	enum nx_status st;
	int len = snprintf(directory, sizeof(directory), "%s/" NX_PROCESS_FOLDER, output_dir,
			   session.identity.instance_id, (int)getpid());

	if (len < 0 || (size_t)len + 32 > sizeof(directory))
		return nx_fail(err, NX_LIMIT, "the folder name %.60s... is too long", output_dir);
	st = nx_guest_make_folder(directory, err);
	if (st)
		return st;
	for (unsigned attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
		snprintf(directory + len, sizeof(directory) - (size_t)len, "/%llu",
			 (unsigned long long)session.init_ns + attempt);
		if (mkdir(directory, 0777) == 0)
			return NX_OK;
		if (errno != EEXIST)
			return nx_fail_errno(err, errno, "cannot make the folder %s", directory);
	}
	return nx_fail(err, NX_LIMIT, "%s and all alternative names exist already", directory);
}

struct info {
	uint64_t close_ns;
	struct nx_bytes bytes;
};

static void encode_info(void *context)
{
	struct info *info = context;
	const struct nx_ntrace_info message = {
		.pid = (uint64_t)getpid(),
		.instance_id = nx_slice_text(session.identity.instance_id),
		.instance_hostname = nx_slice_text(session.identity.hostname),
		.data_version = DATA_VERSION,
		.init_ns = session.init_ns,
		.close_ns = info->close_ns,
	};

	nx_wire_encode(&nx_ntrace_info_message, &message, &info->bytes);
}

/* Describes the process, unless libnrt.so.1 does. Without an end, the process was killed. */
static enum nx_status write_info(bool is_end, struct nx_error *err)
{
	struct info info = {.close_ns = is_end ? nx_trace_clock_epoch_ns() : 0};
	char path[FOLDER_BYTES + 32];
	enum nx_status st;

	snprintf(path, sizeof(path), "%s/trace_info.pb", directory);
	if (!nx_heap_guarded(encode_info, &info))
		return nx_fail(err, NX_LIMIT, "out of memory for %s", path);
	st = nx_guest_write_file(path, nx_slice_of(info.bytes.items, info.bytes.len), err);
	nx_vec_release(&info.bytes);
	return st;
}

/* --- fork and exit ---------------------------------------------------------------------------- */

static void set_switch(uint32_t value)
{
	__atomic_store_n(&nx_profiler_switch, value, __ATOMIC_RELEASE);
}

/* The session is the parent's. */
static void after_fork(void)
{
	set_switch(0);
	pthread_mutex_init(&session.lock, NULL);
	session.is_on = false;
	session.runtime.is_on = false;
	nx_profiler_names_abandon();
	nx_trace_writer_abandon();
	if (session.ring)
		nx_trace_ring_abandon(session.ring);
	nx_profiler_drain_abandon();
}

static void register_fork_handler(void)
{
	(void)pthread_atfork(NULL, NULL, after_fork);
}

/* Completes the session of programs that never stop it. */
static void __attribute__((destructor)) stop_at_exit(void)
{
	if (__atomic_load_n(&nx_profiler_switch, __ATOMIC_ACQUIRE))
		(void)nx_profiler_stop();
}

/* --- start ------------------------------------------------------------------------------------ */

/* Members that the caller's version of the header has. */
static nx_profiler_options options_of(const nx_profiler_options *given)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;
	size_t size = given ? given->struct_size : 0;

	if (given)
		memcpy(&options, given, size < sizeof(options) ? size : sizeof(options));
	options.struct_size = sizeof(options);
	if (!options.output_dir || !*options.output_dir)
		options.output_dir = DEFAULT_FOLDER;
	if (!options.buffer_bytes)
		options.buffer_bytes = DEFAULT_BUFFER_BYTES;
	return options;
}

static enum nx_status prepare_ring(const nx_profiler_options *options, struct nx_error *err)
{
	nx_trace_writer_reap();
	session.ring = session.runtime.share ? session.runtime.share->spans : &session.own_ring;
	if (nx_trace_ring_prepare_bytes(session.ring, options->buffer_bytes))
		return nx_fail(err, NX_LIMIT,
			       "out of memory for a buffer of %llu bytes; choose a smaller one",
			       (unsigned long long)options->buffer_bytes);
	return NX_OK;
}

/* Under the lock. The runtime's refusal is left in refused: the rest of the session works. */
static enum nx_status begin(const nx_profiler_options *options, struct nx_error *refused,
			    struct nx_error *err)
{
	struct nx_profiler_drain_options drain;
	char folder[FOLDER_BYTES];
	enum nx_status st;

	nx_host_identity_read(&session.identity);
	session.init_ns = nx_trace_clock_epoch_ns();
	session.epoch_offset_ns = nx_trace_clock_epoch_offset_ns();
	session.options = *options;
	snprintf(session.output_dir, sizeof(session.output_dir), "%s", options->output_dir);
	session.options.output_dir = session.output_dir;
	session.options.cores = NULL;
	session.is_runtime_refused = false;
	nx_profiler_runtime_find(&session.runtime);
	st = make_folder(options->output_dir, err);
	if (!st)
		st = prepare_ring(options, err);
	/* The first file: whenever the process is killed, its folder can be read. */
	if (!st)
		st = write_info(false, err);
	if (st)
		return st;
	memcpy(folder, directory, sizeof(folder));
	if (options->with_runtime &&
	    nx_profiler_runtime_begin(&session.runtime, options, session.epoch_offset_ns, folder,
				      sizeof(folder), refused))
		session.is_runtime_refused = true;
	session.is_described = true;
	/* another runtime that made a folder describes it */
	if (strcmp(folder, directory) != 0) {
		char path[FOLDER_BYTES + 32];

		snprintf(path, sizeof(path), "%s/trace_info.pb", directory);
		(void)unlink(path);
		(void)rmdir(directory);
		memcpy(directory, folder, sizeof(directory));
		session.is_described = false;
	}
	drain = (struct nx_profiler_drain_options){directory, session.ring,
						   session.epoch_offset_ns};
	st = nx_profiler_drain_begin(&drain, err);
	if (st)
		(void)nx_profiler_runtime_end(&session.runtime);
	return st;
}

NX_PROFILER_EXPORT int nx_profiler_start(const nx_profiler_options *given)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	nx_profiler_options options;
	struct nx_error err = {0}, refused = {0};
	enum nx_status st;
	uint64_t number;

	if (given && given->struct_size < offsetof(nx_profiler_options, buffer_bytes))
		return fail_with(NX_PROFILER_INVALID,
				 "nx_profiler_start: struct_size is too small; begin with "
				 "NX_PROFILER_OPTIONS");
	options = options_of(given);
	pthread_once(&once, register_fork_handler);
	pthread_mutex_lock(&session.lock);
	if (session.is_on) {
		pthread_mutex_unlock(&session.lock);
		return fail_with(NX_PROFILER_BUSY,
				 "a profiler session is already running; stop it first");
	}
	if (nx_profiler_runtime_set_cores(&session.runtime, options.cores, &err)) {
		pthread_mutex_unlock(&session.lock);
		return fail(NX_PROFILER_INVALID, &err);
	}
	st = begin(&options, &refused, &err);
	if (!st) {
		session.is_on = true;
		number = atomic_load(&session.number) + 1;
		atomic_store(&session.number, number);
		atomic_store(&nx_profiler_ring, session.ring);
		set_switch((uint32_t)(number % UINT32_MAX + 1));
	}
	pthread_mutex_unlock(&session.lock);
	if (st)
		return fail(status_of(st), &err);
	return refused.message[0] ? fail(NX_PROFILER_RUNTIME, &refused) : NX_PROFILER_OK;
}

/* --- a runtime that is loaded later ------------------------------------------------------------
 */

/* Under the lock. A runtime that made a folder of its own keeps it. */
static enum nx_status join_runtime(struct nx_error *err)
{
	char folder[FOLDER_BYTES];
	enum nx_status st;

	if (!session.is_on || !session.options.with_runtime || session.runtime.is_on ||
	    session.is_runtime_refused)
		return NX_OK;
	nx_profiler_runtime_find(&session.runtime);
	memcpy(folder, directory, sizeof(folder));
	st = nx_profiler_runtime_begin(&session.runtime, &session.options, session.epoch_offset_ns,
				       folder, sizeof(folder), err);
	session.is_runtime_refused = st != NX_OK;
	return st;
}

NX_PROFILER_EXPORT int nx_profiler_join_runtime(void)
{
	struct nx_error err = {0};
	enum nx_status st;

	pthread_mutex_lock(&session.lock);
	st = join_runtime(&err);
	pthread_mutex_unlock(&session.lock);
	return st ? fail(status_of(st), &err) : NX_PROFILER_OK;
}

void nx_profiler_look_for_runtime(void)
{
	struct nx_error err = {0};

	/* Whoever holds the lock may be waiting for this thread to end. */
	if (pthread_mutex_trylock(&session.lock))
		return;
	(void)join_runtime(&err);
	pthread_mutex_unlock(&session.lock);
}

/* --- stop ------------------------------------------------------------------------------------- */

/* Under the lock. */
static enum nx_status end(struct nx_error *err)
{
	bool is_described, is_whole;

	set_switch(0);
	is_described = (nx_profiler_runtime_end(&session.runtime) && session.runtime.share) ||
		       !session.is_described;
	is_whole = nx_profiler_drain_end(err);
	nx_trace_ring_forget(session.ring);
	session.is_on = false;
	if (!is_described) {
		enum nx_status st = write_info(true, err);

		if (st)
			return st;
	}
	return is_whole ? NX_OK : NX_IO;
}

NX_PROFILER_EXPORT int nx_profiler_stop(void)
{
	struct nx_error err = {0};
	enum nx_status st = NX_OK;
	bool was_on;

	pthread_mutex_lock(&session.lock);
	was_on = session.is_on;
	if (was_on)
		st = end(&err);
	pthread_mutex_unlock(&session.lock);
	if (!was_on)
		return fail_with(NX_PROFILER_IDLE,
				 "no profiler session is running; start one first");
	return st ? fail(status_of(st), &err) : NX_PROFILER_OK;
}

NX_PROFILER_EXPORT int nx_profiler_flush(void)
{
	if (!nx_profiler_is_on())
		return fail_with(NX_PROFILER_IDLE,
				 "no profiler session is running; start one first");
	nx_profiler_drain_flush();
	return NX_PROFILER_OK;
}

/* --- questions -------------------------------------------------------------------------------- */

NX_PROFILER_EXPORT const char *nx_profiler_directory(void)
{
	return atomic_load(&session.number) ? directory : "";
}

NX_PROFILER_EXPORT uint64_t nx_profiler_session(void)
{
	return atomic_load(&session.number);
}

NX_PROFILER_EXPORT void nx_profiler_counts(uint64_t *recorded, uint64_t *lost)
{
	uint64_t total, dropped;

	nx_profiler_drain_flush();
	nx_profiler_drain_counts(&total, &dropped);
	if (recorded)
		*recorded = total;
	if (lost)
		*lost = dropped;
}

/* --- on demand -------------------------------------------------------------------------------- */

NX_PROFILER_EXPORT void nx_profiler_on_demand(nx_profiler_demand_fn fn, void *context)
{
	pthread_mutex_lock(&session.lock);
	session.demand = fn;
	session.demand_context = context;
	pthread_mutex_unlock(&session.lock);
}

NX_PROFILER_EXPORT int nx_profiler_demand(nx_profiler_request request,
					  const nx_profiler_options *options)
{
	nx_profiler_demand_fn fn;
	void *context;

	if (request != NX_PROFILER_REQUEST_START && request != NX_PROFILER_REQUEST_STOP)
		return fail_with(NX_PROFILER_INVALID, "nx_profiler_demand: no such request");
	pthread_mutex_lock(&session.lock);
	fn = session.demand;
	context = session.demand_context;
	pthread_mutex_unlock(&session.lock);
	if (fn)
		return fn(context, request, options);
	return request == NX_PROFILER_REQUEST_START ? nx_profiler_start(options)
						    : nx_profiler_stop();
}
