/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: protobuf, both directions, from one list per file format.
 *
 * A .def file lists the messages and their fields. Included once, it declares a plain struct per
 * message; included again, a table that says where each field lies. nx_wire_decode and
 * nx_wire_encode walk the same table, so adding a field is adding a line.
 *
 * Decoding borrows texts and bytes from the input and allocates lists in the arena. Unknown fields
 * and fields of the wrong wire type are skipped and counted in struct nx_wire_loss. A message that
 * ends in the middle of a field keeps what came before, and the loss counts it.
 *
 * For hot streams (millions of small messages) use struct nx_wire_reader and switch on the field
 * number by hand.
 */
#ifndef NX_FORMAT_WIRE_H
#define NX_FORMAT_WIRE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

enum nx_wire_kind {
	NX_WIRE_U64, /* also uint32 and enum; int32 and int64 as two's complement */
	NX_WIRE_I64,
	NX_WIRE_BOOL,
	NX_WIRE_F32,
	NX_WIRE_F64,
	NX_WIRE_BYTES, /* also string */
	NX_WIRE_MESSAGE,
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
	uint16_t offset;
	uint16_t presence_offset;	       /* of a single MESSAGE: of its bool */
	const struct nx_wire_message *message; /* of a MESSAGE */
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
 * point.def lists messages, the nested ones first, and ends with #undef of the three macros:
 *
 *	NX_MESSAGE(nx_point)
 *		NX_MEMBER(U64, 1, nx_point, x)
 *		NX_MEMBER(LIST, 2, nx_point, marks, nx_mark)
 *	NX_MESSAGE_END(nx_point, "point")
 *
 * point.h declares struct nx_point and nx_point_message:
 *
 *	#define NX_MESSAGE NX_WIRE_STRUCT
 *	#define NX_MEMBER NX_WIRE_MEMBER
 *	#define NX_MESSAGE_END NX_WIRE_STRUCT_END
 *	#include "point.def"
 *
 * and point.c defines nx_point_message in the same way with NX_WIRE_TABLE, NX_WIRE_ROW and
 * NX_WIRE_TABLE_END.
 */
#define NX_WIRE_STRUCT(type) struct type {
#define NX_WIRE_MEMBER(kind, ...) NX_MEMBER_##kind(__VA_ARGS__)
#define NX_WIRE_STRUCT_END(type, name)                                                             \
	}                                                                                          \
	;                                                                                          \
	extern const struct nx_wire_message type##_message;

#define NX_MEMBER_U64(number, type, member) uint64_t member;
#define NX_MEMBER_I64(number, type, member) int64_t member;
#define NX_MEMBER_BOOL(number, type, member) bool member;
#define NX_MEMBER_F32(number, type, member) float member;
#define NX_MEMBER_F64(number, type, member) double member;
#define NX_MEMBER_BYTES(number, type, member) struct nx_slice member;
#define NX_MEMBER_TEXT NX_MEMBER_BYTES
#define NX_MEMBER_MESSAGE(number, type, member, nested)                                            \
	struct nested member;                                                                      \
	bool has_##member;
#define NX_MEMBER_LIST(number, type, member, nested) NX_WIRE_LIST(struct nested) member;
#define NX_MEMBER_LIST_U64(number, type, member) NX_WIRE_LIST(uint64_t) member;
#define NX_MEMBER_LIST_TEXT(number, type, member) NX_WIRE_LIST(struct nx_slice) member;

#define NX_WIRE_TABLE(type) static const struct nx_wire_field type##_fields[] = {
#define NX_WIRE_ROW(kind, ...) NX_FIELD_##kind(__VA_ARGS__),
#define NX_WIRE_TABLE_END(type, name)                                                              \
	}                                                                                          \
	;                                                                                          \
	const struct nx_wire_message type##_message = NX_WIRE_MESSAGE_OF(type, name);

