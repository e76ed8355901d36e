/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect_session: a session, and its thread that writes the rings to files. The host's
 * threads never wait for it.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "format/process_folder.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/host_samples.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/ntff_capture.h"
#include "runtime/nrt/symbol_version.h"
#include "runtime/nrt/trace_info.h"
#include "runtime/trace/guest_files.h"

#define DRAIN_PERIOD_NS UINT64_C(50000000)
#define SAMPLE_PERIOD_NS UINT64_C(1000000000)
#define FLUSH_BYTES ((size_t)256 << 10)
/* Longer than any record, so that the buffer never grows while the tracer is locked. */
#define RECORD_BYTES ((size_t)4096)
#define CLAIM_ATTEMPTS 100u /* names that are tried for a folder */

static struct {
	pthread_mutex_t life; /* begin and end, one after the other */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wakes;
	bool is_on, is_ending;
	bool is_from_environment;   /* nrt_init began it */
	uint64_t number;	    /* sessions of this process so far */
	uint64_t exports, exported; /* asked for, done */
	unsigned export_kinds;	    /* enum nx_inspect_activity */
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
static_assert(sizeof(session.folder) == sizeof(((struct nx_inspect_device *)0)->folder),
	      "nx_inspect_device_wishes copies the folder");
static_assert(sizeof(session.folder) == sizeof(session.config.folder), "make_folder copies it");

/* What the profiler library asked for; under the lock of life. */
static struct {
	struct nrt_inspect_config config;
	bool is_waiting; /* for nrt_init */
	uint64_t number; /* of its session; 0: none */
} shared;

/* Signals that end the process while a session runs; it is completed first. */
static const int ending_signals[] = {SIGTERM, SIGINT};
#define ENDING_SIGNALS (sizeof(ending_signals) / sizeof(*ending_signals))
static bool is_our_handler[ENDING_SIGNALS];
static _Atomic int ended_by;	 /* 0: none */
static _Atomic pid_t ended_here; /* the process that got it: a child inherits the rest */

static bool captures(unsigned activity)
{
	return session.config.is_on && (session.config.activities & activity);
}

/* All but the device's profiles are described in trace_info.pb. */
#define DESCRIBED (NX_INSPECT_SYSTEM | NX_INSPECT_CPU | NX_INSPECT_HOST_MEMORY)

/* --- draining --------------------------------------------------------------------------------- */

static bool append(struct nx_guest_stream *stream, const struct nx_bytes *records)
{
	bool had_failed = stream->has_failed;

	if (nx_guest_stream_append(stream, nx_slice_of(records->items, records->len)))
		return true;
	if (!had_failed)
		nx_log_error("nrt_inspect", "%s", stream->failure);
	return false;
}

static void flush_events(void)
{
	if (!session.pending.len)
		return;
	if (append(&session.events, &session.pending))
		session.stored_count += session.pending_count;
	session.pending.len = 0;
	session.pending_count = 0;
}

static void append_event(void *context, const struct nx_trace_place *place,
			 const struct nx_trace_record *record)
{
	struct nx_trace_place numbered = *place;

	(void)context;
	numbered.worker = nx_instance_worker(nx_state_instance(), place->core_idx);
	nx_trace_event_append(&numbered, record, &session.pending);
	session.pending_count++;
	if (session.pending.len >= FLUSH_BYTES)
		flush_events();
}

static void drain(void)
{
	if (!captures(NX_INSPECT_SYSTEM))
		return;
	nx_tracer_take(NX_TRACER_ALL_CORES, UINT64_MAX, append_event, NULL);
	flush_events();
}

static void sample(void *context)
{
	static char text[256 << 10]; /* has space for the lines of 1,000 processors */
	uint64_t now_ns = nx_trace_clock_epoch_ns();
	struct nx_bytes records = {0};

	(void)context;
	if (captures(NX_INSPECT_CPU) && nx_host_read_file("/proc/stat", text, sizeof(text))) {
		nx_host_samples_cpu(&session.samples, text, now_ns, &records);
		append(&session.cpu, &records);
		records.len = 0;
	}
	if (captures(NX_INSPECT_HOST_MEMORY) &&
	    nx_host_read_file("/proc/self/statm", text, sizeof(text))) {
		nx_host_samples_memory(&session.samples, text, now_ns, &records);
		append(&session.memory, &records);
	}
	nx_vec_release(&records);
}

/* --- trace_info.pb: describes the other files ------------------------------------------------ */

/* Without a time of its end, a capture is that of a killed process. */
static enum nx_status write_info(bool is_end, struct nx_error *err)
{
	const struct nx_trace_info info = {
		.folder = session.folder,
		.session_id = (uint64_t)session.config.session_id,
		.init_ns = session.init_ns,
		.close_ns = is_end ? nx_trace_clock_epoch_ns() : 0,
		.has_events = captures(NX_INSPECT_SYSTEM),
		.total_count = captures(NX_INSPECT_SYSTEM) ? nx_tracer_count().total : 0,
		.stored_count = session.stored_count,
		.host = &session.host,
		.has_cpu = captures(NX_INSPECT_CPU),
		.has_memory = captures(NX_INSPECT_HOST_MEMORY),
		.cpu_ticks = session.samples.cpu_ticks,
		.memory_ticks = session.samples.memory_ticks,
	};

