/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile: a time range of some tracks in the binary format that pages draw from (docs/api.md,
 * window), little endian, columns one after the other.
 *
 *	nx_tile_begin(&tile, &reply->body, from_ns, to_ns, px);
 *	st = nx_tile_add_spans(&tile, timeline, track, depth, codes, err);
 *	st = nx_tile_add_counter(&tile, timeline, track, err);
 *	nx_tile_end(&tile);
 *
 * Size and time grow with the pixels, not with the rows.
 */
#ifndef NX_SERVE_TILE_H
#define NX_SERVE_TILE_H

#include "base/vec.h"
#include "query/column_codes.h"
#include "store/timeline/timeline.h"

#define NX_TILE_PX_MAX 16384u
#define NX_TILE_STRIPS_MAX 4096u
/* Pixels of all strips together: 36 bytes each at worst. */
#define NX_TILE_ALL_PX_MAX (UINT64_C(4) << 20)

/* Spans that are drawn as one. */
struct nx_tile_item {
	float x0, x1; /* pixels from the left edge */
	uint32_t count;
	uint32_t name;	 /* that covers most */
	uint32_t colour; /* NX_CODE_NONE without */
	float busy;	 /* part of [x0, x1) that is covered */
	uint64_t row;	 /* of the longest span */
};

struct nx_tile_items NX_VEC_BODY(struct nx_tile_item);

struct nx_tile {
	struct nx_bytes *bytes;
	size_t head; /* where it begins in bytes */
	uint64_t from_ns, to_ns;
	uint64_t step_ns, rest_ns; /* per pixel, and the remainder of the division */
	uint32_t px;
	uint32_t strip_count;
	struct nx_span_bucket *span_buckets; /* scratch, as all below */
	uint32_t *busy;
	struct nx_counter_bucket *counter_buckets;
	struct nx_tile_items items;
};

/* from_ns is before to_ns, px at least 1. */
void nx_tile_begin(struct nx_tile *tile, struct nx_bytes *bytes, uint64_t from_ns, uint64_t to_ns,
		   uint32_t px);
/* codes, of the rows of the track's table, may be NULL. */
NX_MUST_CHECK enum nx_status nx_tile_add_spans(struct nx_tile *tile,
					       const struct nx_timeline *timeline, uint32_t track,
					       uint32_t depth, const struct nx_column_codes *codes,
					       struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_tile_add_counter(struct nx_tile *tile,
						 const struct nx_timeline *timeline, uint32_t track,
						 struct nx_error *err);
/* A strip of spans that come from elsewhere, in order of time. */
void nx_tile_add_items(struct nx_tile *tile, uint32_t track, uint32_t depth,
		       const struct nx_tile_item *items, size_t count);
/* Completes the head and frees the scratch; also after a failure. */
void nx_tile_end(struct nx_tile *tile);

/* A time as pixels from the left edge, not clipped. */
double nx_tile_x(const struct nx_tile *tile, uint64_t time_ns);

#endif
