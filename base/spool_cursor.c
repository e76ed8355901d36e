/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/bare/bits.h"
#include "base/spool_inside.h"
#include <assert.h>

#define READ_BLOCK_MAX_BYTES ((size_t)1 << 20)
#define MERGE_BYTES ((size_t)1 << 20)

/* A run being read: a window of it in memory and what is left in the file. */
struct source {
	uint8_t *block;
	size_t at; /* in records, like all here */
	size_t len;
	uint64_t offset; /* in the file, in bytes, of what is left */
	uint64_t left;
};

struct head {
	uint64_t key;
	size_t source;
};

struct nx_spool_cursor {
	const struct nx_spool *spool;
	size_t part;
	struct nx_spool_range left; /* without runs: what is left of the buffer */
	struct source *sources;
	uint8_t *blocks;
	size_t block_records;
	struct head *heap; /* smallest key first, of equal ones the earlier run */
	size_t heap_len;
	bool top_is_out; /* the caller still reads the top's record */
	enum nx_status status;
	struct nx_error error;
};

static bool is_before(struct head a, struct head b)
{
	return a.key < b.key || (a.key == b.key && a.source < b.source);
}

static void sift_down(struct nx_spool_cursor *c, size_t i)
{
	struct head moving = c->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= c->heap_len)
			break;
		if (child + 1 < c->heap_len && is_before(c->heap[child + 1], c->heap[child]))
			child++;
		if (is_before(moving, c->heap[child]))
			break;
		c->heap[i] = c->heap[child];
		i = child;
	}
	c->heap[i] = moving;
}

/* Loads the next window; a source at its end keeps len 0. */
static enum nx_status refill(struct nx_spool_cursor *c, struct source *s)
{
	size_t size = c->spool->record_size;

	s->at = 0;
	s->len = s->left < c->block_records ? (size_t)s->left : c->block_records;
	c->status =
		nx_temporary_read(&c->spool->file, s->block, s->len * size, s->offset, &c->error);
	s->offset += s->len * size;
	s->left -= s->len;
	return c->status;
}

static const uint8_t *source_record(const struct nx_spool_cursor *c, size_t source)
{
	const struct source *s = &c->sources[source];

	return s->block + s->at * c->spool->record_size;
}

static void allocate_sources(struct nx_spool_cursor *c, size_t count)
{
	size_t size = c->spool->record_size;
	size_t share = c->spool->buffer_bytes / count;

	if (share > READ_BLOCK_MAX_BYTES)
		share = READ_BLOCK_MAX_BYTES;
	c->block_records = share < size ? 1 : share / size;
	c->sources = nx_heap_alloc(count * sizeof(*c->sources));
	c->heap = nx_heap_alloc(count * sizeof(*c->heap));
	c->blocks = nx_heap_alloc(count * c->block_records * size);
}

static enum nx_status open_sources(struct nx_spool_cursor *c)
{
	const struct nx_spool *spool = c->spool;
	size_t count = 0, at = 0;

	for (size_t i = 0; i < spool->runs.len; i++)
		count += spool->runs.items[i].part == c->part;
	if (!count)
		return NX_OK;
	allocate_sources(c, count);
	for (size_t i = 0; i < spool->runs.len; i++) {
		if (spool->runs.items[i].part != c->part)
			continue;
		c->sources[at] = (struct source){
			.block = c->blocks + at * c->block_records * spool->record_size,
			.offset = spool->runs.items[i].offset,
			.left = spool->runs.items[i].count,
		};
		if (refill(c, &c->sources[at]))
			return c->status;
		c->heap[at] = (struct head){nx_load64(source_record(c, at)), at};
		at++;
	}
	c->heap_len = count;
	for (size_t i = c->heap_len / 2; i-- > 0;)
		sift_down(c, i);
	return NX_OK;
}

