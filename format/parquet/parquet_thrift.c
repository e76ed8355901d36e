/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_thrift.h"

#include <assert.h>

#include "format/parquet/parquet_bits.h"

#define LONG_LIST 15 /* such a count follows the header */

/* --- writing ------------------------------------------------------------------ */

static void put_byte(struct nx_thrift_writer *w, unsigned byte)
{
	nx_vec_push(w->out, (uint8_t)byte);
}

void nx_thrift_item_int(struct nx_thrift_writer *w, int64_t value)
{
	nx_parquet_put_varint(w->out, nx_parquet_zigzag(value));
}

void nx_thrift_item_bytes(struct nx_thrift_writer *w, struct nx_slice bytes)
{
	nx_parquet_put_varint(w->out, bytes.len);
	nx_bytes_append(w->out, bytes.data, bytes.len);
}

static void put_header(struct nx_thrift_writer *w, int id, enum nx_thrift_type type)
{
	int *last = &w->last_id[w->depth - 1];
	int step = id - *last;

	assert(w->depth > 0 && step > 0);
	if (step <= 15) {
		put_byte(w, (unsigned)step << 4 | type);
	} else {
		put_byte(w, type);
		nx_thrift_item_int(w, id);
	}
	*last = id;
}

void nx_thrift_begin(struct nx_thrift_writer *w)
{
	assert(w->depth < NX_THRIFT_DEPTH);
	w->last_id[w->depth++] = 0;
}

void nx_thrift_begin_field(struct nx_thrift_writer *w, int id)
{
	put_header(w, id, NX_THRIFT_STRUCT);
	nx_thrift_begin(w);
}

void nx_thrift_end(struct nx_thrift_writer *w)
{
	assert(w->depth > 0);
	put_byte(w, NX_THRIFT_STOP);
	w->depth--;
}

void nx_thrift_bool(struct nx_thrift_writer *w, int id, bool value)
{
	put_header(w, id, value ? NX_THRIFT_TRUE : NX_THRIFT_FALSE);
}

void nx_thrift_byte(struct nx_thrift_writer *w, int id, int8_t value)
{
	put_header(w, id, NX_THRIFT_BYTE);
	put_byte(w, (uint8_t)value);
}

void nx_thrift_i16(struct nx_thrift_writer *w, int id, int16_t value)
{
	put_header(w, id, NX_THRIFT_I16);
	nx_thrift_item_int(w, value);
}

void nx_thrift_i32(struct nx_thrift_writer *w, int id, int32_t value)
{
	put_header(w, id, NX_THRIFT_I32);
	nx_thrift_item_int(w, value);
}

void nx_thrift_i64(struct nx_thrift_writer *w, int id, int64_t value)
{
	put_header(w, id, NX_THRIFT_I64);
	nx_thrift_item_int(w, value);
}

void nx_thrift_bytes(struct nx_thrift_writer *w, int id, struct nx_slice bytes)
{
	put_header(w, id, NX_THRIFT_BINARY);
	nx_thrift_item_bytes(w, bytes);
}

void nx_thrift_list(struct nx_thrift_writer *w, int id, enum nx_thrift_type type, size_t count)
{
	put_header(w, id, NX_THRIFT_LIST);
	if (count < LONG_LIST) {
		put_byte(w, (unsigned)count << 4 | type);
	} else {
		put_byte(w, LONG_LIST << 4 | type);
		nx_parquet_put_varint(w->out, count);
	}
}

/* --- reading ------------------------------------------------------------------ */

static void give_up(struct nx_thrift_reader *r)
{
	r->is_broken = true;
	r->at = r->end;
}

static uint8_t take_byte(struct nx_thrift_reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	give_up(r);
	return 0;
}

static uint64_t take_varint(struct nx_thrift_reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = take_byte(r);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return r->is_broken ? 0 : value;
	}
	give_up(r);
	return 0;
}

static int64_t take_zigzag(struct nx_thrift_reader *r)
{
	return nx_parquet_from_zigzag(take_varint(r));
}

static struct nx_slice take_bytes(struct nx_thrift_reader *r, uint64_t len)
{
	struct nx_slice bytes = {0};

	if (len > (uint64_t)(r->end - r->at)) {
		give_up(r);
		return bytes;
	}
	bytes = nx_slice_of(r->at, (size_t)len);
	r->at += len;
	return bytes;
}

bool nx_thrift_next(struct nx_thrift_reader *r, struct nx_thrift_field *field)
{
	uint8_t header = take_byte(r);
	int64_t id;

	if (r->is_broken || (header & 15) == NX_THRIFT_STOP) {
		r->depth -= r->depth > 0;
		return false;
	}
	id = header >> 4 ? field->id + (header >> 4) : take_zigzag(r);
	if (id < 1 || id > INT16_MAX || (header & 15) > NX_THRIFT_STRUCT)
		give_up(r);
	field->id = (int)id;
	field->type = header & 15;
	return !r->is_broken;
}

