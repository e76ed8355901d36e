/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect_session: the thread that empties the rings into files, and the session
 * it belongs to. The host's threads never wait for it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "format/process_folder.h"
#include "runtime/nrt/guest_files.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/inspect_info.h"
#include "runtime/nrt/interned.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/nrt/ntff_capture.h"

#define DRAIN_PERIOD_NS UINT64_C(50000000)
#define SAMPLE_PERIOD_NS UINT64_C(1000000000)
#define FLUSH_BYTES ((size_t)256 << 10)
/* Longer than any record: the buffer never grows while the tracer is locked. */
#define RECORD_BYTES ((size_t)4096)
#define CLAIM_ATTEMPTS 100u /* of names for a folder */

static struct {
	pthread_mutex_t life; /* begin and end, one after the other */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wakes;
	bool is_on, is_ending;
	struct nx_thread thread;
	struct nrt_inspect_config config;
	char folder[NX_INSPECT_PATH_MAX + 256];
	/* The thread's own while it runs: */
	struct nx_guest_stream events, cpu, memory;
	struct nx_bytes pending;
	uint64_t pending_count, stored_count;
	struct nx_host_samples samples;
	struct nx_host_facts host;
	uint64_t init_ns, next_sample_ns;
} session = {.life = PTHREAD_MUTEX_INITIALIZER,
	     .lock = PTHREAD_MUTEX_INITIALIZER,
	     .wakes = PTHREAD_COND_INITIALIZER,
	     .events = {.fd = -1},
	     .cpu = {.fd = -1},
	     .memory = {.fd = -1}};

static bool captures(unsigned activity)
{
	return session.config.is_on && (session.config.activities & activity);
}

/* --- draining --------------------------------------------------------------------------------- */

static void flush_events(void)
{
	if (!session.pending.len)
		return;
	if (nx_guest_stream_append(&session.events,
				   nx_slice_of(session.pending.items, session.pending.len)))
		session.stored_count += session.pending_count;
	session.pending.len = 0;
	session.pending_count = 0;
}

static void append_event(void *context, const struct nx_trace_place *place,
			 const struct nx_trace_record *record)
{
	(void)context;
	nx_trace_event_append(place, record, &session.pending);
	session.pending_count++;
	if (session.pending.len >= FLUSH_BYTES)
		flush_events();
}

static void drain(bool is_final)
{
	if (!captures(NX_INSPECT_SYSTEM))
		return;
	nx_tracer_take(NX_TRACER_ALL_CORES, UINT64_MAX, is_final, append_event, NULL);
	flush_events();
}

/* --- samples ------------------------------------------------------------------------- */

static void sample(void *context)
{
	static char text[256 << 10]; /* a line for each of a thousand processors */
	uint64_t now_ns = nx_trace_clock_epoch_ns();
	struct nx_bytes records = {0};

	(void)context;
	if (captures(NX_INSPECT_CPU) && nx_host_read_file("/proc/stat", text, sizeof(text))) {
		nx_host_samples_cpu(&session.samples, text, now_ns, &records);
		nx_guest_stream_append(&session.cpu, nx_slice_of(records.items, records.len));
		records.len = 0;
	}
	if (captures(NX_INSPECT_HOST_MEMORY) &&
	    nx_host_read_file("/proc/self/statm", text, sizeof(text))) {
		nx_host_samples_memory(&session.samples, text, now_ns, &records);
		nx_guest_stream_append(&session.memory, nx_slice_of(records.items, records.len));
	}
	nx_vec_release(&records);
}

/* The end is told last of all: a capture without it is one of a process that was killed. */
static enum nx_status write_info(bool is_end, struct nx_error *err)
{
	struct nx_inspect_facts facts = {
		.instance = nx_state_instance(),
		.host = &session.host,
		.folder = session.folder,
		.session_id = (uint64_t)session.config.session_id,
		.init_ns = session.init_ns,
		.close_ns = is_end ? nx_trace_clock_epoch_ns() : 0,
		.has_events = captures(NX_INSPECT_SYSTEM),
		.has_cpu = captures(NX_INSPECT_CPU),
		.has_memory = captures(NX_INSPECT_HOST_MEMORY),
		.stored_event_count = session.stored_count,
		.total_event_count = captures(NX_INSPECT_SYSTEM) ? nx_tracer_count().total : 0,
		.cpu_ticks = session.samples.cpu_ticks,
		.memory_ticks = session.samples.memory_ticks,
	};

	return nx_inspect_info_write(&facts, err);
}

static void refresh_info(bool is_end)
{
	struct nx_error err = {0};

	if (write_info(is_end, &err))
		nx_log_error("nrt_inspect", "%s", err.message);
}

static void tick(void)
{
	if (nx_trace_clock_epoch_ns() < session.next_sample_ns)
		return;
	session.next_sample_ns += SAMPLE_PERIOD_NS;
	if (!nx_heap_guarded(sample, NULL))
		nx_log_error("nrt_inspect", "out of memory while sampling the host");
	refresh_info(false);
}

