/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/trace_ring.h"

#include <assert.h>
#include <sys/mman.h>

#define MIN_SLOTS ((uint64_t)16)
#define MAX_SLOTS ((uint64_t)1 << 32)
#define PATIENCE 100 /* times that the reader returns to an unfinished event */

static_assert(3 + NX_TRACE_ARGS == 7, "packed, ticks, tracking and the arguments");
static_assert(sizeof(struct nx_trace_slot) == 64, "an event is a cache line");
static_assert((MIN_SLOTS & (MIN_SLOTS - 1)) == 0, "the number of slots is a power of two");

static uint64_t slots_for(uint64_t limit)
{
	uint64_t slots = MIN_SLOTS;

	while (slots < limit)
		slots <<= 1;
	return slots;
}

enum nx_status nx_trace_ring_init(struct nx_trace_ring *ring, uint64_t limit)
{
	void *memory;
	size_t bytes;

	if (limit == 0 || limit > MAX_SLOTS)
		return NX_LIMIT;
	bytes = slots_for(limit) * sizeof(struct nx_trace_slot);
	/* Pages use memory only once events reach them. */
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NX_LIMIT;
	*ring = (struct nx_trace_ring){
		.slots = memory, .mask = slots_for(limit) - 1, .limit = limit};
	return NX_OK;
}

void nx_trace_ring_restart(struct nx_trace_ring *ring, uint64_t limit)
{
	/* Positions are never reused, so a late writer of an earlier session is recognised. */
	ring->base = ring->tail = atomic_load_explicit(&ring->head, memory_order_acquire);
	ring->limit = limit <= ring->mask + 1 ? limit : ring->mask + 1;
	ring->dropped_count = 0;
	ring->stuck_count = 0;
}

void nx_trace_ring_forget(struct nx_trace_ring *ring)
{
	madvise(ring->slots, (ring->mask + 1) * sizeof(*ring->slots), MADV_DONTNEED);
}

enum outcome { TAKEN, LOST, UNFINISHED };

static void unpack(const uint64_t words[7], struct nx_trace_record *out)
{
	out->thread_id = (uint32_t)words[0];
	out->type = (uint8_t)(words[0] >> 32);
	out->phase = (uint8_t)(words[0] >> 40);
	out->flags = (uint8_t)(words[0] >> 48);
	out->ticks = words[1];
	out->tracking = words[2];
	for (unsigned i = 0; i < NX_TRACE_ARGS; i++)
		out->args[i] = words[3 + i];
}

static enum outcome copy_slot(struct nx_trace_slot *slot, uint64_t position,
			      struct nx_trace_record *out)
{
	uint64_t want = (position + 1) << 1, words[7];
	uint64_t stamp = atomic_load_explicit(&slot->stamp, memory_order_acquire);

	if (stamp != want)
		return stamp > (want | 1) ? LOST : UNFINISHED;
	for (unsigned i = 0; i < 7; i++)
		words[i] = atomic_load_explicit(&slot->words[i], memory_order_acquire);
	if (atomic_load_explicit(&slot->stamp, memory_order_relaxed) != want)
		return LOST;
	unpack(words, out);
	out->position = position;
	return TAKEN;
}

size_t nx_trace_ring_take(struct nx_trace_ring *ring, struct nx_trace_record *out, size_t cap,
			  bool is_final)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
	size_t count = 0;

	assert(ring->slots && ring->limit <= ring->mask + 1);
	if (head - ring->tail > ring->limit) {
		ring->dropped_count += head - ring->limit - ring->tail;
		ring->tail = head - ring->limit;
	}
	while (count < cap && ring->tail != head) {
		struct nx_trace_slot *slot = &ring->slots[ring->tail & ring->mask];
		enum outcome outcome = copy_slot(slot, ring->tail, &out[count]);

		if (outcome == UNFINISHED && !is_final) {
			if (ring->stuck_at != ring->tail)
				ring->stuck_count = 0;
			ring->stuck_at = ring->tail;
			if (++ring->stuck_count <= PATIENCE)
				break;
		}
		if (outcome == TAKEN)
			count++;
		else
			ring->dropped_count++;
		ring->tail++;
	}
	return count;
}
