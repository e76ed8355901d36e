/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_dma: transfers on 16 DMA engines.
 *
 * A started transfer reaches each DMA engine a little later than the one before.
 * An engine serves its queues in turn, packet by packet; within a queue order is
 * kept. The last packet of a ring counts the semaphore up.
 */
#include <assert.h>

#include "base/bare/bits.h"
#include "format/notification.h"
#include "runtime/timing/simulate_internal.h"

#define STALL_FRAC 0.2 /* of a packet, at most, when stalls are drawn */

static const struct nx_loaded_queue *queue_at(const struct nx_simulation *sim, unsigned core,
					      uint32_t index)
{
	return &sim->code->cores[core].queues[index];
}

/* --- starting --------------------------------------------------------------------------- */

struct delays {
	uint32_t start_ps, spread_ps, notify_ps;
};

static struct delays delays_of(const struct nx_simulation *sim, const struct nx_loaded_queue *queue)
{
	const struct nx_dma_timing *dma = &sim->hardware->dma;

	switch (queue->kind) {
	case NX_LOADED_SOFTWARE_DGE:
		return (struct delays){dma->software_start_ps, dma->software_spread_ps,
				       dma->software_notify_ps};
	case NX_LOADED_HARDWARE_DGE:
		return (struct delays){dma->hardware_start_ps[queue->engine],
				       dma->hardware_spread_ps, dma->hardware_notify_ps};
	default:
		return (struct delays){dma->static_start_ps[queue->engine],
				       dma->static_spread_ps[queue->engine], dma->static_notify_ps};
	}
}

static uint32_t left_of(const struct nx_loaded_block *block, const uint32_t *told, unsigned ring)
{
	return block->first[ring + 1] - block->first[ring] - told[ring];
}

static void add_descriptors(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
			    const struct nx_loaded_block *block, uint64_t time_ps)
{
	uint32_t told[NX_LOADED_RINGS] = {0}; /* packets of rings that are in a record */

	/* One record for the rings that have as many packets left, until none has any. */
	for (unsigned ring = 0; ring < NX_LOADED_RINGS;) {
		uint32_t left = left_of(block, told, ring), part;
		uint16_t mask = 0;

		if (!left) {
			ring++;
			continue;
		}
		part = left < NX_NOTIFY_DGE_PACKETS_MAX ? left : NX_NOTIFY_DGE_PACKETS_MAX;
		for (unsigned i = ring; i < NX_LOADED_RINGS; i++)
			if (left_of(block, told, i) == left) {
				mask |= (uint16_t)(1u << i);
				told[i] += part;
			}
		nx_vec_push(&sim->run->descriptors,
			    ((struct nx_timed_descriptors){.time_ps = time_ps,
							   .slot = pc,
							   .dma_engine_mask = mask,
							   .packets_per_engine = (uint16_t)part,
							   .core = (uint8_t)core,
							   .engine = (uint8_t)engine}));
	}
}

/* Rings of short elements from HBM start further apart. */
static uint32_t spread_ps(const struct nx_simulation *sim, const struct nx_loaded_queue *queue,
			  const struct nx_loaded_block *block)
{
	const struct nx_dma_timing *dma = &sim->hardware->dma;
	const struct nx_loaded_packet *packet = &block->packets[block->first[0]];
	bool has_packets = block->first[NX_LOADED_RINGS] > block->first[0];

	if (queue->kind != NX_LOADED_STATIC && has_packets && packet->is_from_hbm &&
	    packet->run_bytes <= dma->short_load_bytes)
		return dma->short_load_spread_ps;
	return delays_of(sim, queue).spread_ps;
}

/* When the descriptors were made: with the start of the transfer, where nothing else is known. */
static uint64_t made_ps(const struct nx_simulation *sim, unsigned core, unsigned engine,
			const struct nx_loaded_queue *queue, uint64_t start_ps)
{
	if (queue->kind != NX_LOADED_SOFTWARE_DGE || !nx_sim_records_matter(sim))
		return start_ps;
	return sim->cores[core].fronts[engine].descriptors_ps;
}

