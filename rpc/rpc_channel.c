/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/rpc_channel.h"

#include <assert.h>
#include <inttypes.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/progress.h"
#include "base/vec.h"

/* What a server may send ahead of what was taken. Takers write to a disk, so more helps little. */
#define WINDOW_BYTES (4 << 20)
#define NS_PER_MS UINT64_C(1000000)

struct call {
	struct call *next;
	uint64_t id;
	int32_t stream;
	uint64_t deadline_ns; /* monotonic */
	uint64_t timeout_ms;
	uint64_t limit_bytes;
	nx_rpc_take_fn take;
	nx_rpc_metadata_fn metadata;
	nx_rpc_done_fn done;
	void *context;
	struct nx_bytes request; /* with its prefix */
	size_t sent;
	/* --- the answer --- */
	unsigned http_status;
	bool is_grpc; /* content-type */
	bool has_status;
	bool has_prefix;
	uint8_t prefix[NX_GRPC_PREFIX_BYTES];
	size_t prefix_len;
	uint32_t message_len;
	struct nx_rpc_result answer;
};

struct nx_rpc_channel {
	nghttp2_session *session;
	char address[300];
	struct call *running, *ended;
	size_t pending_count; /* of both lists */
	uint8_t first[8];     /* bytes of the connection */
	size_t first_len;
	bool is_broken, is_closing;
};

static uint64_t epoch_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* --- ends of calls ------------------------------------------------------------ */

static enum nx_status status_of(enum nx_grpc_status status)
{
	switch (status) {
	case NX_GRPC_CANCELLED:
		return NX_CANCELLED;
	case NX_GRPC_NOT_FOUND:
		return NX_NOT_FOUND;
	case NX_GRPC_PERMISSION_DENIED:
	case NX_GRPC_UNAUTHENTICATED:
		return NX_PERMISSION;
	case NX_GRPC_RESOURCE_EXHAUSTED:
		return NX_LIMIT;
	case NX_GRPC_UNIMPLEMENTED:
		return NX_UNSUPPORTED;
	default:
		return NX_IO;
	}
}

/* Its stream, if it is still open, has been reset or is about to be. */
static void end_call(struct nx_rpc_channel *c, struct call *call, enum nx_rpc_end end)
{
	struct call **at = &c->running;

	while (*at && *at != call)
		at = &(*at)->next;
	assert(*at);
	*at = call->next;
	call->next = c->ended;
	c->ended = call;
	call->answer.end = end;
	if (c->session)
		(void)nghttp2_session_set_stream_user_data(c->session, call->stream, NULL);
}

static void reset_stream(struct nx_rpc_channel *c, const struct call *call)
{
	if (c->session)
		(void)nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, call->stream,
						NGHTTP2_CANCEL);
}

static void fail_broken(struct nx_rpc_channel *c, struct call *call, const char *what)
{
	call->answer.status = NX_GRPC_UNAVAILABLE;
	(void)!nx_fail(&call->answer.error, NX_IO, "%s %s", c->address, what);
	end_call(c, call, NX_RPC_BROKEN);
}

/* The stream has ended in order: what does the answer say? */
static void judge(struct nx_rpc_channel *c, struct call *call)
{
	struct nx_rpc_result *answer = &call->answer;

	if (call->http_status != 200 || !call->is_grpc) {
		answer->status = nx_grpc_status_of_http(call->http_status);
		(void)!nx_fail(&answer->error, NX_IO,
			       "%s answered HTTP %u without gRPC; check the port, and whether a "
			       "proxy is in between",
			       c->address, call->http_status);
		end_call(c, call, NX_RPC_BROKEN);
	} else if (!call->has_status) {
		fail_broken(c, call, "ended its answer without a status; try again");
	} else if (answer->status != NX_GRPC_OK) {
		(void)!nx_fail(&answer->error, status_of(answer->status), "%s answered %s%s%s",
			       c->address, nx_grpc_status_name(answer->status),
			       *answer->text ? ": " : "", answer->text);
		end_call(c, call, NX_RPC_STATUS);
	} else if (!call->has_prefix || answer->size_bytes < call->message_len) {
		(void)!nx_fail(&answer->error, NX_IO,
			       "%s ended its answer after %" PRIu64 " of %u bytes; try again",
			       c->address, answer->size_bytes, call->message_len);
		answer->status = NX_GRPC_UNAVAILABLE;
		end_call(c, call, NX_RPC_BROKEN);
	} else {
		end_call(c, call, NX_RPC_ANSWERED);
	}
}