enum nx_status nx_spool_cursor_open_part(struct nx_spool_cursor **cursor,
					 const struct nx_spool *spool, size_t part,
					 struct nx_error *err)
{
	struct nx_spool_cursor *c = nx_heap_alloc(sizeof(*c));
	enum nx_status status = NX_OK;

	assert(spool->sorted);
	*c = (struct nx_spool_cursor){.spool = spool, .part = part};
	*cursor = c;
	if (spool->runs.len)
		status = open_sources(c);
	else if (part <= spool->cuts.len)
		c->left = nx_spool_range_of(spool, part);
	if (status) {
		*cursor = NULL;
		status = nx_spool_cursor_close(c, err);
		assert(status);
	}
	return status;
}

enum nx_status nx_spool_cursor_open(struct nx_spool_cursor **cursor, const struct nx_spool *spool,
				    struct nx_error *err)
{
	assert(!spool->first_part && !spool->cuts.len);
	return nx_spool_cursor_open_part(cursor, spool, 0, err);
}

/* Moves the top's run one record on and puts the new smallest on top. */
static void advance_top(struct nx_spool_cursor *c)
{
	struct source *s = &c->sources[c->heap[0].source];

	s->at++;
	if (s->at == s->len && refill(c, s)) {
		c->heap_len = 0;
		return;
	}
	if (!s->len)
		c->heap[0] = c->heap[--c->heap_len];
	else if (c->heap_len > 1)
		c->heap[0].key = nx_load64(source_record(c, c->heap[0].source));
	if (c->heap_len > 1)
		sift_down(c, 0);
}

const void *nx_spool_cursor_next(struct nx_spool_cursor *c)
{
	if (!c->spool->runs.len) {
		if (c->left.from == c->left.to)
			return NULL;
		return nx_spool_sorted_record(c->spool, c->left.from++);
	}
	if (c->top_is_out)
		advance_top(c);
	c->top_is_out = c->heap_len > 0;
	return c->heap_len ? source_record(c, c->heap[0].source) : NULL;
}

enum nx_status nx_spool_cursor_close(struct nx_spool_cursor *c, struct nx_error *err)
{
	enum nx_status status;

	if (!c)
		return NX_OK;
	status = c->status;
	if (status && err)
		*err = c->error;
	nx_heap_free(c->sources);
	nx_heap_free(c->heap);
	nx_heap_free(c->blocks);
	nx_heap_free(c);
	return status;
}

enum nx_status nx_spool_each(const struct nx_spool *spool, size_t part,
			     void (*fn)(void *context, const void *record), void *context,
			     struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	const void *record;
	enum nx_status status = nx_spool_cursor_open_part(&cursor, spool, part, err);

	if (status)
		return status;
	while ((record = nx_spool_cursor_next(cursor)))
		fn(context, record);
	return nx_spool_cursor_close(cursor, err);
}

/* --- merging ---------------------------------------------------------------- */

static enum nx_status copy_sorted(const struct nx_spool *from, struct nx_spool *to,
				  struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	enum nx_status status = nx_spool_cursor_open(&cursor, from, err), closed;
	const void *record;

	if (status)
		return status;
	while (!status && (record = nx_spool_cursor_next(cursor)))
		status = nx_spool_add(to, record, err);
	closed = nx_spool_cursor_close(cursor, status ? NULL : err);
	return status ? status : closed;
}

enum nx_status nx_spool_merge(struct nx_spool *spool, struct nx_error *err)
{
	struct nx_spool *merged, runs = *spool;
	enum nx_status status;

	assert(spool->sorted);
	if (spool->runs.len < 2)
		return NX_OK;
	merged = nx_spool_new(spool->record_size, MERGE_BYTES);
	status = copy_sorted(spool, merged, err);
	if (!status)
		status = nx_spool_sort(merged, err);
	if (!status) {
		*spool = *merged;
		spool->buffer_bytes = runs.buffer_bytes;
		*merged = runs;
	}
	nx_spool_free(merged);
	return status;
}