/* --- the thread ---------------------------------------------------------------------- */

static struct timespec after_ns(uint64_t ns)
{
	uint64_t then = nx_trace_clock_epoch_ns() + ns;

	return (struct timespec){(time_t)(then / 1000000000u), (long)(then % 1000000000u)};
}

static void keep_draining(void *unused)
{
	bool is_over = false;

	(void)unused;
	while (!is_over) {
		struct timespec then = after_ns(DRAIN_PERIOD_NS);

		drain(false);
		tick();
		pthread_mutex_lock(&session.lock);
		if (!session.is_ending)
			pthread_cond_timedwait(&session.wakes, &session.lock, &then);
		is_over = session.is_ending;
		pthread_mutex_unlock(&session.lock);
	}
}

/* --- folders ------------------------------------------------------------------- */

/*
 * Making the folder is claiming it: containers on a shared volume may all be process 1 of the same
 * instance. Whoever comes second, also a second session, gets a folder named by its time below.
 */
static enum nx_status claim_folder(size_t len, struct nx_error *err)
{
	size_t cap = sizeof(session.folder);

	for (unsigned attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
		if (mkdir(session.folder, 0777) == 0)
			return NX_OK;
		if (errno != EEXIST)
			return nx_fail_errno(err, errno, "cannot make the folder %s",
					     session.folder);
		snprintf(session.folder + len, cap - len, "/%llu",
			 (unsigned long long)session.init_ns + attempt);
	}
	return nx_fail(err, NX_LIMIT, "%s and all alternative names exist already", session.folder);
}

static enum nx_status make_folder(struct nx_error *err)
{
	enum nx_status st = nx_guest_make_folder(session.config.output_dir, err);
	int len = snprintf(session.folder, sizeof(session.folder), "%s/" NX_PROCESS_FOLDER,
			   session.config.output_dir, nx_state_instance()->instance_id,
			   (int)getpid());

	return st ? st : claim_folder((size_t)len, err);
}

static enum nx_status open_streams(struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (captures(NX_INSPECT_SYSTEM))
		st = nx_guest_stream_open(&session.events, session.folder, "ntrace.pb", err);
	if (!st && captures(NX_INSPECT_CPU))
		st = nx_guest_stream_open(&session.cpu, session.folder, "cpu_util.pb", err);
	if (!st && captures(NX_INSPECT_HOST_MEMORY))
		st = nx_guest_stream_open(&session.memory, session.folder, "host_mem.pb", err);
	return st;
}

/* --- begin and end ------------------------------------------------------------- */

static enum nx_status begin_trace(struct nx_error *err)
{
	struct nx_tracer_options options = {
		.filter = session.config.filter,
		.max_events = session.config.max_events,
		.core_count = nx_state_instance()->visible_count,
		.worker = nx_state_instance()->first_visible,
	};

	return captures(NX_INSPECT_SYSTEM) ? nx_tracer_begin(&options, err) : NX_OK;
}

static void close_files(void)
{
	nx_guest_stream_close(&session.events);
	nx_guest_stream_close(&session.cpu);
	nx_guest_stream_close(&session.memory);
	nx_vec_release(&session.pending);
}

static void reserve_pending(void *context)
{
	(void)context;
	nx_vec_reserve(&session.pending, FLUSH_BYTES + RECORD_BYTES);
}

static enum nx_status begin_files(struct nx_error *err)
{
	bool has_thread = captures(NX_INSPECT_SYSTEM | NX_INSPECT_CPU | NX_INSPECT_HOST_MEMORY);
	enum nx_status st = make_folder(err);

	if (!st && !nx_heap_guarded(reserve_pending, NULL))
		st = nx_fail(err, NX_LIMIT, "out of memory for the capture");
	if (!st)
		st = begin_trace(err);
	/* First of all files: whenever the process is killed, its folder can be read. */
	if (!st && has_thread)
		st = write_info(false, err);
	if (!st)
		st = open_streams(err);
	if (!st && has_thread)
		st = nx_thread_start(&session.thread, "nrt-drain", keep_draining, NULL, err);
	return st;
}

static enum nx_status begin(const struct nrt_inspect_config *config, struct nx_error *err)
{
	enum nx_status st;

	if (session.is_on)
		return nx_fail(err, NX_MISMATCH,
			       "an inspect session is already running; stop it first");
	session.config = *config;
	session.init_ns = session.next_sample_ns = nx_trace_clock_epoch_ns();
	session.stored_count = session.pending_count = 0;
	memset(&session.samples, 0, sizeof(session.samples));
	nx_host_facts_read(&session.host);
	session.is_ending = false;
	st = begin_files(err);
	if (st) {
		if (captures(NX_INSPECT_SYSTEM) && st != NX_MISMATCH)
			nx_tracer_end();
		close_files();
		return nx_context(err, "cannot capture this process");
	}
	pthread_mutex_lock(&session.lock);
	session.is_on = true;
	pthread_mutex_unlock(&session.lock);
	nx_log_info("nrt_inspect", "capturing into %s", session.folder);
	return NX_OK;
}

