/* SPDX-License-Identifier: Apache-2.0 */
/* event_json: an event as the API writes it, with its place on the timeline (docs/api.md, E). */
#ifndef NX_SERVE_EVENT_JSON_H
#define NX_SERVE_EVENT_JSON_H

#include "base/json_writer.h"
#include "query/event_sql.h"
#include "store/timeline/timeline.h"

/* The members of an open object; timeline may be NULL. kind and gap are the caller's to add. */
void nx_event_json_put(struct nx_json_writer *w, const struct nx_timeline *timeline,
		       const char *table, const struct nx_event_row *event);

#endif