bool nx_thrift_take_bool(struct nx_thrift_reader *r, struct nx_thrift_field field)
{
	if (field.type != NX_THRIFT_TRUE && field.type != NX_THRIFT_FALSE)
		give_up(r);
	return !r->is_broken && field.type == NX_THRIFT_TRUE;
}

int64_t nx_thrift_take_int(struct nx_thrift_reader *r, struct nx_thrift_field field, int64_t low,
			   int64_t high)
{
	int64_t value = 0;

	if (field.type == NX_THRIFT_BYTE)
		value = (int64_t)(take_byte(r) ^ 0x80) - 0x80;
	else if (field.type >= NX_THRIFT_I16 && field.type <= NX_THRIFT_I64)
		value = take_zigzag(r);
	else
		give_up(r);
	if (value < low || value > high)
		give_up(r);
	return r->is_broken ? 0 : value;
}

struct nx_slice nx_thrift_take_bytes(struct nx_thrift_reader *r, struct nx_thrift_field field)
{
	if (field.type != NX_THRIFT_BINARY)
		give_up(r);
	return take_bytes(r, take_varint(r));
}

void nx_thrift_take_struct(struct nx_thrift_reader *r, struct nx_thrift_field field)
{
	if (field.type != NX_THRIFT_STRUCT || r->depth >= NX_THRIFT_DEPTH)
		give_up(r);
	r->depth++;
}

static size_t take_list_header(struct nx_thrift_reader *r, enum nx_thrift_type *type)
{
	uint8_t header = take_byte(r);
	uint64_t count = header >> 4;

	*type = header & 15;
	if (count == LONG_LIST)
		count = take_varint(r);
	/* An item has at least one byte. */
	if (count > (uint64_t)(r->end - r->at))
		give_up(r);
	return r->is_broken ? 0 : (size_t)count;
}

size_t nx_thrift_take_list(struct nx_thrift_reader *r, struct nx_thrift_field field,
			   enum nx_thrift_type type)
{
	enum nx_thrift_type found = NX_THRIFT_STOP;
	size_t count = 0;

	if (field.type != NX_THRIFT_LIST)
		give_up(r);
	count = take_list_header(r, &found);
	if (count && found != type)
		give_up(r);
	return r->is_broken ? 0 : count;
}

static void skip_value(struct nx_thrift_reader *r, enum nx_thrift_type type, bool is_item);

static void skip_struct(struct nx_thrift_reader *r)
{
	struct nx_thrift_field field = {0};

	nx_thrift_take_struct(r, (struct nx_thrift_field){.type = NX_THRIFT_STRUCT});
	while (nx_thrift_next(r, &field))
		skip_value(r, field.type, false);
}

static void skip_items(struct nx_thrift_reader *r, enum nx_thrift_type type, size_t count)
{
	if (r->depth++ >= NX_THRIFT_DEPTH)
		give_up(r);
	for (size_t i = 0; i < count && !r->is_broken; i++)
		skip_value(r, type, true);
	r->depth--;
}

static void skip_map(struct nx_thrift_reader *r)
{
	uint64_t count = take_varint(r);
	uint8_t types = count ? take_byte(r) : 0;

	if (r->depth++ >= NX_THRIFT_DEPTH)
		give_up(r);
	for (uint64_t i = 0; i < count && !r->is_broken; i++) {
		skip_value(r, types >> 4, true);
		skip_value(r, types & 15, true);
	}
	r->depth--;
}

/* A bool has a byte of its own only inside a list or a map. */
static void skip_value(struct nx_thrift_reader *r, enum nx_thrift_type type, bool is_item)
{
	enum nx_thrift_type item;
	size_t count;

	switch (type) {
	case NX_THRIFT_TRUE:
	case NX_THRIFT_FALSE:
		if (is_item)
			(void)take_byte(r);
		break;
	case NX_THRIFT_BYTE:
		(void)take_byte(r);
		break;
	case NX_THRIFT_I16:
	case NX_THRIFT_I32:
	case NX_THRIFT_I64:
		(void)take_varint(r);
		break;
	case NX_THRIFT_DOUBLE:
		(void)take_bytes(r, 8);
		break;
	case NX_THRIFT_BINARY:
		(void)take_bytes(r, take_varint(r));
		break;
	case NX_THRIFT_LIST:
	case NX_THRIFT_SET:
		count = take_list_header(r, &item);
		skip_items(r, item, count);
		break;
	case NX_THRIFT_MAP:
		skip_map(r);
		break;
	case NX_THRIFT_STRUCT:
		skip_struct(r);
		break;
	default:
		give_up(r);
	}
}

void nx_thrift_skip(struct nx_thrift_reader *r, struct nx_thrift_field field)
{
	skip_value(r, field.type, false);
}