	return nx_trace_info_write(&info, session.folder, err);
}

static void refresh_info(bool is_end)
{
	struct nx_error err = {0};

	if (write_info(is_end, &err))
		nx_log_error("nrt_inspect", "%s", err.message);
}

/* --- signals ----------------------------------------------------------------------------------
 *
 * Only where the host left the default: a host with a handler of its own also knows how to end.
 * The handler sets a flag, the thread does the work. A second signal ends the process at once.
 */

static void note_signal(int number)
{
	ended_here = getpid();
	ended_by = number;
}

static void catch_signals(void)
{
	for (size_t i = 0; i < ENDING_SIGNALS; i++) {
		const struct sigaction ours = {.sa_handler = note_signal,
					       .sa_flags = (int)SA_RESETHAND | SA_RESTART};
		struct sigaction now;

		is_our_handler[i] = sigaction(ending_signals[i], NULL, &now) == 0 &&
				    !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL &&
				    sigaction(ending_signals[i], &ours, NULL) == 0;
	}
}

static void release_signals(void)
{
	for (size_t i = 0; i < ENDING_SIGNALS; i++) {
		struct sigaction now;

		if (is_our_handler[i] && sigaction(ending_signals[i], NULL, &now) == 0 &&
		    now.sa_handler == note_signal)
			signal(ending_signals[i], SIG_DFL);
		is_our_handler[i] = false;
	}
}

static void raise_signal(void)
{
	int number = ended_by;

	ended_by = 0;
	signal(number, SIG_DFL);
	kill(getpid(), number);
}

static void finish(bool is_own_thread);

/* On the thread. If the host is ending the session itself, that thread raises the signal. */
static void end_by_signal(void)
{
	if (pthread_mutex_trylock(&session.life))
		return;
	finish(true);
	raise_signal();
}

/* --- the thread ---------------------------------------------------------------------- */

static void write_device_session(bool is_end)
{
	if (captures(NX_INSPECT_DEVICE) && session.config.is_whole_session)
		nx_ntff_capture_write_session(session.folder, session.config.session_id, is_end);
}

/* For nrt_inspect_export: the events were drained just before. */
static void export_now(void)
{
	unsigned kinds;
	uint64_t asked;

	pthread_mutex_lock(&session.lock);
	asked = session.exports;
	kinds = session.exported < asked ? session.export_kinds : 0;
	session.export_kinds = 0;
	pthread_mutex_unlock(&session.lock);
	if (session.exported == asked)
		return;
	if (kinds & NX_INSPECT_DEVICE)
		write_device_session(false);
	if (captures(kinds & DESCRIBED))
		refresh_info(false);
	pthread_mutex_lock(&session.lock);
	session.exported = asked;
	pthread_cond_broadcast(&session.wakes);
	pthread_mutex_unlock(&session.lock);
}

static void keep_draining(void *unused)
{
	bool is_over = false;

	(void)unused;
	while (!is_over) {
		uint64_t now_ns = nx_trace_clock_epoch_ns(), then_ns = now_ns + DRAIN_PERIOD_NS;
		const struct timespec then = {(time_t)(then_ns / 1000000000u),
					      (long)(then_ns % 1000000000u)};

		drain();
		if (ended_by)
			end_by_signal();
		export_now();
		if (captures(DESCRIBED) && now_ns >= session.next_sample_ns) {
			session.next_sample_ns += SAMPLE_PERIOD_NS;
			if (!nx_heap_guarded(sample, NULL))
				nx_log_error("nrt_inspect",
					     "out of memory while sampling the host");
			refresh_info(false);
		}
		pthread_mutex_lock(&session.lock);
		if (!session.is_ending && session.exports == session.exported)
			pthread_cond_timedwait(&session.wakes, &session.lock, &then);
		is_over = session.is_ending;
		pthread_mutex_unlock(&session.lock);
	}
}

/* --- folders ------------------------------------------------------------------- */

/*
 * A session that a program configures itself has a subfolder named after its start time, which
 * tools around such programs look for. Other sessions use the folder of the process: containers on
 * a shared volume may all be process 1 of the same instance, so the first to make it owns it;
 * others, and later sessions, get such a subfolder too.
 */
static enum nx_status make_own_folder(struct nx_error *err)
{
	size_t cap = sizeof(session.folder);
	enum nx_status st = nx_guest_make_folder(session.config.output_dir, err);
	size_t len = (size_t)snprintf(session.folder, cap, "%s/" NX_PROCESS_FOLDER,
				      session.config.output_dir, nx_state_instance()->instance_id,
				      (int)getpid());

