/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/tile.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/bare/bits.h"

#define HEAD_BYTES ((size_t)32)
#define STRIP_COUNT_AT ((size_t)24)
#define STRIP_HEAD_BYTES ((size_t)16)

enum { KIND_SPANS = 1, KIND_COUNTER = 2 };

static_assert(sizeof(float) == sizeof(uint32_t), "columns have 4 bytes for each item");

void nx_tile_begin(struct nx_tile *t, struct nx_bytes *bytes, uint64_t from_ns, uint64_t to_ns,
		   uint32_t px)
{
	uint8_t head[HEAD_BYTES] = "NXW1";

	assert(from_ns < to_ns && px);
	*t = (struct nx_tile){
		.bytes = bytes,
		.head = bytes->len,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.px = px,
		.step_ns = (to_ns - from_ns) / px,
		.rest_ns = (to_ns - from_ns) % px,
	};
	nx_store32(head + 4, px);
	nx_store64(head + 8, from_ns);
	nx_store64(head + 16, to_ns);
	nx_bytes_append(bytes, head, sizeof(head));
}

void nx_tile_end(struct nx_tile *t)
{
	assert(t->bytes->len >= t->head + HEAD_BYTES);
	nx_store32(t->bytes->items + t->head + STRIP_COUNT_AT, t->strip_count);
	nx_heap_free(t->busy);
	nx_heap_free(t->span_buckets);
	nx_heap_free(t->counter_buckets);
	nx_vec_release(&t->items);
}

double nx_tile_x(const struct nx_tile *t, uint64_t time_ns)
{
	double width = (double)(t->to_ns - t->from_ns);

	if (time_ns >= t->from_ns)
		return (double)(time_ns - t->from_ns) * t->px / width;
	return -(double)(t->from_ns - time_ns) * t->px / width;
}

static uint8_t *begin_strip(struct nx_tile *t, uint32_t track, uint32_t depth, uint32_t kind,
			    size_t item_count, size_t item_bytes)
{
	uint8_t head[STRIP_HEAD_BYTES];
	size_t at;

	nx_store32(head, track);
	nx_store32(head + 4, depth);
	nx_store32(head + 8, kind);
	nx_store32(head + 12, (uint32_t)item_count);
	nx_bytes_append(t->bytes, head, sizeof(head));
	t->strip_count++;
	at = t->bytes->len;
	nx_bytes_append_zeros(t->bytes, item_count * item_bytes);
	return t->bytes->items + at;
}

static uint8_t *put_u32(uint8_t *to, uint32_t value)
{
	nx_store32(to, value);
	return to + sizeof(value);
}

static uint8_t *put_f32(uint8_t *to, float value)
{
	memcpy(to, &value, sizeof(value));
	return to + sizeof(value);
}

void nx_tile_add_items(struct nx_tile *t, uint32_t track, uint32_t depth,
		       const struct nx_tile_item *items, size_t count)
{
	uint8_t *to = begin_strip(t, track, depth, KIND_SPANS, count, 8 * sizeof(uint32_t));

	for (size_t i = 0; i < count; i++)
		to = put_f32(to, items[i].x0);
	for (size_t i = 0; i < count; i++)
		to = put_f32(to, items[i].x1);
	for (size_t i = 0; i < count; i++)
		to = put_u32(to, items[i].count);
	for (size_t i = 0; i < count; i++)
		to = put_u32(to, items[i].name);
	for (size_t i = 0; i < count; i++)
		to = put_u32(to, items[i].colour);
	for (size_t i = 0; i < count; i++)
		to = put_f32(to, items[i].busy);
	for (size_t i = 0; i < count; i++)
		to = put_u32(to, (uint32_t)items[i].row);
	for (size_t i = 0; i < count; i++)
		to = put_u32(to, (uint32_t)(items[i].row >> 32));
}

/* --- spans --------------------------------------------------------------------------------- */

/* Buckets [first, end) that become one item. */
struct run {
	uint32_t first, end;
	uint64_t first_idx, end_idx; /* the spans in them */
	uint64_t start_ns, end_ns;   /* of the only one */
	struct nx_tile_item item;
};

static float busy_of(const struct nx_tile *t, uint32_t bucket, uint64_t busy_ns)
{
	uint64_t own_ns = t->step_ns;

	/* the remainder of the division is spread over the buckets */
	if (t->rest_ns)
		own_ns += t->rest_ns * (bucket + 1) / t->px - t->rest_ns * bucket / t->px;
	/* where pixels are finer than nanoseconds, a bucket is that of its nanosecond */
	return (float)((double)busy_ns / (double)(own_ns ? own_ns : 1));
}

