/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: an answer whose bytes come while it is being sent: a large CSV, or events.
 *
 * A slow handler begins one and writes until it is done:
 *
 *	stream = nx_request_begin_stream(request, reply);	the head is sent now
 *	st = nx_stream_write(stream, data, len, err);		waits for slow readers
 *
 * The stream ends when the handler returns; a failure then breaks the connection off,
 * so that half an answer is never taken for a whole one. Do not touch the reply
 * after the stream has begun.
 *
 * A quick handler may also return one (reply->stream = nx_stream_new(...)) and keep a
 * reference elsewhere, for events: nx_stream_offer never waits.
 *
 * Writer and connection each hold a reference. Safe from any thread.
 */
#ifndef NX_SERVE_STREAM_H
#define NX_SERVE_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"

/* The most unsent bytes in memory for one slow reader. */
#define NX_STREAM_BYTES_MAX ((size_t)1 << 20)

struct MHD_Connection;
struct nx_streams; /* all of a server */
struct nx_stream;
struct nx_request;
struct nx_reply;

/* One reference, the caller's. */
struct nx_stream *nx_stream_new(struct nx_streams *all);
struct nx_stream *nx_stream_hold(struct nx_stream *stream);
void nx_stream_release(struct nx_stream *stream);

/* Waits while too much is unsent; CANCELLED if the reader disconnected. */
NX_MUST_CHECK enum nx_status nx_stream_write(struct nx_stream *stream, const void *data, size_t len,
					     struct nx_error *err);
/* False, and nothing is written, if the reader disconnected or is too slow. */
bool nx_stream_offer(struct nx_stream *stream, const void *data, size_t len);
/* Ends the stream; broken: the reader must notice that bytes are missing. */
void nx_stream_end(struct nx_stream *stream, bool is_broken);
bool nx_stream_is_gone(struct nx_stream *stream);

/* See above; from handlers on worker queues only, once. */
struct nx_stream *nx_request_begin_stream(struct nx_request *request, struct nx_reply *reply);

/* --- the frame's side ---------------------------------------------------------------- */

struct nx_streams *nx_streams_new(void);
/* Ends every stream and wakes its waiting writer. */
void nx_streams_stop(struct nx_streams *all);
void nx_streams_free(struct nx_streams *all);

/* The next bytes for the connection, 0 after suspending it, -1 at the end, -2 when broken. */
ssize_t nx_stream_read(struct nx_stream *stream, struct MHD_Connection *connection, char *to,
		       size_t room);
/* The connection is over. */
void nx_stream_leave(struct nx_stream *stream);

#endif