	if (st)
		return st;
	for (unsigned attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
		bool is_made = mkdir(session.folder, 0777) == 0;

		if (is_made && (attempt || !session.config.is_from_program))
			return NX_OK;
		if (!is_made && errno != EEXIST)
			return nx_fail_errno(err, errno, "cannot make the folder %s",
					     session.folder);
		snprintf(session.folder + len, cap - len, "/%llu",
			 (unsigned long long)session.init_ns + attempt);
	}
	return nx_fail(err, NX_LIMIT, "%s and all alternative names exist already", session.folder);
}

static enum nx_status make_folder(struct nx_error *err)
{
	if (!session.config.folder[0])
		return make_own_folder(err);
	memcpy(session.folder, session.config.folder, sizeof(session.folder));
	return NX_OK;
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
		.workers = nx_state_instance()->visible,
		.epoch_offset_ns = session.config.epoch_offset_ns,
	};

	if (!captures(NX_INSPECT_SYSTEM))
		return NX_OK;
	nx_inspect_filter_check("nrt_inspect", &options.filter);
	return nx_tracer_begin(&options, err);
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
	/* A session of nothing is allowed, and leaves nothing. */
	enum nx_status st = session.config.activities ? make_folder(err) : NX_OK;

	if (!st && !nx_heap_guarded(reserve_pending, NULL))
		st = nx_fail(err, NX_LIMIT, "out of memory for the capture");
	if (!st)
		st = begin_trace(err);
	/* The first file: whenever the process is killed, its folder can be read. */
	if (!st && captures(DESCRIBED))
		st = write_info(false, err);
	if (!st)
		st = open_streams(err);
	if (!st)
		st = nx_thread_start(&session.thread, "nrt-drain", keep_draining, NULL, err);
	return st;
}

/* MISMATCH if a session is running. */
static enum nx_status begin(const struct nrt_inspect_config *config, struct nx_error *err)
{
	enum nx_status st;

	if (session.is_on)
		return nx_fail(err, NX_MISMATCH,
			       "an inspect session is already running; stop it first");
	session.config = *config;
	if (config->is_device_off)
		session.config.activities &= ~(unsigned)NX_INSPECT_DEVICE;
	session.init_ns = session.next_sample_ns = nx_trace_clock_epoch_ns();
	session.stored_count = session.pending_count = 0;
	memset(&session.samples, 0, sizeof(session.samples));
	nx_host_facts_read(&session.host);
	session.is_ending = false;
	session.exports = session.exported = 0;
	ended_by = 0;
	catch_signals();
	st = begin_files(err);
	if (st) {
		if (captures(NX_INSPECT_SYSTEM) && st != NX_MISMATCH)
			nx_tracer_end();
		close_files();
		release_signals();
		return nx_context(err, "cannot capture this process");
	}
	if (captures(NX_INSPECT_DEVICE) && session.config.is_whole_session)
		nx_ntff_capture_begin_session();
	pthread_mutex_lock(&session.lock);
	session.is_on = true;
	session.number++;
	pthread_mutex_unlock(&session.lock);
	nx_log_info("nrt_inspect", "capturing into %s", session.folder);
	return NX_OK;
}

