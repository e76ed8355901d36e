/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/bare/bits.h"
#include "base/spool_inside.h"
#include <assert.h>

#define STAGING_BYTES ((size_t)256 << 10)
#define FIRST_BUFFER_RECORDS ((size_t)1024)

/* Sorted instead of whole records. */
struct pair {
	uint64_t key;
	uint32_t index;
};

/* Records that are not in order need room beside them to be sorted. */
static void set_room(struct nx_spool *spool)
{
	size_t free_bytes = 0, room;

	if (spool->ordered < spool->buffer_bytes / spool->record_size)
		free_bytes = spool->buffer_bytes - spool->ordered * spool->record_size;
	room = spool->ordered + free_bytes / (spool->record_size + 2 * sizeof(struct pair));
	spool->room_max = room < 2 ? 2 : room < UINT32_MAX ? room : UINT32_MAX;
}

struct nx_spool *nx_spool_new(size_t record_size, size_t buffer_bytes)
{
	struct nx_spool *spool = nx_heap_alloc(sizeof(*spool));

	assert(record_size >= sizeof(uint64_t));
	*spool = (struct nx_spool){
		.record_size = record_size,
		.buffer_bytes = buffer_bytes,
		.file = {.fd = -1},
	};
	set_room(spool);
	return spool;
}

void nx_spool_free(struct nx_spool *spool)
{
	if (!spool)
		return;
	nx_temporary_close(&spool->file);
	nx_vec_release(&spool->runs);
	nx_vec_release(&spool->cuts);
	nx_heap_free(spool->scratch);
	nx_heap_free(spool->order);
	nx_heap_free(spool->buffer);
	nx_heap_free(spool);
}

/* How often each value of each of the eight bytes of a key occurs. */
struct histogram {
	uint32_t of[8][256];
};

static void collect_pairs(const struct nx_spool *spool, struct nx_spool_range range,
			  struct pair *pairs, struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	for (size_t i = range.from; i < range.to; i++) {
		uint64_t key = nx_load64(nx_spool_record(spool, i));

		pairs[i - range.from] = (struct pair){key, (uint32_t)i};
		for (unsigned byte = 0; byte < 8; byte++)
			h->of[byte][key >> (8 * byte) & 0xff]++;
	}
}

/* One stable pass by one byte of the key; false when that byte is the same everywhere. */
static bool scatter(const struct pair *from, struct pair *to, size_t count, unsigned byte,
		    const uint32_t *counts)
{
	size_t next[256];
	size_t sum = 0;

	if (counts[from[0].key >> (8 * byte) & 0xff] == count)
		return false;
	for (unsigned i = 0; i < 256; i++) {
		next[i] = sum;
		sum += counts[i];
	}
	for (size_t i = 0; i < count; i++)
		to[next[from[i].key >> (8 * byte) & 0xff]++] = from[i];
	return true;
}

/* Writes the numbers of the range's records, sorted, to order. */
static void sort_range(const struct nx_spool *spool, struct nx_spool_range range,
		       struct pair *pairs, struct pair *other, uint32_t *order)
{
	struct histogram h;
	size_t count = range.to - range.from;

	if (!count)
		return;
	collect_pairs(spool, range, pairs, &h);
	for (unsigned byte = 0; byte < 8; byte++) {
		if (scatter(pairs, other, count, byte, h.of[byte])) {
			struct pair *swap = pairs;

			pairs = other;
			other = swap;
		}
	}
	for (size_t i = 0; i < count; i++)
		order[i] = pairs[i].index;
}

/* Kept from run to run, so that the kernel clears its pages only once. */
static struct pair *take_pairs(struct nx_spool *spool, size_t count)
{
	size_t bytes = 2 * count * sizeof(struct pair);

	if (bytes > spool->scratch_bytes) {
		nx_heap_free(spool->scratch);
		spool->scratch = nx_heap_alloc(bytes);
		spool->scratch_bytes = bytes;
	}
	return spool->scratch;
}

static void sort_buffer(struct nx_spool *spool)
{
	size_t count = spool->used - spool->ordered;
	struct pair *pairs;

	if (!spool->unordered)
		return;
	pairs = take_pairs(spool, count);
	spool->order = nx_heap_alloc(spool->used * sizeof(*spool->order));
	for (size_t i = 0; i < spool->ordered; i++)
		spool->order[i] = (uint32_t)i;
	for (size_t i = 0; i <= spool->cuts.len; i++) {
		struct nx_spool_range range = nx_spool_range_of(spool, i);

		if (range.from >= spool->ordered)
			sort_range(spool, range, pairs, pairs + count, spool->order + range.from);
	}
}

/* The records of a part in order, where they are. */
static void sort_in_place(struct nx_spool *spool, struct nx_spool_range range)
{
	size_t count = range.to - range.from, size = spool->record_size;
	struct pair *pairs = take_pairs(spool, count);
	uint32_t *order = nx_heap_alloc(count * sizeof(*order));
	uint8_t *sorted = nx_heap_alloc(count * size);

	sort_range(spool, range, pairs, pairs + count, order);
	for (size_t i = 0; i < count; i++)
		memcpy(sorted + i * size, nx_spool_record(spool, order[i]), size);
	memcpy(spool->buffer + range.from * size, sorted, count * size);
	nx_heap_free(sorted);
	nx_heap_free(order);
}

static enum nx_status write_permuted(const struct nx_spool *spool, struct nx_error *err)
{
	size_t size = spool->record_size;
	size_t chunk = size < STAGING_BYTES ? STAGING_BYTES / size : 1;
	uint8_t *staging = nx_heap_alloc(chunk * size);
	uint64_t offset = spool->file_bytes;
	enum nx_status status = NX_OK;

