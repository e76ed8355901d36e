/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_software: transfers that GpSimd's own program starts.
 *
 * That program has two stages. The first works on the elements, and a record
 * starts when it is done; the second rings the DMA engines, which ends the
 * record. The second takes longer, so that records grow from one transfer to
 * the next until the first stage has to wait.
 */
#include "runtime/timing/simulate_internal.h"

/* What the word at pc takes besides the table's times; modulo 2^64, as it may be negative. */
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

uint64_t nx_sim_software_record_ps(const struct nx_simulation *sim, unsigned core, unsigned engine,
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

uint64_t nx_sim_software_ring_ps(const struct nx_simulation *sim, unsigned core, unsigned engine)
{
	const struct nx_dma_timing *dma = &sim->hardware->dma;
	const struct nx_sim_front *front = &sim->cores[core].fronts[engine];
	uint64_t ring_ps = front->start_ps + front->cost.latency_ps;

	if (front->last_ring_ps == 0 || dma->software_ring_step_ps == 0)
		return ring_ps;
	return nx_sim_later(ring_ps, front->last_ring_ps + dma->software_ring_step_ps +
					     more_ps(sim, core, engine));
}
