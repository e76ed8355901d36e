/* SPDX-License-Identifier: Apache-2.0 */
/* simulate_queue: the in-order queue of compute instructions that a sequencer feeds. */
#include <assert.h>

#include "runtime/timing/simulate_internal.h"

static void schedule_head(struct nx_simulation *sim, unsigned core, unsigned engine,
			  uint64_t now_ps)
{
	struct nx_sim_queue *queue = &sim->cores[core].queues[engine];
	struct nx_sim_entry *head = &queue->entries[queue->head];
	uint64_t time_ps =
		nx_sim_later(now_ps, nx_sim_later(head->reached_ps, queue->next_start_ps));

	if (head->cost.kind == NX_COST_COMPUTE && head->cost.route != queue->route)
		time_ps = nx_sim_later(time_ps, queue->last_end_ps + head->cost.refill_ps);

	queue->reached_ps = time_ps;
	queue->is_scheduled = true;
	nx_sim_schedule(sim, NX_SIM_QUEUE, core, engine, time_ps);
}

bool nx_sim_queue_put(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
		      const struct nx_cost *cost, uint64_t time_ps, uint64_t waited_ps)
{
	struct nx_sim_queue *queue = &sim->cores[core].queues[engine];

	assert(queue->depth > 0 && queue->depth <= NX_SIM_DEPTH);
	if (queue->count == queue->depth)
		return false;
	queue->entries[(queue->head + queue->count++) % NX_SIM_DEPTH] = (struct nx_sim_entry){
		.pc = pc, .reached_ps = time_ps, .waited_ps = waited_ps, .cost = *cost};
	if (queue->count == 1)
		schedule_head(sim, core, engine, time_ps);
	return true;
}

/* Back to back, completions are an occupancy apart; alone, it takes its latency. */
static uint64_t run_compute(struct nx_sim_queue *queue, const struct nx_cost *cost,
			    uint64_t start_ps)
{
	uint64_t overlap_ps =
		cost->latency_ps > cost->occupancy_ps ? cost->latency_ps - cost->occupancy_ps : 0;
	uint64_t end_ps =
		nx_sim_later(start_ps + cost->latency_ps, queue->last_end_ps + cost->occupancy_ps);

	queue->next_start_ps = end_ps - overlap_ps;
	queue->route = cost->route;
	return end_ps;
}

static void start_head(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t start_ps,
		       uint64_t now_ps)
{
	struct nx_sim_queue *queue = &sim->cores[core].queues[engine];
	struct nx_sim_entry entry = queue->entries[queue->head];
	const struct nx_loaded_slot *slot = &nx_sim_stream(sim, core, engine)->slots[entry.pc];
	uint64_t wait_ps = start_ps - queue->reached_ps + entry.waited_ps, end_ps;

	assert(queue->count > 0);
	if (entry.cost.kind == NX_COST_COMPUTE) {
		end_ps = run_compute(queue, &entry.cost, start_ps);
	} else {
		end_ps = nx_sim_array_run(sim, core, &entry.cost, &start_ps);
		queue->next_start_ps = start_ps + sim->hardware->array.dispatch_ps;
	}
	queue->last_end_ps = nx_sim_later(queue->last_end_ps, end_ps);
	queue->head = (queue->head + 1) % NX_SIM_DEPTH;
	queue->count--;
	nx_sim_add_row(sim, core, engine, entry.pc, start_ps - wait_ps, start_ps, end_ps);
	nx_sim_records_add(sim, core, engine, now_ps);
	nx_sim_records_update(sim, core, engine, slot, end_ps, now_ps);
	if (queue->count)
		schedule_head(sim, core, engine, start_ps);
	nx_sim_front_queue_moved(sim, core, engine, start_ps);
}

void nx_sim_queue_go(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	struct nx_sim_queue *queue = &sim->cores[core].queues[engine];

	assert(queue->count > 0);
	queue->is_scheduled = false;
	queue->waits_for_place = !nx_sim_records_have_place(sim, core, engine);
	if (!queue->waits_for_place)
		start_head(sim, core, engine, now_ps, now_ps);
}

void nx_sim_queue_has_place(struct nx_simulation *sim, unsigned core, unsigned engine,
			    uint64_t now_ps)
{
	if (sim->cores[core].queues[engine].waits_for_place)
		nx_sim_queue_go(sim, core, engine, now_ps);
}