static struct run run_of(const struct nx_tile *t, uint32_t bucket,
			 const struct nx_column_codes *codes)
{
	const struct nx_span_bucket *b = &t->span_buckets[bucket];

	return (struct run){
		.first = bucket,
		.end = bucket + 1,
		.first_idx = b->first_idx,
		.end_idx = b->first_idx + b->count,
		.start_ns = b->start_ns,
		.end_ns = b->start_ns + b->longest_ns,
		.item = {.x0 = (float)bucket,
			 .x1 = (float)(bucket + 1),
			 .name = b->name,
			 .colour = codes ? nx_column_codes_at(codes, b->longest_row) : NX_CODE_NONE,
			 .busy = busy_of(t, bucket, b->busy_ns),
			 .row = b->longest_row},
	};
}

/* Whether two neighbours show the same: one span, or several that look alike. */
static bool may_join(const struct run *a, const struct run *b)
{
	bool is_one_a = a->end_idx - a->first_idx == 1, is_one_b = b->end_idx - b->first_idx == 1;

	if (a->end != b->first || is_one_a != is_one_b)
		return false;
	if (is_one_a)
		return a->first_idx == b->first_idx;
	return a->item.row == b->item.row && a->item.name == b->item.name &&
	       a->item.colour == b->item.colour && a->item.busy >= b->item.busy &&
	       a->item.busy <= b->item.busy;
}

static void finish_run(struct nx_tile *t, struct run *r)
{
	uint64_t count = r->end_idx - r->first_idx;

	r->item.x1 = (float)r->end;
	r->item.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	if (count == 1) { /* a span alone has its own edges, within its pixels */
		double x0 = nx_tile_x(t, r->start_ns), x1 = nx_tile_x(t, r->end_ns);

		r->item.x0 = (float)fmin(fmax(x0, r->first), r->end);
		r->item.x1 = (float)fmax(fmin(x1, r->end), (double)r->item.x0);
		r->item.busy = r->end_ns > r->start_ns ? 1 : 0;
	}
	nx_vec_push(&t->items, r->item);
}

static void collect_items(struct nx_tile *t, size_t busy_count, const struct nx_column_codes *codes)
{
	struct run run = {0};
	bool has_run = false;

	nx_vec_clear(&t->items);
	for (size_t i = 0; i < busy_count; i++) {
		struct run next = run_of(t, t->busy[i], codes);

		if (has_run && may_join(&run, &next)) {
			run.end = next.end;
			run.end_idx = next.end_idx;
			continue;
		}
		if (has_run)
			finish_run(t, &run);
		run = next;
		has_run = true;
	}
	if (has_run)
		finish_run(t, &run);
}

enum nx_status nx_tile_add_spans(struct nx_tile *t, const struct nx_timeline *timeline,
				 uint32_t track, uint32_t depth,
				 const struct nx_column_codes *codes, struct nx_error *err)
{
	struct nx_timeline_window window = {track, depth, t->from_ns, t->to_ns, t->px};
	size_t busy_count;
	enum nx_status st;

	if (!t->span_buckets) {
		t->span_buckets = nx_heap_alloc(t->px * sizeof(*t->span_buckets));
		t->busy = nx_heap_alloc(t->px * sizeof(*t->busy));
	}
	st = nx_timeline_busy(timeline, &window, t->span_buckets, t->busy, &busy_count, err);
	if (st)
		return st;
	collect_items(t, busy_count, codes);
	nx_tile_add_items(t, track, depth, t->items.items, t->items.len);
	return NX_OK;
}

/* --- counters ------------------------------------------------------------------------------- */

enum nx_status nx_tile_add_counter(struct nx_tile *t, const struct nx_timeline *timeline,
				   uint32_t track, struct nx_error *err)
{
	struct nx_timeline_window window = {track, 0, t->from_ns, t->to_ns, t->px};
	const struct nx_counter_bucket *b;
	uint8_t *to;
	enum nx_status st;

	if (!t->counter_buckets)
		t->counter_buckets = nx_heap_alloc(t->px * sizeof(*t->counter_buckets));
	b = t->counter_buckets;
	st = nx_timeline_counter(timeline, &window, t->counter_buckets, err);
	if (st)
		return st;
	to = begin_strip(t, track, 0, KIND_COUNTER, t->px, 4 * sizeof(float));
	for (uint32_t i = 0; i < t->px; i++)
		to = put_f32(to, b[i].has_value ? (float)b[i].lowest : NAN);
	for (uint32_t i = 0; i < t->px; i++)
		to = put_f32(to, b[i].has_value ? (float)b[i].highest : NAN);
	for (uint32_t i = 0; i < t->px; i++)
		to = put_f32(to, b[i].has_value ? (float)b[i].mean : NAN);
	for (uint32_t i = 0; i < t->px; i++)
		to = put_f32(to, b[i].has_value ? (float)b[i].last : NAN);
	return NX_OK;
}
