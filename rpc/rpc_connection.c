/* SPDX-License-Identifier: Apache-2.0 */
/* One HTTP/2 connection: requests, limits, time. */
#include <assert.h>
#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/bare/text.h"
#include "rpc/rpc_internal.h"

#define MAX_HEADER_BYTES ((size_t)16 << 10)
#define MAX_WAITING_ACKS 64
#define FIRST_ROOM_BYTES ((size_t)4 << 10)
#define CONTROL_PERIOD_NS UINT64_C(10000000000)
#define BEARER "Bearer "

/* --- calls --------------------------------------------------------------------- */

static void drop_request(struct nx_rpc_call *call)
{
	call->hub->held_bytes -= call->request_room;
	nx_heap_free(call->request);
	call->request = NULL;
	call->request_len = call->request_room = 0;
}

static void free_call(struct nx_rpc_call *call)
{
	drop_request(call);
	nx_rpc_answer_release(&call->answer);
	nx_heap_free(call);
}

static struct nx_rpc_call *new_call(struct nx_rpc_connection *c, int32_t stream_id)
{
	struct nx_rpc_call *call = nx_heap_try_alloc(sizeof(*call));

	if (!call)
		return NULL;
	call->hub = c->hub;
	call->connection = c;
	call->stream_id = stream_id;
	call->answer.fd = -1;
	call->began_ns = c->now_ns;
	call->deadline_ns = UINT64_MAX;
	call->next = c->calls;
	c->calls = call;
	c->call_count++;
	return call;
}

/* Tells the handler, unless it answered. */
static void end_call(struct nx_rpc_call *call)
{
	void (*fn)(void *context);

	pthread_mutex_lock(&call->hub->lock);
	fn = call->is_handled && !call->is_over ? call->on_end : NULL;
	call->is_over = true;
	call->on_end = NULL;
	if (fn)
		fn(call->end_context);
	pthread_mutex_unlock(&call->hub->lock);
}

/* The stream is closed. The handler may still have the call; it is freed with its answer then. */
static void detach(struct nx_rpc_connection *c, struct nx_rpc_call *call)
{
	if (c->calls == call)
		c->calls = call->next;
	for (struct nx_rpc_call *before = c->calls; before; before = before->next)
		if (before->next == call)
			before->next = call->next;
	c->call_count--;
	c->called_ns = c->now_ns;
	call->connection = NULL;
	end_call(call);
	if (!call->is_handled)
		free_call(call);
}

void nx_rpc_hub_deliver(struct nx_rpc_hub *hub)
{
	struct nx_rpc_call *call, *next;

	pthread_mutex_lock(&hub->lock);
	call = hub->answered;
	hub->answered = NULL;
	pthread_mutex_unlock(&hub->lock);
	for (; call; call = next) {
		next = call->next_answered;
		call->is_handled = false;
		if (!call->connection)
			free_call(call);
		else if (!call->is_responded)
			nx_rpc_respond(call);
	}
}

/* --- requests ------------------------------------------------------------------- */

static void take_timeout(struct nx_rpc_call *call, struct nx_slice text)
{
	uint64_t timeout_ns;

	if (!nx_grpc_timeout_read(text, &timeout_ns))
		call->has_bad_timeout = true;
	else if (__builtin_add_overflow(call->began_ns, timeout_ns, &call->deadline_ns))
		call->deadline_ns = UINT64_MAX;
}

static bool is_bearer(struct nx_slice token, struct nx_slice value)
{
	size_t len = sizeof(BEARER) - 1;

	return nx_slice_starts(value, BEARER) &&
	       nx_is_secret(token, nx_slice_part(value, len, value.len));
}

