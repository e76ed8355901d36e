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
#define FOLDER_BYTES 1280
#define CLAIM_ATTEMPTS 100u /* names that are tried for a folder */
#define DATA_VERSION 2	    /* of trace_info.pb */

static _Thread_local char error[1024];

static struct {
	pthread_mutex_t lock; /* of all below; held while a session starts or stops */
	bool is_on;
	bool is_active; /* ring and thread exist: for a session, continuous recording or both */
	uint32_t turn;	/* for the switch */
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

int nx_profiler_fail(int status, const char *sentence)
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
	session.is_on = session.is_active = false;
	session.runtime.is_on = false;
	nx_profiler_names_abandon();
	nx_trace_writer_abandon();
	if (session.ring)
		nx_trace_ring_abandon(session.ring);
	nx_profiler_drain_abandon();
	nx_profiler_continuous_abandon();
	nx_profiler_server_abandon();
}

static void register_fork_handler(void)
{
	(void)pthread_atfork(NULL, NULL, after_fork);
}

/* Completes the session of programs that never stop it. */
static void __attribute__((destructor)) stop_at_exit(void)
{
	(void)nx_profiler_stop_server();
	if (!__atomic_load_n(&nx_profiler_switch, __ATOMIC_ACQUIRE))
		return;
	(void)nx_profiler_stop();
	(void)nx_profiler_continuous_stop();
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
		options.output_dir = NX_PROFILER_DEFAULT_FOLDER;
	if (!options.buffer_bytes)
		options.buffer_bytes = DEFAULT_BUFFER_BYTES;
	return options;
}

/* --- ring and thread -------------------------------------------------------------------------- */

void nx_profiler_lock(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, register_fork_handler);
	pthread_mutex_lock(&session.lock);
}

bool nx_profiler_trylock(void)
{
	return pthread_mutex_trylock(&session.lock) == 0;
}

void nx_profiler_unlock(void)
{
	pthread_mutex_unlock(&session.lock);
}

enum nx_status nx_profiler_activate(uint64_t buffer_bytes, struct nx_error *err)
{
	enum nx_status st;

	if (session.is_active)
		return NX_OK;
	nx_host_identity_read(&session.identity);
	session.epoch_offset_ns = nx_trace_clock_epoch_offset_ns();
	nx_profiler_runtime_find(&session.runtime);
	nx_trace_writer_reap();
	session.ring = session.runtime.share ? session.runtime.share->spans : &session.own_ring;
	if (nx_trace_ring_prepare_bytes(session.ring, buffer_bytes))
		return nx_fail(err, NX_LIMIT,
			       "out of memory for a buffer of %llu bytes; choose a smaller one",
			       (unsigned long long)buffer_bytes);
	st = nx_profiler_drain_begin(session.ring, session.epoch_offset_ns, err);
	session.is_active = !st;
	return st;
}

/* Another number lets each thread begin a chunk, so that records before and after differ. */
void nx_profiler_turn_on(void)
{
	session.turn = session.turn % (UINT32_MAX - 1) + 1;
	atomic_store(&nx_profiler_ring, session.ring);
	set_switch(session.turn);
}

void nx_profiler_deactivate(void)
{
	if (session.is_on || nx_profiler_continuous_is_on() || !session.is_active)
		return;
	set_switch(0);
	nx_profiler_drain_end();
	nx_trace_ring_forget(session.ring);
	session.is_active = false;
}

uint64_t nx_profiler_epoch_offset_ns(void)
{
	return session.epoch_offset_ns;
}

void nx_profiler_identify(const char **instance_id, const char **hostname)
{
	*instance_id = session.identity.instance_id;
	*hostname = session.identity.hostname;
}

void nx_profiler_join_keeper(void)
{
	nx_profiler_runtime_find(&session.runtime);
	nx_profiler_continuous_join(&session.runtime);
}

/* --- start ------------------------------------------------------------------------------------ */

