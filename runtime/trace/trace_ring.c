/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/trace_ring.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/trace/trace_clock.h"

#define MAX_RECORDS ((uint64_t)1 << 32)
#define SPARE_CHUNKS 64u /* for threads that hold a chunk that is not full */

static_assert(sizeof(struct nx_trace_chunk) == 128, "two cache lines: the writer's, the reader's");

/* --- memory ------------------------------------------------------------------------------------
 */

/* Pages use memory only once records reach them. */
static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Words first, as they are aligned to pages. */
static struct nx_trace_store *new_store(uint32_t chunk_count, uint64_t next_ticket)
{
	size_t word_bytes = chunk_count * NX_TRACE_CHUNK_BYTES;
	size_t chunk_bytes = chunk_count * sizeof(struct nx_trace_chunk);
	size_t heap_bytes = chunk_count * sizeof(uint32_t);
	size_t heap_end = word_bytes + chunk_bytes + heap_bytes;
	size_t store_at = (heap_end + 63) / 64 * 64;
	uint8_t *memory = reserve(store_at + sizeof(struct nx_trace_store));
	struct nx_trace_store *store;

	if (!memory)
		return NULL;
	store = (struct nx_trace_store *)(memory + store_at);
	store->words = (_Atomic uint64_t *)memory;
	store->chunks = (struct nx_trace_chunk *)(memory + word_bytes);
	store->heap = (uint32_t *)(memory + word_bytes + chunk_bytes);
	store->mapped_bytes = word_bytes;
	store->chunk_count = chunk_count;
	atomic_store(&store->next_ticket, next_ticket);
	return store;
}

static uint32_t chunks_for(uint64_t limit, unsigned record_words)
{
	uint64_t per_chunk = NX_TRACE_CHUNK_WORDS / record_words;

	return (uint32_t)((limit + per_chunk - 1) / per_chunk) + SPARE_CHUNKS;
}

static enum nx_status prepare(struct nx_trace_ring *ring, uint64_t limit, uint32_t chunk_count)
{
	struct nx_trace_store *store = atomic_load(&ring->store);

	if (!store || store->chunk_count < chunk_count || store->chunk_count / 2 >= chunk_count) {
		struct nx_trace_store *other =
			new_store(chunk_count, store ? atomic_load(&store->next_ticket) : 1);

		if (!other)
			return NX_LIMIT;
		if (store)
			nx_trace_ring_forget(ring);
		atomic_store_explicit(&ring->store, other, memory_order_release);
		store = other;
	}
	atomic_store(&store->chunk_limit, chunk_count);
	ring->limit = limit;
	nx_trace_ring_restart(ring);
	return NX_OK;
}

enum nx_status nx_trace_ring_prepare(struct nx_trace_ring *ring, uint64_t limit,
				     unsigned record_words)
{
	assert(record_words > 0 && record_words <= NX_TRACE_MAX_RECORD_WORDS);
	if (limit == 0 || limit > MAX_RECORDS)
		return NX_LIMIT;
	return prepare(ring, limit, chunks_for(limit, record_words));
}

enum nx_status nx_trace_ring_prepare_bytes(struct nx_trace_ring *ring, uint64_t bytes)
{
	uint64_t chunk_count = bytes / NX_TRACE_CHUNK_BYTES;

	if (chunk_count < SPARE_CHUNKS)
		chunk_count = SPARE_CHUNKS;
	return chunk_count > UINT32_MAX / 2 ? NX_LIMIT
					    : prepare(ring, UINT64_MAX, (uint32_t)chunk_count);
}

static uint64_t count_lanes(const struct nx_trace_ring *ring)
{
	const struct nx_trace_lane *lane = atomic_load_explicit(&ring->lanes, memory_order_acquire);
	uint64_t count = 0;

	for (; lane; lane = lane->next)
		count += atomic_load_explicit(&lane->count, memory_order_acquire);
	return count;
}

void nx_trace_ring_restart(struct nx_trace_ring *ring)
{
	struct nx_trace_store *store = atomic_load(&ring->store);
	uint32_t used = atomic_load(&store->used_count);

	if (used > store->peak_count)
		store->peak_count = used;
	for (uint32_t i = 0; i < used; i++) {
		uint64_t stamp = atomic_load(&store->chunks[i].stamp);

		if (!(stamp & 1))
			atomic_store(&store->chunks[i].done, stamp);
	}
	/* Tickets are never reused, so a late writer of an earlier session is recognised. */
	ring->first_ticket = atomic_load(&store->next_ticket);
	atomic_store(&store->origin, ring->first_ticket);
	atomic_store(&store->used_count, 0);
	ring->base_count = count_lanes(ring);
	ring->taken_count = 0;
}

