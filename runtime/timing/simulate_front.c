/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_front: the sequencer of an engine.
 *
 * It takes words in order, and does all waits of their headers itself. Compute
 * instructions go into the engine's queue until it is full; the sequencer executes the
 * rest itself, possibly before earlier compute instructions start. If it waits, all later
 * words wait.
 */
#include <assert.h>
#include <stdio.h>

#include "runtime/timing/simulate_internal.h"

static const struct nx_loaded_slot *slot_at(const struct nx_simulation *sim, unsigned core,
					    unsigned engine)
{
	return &nx_sim_stream(sim, core, engine)->slots[sim->cores[core].fronts[engine].pc];
}

static void continue_at(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t time_ps)
{
	sim->cores[core].fronts[engine].state = NX_SIM_FRONT_RUNS;
	nx_sim_schedule(sim, NX_SIM_FRONT, core, engine, time_ps);
}

/* --- words that the sequencer executes --------------------------------------------------- */

static void finish_at(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t end_ps,
		      uint64_t next_ps, uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	nx_sim_add_row(sim, core, engine, front->pc, front->reached_ps, front->start_ps, end_ps);
	nx_sim_update(sim, core, engine, slot_at(sim, core, engine), end_ps, now_ps);
	front->pc++;
	front->has_cost = false;
	continue_at(sim, core, engine, next_ps);
}

static void finish(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t end_ps,
		   uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	front->follows_transfer = false;
	finish_at(sim, core, engine, end_ps, end_ps + front->cost.gap_ps, now_ps);
}

/* All compute instructions have started, so that the last end is known. */
static void finish_drain(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	const struct nx_engine_timing *timing = &sim->hardware->engines[engine];
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	const struct nx_sim_queue *queue = &sim->cores[core].queues[engine];
	const struct nx_loaded_slot *slot = slot_at(sim, core, engine);
	uint64_t end_ps = front->start_ps + front->cost.latency_ps;

	if (queue->last_end_ps > front->start_ps)
		end_ps = nx_sim_later(end_ps, queue->last_end_ps + timing->drain_ps);
	if (front->last_write_ps)
		end_ps = nx_sim_later(end_ps, front->last_write_ps + timing->drain_write_ps);
	/* Assumed: the runtime's DRAIN after the last compiled word waits for all transfers. */
	if (slot->kind == NX_LOADED_INSERTED && slot->word.drain.waits_for_writes)
		end_ps = nx_sim_later(end_ps, front->last_collective_ps);
	finish(sim, core, engine, end_ps, now_ps);
}

static void drain(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	if (sim->cores[core].queues[engine].count)
		sim->cores[core].fronts[engine].state = NX_SIM_FRONT_DRAINS;
	else
		finish_drain(sim, core, engine, now_ps);
}

/* --- transfers that GpSimd's own program starts ------------------------------------------ */

/*
 * That program has two stages. The first works on the elements, and a record starts when it is
 * done; the second rings the DMA engines, which ends the record. The second takes longer, so
 * records grow from one transfer to the next until the first stage has to wait.
 */

/* What the word at pc takes more than the table says; modulo 2^64, as it may be negative. */
static uint64_t more_ps(const struct nx_simulation *sim, unsigned core, unsigned engine)
{
	const struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	const uint8_t *word = nx_sim_stream(sim, core, engine)->slots[front->pc].word.bytes;

	return (uint64_t)nx_hardware_software_more_ps(sim->hardware, word);
}

/* Neither stage can be further ahead of the other than the table says. */
static uint64_t after_last_ps(const struct nx_dma_timing *dma, const struct nx_sim_front *front)
{
	uint64_t step_ps = front->last_record_ps + dma->software_step_ps;
	uint64_t ring_ps = front->last_ring_ps + dma->software_ring_step_ps;

	if (dma->software_ring_step_ps == 0 || ring_ps < dma->software_backlog_ps)
		return step_ps;
	return nx_sim_later(step_ps, ring_ps - dma->software_backlog_ps);
}

