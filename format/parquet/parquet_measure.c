/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_measure: the smallest and the largest value of a chunk, for its statistics. */
#include <math.h>

#include "base/utf8.h"
#include "format/parquet/parquet_chunk.h"
#include "format/parquet/parquet_plain.h"

static void set_range(struct nx_parquet_encoded *out, size_t min_len, size_t max_len)
{
	struct nx_parquet_stats *s = &out->chunk.stats;

	s->has_range = true;
	s->is_min_exact = true;
	s->is_max_exact = true;
	s->min = nx_slice_of(out->min, min_len);
	s->max = nx_slice_of(out->max, max_len);
}

static void set_numbers(struct nx_parquet_encoded *out, enum nx_parquet_type type, const void *min,
			const void *max)
{
	size_t size = nx_parquet_plain_size(type);

	assert(size <= NX_PARQUET_BOUND_BYTES);
	nx_parquet_plain_store(type, min, 1, out->min);
	nx_parquet_plain_store(type, max, 1, out->max);
	set_range(out, size, size);
}

static void measure_bool(const struct nx_parquet_column *c, struct nx_parquet_encoded *out)
{
	out->min[0] = memchr(c->values.flags, false, c->value_count) ? 0 : 1;
	out->max[0] = memchr(c->values.flags, true, c->value_count) ? 1 : 0;
	set_range(out, 1, 1);
}

static void measure_integers(const struct nx_parquet_column *c, struct nx_parquet_encoded *out)
{
	int64_t min = INT64_MAX, max = INT64_MIN;

	for (size_t i = 0; i < c->value_count; i++) {
		int64_t value = c->values.i64[i];

		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	set_numbers(out, c->type, &min, &max);
}

/*
 * Readers disagree on the order of NaN, so a chunk with one has no range. They also disagree on
 * signed zeros, so a bound of zero includes both.
 */
static void measure_doubles(const struct nx_parquet_column *c, struct nx_parquet_encoded *out)
{
	double min = INFINITY, max = -INFINITY;
	bool has_nan = false;

	for (size_t i = 0; i < c->value_count; i++) {
		double value = c->values.f64[i];

		has_nan |= value != value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	if (has_nan)
		return;
	min = min == 0 ? -0.0 : min;
	max = max == 0 ? 0.0 : max;
	set_numbers(out, c->type, &min, &max);
}

static int compare(struct nx_slice a, struct nx_slice b)
{
	int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* A prefix is not greater than the text; cut between characters. */
static size_t cut_below(struct nx_slice text)
{
	size_t len = NX_PARQUET_BOUND_BYTES;

	if (text.len <= len)
		return text.len;
	while (len && nx_utf8_is_tail(text.data[len]))
		len--;
	return len;
}

/* A prefix with its last ASCII character incremented is greater than the text. */
static bool cut_above(struct nx_slice text, uint8_t *bound, size_t *len)
{
	*len = cut_below(text);
	memcpy(bound, text.data, *len);
	if (*len == text.len)
		return true;
	for (; *len; --*len)
		if (bound[*len - 1] < 0x7f) {
			bound[*len - 1]++;
			return true;
		}
	return false;
}

static void measure_text(const struct nx_parquet_column *c, struct nx_parquet_encoded *out)
{
	struct nx_slice min = nx_parquet_text_of(&c->texts, 0), max = min;
	size_t min_len, max_len;

	for (size_t id = 1; id < c->texts.offsets.len; id++) {
		struct nx_slice text = nx_parquet_text_of(&c->texts, (uint32_t)id);

		if (compare(text, min) < 0)
			min = text;
		else if (compare(text, max) > 0)
			max = text;
	}
	min_len = cut_below(min);
	memcpy(out->min, min.data, min_len);
	if (!cut_above(max, out->max, &max_len))
		return;
	set_range(out, min_len, max_len);
	out->chunk.stats.is_min_exact = min_len == min.len;
	out->chunk.stats.is_max_exact = max.len <= NX_PARQUET_BOUND_BYTES;
}

void nx_parquet_chunk_measure(const struct nx_parquet_column *c, struct nx_parquet_encoded *out)
{
	static void (*const measures[])(const struct nx_parquet_column *,
					struct nx_parquet_encoded *) = {
		[NX_PARQUET_BOOL] = measure_bool,    [NX_PARQUET_I32] = measure_integers,
		[NX_PARQUET_I64] = measure_integers, [NX_PARQUET_F32] = measure_doubles,
		[NX_PARQUET_F64] = measure_doubles,  [NX_PARQUET_TEXT] = measure_text,
	};

	out->chunk.stats.has_range = false;
	if (c->value_count)
		measures[c->type](c, out);
}
