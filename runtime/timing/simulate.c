/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/timing/simulate.h"

#include <assert.h>
#include <stdio.h>

#include "runtime/timing/simulate_internal.h"

/* The words before the first compiled one begin when a third of the way to it is over; assumed. */
#define FRAME_PART 3u

double nx_sim_draw(struct nx_simulation *sim)
{
	uint64_t z;

	if (sim->options->seed == 0)
		return 0;
	z = sim->random += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void nx_sim_schedule(struct nx_simulation *sim, enum nx_sim_event_kind kind, unsigned core,
		     unsigned unit, uint64_t time_ps)
{
	assert(core < sim->code->core_count);
	nx_sim_heap_push(&sim->heap, (struct nx_sim_event){.time_ps = time_ps,
							   .kind = (uint8_t)kind,
							   .core = (uint8_t)core,
							   .unit = (uint8_t)unit});
}

void nx_sim_add_row(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
		    uint64_t reached_ps, uint64_t start_ps, uint64_t end_ps)
{
	const struct nx_loaded_slot *slot = &nx_sim_stream(sim, core, engine)->slots[pc];

	nx_vec_push(&sim->run->instructions,
		    ((struct nx_timed_instruction){
			    .start_ps = start_ps,
			    .end_ps = end_ps,
			    .wait_ps = start_ps > reached_ps ? start_ps - reached_ps : 0,
			    .slot = pc,
			    .core = (uint8_t)core,
			    .engine = (uint8_t)engine}));
	if (slot->kind != NX_LOADED_INSERTED && end_ps > sim->compiled_end_ps)
		sim->compiled_end_ps = end_ps;
}

/* --- events in the order of time ------------------------------------------------------ */

static bool is_earlier(const struct nx_sim_event *a, const struct nx_sim_event *b)
{
	return a->time_ps != b->time_ps ? a->time_ps < b->time_ps : a->order < b->order;
}

void nx_sim_heap_push(struct nx_sim_heap *heap, struct nx_sim_event event)
{
	size_t at = heap->len;

	event.order = heap->order++;
	nx_vec_push(heap, event);
	while (at) {
		size_t parent = (at - 1) / 2;

		if (!is_earlier(&event, &heap->items[parent]))
			break;
		heap->items[at] = heap->items[parent];
		at = parent;
	}
	heap->items[at] = event;
}

static struct nx_sim_event pop_event(struct nx_sim_heap *heap)
{
	struct nx_sim_event first = heap->items[0], last = heap->items[--heap->len];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->len)
			break;
		if (child + 1 < heap->len &&
		    is_earlier(&heap->items[child + 1], &heap->items[child]))
			child++;
		if (!is_earlier(&heap->items[child], &last))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	if (heap->len)
		heap->items[at] = last;
	return first;
}

/* --- begin ------------------------------------------------------------------------------ */

static uint32_t first_compiled(const struct nx_loaded_stream *stream)
{
	uint32_t pc = 0;

	while (pc < stream->slot_count && stream->slots[pc].compiler_pc == NX_NO_INDEX)
		pc++;
	return pc;
}

static bool is_notify(const struct nx_loaded_slot *slot, unsigned hint)
{
	return slot->kind == NX_LOADED_INSERTED && slot->word.header.opcode == NX_OP_NOTIFY &&
	       slot->word.notify.hint == hint;
}

/* The time of the first word, and its pc: NOTIFY, or the one behind it if it ends at time 0. */
static uint64_t begin_at_notify(struct nx_simulation *sim, unsigned c, unsigned engine)
{
	const struct nx_loaded_stream *stream = nx_sim_stream(sim, c, engine);
	struct nx_sim_front *front = &sim->cores[c].fronts[engine];
	uint64_t behind_ps = sim->hardware->frame.behind_notify_ps[engine], notify_ps;
	struct nx_cost cost;

	while (front->pc < stream->slot_count &&
	       !is_notify(&stream->slots[front->pc], NX_NOTIFY_HINT_START))
		front->pc++;
	if (front->pc == stream->slot_count)
		return behind_ps;
	nx_hardware_cost(sim->hardware, engine, stream->slots[front->pc].word.bytes, &cost);
	notify_ps = cost.latency_ps + cost.gap_ps;
	if (engine != NX_ENGINE_TENSOR && notify_ps <= behind_ps)
		return behind_ps - notify_ps;
	front->pc++;
	return behind_ps;
}

