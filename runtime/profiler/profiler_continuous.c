/* SPDX-License-Identifier: Apache-2.0 */
/* Continuous recording: its life, its snapshots, and what a round of the thread does for it. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profiler/profiler_internal.h"

#define DEFAULT_BUDGET_BYTES ((uint64_t)64 << 20)
#define LEAST_BUDGET_BYTES ((uint64_t)4 << 20)
#define DEFAULT_HORIZON_MS 60000
#define DEFAULT_INTERVAL_MS 60000
#define DEFAULT_SNAPSHOTS 100
#define FOLDER_BYTES 1024
/* A file in the output folder with which a process asks the others for snapshots, too. */
#define REQUEST_FILE ".snapshot_request"
#define REQUEST_PERIOD_NS UINT64_C(500000000)

/* All but the atomic ones under the lock of sessions, see profiler_internal.h. */
static struct {
	_Atomic bool is_on;
	const struct nx_trace_share *_Atomic share; /* of a runtime that gives us its records */
	bool is_refused;			    /* it does not */
	_Atomic uint64_t errors_before; /* of the runtime: what failed before is not news */
	nx_profiler_continuous_options options;
	char output_dir[FOLDER_BYTES];
	struct nx_trace_filter filter;
	uint64_t begin_ns;
	uint64_t dropped_before; /* in the ring, when recording began */
	_Atomic uint64_t snapshot_count;
	uint64_t previous_end, previous_lost; /* of the snapshot before */
	/* The thread's own: */
	bool has_alarm; /* that could not be dealt with at once */
	struct nx_profiler_alarm alarm;
	uint64_t request_ns, next_look_ns; /* of the request file */
} recording;

NX_PROFILER_EXPORT bool nx_profiler_continuous_is_on(void)
{
	return atomic_load(&recording.is_on);
}

/* --- start and stop --------------------------------------------------------------------------- */

static void set_defaults(nx_profiler_continuous_options *options)
{
	options->struct_size = sizeof(*options);
	if (!options->output_dir || !*options->output_dir)
		options->output_dir = NX_PROFILER_DEFAULT_FOLDER;
	if (!options->budget_bytes)
		options->budget_bytes = DEFAULT_BUDGET_BYTES;
	if (!options->horizon_ms)
		options->horizon_ms = DEFAULT_HORIZON_MS;
	if (!options->min_interval_ms)
		options->min_interval_ms = DEFAULT_INTERVAL_MS;
	if (!options->max_snapshots)
		options->max_snapshots = DEFAULT_SNAPSHOTS;
}

static enum nx_status check(const nx_profiler_continuous_options *options, struct nx_error *err)
{
	if (options->budget_bytes < LEAST_BUDGET_BYTES)
		return nx_fail(err, NX_USAGE,
			       "a budget of %llu bytes is too small; 4 MiB is the least",
			       (unsigned long long)options->budget_bytes);
	if (strlen(options->output_dir) >= FOLDER_BYTES)
		return nx_fail(err, NX_USAGE, "the folder name %.60s... is too long",
			       options->output_dir);
	if (options->slow_step_factor < 0)
		return nx_fail(err, NX_USAGE, "slow_step_factor is negative");
	nx_trace_filter_set_all(&recording.filter);
	return options->cores && *options->cores
		       ? nx_trace_filter_parse_cores(&recording.filter, options->cores, err)
		       : NX_OK;
}

