/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_plan.h"

#include <assert.h>
#include <stdio.h>

#define SESSION_SUFFIX ".ntff"

/* --- workers ---------------------------------------------------------------------------------- */

static uint32_t or_else(struct nx_capture_count count, uint32_t otherwise)
{
	return count.is_given ? count.value : otherwise;
}

static enum nx_status check_ranks(const struct nx_capture_plan *plan, struct nx_error *err)
{
	const struct nx_capture_count *profiled = &plan->wishes.profiled_rank;

	if (plan->worker_count == 0)
		return nx_fail(err, NX_USAGE,
			       "a capture needs a worker; "
			       "--collectives-workers-per-node is 0");
	if (plan->worker_count > NX_CAPTURE_MAX_WORKERS)
		return nx_fail(err, NX_LIMIT, "%u workers are more than the %d a process may have",
			       plan->worker_count, NX_CAPTURE_MAX_WORKERS);
	if (plan->first_rank > plan->rank_count ||
	    plan->worker_count > plan->rank_count - plan->first_rank)
		return nx_fail(err, NX_USAGE,
			       "%u workers from rank %u on are more than the "
			       "--collectives-worker-count of %u",
			       plan->worker_count, plan->first_rank, plan->rank_count);
	if (profiled->is_given && profiled->value >= plan->rank_count)
		return nx_fail(err, NX_USAGE,
			       "there is no rank %u to profile; ranks are 0 to %u, or all",
			       profiled->value, plan->rank_count - 1);
	return NX_OK;
}

static enum nx_status plan_workers(struct nx_capture_plan *plan,
				   const struct nx_capture_model *model, struct nx_error *err)
{
	const struct nx_capture_wishes *w = &plan->wishes;
	uint32_t required = model->worker_count > 1 ? model->worker_count : 1;
	uint32_t total = or_else(w->total_workers, required);

	plan->first_rank = or_else(w->first_rank, 0);
	plan->is_collective = w->workers.is_given || w->total_workers.is_given || required > 1;
	if (!plan->is_collective && plan->first_rank)
		return nx_fail(err, NX_USAGE,
			       "--collectives-worker-start-id is for several workers: add "
			       "--collectives-workers-per-node and --collectives-worker-count");
	plan->worker_count =
		or_else(w->workers, total > plan->first_rank ? total - plan->first_rank : 1);
	plan->rank_count = plan->worker_count;
	if (w->total_workers.is_given || (required > 1 && !w->workers.is_given))
		plan->rank_count = total;
	else if (plan->first_rank > UINT32_MAX - plan->worker_count)
		return nx_fail(err, NX_USAGE, "rank %u is too high", plan->first_rank);
	else
		plan->rank_count += plan->first_rank;
	return check_ranks(plan, err);
}

/* --- executions ---------------------------------------------------------------------- */

/* Unless --num-exec says otherwise, run as often as the highest execution named requires. */
static enum nx_status plan_executions(struct nx_capture_plan *plan, struct nx_error *err)
{
	struct nx_capture_wishes *w = &plan->wishes;
	uint32_t nth = or_else(w->profile_nth, 1), last = w->save_nth.value ? w->save_nth.value : 1;

	w->profile_nth.value = nth;
	if (nth == 0)
		w->is_unprofiled = true;
	if (!w->is_unprofiled && !w->is_systrace && nth > last)
		last = nth;
	plan->execution_count = or_else(w->executions, last);
	if (plan->execution_count == 0)
		return nx_fail(err, NX_USAGE, "--num-exec is 0: nothing would run");
	if (w->save_nth.is_given && w->save_nth.value == 0)
		return nx_fail(err, NX_USAGE, "--save-nth-output counts from 1");
	if (w->save_nth.value > plan->execution_count)
		return nx_fail(err, NX_USAGE, "--save-nth-output %u is beyond the %u of --num-exec",
			       w->save_nth.value, plan->execution_count);
	if (last > plan->execution_count)
		return nx_fail(err, NX_USAGE,
			       "--profile-nth-exec %u profiles none of %u executions; raise "
			       "--num-exec",
			       nth, plan->execution_count);
	if (w->checks_determinism && plan->execution_count < 2)
		return nx_fail(err, NX_USAGE,
			       "--check-output-determinism compares executions: add --num-exec 2");
	return NX_OK;
}

