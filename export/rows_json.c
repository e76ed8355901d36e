/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "base/number.h"
#include "export/row_sink.h"

static void put_items(struct nx_json_writer *w, const struct nx_value *value,
		      enum nx_json_reader_kind reader)
{
	bool is_struct = value->kind == NX_VALUE_STRUCT;

	assert(is_struct || value->kind == NX_VALUE_LIST);
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

struct json {
	struct nx_row_sink sink;
	struct nx_arena arena;
	const char **names;
	const struct nx_column *columns;
	size_t column_count;
	uint64_t row_count;
	bool is_array;
};

static void write_text(struct nx_output *out, const char *text)
{
	nx_output_write(out, text, strlen(text));
}

/* JSON readers keep one member of each name, so a second column needs another name. */
static void name_columns(struct json *json)
{
	struct nx_text_map taken = {0};
	uint64_t ignored;

	json->names = NX_NEW_ARRAY(&json->arena, const char *, json->column_count);
	for (size_t i = 0; i < json->column_count; i++) {
		const char *name = json->columns[i].name;

		for (size_t n = 1; nx_text_map_get(&taken, nx_slice_text(name), &ignored); n++)
			name = nx_arena_printf(&json->arena, "%s_%zu", json->columns[i].name, n);
		nx_text_map_put(&taken, nx_slice_text(name), i);
		json->names[i] = name;
	}
	nx_text_map_release(&taken);
}

static enum nx_status begin(struct nx_row_sink *sink, const struct nx_column *columns, size_t count,
			    struct nx_error *err)
{
	struct json *json = (struct json *)sink;

	(void)err;
	json->columns = columns;
	json->column_count = count;
	name_columns(json);
	if (json->is_array)
		write_text(sink->out, "[");
	return NX_OK;
}

static enum nx_status add(struct nx_row_sink *sink, const struct nx_value *row,
			  struct nx_error *err)
{
	struct json *json = (struct json *)sink;
	struct nx_json_writer w;

	(void)err;
	if (json->is_array)
		write_text(sink->out, json->row_count ? ",\n" : "\n");
	json->row_count++;
	nx_json_init_output(&w, sink->out, false);
	nx_json_begin_object(&w);
	for (size_t i = 0; i < json->column_count; i++) {
		nx_json_key(&w, json->names[i]);
		nx_value_json(&w, &row[i], NX_JSON_FOR_PROGRAMS);
	}
	nx_json_end_object(&w);
	if (!json->is_array)
		write_text(sink->out, "\n");
	return NX_OK;
}

static enum nx_status end(struct nx_row_sink *sink, uint64_t left_count, struct nx_error *err)
{
	struct json *json = (struct json *)sink;

	(void)left_count, (void)err;
	if (json->is_array)
		write_text(sink->out, json->row_count ? "\n]\n" : "]\n");
	return NX_OK;
}

static void json_close(struct nx_row_sink *sink)
{
	struct json *json = (struct json *)sink;

	nx_arena_release(&json->arena);
	nx_heap_free(json);
}

static struct nx_row_sink *open_json(struct nx_output *out, bool is_array)
{
	static const struct nx_row_sink_ops ops = {begin, add, NULL, end, json_close};
	struct json *json = nx_heap_alloc(sizeof(*json));

	*json = (struct json){.sink = {&ops, out}, .is_array = is_array};
	return &json->sink;
}

struct nx_row_sink *nx_rows_json_open(struct nx_output *out)
{
	return open_json(out, true);
}

struct nx_row_sink *nx_rows_jsonl_open(struct nx_output *out)
{
	return open_json(out, false);
}
