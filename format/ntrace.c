/* SPDX-License-Identifier: Apache-2.0 */
#include "format/ntrace.h"

#include <assert.h>

#include "base/bare/bits.h"

#define NX_MESSAGE NX_WIRE_TABLE
#define NX_MEMBER NX_WIRE_ROW
#define NX_MESSAGE_END NX_WIRE_TABLE_END
#include "format/ntrace.def"

#define LENGTH_BYTES 4
#define MAX_VARINT_BYTES 10

/* Numbers of ntrace_event's fields, and the number of the last one known. */
enum field {
	FIELD_TIMESTAMP = 2,
	FIELD_NC_IDX = 5,
	FIELD_HINT = 6,
	FIELD_EVENT_TYPE = 7,
	FIELD_THREAD = 9,
	FIELD_ID = 10,
	FIELD_ATTRIBUTE = 12,
	FIELD_PHASE = 14,
	FIELD_TRACKING = 15,
	FIELD_SEQ = 16,
	FIELD_LAST = 16,
};

enum wire_type { VARINT = 0, DELIMITED = 2 };
#define ATTRIBUTE_TAG (FIELD_ATTRIBUTE << 3 | DELIMITED)

/* --- streams --------------------------------------------------------------- */

static bool tear(struct nx_ntrace_stream *stream)
{
	stream->is_torn = true;
	stream->torn_at = stream->at;
	return false;
}

bool nx_ntrace_next(struct nx_ntrace_stream *stream, struct nx_slice *record)
{
	uint64_t left, len;

	if (stream->is_torn || stream->at >= stream->file.len)
		return false;
	left = stream->file.len - stream->at;
	if (left < LENGTH_BYTES)
		return tear(stream);
	len = nx_load32(stream->file.data + stream->at);
	if (len > left - LENGTH_BYTES)
		return tear(stream);
	*record = nx_slice_of(stream->file.data + stream->at + LENGTH_BYTES, (size_t)len);
	stream->at += LENGTH_BYTES + len;
	return true;
}

void nx_ntrace_append(struct nx_bytes *out, const struct nx_wire_message *message, const void *in)
{
	size_t start = out->len;

	nx_bytes_append_zeros(out, LENGTH_BYTES);
	nx_wire_encode(message, in, out);
	nx_store32(out->items + start, (uint32_t)(out->len - start - LENGTH_BYTES));
}

/* --- events, by hand --------------------------------------------------------- */

#define TOP_BITS UINT64_C(0x8080808080808080)

/* Joins the low seven bits of eight bytes. */
static inline uint64_t join_sevens(uint64_t word)
{
	word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (word & UINT64_C(0x0fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* Reads the rest of a varint; shift is the place of the next seven bits. */
static const uint8_t *finish_varint(const uint8_t *at, const uint8_t *end, unsigned shift,
				    uint64_t *value)
{
	for (; shift < 7 * MAX_VARINT_BYTES && at < end; shift += 7) {
		uint8_t byte = *at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return at;
	}
	return NULL;
}

static const uint8_t *read_long_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	uint64_t word, ends;

	*value = 0;
	if (end - at < 8)
		return finish_varint(at, end, 0, value);
	word = nx_load64(at);
	ends = ~word & TOP_BITS;
	if (!ends) { /* times of the epoch have nine bytes */
		*value = join_sevens(word & ~TOP_BITS);
		if (end - at > 8 && at[8] < 0x80) {
			*value |= (uint64_t)at[8] << 56;
			return at + 9;
		}
		return finish_varint(at + 8, end, 56, value);
	}
	*value = join_sevens(word & ~TOP_BITS & (ends ^ (ends - 1)));
	return at + __builtin_ctzll(ends) / 8 + 1;
}

/* Returns the end of the varint, NULL if it has none. */
static inline const uint8_t *read_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	if (at < end && *at < 0x80) {
		*value = *at;
		return at + 1;
	}
	return read_long_varint(at, end, value);
}

static inline const uint8_t *skip_varint(const uint8_t *at, const uint8_t *end)
{
	uint64_t value, ends;

	if (end - at < MAX_VARINT_BYTES)
		return read_varint(at, end, &value);
	ends = ~nx_load64(at) & TOP_BITS;
	if (ends)
		return at + __builtin_ctzll(ends) / 8 + 1;
	return at[8] < 0x80 ? at + 9 : at[9] < 0x80 ? at + 10 : NULL;
}

static bool read_entry(struct nx_slice entry, struct nx_ntrace_attribute *out)
{
	struct nx_wire_reader reader = nx_wire_reader_of(entry);
	struct nx_wire_value value;

	*out = (struct nx_ntrace_attribute){0};
	while (nx_wire_next(&reader, &value)) {
		if (value.number == 1 && value.wire_type == DELIMITED)
			out->key = value.bytes;
		else if (value.number == 2 && value.wire_type == DELIMITED)
			out->value = value.bytes;
	}
	return !reader.failed;
}

/* The usual layout of an entry: key, then value, both shorter than 128 bytes. */
static inline bool split_entry(struct nx_slice entry, struct nx_ntrace_attribute *out)
{
	const uint8_t *data = entry.data;
	size_t key_len, value_len;

	if (entry.len < 4 || data[0] != (1 << 3 | DELIMITED))
		return false;
	key_len = data[1];
	if (key_len >= 0x80 || key_len + 4 > entry.len || data[2 + key_len] != (2 << 3 | DELIMITED))
		return false;
	value_len = data[3 + key_len];
	if (value_len >= 0x80 || key_len + value_len + 4 != entry.len)
		return false;
	out->key = nx_slice_of(data + 2, key_len);
	out->value = nx_slice_of(data + 4 + key_len, value_len);
	return true;
}

/* A small decimal number; -1 for anything else. */
static int64_t parse_index(struct nx_slice text)
{
	int64_t value = 0;

	if (text.len == 0 || text.len > 10)
		return -1;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned)text.data[i] - '0';

		if (digit > 9)
			return -1;
		value = value * 10 + digit;
	}
	return value;
}