static uint64_t software_record_ps(const struct nx_simulation *sim, unsigned core, unsigned engine,
				   bool has_waited, uint64_t now_ps)
{
	const struct nx_dma_timing *dma = &sim->hardware->dma;
	const struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	uint64_t work_ps = more_ps(sim, core, engine);
	uint64_t record_ps = front->start_ps + dma->software_record_ps;

	if (has_waited)
		record_ps = now_ps + dma->software_wake_ps;
	else if (front->follows_transfer)
		record_ps = front->start_ps + dma->software_release_ps + dma->software_step_ps;
	record_ps += work_ps;
	if (sim->options->is_first_execution && !front->has_library)
		record_ps = nx_sim_later(record_ps,
					 front->start_ps + sim->hardware->frame.gpsimd_library_ps);
	if (front->last_record_ps)
		record_ps = nx_sim_later(record_ps, after_last_ps(dma, front) + work_ps);
	return record_ps;
}

static uint64_t software_ring_ps(const struct nx_simulation *sim, unsigned core, unsigned engine)
{
	const struct nx_dma_timing *dma = &sim->hardware->dma;
	const struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	uint64_t ring_ps = front->start_ps + front->cost.latency_ps;

	if (front->last_ring_ps == 0 || dma->software_ring_step_ps == 0)
		return ring_ps;
	return nx_sim_later(ring_ps, front->last_ring_ps + dma->software_ring_step_ps +
					     more_ps(sim, core, engine));
}

/* The sequencer continues as soon as it has passed the transfer to that program. */
static void pass_transfer(struct nx_simulation *sim, unsigned core, unsigned engine,
			  uint64_t record_ps, uint64_t now_ps)
{
	uint32_t release_ps = sim->hardware->dma.software_release_ps;
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	front->has_library = true;
	front->last_record_ps = front->start_ps = record_ps;
	front->last_ring_ps = software_ring_ps(sim, core, engine);
	front->reached_ps = record_ps - front->transfer_waited_ps;
	front->follows_transfer = true;
	nx_sim_records_add(sim, core, engine, now_ps);
	/* Delays are measured from the start of records that ring at once. */
	nx_sim_dma_start(sim, core, engine, front->pc,
			 front->last_ring_ps - front->cost.latency_ps);
	finish_at(sim, core, engine, front->last_ring_ps,
		  nx_sim_later(record_ps > release_ps ? record_ps - release_ps : 0, now_ps),
		  now_ps);
}

static void start_software(struct nx_simulation *sim, unsigned core, unsigned engine,
			   bool has_waited, uint64_t now_ps)
{
	uint32_t lead_ps = sim->hardware->records.descriptors_lead_ps;
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	uint64_t record_ps = software_record_ps(sim, core, engine, has_waited, now_ps);

	front->transfer_waited_ps = has_waited ? now_ps - front->reached_ps : 0;
	if (!nx_sim_records_matter(sim)) {
		pass_transfer(sim, core, engine, record_ps, now_ps);
		return;
	}
	front->state = NX_SIM_FRONT_RUNS;
	front->start_ps = record_ps;
	nx_sim_schedule(sim, NX_SIM_TRANSFER, core, engine,
			nx_sim_later(record_ps > lead_ps ? record_ps - lead_ps : 0, now_ps));
}

void nx_sim_front_transfer(struct nx_simulation *sim, unsigned core, unsigned engine,
			   uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	front->descriptors_ps = now_ps;
	nx_sim_records_add_descriptors(sim, core, now_ps);
	if (nx_sim_records_have_place(sim, core, engine))
		pass_transfer(sim, core, engine, front->start_ps, now_ps);
	else
		front->state = NX_SIM_FRONT_WAITS_FOR_PLACE;
}

void nx_sim_front_has_place(struct nx_simulation *sim, unsigned core, unsigned engine,
			    uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	if (front->state == NX_SIM_FRONT_WAITS_FOR_PLACE)
		pass_transfer(sim, core, engine, nx_sim_later(front->start_ps, now_ps), now_ps);
}

