/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_chunk.h"

#include "format/parquet/parquet_delta.h"
#include "format/parquet/parquet_plain.h"
#include "format/parquet/parquet_rle.h"

#define PAGE_BYTES ((size_t)1 << 20)
#define NEAR_RANGE ((uint64_t)1 << 16)

/* --- which encoding ------------------------------------------------------------- */

static size_t indices_bytes(size_t distinct_count, size_t value_count)
{
	return value_count * nx_parquet_bit_width(distinct_count - 1) / 8;
}

/* Strictly ascending values are all distinct: timestamps, counters, ids. */
static bool is_ascending(const int64_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (values[i] <= values[i - 1])
			return false;
	return true;
}

static uint64_t spread_of(enum nx_parquet_type type, const struct nx_parquet_stats *stats)
{
	return (uint64_t)nx_parquet_plain_integer(type, stats->max) -
	       (uint64_t)nx_parquet_plain_integer(type, stats->min);
}

/*
 * Readers refuse differences of more than 32 bits. If all values lie within 2^31, all differences
 * fit, even minus the smallest of a block.
 */
static bool may_be_delta(enum nx_parquet_type type, const struct nx_parquet_stats *stats)
{
	return type == NX_PARQUET_I64 ||
	       (type == NX_PARQUET_I32 && spread_of(type, stats) <= INT32_MAX);
}

/* Numbers the values in scratch; false if there are too many for a dictionary to pay. */
static bool index_numbers(const struct nx_parquet_column *c, const struct nx_parquet_stats *stats,
			  struct nx_parquet_scratch *s)
{
	size_t count = c->value_count;
	size_t most = count < NX_PARQUET_NUMBERS_MAX ? count : NX_PARQUET_NUMBERS_MAX;

	nx_vec_reserve(&s->ids, count);
	if (nx_parquet_is_integer(c->type) && spread_of(c->type, stats) < NEAR_RANGE)
		return nx_parquet_numbers_index_near(&s->numbers, c->values.i64, count, most,
						     nx_parquet_plain_integer(c->type, stats->min),
						     s->ids.items);
	return nx_parquet_numbers_index(&s->numbers, c->values.i64, count, most, s->ids.items);
}

static enum nx_parquet_encoding choose_number(const struct nx_parquet_column *c,
					      struct nx_parquet_scratch *s,
					      struct nx_parquet_stats *stats)
{
	size_t count = c->value_count, size = nx_parquet_plain_size(c->type), best = count * size;
	enum nx_parquet_encoding chosen = NX_PARQUET_PLAIN;

	if (may_be_delta(c->type, stats)) {
		size_t delta = nx_parquet_delta_estimate_bytes(c->values.i64, count);

		if (delta < best) {
			best = delta;
			chosen = NX_PARQUET_DELTA;
		}
	}
	if (nx_parquet_is_integer(c->type) && is_ascending(c->values.i64, count)) {
		stats->has_distinct_count = true;
		stats->distinct_count = count;
		return chosen;
	}
	if (index_numbers(c, stats, s)) {
		size_t distinct = s->numbers.values.len;

		stats->has_distinct_count = true;
		stats->distinct_count = distinct;
		if (distinct * size + indices_bytes(distinct, count) < best)
			chosen = NX_PARQUET_RLE_DICTIONARY;
	}
	return chosen;
}

static size_t plain_text_bytes(const struct nx_parquet_column *c)
{
	const uint32_t *offsets = c->texts.offsets.items;
	size_t bytes = 0;

	for (size_t i = 0; i < c->value_count; i++)
		bytes += 4 + nx_load32(c->texts.plain.items + offsets[c->values.ids[i]]);
	return bytes;
}

static enum nx_parquet_encoding choose_text(const struct nx_parquet_column *c,
					    struct nx_parquet_stats *stats)
{
	size_t distinct = c->texts.offsets.len;

	stats->has_distinct_count = true;
	stats->distinct_count = distinct;
	if (c->texts.plain.len + indices_bytes(distinct, c->value_count) < plain_text_bytes(c))
		return NX_PARQUET_RLE_DICTIONARY;
	return NX_PARQUET_PLAIN;
}

/* --- levels ----------------------------------------------------------------------- */

/* The rows and values of a page. */
struct span {
	uint32_t row, row_end;
	size_t value, value_end;
	size_t gap; /* the first that reaches beyond row */
};

