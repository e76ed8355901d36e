/* SPDX-License-Identifier: Apache-2.0 */
#include "format/wire.h"

#include <assert.h>

#include "base/bare/bits.h"

#define MAX_NESTING 64
#define MAX_FIELD_NUMBER ((UINT32_C(1) << 29) - 1)
#define MAX_VARINT_BYTES 10
#define BASE_BUDGET_BYTES (UINT64_C(64) << 20)
#define BUDGET_PER_INPUT_BYTE 128
#define ARENA_ALIGNMENT 16

enum wire_type { VARINT = 0, FIXED64 = 1, DELIMITED = 2, FIXED32 = 5 };

static const uint8_t wire_types[] = {
	[NX_WIRE_U64] = VARINT,	       [NX_WIRE_I64] = VARINT,	[NX_WIRE_BOOL] = VARINT,
	[NX_WIRE_F32] = FIXED32,       [NX_WIRE_F64] = FIXED64, [NX_WIRE_BYTES] = DELIMITED,
	[NX_WIRE_MESSAGE] = DELIMITED,
};

static_assert(sizeof(wire_types) == NX_WIRE_MESSAGE + 1, "a wire type for each kind");

/* --- reading fields ------------------------------------------------------ */

static inline bool fail(struct nx_wire_reader *reader)
{
	reader->failed = true;
	return false;
}