void nx_sim_dma_start(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
		      uint64_t start_ps)
{
	const struct nx_loaded_slot *slot = &nx_sim_stream(sim, core, engine)->slots[pc];
	const struct nx_loaded_queue *queue = queue_at(sim, core, slot->queue);
	struct delays delays = delays_of(sim, queue);
	uint32_t block = slot->block, apart_ps;

	assert(slot->queue < sim->code->cores[core].queue_count);
	if (block == NX_NO_INDEX)
		block = sim->cores[core].dynamic_done[slot->queue]++;
	if (block >= queue->block_count)
		return;
	if (queue->kind != NX_LOADED_STATIC)
		add_descriptors(sim, core, engine, pc, &queue->blocks[block],
				made_ps(sim, core, engine, queue, start_ps));
	apart_ps = spread_ps(sim, queue, &queue->blocks[block]);
	for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++) {
		uint64_t later_ps = (uint64_t)apart_ps * ring / (NX_LOADED_RINGS - 1);

		nx_sim_heap_push(
			&sim->heap,
			(struct nx_sim_event){.time_ps = start_ps + delays.start_ps + later_ps,
					      .value = block,
					      .index = (uint16_t)slot->queue,
					      .kind = NX_SIM_JOB,
					      .core = (uint8_t)core,
					      .unit = (uint8_t)ring});
	}
}

/* --- a DMA engine's queues ----------------------------------------------------------------- */

static bool is_empty(const struct nx_sim_dma *dma, unsigned queue)
{
	return dma->heads[queue] == dma->rings[queue].len;
}

static void schedule_engine(struct nx_simulation *sim, unsigned core, unsigned ring,
			    uint64_t time_ps)
{
	struct nx_sim_dma *dma = &sim->cores[core].dma[ring];

	time_ps = nx_sim_later(time_ps, dma->busy_until_ps);
	if (dma->is_scheduled && dma->scheduled_ps <= time_ps)
		return;
	dma->is_scheduled = true;
	dma->scheduled_ps = time_ps;
	nx_sim_schedule(sim, NX_SIM_DMA, core, ring, time_ps);
}

/* What the engine still has to do, or at_most if that is less. */
static uint64_t work_left_ps(const struct nx_simulation *sim, unsigned core, unsigned ring,
			     uint64_t now_ps, uint64_t at_most_ps)
{
	const struct nx_sim_dma *dma = &sim->cores[core].dma[ring];
	uint64_t left_ps = dma->busy_until_ps > now_ps ? dma->busy_until_ps - now_ps : 0;

	for (unsigned q = 0; q < NX_SIM_QUEUES; q++)
		for (size_t i = dma->heads[q]; i < dma->rings[q].len; i++) {
			const struct nx_sim_job *job = &dma->rings[q].items[i];
			const struct nx_loaded_block *block =
				&queue_at(sim, core, job->queue)->blocks[job->block];
			uint32_t at = block->first[ring] +
				      (i == dma->heads[q] ? dma->packets_done[q] : 0);

			for (; at < block->first[ring + 1] && left_ps < at_most_ps; at++)
				left_ps += nx_hardware_packet_ps(sim->hardware, &block->packets[at],
								 true);
			if (left_ps >= at_most_ps)
				return at_most_ps;
		}
	return left_ps;
}

/* Descriptors are fetched behind the data of other queues, of which some are on their way. */
static uint64_t behind_queues_ps(const struct nx_simulation *sim, const struct nx_sim_event *job)
{
	const struct nx_dma_timing *timing = &sim->hardware->dma;
	uint64_t left_ps =
		work_left_ps(sim, job->core, job->unit, job->time_ps, timing->busy_queue_ps);
	uint64_t after_ps = left_ps + timing->after_queue_ps;

	return after_ps < timing->busy_queue_ps ? after_ps : timing->busy_queue_ps;
}

