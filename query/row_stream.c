/* SPDX-License-Identifier: Apache-2.0 */
#include "query/row_stream.h"

#include <assert.h>
#include <math.h>

#include "base/number.h"

bool nx_value_kind_is_number(enum nx_value_kind kind)
{
	return kind >= NX_VALUE_I64 && kind <= NX_VALUE_DIGITS;
}

static void append(struct nx_bytes *to, const char *text)
{
	nx_bytes_append(to, text, strlen(text));
}

/* nx_format_f64 is for JSON, which has no word for these. */
static void append_number(struct nx_bytes *to, double value, const char *text, size_t len)
{
	if (isnan(value))
		append(to, "nan");
	else if (isinf(value))
		append(to, value < 0 ? "-inf" : "inf");
	else
		nx_bytes_append(to, text, len);
}

static void append_bytes(struct nx_bytes *to, struct nx_slice bytes)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < bytes.len; i++) {
		uint8_t b = bytes.data[i];
		char escape[] = {'\\', 'x', digits[b >> 4], digits[b & 15]};

		if (b >= 0x20 && b < 0x7f && b != '\\')
			nx_bytes_append(to, &b, 1);
		else
			nx_bytes_append(to, escape, sizeof(escape));
	}
}

/* Inside a list a text needs quotes, or its commas would read as more items. */
static void append_item(const struct nx_value *item, struct nx_bytes *to)
{
	if (item->kind != NX_VALUE_TEXT) {
		nx_value_append_text(item, to);
		return;
	}
	append(to, "'");
	for (size_t i = 0; i < item->text.len; i++) {
		if (item->text.data[i] == '\'')
			append(to, "'");
		nx_bytes_append(to, &item->text.data[i], 1);
	}
	append(to, "'");
}

static void append_list(const struct nx_value *value, struct nx_bytes *to)
{
	bool is_struct = value->kind == NX_VALUE_STRUCT;

	assert(!is_struct || !value->list.count || value->list.names);
	append(to, is_struct ? "{" : "[");
	for (size_t i = 0; i < value->list.count; i++) {
		if (i)
			append(to, ", ");
		if (is_struct) {
			append_item(&(struct nx_value){.kind = NX_VALUE_TEXT,
						       .text = value->list.names[i]},
				    to);
			append(to, ": ");
		}
		append_item(&value->list.items[i], to);
	}
	append(to, is_struct ? "}" : "]");
}

void nx_value_append_text(const struct nx_value *value, struct nx_bytes *to)
{
	char number[NX_NUMBER_MAX];

	switch (value->kind) {
	case NX_VALUE_NULL:
		append(to, "NULL");
		break;
	case NX_VALUE_BOOL:
		append(to, value->flag ? "true" : "false");
		break;
	case NX_VALUE_I64:
		nx_bytes_append(to, number, nx_format_i64(number, value->i64));
		break;
	case NX_VALUE_U64:
		nx_bytes_append(to, number, nx_format_u64(number, value->u64));
		break;
	case NX_VALUE_F32:
		append_number(to, (double)value->f32, number, nx_format_f32(number, value->f32));
		break;
	case NX_VALUE_F64:
		append_number(to, value->f64, number, nx_format_f64(number, value->f64));
		break;
	case NX_VALUE_DIGITS:
	case NX_VALUE_TEXT:
		nx_bytes_append(to, value->text.data, value->text.len);
		break;
	case NX_VALUE_BYTES:
		append_bytes(to, value->text);
		break;
	case NX_VALUE_LIST:
	case NX_VALUE_STRUCT:
		append_list(value, to);
		break;
	}
}
