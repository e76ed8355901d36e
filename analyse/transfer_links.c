/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/transfer_links.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/measure.h"

struct nx_transfer_end {
	uint64_t semaphore; /* and its graph: see semaphore_key */
	uint64_t end_ps;
	uint32_t transfer;
	uint32_t next; /* the nearest entry from here on that was not waited for yet */
};

static uint64_t semaphore_key(uint32_t graph, uint32_t semaphore)
{
	return (uint64_t)graph << 32 | semaphore;
}

/* --- ids ------------------------------------------------------------------- */

static uint64_t free_id(const struct nx_transfer_links *links, const struct nx_transfer *t,
			uint32_t queue_idx, uint64_t *turn)
{
	uint64_t id;

	do
		id = nx_aggregation_id(links->profile, t->graph, queue_idx, t->block_id,
				       (uint32_t)(*turn)++);
	while (nx_map_get(&links->taken, id, NULL));
	return id;
}

static void name_transfers(struct nx_transfer_links *links)
{
	const struct nx_profile *p = links->profile;
	struct nx_map turns = {0}; /* first id of a block -> turns it had */

	for (size_t i = 0; i < p->transfers.len; i++) {
		const struct nx_transfer *t = &p->transfers.items[i];
		uint32_t queue_idx = p->capture.graphs[t->graph].queues[t->queue].queue_idx;
		uint64_t first = nx_aggregation_id(p, t->graph, queue_idx, t->block_id, 0);
		uint64_t turn = 0;

		nx_map_get(&turns, first, &turn);
		links->items[i].id = free_id(links, t, queue_idx, &turn);
		nx_map_put(&turns, first, turn);
		nx_map_put(&links->taken, links->items[i].id, i);
	}
	nx_map_release(&turns);
}

uint64_t nx_transfer_links_queue_id(const struct nx_transfer_links *links, uint32_t graph,
				    uint32_t queue_idx)
{
	uint32_t turn = 0;
	uint64_t id;

	assert(links->profile);
	do
		id = nx_aggregation_id(links->profile, graph, queue_idx, 0, turn--);
	while (nx_map_get(&links->taken, id, NULL));
	return id;
}

/* --- ends ------------------------------------------------------------------ */

static int compare_ends(const void *left, const void *right)
{
	const struct nx_transfer_end *a = left, *b = right;

	if (a->semaphore != b->semaphore)
		return a->semaphore < b->semaphore ? -1 : 1;
	if (a->end_ps != b->end_ps)
		return a->end_ps < b->end_ps ? -1 : 1;
	return (a->transfer > b->transfer) - (a->transfer < b->transfer);
}

static void sort_ends(struct nx_transfer_links *links)
{
	const struct nx_profile *p = links->profile;

	links->ends = nx_heap_alloc(sizeof(*links->ends) * (p->transfers.len + 1));
	for (uint32_t i = 0; i < p->transfers.len; i++) {
		const struct nx_transfer *t = &p->transfers.items[i];
		const struct nx_dma_block *block = nx_transfer_block(p, t);

		if (block)
			links->ends[links->end_count++] = (struct nx_transfer_end){
				semaphore_key(t->graph, block->semaphore), t->end_ps, i, 0};
	}
	qsort(links->ends, links->end_count, sizeof(*links->ends), compare_ends);
	for (size_t i = links->end_count; i-- > 0;) {
		links->ends[i].next = (uint32_t)i;
		nx_map_put(&links->first_end, links->ends[i].semaphore, i);
	}
}

/* The first end of the semaphore at or after a moment; end_count when there is none. */
static size_t first_end_from(const struct nx_transfer_links *links, size_t first,
			     uint64_t semaphore, uint64_t time_ps)
{
	size_t low = first, high = links->end_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct nx_transfer_end *end = &links->ends[middle];

		if (end->semaphore == semaphore && end->end_ps < time_ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Skips ends that are taken, and shortens the path for the next time. */
static size_t next_open(struct nx_transfer_links *links, size_t at)
{
	size_t open = at;

	while (open < links->end_count && links->ends[open].next != open)
		open = links->ends[open].next;
	while (at < open) {
		size_t next = links->ends[at].next;

		links->ends[at].next = (uint32_t)open;
		at = next;
	}
	return open;
}

static void note_wait(struct nx_transfer_links *links, const struct nx_instruction *row,
		      const struct nx_slot *slot)
{
	double clock_ghz = links->profile->capture.hardware->engine_clock_ghz;
	/* whole cycles, rounded down to ns: add one */
	uint64_t wait_ps = (nx_wait_ns(row->wait_cycles, clock_ghz) + 1) * 1000;
	uint64_t since_ps = row->start_ps > wait_ps ? row->start_ps - wait_ps : 0;
	uint64_t semaphore = semaphore_key(row->graph, slot->wait_semaphore), first;

	if (!row->wait_cycles || !nx_map_get(&links->first_end, semaphore, &first))
		return;
	for (size_t i = next_open(links, first_end_from(links, first, semaphore, since_ps));
	     i < links->end_count && links->ends[i].semaphore == semaphore &&
	     links->ends[i].end_ps <= row->start_ps;
	     i = next_open(links, i)) {
		struct nx_transfer_link *link = &links->items[links->ends[i].transfer];

		link->completion_id = links->row_id;
		link->completion_start_ps = row->start_ps;
		links->ends[i].next = (uint32_t)i + 1;
	}
}

/* --- the scan -------------------------------------------------------------- */

static void link_row(void *context, const void *opaque)
{
	struct nx_transfer_links *links = context;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(links->profile, row);

	links->row_id++;
	if (slot->flags & NX_SLOT_STARTS_DMA) {
		uint32_t transfer = nx_trigger_walk_find(&links->triggers, row);

		if (transfer != NX_NONE) {
			links->items[transfer].trigger_id = links->row_id;
			links->items[transfer].trigger_end_ps = row->end_ps;
		}
	}
	if (slot->flags & NX_SLOT_WAITS_SEMAPHORE)
		note_wait(links, row, slot);
}

enum nx_status nx_transfer_links_build(struct nx_transfer_links *links,
				       const struct nx_profile *profile, struct nx_error *err)
{
	size_t size = sizeof(*links->items) * (profile->transfers.len + 1);

	memset(links, 0, sizeof(*links));
	links->profile = profile;
	if (!profile->transfers.len)
		return NX_OK;
	links->triggers.transfers = &profile->transfers;
	links->items = nx_heap_alloc(size);
	memset(links->items, 0, size);
	name_transfers(links);
	sort_ends(links);
	return nx_profile_scan(profile, NX_TABLE_INSTRUCTION, link_row, links, err);
}

void nx_transfer_links_release(struct nx_transfer_links *links)
{
	nx_heap_free(links->items);
	nx_heap_free(links->ends);
	nx_map_release(&links->taken);
	nx_map_release(&links->first_end);
	memset(links, 0, sizeof(*links));
}