/* The modification time of the request file; 0: there is none. */
static uint64_t request_time(void)
{
	char path[FOLDER_BYTES + 32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/" REQUEST_FILE, recording.output_dir);
	return stat(path, &st)
		       ? 0
		       : (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
}

/* Half of the budget is history; a quarter each are for bursts in the rings and for the device. */
static enum nx_status begin(const nx_profiler_continuous_options *options, struct nx_error *err)
{
	enum nx_status st = check(options, err);

	if (st)
		return st;
	if (options->signal_number && !nx_profiler_triggers_catch(options->signal_number))
		return nx_fail(err, NX_USAGE,
			       "signal %d cannot be used: the program has a handler for it, or it "
			       "cannot be caught",
			       options->signal_number);
	snprintf(recording.output_dir, sizeof(recording.output_dir), "%s", options->output_dir);
	recording.options = *options;
	recording.options.output_dir = recording.output_dir;
	recording.options.cores = NULL;
	recording.share = NULL;
	recording.is_refused = recording.has_alarm = false;
	recording.snapshot_count = 0;
	recording.begin_ns = nx_trace_clock_epoch_ns();
	recording.request_ns = request_time();
	nx_profiler_triggers_begin(&recording.options);
	st = nx_profiler_activate(options->budget_bytes / 4, err);
	if (!st) {
		st = nx_profiler_history_begin((size_t)(options->budget_bytes / 2),
					       options->horizon_ms * 1000000,
					       nx_profiler_epoch_offset_ns(), err);
		if (st)
			nx_profiler_deactivate();
	}
	if (st) {
		nx_profiler_triggers_release();
		return st;
	}
	recording.dropped_before = nx_profiler_drain_dropped();
	atomic_store(&recording.is_on, true);
	return NX_OK;
}

NX_PROFILER_EXPORT int nx_profiler_continuous_start(const nx_profiler_continuous_options *given)
{
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();
	struct nx_error err = {0};
	enum nx_status st;

	if (given && given->struct_size < offsetof(nx_profiler_continuous_options, budget_bytes))
		return nx_profiler_fail(NX_PROFILER_INVALID,
					"nx_profiler_continuous_start: struct_size is too small; "
					"begin with nx_profiler_continuous_options_default()");
	if (given)
		memcpy(&options, given,
		       given->struct_size < sizeof(options) ? given->struct_size : sizeof(options));
	set_defaults(&options);
	nx_profiler_lock();
	if (recording.is_on) {
		nx_profiler_unlock();
		return nx_profiler_fail(NX_PROFILER_BUSY,
					"continuous recording is already on; stop it first");
	}
	st = begin(&options, &err);
	if (!st) {
		nx_profiler_turn_on();
		nx_profiler_join_keeper();
	}
	nx_profiler_unlock();
	if (!st)
		return NX_PROFILER_OK;
	return nx_profiler_fail(st == NX_USAGE	 ? NX_PROFILER_INVALID
				: st == NX_LIMIT ? NX_PROFILER_LIMIT
						 : NX_PROFILER_IO,
				err.message);
}

/* Under the lock. */
static void end(void)
{
	const struct nx_trace_share *share = recording.share;

	atomic_store(&recording.is_on, false);
	nx_profiler_triggers_release();
	if (share)
		share->keep_end();
	recording.share = NULL;
	nx_profiler_deactivate(); /* ends the thread, unless a session runs */
	nx_profiler_history_end();
}

NX_PROFILER_EXPORT int nx_profiler_continuous_stop(void)
{
	bool was_on;

	nx_profiler_lock();
	was_on = recording.is_on;
	if (was_on)
		end();
	nx_profiler_unlock();
	return was_on ? NX_PROFILER_OK
		      : nx_profiler_fail(NX_PROFILER_IDLE,
					 "continuous recording is not on; start it first");
}

void nx_profiler_continuous_abandon(void)
{
	recording.is_on = false;
	recording.share = NULL;
	nx_profiler_history_abandon();
	nx_profiler_snapshot_abandon();
}

void nx_profiler_continuous_join(const struct nx_profiler_runtime *runtime)
{
	const struct nx_trace_share_keep keep = {
		.filter = &recording.filter,
		.keeper = nx_profiler_history_keeper(),
		.ring_bytes = recording.options.budget_bytes / 8,
		.device_bytes =
			recording.options.with_device ? recording.options.budget_bytes / 4 : 0,
		.epoch_offset_ns = nx_profiler_epoch_offset_ns(),
	};
	struct nx_trace_share_state state;
	char message[512];

	if (!recording.is_on || !recording.options.with_runtime || recording.share ||
	    recording.is_refused || !runtime->share)
		return;
	runtime->share->look(&state);
	recording.errors_before = state.error_count;
	if (runtime->share->keep(&keep, message, sizeof(message)))
		atomic_store(&recording.share, runtime->share);
	else
		recording.is_refused = true;
}

/* --- snapshots -------------------------------------------------------------------------------- */

static uint64_t lost_records(const struct nx_trace_share *share)
{
	struct nx_trace_share_state state = {0};

	if (share)
		share->look(&state);
	return nx_profiler_drain_dropped() - recording.dropped_before + state.lost_count;
}

/* Under the lock. */
static enum nx_status save(const struct nx_profiler_alarm *alarm, const char *output_dir,
			   struct nx_profiler_snapshot *snapshot, struct nx_error *err)
{
	const struct nx_trace_share *share = recording.share;
	enum nx_status st;

	nx_profiler_drain_take();
	if (share)
		share->keep_take(true);
	snapshot->output_dir = output_dir ? output_dir : recording.output_dir;
	snapshot->share = share;
	nx_profiler_identify(&snapshot->instance_id, &snapshot->hostname);
	snapshot->file = (struct nx_snapshot_file){
		.trigger = alarm->trigger,
		.reason = alarm->reason,
		.number = recording.snapshot_count + 1,
		.recording_ns = recording.begin_ns,
		.time_ns = nx_trace_clock_epoch_ns(),
		.lost_count = lost_records(share),
		.suppressed_count = nx_profiler_triggers_suppressed(),
	};
	snapshot->previous_end = UINT64_MAX;
	if (recording.snapshot_count) {
		snapshot->previous_end = recording.previous_end;
		snapshot->file.missed_count = snapshot->file.lost_count - recording.previous_lost;
	}
	st = nx_profiler_snapshot_write(snapshot, err);
	if (st)
		return st;
	recording.snapshot_count++;
	recording.previous_end = snapshot->file.end_sequence;
	recording.previous_lost = snapshot->file.lost_count;
	return NX_OK;
}

NX_PROFILER_EXPORT int nx_profiler_snapshot(const nx_profiler_snapshot_options *given, char *folder,
					    size_t folder_bytes)
{
	nx_profiler_snapshot_options options = {0};
	struct nx_profiler_alarm alarm = {.trigger = NX_SNAPSHOT_CALL};
	struct nx_profiler_snapshot snapshot = {0};
	struct nx_error err = {0};
	enum nx_status st = NX_OK;
	bool is_on;

	if (given)
		memcpy(&options, given,
		       given->struct_size < sizeof(options) ? given->struct_size : sizeof(options));
	snprintf(alarm.reason, sizeof(alarm.reason), "%s", options.reason ? options.reason : "");
	nx_profiler_lock();
	is_on = recording.is_on;
	if (is_on)
		st = save(&alarm,
			  options.output_dir && *options.output_dir ? options.output_dir : NULL,
			  &snapshot, &err);
	nx_profiler_unlock();
	if (!is_on)
		return nx_profiler_fail(NX_PROFILER_IDLE,
					"continuous recording is not on; start it first");
	if (st)
		return nx_profiler_fail(st == NX_LIMIT ? NX_PROFILER_LIMIT : NX_PROFILER_IO,
					err.message);
	if (folder && folder_bytes)
		snprintf(folder, folder_bytes, "%s", snapshot.folder);
	return NX_PROFILER_OK;
}

NX_PROFILER_EXPORT void nx_profiler_continuous_count(nx_profiler_continuous_counts *counts)
{
	nx_profiler_continuous_counts all = {.struct_size = sizeof(all)};
	size_t size = counts->struct_size < sizeof(all) ? counts->struct_size : sizeof(all);

	nx_profiler_lock();
	if (recording.is_on) {
		const struct nx_trace_share *share = recording.share;
		struct nx_trace_history history;

		nx_profiler_drain_take();
		if (share)
			share->keep_take(true);
		history = nx_profiler_history_look();
		all.recorded = history.sequence;
		all.overwritten = history.overwritten_count;
		all.expired = history.expired_count;
		all.kept = all.recorded - all.overwritten - all.expired;
		all.lost = lost_records(share);
		all.snapshots = recording.snapshot_count;
		all.suppressed = nx_profiler_triggers_suppressed();
		if (history.oldest < history.next)
			all.kept_ns = nx_trace_clock_epoch_ns() -
				      history.segments[history.oldest % NX_TRACE_HISTORY_SEGMENTS]
					      .from.epoch_ns;
	}
	nx_profiler_unlock();
	memcpy(counts, &all, size);
}

/* --- a round of the thread -------------------------------------------------------------------- */

/* When ranks hang, the one that is missing notices nothing: those that wait ask it. */
static void look_for_request(uint64_t now_ns)
{
	uint64_t time_ns;

	if (!recording.options.collective_timeout_ms || now_ns < recording.next_look_ns)
		return;
	recording.next_look_ns = now_ns + REQUEST_PERIOD_NS;
	time_ns = request_time();
	if (time_ns <= recording.request_ns)
		return;
	recording.request_ns = time_ns;
	nx_profiler_triggers_request();
}

static void request_from_others(void)
{
	char path[FOLDER_BYTES + 32];
	int fd;

	snprintf(path, sizeof(path), "%s/" REQUEST_FILE, recording.output_dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return;
	(void)futimens(fd, NULL);
	close(fd);
	recording.request_ns = request_time();
}

void nx_profiler_watch(void)
{
	static struct nx_profiler_snapshot snapshot; /* not on a thread's small stack */
	const struct nx_trace_share *share = atomic_load(&recording.share);
	struct nx_trace_share_state state;
	uint64_t now_ns = nx_trace_clock_epoch_ns();
	struct nx_error err = {0};

	if (!atomic_load(&recording.is_on))
		return;
	if (share) {
		share->keep_take(false);
		share->look(&state);
		state.error_count -= recording.errors_before;
	}
	look_for_request(now_ns);
	if (!recording.has_alarm)
		recording.has_alarm =
			nx_profiler_history_check(now_ns, share ? &state : NULL, &recording.alarm);
	/* Whoever holds the lock may be waiting for this thread to end: later, then. */
	if (!recording.has_alarm || !nx_profiler_trylock())
		return;
	recording.has_alarm = false;
	snapshot.drains = true;
	if (recording.is_on && !save(&recording.alarm, NULL, &snapshot, &err) &&
	    recording.alarm.trigger == NX_SNAPSHOT_COLLECTIVE)
		request_from_others();
	nx_profiler_unlock();
}
