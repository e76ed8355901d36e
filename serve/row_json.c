/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/row_json.h"

#include <assert.h>
#include <string.h>

#include "model/schema.h"
#include "serve/reply.h"

/* --- values --------------------------------------------------------------------------- */

void nx_row_json_value(struct nx_json_writer *w, const struct nx_value *value)
{
	nx_value_json(w, value, NX_JSON_FOR_SCRIPTS);
}

void nx_row_json_key(struct nx_json_writer *w, const char *key, const struct nx_value *value)
{
	nx_json_key(w, key);
	nx_row_json_value(w, value);
}

void nx_row_json_row(struct nx_json_writer *w, const struct nx_value *row, size_t column_count)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < column_count; i++)
		nx_row_json_value(w, &row[i]);
	nx_json_end_array(w);
}

/* --- columns -------------------------------------------------------------------------- */

void nx_table_column_put_meaning(struct nx_json_writer *w, const struct nx_stored_table *table,
				 size_t field)
{
	const struct nx_schema_table *s = nx_schema_find_table(nx_slice_text(table->name));
	const struct nx_schema_column *c =
		s ? nx_schema_find_column(s, nx_slice_text(table->fields[field].name)) : NULL;
	const char *description = c ? nx_schema_describe(c) : NULL;

	nx_json_key_text(w, "unit", c ? c->unit : "");
	nx_json_key_text(w, "description", description ? description : "");
}

static const char *type_word(const struct nx_parquet_field *f)
{
	if (f->is_list)
		return "list";
	switch (f->type) {
	case NX_PARQUET_BOOL:
		return "boolean";
	case NX_PARQUET_I32:
	case NX_PARQUET_I64:
		return "integer";
	case NX_PARQUET_F32:
	case NX_PARQUET_F64:
		return "number";
	case NX_PARQUET_TEXT:
		break;
	}
	return "string";
}

void nx_table_column_put(struct nx_json_writer *w, const struct nx_stored_table *table,
			 size_t field)
{
	assert(field < table->field_count);
	nx_json_begin_object(w);
	nx_json_key_text(w, "name", table->fields[field].name);
	nx_json_key_text(w, "type", type_word(&table->fields[field]));
	nx_table_column_put_meaning(w, table, field);
	nx_json_end_object(w);
}

/* A name, or how it begins or ends ("*_ts"); the first that fits is taken. */
static const struct {
	const char *pattern;
	const char *group;
} groups[] = {
	{"*_ts", "Timing"},
	{"*_ts_ns", "Timing"},
	{"timestamp", "Timing"},
	{"*_timestamp", "Timing"},
	{"duration*", "Timing"},
	{"*_time_ns", "Timing"},
	{"*_time", "Timing"},
	{"*_delay", "Timing"},

	{"nki_*", "Source"},
	{"bir_debug_info_*", "Source"},
	{"file_*", "Source"},
	{"line_number", "Source"},
	{"stack_frame*", "Source"},
	{"*_stack_frame_id", "Source"},
	{"*_source_location", "Source"},
	{"function_*", "Source"},

	{"kernel_*", "Kernel"},
	{"iteration_variable*", "Kernel"},
	{"modular_flow_*", "Kernel"},
	{"block_id", "Kernel"},

	{"hlo_*", "Model"},
	{"layer*", "Model"},
	{"framework_*", "Model"},
	{"*_framework_id", "Model"},
	{"*_hlo_id", "Model"},
	{"model_*", "Model"},
	{"network_*", "Model"},
	{"penguin_*", "Model"},
	{"tensor_name", "Model"},
	{"variable*", "Model"},

	{"*_bytes", "Memory"},
	{"*_size", "Memory"},
	{"size", "Memory"},
	{"*_address", "Memory"},
	{"*partition*", "Memory"},
	{"read_*", "Memory"},
	{"write_*", "Memory"},
	{"dram_*", "Memory"},
	{"hbm_*", "Memory"},
	{"sbuf_*", "Memory"},
	{"psum_*", "Memory"},
	{"*throughput", "Memory"},
	{"*bandwidth*", "Memory"},

	{"id", "Identity"},
	{"*_id", "Identity"},
	{"*_idx", "Identity"},
	{"pc", "Identity"},
	{"*_pc", "Identity"},
	{"engine", "Identity"},
	{"*_engine", "Identity"},
	{"timeline_track", "Identity"},
	{"queue_*", "Identity"},
	{"name", "Identity"},
	{"*_gid", "Identity"},
	{"trace_event_source", "Identity"},

	{"*opcode", "Operation"},
	{"*operands", "Operation"},
	{"op", "Operation"},
	{"op_*", "Operation"},
	{"operation", "Operation"},
	{"*flops*", "Operation"},
	{"*element*", "Operation"},
	{"dtype", "Operation"},
	{"*shape", "Operation"},
	{"algorithm", "Operation"},
	{"*semaphore*", "Operation"},
	{"*type", "Operation"},
	{"scalar_activation_fn", "Operation"},
};