static void take_header(struct nx_rpc_call *call, struct nx_slice name, struct nx_slice value)
{
	if (nx_slice_is(name, ":path")) {
		call->has_long_path = value.len >= sizeof(call->path);
		if (!call->has_long_path && value.len)
			memcpy(call->path, value.data, value.len);
	} else if (nx_slice_is(name, ":method")) {
		call->is_post = nx_slice_is(value, "POST");
	} else if (nx_slice_is(name, "content-type")) {
		call->is_grpc = nx_grpc_is_content_type(value);
	} else if (nx_slice_is(name, "grpc-encoding")) {
		call->is_encoded = !nx_slice_is(value, "identity");
	} else if (nx_slice_is(name, "grpc-timeout")) {
		take_timeout(call, value);
	} else if (nx_slice_is(name, "authorization")) {
		call->has_token = is_bearer(call->hub->token, value);
	}
}

static void check_headers(struct nx_rpc_call *call)
{
	if (!call->is_post)
		nx_rpc_refuse_http(call, 405);
	else if (!call->is_grpc)
		nx_rpc_refuse_http(call, 415);
	else if (call->header_bytes > MAX_HEADER_BYTES)
		nx_rpc_refuse(call, NX_GRPC_RESOURCE_EXHAUSTED,
			      "the headers exceed 16 KiB; send less metadata");
	else if (call->hub->token.len && !call->has_token)
		nx_rpc_refuse(call, NX_GRPC_UNAUTHENTICATED,
			      "this server needs its token in the metadata 'authorization: Bearer "
			      "TOKEN'");
	else if (call->has_long_path)
		nx_rpc_refuse(call, NX_GRPC_UNIMPLEMENTED, "no such method");
	else if (call->is_encoded)
		nx_rpc_refuse(call, NX_GRPC_UNIMPLEMENTED,
			      "compressed messages are not supported; send them uncompressed");
	else if (call->has_bad_timeout)
		nx_rpc_refuse(call, NX_GRPC_INVALID_ARGUMENT, "grpc-timeout is not valid");
	else if (call->hub->is_stopping)
		nx_rpc_refuse(call, NX_GRPC_UNAVAILABLE, "the server is stopping");
}

/* Makes room as bytes arrive: a length alone costs nothing. */
static bool reserve(struct nx_rpc_call *call, size_t need)
{
	size_t room = call->request_room ? call->request_room : FIRST_ROOM_BYTES;
	struct nx_rpc_hub *hub = call->hub;
	uint8_t *more;

	if (need <= call->request_room)
		return true;
	while (room < need)
		room *= 2;
	if (hub->held_bytes + (room - call->request_room) > hub->limits.max_all_bytes)
		return false;
	more = nx_heap_try_alloc(room);
	if (!more)
		return false;
	if (call->request_len)
		memcpy(more, call->request, call->request_len);
	nx_heap_free(call->request);
	hub->held_bytes += room - call->request_room;
	call->request = more;
	call->request_room = room;
	return true;
}

/* The prefix is there; false if the message is refused. */
static bool check_prefix(struct nx_rpc_call *call)
{
	bool is_compressed;

	if (!nx_grpc_prefix_read(call->prefix, &is_compressed, &call->wanted_len))
		nx_rpc_refuse(call, NX_GRPC_INTERNAL, "the prefix of the message is damaged");
	else if (is_compressed)
		nx_rpc_refuse(call, NX_GRPC_UNIMPLEMENTED,
			      "compressed messages are not supported; send them uncompressed");
	else if (call->wanted_len > call->hub->limits.max_request_bytes)
		nx_rpc_refuse(call, NX_GRPC_RESOURCE_EXHAUSTED,
			      "the request exceeds the limit for requests");
	return !call->is_complete;
}

