/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_decode: decodes the values of one chunk. */
#include <zstd.h>

#include "base/bare/bits.h"
#include "format/parquet/parquet_delta.h"
#include "format/parquet/parquet_page.h"
#include "format/parquet/parquet_plain.h"
#include "format/parquet/parquet_rle.h"

/* The state of decoding a chunk. Arrays have room for all levels that the chunk declares. */
struct decoding {
	const struct nx_parquet_field *field;
	const struct nx_parquet_chunk *chunk;
	struct nx_parquet_budget *budget;
	struct nx_error *err;
	size_t level_count, value_count, level_room;
	uint64_t first_level; /* of the first page to read; earlier ones are skipped */
	uint64_t seen_level_count;
	uint32_t *definitions, *repetitions, *indices; /* NULL if the field needs none */
	union {
		uint8_t *flags;
		int64_t *i64;
		double *f64;
		struct nx_slice *texts;
		void *any;
	} values;
	struct {
		bool is_there;
		size_t count;
		const uint8_t *numbers; /* of 64 bits */
		struct nx_slice *texts;
	} dictionary;
};

static size_t value_size(enum nx_parquet_type type)
{
	return type == NX_PARQUET_BOOL	 ? sizeof(uint8_t)
	       : type == NX_PARQUET_TEXT ? sizeof(struct nx_slice)
					 : sizeof(int64_t);
}

static enum nx_status refuse(struct decoding *d, const char *what)
{
	return nx_fail(d->err, NX_FORMAT, "column %.100s is damaged: %s", d->field->name, what);
}

/* NULL if the budget is used up. */
static void *take_memory(struct decoding *d, uint64_t count, size_t size)
{
	if (count > d->budget->left_bytes / size)
		return NULL;
	d->budget->left_bytes -= (size_t)count * size;
	return nx_arena_alloc(d->budget->arena, (size_t)count * size);
}

static enum nx_status refuse_size(struct decoding *d)
{
	return nx_fail(d->err, NX_LIMIT,
		       "a row group needs too much memory at column %.100s; read fewer columns",
		       d->field->name);
}

/* --- pages ------------------------------------------------------------------------ */

static enum nx_status unpack(struct decoding *d, const struct nx_parquet_page *page,
			     struct nx_slice *body)
{
	uint8_t *plain;
	size_t len;

	if (d->chunk->codec == NX_PARQUET_STORED)
		return page->plain_bytes == body->len ? NX_OK : refuse(d, "a page is cut");
	/* Check the size in the frame first, so that a wrong one costs no memory. */
	if (ZSTD_getFrameContentSize(body->data, body->len) != page->plain_bytes)
		return refuse(d, "a page is not as long as it states");
	plain = take_memory(d, page->plain_bytes, 1);
	if (!plain)
		return refuse_size(d);
	len = ZSTD_decompress(plain, page->plain_bytes, body->data, body->len);
	if (ZSTD_isError(len) || len != page->plain_bytes)
		return refuse(d, "a page cannot be decompressed");
	*body = nx_slice_of(plain, len);
	return NX_OK;
}

static bool take_text(struct nx_slice *bytes, struct nx_slice *text)
{
	uint32_t len;

	if (bytes->len < sizeof(len))
		return false;
	len = nx_load32(bytes->data);
	*text = nx_slice_part(*bytes, sizeof(len), len);
	*bytes = nx_slice_part(*bytes, sizeof(len) + (uint64_t)len, bytes->len);
	return text->len == len;
}

static bool take_texts(struct nx_slice bytes, struct nx_slice *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!take_text(&bytes, &texts[i]))
			return false;
	return true;
}

/* Widen narrow numbers once here, not at each use. */
static enum nx_status set_dictionary_numbers(struct decoding *d, struct nx_slice body, size_t count)
{
	void *wide;

	d->dictionary.numbers = body.data;
	if (!nx_parquet_is_narrow(d->field->type))
		return NX_OK;
	wide = take_memory(d, count, sizeof(int64_t));
	if (!wide)
		return refuse_size(d);
	nx_parquet_plain_load(d->field->type, body.data, count, wide);
	d->dictionary.numbers = wide;
	return NX_OK;
}

static enum nx_status read_dictionary(struct decoding *d, const struct nx_parquet_page *page,
				      struct nx_slice body)
{
	bool is_text = d->field->type == NX_PARQUET_TEXT;
	size_t count = page->level_count;

