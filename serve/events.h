/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events: server-sent events: the list of profiles changed, or processing advanced. A connection
 * is a suspended stream; no thread waits for it.
 *
 *	nx_events_listen(events, nx_stream_new(streams));
 *	nx_events_tell(events, "processing", json);
 *
 * Other processes change the workspace too, so it is compared with its last state once a second
 * while there are listeners. A listener that cannot keep up, or went away, is dropped; a browser
 * reconnects by itself and its first event makes it fetch the list again. Safe from any thread.
 */
#ifndef NX_SERVE_EVENTS_H
#define NX_SERVE_EVENTS_H

#include "base/timer.h"
#include "base/workers.h"
#include "serve/stream.h"
#include "store/workspace.h"

#define NX_EVENTS_LISTENERS_MAX 1000u

struct nx_events;

/* The timer and the workers outlive it. */
struct nx_events *nx_events_new(struct nx_workspace *ws, struct nx_timer *timer,
				struct nx_workers *workers);
/* Drops all listeners; NULL is allowed. */
void nx_events_free(struct nx_events *events);

/* Takes the stream; CANCELLED if there are too many listeners. */
NX_MUST_CHECK enum nx_status nx_events_listen(struct nx_events *events, struct nx_stream *stream,
					      struct nx_error *err);
/* data is one line. */
void nx_events_tell(struct nx_events *events, const char *event, struct nx_slice data);
/* This server changed the workspace: compare it now. */
void nx_events_look(struct nx_events *events);

#endif
