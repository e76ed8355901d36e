/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/strip_internal.h"

/* The value of a counter around an instant. */
struct moment {
	uint64_t time_ns;
	uint64_t idx; /* samples before it */
	uint64_t last_ns;
	double last;	  /* of the last of them; both 0 without any */
	uint64_t next_ns; /* when the first at or after it was taken, or UINT64_MAX */
};

/* Values with the time each of them held. */
struct blend {
	bool has_value;
	double lowest, highest;
	/* A product of time and value may be larger than a double can be. */
	long double sum;
};

static void blend_add(struct blend *blend, double lowest, double highest, double mean,
		      uint64_t length_ns)
{
	if (!blend->has_value || lowest < blend->lowest)
		blend->lowest = lowest;
	if (!blend->has_value || highest > blend->highest)
		blend->highest = highest;
	blend->has_value = true;
	blend->sum += (long double)mean * (long double)length_ns;
}

static struct moment find_moment(const struct nx_strip *strip, uint64_t time_ns)
{
	uint64_t chunk = nx_strip_search(strip, time_ns);
	struct moment moment = {.time_ns = time_ns, .idx = chunk * NX_CHUNK_ROWS};
	struct nx_sample_chunk samples;
	size_t below = 0;

	nx_strip_samples(strip, chunk, &samples);
	if (time_ns > samples.first_ns)
		below = nx_packed_below(samples.times, samples.count, time_ns - samples.first_ns);
	moment.idx += below;
	if (below) {
		moment.last_ns = nx_sample_chunk_time(&samples, below - 1);
		moment.last = nx_sample_chunk_value(&samples, below - 1);
	}
	moment.next_ns = UINT64_MAX;
	if (below < samples.count)
		moment.next_ns = nx_sample_chunk_time(&samples, below);
	else if (moment.idx < strip->row_count)
		moment.next_ns = strip->start[0][chunk + 1];
	return moment;
}

/* Samples [from, to) of one chunk; there is a sample at to. */
static void blend_rows(struct blend *blend, const struct nx_strip *strip, uint64_t from,
		       uint64_t to)
{
	struct nx_sample_chunk samples;
	uint64_t chunk = from / NX_CHUNK_ROWS;
	uint64_t time_ns;

	if (from >= to)
		return;
	nx_strip_samples(strip, chunk, &samples);
	time_ns = nx_sample_chunk_time(&samples, from % NX_CHUNK_ROWS);
	for (size_t i = from % NX_CHUNK_ROWS; from < to; i++, from++) {
		double value = nx_sample_chunk_value(&samples, i);
		uint64_t next_ns = i + 1 < samples.count ? nx_sample_chunk_time(&samples, i + 1)
							 : strip->start[0][chunk + 1];

		blend_add(blend, value, value, value, next_ns - time_ns);
		time_ns = next_ns;
	}
}

static double double_at(const uint64_t *numbers, uint64_t i)
{
	double value;

	memcpy(&value, &numbers[i], sizeof(value));
	return value;
}

static void blend_nodes(struct blend *blend, const struct nx_strip *strip,
			const struct nx_node_run *run)
{
	unsigned shift = run->level * NX_FANOUT_BITS;

	for (uint64_t i = run->from; i < run->to; i++)
		blend_add(blend, double_at(strip->lowest[run->level], i),
			  double_at(strip->highest[run->level], i),
			  double_at(strip->mean[run->level], i),
			  strip->start[0][(i + 1) << shift] - strip->start[0][i << shift]);
}

/* Samples [from, to); there is a sample at to, so each of them held until a known time. */
static void blend_range(struct blend *blend, const struct nx_strip *strip, uint64_t from,
			uint64_t to)
{
	uint64_t lo = (from + NX_CHUNK_ROWS - 1) / NX_CHUNK_ROWS;
	uint64_t hi = to / NX_CHUNK_ROWS;
	struct nx_node_walk walk = {lo, hi, NX_FANOUT_BITS, 0};
	struct nx_node_run run;

	if (lo > hi) {
		blend_rows(blend, strip, from, to);
		return;
	}
	blend_rows(blend, strip, from, lo * NX_CHUNK_ROWS);
	while (nx_node_walk_next(&walk, &run))
		blend_nodes(blend, strip, &run);
	blend_rows(blend, strip, hi * NX_CHUNK_ROWS, to);
}

static void fill_bucket(const struct nx_strip *strip, const struct moment *a,
			const struct moment *b, struct nx_counter_bucket *bucket)
{
	struct blend blend = {0};
	uint64_t first_ns = a->idx ? a->time_ns : a->next_ns;
	double mean;

	*bucket = (struct nx_counter_bucket){0};
	if (!b->idx || b->idx < a->idx)
		return;
	if (a->idx && a->next_ns > a->time_ns)
		blend_add(&blend, a->last, a->last, a->last,
			  (a->next_ns < b->time_ns ? a->next_ns : b->time_ns) - a->time_ns);
	if (b->idx > a->idx) {
		blend_range(&blend, strip, a->idx, b->idx - 1);
		blend_add(&blend, b->last, b->last, b->last, b->time_ns - b->last_ns);
	}
	/* Rounding must not move the mean out of the range. */
	mean = (double)(blend.sum / (long double)(b->time_ns - first_ns));
	mean = mean < blend.lowest ? blend.lowest : mean > blend.highest ? blend.highest : mean;
	*bucket = (struct nx_counter_bucket){
		.count = b->idx - a->idx,
		.has_value = true,
		.lowest = blend.lowest,
		.highest = blend.highest,
		.last = b->last,
		.mean = mean,
	};
}

enum nx_status nx_timeline_counter(const struct nx_timeline *t,
				   const struct nx_timeline_window *window,
				   struct nx_counter_bucket *buckets, struct nx_error *err)
{
	struct nx_timeline_window coarse = *window;
	enum nx_status status = nx_window_check(t, window, NX_TRACK_COUNTER, err);
	struct nx_strip strip;
	struct moment a, b;

	if (status)
		return status;
	memset(buckets, 0, window->bucket_count * sizeof(*buckets));
	if (!nx_strip_open(&strip, t, NX_TRACK_COUNTER, window->track, 0))
		return NX_OK;
	coarse.bucket_count = nx_window_distinct(window);
	b = find_moment(&strip, window->from_ns);
	for (uint32_t i = 0; i < coarse.bucket_count; i++) {
		a = b;
		b = find_moment(&strip, nx_window_edge(&coarse, i + 1));
		fill_bucket(&strip, &a, &b, &buckets[i]);
	}
	/* From the end, so that nothing is overwritten before it is copied. */
	for (uint32_t i = window->bucket_count; coarse.bucket_count < window->bucket_count && i--;)
		buckets[i] = buckets[nx_window_edge(window, i) - window->from_ns];
	return NX_OK;
}