/* Up to eight bytes at once: drops the top bit of each. */
static inline uint64_t join_sevens(uint64_t word)
{
	word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (word & UINT64_C(0x0fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
}

static inline bool read_varint(struct nx_wire_reader *reader, uint64_t *value)
{
	const uint8_t *at = reader->at;
	uint64_t result = 0;

	if (at < reader->end && *at < 0x80) {
		*value = *at;
		reader->at++;
		return true;
	}
	if (reader->end - at >= 8) {
		uint64_t word = nx_load64(at), stop = ~word & UINT64_C(0x8080808080808080);

		if (stop) {
			/* the last byte is the lowest whose top bit is clear */
			*value = join_sevens(word & (stop ^ (stop - 1)));
			reader->at = at + (__builtin_ctzll(stop) + 1) / 8;
			return true;
		}
	}
	for (unsigned shift = 0; shift < 7 * MAX_VARINT_BYTES && at < reader->end; shift += 7) {
		uint8_t byte = *at++;

		result |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			reader->at = at;
			*value = result;
			return true;
		}
	}
	return fail(reader);
}

static inline bool read_fixed(struct nx_wire_reader *reader, size_t size, uint64_t *value)
{
	if ((size_t)(reader->end - reader->at) < size)
		return fail(reader);
	*value = size == 8 ? nx_load64(reader->at) : nx_load32(reader->at);
	reader->at += size;
	return true;
}

static inline bool read_delimited(struct nx_wire_reader *reader, struct nx_slice *bytes)
{
	uint64_t len;

	if (!read_varint(reader, &len))
		return false;
	if (len > (size_t)(reader->end - reader->at))
		return fail(reader);
	*bytes = nx_slice_of(reader->at, (size_t)len);
	reader->at += len;
	return true;
}

static inline bool read_field(struct nx_wire_reader *reader, struct nx_wire_value *value)
{
	uint64_t tag;

	if (reader->failed || reader->at >= reader->end || !read_varint(reader, &tag))
		return false;
	if (tag >> 3 == 0 || tag >> 3 > MAX_FIELD_NUMBER)
		return fail(reader);
	value->number = (uint32_t)(tag >> 3);
	value->wire_type = tag & 7;
	switch (value->wire_type) {
	case VARINT:
		return read_varint(reader, &value->integer);
	case FIXED64:
		return read_fixed(reader, 8, &value->integer);
	case DELIMITED:
		return read_delimited(reader, &value->bytes);
	case FIXED32:
		return read_fixed(reader, 4, &value->integer);
	default:
		return fail(reader);
	}
}

bool nx_wire_next_any(struct nx_wire_reader *reader, struct nx_wire_value *value)
{
	*value = (struct nx_wire_value){0};
	return read_field(reader, value);
}

bool nx_wire_next_varint(struct nx_wire_reader *reader, uint64_t *value)
{
	if (reader->failed || reader->at >= reader->end)
		return false;
	return read_varint(reader, value);
}

/* --- lists ---------------------------------------------------------------- */

/* Any NX_WIRE_LIST; copied in and out because its pointer type differs from theirs. */
struct list {
	uint8_t *items;
	size_t count;
};

static inline struct list load_list(const void *at)
{
	struct list list;

	memcpy(&list, at, sizeof(list));
	return list;
}

static inline void store_list(void *at, struct list list)
{
	memcpy(at, &list, sizeof(list));
}

static size_t item_size(const struct nx_wire_field *field)
{
	switch (field->kind) {
	case NX_WIRE_BOOL:
		return sizeof(bool);
	case NX_WIRE_F32:
		return sizeof(float);
	case NX_WIRE_BYTES:
		return sizeof(struct nx_slice);
	case NX_WIRE_MESSAGE:
		return field->message->size;
	default:
		return sizeof(uint64_t);
	}
}

static inline bool is_packed(const struct nx_wire_field *field, const struct nx_wire_value *value)
{
	return field->repeated && value->wire_type == DELIMITED &&
	       wire_types[field->kind] != DELIMITED;
}

/* An upper bound: a damaged list may end before its last item. */
static size_t packed_count(const struct nx_wire_field *field, struct nx_slice bytes)
{
	size_t count = 0;

	if (field->kind == NX_WIRE_F32)
		return bytes.len / 4;
	if (field->kind == NX_WIRE_F64)
		return bytes.len / 8;
	for (size_t i = 0; i < bytes.len; i++)
		count += bytes.data[i] < 0x80;
	return count;
}

/* --- decoding --------------------------------------------------------------- */

struct decoder {
	struct nx_arena *arena;
	struct nx_wire_loss *loss;
	struct nx_error *err;
	uint64_t budget_bytes; /* that lists may still take */
	unsigned depth;
};

static inline const struct nx_wire_field *find_field(const struct nx_wire_message *message,
						     uint32_t number)
{
	/* Numbers without gaps, as nearly all messages have, need no search. */
	if (number <= message->field_count && message->fields[number - 1].number == number)
		return &message->fields[number - 1];
	for (size_t i = 0; i < message->field_count; i++)
		if (message->fields[i].number == number)
			return &message->fields[i];
	return NULL;
}

static void count_items(const struct nx_wire_message *message, struct nx_slice input, size_t *room)
{
	struct nx_wire_reader reader = nx_wire_reader_of(input);
	struct nx_wire_value value = {0};

	memset(room, 0, message->field_count * sizeof(*room));
	while (read_field(&reader, &value)) {
		const struct nx_wire_field *field = find_field(message, value.number);

		if (!field || !field->repeated)
			continue;
		if (is_packed(field, &value))
			room[field - message->fields] += packed_count(field, value.bytes);
		else if (value.wire_type == wire_types[field->kind])
			room[field - message->fields]++;
	}
}

static enum nx_status make_list(struct decoder *d, const struct nx_wire_field *field, size_t count,
				void *at)
{
	size_t size = item_size(field);
	/* Cannot overflow: every item took at least one byte of input. */
	uint64_t need = (uint64_t)count * size + ARENA_ALIGNMENT - 1;

	need -= need % ARENA_ALIGNMENT;
	if (need > d->budget_bytes)
		return nx_fail(d->err, NX_LIMIT,
			       "the list \"%s\" of %zu items would take far more memory than the "
			       "input can justify; the file is damaged or made to exhaust memory",
			       field->name, count);
	d->budget_bytes -= need;
	store_list(at, (struct list){nx_arena_zalloc(d->arena, count, size), 0});
	return NX_OK;
}

/* Sets room[i] to the number of items that list i has memory for. */
static enum nx_status make_lists(struct decoder *d, const struct nx_wire_message *message,
				 struct nx_slice input, uint8_t *out, size_t *room)
{
	bool has_lists = false;

	for (size_t i = 0; i < message->field_count; i++)
		has_lists |= message->fields[i].repeated;
	if (!has_lists)
		return NX_OK;
	count_items(message, input, room);
	for (size_t i = 0; i < message->field_count; i++) {
		const struct nx_wire_field *field = &message->fields[i];
		enum nx_status st = NX_OK;

		if (room[i])
			st = make_list(d, field, room[i], out + field->offset);
		if (st)
			return st;
	}
	return NX_OK;
}

/* NULL if the input changed since its items were counted. */
static inline void *next_item(const struct nx_wire_field *field, void *at, size_t *room)
{
	struct list list = load_list(at);

	if (*room == 0)
		return NULL;
	--*room;
	list.count++;
	store_list(at, list);
	return list.items + (list.count - 1) * item_size(field);
}

static inline void store_value(enum nx_wire_kind kind, const struct nx_wire_value *value, void *at)
{
	switch (kind) {
	case NX_WIRE_BOOL:
		*(bool *)at = value->integer != 0;
		break;
	case NX_WIRE_F32:
		nx_store32(at, (uint32_t)value->integer);
		break;
	case NX_WIRE_BYTES:
		*(struct nx_slice *)at = value->bytes;
		break;
	default:
		nx_store64(at, value->integer);
		break;
	}
}

static void decode_packed(struct decoder *d, const struct nx_wire_field *field,
			  struct nx_slice bytes, void *at, size_t *room)
{
	struct nx_wire_reader reader = nx_wire_reader_of(bytes);
	struct nx_wire_value value = {0};
	struct list list = load_list(at);
	size_t size = item_size(field);

	while (*room != 0 && reader.at < reader.end) {
		if (wire_types[field->kind] == VARINT ? !read_varint(&reader, &value.integer)
						      : !read_fixed(&reader, size, &value.integer))
			break;
		store_value(field->kind, &value, list.items + list.count++ * size);
		--*room;
	}
	if (list.count)
		store_list(at, list);
	if (reader.at < reader.end)
		d->loss->truncated_count++;
}

static enum nx_status decode_message(struct decoder *d, const struct nx_wire_message *message,
				     struct nx_slice input, uint8_t *out);

static enum nx_status decode_field(struct decoder *d, const struct nx_wire_field *field,
				   const struct nx_wire_value *value, uint8_t *out, size_t *room)
{
	void *at = out + field->offset;

	if (is_packed(field, value)) {
		decode_packed(d, field, value->bytes, at, room);
		return NX_OK;
	}
	if (value->wire_type != wire_types[field->kind]) {
		d->loss->wrong_type_count++;
		return NX_OK;
	}
	if (field->repeated)
		at = next_item(field, at, room);
	if (!at)
		return NX_OK;
	if (field->kind != NX_WIRE_MESSAGE) {
		store_value(field->kind, value, at);
		return NX_OK;
	}
	if (!field->repeated) {
		memset(at, 0, field->message->size);
		*(bool *)(out + field->presence_offset) = true;
	}
	return decode_message(d, field->message, value->bytes, at);
}

/* out is zeroed. */
static enum nx_status decode_message(struct decoder *d, const struct nx_wire_message *message,
				     struct nx_slice input, uint8_t *out)
{
	struct nx_wire_reader reader = nx_wire_reader_of(input);
	struct nx_wire_value value = {0};
	size_t room[NX_WIRE_MAX_FIELDS];
	enum nx_status st;

	assert(message->field_count <= NX_WIRE_MAX_FIELDS);
	if (d->depth == MAX_NESTING)
		return nx_fail(d->err, NX_FORMAT, "messages are nested deeper than %d levels",
			       MAX_NESTING);
	d->depth++;
	st = make_lists(d, message, input, out, room);
	while (!st && read_field(&reader, &value)) {
		const struct nx_wire_field *field = find_field(message, value.number);

		if (field) {
			st = decode_field(d, field, &value, out, &room[field - message->fields]);
		} else if (d->loss->unknown_field_count++ == 0) {
			d->loss->first_unknown_number = value.number;
			d->loss->first_unknown_message = message->name;
		}
	}
	if (reader.failed)
		d->loss->truncated_count++;
	d->depth--;
	return st;
}

enum nx_status nx_wire_decode(const struct nx_wire_message *message, struct nx_slice input,
			      void *out, struct nx_arena *arena, struct nx_wire_loss *loss,
			      struct nx_error *err)
{
	struct nx_wire_loss ignored = {0};
	struct decoder d = {
		.arena = arena,
		.loss = loss ? loss : &ignored,
		.err = err,
		.budget_bytes = BASE_BUDGET_BYTES + (uint64_t)input.len * BUDGET_PER_INPUT_BYTE,
	};
	struct nx_wire_reader probe = nx_wire_reader_of(input);
	struct nx_wire_value value;

	assert(arena);
	memset(out, 0, message->size);
	if (input.len && !read_field(&probe, &value))
		return nx_fail(err, NX_FORMAT,
			       "not one field of the message \"%s\" can be read: its %zu bytes are "
			       "damaged or something else",
			       message->name, input.len);
	return decode_message(&d, message, input, out);
}

/* --- encoding ----------------------------------------------------------------- */

static size_t write_varint(uint8_t *to, uint64_t value)
{
	size_t len = 0;

	while (value >= 0x80) {
		to[len++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	to[len++] = (uint8_t)value;
	return len;
}

void nx_wire_put_varint(struct nx_bytes *out, uint64_t value)
{
	uint8_t varint[MAX_VARINT_BYTES];

	nx_bytes_append(out, varint, write_varint(varint, value));
}

static void put_tag(struct nx_bytes *out, uint32_t number, enum wire_type type)
{
	assert(number && number <= MAX_FIELD_NUMBER);
	nx_wire_put_varint(out, (uint64_t)number << 3 | type);
}

void nx_wire_put_u64(struct nx_bytes *out, uint32_t number, uint64_t value)
{
	put_tag(out, number, VARINT);
	nx_wire_put_varint(out, value);
}

void nx_wire_put_bytes(struct nx_bytes *out, uint32_t number, struct nx_slice bytes)
{
	put_tag(out, number, DELIMITED);
	nx_wire_put_varint(out, bytes.len);
	if (bytes.len)
		nx_bytes_append(out, bytes.data, bytes.len);
}

/* Opens a length-delimited field and reserves one byte: most are shorter than 128 bytes. */
static size_t begin_body(struct nx_bytes *out, uint32_t number)
{
	put_tag(out, number, DELIMITED);
	nx_bytes_append_zeros(out, 1);
	return out->len;
}

static void end_body(struct nx_bytes *out, size_t start)
{
	uint8_t varint[MAX_VARINT_BYTES];
	size_t body_len = out->len - start;
	size_t varint_len = write_varint(varint, body_len);

	if (varint_len > 1) {
		nx_bytes_append_zeros(out, varint_len - 1);
		memmove(out->items + start + varint_len - 1, out->items + start, body_len);
	}
	memcpy(out->items + start - 1, varint, varint_len);
}

/* A scalar without its tag, as in a packed list. */
static void put_scalar(enum nx_wire_kind kind, const void *at, struct nx_bytes *out)
{
	switch (kind) {
	case NX_WIRE_BOOL:
		nx_wire_put_varint(out, *(const bool *)at);
		break;
	case NX_WIRE_F32:
		nx_bytes_append(out, at, sizeof(float));
		break;
	case NX_WIRE_F64:
		nx_bytes_append(out, at, sizeof(double));
		break;
	default:
		nx_wire_put_varint(out, nx_load64(at));
		break;
	}
}

/* By bits, so that a negative zero is kept. */
static bool is_zero(enum nx_wire_kind kind, const void *at)
{
	switch (kind) {
	case NX_WIRE_BOOL:
		return !*(const bool *)at;
	case NX_WIRE_F32:
		return nx_load32(at) == 0;
	case NX_WIRE_BYTES:
		return ((const struct nx_slice *)at)->len == 0;
	default:
		return nx_load64(at) == 0;
	}
}

/* One value with its tag, zero or not. */
static void encode_value(const struct nx_wire_field *field, const void *at, struct nx_bytes *out)
{
	if (field->kind == NX_WIRE_MESSAGE) {
		size_t start = begin_body(out, field->number);

		nx_wire_encode(field->message, at, out);
		end_body(out, start);
	} else if (field->kind == NX_WIRE_BYTES) {
		nx_wire_put_bytes(out, field->number, *(const struct nx_slice *)at);
	} else {
		put_tag(out, field->number, wire_types[field->kind]);
		put_scalar(field->kind, at, out);
	}
}

static void encode_list(const struct nx_wire_field *field, const void *at, struct nx_bytes *out)
{
	struct list list = load_list(at);
	bool packed = wire_types[field->kind] != DELIMITED;
	size_t start = 0;

	if (list.count == 0)
		return;
	if (packed)
		start = begin_body(out, field->number);
	for (size_t i = 0; i < list.count; i++) {
		const uint8_t *item = list.items + i * item_size(field);

		if (packed)
			put_scalar(field->kind, item, out);
		else
			encode_value(field, item, out);
	}
	if (packed)
		end_body(out, start);
}

void nx_wire_encode(const struct nx_wire_message *message, const void *in, struct nx_bytes *out)
{
	const uint8_t *bytes = in;

	assert(message->field_count <= NX_WIRE_MAX_FIELDS);
	for (size_t i = 0; i < message->field_count; i++) {
		const struct nx_wire_field *field = &message->fields[i];

		if (field->repeated)
			encode_list(field, bytes + field->offset, out);
		else if (field->kind == NX_WIRE_MESSAGE
				 ? bytes[field->presence_offset]
				 : !is_zero(field->kind, bytes + field->offset))
			encode_value(field, bytes + field->offset, out);
	}
}