static bool fits(const char *pattern, const char *name)
{
	size_t len = strlen(pattern), name_len = strlen(name);
	bool is_open_front = pattern[0] == '*', is_open_back = pattern[len - 1] == '*';
	size_t word_len = len - (size_t)is_open_front - (size_t)is_open_back;
	const char *word = pattern + is_open_front;

	if (name_len < word_len)
		return false;
	if (is_open_front && is_open_back)
		return memmem(name, name_len, word, word_len) != NULL;
	if (is_open_front)
		return !memcmp(name + name_len - word_len, word, word_len);
	return !memcmp(name, word, word_len) && (is_open_back || name_len == word_len);
}

const char *nx_field_group(const char *column)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (fits(groups[i].pattern, column))
			return groups[i].group;
	return "Details";
}

/* --- places and events ---------------------------------------------------------------- */

static bool is_in_depth(const struct nx_timeline *timeline, uint32_t track, uint32_t depth,
			uint64_t row, uint64_t start_ns)
{
	uint64_t idx = nx_timeline_next(timeline, track, depth, start_ns);
	struct nx_span span;

	for (; nx_timeline_span(timeline, track, depth, idx, &span) && span.start_ns == start_ns;
	     idx++)
		if (span.row == row)
			return true;
	return false;
}

static bool find_place(const struct nx_timeline *timeline, const char *table, uint64_t row,
		       uint64_t start_ns, uint32_t *id, uint32_t *depth)
{
	const struct nx_schema_table *schema = nx_schema_find_table(nx_slice_text(table));
	struct nx_track track;

	for (*id = 0; schema && nx_timeline_track(timeline, *id, &track); ++*id) {
		if (track.kind != NX_TRACK_SPANS ||
		    track.keys[0] != (uint64_t)(schema - nx_schema_tables))
			continue;
		for (*depth = 0; *depth < track.depth_count; ++*depth)
			if (is_in_depth(timeline, *id, *depth, row, start_ns))
				return true;
	}
	return false;
}

void nx_row_json_place(struct nx_json_writer *w, const struct nx_timeline *timeline,
		       const char *table, uint64_t row, uint64_t start_ns)
{
	uint32_t track = 0, depth = 0;
	bool is_drawn = timeline && find_place(timeline, table, row, start_ns, &track, &depth);

	nx_json_key_u64_or_null(w, "track", is_drawn, track);
	nx_json_key_u64(w, "depth", is_drawn ? depth : 0);
}

static struct nx_value text_value(struct nx_slice text)
{
	return (struct nx_value){.kind = text.data ? NX_VALUE_TEXT : NX_VALUE_NULL, .text = text};
}

void nx_row_json_event(struct nx_json_writer *w, const struct nx_timeline *timeline,
		       const char *table, const struct nx_event_row *event)
{
	const struct nx_value name = text_value(event->name), engine = text_value(event->engine);
	const struct nx_value pc = {.kind = event->has_pc ? NX_VALUE_I64 : NX_VALUE_NULL,
				    .i64 = event->pc};

	nx_json_key_text(w, "table", table);
	nx_json_key_u64_text(w, "row", event->row);
	nx_row_json_place(w, timeline, table, event->row, event->start_ns);
	nx_json_key_u64_text(w, "start_ns", event->start_ns);
	nx_json_key_u64_text(w, "end_ns", event->end_ns);
	nx_row_json_key(w, "name", &name);
	nx_row_json_key(w, "engine", &engine);
	nx_row_json_key(w, "pc", &pc);
}