/* PE's NOP before the barrier; only the older runtime has it. */
static uint32_t find_tables_slot(const struct nx_loaded_stream *stream, uint32_t first_compiled)
{
	for (uint32_t pc = 0; pc < first_compiled; pc++)
		if (stream->slots[pc].word.header.opcode == NX_OP_NOP)
			return pc;
	return NX_NO_INDEX;
}

static void begin_engine(struct nx_simulation *sim, unsigned c, unsigned engine)
{
	const struct nx_engine_timing *timing = &sim->hardware->engines[engine];
	struct nx_sim_core *core = &sim->cores[c];
	struct nx_sim_front *front = &core->fronts[engine];
	uint64_t begin_ps = timing->first_instruction_ps / FRAME_PART;

	if (sim->hardware->frame.behind_notify_ps[engine])
		begin_ps = begin_at_notify(sim, c, engine);
	core->queues[engine].depth =
		timing->queue_depth < NX_SIM_DEPTH ? timing->queue_depth : NX_SIM_DEPTH;
	if (core->queues[engine].depth == 0)
		core->queues[engine].depth = 1;
	front->first_compiled = first_compiled(nx_sim_stream(sim, c, engine));
	front->tables_slot = find_tables_slot(nx_sim_stream(sim, c, engine), front->first_compiled);
	nx_sim_schedule(sim, NX_SIM_FRONT, c, engine, begin_ps);
}

static void begin(struct nx_simulation *sim, struct nx_arena *arena)
{
	size_t count = sim->code->core_count;

	sim->cores = NX_NEW_ARRAY(arena, struct nx_sim_core, count);
	for (unsigned c = 0; c < count; c++) {
		sim->cores[c].dynamic_done =
			NX_NEW_ARRAY(arena, uint32_t, sim->code->cores[c].queue_count);
		nx_sim_array_begin(sim, c);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			begin_engine(sim, c, e);
	}
}

static void end(struct nx_simulation *sim, struct nx_arena *arena)
{
	for (size_t c = 0; c < sim->code->core_count; c++) {
		nx_map_release(&sim->cores[c].arrivals);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			nx_vec_release(&sim->cores[c].records.late[e]);
		for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++)
			for (unsigned q = 0; q < NX_SIM_QUEUES; q++)
				nx_vec_release(&sim->cores[c].dma[ring].rings[q]);
	}
	nx_vec_release(&sim->heap);
	nx_arena_release(arena);
}

/* --- turning the crank -------------------------------------------------------------------- */

static void handle(struct nx_simulation *sim, const struct nx_sim_event *event)
{
	switch ((enum nx_sim_event_kind)event->kind) {
	case NX_SIM_FRONT:
		nx_sim_front_go(sim, event->core, event->unit, event->time_ps);
		break;
	case NX_SIM_QUEUE:
		nx_sim_queue_go(sim, event->core, event->unit, event->time_ps);
		break;
	case NX_SIM_SEMAPHORE:
		nx_sim_semaphore_change(sim, event);
		break;
	case NX_SIM_JOB:
		nx_sim_dma_job(sim, event);
		break;
	case NX_SIM_DMA:
		nx_sim_dma_go(sim, event->core, event->unit, event->time_ps);
		break;
	case NX_SIM_TRANSFER:
		nx_sim_front_transfer(sim, event->core, event->unit, event->time_ps);
		break;
	case NX_SIM_RECORD:
		nx_sim_records_go(sim, event->core, event->time_ps);
		break;
	}
}

