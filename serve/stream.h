/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: an answer whose bytes come while it is being sent: a large CSV, or events.
 *
 * A slow handler begins one and writes until it is done:
 *
 *	stream = nx_request_begin_stream(request, reply, err);	the head is sent now
 *	while (!nx_stream_is_full(stream)) ...
 *		st = nx_stream_write(stream, data, len, err);
 *	nx_request_continue_slow(request, go_on);		called when it is read
 *
 * No thread waits for a reader: writing takes everything, and a handler whose stream is full
 * returns and is called again when most of it was sent. The stream ends when the handler returns
 * without a continuation; a failure then breaks the connection off,
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

/* A stream with this many unsent bytes is full. */
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

/* Never waits; CANCELLED if the reader disconnected. */
NX_MUST_CHECK enum nx_status nx_stream_write(struct nx_stream *stream, const void *data, size_t len,
					     struct nx_error *err);
/* False, and nothing is written, if the reader disconnected or is too slow. */
bool nx_stream_offer(struct nx_stream *stream, const void *data, size_t len);
/* Ends the stream; broken: the reader must notice that bytes are missing. */
void nx_stream_end(struct nx_stream *stream, bool is_broken);
bool nx_stream_is_gone(struct nx_stream *stream);
bool nx_stream_is_full(struct nx_stream *stream);
/* Calls fn once, when less than half of a full stream is unsent, or the reader is gone: now or
 * later, on any thread. */
void nx_stream_when_drained(struct nx_stream *stream, void (*fn)(void *context), void *context);

/* See above; from handlers on worker queues only, once. NULL with a sentence if this client or all
 * have too many unread ones. */
struct nx_stream *nx_request_begin_stream(struct nx_request *request, struct nx_reply *reply,
					  struct nx_error *err);

/* --- the frame's side ---------------------------------------------------------------- */

/* A reader of an answer has to take this many bytes a second, after the first minute. */
#define NX_STREAM_BYTES_PER_SECOND ((uint64_t)16 << 10)
#define NX_STREAM_PATIENCE_NS (UINT64_C(60) * 1000000000)
/* Unread answers of a client, and of all. */
#define NX_STREAMS_CLIENT_MAX 16
#define NX_STREAMS_MAX 64

/* An answer of that client, with a deadline; NULL if there are too many. */
struct nx_stream *nx_stream_new_answer(struct nx_streams *all, uint64_t client);

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
