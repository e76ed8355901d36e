/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: protobuf, both directions, from one table per message.
 *
 * A message is a plain struct and a static table that says, for each field
 * number, what kind it is and where it lies in the struct. nx_wire_decode and
 * nx_wire_encode walk the same table, so reader and writer cannot disagree;
 * adding a field is adding a line.
 *
 * Decoding borrows texts and bytes from the input and allocates lists in the
 * arena. Fields it does not know, or that carry the wrong wire type, are
 * skipped and counted in struct nx_wire_loss, never an error. A message that
 * ends in the middle of a field keeps what came before, and the loss says so.
 *
 * For hot streams (millions of small messages) use struct nx_wire_reader and
 * switch on the field number by hand.
 */
#ifndef NX_FORMAT_WIRE_H
#define NX_FORMAT_WIRE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

enum nx_wire_kind {
	NX_WIRE_U64,	 /* uint64_t: uint32, uint64, enum, int32/int64 as two's complement */
	NX_WIRE_I64,	 /* int64_t */
	NX_WIRE_BOOL,	 /* bool */
	NX_WIRE_F32,	 /* float */
	NX_WIRE_F64,	 /* double */
	NX_WIRE_BYTES,	 /* struct nx_slice: string or bytes */
	NX_WIRE_MESSAGE, /* embedded struct with a bool has_<field> before it, see below */
};

/* A repeated field: items lie in the arena. */
#define NX_WIRE_LIST(type)                                                                         \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count;                                                                      \
	}

struct nx_wire_message;

struct nx_wire_field {
	const char *name;
	uint32_t number;
	enum nx_wire_kind kind;
	bool repeated; /* the struct member is an NX_WIRE_LIST; scalars are packed when written */
	bool is_text;  /* BYTES that hold text (for printing) */
	uint16_t offset;
	const struct nx_wire_message *message; /* of MESSAGE fields */
	int presence_offset; /* of a single MESSAGE: offset of its bool; -1 = none */
};

/* At most this many fields in one message. */
#define NX_WIRE_MAX_FIELDS 64

struct nx_wire_message {
	const char *name;
	size_t size;			    /* of the struct */
	const struct nx_wire_field *fields; /* ascending numbers */
	size_t field_count;
};

/*
 * One table line per field:
 *
 *	static const struct nx_wire_field nx_point_fields[] = {
 *		NX_FIELD_U64(1, nx_point, x),
 *		NX_FIELD_LIST(2, nx_point, marks, nx_mark),
 *	};
 *	const struct nx_wire_message nx_point_message = NX_WIRE_MESSAGE_OF(nx_point, "point");
 *
 * A line whose kind does not fit the type of the member does not compile. The
 * message of struct nx_mark must be called nx_mark_message.
 */
#define NX_FIELD_U64(number, type, member)                                                         \
	NX_WIRE_LINE(number, type, member, NX_WIRE_U64, member, uint64_t)
#define NX_FIELD_I64(number, type, member)                                                         \
	NX_WIRE_LINE(number, type, member, NX_WIRE_I64, member, int64_t)
#define NX_FIELD_BOOL(number, type, member)                                                        \
	NX_WIRE_LINE(number, type, member, NX_WIRE_BOOL, member, bool)
#define NX_FIELD_F32(number, type, member)                                                         \
	NX_WIRE_LINE(number, type, member, NX_WIRE_F32, member, float)
#define NX_FIELD_F64(number, type, member)                                                         \
	NX_WIRE_LINE(number, type, member, NX_WIRE_F64, member, double)
#define NX_FIELD_BYTES(number, type, member)                                                       \
	NX_WIRE_LINE(number, type, member, NX_WIRE_BYTES, member, struct nx_slice)
#define NX_FIELD_TEXT(number, type, member)                                                        \
	NX_WIRE_LINE(number, type, member, NX_WIRE_BYTES, member, struct nx_slice, .is_text = true)
