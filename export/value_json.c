/* SPDX-License-Identifier: Apache-2.0 */
#include "export/value_json.h"

#include "base/number.h"

static void put_items(struct nx_json_writer *w, const struct nx_value *value,
		      enum nx_json_reader_kind reader)
{
	bool is_struct = value->kind == NX_VALUE_STRUCT;

	if (is_struct)
		nx_json_begin_object(w);
	else
		nx_json_begin_array(w);
	for (size_t i = 0; i < value->list.count; i++) {
		if (is_struct)
			nx_json_key_slice(w, value->list.names[i]);
		nx_value_json(w, &value->list.items[i], reader);
	}
	if (is_struct)
		nx_json_end_object(w);
	else
		nx_json_end_array(w);
}

void nx_value_json(struct nx_json_writer *w, const struct nx_value *value,
		   enum nx_json_reader_kind reader)
{
	char digits[NX_NUMBER_MAX];
	struct nx_bytes text = {0};

	switch (value->kind) {
	case NX_VALUE_NULL:
		nx_json_null(w);
		break;
	case NX_VALUE_BOOL:
		nx_json_bool(w, value->flag);
		break;
	case NX_VALUE_I64:
		if (reader == NX_JSON_FOR_PROGRAMS ||
		    (value->i64 >= -NX_JSON_SAFE_INTEGER && value->i64 <= NX_JSON_SAFE_INTEGER))
			nx_json_i64(w, value->i64);
		else
			nx_json_slice(w, nx_slice_of(digits, nx_format_i64(digits, value->i64)));
		break;
	case NX_VALUE_U64:
		if (reader == NX_JSON_FOR_PROGRAMS || value->u64 <= (uint64_t)NX_JSON_SAFE_INTEGER)
			nx_json_u64(w, value->u64);
		else
			nx_json_slice(w, nx_slice_of(digits, nx_format_u64(digits, value->u64)));
		break;
	case NX_VALUE_F32:
		nx_json_f32(w, value->f32);
		break;
	case NX_VALUE_F64:
		nx_json_f64(w, value->f64);
		break;
	case NX_VALUE_DIGITS:
		if (reader == NX_JSON_FOR_PROGRAMS)
			nx_json_digits(w, value->text);
		else
			nx_json_slice(w, value->text);
		break;
	case NX_VALUE_TEXT:
		nx_json_slice(w, value->text);
		break;
	case NX_VALUE_BYTES:
		nx_value_append_text(value, &text);
		nx_json_slice(w, nx_slice_of(text.items, text.len));
		nx_vec_release(&text);
		break;
	case NX_VALUE_LIST:
	case NX_VALUE_STRUCT:
		put_items(w, value, reader);
		break;
	}
}