/* Under the lock. The runtime's refusal is left in refused: the rest of the session works. */
static enum nx_status begin(const nx_profiler_options *options, struct nx_error *refused,
			    struct nx_error *err)
{
	char folder[FOLDER_BYTES];
	uint64_t first_ticket;
	enum nx_status st;

	session.init_ns = nx_trace_clock_epoch_ns();
	session.options = *options;
	snprintf(session.output_dir, sizeof(session.output_dir), "%s", options->output_dir);
	session.options.output_dir = session.output_dir;
	session.options.cores = NULL;
	session.is_runtime_refused = false;
	st = nx_profiler_activate(options->buffer_bytes, err);
	if (!st)
		st = make_folder(options->output_dir, err);
	nx_profiler_runtime_find(&session.runtime);
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
	first_ticket = atomic_load(&atomic_load(&session.ring->store)->next_ticket);
	st = nx_profiler_drain_open(directory, first_ticket, err);
	if (st)
		(void)nx_profiler_runtime_end(&session.runtime);
	return st;
}

NX_PROFILER_EXPORT int nx_profiler_start(const nx_profiler_options *given)
{
	nx_profiler_options options;
	struct nx_error err = {0}, refused = {0};
	enum nx_status st;

	if (given && given->struct_size < offsetof(nx_profiler_options, buffer_bytes))
		return nx_profiler_fail(NX_PROFILER_INVALID,
					"nx_profiler_start: struct_size is too small; begin with "
					"NX_PROFILER_OPTIONS");
	options = options_of(given);
	nx_profiler_lock();
	if (session.is_on) {
		pthread_mutex_unlock(&session.lock);
		return nx_profiler_fail(NX_PROFILER_BUSY,
					"a profiler session is already running; stop it first");
	}
	if (nx_profiler_runtime_set_cores(&session.runtime, options.cores, &err)) {
		pthread_mutex_unlock(&session.lock);
		return fail(NX_PROFILER_INVALID, &err);
	}
	st = begin(&options, &refused, &err);
	if (!st) {
		session.is_on = true;
		atomic_fetch_add(&session.number, 1);
		nx_profiler_turn_on();
	} else {
		nx_profiler_deactivate();
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
	nx_profiler_join_keeper();
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
	if (nx_profiler_continuous_is_on() && !session.runtime.share)
		nx_profiler_runtime_find(&session.runtime);
	nx_profiler_continuous_join(&session.runtime);
	pthread_mutex_unlock(&session.lock);
}

/* --- stop ------------------------------------------------------------------------------------- */

/* Under the lock. */
static enum nx_status end(struct nx_error *err)
{
	bool is_described, is_whole;

	if (!nx_profiler_continuous_is_on()) {
		set_switch(0);
		nx_profiler_drain_end();
	}
	is_described = (nx_profiler_runtime_end(&session.runtime) && session.runtime.share) ||
		       !session.is_described;
	is_whole = nx_profiler_drain_close(err);
	session.is_on = false;
	nx_profiler_deactivate();
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
		return nx_profiler_fail(NX_PROFILER_IDLE,
					"no profiler session is running; start one first");
	return st ? fail(status_of(st), &err) : NX_PROFILER_OK;
}

NX_PROFILER_EXPORT int nx_profiler_flush(void)
{
	bool is_on;

	pthread_mutex_lock(&session.lock);
	is_on = session.is_on;
	pthread_mutex_unlock(&session.lock);
	if (!is_on)
		return nx_profiler_fail(NX_PROFILER_IDLE,
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
		return nx_profiler_fail(NX_PROFILER_INVALID, "nx_profiler_demand: no such request");
	pthread_mutex_lock(&session.lock);
	fn = session.demand;
	context = session.demand_context;
	pthread_mutex_unlock(&session.lock);
	if (fn)
		return fn(context, request, options);
	return request == NX_PROFILER_REQUEST_START ? nx_profiler_start(options)
						    : nx_profiler_stop();
}
