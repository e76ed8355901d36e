/* SPDX-License-Identifier: Apache-2.0 */
/* simulate_semaphore: how semaphores change, and the waits that a change ends. */
#include <assert.h>

#include "base/bare/bits.h"
#include "runtime/timing/simulate_internal.h"

static uint16_t bank_of(const struct nx_loaded_slot *slot)
{
	bool is_own = slot->kind == NX_LOADED_INSERTED &&
		      slot->word.header.opcode == NX_OP_EVENT_SEMAPHORE;

	return is_own ? NX_SIM_RUNTIME_BANK : 0;
}

/* The values of registers are not simulated: a wait for one never blocks. */
static struct nx_sim_wait wait_of(const struct nx_loaded_slot *slot, struct nx_word_sync sync,
				  uint32_t value)
{
	if (sync.mode == NX_WAIT_NONE || sync.mode > NX_WAIT_AT_LEAST)
		return (struct nx_sim_wait){0};
	return (struct nx_sim_wait){sync.mode, (uint16_t)(bank_of(slot) + sync.semaphore), value};
}

struct nx_sim_wait nx_sim_wait_of(const struct nx_loaded_slot *slot)
{
	return wait_of(slot, slot->word.header.wait, slot->word.header.value);
}

struct nx_sim_wait nx_sim_body_wait_of(const struct nx_loaded_slot *slot)
{
	const struct nx_event_semaphore_word *w = &slot->word.event_semaphore;

	if (w->header.opcode != NX_OP_EVENT_SEMAPHORE)
		return (struct nx_sim_wait){0};
	return wait_of(slot, w->wait, w->wait_value);
}

bool nx_sim_wait_holds(const struct nx_sim_core *core, const struct nx_sim_wait *wait)
{
	return nx_wait_holds(wait->mode, core->semaphores[wait->index], wait->value);
}

static void wake(struct nx_simulation *sim, unsigned c, uint64_t now_ps)
{
	struct nx_sim_core *core = &sim->cores[c];

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		struct nx_sim_front *front = &core->fronts[e];

		if ((front->state == NX_SIM_FRONT_WAITS ||
		     front->state == NX_SIM_FRONT_WAITS_INSIDE ||
		     front->state == NX_SIM_FRONT_WAITS_TO_QUEUE) &&
		    nx_sim_wait_holds(core, &front->wait))
			nx_sim_front_wake(sim, c, e, now_ps);
	}
}

static bool changes_semaphore(uint8_t mode)
{
	switch (mode & NX_UPDATE_MODE_MASK) {
	case NX_UPDATE_INCREMENT:
	case NX_UPDATE_DECREMENT:
	case NX_UPDATE_ADD:
	case NX_UPDATE_SUBTRACT:
	case NX_UPDATE_SET:
		return true;
	default:
		return false;
	}
}

/* by has the core, unit, source and time of the change. */
static void push_update(struct nx_simulation *sim, struct nx_sim_event by,
			const struct nx_loaded_slot *slot, struct nx_word_sync update,
			uint32_t value)
{
	if (!changes_semaphore(update.mode))
		return;
	by.kind = NX_SIM_SEMAPHORE;
	by.value = value;
	by.index = (uint16_t)(bank_of(slot) + update.semaphore);
	by.mode = update.mode & NX_UPDATE_MODE_MASK;
	nx_sim_heap_push(&sim->heap, by);
}

void nx_sim_update(struct nx_simulation *sim, unsigned core, unsigned engine,
		   const struct nx_loaded_slot *slot, uint64_t end_ps, uint64_t now_ps)
{
	const struct nx_engine_timing *timing = &sim->hardware->engines[engine];
	struct nx_sim_event by = {
		.core = (uint8_t)core, .unit = (uint8_t)engine, .source = NX_TIMED_BY_ENGINE};
	const struct nx_event_semaphore_word *w = &slot->word.event_semaphore;
	bool is_control = w->header.opcode == NX_OP_EVENT_SEMAPHORE;
	int64_t delay = is_control ? timing->update_control_ps : timing->update_ps;

	by.time_ps = delay < 0 && end_ps < (uint64_t)-delay ? 0 : end_ps + (uint64_t)delay;
	if (nx_sim_is_collective(slot))
		return;
	/* On older devices it comes before the end of the instruction, but not in the past. */
	by.time_ps = nx_sim_later(by.time_ps, now_ps);
	push_update(sim, by, slot, w->header.update, w->header.value);
	if (is_control)
		push_update(sim, by, slot, w->update, w->update_value);
}

void nx_sim_update_late(struct nx_simulation *sim, unsigned core, const struct nx_loaded_slot *slot,
			uint64_t time_ps)
{
	const struct nx_sim_event by = {
		.time_ps = time_ps, .core = (uint8_t)core, .source = NX_TIMED_BY_DMA};

	push_update(sim, by, slot, slot->word.header.update, slot->word.header.value);
}

static uint32_t changed(uint32_t have, uint8_t mode, uint32_t value)
{
	switch (mode) {
	case NX_UPDATE_INCREMENT:
		return have + 1;
	case NX_UPDATE_DECREMENT:
		return have - 1;
	case NX_UPDATE_ADD:
		return have + value;
	case NX_UPDATE_SUBTRACT:
		return have - value;
	default:
		return value;
	}
}

void nx_sim_semaphore_change(struct nx_simulation *sim, const struct nx_sim_event *event)
{
	uint32_t *value = &sim->cores[event->core].semaphores[event->index];

	assert(event->core < sim->code->core_count && event->index < NX_SIM_SEMAPHORES);
	*value = changed(*value, event->mode, event->value);
	nx_vec_push(&sim->run->semaphores,
		    ((struct nx_timed_semaphore){.time_ps = event->time_ps,
						 .value = *value,
						 .core = event->core,
						 .semaphore = (uint8_t)event->index,
						 .source = event->source,
						 .engine = event->unit,
						 .mode = event->mode}));
	wake(sim, event->core, event->time_ps);
}

void nx_sim_semaphore_clear(struct nx_simulation *sim, unsigned core, unsigned first, unsigned last,
			    uint64_t now_ps)
{
	for (unsigned i = first; i <= last && i < NX_SIM_RUNTIME_BANK; i++)
		sim->cores[core].semaphores[i] = 0;
	wake(sim, core, now_ps);
}
