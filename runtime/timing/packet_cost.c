/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packet_cost: the duration of a DMA packet.
 *
 * It is the longest of three: that of the engine, with its rate and a fixed part; of
 * memory, which is shared by busy engines; and of runs, which have a minimum each.
 */
#include <assert.h>

#include "base/bare/bits.h"
#include "runtime/timing/cost_rows.h"

#define TABLE_ELEMENTS 128	/* that transfers had when the table's times were taken */
#define LONGEST_PS (1e12 - 1.0) /* keeps damaged files from stopping the clock */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double bounded_ps(double ps)
{
	return ps < LONGEST_PS ? ps : LONGEST_PS;
}

/* What memory gives to a busy engine is measured over whole packets, fixed part included. */
static double stream_ns(const struct nx_dma_timing *dma, const struct nx_loaded_packet *packet,
			bool is_burst)
{
	double ns = packet->bytes / dma->bytes_per_ns + dma->packet_ps / 1e3;

	if (!is_burst || packet->is_semaphore)
		return ns;
	return larger(ns, packet->bytes / (packet->is_from_hbm ? dma->load_bytes_per_ns
							       : dma->store_bytes_per_ns));
}

static double runs_ns(const struct nx_loaded_packet *packet, bool is_from_hbm, bool is_to_hbm)
{
	for (size_t i = 0; i < nx_element_row_count; i++) {
		const struct nx_element_row *row = &nx_element_rows[i];

		if (row->is_from_hbm == is_from_hbm && row->is_to_hbm == is_to_hbm &&
		    packet->run_bytes >= row->least_bytes && packet->run_bytes <= row->most_bytes)
			return packet->elements *
			       (row->base_ps / 1e3 + packet->run_bytes / row->bytes_per_ns);
	}
	return 0;
}

uint64_t nx_hardware_packet_ps(const struct nx_hardware_timing *hardware,
			       const struct nx_loaded_packet *packet, bool is_burst)
{
	const struct nx_dma_timing *dma = &hardware->dma;
	double ns = stream_ns(dma, packet, is_burst);

	assert(dma->bytes_per_ns > 0);
	/* A single run has no gap to a next one. */
	if (!packet->is_semaphore && packet->elements > 1)
		ns = larger(ns, runs_ns(packet, packet->is_from_hbm, packet->is_to_hbm) +
					dma->packet_ps / 1e3);
	return (uint64_t)(bounded_ps(ns * 1e3) + 0.5);
}

/* From HBM to HBM the engine waits for each run, so that time is in the packet's already. */
uint64_t nx_hardware_settle_ps(const struct nx_hardware_timing *hardware,
			       const struct nx_loaded_packet *packet)
{
	if (packet->is_semaphore || packet->is_from_hbm || !packet->is_to_hbm ||
	    packet->run_bytes > hardware->dma.settle_bytes)
		return 0;
	return (uint64_t)bounded_ps(runs_ns(packet, true, true) * 1e3);
}

int64_t nx_hardware_software_more_ps(const struct nx_hardware_timing *hardware, const uint8_t *word)
{
	const struct nx_dma_timing *dma = &hardware->dma;
	const struct nx_word_dma_side *target = &nx_word_of(word)->dma.target;
	double outer = target->outer_count, inner = target->inner_count;
	double more_ps = (outer * inner - TABLE_ELEMENTS) * dma->software_element_ps;

	if (outer > 1 && inner > 1)
		more_ps += dma->software_plane_ps;
	return (int64_t)bounded_ps(more_ps);
}