static void start_transfer(struct nx_simulation *sim, unsigned core, unsigned engine,
			   bool has_waited, uint64_t now_ps)
{
	const struct nx_loaded_slot *slot = slot_at(sim, core, engine);
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	if (slot->queue != NX_NO_INDEX) {
		if (sim->code->cores[core].queues[slot->queue].kind == NX_LOADED_SOFTWARE_DGE) {
			start_software(sim, core, engine, has_waited, now_ps);
			return;
		}
		nx_sim_dma_start(sim, core, engine, front->pc, front->start_ps);
	}
	finish(sim, core, engine, front->start_ps + front->cost.latency_ps, now_ps);
}

static void event_semaphore(struct nx_simulation *sim, unsigned core, unsigned engine,
			    uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	front->wait = nx_sim_body_wait_of(slot_at(sim, core, engine));
	if (nx_sim_wait_holds(&sim->cores[core], &front->wait))
		finish(sim, core, engine, front->start_ps + front->cost.latency_ps, now_ps);
	else
		front->state = NX_SIM_FRONT_WAITS_INSIDE;
}

/* --- barriers of cores ---------------------------------------------------------------------- */

static bool barrier_of(const struct nx_simulation *sim, unsigned core, unsigned engine,
		       struct nx_core_barrier *out)
{
	const struct nx_loaded_slot *slot = slot_at(sim, core, engine);
	const uint8_t *word;

	if (slot->kind != NX_LOADED_REPLACED || slot->word.header.opcode != NX_OP_EVENT_SEMAPHORE)
		return false;
	word = nx_instruction_word(sim->code->program->cores[core].code[engine], slot->compiler_pc);
	return word && nx_instruction_core_barrier(word, out);
}

static uint64_t arrivals_at(const struct nx_sim_core *core, uint32_t barrier)
{
	uint64_t count = 0;

	(void)nx_map_get(&core->arrivals, barrier, &count);
	return count;
}

static bool have_all_arrived(const struct nx_simulation *sim, uint32_t barrier, uint64_t arrival)
{
	for (size_t c = 0; c < sim->code->core_count; c++)
		if (arrivals_at(&sim->cores[c], barrier) < arrival)
			return false;
	return true;
}

static void release_waiting(struct nx_simulation *sim, uint32_t barrier, uint64_t now_ps)
{
	for (unsigned c = 0; c < sim->code->core_count; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			struct nx_sim_front *front = &sim->cores[c].fronts[e];
			uint64_t end_ps = now_ps + sim->hardware->engines[e].body_wake_ps;

			if (front->state == NX_SIM_FRONT_AT_BARRIER && front->barrier == barrier &&
			    have_all_arrived(sim, barrier, front->arrival))
				finish(sim, c, e,
				       nx_sim_later(end_ps,
						    front->start_ps + front->cost.latency_ps),
				       now_ps);
		}
}

/* The n-th arrival of one core lets the n-th of every other go. */
static void arrive(struct nx_simulation *sim, unsigned c, unsigned engine, uint32_t barrier,
		   uint64_t now_ps)
{
	struct nx_sim_core *core = &sim->cores[c];
	struct nx_sim_front *front = &core->fronts[engine];

	front->barrier = barrier;
	front->arrival = arrivals_at(core, barrier) + 1;
	front->state = NX_SIM_FRONT_AT_BARRIER;
	nx_map_put(&core->arrivals, barrier, front->arrival);
	release_waiting(sim, barrier, now_ps);
}

/* --- taking words -------------------------------------------------------------------- */