/* An empty file needs no space for data, so it can usually still be created. */
static void mark_full_disk(void)
{
	char path[1536];
	int fd;

	if (!nx_guest_disk_was_full(session.folder))
		return;
	snprintf(path, sizeof(path), "%s/" NX_PROCESS_DISK_FULL, session.folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0)
		close(fd);
}

static void finish(bool is_own_thread)
{
	const struct timespec moment = {0, 1000000}; /* for threads inside an event */
	struct nx_tracer_counts counts;

	assert(session.is_on);
	if (captures(NX_INSPECT_SYSTEM))
		nx_tracer_end();
	pthread_mutex_lock(&session.lock);
	session.is_ending = true;
	pthread_cond_broadcast(&session.wakes);
	pthread_mutex_unlock(&session.lock);
	if (!is_own_thread)
		nx_thread_join(&session.thread);
	nanosleep(&moment, NULL);
	drain();
	counts = nx_tracer_count();
	if (captures(NX_INSPECT_SYSTEM) && counts.total > session.stored_count)
		nx_log_warn("nrt_inspect", "%llu of %llu trace events were dropped; %s",
			    (unsigned long long)(counts.total - session.stored_count),
			    (unsigned long long)counts.total,
			    nx_guest_disk_was_full(session.folder)
				    ? "the disk was full: free some space, or write to another disk"
				    : "raise NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC or "
				      "filter events");
	if (captures(DESCRIBED))
		refresh_info(true);
	if (captures(NX_INSPECT_SYSTEM))
		nx_tracer_forget();
	write_device_session(true);
	mark_full_disk();
	close_files();
	release_signals();
}

/* Under the lock of life. */
static void end(void)
{
	if (session.is_on)
		finish(false);
	pthread_mutex_lock(&session.lock);
	session.is_on = false;
	pthread_cond_broadcast(&session.wakes);
	pthread_mutex_unlock(&session.lock);
	if (ended_by)
		raise_signal();
}

void nx_inspect_end(void)
{
	pthread_mutex_lock(&session.life);
	end();
	pthread_mutex_unlock(&session.life);
}

void nx_inspect_abandon(void)
{
	pthread_mutex_init(&session.life, NULL);
	pthread_mutex_init(&session.lock, NULL);
	pthread_cond_init(&session.wakes, NULL);
	session.is_on = session.thread.is_running = false;
	shared.is_waiting = false;
	shared.number = 0;
	release_signals();
	/* A signal may reach the child before this. The thread that would end it is the parent's.
	 */
	if (ended_by && ended_here == getpid())
		raise_signal();
	ended_by = 0;
	/* Not released: the drain thread may have been changing it. */
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
	wishes->number = session.number;
	wishes->warmup_count = session.config.warmup_count;
	has_wishes = wishes->wants_first || wishes->wants_failed;
	if (has_wishes)
		memcpy(wishes->folder, session.folder, sizeof(wishes->folder));
	pthread_mutex_unlock(&session.lock);
	return has_wishes;
}

/* --- calls --------------------------------------------------------------------- */

/* A host that begins a session itself wants that part of the run: nrt_init's session ends. */
static NRT_STATUS begin_logged(const struct nrt_inspect_config *config, const char *function,
			       bool is_from_environment)
{
	struct nx_error err = {0};
	enum nx_status st;

	if (!config->is_on && !config->is_on_fail) {
		nx_log_info(
			"nrt_inspect",
			"neither inspect nor inspect on failure is enabled; nothing is captured");
		return NRT_SUCCESS;
	}
	pthread_mutex_lock(&session.life);
	if (session.is_from_environment)
		end();
	st = begin(config, &err);
	session.is_from_environment = !st && is_from_environment;
	pthread_mutex_unlock(&session.life);
	return st ? nx_state_fail(function, &err) : NRT_SUCCESS;
}

