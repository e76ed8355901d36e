/* SPDX-License-Identifier: Apache-2.0 */
#include "export/source_report.h"

#include <string.h>

void nx_source_text_split(struct nx_source_text *lines, struct nx_slice text)
{
	while (text.len) {
		const uint8_t *end = memchr(text.data, '\n', text.len);
		size_t len = end ? (size_t)(end - text.data) : text.len;
		size_t shown = len && text.data[len - 1] == '\r' ? len - 1 : len;

		nx_vec_push(lines, nx_slice_of(text.data, shown));
		len += end ? 1 : 0;
		text = nx_slice_of(text.data + len, text.len - len);
	}
}

static void put_parts(struct nx_json_writer *w, const char *key, const char *name_key,
		      const struct nx_line_parts *parts)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
	for (size_t i = 0; i < parts->len; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, name_key, parts->items[i].name);
		nx_json_key_i64(w, "time_ps", parts->items[i].time_ps);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_line(struct nx_json_writer *w, const struct nx_line_cost *cost,
		     const struct nx_source_text *text)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "file", cost->file);
	nx_json_key_u64(w, "line", cost->line);
	if (text && cost->line && cost->line <= text->len) {
		nx_json_key(w, "source");
		nx_json_slice(w, text->items[cost->line - 1]);
	}
	nx_json_key_i64(w, "path_ps", cost->total_ps[NX_LINE_PATH]);
	put_parts(w, "path", "cause", &cost->parts[NX_LINE_PATH]);
	nx_json_key_i64(w, "stall_ps", cost->total_ps[NX_LINE_STALL]);
	put_parts(w, "stalls", "waits_for", &cost->parts[NX_LINE_STALL]);
	nx_json_key_i64(w, "busy_ps", cost->total_ps[NX_LINE_BUSY]);
	put_parts(w, "engines", "engine", &cost->parts[NX_LINE_BUSY]);
	nx_json_key_u64(w, "hbm_bytes", cost->hbm_bytes);
	nx_json_key_u64(w, "flops", cost->flops);
	nx_json_key_u64(w, "instructions", cost->instruction_count);
	nx_json_end_object(w);
}

void nx_source_costs_json(struct nx_json_writer *w, const struct nx_source_costs *costs,
			  const char *file, const struct nx_source_text *text)
{
	nx_json_key_i64(w, "span_ps", costs->span_ps);
	nx_json_key(w, "lines");
	nx_json_begin_array(w);
	for (size_t i = 0; i < costs->lines.len; i++)
		if (!file || !strcmp(costs->lines.items[i].file, file))
			put_line(w, &costs->lines.items[i], text);
	nx_json_end_array(w);
}
