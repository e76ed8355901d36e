/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Triggers: what happens in the program and is worth a snapshot.
 *
 * Records are seen when the rings are emptied, ten times a second, and so are signals. A hang is
 * noticed while it lasts, because the beginning of a wait is a record of its own.
 */
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/profiler/profiler_internal.h"

#define MAX_SERIES 16	   /* names of steps that are watched */
#define MAX_OPEN_STEPS 64  /* at once */
#define MAX_OPEN_WAITS 256 /* at once, of all cores */
#define BUCKETS (64 * 8)   /* eight per power of two: durations to within an eighth */
#define ENOUGH_STEPS 100   /* before a percentile means something */
#define MANY_STEPS 100000  /* then older steps count half */

/* How long the steps of one name take, in ticks. */
struct series {
	nx_name name;
	uint64_t count;
	uint32_t buckets[BUCKETS];
};

struct open_step {
	uint64_t position, ticks; /* position 0: free */
	int64_t step_num;
	nx_name name;
};

/* A rank waits for another one. */
struct open_wait {
	uint64_t tracking, ticks; /* tracking 0: free */
	uint32_t core;
	uint64_t peer, rank, execution;
	bool is_reported;
};

static struct {
	nx_profiler_continuous_options options;
	struct series series[MAX_SERIES];
	struct open_step steps[MAX_OPEN_STEPS];
	struct open_wait waits[MAX_OPEN_WAITS];
	uint32_t step_count, wait_count; /* in use, not necessarily the first ones */
	/* The slowest step since the last check: */
	struct open_step slow;
	uint64_t slow_ticks, usual_ticks;
	uint64_t error_count;
	bool is_memory_over;
	uint64_t next_ns; /* no snapshot before */
	uint64_t saved_count;
} watch;

static _Atomic uint64_t suppressed;
static _Atomic bool has_signal, has_request;
static int caught_signal; /* 0: none */

void nx_profiler_triggers_begin(const nx_profiler_continuous_options *options)
{
	memset(&watch, 0, sizeof(watch));
	watch.options = *options;
	atomic_store(&suppressed, 0);
}

/* --- steps ------------------------------------------------------------------------------------ */

static unsigned bucket_of(uint64_t ticks)
{
	unsigned top;

	if (ticks < 8)
		return (unsigned)ticks;
	top = 63u - (unsigned)__builtin_clzll(ticks);
	return (top - 2) * 8 + (unsigned)(ticks >> (top - 3) & 7);
}

/* The first number of ticks beyond the bucket. */
static uint64_t bucket_end(unsigned bucket)
{
	unsigned top = bucket / 8 + 2;

	return bucket < 8 ? bucket + 1 : (UINT64_C(9) + bucket % 8) << (top - 3);
}

static uint64_t percentile_99(const struct series *series)
{
	uint64_t above = 0;
	unsigned i = BUCKETS;

	while (i > 1 && (above + series->buckets[i - 1]) * 100 <= series->count)
		above += series->buckets[--i];
	return bucket_end(i - 1);
}

static struct series *find_series(nx_name name)
{
	for (unsigned i = 0; i < MAX_SERIES; i++) {
		struct series *series = &watch.series[i];

		if (series->name == name && series->count)
			return series;
		if (!series->count) {
			series->name = name;
			return series;
		}
	}
	return NULL;
}

static void add_step(struct series *series, uint64_t ticks)
{
	if (series->count >= MANY_STEPS) {
		series->count = 0;
		for (unsigned i = 0; i < BUCKETS; i++)
			series->count += series->buckets[i] /= 2;
	}
	series->buckets[bucket_of(ticks)]++;
	series->count++;
}

static void end_step(struct open_step *step, uint64_t end_ticks)
{
	struct series *series = find_series(step->name);
	uint64_t ticks = end_ticks > step->ticks ? end_ticks - step->ticks : 0, usual;

	if (series && series->count >= ENOUGH_STEPS) {
		usual = percentile_99(series);
		if ((double)ticks > (double)usual * watch.options.slow_step_factor &&
		    ticks > watch.slow_ticks) {
			watch.slow = *step;
			watch.slow_ticks = ticks;
			watch.usual_ticks = usual;
		}
	}
	if (series)
		add_step(series, ticks);
	step->position = 0;
	watch.step_count--;
}

