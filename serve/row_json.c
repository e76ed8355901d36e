/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/row_json.h"

#include "base/arena.h"
#include "base/number.h"

static void put_i64(struct nx_json_writer *w, int64_t value)
{
	char digits[NX_NUMBER_MAX];

	if (value >= -NX_JSON_SAFE_INTEGER && value <= NX_JSON_SAFE_INTEGER)
		nx_json_i64(w, value);
	else
		nx_json_slice(w, nx_slice_of(digits, nx_format_i64(digits, value)));
}

static void put_u64(struct nx_json_writer *w, uint64_t value)
{
	char digits[NX_NUMBER_MAX];

	if (value <= (uint64_t)NX_JSON_SAFE_INTEGER)
		nx_json_u64(w, value);
	else
		nx_json_slice(w, nx_slice_of(digits, nx_format_u64(digits, value)));
}

static void put_bytes(struct nx_json_writer *w, const struct nx_value *value)
{
	struct nx_bytes text = {0};

	nx_value_append_text(value, &text);
	nx_json_slice(w, nx_slice_of(text.items, text.len));
	nx_vec_release(&text);
}

/* A member's name ends where its slice does, which a key of the writer cannot say. */
static void put_struct(struct nx_json_writer *w, const struct nx_value *value)
{
	struct nx_arena arena = {0};

	nx_json_begin_object(w);
	for (size_t i = 0; i < value->list.count; i++) {
		nx_json_key(w, nx_arena_copy(&arena, value->list.names[i]));
		nx_row_json_value(w, &value->list.items[i]);
	}
	nx_json_end_object(w);
	nx_arena_release(&arena);
}

void nx_row_json_value(struct nx_json_writer *w, const struct nx_value *value)
{
	switch (value->kind) {
	case NX_VALUE_NULL:
		nx_json_null(w);
		break;
	case NX_VALUE_BOOL:
		nx_json_bool(w, value->flag);
		break;
	case NX_VALUE_I64:
		put_i64(w, value->i64);
		break;
	case NX_VALUE_U64:
		put_u64(w, value->u64);
		break;
	case NX_VALUE_F32:
		nx_json_f32(w, value->f32);
		break;
	case NX_VALUE_F64:
		nx_json_f64(w, value->f64);
		break;
	case NX_VALUE_DIGITS:
	case NX_VALUE_TEXT:
		nx_json_slice(w, value->text);
		break;
	case NX_VALUE_BYTES:
		put_bytes(w, value);
		break;
	case NX_VALUE_LIST:
		nx_row_json_row(w, value->list.items, value->list.count);
		break;
	case NX_VALUE_STRUCT:
		put_struct(w, value);
		break;
	}
}

void nx_row_json_row(struct nx_json_writer *w, const struct nx_value *row, size_t column_count)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < column_count; i++)
		nx_row_json_value(w, &row[i]);
	nx_json_end_array(w);
}