enum nx_status nx_inspect_begin(const struct nrt_inspect_config *config, struct nx_error *err)
{
	enum nx_status st;

	pthread_mutex_lock(&session.life);
	st = begin(config, err);
	pthread_mutex_unlock(&session.life);
	return st;
}

static void stop_thread(void)
{
	pthread_mutex_lock(&session.lock);
	session.is_ending = true;
	pthread_cond_broadcast(&session.wakes);
	pthread_mutex_unlock(&session.lock);
	nx_thread_join(&session.thread);
}

static void finish(void)
{
	const struct timespec moment = {0, 1000000}; /* for threads inside an event */
	struct nx_tracer_counts counts;

	if (captures(NX_INSPECT_SYSTEM))
		nx_tracer_end();
	stop_thread();
	nanosleep(&moment, NULL);
	drain(true);
	counts = nx_tracer_count();
	if (captures(NX_INSPECT_SYSTEM) && counts.total > session.stored_count)
		nx_log_warn("nrt_inspect",
			    "%llu of %llu trace events were dropped; raise "
			    "NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC or filter events",
			    (unsigned long long)(counts.total - session.stored_count),
			    (unsigned long long)counts.total);
	if (captures(NX_INSPECT_SYSTEM | NX_INSPECT_CPU | NX_INSPECT_HOST_MEMORY))
		refresh_info(true);
	if (captures(NX_INSPECT_SYSTEM))
		nx_tracer_forget();
	if (captures(NX_INSPECT_DEVICE) && session.config.is_whole_session)
		nx_ntff_capture_write_session(session.folder, session.config.session_id);
	close_files();
}

void nx_inspect_end(void)
{
	bool was_on;

	pthread_mutex_lock(&session.life);
	was_on = session.is_on;
	if (was_on)
		finish();
	pthread_mutex_lock(&session.lock);
	session.is_on = false;
	pthread_mutex_unlock(&session.lock);
	pthread_mutex_unlock(&session.life);
}

void nx_inspect_abandon(void)
{
	pthread_mutex_init(&session.life, NULL);
	pthread_mutex_init(&session.lock, NULL);
	pthread_cond_init(&session.wakes, NULL);
	session.is_on = session.thread.is_running = false;
	/* Not released: the drain thread may have been in the middle of it. */
	session.pending = (struct nx_bytes){0};
	nx_guest_stream_close(&session.events);
	nx_guest_stream_close(&session.cpu);
	nx_guest_stream_close(&session.memory);
}

bool nx_inspect_device_wishes(struct nx_inspect_device *wishes)
{
	bool has_wishes;

	pthread_mutex_lock(&session.lock);
	wishes->wants_first = session.is_on && captures(NX_INSPECT_DEVICE);
	wishes->wants_all = wishes->wants_first && session.config.is_whole_session;
	wishes->wants_failed = session.is_on && session.config.is_on_fail;
	has_wishes = wishes->wants_first || wishes->wants_failed;
	if (has_wishes)
		memcpy(wishes->folder, session.folder, sizeof(wishes->folder));
	pthread_mutex_unlock(&session.lock);
	return has_wishes;
}

/* --- calls --------------------------------------------------------------------- */

static NRT_STATUS begin_logged(const struct nrt_inspect_config *config, const char *function)
{
	struct nx_error err = {0};

	if (!config->is_on && !config->is_on_fail) {
		nx_log_info(
			"nrt_inspect",
			"neither inspect nor inspect on failure is enabled; nothing is captured");
		return NRT_SUCCESS;
	}
	return nx_inspect_begin(config, &err) ? nx_state_fail(function, &err) : NRT_SUCCESS;
}

void nx_inspect_begin_from_environment(void)
{
	struct nrt_inspect_config config;

	nx_inspect_config_read(&config);
	if (config.is_on || config.is_on_fail)
		(void)begin_logged(&config, "nrt_init");
}

NX_EXPORT NRT_STATUS nrt_inspect_begin(void)
{
	struct nrt_inspect_config config;
	NRT_STATUS st = nx_state_check();

	if (st != NRT_SUCCESS)
		return st;
	nx_inspect_config_read(&config);
	return begin_logged(&config, __func__);
}

NX_EXPORT NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t *options)
{
	struct nrt_inspect_config config;
	NRT_STATUS st = nx_state_check();

	if (st != NRT_SUCCESS)
		return st;
	nx_inspect_config_reset(&config);
	return begin_logged(options ? options : &config, __func__);
}

NX_EXPORT NRT_STATUS nrt_inspect_stop(void)
{
	NRT_STATUS st = nx_state_check();

	if (st == NRT_SUCCESS)
		nx_inspect_end();
	return st;
}