/* --- callbacks of nghttp2 ------------------------------------------------------ */

static ssize_t give_request(nghttp2_session *session, int32_t stream, uint8_t *to, size_t room,
			    uint32_t *flags, nghttp2_data_source *source, void *connection)
{
	/* the source may outlive its call, which a deadline ended */
	struct call *call = nghttp2_session_get_stream_user_data(session, stream);
	size_t len;

	(void)source;
	(void)connection;
	if (!call)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	len = call->request.len - call->sent;
	if (len > room)
		len = room;
	memcpy(to, call->request.items + call->sent, len);
	call->sent += len;
	if (call->sent == call->request.len) {
		*flags |= NGHTTP2_DATA_FLAG_EOF;
		call->answer.asked_ns = epoch_ns();
	}
	return (ssize_t)len;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
		     void *connection)
{
	struct call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
	struct nx_slice key = nx_slice_of(name, name_len), text = nx_slice_of(value, value_len);
	uint64_t number;

	(void)flags;
	(void)connection;
	if (!call || frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	if (nx_slice_is(key, ":status") && nx_slice_to_u64(text, &number))
		call->http_status = (unsigned)number;
	else if (nx_slice_is(key, "content-type"))
		call->is_grpc = nx_grpc_is_content_type(text);
	else if (nx_slice_is(key, "grpc-message"))
		(void)nx_grpc_text_decode(call->answer.text, sizeof(call->answer.text), text);
	else if (nx_slice_is(key, "grpc-status")) {
		call->has_status = true;
		call->answer.status = nx_grpc_status_parse(text);
	} else if (call->metadata)
		call->metadata(call->context, key, text);
	return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *connection)
{
	struct nx_rpc_channel *c = connection;
	struct call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

	if (frame->hd.type == NGHTTP2_GOAWAY)
		c->is_closing = true;
	if (!call || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
		return 0;
	call->answer.answered_ns = epoch_ns();
	judge(c, call);
	/* a server may answer before it has read the request */
	if (call->sent < call->request.len)
		reset_stream(c, call);
	return 0;
}

/* False if the call has ended. */
static bool take_prefix(struct nx_rpc_channel *c, struct call *call, struct nx_slice *piece)
{
	bool is_compressed;

	while (piece->len && call->prefix_len < NX_GRPC_PREFIX_BYTES) {
		call->prefix[call->prefix_len++] = *piece->data;
		*piece = nx_slice_part(*piece, 1, piece->len);
	}
	if (call->has_prefix || call->prefix_len < NX_GRPC_PREFIX_BYTES)
		return true;
	call->has_prefix = true;
	if (!nx_grpc_prefix_read(call->prefix, &is_compressed, &call->message_len) ||
	    is_compressed) {
		fail_broken(c, call, "compressed its answer, which was not requested");
		return false;
	}
	if (call->message_len <= call->limit_bytes)
		return true;
	(void)!nx_fail(&call->answer.error, NX_LIMIT,
		       "%s has an answer of %u bytes, and the limit is %" PRIu64
		       "; record a shorter time, or less",
		       c->address, call->message_len, call->limit_bytes);
	end_call(c, call, NX_RPC_NOT_TAKEN);
	return false;
}

static bool take_piece(struct nx_rpc_channel *c, struct call *call, struct nx_slice piece)
{
	struct nx_rpc_result *answer = &call->answer;

	/* what is no gRPC is no message either: the end says so */
	if (call->http_status != 200 || !call->is_grpc)
		return true;
	if (!take_prefix(c, call, &piece))
		return false;
	if (piece.len > call->message_len - answer->size_bytes) {
		fail_broken(c, call, "sent more than one message as its answer");
		return false;
	}
	answer->size_bytes += piece.len;
	if (!piece.len || !call->take || !call->take(call->context, piece, &answer->error))
		return true;
	end_call(c, call, NX_RPC_NOT_TAKEN);
	return false;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
		   size_t len, void *connection)
{
	struct nx_rpc_channel *c = connection;
	struct call *call = nghttp2_session_get_stream_user_data(session, stream);

	(void)flags;
	if (call && !take_piece(c, call, nx_slice_of(data, len)))
		reset_stream(c, call);
	return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *connection)
{
	struct nx_rpc_channel *c = connection;
	struct call *call = nghttp2_session_get_stream_user_data(session, stream);
	char what[160];

	if (!call)
		return 0;
	if (code == NGHTTP2_REFUSED_STREAM)
		(void)snprintf(what, sizeof(what), "refused the call, because it is %s; try again",
			       c->is_closing ? "shutting down" : "busy");
	else
		(void)snprintf(what, sizeof(what),
			       "broke off its answer (HTTP/2 error %s); try again",
			       nghttp2_http2_strerror(code));
	fail_broken(c, call, what);
	return 0;
}

/* --- life ----------------------------------------------------------------------- */

static nghttp2_session *new_session(struct nx_rpc_channel *c)
{
	static const nghttp2_settings_entry settings[] = {
		{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_BYTES},
	};
	nghttp2_session_callbacks *callbacks = NULL;
	nghttp2_session *session = NULL;
	bool is_made = nghttp2_session_callbacks_new(&callbacks) == 0;

	if (is_made) {
		nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
		nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
		nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
		nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
		is_made = nghttp2_session_client_new(&session, callbacks, c) == 0;
		nghttp2_session_callbacks_del(callbacks);
	}
	if (is_made &&
	    !nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
				     sizeof(settings) / sizeof(settings[0])) &&
	    !nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, WINDOW_BYTES))
		return session;
	nghttp2_session_del(session);
	return NULL;
}