static void take_bytes(struct nx_rpc_call *call, struct nx_slice bytes)
{
	size_t at = 0;

	if (!bytes.len)
		return;
	while (at < bytes.len && call->prefix_len < NX_GRPC_PREFIX_BYTES) {
		call->prefix[call->prefix_len++] = bytes.data[at++];
		if (call->prefix_len == NX_GRPC_PREFIX_BYTES && !check_prefix(call))
			return;
	}
	if (at == bytes.len)
		return;
	if (bytes.len - at > call->wanted_len - call->request_len) {
		nx_rpc_refuse(call, NX_GRPC_UNIMPLEMENTED,
			      "more than one message in a request; methods here take one");
	} else if (!reserve(call, call->request_len + (bytes.len - at))) {
		nx_rpc_refuse(call, NX_GRPC_RESOURCE_EXHAUSTED,
			      "too many bytes of requests are waiting; try again later");
	} else {
		memcpy(call->request + call->request_len, bytes.data + at, bytes.len - at);
		call->request_len += bytes.len - at;
	}
	if (call->is_complete)
		drop_request(call);
}

static void hand_over(struct nx_rpc_call *call)
{
	struct timespec now;

	if (call->prefix_len < NX_GRPC_PREFIX_BYTES || call->request_len < call->wanted_len) {
		nx_rpc_refuse(call, NX_GRPC_INTERNAL, "the request ended before its message");
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	call->received_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	call->is_complete = call->is_handled = true;
	call->hub->handle(call->hub->context, call);
}

/* --- callbacks of the session ---------------------------------------------------- */

static struct nx_rpc_call *call_of(nghttp2_session *session, int32_t stream_id)
{
	return nghttp2_session_get_stream_user_data(session, stream_id);
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct nx_rpc_connection *c = user;
	struct nx_rpc_call *call;

	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	call = c->call_count < c->hub->limits.max_streams ? new_call(c, frame->hd.stream_id) : NULL;
	if (!call) {
		(void)nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
						NGHTTP2_REFUSED_STREAM);
		return 0;
	}
	return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, call);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
		     void *user)
{
	struct nx_rpc_call *call = call_of(session, frame->hd.stream_id);

	(void)flags;
	(void)user;
	if (!call || call->is_complete)
		return 0;
	call->header_bytes += name_len + value_len;
	if (call->header_bytes <= MAX_HEADER_BYTES)
		take_header(call, nx_slice_of(name, name_len), nx_slice_of(value, value_len));
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *data,
		   size_t len, void *user)
{
	struct nx_rpc_call *call = call_of(session, stream_id);

	(void)flags;
	(void)user;
	if (call && !call->is_complete)
		take_bytes(call, nx_slice_of(data, len));
	return 0;
}