void nx_trace_ring_forget(struct nx_trace_ring *ring)
{
	struct nx_trace_store *store = atomic_load(&ring->store);

	madvise(store->words, store->mapped_bytes, MADV_DONTNEED);
}

void nx_trace_ring_abandon(struct nx_trace_ring *ring)
{
	struct nx_trace_store *store = atomic_load(&ring->store);

	if (!store)
		return;
	nx_trace_ring_restart(ring);
	for (uint32_t i = 0; i < store->peak_count; i++) {
		uint64_t stamp = atomic_load(&store->chunks[i].stamp);

		if (stamp & 1)
			atomic_store(&store->chunks[i].stamp, stamp - 1);
	}
}

/* --- writers ------------------------------------------------------------------------------------
 */

static void list_lane(struct nx_trace_lane *lane, struct nx_trace_ring *ring)
{
	lane->is_listed = true;
	lane->next = atomic_load_explicit(&ring->lanes, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&ring->lanes, &lane->next, lane,
						      memory_order_release, memory_order_relaxed))
		;
}

void nx_trace_lane_leave(struct nx_trace_lane *lane)
{
	uint64_t stamp;

	lane->at = lane->end = 0;
	if (!lane->chunk)
		return;
	stamp = atomic_load_explicit(&lane->chunk->stamp, memory_order_relaxed);
	atomic_store_explicit(&lane->chunk->stamp, stamp & ~UINT64_C(1), memory_order_release);
	lane->chunk = NULL;
}

static bool is_free(struct nx_trace_chunk *chunk)
{
	uint64_t stamp = atomic_load_explicit(&chunk->stamp, memory_order_relaxed);

	return !(stamp & 1) && atomic_load_explicit(&chunk->done, memory_order_relaxed) == stamp;
}

/* The chunk whose turn it is; one that was not used yet rather than one with unread records. */
static uint32_t choose(struct nx_trace_store *store, uint64_t ticket)
{
	uint64_t origin = atomic_load_explicit(&store->origin, memory_order_relaxed);
	uint32_t used = atomic_load_explicit(&store->used_count, memory_order_relaxed);
	uint32_t limit = atomic_load_explicit(&store->chunk_limit, memory_order_relaxed);
	uint32_t turn = used ? (uint32_t)((ticket - origin) % used) : 0;

	assert(limit);
	if (used && is_free(&store->chunks[turn]))
		return turn;
	while (used < limit)
		if (atomic_compare_exchange_weak_explicit(&store->used_count, &used, used + 1,
							  memory_order_relaxed,
							  memory_order_relaxed))
			return used;
	return (uint32_t)((ticket - origin) % limit);
}

static bool take_chunk(struct nx_trace_lane *lane, struct nx_trace_store *store, uint64_t ticket)
{
	uint32_t index = choose(store, ticket);
	struct nx_trace_chunk *chunk = &store->chunks[index];
	uint64_t stamp = atomic_load_explicit(&chunk->stamp, memory_order_acquire);

	if ((stamp & 1) || stamp >= 2 * ticket ||
	    !atomic_compare_exchange_strong_explicit(&chunk->stamp, &stamp, 2 * ticket + 1,
						     memory_order_acq_rel, memory_order_relaxed))
		return false;
	atomic_store_explicit(&chunk->head, 0, memory_order_release);
	atomic_store_explicit(&chunk->begin_ticks, nx_trace_clock_ticks(), memory_order_release);
	lane->chunk = chunk;
	lane->words = store->words + (size_t)index * NX_TRACE_CHUNK_WORDS;
	lane->first = ticket * NX_TRACE_CHUNK_WORDS;
	lane->at = 0;
	lane->end = NX_TRACE_CHUNK_WORDS;
	return true;
}