static enum nx_status check_wishes(const struct nx_capture_wishes *w, struct nx_error *err)
{
	if (w->multi_input_path && w->input_word_count)
		return nx_fail(err, NX_USAGE,
			       "give inputs by name or by --multi-input, not both ways");
	if (w->single_io_threshold.is_given && !w->is_single_io)
		return nx_fail(err, NX_USAGE, "--single-io-threshold is for --single-io");
	if (w->event_type_count && !w->is_systrace)
		return nx_fail(err, NX_USAGE,
			       "--systrace-event-filter is for system traces: add "
			       "--capture-type systrace");
	if (w->is_systrace && w->profile_nth.is_given)
		return nx_fail(err, NX_USAGE,
			       "--profile-nth-exec is for device profiles: leave it or "
			       "--capture-type systrace out");
	if (w->session_path && strcmp(w->session_path, "-") == 0)
		return nx_fail(err, NX_USAGE,
			       "a capture cannot go to standard output; name a file "
			       "with -s");
	if (w->session_path && !*w->session_path)
		return nx_fail(err, NX_USAGE, "-s needs the name of a file");
	return NX_OK;
}

static enum nx_status plan_inputs(struct nx_capture_plan *plan, struct nx_arena *arena,
				  struct nx_error *err)
{
	const struct nx_capture_wishes *w = &plan->wishes;
	enum nx_status st;

	plan->inputs = NX_NEW_ARRAY(arena, struct nx_capture_inputs, plan->worker_count);
	if (w->multi_input_path)
		return nx_capture_inputs_read(plan->inputs, plan->worker_count, w->multi_input_path,
					      arena, err);
	st = nx_capture_inputs_parse(&plan->inputs[0], w->input_words, w->input_word_count, arena,
				     err);
	for (uint32_t i = 1; i < plan->worker_count; i++)
		plan->inputs[i] = plan->inputs[0];
	return st;
}

enum nx_status nx_capture_plan_make(struct nx_capture_plan *plan,
				    const struct nx_capture_wishes *wishes,
				    const struct nx_capture_model *model, struct nx_arena *arena,
				    struct nx_error *err)
{
	struct nx_capture_wishes *w = &plan->wishes;
	enum nx_status st;

	memset(plan, 0, sizeof(*plan));
	*w = *wishes;
	st = check_wishes(w, err);
	if (st)
		return st;
	if (!w->session_path)
		w->session_path = w->is_systrace ? "systrace.json" : "profile" SESSION_SUFFIX;
	if (w->save_nth.is_given && !w->saves_npy)
		w->saves_raw = true;
	st = plan_workers(plan, model, err);
	if (!st)
		st = plan_executions(plan, err);
	return st ? st : plan_inputs(plan, arena, err);
}

/* --- asking -------------------------------------------------------------------------- */

bool nx_capture_plan_profiles(const struct nx_capture_plan *plan, uint32_t worker,
			      uint32_t execution)
{
	const struct nx_capture_wishes *w = &plan->wishes;

	assert(worker < plan->worker_count && execution > 0);
	if (w->is_unprofiled || w->is_systrace)
		return false;
	if (w->profiled_rank.is_given && w->profiled_rank.value != plan->first_rank + worker)
		return false;
	return execution % w->profile_nth.value == 0;
}

bool nx_capture_plan_saves(const struct nx_capture_plan *plan, uint32_t execution)
{
	const struct nx_capture_wishes *w = &plan->wishes;

	assert(execution > 0);
	if (!w->saves_raw && !w->saves_npy)
		return false;
	return !w->save_nth.is_given || execution == w->save_nth.value;
}

/* --- names --------------------------------------------------------------------------- */

const char *nx_capture_plan_session(const struct nx_capture_plan *plan, uint32_t worker,
				    uint32_t execution, struct nx_arena *arena)
{
	struct nx_slice stem = nx_slice_text(plan->wishes.session_path);
	bool has_suffix = nx_slice_ends(stem, SESSION_SUFFIX);
	char rank[32] = "", nth[32] = "";

	assert(execution > 0);
	if (has_suffix)
		stem.len -= strlen(SESSION_SUFFIX);
	if (plan->is_collective)
		snprintf(rank, sizeof(rank), "_rank_%u", plan->first_rank + worker);
	if (execution > 1)
		snprintf(nth, sizeof(nth), "_exec_%u", execution);
	return nx_arena_printf(arena, "%.*s%s%s%s", (int)stem.len, (const char *)stem.data, rank,
			       nth, has_suffix ? SESSION_SUFFIX : "");
}

const char *nx_capture_plan_output(const struct nx_capture_plan *plan, const char *tensor,
				   const char *suffix, uint32_t worker, uint32_t execution,
				   struct nx_arena *arena)
{
	char *name = nx_arena_copy_text(arena, *tensor ? tensor : "_");
	char folder[32] = "", nth[32] = "";

	assert(execution > 0);
	/* A tensor's name must not lead to another folder or look like an option. */
	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '_';
	if (*name == '.' || *name == '-')
		*name = '_';
	if (plan->is_collective)
		snprintf(folder, sizeof(folder), "output_worker_%u/", plan->first_rank + worker);
	if (execution > 1)
		snprintf(nth, sizeof(nth), ".%u", execution);
	return nx_arena_printf(arena, "%s%s%s%s", folder, name, nth, suffix);
}