static inline bool read_attribute(struct nx_slice entry, struct nx_ntrace_head *head)
{
	struct nx_ntrace_attribute attribute;

	if (!split_entry(entry, &attribute) && !read_entry(entry, &attribute))
		return false;
	if (attribute.key.len == 6 && memcmp(attribute.key.data, "nc_idx", 6) == 0)
		head->nc_idx = parse_index(attribute.value);
	else if (attribute.key.len == 10 && memcmp(attribute.key.data, "worker_gid", 10) == 0)
		head->worker_gid = parse_index(attribute.value);
	return true;
}

struct head_reader {
	struct nx_ntrace_head *head;
	int64_t field_nc_idx;
	const uint8_t *attributes, *attributes_end; /* NULL before the first one */
	bool is_scattered;
};

static inline void take_number(struct head_reader *r, uint64_t number, uint64_t value)
{
	switch (number) {
	case FIELD_TIMESTAMP:
		r->head->timestamp_ns = value;
		break;
	case FIELD_NC_IDX:
		r->field_nc_idx = value <= INT32_MAX ? (int64_t)value : -1;
		break;
	case FIELD_EVENT_TYPE:
		r->head->event_type = value;
		break;
	case FIELD_THREAD:
		r->head->thread_id = value;
		break;
	case FIELD_ID:
		r->head->id = value;
		break;
	case FIELD_PHASE:
		r->head->phase = value;
		break;
	case FIELD_TRACKING:
		r->head->tracking_id = value;
		break;
	case FIELD_SEQ:
		r->head->nrta_seq_id = value;
		break;
	default:
		if (number > FIELD_LAST || number == FIELD_ATTRIBUTE || number == FIELD_HINT)
			r->head->unknown_field_count++;
		break;
	}
}

/* Unknown fields, or of another wire type; NULL if they cannot be skipped. */
static const uint8_t *skip_field(struct head_reader *r, const uint8_t *at, const uint8_t *end)
{
	struct nx_wire_reader reader = {at, end, false};
	struct nx_wire_value value;

	if (!nx_wire_next(&reader, &value))
		return NULL;
	if (value.number != FIELD_HINT || value.wire_type != DELIMITED)
		r->head->unknown_field_count++;
	return reader.at;
}

static const uint8_t *read_field(struct head_reader *r, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *start = at;
	uint64_t tag, value;

	at = read_varint(at, end, &tag);
	if (!at)
		return NULL;
	if (tag == ATTRIBUTE_TAG) {
		at = read_varint(at, end, &value);
		if (!at || value > (size_t)(end - at))
			return NULL;
		if (!read_attribute(nx_slice_of(at, (size_t)value), r->head))
			return NULL;
		if (!r->attributes)
			r->attributes = start;
		else
			r->is_scattered |= start != r->attributes_end;
		r->attributes_end = at + value;
		return at + value;
	}
	if ((tag & 7) == VARINT && tag >> 3 >= 1 && tag >> 3 <= FIELD_LAST) {
		at = read_varint(at, end, &value);
		if (at)
			take_number(r, tag >> 3, value);
		return at;
	}
	return skip_field(r, start, end);
}

bool nx_ntrace_read_head(struct nx_slice record, struct nx_ntrace_head *head)
{
	struct head_reader r = {.head = head, .field_nc_idx = -1};
	const uint8_t *at = record.data;
	const uint8_t *end;

	*head = (struct nx_ntrace_head){.nc_idx = -1, .worker_gid = -1};
	if (record.len == 0)
		return false;
	end = at + record.len;
	while (at && at < end)
		at = read_field(&r, at, end);
	if (head->nc_idx < 0)
		head->nc_idx = r.field_nc_idx;
	if (r.attributes && !r.is_scattered && r.attributes - record.data <= UINT8_MAX)
		head->lead_bytes = (uint8_t)(r.attributes - record.data);
	return at != NULL;
}