void nx_sim_dma_job(struct nx_simulation *sim, const struct nx_sim_event *event)
{
	struct nx_sim_core *core = &sim->cores[event->core];
	struct nx_sim_dma *dma = &core->dma[event->unit];
	unsigned q = queue_at(sim, event->core, event->index)->queue_index % NX_SIM_QUEUES;
	bool is_alone = is_empty(dma, q);
	struct nx_sim_job job = {.not_before_ps = event->time_ps,
				 .block = event->value,
				 .queue = event->index,
				 .is_burst_start = is_alone};

	if (is_alone && dma->waiting)
		job.not_before_ps += behind_queues_ps(sim, event);
	if (dma->waiting++ == 0)
		core->busy_dma_count++;
	nx_vec_push(&dma->rings[q], job);
	schedule_engine(sim, event->core, event->unit, event->time_ps);
}

/* No other queue gets a turn between the data and the semaphore of a block. */
static bool is_before_semaphore(const struct nx_simulation *sim, unsigned core, unsigned ring)
{
	const struct nx_sim_dma *dma = &sim->cores[core].dma[ring];
	unsigned q = dma->last_queue;
	const struct nx_loaded_block *block;
	const struct nx_sim_job *job;
	uint32_t at;

	if (!sim->hardware->dma.semaphore_after_load_ps || is_empty(dma, q) ||
	    dma->packets_done[q] == 0)
		return false;
	job = &dma->rings[q].items[dma->heads[q]];
	block = &queue_at(sim, core, job->queue)->blocks[job->block];
	at = block->first[ring] + dma->packets_done[q];
	return at < block->first[ring + 1] && block->packets[at].is_semaphore;
}

/* The next queue that has a packet now; else false, and when the first one will. */
static bool choose_queue(const struct nx_sim_dma *dma, uint64_t now_ps, unsigned *chosen,
			 uint64_t *later_ps)
{
	*later_ps = UINT64_MAX;
	for (unsigned i = 1; i <= NX_SIM_QUEUES; i++) {
		unsigned q = (dma->last_queue + i) % NX_SIM_QUEUES;
		uint64_t time_ps;

		if (is_empty(dma, q))
			continue;
		time_ps = dma->rings[q].items[dma->heads[q]].not_before_ps;
		if (time_ps <= now_ps) {
			*chosen = q;
			return true;
		}
		if (time_ps < *later_ps)
			*later_ps = time_ps;
	}
	return false;
}

/* --- packets ---------------------------------------------------------------------------------- */

/* Rings are assumed to take turns, so the last one waits for all others. */
static uint64_t settled_ps(const struct nx_simulation *sim, const struct nx_loaded_block *block,
			   unsigned ring, uint64_t end_ps)
{
	uint64_t ps = 0;

	if (sim->hardware->dma.settle_bytes == 0)
		return end_ps;
	for (uint32_t i = block->first[ring]; i < block->first[ring + 1]; i++)
		ps += nx_hardware_settle_ps(sim->hardware, &block->packets[i]);
	return end_ps + ps * (ring + 1);
}

static void count_semaphore(struct nx_simulation *sim, unsigned core, unsigned ring,
			    const struct nx_loaded_queue *queue,
			    const struct nx_loaded_block *block, uint64_t end_ps)
{
	uint64_t time_ps = settled_ps(sim, block, ring, end_ps) + delays_of(sim, queue).notify_ps;

	if (block->semaphore >= NX_SEMAPHORE_COUNT)
		return;
	nx_sim_heap_push(&sim->heap, (struct nx_sim_event){.time_ps = time_ps,
							   .value = 1,
							   .index = (uint16_t)block->semaphore,
							   .kind = NX_SIM_SEMAPHORE,
							   .core = (uint8_t)core,
							   .unit = (uint8_t)ring,
							   .mode = 3,
							   .source = NX_TIMED_BY_DMA});
}

static void pop_job(struct nx_simulation *sim, unsigned core, unsigned ring, unsigned q)
{
	struct nx_sim_dma *dma = &sim->cores[core].dma[ring];

	assert(dma->waiting > 0 && sim->cores[core].busy_dma_count > 0);
	dma->packets_done[q] = 0;
	if (++dma->heads[q] == dma->rings[q].len) {
		nx_vec_clear(&dma->rings[q]);
		dma->heads[q] = 0;
	}
	if (--dma->waiting == 0)
		sim->cores[core].busy_dma_count--;
}