static enum nx_status report_deadlock(const struct nx_simulation *sim, struct nx_error *err)
{
	char text[900], one[192];
	size_t used = 0;

	text[0] = '\0';
	for (unsigned c = 0; c < sim->code->core_count; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_sim_core *core = &sim->cores[c];

			if (core->fronts[e].state == NX_SIM_FRONT_ENDED ||
			    used + sizeof(one) > sizeof(text) ||
			    !nx_sim_front_explain(sim, c, e, one, sizeof(one)))
				continue;
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? "; " : "", one);
		}
	return used ? nx_fail(err, NX_FORMAT, "the engines are deadlocked: %s", text) : NX_OK;
}

/* What follows the last compiled word; whose words are known, they take the time. */
static uint64_t framed_end(const struct nx_simulation *sim)
{
	const struct nx_timed_run *run = sim->run;
	uint64_t end_ps = 0;

	if (sim->hardware->frame.close_ps == 0)
		return sim->compiled_end_ps + sim->hardware->frame.end_ps;
	for (size_t i = 0; i < run->instructions.len; i++) {
		const struct nx_timed_instruction *row = &run->instructions.items[i];
		const struct nx_loaded_stream *stream = nx_sim_stream(sim, row->core, row->engine);

		if (is_notify(&stream->slots[row->slot], NX_NOTIFY_HINT_END))
			end_ps = nx_sim_later(end_ps, row->end_ps);
	}
	return end_ps ? end_ps + sim->hardware->frame.close_ps : 0;
}

static uint64_t last_time(const struct nx_timed_run *run, uint64_t end_ps)
{
	for (size_t i = 0; i < run->instructions.len; i++)
		end_ps = nx_sim_later(end_ps, run->instructions.items[i].end_ps);
	for (size_t i = 0; i < run->packets.len; i++)
		end_ps = nx_sim_later(end_ps, run->packets.items[i].completion_ps);
	for (size_t i = 0; i < run->collectives.len; i++)
		end_ps = nx_sim_later(end_ps, run->collectives.items[i].end_ps);
	if (run->semaphores.len)
		end_ps = nx_sim_later(end_ps,
				      run->semaphores.items[run->semaphores.len - 1].time_ps);
	return end_ps;
}

enum nx_status nx_simulate(const struct nx_loaded_code *code,
			   const struct nx_simulate_options *options, struct nx_timed_run *run,
			   struct nx_error *err)
{
	struct nx_simulation sim = {.code = code,
				    .hardware = options->hardware,
				    .options = options,
				    .run = run,
				    .random = options->seed};
	struct nx_arena arena = {0};
	enum nx_status status;

	assert(code->core_count <= NX_DEVICE_MAX_CORES);
	assert(!run->instructions.len && !run->packets.len);
	if (!sim.hardware)
		sim.hardware = nx_device_hardware_of(code->program->arch);
	begin(&sim, &arena);
	while (sim.heap.len && !(options->is_strict && sim.has_unknown)) {
		struct nx_sim_event event = pop_event(&sim.heap);

		handle(&sim, &event);
	}
	if (options->is_strict && sim.has_unknown)
		status = nx_fail(err, NX_UNSUPPORTED, "no measured duration of opcode 0x%02x on %s",
				 sim.unknown_opcode, sim.hardware->name);
	else
		status = report_deadlock(&sim, err);
	run->end_ps = framed_end(&sim);
	if (run->end_ps == 0 || sim.hardware->frame.close_ps == 0)
		run->end_ps = last_time(run, run->end_ps);
	end(&sim, &arena);
	return status;
}

void nx_timed_run_release(struct nx_timed_run *run)
{
	nx_vec_release(&run->instructions);
	nx_vec_release(&run->semaphores);
	nx_vec_release(&run->packets);
	nx_vec_release(&run->throttles);
	nx_vec_release(&run->descriptors);
	nx_vec_release(&run->collectives);
	memset(run, 0, sizeof(*run));
}
