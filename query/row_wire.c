/* SPDX-License-Identifier: Apache-2.0 */
#include "query/row_wire.h"

#include "base/bare/bits.h"

/* --- writing -------------------------------------------------------------------------------- */

struct writer {
	struct nx_bytes *to;
	size_t end_max; /* of to->len */
	bool is_full;
};

static void put(struct writer *w, const void *data, size_t len)
{
	if (w->is_full || len > w->end_max - w->to->len)
		w->is_full = true;
	else
		nx_bytes_append(w->to, data, len);
}

static void put_count(struct writer *w, size_t count)
{
	uint8_t bytes[4];

	w->is_full |= count > UINT32_MAX;
	nx_store32(bytes, (uint32_t)count);
	put(w, bytes, sizeof(bytes));
}

static void put_text(struct writer *w, struct nx_slice text)
{
	put_count(w, text.len);
	put(w, text.data, text.len);
}

static void put_value(struct writer *w, const struct nx_value *value)
{
	uint8_t kind = (uint8_t)value->kind;

	put(w, &kind, 1);
	switch (value->kind) {
	case NX_VALUE_NULL:
		break;
	case NX_VALUE_BOOL:
		put(w, value->flag ? "\1" : "\0", 1);
		break;
	case NX_VALUE_I64:
	case NX_VALUE_U64:
	case NX_VALUE_F64:
		put(w, &value->u64, 8);
		break;
	case NX_VALUE_F32:
		put(w, &value->f32, 4);
		break;
	case NX_VALUE_DIGITS:
	case NX_VALUE_TEXT:
	case NX_VALUE_BYTES:
		put_text(w, value->text);
		break;
	case NX_VALUE_LIST:
	case NX_VALUE_STRUCT:
		put_count(w, value->list.count);
		for (size_t i = 0; i < value->list.count && !w->is_full; i++) {
			if (value->kind == NX_VALUE_STRUCT)
				put_text(w, value->list.names[i]);
			put_value(w, &value->list.items[i]);
		}
		break;
	}
}

void nx_row_wire_put_columns(struct nx_bytes *to, const struct nx_column *columns, size_t count)
{
	struct writer w = {.to = to, .end_max = SIZE_MAX};

	put_count(&w, count);
	for (size_t i = 0; i < count; i++) {
		uint8_t kind = (uint8_t)columns[i].kind;

		put(&w, &kind, 1);
		put_text(&w, nx_slice_text(columns[i].name));
	}
}

bool nx_row_wire_put_row(struct nx_bytes *to, const struct nx_value *row, size_t count,
			 size_t bytes_max)
{
	size_t begin = to->len;
	struct writer w = {.to = to, .end_max = begin + bytes_max};

	for (size_t i = 0; i < count && !w.is_full; i++)
		put_value(&w, &row[i]);
	if (w.is_full)
		to->len = begin;
	return !w.is_full;
}

/* --- reading -------------------------------------------------------------------------------- */

static bool get(struct nx_slice *from, void *to, size_t len)
{
	if (from->len < len)
		return false;
	memcpy(to, from->data, len);
	*from = nx_slice_part(*from, len, from->len - len);
	return true;
}

/* Every item takes at least item_bytes, so a count that cannot be true allocates nothing. */
static bool get_count(struct nx_slice *from, size_t item_bytes, size_t *count)
{
	uint32_t number;

	if (!get(from, &number, sizeof(number)) || number > from->len / item_bytes)
		return false;
	*count = number;
	return true;
}

static bool get_text(struct nx_slice *from, struct nx_slice *text)
{
	size_t len;

	if (!get_count(from, 1, &len))
		return false;
	*text = nx_slice_part(*from, 0, len);
	*from = nx_slice_part(*from, len, from->len - len);
	return true;
}

static bool get_value(struct nx_slice *from, struct nx_arena *arena, struct nx_value *value,
		      unsigned depth);

static bool get_items(struct nx_slice *from, struct nx_arena *arena, struct nx_value *value,
		      unsigned depth)
{
	bool is_struct = value->kind == NX_VALUE_STRUCT;
	struct nx_slice *names = NULL;
	struct nx_value *items;
	size_t count;

	if (depth == NX_VALUE_MAX_DEPTH || !get_count(from, is_struct ? 5 : 1, &count))
		return false;
	items = NX_NEW_ARRAY(arena, struct nx_value, count);
	if (is_struct)
		names = NX_NEW_ARRAY(arena, struct nx_slice, count);
	for (size_t i = 0; i < count; i++)
		if ((is_struct && !get_text(from, &names[i])) ||
		    !get_value(from, arena, &items[i], depth + 1))
			return false;
	value->list.items = items;
	value->list.names = names;
	value->list.count = count;
	return true;
}

static bool get_value(struct nx_slice *from, struct nx_arena *arena, struct nx_value *value,
		      unsigned depth)
{
	uint8_t kind, flag;

	*value = (struct nx_value){0};
	if (!get(from, &kind, 1))
		return false;
	switch (kind) {
	case NX_VALUE_NULL:
		return true;
	case NX_VALUE_BOOL:
		value->kind = NX_VALUE_BOOL;
		if (!get(from, &flag, 1))
			return false;
		value->flag = flag != 0;
		return true;
	case NX_VALUE_I64:
	case NX_VALUE_U64:
	case NX_VALUE_F64:
		value->kind = (enum nx_value_kind)kind;
		return get(from, &value->u64, 8);
	case NX_VALUE_F32:
		value->kind = NX_VALUE_F32;
		return get(from, &value->f32, 4);
	case NX_VALUE_DIGITS:
	case NX_VALUE_TEXT:
	case NX_VALUE_BYTES:
		value->kind = (enum nx_value_kind)kind;
		return get_text(from, &value->text);
	case NX_VALUE_LIST:
	case NX_VALUE_STRUCT:
		value->kind = (enum nx_value_kind)kind;
		return get_items(from, arena, value, depth);
	default:
		return false;
	}
}

enum nx_status nx_row_wire_get_columns(struct nx_slice *from, struct nx_arena *arena,
				       struct nx_column **columns, size_t *count)
{
	if (!get_count(from, 5, count))
		return NX_FORMAT;
	*columns = NX_NEW_ARRAY(arena, struct nx_column, *count);
	for (size_t i = 0; i < *count; i++) {
		struct nx_slice name;
		uint8_t kind;

		if (!get(from, &kind, 1) || kind > NX_VALUE_STRUCT || !get_text(from, &name))
			return NX_FORMAT;
		(*columns)[i] =
			(struct nx_column){nx_arena_copy(arena, name), (enum nx_value_kind)kind};
	}
	return NX_OK;
}

enum nx_status nx_row_wire_get_row(struct nx_slice *from, struct nx_arena *arena,
				   struct nx_value *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!get_value(from, arena, &row[i], 0))
			return NX_FORMAT;
	return NX_OK;
}
