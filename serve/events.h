/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events: what visitors are told while they look: that the list of profiles changed, and
 * how far processing is. A connection is a stream that waits suspended; nobody waits in
 * a thread.
 *
 *	nx_events_listen(events, nx_stream_new(streams));
 *	nx_events_tell(events, "processing", json);
 *
 * Other processes change the workspace too, so one thread looks at it once a second as
 * long as somebody listens. Who cannot keep up, or went away, is dropped; a browser
 * connects again by itself and is told at once to ask for the list. Safe from any thread.
 */
#ifndef NX_SERVE_EVENTS_H
#define NX_SERVE_EVENTS_H

#include "serve/stream.h"
#include "store/workspace.h"

#define NX_EVENTS_LISTENERS_MAX 1000u

struct nx_events;

/* Fails when the system gives no thread. */
NX_MUST_CHECK enum nx_status nx_events_new(struct nx_events **events, struct nx_workspace *ws,
					   struct nx_error *err);
/* No visitor is told anything any more; NULL is allowed. */
void nx_events_free(struct nx_events *events);

/* Takes the stream; CANCELLED when too many listen. */
NX_MUST_CHECK enum nx_status nx_events_listen(struct nx_events *events, struct nx_stream *stream,
					      struct nx_error *err);
/* data is one line. */
void nx_events_tell(struct nx_events *events, const char *event, struct nx_slice data);
/* This server changed something: look now. */
void nx_events_look(struct nx_events *events);

#endif