static void start_word(struct nx_simulation *sim, unsigned core, unsigned engine, bool has_waited,
		       uint64_t now_ps)
{
	const struct nx_loaded_slot *slot = slot_at(sim, core, engine);
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	uint64_t full_ps = front->start_ps + front->cost.latency_ps;
	struct nx_core_barrier barrier;

	switch (slot->word.header.opcode) {
	case NX_OP_EVENT_SEMAPHORE:
		if (barrier_of(sim, core, engine, &barrier))
			arrive(sim, core, engine, barrier.id, now_ps);
		else
			event_semaphore(sim, core, engine, now_ps);
		break;
	case NX_OP_DRAIN:
		drain(sim, core, engine, now_ps);
		break;
	case NX_OP_WRITE:
		front->last_write_ps = front->start_ps;
		if (slot->queue != NX_NO_INDEX)
			nx_sim_dma_start(sim, core, engine, front->pc, front->start_ps);
		finish(sim, core, engine, full_ps, now_ps);
		break;
	case NX_OP_DMA_DIRECT2D:
		start_transfer(sim, core, engine, has_waited, now_ps);
		break;
	case NX_OP_PSEUDO_TRIGGER_COLLECTIVE:
	case NX_OP_PSEUDO_TRIGGER_COLLECTIVE_2:
		nx_sim_collective_start(sim, core, engine, front->pc, front->start_ps);
		finish(sim, core, engine, full_ps, now_ps);
		break;
	case NX_OP_EVENT_SEMAPHORE_RANGE_CLEAR:
		nx_sim_semaphore_clear(sim, core, slot->word.range_clear.first,
				       slot->word.range_clear.last, now_ps);
		finish(sim, core, engine, full_ps, now_ps);
		break;
	default:
		finish(sim, core, engine, full_ps, now_ps);
	}
}

static void take_control(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	front->reached_ps = front->start_ps = now_ps;
	front->wait = nx_sim_wait_of(slot_at(sim, core, engine));
	if (nx_sim_wait_holds(&sim->cores[core], &front->wait))
		start_word(sim, core, engine, false, now_ps);
	else
		front->state = NX_SIM_FRONT_WAITS;
}

static void find_cost(struct nx_simulation *sim, unsigned core, unsigned engine)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	const struct nx_loaded_slot *slot = slot_at(sim, core, engine);

	if (front->has_cost)
		return;
	nx_hardware_cost(sim->hardware, engine, slot->word.bytes, &front->cost);
	front->has_cost = true;
	if (front->cost.evidence != NX_ASSUMED || slot->kind == NX_LOADED_INSERTED)
		return;
	sim->run->assumed_count++;
	if (!sim->has_unknown)
		sim->unknown_opcode = slot->word.header.opcode;
	sim->has_unknown = true;
}

void nx_sim_front_go(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	const struct nx_loaded_stream *stream = nx_sim_stream(sim, core, engine);
	uint64_t first_ps = sim->hardware->engines[engine].first_instruction_ps, at_ps = now_ps;
	uint64_t tables_ps = sim->hardware->frame.tables_ps;

	assert(engine < NX_ENGINE_COUNT);
	front->state = NX_SIM_FRONT_RUNS;
	for (; front->pc < stream->slot_count; front->pc++, front->has_cost = false) {
		/* The table says when the first compiled word runs, not the words before it. */
		if (front->pc == front->first_compiled && at_ps < first_ps) {
			continue_at(sim, core, engine, first_ps);
			return;
		}
		if (front->pc == front->tables_slot && at_ps < tables_ps) {
			continue_at(sim, core, engine, tables_ps);
			return;
		}
		find_cost(sim, core, engine);
		if (front->cost.kind == NX_COST_CONTROL) {
			if (at_ps > now_ps)
				continue_at(sim, core, engine, at_ps);
			else
				take_control(sim, core, engine, now_ps);
			return;
		}
		front->wait = nx_sim_wait_of(slot_at(sim, core, engine));
		if (!nx_sim_wait_holds(&sim->cores[core], &front->wait)) {
			front->reached_ps = at_ps;
			front->state = NX_SIM_FRONT_WAITS_TO_QUEUE;
			return;
		}
		if (!nx_sim_queue_put(sim, core, engine, front->pc, &front->cost, at_ps, 0)) {
			front->state = NX_SIM_FRONT_IS_FULL;
			return;
		}
		front->follows_transfer = false;
		at_ps += sim->hardware->array.dispatch_ps;
	}
	front->state = NX_SIM_FRONT_ENDED;
}