bool nx_trace_lane_turn(struct nx_trace_lane *lane, struct nx_trace_ring *ring, uint64_t session,
			unsigned words)
{
	struct nx_trace_store *store = atomic_load_explicit(&ring->store, memory_order_acquire);

	nx_trace_lane_leave(lane);
	lane->session = session;
	if (!store || words > NX_TRACE_MAX_RECORD_WORDS)
		return false;
	if (!lane->is_listed)
		list_lane(lane, ring);
	for (uint32_t i = 0; i < store->chunk_count; i++) {
		/* Release: who sees the ticket also sees all of the chunk left before. */
		uint64_t ticket =
			atomic_fetch_add_explicit(&store->next_ticket, 1, memory_order_release);

		if (take_chunk(lane, store, ticket))
			return true;
	}
	return false;
}

uint64_t nx_trace_lane_drop(struct nx_trace_lane *lane, struct nx_trace_ring *ring)
{
	struct nx_trace_store *store = atomic_load_explicit(&ring->store, memory_order_acquire);

	nx_trace_lane_count(lane);
	return store ? atomic_fetch_add(&store->next_ticket, 1) * NX_TRACE_CHUNK_WORDS : 0;
}

/* --- the reader ---------------------------------------------------------------------------------
 */

struct merge {
	struct nx_trace_ring *ring;
	struct nx_trace_store *store;
	uint32_t count; /* chunks in store->heap, the one with the earliest record first */
	uint64_t words[NX_TRACE_MAX_RECORD_WORDS];
};

static _Atomic uint64_t *words_of(const struct nx_trace_store *store,
				  const struct nx_trace_chunk *chunk)
{
	return store->words + (size_t)(chunk - store->chunks) * NX_TRACE_CHUNK_WORDS;
}

static bool is_still(struct nx_trace_chunk *chunk)
{
	return atomic_load_explicit(&chunk->stamp, memory_order_relaxed) >> 1 == chunk->ticket;
}

/* The time of the next record; one without ticks follows the record before it. */
static void peek(struct merge *m, struct nx_trace_chunk *chunk)
{
	_Atomic uint64_t *words = words_of(m->store, chunk) + chunk->read_words;

	if (!(nx_trace_head_flags(atomic_load_explicit(&words[0], memory_order_acquire)) &
	      NX_TRACE_IS_EPOCH))
		chunk->next_ticks = atomic_load_explicit(&words[1], memory_order_acquire);
}

static bool is_earlier(const struct merge *m, uint32_t a, uint32_t b)
{
	const struct nx_trace_chunk *x = &m->store->chunks[m->store->heap[a]];
	const struct nx_trace_chunk *y = &m->store->chunks[m->store->heap[b]];

	return x->next_ticks != y->next_ticks ? x->next_ticks < y->next_ticks
					      : x->ticket < y->ticket;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t old = *a;

	*a = *b;
	*b = old;
}

static void sink(struct merge *m, uint32_t at)
{
	for (;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < m->count; child++)
			if (is_earlier(m, child, least))
				least = child;
		if (least == at)
			return;
		swap(&m->store->heap[at], &m->store->heap[least]);
		at = least;
	}
}

/* Whether the chunk, of a ticket before the given one, has records that were not taken. */
static bool look(struct nx_trace_ring *ring, struct nx_trace_chunk *chunk, uint64_t end_ticket)
{
	uint64_t stamp = atomic_load_explicit(&chunk->stamp, memory_order_acquire), head;

	if (stamp >> 1 < ring->first_ticket || stamp >> 1 >= end_ticket ||
	    atomic_load_explicit(&chunk->done, memory_order_relaxed) == stamp)
		return false;
	if (chunk->ticket != stamp >> 1) {
		chunk->ticket = stamp >> 1;
		chunk->read_words = chunk->read_records = 0;
		chunk->next_ticks = atomic_load_explicit(&chunk->begin_ticks, memory_order_acquire);
	}
	head = atomic_load_explicit(&chunk->head, memory_order_acquire);
	chunk->end_words = (uint32_t)head;
	chunk->end_records = (uint32_t)(head >> 32);
	if (!is_still(chunk) || chunk->end_words > NX_TRACE_CHUNK_WORDS)
		return false;
	if (chunk->end_records > chunk->read_records)
		return true;
	if (!(stamp & 1))
		atomic_store_explicit(&chunk->done, stamp, memory_order_relaxed);
	return false;
}

/*
 * Returns the number of records that can be taken. A thread may turn to its next chunk meanwhile;
 * that one is left for the next time, or its records would overtake those before.
 */