struct nx_rpc_channel *nx_rpc_channel_new(const char *address)
{
	struct nx_rpc_channel *c = nx_heap_alloc(sizeof(*c));

	memset(c, 0, sizeof(*c));
	(void)snprintf(c->address, sizeof(c->address), "%s", address);
	c->session = new_session(c);
	c->is_broken = !c->session;
	return c;
}

static void free_call(struct call *call)
{
	nx_vec_release(&call->request);
	nx_heap_free(call);
}

static void free_calls(struct call *calls)
{
	for (struct call *next; calls; calls = next) {
		next = calls->next;
		free_call(calls);
	}
}

void nx_rpc_channel_free(struct nx_rpc_channel *c)
{
	if (!c)
		return;
	nghttp2_session_del(c->session);
	free_calls(c->running);
	free_calls(c->ended);
	nx_heap_free(c);
}

size_t nx_rpc_channel_pending(const struct nx_rpc_channel *c)
{
	return c->pending_count;
}

bool nx_rpc_channel_is_usable(const struct nx_rpc_channel *c)
{
	return !c->is_broken && !c->is_closing && nghttp2_session_check_request_allowed(c->session);
}

/* --- calls ------------------------------------------------------------------------ */

#define HEADER(name, value, len)                                                                   \
	{                                                                                          \
		(uint8_t *)(name), (uint8_t *)(value), strlen(name), (len), NGHTTP2_NV_FLAG_NONE   \
	}
#define MAX_HEADERS 9

static bool submit(struct nx_rpc_channel *c, struct call *call,
		   const struct nx_rpc_request *request)
{
	char timeout[NX_GRPC_TIMEOUT_BYTES], token[2048];
	nghttp2_data_provider provider = {.read_callback = give_request};
	nghttp2_nv headers[MAX_HEADERS] = {
		HEADER(":method", "POST", 4),
		HEADER(":scheme", "http", 4),
		HEADER(":path", request->path, strlen(request->path)),
		HEADER(":authority", c->address, strlen(c->address)),
		HEADER("te", "trailers", 8),
		HEADER("content-type", NX_GRPC_CONTENT_TYPE, strlen(NX_GRPC_CONTENT_TYPE)),
		HEADER("user-agent", "neuron-explorer", 15),
	};
	size_t count = 7;

	if (request->timeout_ms) {
		(void)nx_grpc_timeout_write(timeout, request->timeout_ms * NS_PER_MS);
		headers[count++] = (nghttp2_nv)HEADER("grpc-timeout", timeout, strlen(timeout));
	}
	if (request->token) {
		(void)snprintf(token, sizeof(token), "Bearer %s", request->token);
		headers[count] = (nghttp2_nv)HEADER("authorization", token, strlen(token));
		headers[count++].flags = NGHTTP2_NV_FLAG_NO_INDEX;
	}
	call->stream = nghttp2_submit_request(c->session, NULL, headers, count, &provider, call);
	return call->stream >= 0;
}