static uint64_t first_packet_ps(const struct nx_dma_timing *timing,
				const struct nx_loaded_queue *queue,
				const struct nx_loaded_packet *packet, uint64_t ps)
{
	if (!packet->is_from_hbm)
		return ps + (queue->kind == NX_LOADED_STATIC ? timing->first_static_store_ps
							     : timing->first_dge_store_ps);
	return (uint64_t)((double)ps * timing->first_load_factor) + timing->first_load_ps;
}

/* When the engine may start the next packet. */
static uint64_t free_ps(const struct nx_dma_timing *timing, const struct nx_loaded_packet *packet,
			const struct nx_loaded_packet *next, uint64_t end_ps)
{
	if (next && next->is_semaphore && timing->semaphore_after_load_ps)
		return end_ps + (packet->is_from_hbm ? timing->semaphore_after_load_ps
						     : timing->semaphore_after_store_ps);
	/* The next one starts a little before this one ends. */
	return end_ps - (timing->packet_ps - timing->packet_step_ps);
}

static void serve(struct nx_simulation *sim, unsigned core, unsigned ring, unsigned q,
		  uint64_t now_ps)
{
	const struct nx_dma_timing *timing = &sim->hardware->dma;
	struct nx_sim_dma *dma = &sim->cores[core].dma[ring];
	struct nx_sim_job job = dma->rings[q].items[dma->heads[q]];
	const struct nx_loaded_queue *queue = queue_at(sim, core, job.queue);
	const struct nx_loaded_block *block = &queue->blocks[job.block];
	uint32_t at = block->first[ring] + dma->packets_done[q];
	const struct nx_loaded_packet *packet = &block->packets[at];
	bool is_first = job.is_burst_start && dma->packets_done[q] == 0;
	bool is_burst = sim->cores[core].busy_dma_count > 1;
	uint64_t ps = nx_hardware_packet_ps(sim->hardware, packet, is_burst);
	uint64_t stall_ps = (uint64_t)(nx_sim_draw(sim) * STALL_FRAC * (double)ps);
	uint64_t end_ps =
		now_ps + stall_ps + (is_first ? first_packet_ps(timing, queue, packet, ps) : ps);
	bool is_last = at + 1 == block->first[ring + 1];

	nx_vec_push(&sim->run->packets,
		    ((struct nx_timed_packet){
			    .start_ps = now_ps,
			    .end_ps = end_ps,
			    .completion_ps =
				    end_ps + (packet->is_semaphore ? timing->semaphore_completion_ps
								   : timing->completion_ps),
			    .bytes = packet->bytes,
			    .dma_engine = (uint16_t)(queue->first_dma_engine + ring),
			    .core = (uint8_t)core,
			    .queue_index = queue->queue_index}));
	dma->last_queue = q;
	dma->packets_done[q]++;
	dma->busy_until_ps = free_ps(timing, packet, is_last ? NULL : packet + 1, end_ps);
	if (is_last) {
		count_semaphore(sim, core, ring, queue, block, end_ps);
		pop_job(sim, core, ring, q);
	}
}

void nx_sim_dma_go(struct nx_simulation *sim, unsigned core, unsigned ring, uint64_t now_ps)
{
	struct nx_sim_dma *dma = &sim->cores[core].dma[ring];
	uint64_t later_ps;
	unsigned q;

	assert(core < sim->code->core_count && ring < NX_LOADED_RINGS);
	if (!dma->is_scheduled || dma->scheduled_ps != now_ps)
		return;
	dma->is_scheduled = false;
	if (is_before_semaphore(sim, core, ring)) {
		serve(sim, core, ring, dma->last_queue, now_ps);
		if (dma->waiting)
			schedule_engine(sim, core, ring, dma->busy_until_ps);
	} else if (choose_queue(dma, now_ps, &q, &later_ps)) {
		serve(sim, core, ring, q, now_ps);
		if (dma->waiting)
			schedule_engine(sim, core, ring, dma->busy_until_ps);
	} else if (dma->waiting) {
		schedule_engine(sim, core, ring, later_ps);
	}
}