static uint64_t gather(struct merge *m)
{
	uint64_t end_ticket = atomic_load_explicit(&m->store->next_ticket, memory_order_acquire);
	uint32_t used = atomic_load_explicit(&m->store->used_count, memory_order_acquire);
	uint64_t pending = 0;

	m->count = 0;
	for (uint32_t i = 0; i < used && i < m->store->chunk_count; i++) {
		struct nx_trace_chunk *chunk = &m->store->chunks[i];

		if (!look(m->ring, chunk, end_ticket))
			continue;
		peek(m, chunk);
		pending += chunk->end_records - chunk->read_records;
		m->store->heap[m->count++] = i;
	}
	for (uint32_t i = m->count / 2; i-- > 0;)
		sink(m, i);
	return pending;
}

/* Copies the next record; false if the chunk was overwritten meanwhile. */
static bool copy(struct merge *m, struct nx_trace_chunk *chunk, unsigned *count)
{
	_Atomic uint64_t *words = words_of(m->store, chunk) + chunk->read_words;

	m->words[0] = atomic_load_explicit(&words[0], memory_order_acquire);
	*count = nx_trace_head_words(m->words[0]);
	if (*count == 0 || *count > NX_TRACE_MAX_RECORD_WORDS ||
	    *count > chunk->end_words - chunk->read_words)
		return false;
	for (unsigned i = 1; i < *count; i++)
		m->words[i] = atomic_load_explicit(&words[i], memory_order_acquire);
	return is_still(chunk);
}

/* The first chunk has no more to take now, or its records are gone. */
static void leave_first(struct merge *m, bool is_lost)
{
	struct nx_trace_chunk *chunk = &m->store->chunks[m->store->heap[0]];
	uint64_t stamp = 2 * chunk->ticket;

	/* A thread may have written more to it, and left it since the merge began. */
	if (!is_lost && atomic_load_explicit(&chunk->stamp, memory_order_acquire) == stamp &&
	    (uint32_t)atomic_load_explicit(&chunk->head, memory_order_acquire) == chunk->read_words)
		atomic_store_explicit(&chunk->done, stamp, memory_order_relaxed);
	m->store->heap[0] = m->store->heap[--m->count];
	sink(m, 0);
}

uint64_t nx_trace_ring_take(struct nx_trace_ring *ring, uint64_t max, nx_trace_ring_fn fn,
			    void *context)
{
	struct merge m = {.ring = ring, .store = atomic_load(&ring->store)};
	uint64_t pending = gather(&m), taken = 0;
	uint64_t skipped = pending > ring->limit ? pending - ring->limit : 0;

	while (m.count && taken < max) {
		struct nx_trace_chunk *chunk = &m.store->chunks[m.store->heap[0]];
		uint64_t position = chunk->ticket * NX_TRACE_CHUNK_WORDS + chunk->read_words;
		unsigned count;

		if (!copy(&m, chunk, &count)) {
			leave_first(&m, true);
			continue;
		}
		chunk->read_words += count;
		chunk->read_records++;
		if (chunk->read_records == chunk->end_records) {
			leave_first(&m, false);
		} else {
			peek(&m, chunk);
			sink(&m, 0);
		}
		if (skipped) {
			skipped--;
			continue;
		}
		fn(context, position, m.words, count);
		taken++;
	}
	ring->taken_count += taken;
	return taken;
}

struct nx_trace_ring_counts nx_trace_ring_count(const struct nx_trace_ring *ring)
{
	struct nx_trace_store *store = atomic_load(&ring->store);
	/* Before what is pending: a record made meanwhile must not look like a dropped one. */
	struct nx_trace_ring_counts counts = {.total = count_lanes(ring) - ring->base_count};
	uint32_t used = atomic_load(&store->used_count);
	uint64_t left;

	for (uint32_t i = 0; i < used && i < store->chunk_count; i++) {
		struct nx_trace_chunk *chunk = &store->chunks[i];
		uint64_t stamp = atomic_load(&chunk->stamp);
		uint64_t records = atomic_load(&chunk->head) >> 32;

		if (stamp >> 1 < ring->first_ticket || atomic_load(&chunk->done) == stamp)
			continue;
		counts.pending += records - (chunk->ticket == stamp >> 1 ? chunk->read_records : 0);
	}
	left = counts.total > ring->taken_count ? counts.total - ring->taken_count : 0;
	if (counts.pending > ring->limit)
		counts.pending = ring->limit;
	if (counts.pending > left)
		counts.pending = left;
	counts.dropped = left - counts.pending;
	return counts;
}