	for (size_t done = 0; done < spool->used && !status; done += chunk) {
		size_t count = spool->used - done < chunk ? spool->used - done : chunk;

		for (size_t i = 0; i < count; i++)
			memcpy(staging + i * size, nx_spool_sorted_record(spool, done + i), size);
		status = nx_temporary_write(&spool->file, staging, count * size, offset, err);
		offset += count * size;
	}
	nx_heap_free(staging);
	return status;
}

/* Records that came in order make one run, however often the buffer was full. */
static void join_last_runs(struct nx_spool *spool)
{
	struct nx_spool_run *last = &spool->runs.items[spool->runs.len - 1], *before = last - 1;

	if (before->part != last->part || before->last_key > last->first_key)
		return;
	before->count += last->count;
	before->last_key = last->last_key;
	spool->runs.len--;
}

static void add_run(struct nx_spool *spool, struct nx_spool_range range, size_t part)
{
	struct nx_spool_run run = {
		.offset = spool->file_bytes + range.from * spool->record_size,
		.count = range.to - range.from,
		.part = part,
		.first_key = nx_load64(nx_spool_sorted_record(spool, range.from)),
		.last_key = nx_load64(nx_spool_sorted_record(spool, range.to - 1)),
	};

	nx_vec_push(&spool->runs, run);
	if (spool->runs.len > 1)
		join_last_runs(spool);
}

/* The buffer was appended to the file; its last part continues in the next buffer. */
static void add_runs(struct nx_spool *spool)
{
	for (size_t i = 0; i <= spool->cuts.len; i++) {
		struct nx_spool_range range = nx_spool_range_of(spool, i);

		if (range.from < range.to)
			add_run(spool, range, spool->first_part + i);
	}
	spool->first_part += spool->cuts.len;
	nx_vec_clear(&spool->cuts);
}

/* Sorts the buffer, appends it to the file as a run and empties it. */
static enum nx_status spill(struct nx_spool *spool, struct nx_error *err)
{
	size_t len = spool->used * spool->record_size;
	enum nx_status status = NX_OK;

	if (spool->file.fd < 0)
		status = nx_temporary_open(&spool->file, err);
	if (status)
		return status;
	sort_buffer(spool);
	if (spool->order)
		status = write_permuted(spool, err);
	else
		status = nx_temporary_write(&spool->file, spool->buffer, len, spool->file_bytes,
					    err);
	if (!status)
		add_runs(spool);
	nx_heap_free(spool->order);
	spool->order = NULL;
	if (status)
		return status;
	spool->file_bytes += len;
	spool->used = 0;
	spool->last_key = 0;
	spool->ordered = 0;
	spool->unordered = false;
	set_room(spool);
	return NX_OK;
}

enum nx_status nx_spool_place(struct nx_spool *spool, uint64_t key, void **place,
			      struct nx_error *err)
{
	assert(!spool->sorted);
	if (spool->used >= spool->room_max) {
		enum nx_status status = spill(spool, err);

		if (status)
			return status;
	}
	if (spool->used == spool->room) {
		size_t room = spool->room ? spool->room * 2 : FIRST_BUFFER_RECORDS;

		spool->room = room < spool->room_max ? room : spool->room_max;
		spool->buffer = nx_heap_realloc(spool->buffer, spool->room * spool->record_size);
	}
	if (key < spool->last_key)
		spool->unordered = true;
	spool->last_key = key;
	*place = spool->buffer + spool->used * spool->record_size;
	spool->used++;
	return NX_OK;
}

enum nx_status nx_spool_add(struct nx_spool *spool, const void *record, struct nx_error *err)
{
	void *place;
	enum nx_status status = nx_spool_place(spool, nx_load64(record), &place, err);

	if (!status)
		memcpy(place, record, spool->record_size);
	return status;
}

/* Sorts the part now, if there is room: its records are cached, and the next part needs the room.
 */
static void order_part(struct nx_spool *spool)
{
	struct nx_spool_range range = nx_spool_range_of(spool, spool->cuts.len);
	size_t scratch = 2 * sizeof(struct pair) + sizeof(*spool->order) + spool->record_size;
	size_t free_bytes = 0;

	if (spool->used < spool->buffer_bytes / spool->record_size)
		free_bytes = spool->buffer_bytes - spool->used * spool->record_size;
	if (range.from != spool->ordered)
		return;
	if (spool->unordered && range.to - range.from > free_bytes / scratch)
		return;
	if (spool->unordered)
		sort_in_place(spool, range);
	spool->unordered = false;
	spool->ordered = range.to;
	set_room(spool);
}

void nx_spool_cut(struct nx_spool *spool)
{
	assert(!spool->sorted);
	order_part(spool);
	nx_vec_push(&spool->cuts, spool->used);
	spool->last_key = 0;
}

enum nx_status nx_spool_sort(struct nx_spool *spool, struct nx_error *err)
{
	enum nx_status status = NX_OK;

	if (spool->sorted)
		return NX_OK;
	if (!spool->runs.len) {
		sort_buffer(spool);
	} else {
		if (spool->used)
			status = spill(spool, err);
		if (status)
			return status;
		/* The cursors use this memory now. */
		nx_heap_free(spool->buffer);
		spool->buffer = NULL;
	}
	nx_heap_free(spool->scratch);
	spool->scratch = NULL;
	spool->scratch_bytes = 0;
	spool->sorted = true;
	return NX_OK;
}