void nx_rpc_channel_start(struct nx_rpc_channel *c, uint64_t id,
			  const struct nx_rpc_request *request)
{
	struct call *call = nx_heap_alloc(sizeof(*call));
	uint8_t prefix[NX_GRPC_PREFIX_BYTES];

	assert(request->path && request->done && request->message.len <= UINT32_MAX);
	*call = (struct call){
		.next = c->running,
		.id = id,
		.timeout_ms = request->timeout_ms,
		.deadline_ns = request->timeout_ms ? nx_now_ns() + request->timeout_ms * NS_PER_MS
						   : UINT64_MAX,
		.limit_bytes = request->limit_bytes,
		.take = request->take,
		.metadata = request->metadata,
		.done = request->done,
		.context = request->context,
	};
	nx_grpc_prefix_write(prefix, (uint32_t)request->message.len);
	nx_bytes_append(&call->request, prefix, sizeof(prefix));
	nx_bytes_append(&call->request, request->message.data, request->message.len);
	c->running = call;
	c->pending_count++;
	if (c->is_broken || !submit(c, call, request))
		fail_broken(c, call, "cannot be asked: the connection is closed; try again");
}

bool nx_rpc_channel_cancel(struct nx_rpc_channel *c, uint64_t id)
{
	struct call *call = c->running;

	while (call && call->id != id)
		call = call->next;
	if (!call)
		return false;
	reset_stream(c, call);
	(void)!nx_fail(&call->answer.error, NX_CANCELLED, "%s: cancelled", c->address);
	call->answer.status = NX_GRPC_CANCELLED;
	end_call(c, call, NX_RPC_CANCELLED);
	return true;
}

uint64_t nx_rpc_channel_expire(struct nx_rpc_channel *c, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (struct call *call = c->running, *next; call; call = next) {
		next = call->next;
		if (call->deadline_ns > now_ns) {
			if (call->deadline_ns < next_ns)
				next_ns = call->deadline_ns;
			continue;
		}
		reset_stream(c, call);
		(void)!nx_fail(&call->answer.error, NX_IO,
			       "%s did not answer within %g s; check that the program is alive",
			       c->address, (double)call->timeout_ms / 1e3);
		call->answer.status = NX_GRPC_DEADLINE_EXCEEDED;
		end_call(c, call, NX_RPC_EXPIRED);
	}
	return next_ns;
}

void nx_rpc_channel_report(struct nx_rpc_channel *c)
{
	struct call *call;

	while ((call = c->ended)) {
		c->ended = call->next;
		c->pending_count--;
		call->done(call->context, &call->answer);
		free_call(call);
	}
}

/* --- bytes ------------------------------------------------------------------------ */

void nx_rpc_channel_break(struct nx_rpc_channel *c, enum nx_rpc_end end, const struct nx_error *why)
{
	c->is_broken = true;
	while (c->running) {
		struct call *call = c->running;

		call->answer.error = *why;
		call->answer.status = NX_GRPC_UNAVAILABLE;
		end_call(c, call, end);
	}
}

/* The common mistake is the port of a web server. */
static bool is_http1(struct nx_rpc_channel *c, struct nx_slice bytes)
{
	for (size_t i = 0; i < bytes.len && c->first_len < sizeof(c->first); i++)
		c->first[c->first_len++] = bytes.data[i];
	return nx_slice_starts(nx_slice_of(c->first, c->first_len), "HTTP/1.");
}

/* After an error of the protocol, nghttp2 sends GOAWAY and then neither reads nor writes. */
static void check_alive(struct nx_rpc_channel *c)
{
	struct nx_error why;

	if (c->is_broken || nghttp2_session_want_read(c->session) ||
	    nghttp2_session_want_write(c->session))
		return;
	(void)!nx_fail(&why, NX_IO, "%s sent what is not valid HTTP/2; check the port", c->address);
	nx_rpc_channel_break(c, NX_RPC_BROKEN, &why);
}

void nx_rpc_channel_feed(struct nx_rpc_channel *c, struct nx_slice bytes)
{
	struct nx_error why;

	if (c->is_broken)
		return;
	if (is_http1(c, bytes)) {
		(void)!nx_fail(&why, NX_IO,
			       "%s speaks HTTP/1, so it is not a gRPC server; check the port",
			       c->address);
		nx_rpc_channel_break(c, NX_RPC_BROKEN, &why);
	} else if (nghttp2_session_mem_recv(c->session, bytes.data, bytes.len) < 0) {
		(void)!nx_fail(&why, NX_IO, "%s sent what is not HTTP/2; check the port",
			       c->address);
		nx_rpc_channel_break(c, NX_RPC_BROKEN, &why);
	}
	check_alive(c);
}

struct nx_slice nx_rpc_channel_output(struct nx_rpc_channel *c)
{
	const uint8_t *data = NULL;
	ssize_t len = c->is_broken ? 0 : nghttp2_session_mem_send(c->session, &data);

	if (len <= 0)
		check_alive(c);
	return nx_slice_of(data, len > 0 ? (size_t)len : 0);
}
