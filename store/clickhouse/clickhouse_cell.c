/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_cell.h"

#include <stdlib.h>

/* Longer than any number that a server prints, with leading zeros. */
#define NUMBER_MAX 400

/* The inside of "name(inside)"; false when type is something else. */
static bool unwrap(struct nx_slice *type, const char *name)
{
	size_t len = strlen(name);

	if (!nx_slice_starts(*type, name) || type->len < len + 2 || type->data[len] != '(' ||
	    type->data[type->len - 1] != ')')
		return false;
	*type = nx_slice_of(type->data + len + 1, type->len - len - 2);
	return true;
}

static bool is_integer(struct nx_slice type)
{
	static const char *const names[] = {"Int8",  "Int16",  "Int32",	 "Int64",
					    "UInt8", "UInt16", "UInt32", "UInt64"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (nx_slice_is(type, names[i]))
			return true;
	return false;
}

static enum nx_cell_kind scalar_kind(struct nx_slice type)
{
	while (unwrap(&type, "Nullable") || unwrap(&type, "LowCardinality"))
		;
	if (is_integer(type))
		return NX_CELL_I64;
	if (nx_slice_starts(type, "Float") || nx_slice_starts(type, "BFloat") ||
	    nx_slice_starts(type, "Decimal"))
		return NX_CELL_F64;
	return nx_slice_is(type, "Bool") ? NX_CELL_BOOL : NX_CELL_TEXT;
}

bool nx_clickhouse_type_kind(struct nx_slice type, enum nx_cell_kind *kind)
{
	if (!unwrap(&type, "Array")) {
		*kind = scalar_kind(type);
		return true;
	}
	*kind = scalar_kind(type) == NX_CELL_I64 ? NX_CELL_LIST_I64 : NX_CELL_LIST_TEXT;
	return !nx_slice_starts(type, "Array(") && !nx_slice_starts(type, "Tuple(") &&
	       !nx_slice_starts(type, "Map(") && !nx_slice_starts(type, "Nested(");
}

bool nx_clickhouse_read_i64(struct nx_slice raw, int64_t *value)
{
	bool is_negative = raw.len && raw.data[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + is_negative;
	uint64_t size;

	if (!nx_slice_to_u64(nx_slice_part(raw, is_negative, SIZE_MAX), &size) || size > limit)
		return false;
	*value = is_negative ? (int64_t)(0 - size) : (int64_t)size;
	return true;
}

bool nx_clickhouse_read_f64(struct nx_slice raw, double *value)
{
	char text[NUMBER_MAX];
	char *end;

	if (!raw.len || raw.len >= sizeof(text))
		return false;
	memcpy(text, raw.data, raw.len);
	text[raw.len] = '\0';
	*value = strtod(text, &end);
	return end == text + raw.len;
}

static uint8_t meaning_of(uint8_t escaped)
{
	switch (escaped) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case '0':
		return '\0';
	default:
		return escaped;
	}
}

struct nx_slice nx_clickhouse_unescape(struct nx_bytes *texts, struct nx_slice raw)
{
	size_t start = texts->len;

	if (!raw.len || !memchr(raw.data, '\\', raw.len))
		return raw;
	for (size_t i = 0; i < raw.len; i++) {
		bool is_escape = raw.data[i] == '\\' && i + 1 < raw.len;

		i += is_escape;
		nx_vec_push(texts, is_escape ? meaning_of(raw.data[i]) : raw.data[i]);
	}
	return nx_slice_of(texts->items + start, texts->len - start);
}

bool nx_clickhouse_open_list(struct nx_slice raw, struct nx_slice *list)
{
	if (raw.len < 2 || raw.data[0] != '[' || raw.data[raw.len - 1] != ']')
		return false;
	*list = nx_slice_of(raw.data + 1, raw.len - 2);
	return true;
}

/* Moves the list past an item of len bytes; a comma must follow it unless it is the last. */
static bool step_over(struct nx_slice *list, size_t len)
{
	if (len == list->len) {
		list->len = 0;
		return true;
	}
	if (list->data[len] != ',' || len + 1 == list->len)
		return false;
	*list = nx_slice_of(list->data + len + 1, list->len - len - 1);
	return true;
}

static struct nx_slice bare_item(struct nx_slice list)
{
	const uint8_t *comma = memchr(list.data, ',', list.len);

	return nx_slice_of(list.data, comma ? (size_t)(comma - list.data) : list.len);
}

bool nx_clickhouse_next_number(struct nx_slice *list, int64_t *value)
{
	struct nx_slice item = bare_item(*list);

	return nx_clickhouse_read_i64(item, value) && step_over(list, item.len);
}

bool nx_clickhouse_next_item(struct nx_slice *list, struct nx_bytes *texts, struct nx_slice *item)
{
	size_t end = 1;

	if (list->data[0] != '\'') {
		*item = bare_item(*list);
		return item->len && step_over(list, item->len);
	}
	while (end < list->len && list->data[end] != '\'')
		end += list->data[end] == '\\' ? 2 : 1;
	if (end >= list->len)
		return false;
	*item = nx_clickhouse_unescape(texts, nx_slice_of(list->data + 1, end - 1));
	return step_over(list, end + 1);
}
