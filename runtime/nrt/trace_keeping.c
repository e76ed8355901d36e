/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/trace_keeping.h"

#include <pthread.h>

#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/nrt/ntff_capture.h"
#include "runtime/nrt/trace_info.h"

static struct {
	pthread_mutex_t lock;
	bool is_wanted, is_on;
	struct nx_trace_share_keep keep;
	struct nx_trace_filter filter; /* of keep */
	struct nx_host_facts host;
} keeping = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock. */
static enum nx_status begin(struct nx_error *err)
{
	const struct nx_instance *instance = nx_state_instance();
	uint64_t record_bytes = NX_TRACE_RECORD_WORDS * sizeof(uint64_t);
	struct nx_tracer_options options = {
		.filter = keeping.filter,
		.max_events = keeping.keep.ring_bytes / record_bytes / instance->visible_count,
		.core_count = instance->visible_count,
		.workers = instance->visible,
		.epoch_offset_ns = keeping.keep.epoch_offset_ns,
	};
	enum nx_status st;

	if (!options.max_events)
		options.max_events = 1;
	st = nx_tracer_keep(&options, &keeping.keep.keeper, err);
	if (st)
		return st;
	nx_ntff_capture_keep(keeping.keep.device_bytes);
	keeping.is_on = true;
	return NX_OK;
}

static void end(void)
{
	if (!keeping.is_on)
		return;
	nx_tracer_keep_end();
	nx_ntff_capture_keep(0);
	keeping.is_on = false;
}

enum nx_status nx_trace_keep(const struct nx_trace_share_keep *keep, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	pthread_mutex_lock(&keeping.lock);
	end();
	keeping.keep = *keep;
	nx_trace_filter_set_all(&keeping.filter);
	memcpy(keeping.filter.cores, keep->filter->cores, sizeof(keeping.filter.cores));
	nx_host_facts_read(&keeping.host);
	keeping.is_wanted = true;
	if (nx_state_check() == NRT_SUCCESS)
		st = begin(err);
	if (st)
		keeping.is_wanted = false;
	pthread_mutex_unlock(&keeping.lock);
	return st;
}

void nx_trace_keep_stop(void)
{
	pthread_mutex_lock(&keeping.lock);
	end();
	keeping.is_wanted = false;
	pthread_mutex_unlock(&keeping.lock);
}

void nx_trace_keep_take(bool waits_for_session)
{
	/* A session's own thread takes for both. */
	if (!nx_tracer_keep_take() && waits_for_session)
		nx_inspect_drain();
}

void nx_trace_keep_look(struct nx_trace_share_state *state)
{
	struct nx_tracer_counts counts = nx_tracer_keep_count();
	uint32_t cores = nx_state_check() == NRT_SUCCESS ? nx_state_instance()->visible_count : 0;

	*state = (struct nx_trace_share_state){.recorded_count = counts.total,
					       .lost_count = counts.dropped};
	state->error_count = nx_state_failures(&state->error_status);
	for (uint32_t core = 0; core < cores && core < NX_TRACE_MAX_CORES; core++) {
		uint64_t used = nx_memory_used_bytes(core);

		if (used <= state->memory_bytes)
			continue;
		state->memory_bytes = used;
		state->memory_core = core;
	}
}

bool nx_trace_keep_snapshot(struct nx_trace_share_snapshot *snapshot)
{
	const struct nx_trace_info info = {
		.folder = snapshot->final_folder,
		.init_ns = snapshot->begin_ns,
		.close_ns = snapshot->end_ns,
		.has_events = true,
		.total_count = snapshot->event_count,
		.stored_count = snapshot->event_count,
		.host = &keeping.host,
	};
	struct nx_error err = {0};

	if (nx_state_check() != NRT_SUCCESS)
		return false;
	if (nx_trace_info_write(&info, snapshot->folder, &err)) {
		nx_log_error("nx_profiler_snapshot", "%s", err.message);
		return false;
	}
	snapshot->device_count = nx_ntff_capture_write_kept(snapshot->folder, snapshot->begin_ns);
	return true;
}

/* --- life of the runtime ---------------------------------------------------------------------- */

void nx_trace_keeping_begin(void)
{
	struct nx_error err = {0};

	pthread_mutex_lock(&keeping.lock);
	if (keeping.is_wanted && !keeping.is_on && begin(&err))
		nx_log_error("nrt_init", "%s", err.message);
	pthread_mutex_unlock(&keeping.lock);
}

void nx_trace_keeping_end(void)
{
	pthread_mutex_lock(&keeping.lock);
	end();
	pthread_mutex_unlock(&keeping.lock);
}

void nx_trace_keeping_abandon(void)
{
	pthread_mutex_init(&keeping.lock, NULL);
	keeping.is_wanted = keeping.is_on = false;
}