/* Frames that cost the sender nothing and do not belong to a call. */
static int count_control(struct nx_rpc_connection *c)
{
	if (c->now_ns - c->control_since_ns > CONTROL_PERIOD_NS) {
		c->control_since_ns = c->now_ns;
		c->control_count = 0;
	}
	if (++c->control_count <= c->hub->limits.max_control_frames)
		return 0;
	(void)nghttp2_session_terminate_session(c->session, NGHTTP2_ENHANCE_YOUR_CALM);
	c->is_ending = true;
	return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct nx_rpc_connection *c = user;
	struct nx_rpc_call *call;

	switch (frame->hd.type) {
	case NGHTTP2_SETTINGS:
		c->has_settings = true;
		return count_control(c);
	case NGHTTP2_PING:
	case NGHTTP2_RST_STREAM:
	case NGHTTP2_PRIORITY:
		return count_control(c);
	case NGHTTP2_HEADERS:
	case NGHTTP2_DATA:
		break;
	default:
		return 0;
	}
	call = call_of(session, frame->hd.stream_id);
	if (!call || call->is_complete)
		return 0;
	if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		check_headers(call);
	if (!call->is_complete && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
		hand_over(call);
	return 0;
}

/* A caller that is refused early may still be sending: it is asked to stop. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	bool is_last = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
		       frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	(void)user;
	if (is_last && !nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id))
		(void)nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
						NGHTTP2_NO_ERROR);
	return 0;
}

static int on_close(nghttp2_session *session, int32_t stream_id, uint32_t error, void *user)
{
	struct nx_rpc_call *call = call_of(session, stream_id);

	(void)error;
	if (call)
		detach(user, call);
	return 0;
}

/* --- the hub ---------------------------------------------------------------------- */

bool nx_rpc_hub_init(struct nx_rpc_hub *hub)
{
	if (nghttp2_session_callbacks_new(&hub->callbacks))
		return false;
	if (nghttp2_option_new(&hub->settings)) {
		nghttp2_session_callbacks_del(hub->callbacks);
		return false;
	}
	nghttp2_session_callbacks_set_on_begin_headers_callback(hub->callbacks, on_begin);
	nghttp2_session_callbacks_set_on_header_callback(hub->callbacks, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(hub->callbacks, on_data);
	nghttp2_session_callbacks_set_on_frame_recv_callback(hub->callbacks, on_frame);
	nghttp2_session_callbacks_set_on_frame_send_callback(hub->callbacks, on_sent);
	nghttp2_session_callbacks_set_on_stream_close_callback(hub->callbacks, on_close);
	nghttp2_option_set_no_closed_streams(hub->settings, 1);
	nghttp2_option_set_max_outbound_ack(hub->settings, MAX_WAITING_ACKS);
	pthread_mutex_init(&hub->lock, NULL);
	return true;
}

void nx_rpc_hub_release(struct nx_rpc_hub *hub)
{
	nghttp2_session_callbacks_del(hub->callbacks);
	nghttp2_option_del(hub->settings);
	pthread_mutex_destroy(&hub->lock);
}

/* --- connections -------------------------------------------------------------------- */

struct nx_rpc_connection *nx_rpc_connection_new(struct nx_rpc_hub *hub, uint64_t now_ns)
{
	struct nx_rpc_connection *c = nx_heap_try_alloc(sizeof(*c));
	const nghttp2_settings_entry entries[] = {
		{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, hub->limits.max_streams},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)MAX_HEADER_BYTES},
	};

	if (!c)
		return NULL;
	c->hub = hub;
	c->now_ns = c->opened_ns = c->heard_ns = c->sent_ns = c->called_ns = now_ns;
	c->control_since_ns = now_ns;
	if (nghttp2_session_server_new2(&c->session, hub->callbacks, c, hub->settings)) {
		nx_heap_free(c);
		return NULL;
	}
	if (nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, entries, 2)) {
		nx_rpc_connection_free(c);
		return NULL;
	}
	return c;
}

void nx_rpc_connection_free(struct nx_rpc_connection *c)
{
	while (c->calls)
		detach(c, c->calls);
	nghttp2_session_del(c->session);
	nx_heap_free(c);
}

bool nx_rpc_connection_receive(struct nx_rpc_connection *c, struct nx_slice bytes)
{
	ssize_t done = nghttp2_session_mem_recv(c->session, bytes.data, bytes.len);

	c->heard_ns = c->now_ns;
	c->pinged_ns = 0;
	/* the session may want to say why before the connection ends */
	if (done < 0)
		c->is_ending = true;
	return done != NGHTTP2_ERR_NOMEM && done != NGHTTP2_ERR_FLOODED;
}

bool nx_rpc_connection_prepare(struct nx_rpc_connection *c)
{
	const uint8_t *bytes;
	ssize_t len;

	if (c->unsent.len)
		return true;
	len = nghttp2_session_mem_send(c->session, &bytes);
	if (len < 0)
		return false;
	c->unsent = nx_slice_of(bytes, (size_t)len);
	c->sent_ns = c->now_ns; /* the time of a stall begins */
	if (len)
		return true;
	/* nothing is left to say, and nothing more is expected */
	return !c->is_ending &&
	       (nghttp2_session_want_read(c->session) || nghttp2_session_want_write(c->session));
}

void nx_rpc_connection_sent(struct nx_rpc_connection *c, size_t len)
{
	assert(len <= c->unsent.len);
	c->unsent = nx_slice_part(c->unsent, len, c->unsent.len);
	c->sent_ns = c->now_ns;
}

/* --- time ----------------------------------------------------------------------------- */