#define NX_FIELD_U64(number, type, member) NX_WIRE_LINE(number, type, member, NX_WIRE_U64)
#define NX_FIELD_I64(number, type, member) NX_WIRE_LINE(number, type, member, NX_WIRE_I64)
#define NX_FIELD_BOOL(number, type, member) NX_WIRE_LINE(number, type, member, NX_WIRE_BOOL)
#define NX_FIELD_F32(number, type, member) NX_WIRE_LINE(number, type, member, NX_WIRE_F32)
#define NX_FIELD_F64(number, type, member) NX_WIRE_LINE(number, type, member, NX_WIRE_F64)
#define NX_FIELD_BYTES(number, type, member) NX_WIRE_LINE(number, type, member, NX_WIRE_BYTES)
#define NX_FIELD_TEXT NX_FIELD_BYTES
#define NX_FIELD_MESSAGE(number, type, member, nested)                                             \
	NX_WIRE_LINE(number, type, member, NX_WIRE_MESSAGE, .message = &nested##_message,          \
		     .presence_offset = offsetof(struct type, has_##member))
#define NX_FIELD_LIST(number, type, member, nested)                                                \
	NX_WIRE_LINE(number, type, member, NX_WIRE_MESSAGE, .message = &nested##_message,          \
		     .repeated = true)
#define NX_FIELD_LIST_U64(number, type, member)                                                    \
	NX_WIRE_LINE(number, type, member, NX_WIRE_U64, .repeated = true)
#define NX_FIELD_LIST_TEXT(number, type, member)                                                   \
	NX_WIRE_LINE(number, type, member, NX_WIRE_BYTES, .repeated = true)

#define NX_WIRE_LINE(number_, type, member, kind_, ...)                                            \
	{                                                                                          \
		.name = #member, .number = (number_), .kind = (kind_),                             \
		.offset = offsetof(struct type, member), __VA_ARGS__                               \
	}
#define NX_WIRE_MESSAGE_OF(type, name_)                                                            \
	{                                                                                          \
		.name = (name_), .size = sizeof(struct type), .fields = type##_fields,             \
		.field_count = sizeof(type##_fields) / sizeof(type##_fields[0]),                   \
	}

/* What a decode could not use, with nested messages. */
struct nx_wire_loss {
	uint64_t unknown_field_count;
	uint64_t wrong_type_count;
	uint64_t truncated_count; /* messages cut short */
	uint32_t first_unknown_number;
	const char *first_unknown_message; /* name of the message it was in */
};

/*
 * Fills out (it need not be zeroed) and adds to loss, which may be NULL. If a single field occurs
 * twice, the last one counts.
 *
 * Fails with FORMAT if nothing at all can be read or nesting exceeds 64, and with LIMIT if the
 * lists would take more than 64 MiB plus 128 bytes per byte of input. Real files need up to 25.
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

bool nx_wire_next_any(struct nx_wire_reader *reader, struct nx_wire_value *value);

/* The next field; false at the end or if it failed. Most fields have a tag and a length, or a
 * number, of one byte each: those are read without a call. */
static inline bool nx_wire_next(struct nx_wire_reader *reader, struct nx_wire_value *value)
{
	const uint8_t *at = reader->at;
	uint8_t tag, next;

	if (reader->failed || reader->end - at < 2)
		return nx_wire_next_any(reader, value);
	tag = at[0];
	next = at[1];
	if ((tag | next) & 0x80 || tag < 8)
		return nx_wire_next_any(reader, value);
	if ((tag & 7) == 2 && next <= reader->end - at - 2) {
		*value = (struct nx_wire_value){
			.number = tag >> 3, .wire_type = 2, .bytes = nx_slice_of(at + 2, next)};
		reader->at = at + 2 + next;
		return true;
	}
	if ((tag & 7) != 0)
		return nx_wire_next_any(reader, value);
	*value = (struct nx_wire_value){.number = tag >> 3, .integer = next};
	reader->at = at + 2;
	return true;
}
/* One bare varint (packed lists); false at the end or if it failed. */
bool nx_wire_next_varint(struct nx_wire_reader *reader, uint64_t *value);

void nx_wire_put_varint(struct nx_bytes *out, uint64_t value);
void nx_wire_put_u64(struct nx_bytes *out, uint32_t number, uint64_t value); /* even if 0 */
void nx_wire_put_bytes(struct nx_bytes *out, uint32_t number, struct nx_slice bytes);

#endif