/* The next attribute's entry, or an empty slice at the end; NULL if the record is damaged. */
static const uint8_t *next_entry(const uint8_t *at, const uint8_t *end, struct nx_slice *entry)
{
	struct nx_wire_reader reader;
	struct nx_wire_value value;
	uint64_t tag, len = 0;

	*entry = (struct nx_slice){0};
	while (at < end) {
		const uint8_t *start = at;

		at = read_varint(at, end, &tag);
		if (at && (tag & 7) == VARINT && tag >> 3) {
			at = skip_varint(at, end);
			if (!at)
				return NULL;
			continue;
		}
		if (at && tag == ATTRIBUTE_TAG)
			at = read_varint(at, end, &len);
		if (!at)
			return NULL;
		if (tag == ATTRIBUTE_TAG && len <= (size_t)(end - at)) {
			*entry = nx_slice_of(at, (size_t)len);
			return at + len;
		}
		reader = (struct nx_wire_reader){start, end, false};
		if (!nx_wire_next(&reader, &value))
			return NULL;
		at = reader.at;
	}
	return at;
}

size_t nx_ntrace_read_attributes(struct nx_slice record, struct nx_ntrace_attribute *out,
				 size_t cap)
{
	const uint8_t *at = record.data, *end = record.len ? at + record.len : at;
	struct nx_ntrace_attribute attribute;
	struct nx_slice entry;
	size_t count = 0;

	assert(out || !cap);
	while ((at = next_entry(at, end, &entry)) && entry.data) {
		if (!split_entry(entry, &attribute) && !read_entry(entry, &attribute))
			continue;
		if (count < cap)
			out[count] = attribute;
		count++;
	}
	return count;
}

/* Whether key.len bytes at data are the key. */
static inline bool is_key(const uint8_t *data, struct nx_slice key)
{
	size_t i = 0;

	if (key.len < 4)
		return memcmp(data, key.data, key.len) == 0;
	if (key.len < 8)
		return nx_load32(data) == nx_load32(key.data) &&
		       nx_load32(data + key.len - 4) == nx_load32(key.data + key.len - 4);
	for (; i + 8 < key.len; i += 8)
		if (nx_load64(data + i) != nx_load64(key.data + i))
			return false;
	return nx_load64(data + key.len - 8) == nx_load64(key.data + key.len - 8);
}

/* Like split_entry, for a known key; at is after the field's tag. */
static inline const uint8_t *take_value(const uint8_t *at, const uint8_t *end, struct nx_slice key,
					struct nx_slice *value)
{
	size_t len, value_len;

	if (at == end || *at >= 0x80)
		return NULL;
	len = *at++;
	if (len > (size_t)(end - at) || len < key.len + 4 ||
	    nx_load16(at) != (1 << 3 | DELIMITED | key.len << 8) || !is_key(at + 2, key) ||
	    at[2 + key.len] != (2 << 3 | DELIMITED))
		return NULL;
	value_len = at[3 + key.len];
	if (value_len >= 0x80 || key.len + value_len + 4 != len)
		return NULL;
	*value = nx_slice_of(at + 4 + key.len, value_len);
	return at + len;
}

/* For a record whose attributes start at and are contiguous. */
static bool read_row_of_values(const uint8_t *at, const uint8_t *end, const struct nx_slice *keys,
			       size_t count, struct nx_slice *values)
{
	for (size_t i = 0; i < count; i++) {
		if (at == end || *at != ATTRIBUTE_TAG)
			return false;
		at = take_value(at + 1, end, keys[i], &values[i]);
		if (!at)
			return false;
	}
	return at == end || *at != ATTRIBUTE_TAG;
}

bool nx_ntrace_read_values(struct nx_slice record, size_t lead_bytes, const struct nx_slice *keys,
			   size_t count, struct nx_slice *values)
{
	const uint8_t *at = record.data, *end = record.len ? at + record.len : at;
	size_t found = 0;

	assert(!count || (keys && values));
	if (lead_bytes && lead_bytes < record.len)
		return read_row_of_values(at + lead_bytes, end, keys, count, values);
	while (at && at < end) {
		uint64_t tag;

		at = read_varint(at, end, &tag);
		if (!at)
			return false;
		if (tag == ATTRIBUTE_TAG) {
			if (found == count)
				return false;
			at = take_value(at, end, keys[found], &values[found]);
			found++;
		} else if ((tag & 7) == VARINT && tag >> 3) {
			at = skip_varint(at, end);
		} else {
			return false;
		}
	}
	return at == end && found == count;
}