static uint64_t later(uint64_t ns, uint64_t by)
{
	uint64_t sum;

	return __builtin_add_overflow(ns, by, &sum) ? UINT64_MAX : sum;
}

static uint64_t call_due_ns(const struct nx_rpc_call *call)
{
	const struct nx_rpc_limits *limits = &call->hub->limits;

	if (call->is_responded)
		return later(call->moved_ns, limits->stall_ns);
	if (call->is_complete)
		return call->deadline_ns;
	return call->deadline_ns < later(call->began_ns, limits->request_ns)
		       ? call->deadline_ns
		       : later(call->began_ns, limits->request_ns);
}

static uint64_t own_due_ns(const struct nx_rpc_connection *c)
{
	const struct nx_rpc_limits *limits = &c->hub->limits;
	uint64_t due = later(c->pinged_ns ? c->pinged_ns : c->heard_ns, limits->ping_ns);

	if (!c->has_settings && later(c->opened_ns, limits->request_ns) < due)
		due = later(c->opened_ns, limits->request_ns);
	if (!c->calls && later(c->called_ns, limits->idle_ns) < due)
		due = later(c->called_ns, limits->idle_ns);
	if (c->unsent.len && later(c->sent_ns, limits->stall_ns) < due)
		due = later(c->sent_ns, limits->stall_ns);
	return due;
}

uint64_t nx_rpc_connection_due_ns(const struct nx_rpc_connection *c)
{
	uint64_t due = own_due_ns(c);

	for (const struct nx_rpc_call *call = c->calls; call; call = call->next)
		if (call_due_ns(call) < due)
			due = call_due_ns(call);
	return due;
}

/* False: the peer takes nothing of its answer. */
static bool tick_call(struct nx_rpc_call *call, uint64_t now_ns)
{
	if (call_due_ns(call) > now_ns)
		return true;
	if (call->is_responded)
		return false;
	if (call->deadline_ns <= now_ns) {
		end_call(call);
		nx_rpc_refuse(call, NX_GRPC_DEADLINE_EXCEEDED, "the deadline passed");
	} else {
		nx_rpc_refuse(call, NX_GRPC_CANCELLED, "the request did not arrive in time");
	}
	return true;
}

bool nx_rpc_connection_tick(struct nx_rpc_connection *c, uint64_t now_ns)
{
	const struct nx_rpc_limits *limits = &c->hub->limits;

	c->now_ns = now_ns;
	for (struct nx_rpc_call *call = c->calls, *next; call; call = next) {
		next = call->next;
		if (!tick_call(call, now_ns))
			return false;
	}
	if (own_due_ns(c) > now_ns)
		return true;
	if (!c->has_settings && later(c->opened_ns, limits->request_ns) <= now_ns)
		return false;
	if (c->unsent.len && later(c->sent_ns, limits->stall_ns) <= now_ns)
		return false;
	if (!c->calls && later(c->called_ns, limits->idle_ns) <= now_ns) {
		c->called_ns = now_ns;
		c->is_ending = true;
		return !nghttp2_session_terminate_session(c->session, NGHTTP2_NO_ERROR);
	}
	if (c->pinged_ns) /* and nothing came since */
		return false;
	c->pinged_ns = now_ns;
	return !nghttp2_submit_ping(c->session, NGHTTP2_FLAG_NONE, NULL);
}

void nx_rpc_connection_end(struct nx_rpc_connection *c)
{
	for (struct nx_rpc_call *call = c->calls; call; call = call->next)
		if (!call->is_responded) {
			end_call(call);
			nx_rpc_refuse(call, NX_GRPC_UNAVAILABLE, "the server is stopping");
		}
	c->is_ending = true;
	/* not nghttp2_session_terminate_session, which would drop the responses */
	(void)nghttp2_submit_goaway(c->session, NGHTTP2_FLAG_NONE,
				    nghttp2_session_get_last_proc_stream_id(c->session),
				    NGHTTP2_NO_ERROR, NULL, 0);
}