/* The wait of a compute instruction is over; the words behind it were held up as well. */
static void put_woken(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	const struct nx_engine_timing *timing = &sim->hardware->engines[engine];
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	uint64_t start_ps = nx_sim_later(now_ps + timing->wake_ps, front->reached_ps);

	if (!nx_sim_queue_put(sim, core, engine, front->pc, &front->cost, start_ps,
			      start_ps - front->reached_ps)) {
		front->state = NX_SIM_FRONT_IS_FULL;
		return;
	}
	front->follows_transfer = false;
	front->pc++;
	front->has_cost = false;
	continue_at(sim, core, engine,
		    now_ps + timing->wake_control_ps + sim->hardware->array.dispatch_ps);
}

void nx_sim_front_wake(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	const struct nx_engine_timing *timing = &sim->hardware->engines[engine];
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	if (front->state == NX_SIM_FRONT_WAITS_INSIDE) {
		finish(sim, core, engine,
		       nx_sim_later(now_ps + timing->body_wake_ps,
				    front->start_ps + front->cost.latency_ps),
		       now_ps);
		return;
	}
	if (front->state == NX_SIM_FRONT_WAITS_TO_QUEUE) {
		put_woken(sim, core, engine, now_ps);
		return;
	}
	front->start_ps = now_ps + timing->wake_control_ps;
	start_word(sim, core, engine, true, now_ps);
}

void nx_sim_front_queue_moved(struct nx_simulation *sim, unsigned core, unsigned engine,
			      uint64_t now_ps)
{
	struct nx_sim_front *front = &sim->cores[core].fronts[engine];

	if (front->state == NX_SIM_FRONT_IS_FULL) {
		continue_at(sim, core, engine, now_ps);
	} else if (front->state == NX_SIM_FRONT_DRAINS && !sim->cores[core].queues[engine].count) {
		/* Records show it start when the last of the queue has. */
		front->start_ps = nx_sim_later(front->start_ps, now_ps);
		finish_drain(sim, core, engine, now_ps);
	}
}

/* --- for the message about a deadlock ----------------------------------------------- */

static void explain_wait(const struct nx_sim_core *core, const struct nx_sim_wait *wait, char *out,
			 size_t cap)
{
	snprintf(out, cap, "waits for %s[%u] %s %u, which is %u",
		 wait->index >= NX_SIM_RUNTIME_BANK ? "the runtime's S" : "S",
		 wait->index % NX_SIM_RUNTIME_BANK, nx_wait_sign(wait->mode), wait->value,
		 core->semaphores[wait->index]);
}

bool nx_sim_front_explain(const struct nx_simulation *sim, unsigned c, unsigned engine, char *out,
			  size_t cap)
{
	const struct nx_sim_core *core = &sim->cores[c];
	const struct nx_sim_front *front = &core->fronts[engine];
	uint32_t pc = front->pc;
	const struct nx_loaded_stream *stream = nx_sim_stream(sim, c, engine);
	char why[96] = "waits for the other cores at a barrier", label[8], where[32];

	if (pc >= stream->slot_count)
		return false;
	if (front->state != NX_SIM_FRONT_AT_BARRIER)
		explain_wait(core, &front->wait, why, sizeof(why));
	if (stream->slots[pc].compiler_pc == NX_NO_INDEX)
		snprintf(where, sizeof(where), "a word of the runtime");
	else
		snprintf(where, sizeof(where), "slot %u", stream->slots[pc].compiler_pc);
	snprintf(out, cap, "core %u %s at %s (%s) %s", c, nx_engine_label(engine), where,
		 nx_opcode_label(stream->slots[pc].word.header.opcode, label), why);
	return true;
}