#define NX_FIELD_MESSAGE(number, type, member, nested)                                             \
	NX_WIRE_LINE(number, type, member, NX_WIRE_MESSAGE, member, struct nested,                 \
		     .message = &nested##_message,                                                 \
		     .presence_offset = offsetof(struct type, has_##member))
#define NX_FIELD_LIST(number, type, member, nested)                                                \
	NX_WIRE_LINE(number, type, member, NX_WIRE_MESSAGE, member.items[0], struct nested,        \
		     .message = &nested##_message, .presence_offset = -1, .repeated = true)
#define NX_FIELD_LIST_U64(number, type, member)                                                    \
	NX_WIRE_LINE(number, type, member, NX_WIRE_U64, member.items[0], uint64_t, .repeated = true)
#define NX_FIELD_LIST_TEXT(number, type, member)                                                   \
	NX_WIRE_LINE(number, type, member, NX_WIRE_BYTES, member.items[0], struct nx_slice,        \
		     .repeated = true, .is_text = true)

#define NX_WIRE_LINE(number_, type, member, kind_, value, want, ...)                               \
	{                                                                                          \
		.name = #member, .number = (number_), .kind = (kind_),                             \
		.offset = offsetof(struct type, member) +                                          \
			  NX_WIRE_CHECK_TYPE(((struct type *)0)->value, want),                     \
		__VA_ARGS__                                                                        \
	}
/* Zero; an array of negative size, hence an error, when the value is of another type. */
#define NX_WIRE_CHECK_TYPE(value, want)                                                            \
	(sizeof(char[1 - 2 * !_Generic((value), want : 1, default : 0)]) - 1)
#define NX_WIRE_MESSAGE_OF(type, name_)                                                            \
	{                                                                                          \
		.name = (name_), .size = sizeof(struct type), .fields = type##_fields,             \
		.field_count = sizeof(type##_fields) / sizeof(type##_fields[0]),                   \
	}

/* What a decode could not use. Sums over nested messages. */
struct nx_wire_loss {
	uint64_t unknown_field_count;
	uint64_t wrong_type_count;
	uint64_t truncated_count; /* messages cut short */
	uint32_t first_unknown_number;
	const char *first_unknown_message; /* name of the message it was in */
};

/*
 * Fills out (it need not be zeroed) and adds to loss, which may be NULL. Of a
 * single field that occurs twice the last one counts, also for messages.
 *
 * Fails with FORMAT only when nothing at all can be read or nesting exceeds 64,
 * and with LIMIT when the lists would take more than 64 MiB plus 128 bytes per
 * byte of input: real files need up to 25, but a hostile list of empty messages
 * spends only two bytes of input on each of its structs.
 */
NX_MUST_CHECK enum nx_status nx_wire_decode(const struct nx_wire_message *message,
					    struct nx_slice input, void *out,
					    struct nx_arena *arena, struct nx_wire_loss *loss,
					    struct nx_error *err);

/* Appends the message, fields in ascending number order, zero values omitted (proto3). */
void nx_wire_encode(const struct nx_wire_message *message, const void *in, struct nx_bytes *out);

/* --- by hand ------------------------------------------------------------ */

struct nx_wire_reader {
	const uint8_t *at;
	const uint8_t *end;
	bool failed; /* truncated or impossible: stop */
};

struct nx_wire_value {
	uint32_t number;
	uint8_t wire_type; /* 0 varint, 1 fixed64, 2 bytes, 5 fixed32 */
	uint64_t integer;  /* varint or fixed */
	struct nx_slice bytes;
};

static inline struct nx_wire_reader nx_wire_reader_of(struct nx_slice input)
{
	const uint8_t *end = input.len ? input.data + input.len : input.data;

	return (struct nx_wire_reader){input.data, end, false};
}

/* The next field; false at the end or when failed. */
bool nx_wire_next(struct nx_wire_reader *reader, struct nx_wire_value *value);
/* One bare varint (packed lists); false at the end or when failed. */
bool nx_wire_next_varint(struct nx_wire_reader *reader, uint64_t *value);

void nx_wire_put_varint(struct nx_bytes *out, uint64_t value);
void nx_wire_put_u64(struct nx_bytes *out, uint32_t number, uint64_t value); /* even if 0 */
void nx_wire_put_bytes(struct nx_bytes *out, uint32_t number, struct nx_slice bytes);

#endif