	if (d->dictionary.is_there || d->level_count || d->field->type == NX_PARQUET_BOOL ||
	    (page->encoding != NX_PARQUET_PLAIN && page->encoding != NX_PARQUET_PLAIN_DICTIONARY))
		return refuse(d, "it has a dictionary where none can be");
	/* A value has at least four bytes, so the count cannot exceed what is there. */
	if (count > body.len / (is_text ? sizeof(uint32_t) : nx_parquet_plain_size(d->field->type)))
		return refuse(d, "its dictionary is cut");
	d->dictionary.is_there = true;
	d->dictionary.count = count;
	if (!is_text)
		return set_dictionary_numbers(d, body, count);
	d->dictionary.texts = take_memory(d, count, sizeof(struct nx_slice));
	if (!d->dictionary.texts)
		return refuse_size(d);
	return take_texts(body, d->dictionary.texts, count) ? NX_OK
							    : refuse(d, "its dictionary is cut");
}

/* --- values ----------------------------------------------------------------------- */

static bool read_indices(struct decoding *d, struct nx_slice body, size_t count)
{
	size_t known = d->dictionary.count;

	if (!count)
		return true;
	if (!body.len || !d->dictionary.is_there ||
	    !nx_parquet_rle_decode(nx_slice_part(body, 1, body.len), body.data[0], d->indices,
				   count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (d->indices[i] >= known)
			return false;
	for (size_t i = 0; i < count; i++) {
		uint32_t index = d->indices[i];

		if (d->field->type == NX_PARQUET_TEXT)
			d->values.texts[d->value_count + i] = d->dictionary.texts[index];
		else
			d->values.i64[d->value_count + i] =
				(int64_t)nx_load64(d->dictionary.numbers + 8 * (size_t)index);
	}
	return true;
}

static bool read_plain(struct decoding *d, struct nx_slice body, size_t count)
{
	uint8_t *flags = d->values.flags + d->value_count;

	if (d->field->type == NX_PARQUET_TEXT)
		return take_texts(body, d->values.texts + d->value_count, count);
	if (d->field->type == NX_PARQUET_BOOL) {
		if (body.len < (count + 7) / 8)
			return false;
		for (size_t i = 0; i < count; i++)
			flags[i] = body.data[i / 8] >> i % 8 & 1;
		return true;
	}
	if (body.len / nx_parquet_plain_size(d->field->type) < count)
		return false;
	nx_parquet_plain_load(d->field->type, body.data, count, d->values.i64 + d->value_count);
	return true;
}

static bool read_flags(struct decoding *d, struct nx_slice body, size_t count)
{
	struct nx_slice runs;

	if (!take_text(&body, &runs) || !nx_parquet_rle_decode(runs, 1, d->indices, count))
		return false;
	for (size_t i = 0; i < count; i++)
		d->values.flags[d->value_count + i] = d->indices[i] & 1;
	return true;
}

/* In a column of 32 bits, differences wrap at 32 bits. */
static bool read_deltas(struct decoding *d, struct nx_slice body, size_t count)
{
	int64_t *values = d->values.i64 + d->value_count;

	if (!nx_parquet_delta_decode(body, values, count))
		return false;
	if (d->field->type == NX_PARQUET_I32)
		for (size_t i = 0; i < count; i++)
			values[i] = (int32_t)(uint32_t)values[i];
	return true;
}

static enum nx_status read_values(struct decoding *d, const struct nx_parquet_page *page,
				  struct nx_slice body, size_t count)
{
	enum nx_parquet_type type = d->field->type;
	bool is_read;

	if (page->encoding == NX_PARQUET_PLAIN)
		is_read = read_plain(d, body, count);
	else if (page->encoding == NX_PARQUET_RLE && type == NX_PARQUET_BOOL)
		is_read = read_flags(d, body, count);
	else if (page->encoding == NX_PARQUET_DELTA && nx_parquet_is_integer(type))
		is_read = read_deltas(d, body, count);
	else if ((page->encoding == NX_PARQUET_RLE_DICTIONARY ||
		  page->encoding == NX_PARQUET_PLAIN_DICTIONARY) &&
		 type != NX_PARQUET_BOOL)
		is_read = read_indices(d, body, count);
	else
		return nx_fail(d->err, NX_UNSUPPORTED,
			       "column %.100s has encoding %d, which is not known; write it with "
			       "dictionary, DELTA_BINARY_PACKED or PLAIN",
			       d->field->name, (int)page->encoding);
	d->value_count += count;
	return is_read ? NX_OK : refuse(d, "the values of a page are cut");
}

/* --- levels ----------------------------------------------------------------------- */

static bool read_levels(struct nx_slice *body, uint32_t *levels, size_t count, unsigned max)
{
	struct nx_slice runs;

	if (!take_text(body, &runs) ||
	    !nx_parquet_rle_decode(runs, nx_parquet_bit_width(max), levels, count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (levels[i] > max)
			return false;
	return true;
}

static enum nx_status read_data(struct decoding *d, const struct nx_parquet_page *page,
				struct nx_slice body)
{
	unsigned max = nx_parquet_definition_max(d->field->is_optional, d->field->is_list);
	size_t count = page->level_count, value_count = 0;
	enum nx_status status;

	if (count > d->level_room - d->level_count)
		return refuse(d, "its pages have more values than it states");
	if (d->field->is_list && !read_levels(&body, d->repetitions + d->level_count, count, 1))
		return refuse(d, "the levels of a page are cut");
	if (max && !read_levels(&body, d->definitions + d->level_count, count, max))
		return refuse(d, "the levels of a page are cut");
	for (size_t i = 0; i < count; i++)
		value_count += !max || d->definitions[d->level_count + i] == max;
	status = read_values(d, page, body, value_count);
	d->level_count += count;
	return status;
}

static enum nx_status take_page(struct decoding *d, struct nx_slice *bytes,
				struct nx_parquet_page *page, struct nx_slice *body)
{
	if (!nx_parquet_page_read(bytes, page))
		return refuse(d, "the header of a page cannot be read");
	*body = nx_slice_part(*bytes, 0, page->stored_bytes);
	*bytes = nx_slice_part(*bytes, page->stored_bytes, bytes->len);
	return body->len < page->stored_bytes ? refuse(d, "a page is cut") : NX_OK;
}

static enum nx_status read_page(struct decoding *d, struct nx_slice *bytes)
{
	struct nx_parquet_page page = {0};
	struct nx_slice body = {0};
	enum nx_status status = take_page(d, bytes, &page, &body);

	if (status)
		return status;
	if (page.kind == NX_PARQUET_DATA_PAGE_V2)
		return nx_fail(d->err, NX_UNSUPPORTED,
			       "column %.100s has data pages of version 2; write it with version 1",
			       d->field->name);
	if (page.kind != NX_PARQUET_DATA_PAGE && page.kind != NX_PARQUET_DICTIONARY_PAGE)
		return NX_OK;
	if (page.kind == NX_PARQUET_DATA_PAGE) {
		d->seen_level_count += page.level_count;
		if (d->seen_level_count <= d->first_level)
			return NX_OK;
	}
	status = unpack(d, &page, &body);
	if (status)
		return status;
	return page.kind == NX_PARQUET_DATA_PAGE ? read_data(d, &page, body)
						 : read_dictionary(d, &page, body);
}

/* --- rows ------------------------------------------------------------------------- */

/* Values are dense; move each to its row, the last one first. */
static enum nx_status spread(struct decoding *d, struct nx_parquet_values *out)
{
	size_t size = value_size(d->field->type), from = d->value_count;
	uint8_t *bytes = d->values.any, *is_null;

	if (from == d->level_count)
		return NX_OK;
	is_null = take_memory(d, d->level_count, 1);
	if (!is_null)
		return refuse_size(d);
	for (size_t row = d->level_count; row-- > 0;) {
		is_null[row] = !d->definitions[row];
		if (is_null[row])
			memset(bytes + row * size, 0, size);
		else if (--from != row)
			memcpy(bytes + row * size, bytes + from * size, size);
	}
	out->is_null = is_null;
	return NX_OK;
}

static enum nx_status split_lists(struct decoding *d, struct nx_parquet_values *out)
{
	unsigned max = nx_parquet_definition_max(d->field->is_optional, true);
	uint32_t *starts = take_memory(d, (uint64_t)out->row_count + 1, sizeof(*starts));
	uint8_t *is_null = take_memory(d, out->row_count, 1);
	size_t row = 0, value = 0;
	bool has_null = false;

	if (!starts || !is_null)
		return refuse_size(d);
	for (size_t i = 0; i < d->level_count; i++) {
		if (!d->repetitions[i]) {
			if (row == out->row_count)
				return refuse(d, "it has more lists than rows");
			is_null[row] = d->field->is_optional && !d->definitions[i];
			has_null |= is_null[row];
			starts[row++] = (uint32_t)value;
		} else if (!row || d->definitions[i] != max || d->definitions[i - 1] != max) {
			return refuse(d, "a list goes on where none is");
		}
		value += d->definitions[i] == max;
	}
	if (row != out->row_count)
		return refuse(d, "it has fewer lists than rows");
	starts[row] = (uint32_t)value;
	out->starts = starts;
	out->is_null = has_null ? is_null : NULL;
	return NX_OK;
}

static bool make_arrays(struct decoding *d)
{
	uint64_t count = d->level_room;
	bool has_levels = d->field->is_optional || d->field->is_list;

	d->values.any = take_memory(d, count, value_size(d->field->type));
	d->indices = take_memory(d, count, sizeof(*d->indices));
	if (has_levels)
		d->definitions = take_memory(d, count, sizeof(*d->definitions));
	if (d->field->is_list)
		d->repetitions = take_memory(d, count, sizeof(*d->repetitions));
	return d->values.any && d->indices && (d->definitions || !has_levels) &&
	       (d->repetitions || !d->field->is_list);
}

static void set_values(const struct decoding *d, struct nx_parquet_values *out)
{
	switch (d->field->type) {
	case NX_PARQUET_BOOL:
		out->flags = d->values.flags;
		break;
	case NX_PARQUET_I32:
	case NX_PARQUET_I64:
		out->i64 = d->values.i64;
		break;
	case NX_PARQUET_F32:
	case NX_PARQUET_F64:
		out->f64 = d->values.f64;
		break;
	case NX_PARQUET_TEXT:
		out->texts = d->values.texts;
		break;
	}
}

/* Finds the levels of the pages that hold the rows, without unpacking any. */
static enum nx_status choose_pages(struct decoding *d, struct nx_slice bytes,
				   struct nx_parquet_rows rows)
{
	uint64_t seen = 0, end = rows.first + rows.count;
	struct nx_parquet_page page = {0};
	struct nx_slice body = {0};
	enum nx_status status = NX_OK;

	while (bytes.len && seen < end && !status) {
		status = take_page(d, &bytes, &page, &body);
		if (status || page.kind != NX_PARQUET_DATA_PAGE)
			continue;
		seen += page.level_count;
		if (seen <= rows.first)
			d->first_level = seen;
	}
	if (seen > d->chunk->level_count)
		seen = d->chunk->level_count; /* reading them reports the fault */
	d->level_room = (size_t)(seen > d->first_level ? seen - d->first_level : 0);
	return status;
}

static void trim_values(struct decoding *d, struct nx_parquet_rows rows,
			struct nx_parquet_values *out)
{
	size_t before = (size_t)(rows.first - d->first_level);

	out->row_count = (size_t)rows.count;
	if (out->is_null)
		out->is_null += before;
	if (out->starts)
		out->starts += before; /* values stay where they are */
	else
		d->values.flags += before * value_size(d->field->type);
}

static enum nx_status check_chunk(struct decoding *d, uint64_t row_count)
{
	const struct nx_parquet_chunk *chunk = d->chunk;

	if (chunk->codec != NX_PARQUET_STORED && chunk->codec != NX_PARQUET_ZSTD)
		return nx_fail(d->err, NX_UNSUPPORTED,
			       "column %.100s is compressed in a way that is not known; write it "
			       "with zstd",
			       d->field->name);
	if (!d->field->is_list && chunk->level_count != row_count)
		return refuse(d, "it has not one value per row");
	return chunk->level_count > UINT32_MAX ? refuse_size(d) : NX_OK;
}

enum nx_status nx_parquet_chunk_decode(const struct nx_parquet_field *field,
				       const struct nx_parquet_chunk *chunk, struct nx_slice bytes,
				       uint64_t row_count, struct nx_parquet_rows rows,
				       struct nx_parquet_budget *budget,
				       struct nx_parquet_values *out, struct nx_error *err)
{
	struct decoding d = {.field = field, .chunk = chunk, .budget = budget, .err = err};
	enum nx_status status = check_chunk(&d, row_count);

	*out = (struct nx_parquet_values){.type = field->type, .row_count = (size_t)row_count};
	assert(rows.first <= row_count && rows.count <= row_count - rows.first);
	d.level_room = (size_t)chunk->level_count;
	if (!status && !field->is_list && rows.count < row_count)
		status = choose_pages(&d, bytes, rows);
	if (!status && !make_arrays(&d))
		status = refuse_size(&d);
	while (bytes.len && d.level_count < d.level_room && !status)
		status = read_page(&d, &bytes);
	if (!status && d.level_count != d.level_room)
		status = refuse(&d, "its pages have fewer values than it states");
	if (!status && !field->is_list && rows.count &&
	    d.first_level + d.level_count < rows.first + rows.count)
		status = refuse(&d, "its pages have fewer values than it states");
	if (!status)
		status = field->is_list ? split_lists(&d, out) : spread(&d, out);
	if (!status)
		trim_values(&d, rows, out);
	set_values(&d, out);
	return status;
}