/* levels may be NULL: all are max, which is 1 */
static void put_levels(const uint32_t *levels, size_t count, unsigned max, struct nx_bytes *out)
{
	size_t at = out->len;

	nx_bytes_append_zeros(out, sizeof(uint32_t));
	if (levels)
		nx_parquet_rle_encode(levels, count, nx_parquet_bit_width(max), out);
	else
		nx_parquet_rle_encode_run(1, count, 1, out);
	nx_store32(out->items + at, (uint32_t)(out->len - at - sizeof(uint32_t)));
}

/* Rows without a value among [row, row_end), marked in levels. */
static size_t mark_gaps(const struct nx_parquet_column *c, struct span *span, uint32_t *levels)
{
	size_t null_count = 0;

	while (span->gap < c->gaps.len) {
		struct nx_parquet_gap gap = c->gaps.items[span->gap];
		uint32_t from = gap.row > span->row ? gap.row : span->row;
		uint32_t end = gap.row + gap.count;

		if (gap.row >= span->row_end)
			break;
		for (uint32_t row = from; row < end && row < span->row_end; row++) {
			levels[row - span->row] = 0;
			null_count++;
		}
		if (end > span->row_end)
			break;
		span->gap++;
	}
	return null_count;
}

/* Returns how many levels the page has. */
static size_t put_flat_levels(const struct nx_parquet_column *c, struct span *span,
			      struct nx_parquet_scratch *s)
{
	size_t count = span->row_end - span->row, null_count = 0;
	bool is_marked = span->gap < c->gaps.len && c->gaps.items[span->gap].row < span->row_end;

	if (is_marked) {
		nx_vec_reserve(&s->levels, count);
		for (size_t i = 0; i < count; i++)
			s->levels.items[i] = 1;
		null_count = mark_gaps(c, span, s->levels.items);
		put_levels(s->levels.items, count, 1, &s->plain);
	} else if (c->is_optional) {
		put_levels(NULL, count, 1, &s->plain);
	}
	span->value_end = span->value + count - null_count;
	return count;
}

static void add_list_levels(const struct nx_parquet_column *c, uint32_t length,
			    struct nx_parquet_scratch *s)
{
	unsigned max = nx_parquet_definition_max(c->is_optional, true);

	if (length == NX_PARQUET_NULL_LIST || length == 0) {
		nx_vec_push(&s->levels, length ? 0 : max - 1);
		nx_vec_push(&s->repetitions, 0);
		return;
	}
	for (uint32_t i = 0; i < length; i++) {
		nx_vec_push(&s->levels, max);
		nx_vec_push(&s->repetitions, i > 0);
	}
}

static size_t put_list_levels(const struct nx_parquet_column *c, struct span *span,
			      struct nx_parquet_scratch *s)
{
	nx_vec_clear(&s->levels);
	nx_vec_clear(&s->repetitions);
	span->value_end = span->value;
	for (uint32_t row = span->row; row < span->row_end; row++) {
		uint32_t length = c->lengths.items[row];

		add_list_levels(c, length, s);
		span->value_end += length == NX_PARQUET_NULL_LIST ? 0 : length;
	}
	put_levels(s->repetitions.items, s->repetitions.len, 1, &s->plain);
	put_levels(s->levels.items, s->levels.len, nx_parquet_definition_max(c->is_optional, true),
		   &s->plain);
	return s->levels.len;
}

/* --- values ----------------------------------------------------------------------- */

static void put_plain_texts(const struct nx_parquet_column *c, const struct span *span,
			    struct nx_bytes *out)
{
	for (size_t i = span->value; i < span->value_end; i++) {
		const uint8_t *text =
			c->texts.plain.items + c->texts.offsets.items[c->values.ids[i]];

		nx_bytes_append(out, text, 4 + (size_t)nx_load32(text));
	}
}

static void put_values(const struct nx_parquet_column *c, const struct span *span,
		       const struct nx_parquet_chunk *chunk, struct nx_parquet_scratch *s)
{
	size_t count = span->value_end - span->value;
	bool is_text = c->type == NX_PARQUET_TEXT;

	if (chunk->encoding == NX_PARQUET_RLE_DICTIONARY) {
		unsigned width = nx_parquet_bit_width(chunk->stats.distinct_count - 1);

		nx_vec_push(&s->plain, (uint8_t)width);
		nx_parquet_rle_encode((is_text ? c->values.ids : s->ids.items) + span->value, count,
				      width, &s->plain);
	} else if (chunk->encoding == NX_PARQUET_DELTA) {
		nx_parquet_delta_encode(c->values.i64 + span->value, count, &s->plain);
	} else if (chunk->encoding == NX_PARQUET_RLE) {
		nx_vec_reserve(&s->levels, count);
		for (size_t i = 0; i < count; i++)
			s->levels.items[i] = c->values.flags[span->value + i];
		put_levels(s->levels.items, count, 1, &s->plain);
	} else if (is_text) {
		put_plain_texts(c, span, &s->plain);
	} else {
		nx_parquet_plain_append(c->type, c->values.i64 + span->value, count, &s->plain);
	}
}

