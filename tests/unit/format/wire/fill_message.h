/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fill_message: sets every field of any message to a value of its own, and
 * checks encoded bytes against that, both by walking the table. Values are
 * 1, 2, 3... in table order, so two lines that share an offset, or a member
 * that is missing on one side, cannot go unnoticed. Lists get two items.
 */
#ifndef NX_TEST_FILL_MESSAGE_H
#define NX_TEST_FILL_MESSAGE_H

#include "base/bare/bits.h"
#include "format/wire.h"

#define FILL_LIST_COUNT 2

struct fill {
	struct nx_arena *arena;
	uint64_t next;
	uint64_t field_count; /* values seen by check_message */
};

static void fill_message(struct fill *fill, const struct nx_wire_message *message, void *out);

static size_t fill_item_size(const struct nx_wire_field *field)
{
	static const size_t sizes[] = {
		[NX_WIRE_U64] = 8, [NX_WIRE_I64] = 8, [NX_WIRE_BOOL] = sizeof(bool),
		[NX_WIRE_F32] = 4, [NX_WIRE_F64] = 8, [NX_WIRE_BYTES] = sizeof(struct nx_slice),
	};

	return field->kind == NX_WIRE_MESSAGE ? field->message->size : sizes[field->kind];
}

static void fill_value(struct fill *fill, const struct nx_wire_field *field, void *at)
{
	uint64_t value;
	double real;
	float real32;

	if (field->kind == NX_WIRE_MESSAGE) {
		fill_message(fill, field->message, at);
		return;
	}
	value = fill->next++;
	real = (double)value;
	real32 = (float)value;
	if (field->kind == NX_WIRE_BOOL)
		*(bool *)at = true;
	else if (field->kind == NX_WIRE_F32)
		memcpy(at, &real32, sizeof(real32));
	else if (field->kind == NX_WIRE_F64)
		memcpy(at, &real, sizeof(real));
	else if (field->kind == NX_WIRE_BYTES)
		*(struct nx_slice *)at = nx_slice_text(
			nx_arena_printf(fill->arena, "%llu", (unsigned long long)value));
	else
		nx_store64(at, field->kind == NX_WIRE_I64 ? (uint64_t) - (int64_t)value : value);
}

static void fill_list(struct fill *fill, const struct nx_wire_field *field, void *at)
{
	size_t size = fill_item_size(field);
	struct {
		uint8_t *items;
		size_t count;
	} list = {nx_arena_zalloc(fill->arena, FILL_LIST_COUNT, size), FILL_LIST_COUNT};

	for (size_t i = 0; i < list.count; i++)
		fill_value(fill, field, list.items + i * size);
	memcpy(at, &list, sizeof(list));
}

static void fill_message(struct fill *fill, const struct nx_wire_message *message, void *out)
{
	for (size_t i = 0; i < message->field_count; i++) {
		const struct nx_wire_field *field = &message->fields[i];
		uint8_t *at = (uint8_t *)out + field->offset;

		if (field->repeated)
			fill_list(fill, field, at);
		else
			fill_value(fill, field, at);
		if (field->kind == NX_WIRE_MESSAGE && !field->repeated)
			*((bool *)out + field->presence_offset) = true;
	}
}

static void check_message(struct fill *fill, const struct nx_wire_message *message,
			  struct nx_slice bytes);

static void check_value(struct fill *fill, const struct nx_wire_field *field,
			const struct nx_wire_value *value)
{
	uint64_t want = fill->next++;
	double real = (double)want;
	float real32 = (float)want;
	char text[32];

	fill->field_count++;
	if (field->kind == NX_WIRE_BYTES) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)want);
		assert_true(nx_slice_is(value->bytes, text));
	} else if (field->kind == NX_WIRE_F64) {
		assert_memory_equal(&value->integer, &real, sizeof(real));
	} else if (field->kind == NX_WIRE_F32) {
		assert_memory_equal(&value->integer, &real32, sizeof(real32));
	} else if (field->kind == NX_WIRE_BOOL) {
		assert_int_equal(value->integer, 1);
	} else if (field->kind == NX_WIRE_I64) {
		assert_int_equal((int64_t)value->integer, -(int64_t)want);
	} else {
		assert_int_equal(value->integer, want);
	}
}

/* Only varint lists occur packed in real messages. */
static void check_packed(struct fill *fill, const struct nx_wire_field *field,
			 struct nx_slice bytes)
{
	struct nx_wire_reader reader = nx_wire_reader_of(bytes);
	struct nx_wire_value value = {0};

	for (size_t i = 0; i < FILL_LIST_COUNT; i++) {
		assert_true(nx_wire_next_varint(&reader, &value.integer));
		check_value(fill, field, &value);
	}
	assert_ptr_equal(reader.at, reader.end);
}

static void check_field(struct fill *fill, const struct nx_wire_field *field,
			const struct nx_wire_value *value)
{
	assert_int_equal(value->number, field->number);
	if (field->kind == NX_WIRE_MESSAGE)
		check_message(fill, field->message, value->bytes);
	else if (field->repeated && field->kind != NX_WIRE_BYTES)
		check_packed(fill, field, value->bytes);
	else
		check_value(fill, field, value);
}

static void check_message(struct fill *fill, const struct nx_wire_message *message,
			  struct nx_slice bytes)
{
	struct nx_wire_reader reader = nx_wire_reader_of(bytes);
	struct nx_wire_value value;

	for (size_t i = 0; i < message->field_count; i++) {
		const struct nx_wire_field *field = &message->fields[i];
		bool packed = field->kind != NX_WIRE_BYTES && field->kind != NX_WIRE_MESSAGE;
		size_t times = field->repeated && !packed ? FILL_LIST_COUNT : 1;

		while (times-- > 0) {
			assert_true(nx_wire_next(&reader, &value));
			check_field(fill, field, &value);
		}
	}
	assert_false(nx_wire_next(&reader, &value));
	assert_false(reader.failed);
}

/* Fill, encode, check; decode that, encode again: the same bytes. Returns the number of values. */
static uint64_t check_round_trip(const struct nx_wire_message *message)
{
	struct nx_arena arena = {0};
	struct fill fill = {&arena, 1, 0}, check = {&arena, 1, 0};
	struct nx_bytes first = {0}, second = {0};
	struct nx_wire_loss loss = {0};
	void *in = nx_arena_zalloc(&arena, 1, message->size);
	void *out = nx_arena_zalloc(&arena, 1, message->size);

	fill_message(&fill, message, in);
	nx_wire_encode(message, in, &first);
	check_message(&check, message, nx_slice_of(first.items, first.len));
	assert_int_equal(check.next, fill.next);
	assert_int_equal(nx_wire_decode(message, nx_slice_of(first.items, first.len), out, &arena,
					&loss, NULL),
			 NX_OK);
	assert_int_equal(loss.unknown_field_count + loss.wrong_type_count + loss.truncated_count,
			 0);
	nx_wire_encode(message, out, &second);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.items, second.items, first.len);
	nx_vec_release(&first);
	nx_vec_release(&second);
	nx_arena_release(&arena);
	return check.field_count;
}

#endif