/* Under the lock of life. */
static enum nx_status begin_shared(struct nx_error *err)
{
	enum nx_status st;

	if (session.is_from_environment)
		end();
	st = begin(&shared.config, err);
	session.is_from_environment = false;
	shared.is_waiting = false;
	shared.number = st ? 0 : session.number;
	return st;
}

bool nx_inspect_begin_shared(const struct nrt_inspect_config *config, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	pthread_mutex_lock(&session.life);
	shared.config = *config;
	shared.number = 0;
	shared.is_waiting = nx_state_check() != NRT_SUCCESS;
	if (!shared.is_waiting)
		st = begin_shared(err);
	pthread_mutex_unlock(&session.life);
	return !st;
}

bool nx_inspect_end_shared(void)
{
	bool has_begun;

	pthread_mutex_lock(&session.life);
	has_begun = shared.number != 0;
	if (has_begun && session.number == shared.number)
		end();
	shared.number = 0;
	shared.is_waiting = false;
	pthread_mutex_unlock(&session.life);
	return has_begun;
}

static bool begin_waiting(void)
{
	struct nx_error err = {0};
	bool is_waiting;

	pthread_mutex_lock(&session.life);
	is_waiting = shared.is_waiting;
	if (is_waiting && begin_shared(&err))
		nx_log_error("nrt_init", "%s", err.message);
	pthread_mutex_unlock(&session.life);
	return is_waiting;
}

void nx_inspect_begin_from_environment(void)
{
	struct nrt_inspect_config config;

	if (begin_waiting())
		return;
	nx_inspect_config_read(&config);
	if (config.is_on || config.is_on_fail)
		(void)begin_logged(&config, "nrt_init", true);
}

NX_EXPORT NRT_STATUS nrt_inspect_begin(void)
{
	struct nrt_inspect_config config;

	NX_RETURN_IF_FAILED(nx_state_check());
	nx_inspect_config_read(&config);
	/* The call itself enables what the variable does not forbid. */
	config.is_on = nx_environment_switch("NEURON_RT_INSPECT_ENABLE", true);
	return begin_logged(&config, __func__, false);
}

NX_EXPORT NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t *options)
{
	struct nrt_inspect_config config;

	NX_RETURN_IF_FAILED(nx_state_check());
	nx_inspect_config_reset(&config);
	if (options)
		config = *options;
	config.is_from_program = true;
	return begin_logged(&config, __func__, false);
}

NX_EXPORT NRT_STATUS nrt_inspect_stop(void)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	nx_inspect_end();
	return NRT_SUCCESS;
}

/* Returns after the thread has drained the rings and written what was asked for. */
static void export_and_wait(uint32_t kinds)
{
	uint64_t turn;

	pthread_mutex_lock(&session.lock);
	turn = ++session.exports;
	session.export_kinds |= kinds;
	pthread_cond_broadcast(&session.wakes);
	while (session.is_on && !session.is_ending && session.exported < turn)
		pthread_cond_wait(&session.wakes, &session.lock);
	pthread_mutex_unlock(&session.lock);
}

void nx_inspect_drain(void)
{
	export_and_wait(0);
}

NX_NRT_EITHER(nx_inspect_export, nrt_inspect_export);
NRT_STATUS nx_inspect_export(uint32_t kinds)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	export_and_wait(kinds);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_get_instance_output_dir(const char *output_dir,
							 char *instance_dir_buf, size_t buf_size)
{
	int len;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!output_dir || !instance_dir_buf)
		return NRT_INVALID;
	len = snprintf(instance_dir_buf, buf_size, "%s/" NX_PROCESS_FOLDER, output_dir,
		       nx_state_instance()->instance_id, (int)getpid());
	if (len >= 0 && (size_t)len < buf_size)
		return NRT_SUCCESS;
	nx_log_error(__func__, "the buffer of %zu bytes is too small; %d are needed", buf_size,
		     len + 1);
	return NRT_INVALID;
}
