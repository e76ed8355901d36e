/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/event_json.h"

#include "serve/reply.h"
#include "serve/row_json.h"
#include "serve/span_place.h"

static void put_text(struct nx_json_writer *w, const char *key, struct nx_slice text)
{
	nx_json_key(w, key);
	if (text.data)
		nx_json_slice(w, text);
	else
		nx_json_null(w);
}

static void put_place(struct nx_json_writer *w, const struct nx_timeline *timeline,
		      const char *table, const struct nx_event_row *event)
{
	struct nx_span_place place = {0};
	bool is_drawn = timeline &&
			nx_span_place_find(timeline, table, event->row, event->start_ns, &place);

	nx_span_place_json(w, is_drawn ? &place : NULL);
}

void nx_event_json_put(struct nx_json_writer *w, const struct nx_timeline *timeline,
		       const char *table, const struct nx_event_row *event)
{
	const struct nx_value pc = {.kind = event->has_pc ? NX_VALUE_I64 : NX_VALUE_NULL,
				    .i64 = event->pc};

	nx_json_key_text(w, "table", table);
	nx_json_key_u64_text(w, "row", event->row);
	put_place(w, timeline, table, event);
	nx_json_key_u64_text(w, "start_ns", event->start_ns);
	nx_json_key_u64_text(w, "end_ns", event->end_ns);
	put_text(w, "name", event->name);
	put_text(w, "engine", event->engine);
	nx_json_key(w, "pc");
	nx_row_json_value(w, &pc);
}
