/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_array: the tensor engine, and the throttle that halves its rate.
 *
 * Weights are loaded while earlier products still run. The activity in one window of
 * the throttle decides the rate of the next.
 */
#include <assert.h>

#include "runtime/timing/simulate_internal.h"

#define HALF_RATE_K 4
#define FULL_RATE_K 8
#define RATE_N 8
#define FULL_ACTIVITY 204.0 /* what records show for a window that is busy throughout */

static void add_throttle(struct nx_simulation *sim, unsigned core, uint64_t time_ps,
			 double busy_frac)
{
	const struct nx_sim_array *array = &sim->cores[core].array;

	nx_vec_push(&sim->run->throttles, ((struct nx_timed_throttle){
						  .time_ps = time_ps,
						  .core = (uint8_t)core,
						  .k = array->is_slow ? HALF_RATE_K : FULL_RATE_K,
						  .n = RATE_N,
						  .activity = (uint16_t)(busy_frac * FULL_ACTIVITY),
					  }));
}

void nx_sim_array_begin(struct nx_simulation *sim, unsigned core)
{
	const struct nx_throttle_timing *throttle = &sim->hardware->throttle;
	struct nx_sim_array *array = &sim->cores[core].array;

	if (!throttle->is_there || throttle->window_ps == 0)
		return;
	array->is_slow = true;
	array->window_end_ps = throttle->window_ps -
			       (uint64_t)(nx_sim_draw(sim) * (double)(throttle->window_ps - 1));
	/* Captures have no record of the rate at the start, only of changes. */
}

static void close_window(struct nx_simulation *sim, unsigned core)
{
	const struct nx_throttle_timing *throttle = &sim->hardware->throttle;
	struct nx_sim_array *array = &sim->cores[core].array;
	double busy_frac = (double)array->busy_ps / (double)throttle->window_ps;
	bool was_slow = array->is_slow;

	if (was_slow && busy_frac >= throttle->rise_frac)
		array->is_slow = false;
	else if (!was_slow && busy_frac < throttle->fall_frac)
		array->is_slow = true;
	if (was_slow != array->is_slow)
		add_throttle(sim, core, array->window_end_ps, busy_frac);
	array->busy_ps =
		array->carried_ps < throttle->window_ps ? array->carried_ps : throttle->window_ps;
	array->carried_ps -= array->busy_ps;
	array->window_end_ps += throttle->window_ps;
}

/* Windows that ended by now; many idle ones are passed at once. */
static void pass_windows(struct nx_simulation *sim, unsigned core, uint64_t now_ps)
{
	const struct nx_throttle_timing *throttle = &sim->hardware->throttle;
	struct nx_sim_array *array = &sim->cores[core].array;

	if (array->window_end_ps == 0 || throttle->window_ps == 0)
		return;
	while (array->window_end_ps <= now_ps) {
		if (array->is_slow && array->busy_ps == 0 && array->carried_ps == 0) {
			uint64_t idle = (now_ps - array->window_end_ps) / throttle->window_ps + 1;

			array->window_end_ps += idle * throttle->window_ps;
			return;
		}
		close_window(sim, core);
	}
}

static void count_busy(struct nx_sim_array *array, uint64_t start_ps, uint64_t length_ps)
{
	uint64_t inside_ps;

	if (array->window_end_ps == 0)
		return;
	inside_ps = array->window_end_ps - start_ps;
	if (inside_ps > length_ps)
		inside_ps = length_ps;
	array->busy_ps += inside_ps;
	array->carried_ps += length_ps - inside_ps;
}

static uint64_t at_rate(const struct nx_sim_array *array, const struct nx_cost *cost)
{
	return array->is_slow && cost->is_rate_bound ? 2 * cost->latency_ps : cost->latency_ps;
}

/* At half rate, instructions leave the queue a little before their turn. */
static uint64_t leaves_queue_ps(struct nx_simulation *sim, unsigned core, uint64_t start_ps,
				uint64_t turn_ps)
{
	uint64_t lead_ps = sim->hardware->array.half_lead_ps;
	uint64_t early_ps = turn_ps > start_ps + lead_ps ? turn_ps - lead_ps : start_ps;

	pass_windows(sim, core, early_ps);
	return sim->cores[core].array.is_slow ? early_ps : turn_ps;
}

static uint64_t multiply(struct nx_simulation *sim, unsigned core, const struct nx_cost *cost,
			 uint64_t *start_ps)
{
	const struct nx_array_timing *timing = &sim->hardware->array;
	struct nx_sim_array *array = &sim->cores[core].array;
	uint64_t turn_ps = nx_sim_later(*start_ps, array->free_ps);
	uint64_t begin_ps = nx_sim_later(turn_ps, array->weights_ps);
	uint64_t columns_ps, busy_ps;

	*start_ps = leaves_queue_ps(sim, core, *start_ps, turn_ps);
	pass_windows(sim, core, begin_ps);
	columns_ps = busy_ps = at_rate(array, cost);
	if (array->has_own_weights)
		busy_ps = nx_sim_later(busy_ps, timing->minimum_ps);
	count_busy(array, begin_ps, busy_ps);
	array->last_start_ps = begin_ps;
	array->free_ps = begin_ps + busy_ps + (array->is_slow ? 0 : timing->gap_ps);
	array->has_own_weights = false;
	return begin_ps + columns_ps + timing->base_ps;
}

uint64_t nx_sim_array_run(struct nx_simulation *sim, unsigned core, const struct nx_cost *cost,
			  uint64_t *start_ps)
{
	struct nx_sim_array *array = &sim->cores[core].array;

	assert(cost->kind == NX_COST_WEIGHTS || cost->kind == NX_COST_MATMUL);
	pass_windows(sim, core, *start_ps);
	if (cost->kind != NX_COST_WEIGHTS)
		return multiply(sim, core, cost, start_ps);
	array->weights_ps = nx_sim_later(*start_ps, array->last_start_ps) + at_rate(array, cost);
	array->has_own_weights = true;
	return array->weights_ps + sim->hardware->array.weights_base_ps;
}