/* --- pages ------------------------------------------------------------------------ */

static void end_page(struct nx_parquet_scratch *s, size_t start, struct nx_parquet_page page)
{
	page.plain_bytes = (uint32_t)(s->plain.len - start);
	nx_vec_push(&s->pages, page);
}

/* Texts already have the layout of the page; numbers are written before the other pages. */
static void put_dictionary(const struct nx_parquet_column *c, const struct nx_parquet_chunk *chunk,
			   struct nx_parquet_scratch *s)
{
	struct nx_parquet_page page = {
		.kind = NX_PARQUET_DICTIONARY_PAGE,
		.level_count = (uint32_t)chunk->stats.distinct_count,
	};

	if (c->type != NX_PARQUET_TEXT) {
		nx_parquet_plain_append(c->type, s->numbers.values.items, s->numbers.values.len,
					&s->plain);
		end_page(s, 0, page);
		return;
	}
	s->dictionary = nx_slice_of(c->texts.plain.items, c->texts.plain.len);
	page.plain_bytes = (uint32_t)s->dictionary.len;
	nx_vec_push(&s->pages, page);
}

/* Rows per page, so that the average page keeps its limits of values and bytes. */
static uint32_t rows_of_page(const struct nx_parquet_column *c, uint32_t row_count,
			     size_t page_rows, enum nx_parquet_encoding encoding)
{
	double rows = (double)page_rows;
	double values_per_row = (double)c->value_count / (double)row_count;

	if (c->is_list && values_per_row > 1)
		rows /= values_per_row;
	if (c->type == NX_PARQUET_TEXT && encoding == NX_PARQUET_PLAIN && c->value_count) {
		double fitting = (double)PAGE_BYTES / (double)plain_text_bytes(c) * row_count;

		rows = fitting < rows ? fitting : rows;
	}
	return rows < 1 ? 1 : (uint32_t)rows;
}

static void put_pages(const struct nx_parquet_column *c, uint32_t row_count, size_t page_rows,
		      struct nx_parquet_scratch *s, struct nx_parquet_chunk *chunk)
{
	uint32_t step = rows_of_page(c, row_count, page_rows, chunk->encoding);
	struct span span = {0};

	while (span.row < row_count) {
		struct nx_parquet_page page = {.encoding = chunk->encoding};
		size_t start = s->plain.len, levels;

		span.row_end = row_count - span.row < step ? row_count : span.row + step;
		levels = c->is_list ? put_list_levels(c, &span, s) : put_flat_levels(c, &span, s);
		page.level_count = (uint32_t)levels;
		put_values(c, &span, chunk, s);
		end_page(s, start, page);
		chunk->level_count += levels;
		span.row = span.row_end;
		span.value = span.value_end;
	}
}

void nx_parquet_chunk_encode(const struct nx_parquet_column *c, uint32_t row_count,
			     size_t page_rows, struct nx_parquet_scratch *s,
			     struct nx_parquet_encoded *out)
{
	struct nx_parquet_chunk *chunk = &out->chunk;

	assert(page_rows);
	*chunk = (struct nx_parquet_chunk){.has_levels = c->is_optional || c->is_list};
	s->dictionary = (struct nx_slice){0};
	nx_vec_clear(&s->plain);
	nx_vec_clear(&s->pages);
	nx_parquet_chunk_measure(c, out);
	chunk->encoding = NX_PARQUET_PLAIN;
	if (c->type == NX_PARQUET_BOOL)
		chunk->encoding = NX_PARQUET_RLE;
	else if (c->value_count)
		chunk->encoding = c->type == NX_PARQUET_TEXT ? choose_text(c, &chunk->stats)
							     : choose_number(c, s, &chunk->stats);
	if (chunk->encoding == NX_PARQUET_RLE_DICTIONARY)
		put_dictionary(c, chunk, s);
	put_pages(c, row_count, page_rows, s, chunk);
	chunk->stats.has_null_count = true;
	chunk->stats.null_count = chunk->level_count - c->value_count;
	nx_parquet_chunk_pack(s, out);
}