static void see_span(uint64_t position, const uint64_t *words)
{
	unsigned what = words[0] >> NX_RECORD_WHAT_SHIFT & 15;

	if (what == NX_RECORD_STEP && watch.step_count < MAX_OPEN_STEPS) {
		struct open_step *step = watch.steps;

		while (step->position)
			step++;
		*step = (struct open_step){.position = position,
					   .ticks = words[1],
					   .step_num = (int64_t)words[2],
					   .name = words[0] >> NX_RECORD_NAME_SHIFT &
						   (NX_PROFILER_MAX_NAMES - 1)};
		watch.step_count++;
	} else if (what == NX_RECORD_END && watch.step_count) {
		for (unsigned i = 0; i < MAX_OPEN_STEPS; i++)
			if (watch.steps[i].position == words[2])
				end_step(&watch.steps[i], words[1]);
	}
}

/* --- collectives ------------------------------------------------------------------------------ */

static void see_event(unsigned core, uint64_t position, const uint64_t *words)
{
	struct nx_trace_record record;

	if ((words[0] >> 32 & 0xff) != NX_TRACE_ENC_BARRIER_RECV)
		return;
	nx_trace_event_unpack(position, words, &record);
	if (record.phase == NX_PHASE_START && watch.wait_count < MAX_OPEN_WAITS) {
		struct open_wait *wait = watch.waits;

		while (wait->tracking)
			wait++;
		*wait = (struct open_wait){.tracking = record.position + 1,
					   .ticks = record.ticks,
					   .core = core,
					   .peer = record.args[0],
					   .execution = record.args[1],
					   .rank = record.args[2]};
		watch.wait_count++;
	} else if (record.phase == NX_PHASE_STOP && watch.wait_count) {
		for (unsigned i = 0; i < MAX_OPEN_WAITS; i++)
			if (watch.waits[i].tracking == record.tracking &&
			    watch.waits[i].core == core) {
				watch.waits[i].tracking = 0;
				watch.wait_count--;
			}
	}
}

void nx_profiler_triggers_see(unsigned source, uint64_t position, const uint64_t *words)
{
	if (source != NX_PROFILER_SPANS) {
		if (watch.options.collective_timeout_ms)
			see_event(source, position, words);
	} else if (watch.options.slow_step_factor > 0) {
		see_span(position, words);
	}
}

/* --- signals ---------------------------------------------------------------------------------- */

static void note_signal(int number)
{
	(void)number;
	atomic_store(&has_signal, true);
}

bool nx_profiler_triggers_catch(int number)
{
	const struct sigaction ours = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	struct sigaction now;

	if (sigaction(number, NULL, &now) ||
	    (now.sa_flags & SA_SIGINFO ? true
				       : now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) ||
	    sigaction(number, &ours, NULL))
		return false;
	caught_signal = number;
	atomic_store(&has_signal, false);
	return true;
}

void nx_profiler_triggers_release(void)
{
	struct sigaction now;

	if (caught_signal && sigaction(caught_signal, NULL, &now) == 0 &&
	    now.sa_handler == note_signal)
		(void)signal(caught_signal, SIG_DFL);
	caught_signal = 0;
}

/* --- checks: each fills the alarm and returns true if its trigger fired -------------------------
 */

static double ns_per_tick(const struct nx_trace_clock *clock)
{
	const struct nx_trace_tie *first = &clock->ties[0],
				  *last = &clock->ties[clock->tie_count - 1];

	return last->ticks > first->ticks ? (double)(last->epoch_ns - first->epoch_ns) /
						    (double)(last->ticks - first->ticks)
					  : 1;
}

static bool check_steps(const struct nx_trace_clock *clock, struct nx_profiler_alarm *alarm)
{
	const struct nx_profiler_entry *entry = nx_profiler_entry_of(watch.slow.name);
	double ms = ns_per_tick(clock) / 1e6;

	if (!watch.slow_ticks)
		return false;
	alarm->trigger = NX_SNAPSHOT_SLOW_STEP;
	snprintf(alarm->reason, sizeof(alarm->reason),
		 "step %lld of \"%.*s\" took %.3f ms; 99 of 100 take less than %.3f ms",
		 (long long)watch.slow.step_num, entry ? (int)(entry->text_len % 100) : 0,
		 entry ? entry->text : "", (double)watch.slow_ticks * ms,
		 (double)watch.usual_ticks * ms);
	watch.slow_ticks = 0;
	return true;
}

