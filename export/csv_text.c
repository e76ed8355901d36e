/* SPDX-License-Identifier: Apache-2.0 */
#include "export/csv_text.h"

static bool needs_quotes(struct nx_slice field)
{
	for (size_t i = 0; i < field.len; i++)
		if (strchr("\",\r\n", field.data[i]))
			return true;
	return !field.len || field.data[0] == ' ' || field.data[field.len - 1] == ' ';
}

static void append_field(struct nx_bytes *to, struct nx_slice field)
{
	if (!needs_quotes(field)) {
		nx_bytes_append(to, field.data, field.len);
		return;
	}
	nx_bytes_append(to, "\"", 1);
	while (field.len) {
		const uint8_t *quote = memchr(field.data, '"', field.len);
		size_t len = quote ? (size_t)(quote - field.data) + 1 : field.len;

		nx_bytes_append(to, field.data, len);
		if (quote)
			nx_bytes_append(to, "\"", 1);
		field = nx_slice_part(field, len, field.len);
	}
	nx_bytes_append(to, "\"", 1);
}

void nx_csv_append_header(struct nx_bytes *to, const struct nx_column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		nx_bytes_append(to, ",", i ? 1 : 0);
		append_field(to, nx_slice_text(columns[i].name));
	}
	nx_bytes_append(to, "\n", 1);
}

/* Lists and structs have a text that may need quotes, which numbers never do. */
static void append_value(struct nx_bytes *to, const struct nx_value *value)
{
	struct nx_bytes text = {0};

	if (value->kind == NX_VALUE_NULL)
		return;
	if (value->kind == NX_VALUE_TEXT) {
		append_field(to, value->text);
		return;
	}
	if (nx_value_kind_is_number(value->kind)) {
		nx_value_append_text(value, to);
		return;
	}
	nx_value_append_text(value, &text);
	append_field(to, nx_slice_of(text.items, text.len));
	nx_vec_release(&text);
}

void nx_csv_append_row(struct nx_bytes *to, const struct nx_value *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		nx_bytes_append(to, ",", i ? 1 : 0);
		append_value(to, &row[i]);
	}
	nx_bytes_append(to, "\n", 1);
}