static bool check_waits(const struct nx_trace_clock *clock, struct nx_profiler_alarm *alarm)
{
	double ms_per_tick = ns_per_tick(clock) / 1e6;
	uint64_t now = nx_trace_clock_ticks();

	for (unsigned i = 0; i < MAX_OPEN_WAITS && watch.wait_count; i++) {
		struct open_wait *wait = &watch.waits[i];
		double ms = now > wait->ticks ? (double)(now - wait->ticks) * ms_per_tick : 0;

		if (!wait->tracking || wait->is_reported ||
		    ms <= (double)watch.options.collective_timeout_ms)
			continue;
		wait->is_reported = true;
		alarm->trigger = NX_SNAPSHOT_COLLECTIVE;
		snprintf(alarm->reason, sizeof(alarm->reason),
			 "rank %llu has waited %.3f s for rank %llu (execution %llu)",
			 (unsigned long long)wait->rank, ms / 1e3, (unsigned long long)wait->peer,
			 (unsigned long long)wait->execution);
		return true;
	}
	return false;
}

static bool check_errors(const struct nx_trace_share_state *state, struct nx_profiler_alarm *alarm)
{
	uint64_t count = state->error_count - watch.error_count;

	watch.error_count = state->error_count;
	if (!watch.options.on_error || !count)
		return false;
	alarm->trigger = NX_SNAPSHOT_ERROR;
	snprintf(alarm->reason, sizeof(alarm->reason),
		 "a call of the runtime failed with status %u (%llu since the last look)",
		 state->error_status, (unsigned long long)count);
	return true;
}

static bool check_memory(const struct nx_trace_share_state *state, struct nx_profiler_alarm *alarm)
{
	bool was_over = watch.is_memory_over;

	watch.is_memory_over = watch.options.device_memory_bytes &&
			       state->memory_bytes > watch.options.device_memory_bytes;
	if (!watch.is_memory_over || was_over)
		return false;
	alarm->trigger = NX_SNAPSHOT_MEMORY;
	snprintf(alarm->reason, sizeof(alarm->reason),
		 "core %u uses %llu bytes of device memory; the limit is %llu", state->memory_core,
		 (unsigned long long)state->memory_bytes,
		 (unsigned long long)watch.options.device_memory_bytes);
	return true;
}

static bool check_state(const struct nx_trace_share_state *state, struct nx_profiler_alarm *alarm)
{
	if (!state)
		return false;
	return check_errors(state, alarm) || check_memory(state, alarm);
}

static bool check_request(struct nx_profiler_alarm *alarm)
{
	if (!atomic_exchange(&has_request, false))
		return false;
	alarm->trigger = NX_SNAPSHOT_PEER;
	snprintf(alarm->reason, sizeof(alarm->reason),
		 "another process of the job has waited too long in a collective");
	return true;
}

/* A signal is a request and always obeyed; the others are limited. */
static bool is_allowed(uint64_t now_ns)
{
	if (now_ns < watch.next_ns || watch.saved_count >= watch.options.max_snapshots) {
		atomic_fetch_add(&suppressed, 1);
		return false;
	}
	watch.next_ns = now_ns + watch.options.min_interval_ms * 1000000;
	watch.saved_count++;
	return true;
}

bool nx_profiler_triggers_check(uint64_t now_ns, const struct nx_trace_share_state *state,
				const struct nx_trace_clock *clock, struct nx_profiler_alarm *alarm)
{
	if (atomic_exchange(&has_signal, false)) {
		alarm->trigger = NX_SNAPSHOT_SIGNAL;
		snprintf(alarm->reason, sizeof(alarm->reason), "signal %d", caught_signal);
		return true;
	}
	if (!check_waits(clock, alarm) && !check_state(state, alarm) &&
	    !check_steps(clock, alarm) && !check_request(alarm))
		return false;
	return is_allowed(now_ns);
}

void nx_profiler_triggers_request(void)
{
	atomic_store(&has_request, true);
}

uint64_t nx_profiler_triggers_suppressed(void)
{
	return atomic_load(&suppressed);
}
