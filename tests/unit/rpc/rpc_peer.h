/* SPDX-License-Identifier: Apache-2.0 */
/* rpc_peer: a client of a connection in memory, with a clock that the test sets. */
#ifndef NX_TESTS_UNIT_RPC_RPC_PEER_H
#define NX_TESTS_UNIT_RPC_RPC_PEER_H

#include <stdlib.h>

#include "base/arena.h"
#include "rpc/rpc_internal.h"

#define PEER_MAX_STREAMS 128
#define SECOND UINT64_C(1000000000)

struct peer_stream {
	struct nx_bytes body; /* of the response, with its prefix */
	char http_status[8], grpc_status[8], message[256], accepts[32], sent[32];
	bool is_closed;
	uint32_t error; /* of a reset */
	struct nx_bytes request;
	size_t request_at;
};

struct peer {
	struct nx_rpc_hub hub;
	struct nx_rpc_connection *connection;
	nghttp2_session *session;
	struct peer_stream streams[PEER_MAX_STREAMS]; /* by id / 2 */
	bool is_closed;				      /* the server closed the connection */
	bool has_goaway;
	uint32_t goaway_error;
	unsigned pings; /* of the server */
	uint64_t now_ns;
};

static struct peer_stream *peer_stream_of(struct peer *peer, int32_t id)
{
	return &peer->streams[id / 2 % PEER_MAX_STREAMS];
}

static int peer_on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
			  size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
			  void *user)
{
	struct peer_stream *stream = peer_stream_of(user, frame->hd.stream_id);
	struct nx_slice key = nx_slice_of(name, name_len);

	(void)session;
	(void)flags;
#define KEEP(text, member)                                                                         \
	if (nx_slice_is(key, text))                                                                \
	snprintf(stream->member, sizeof(stream->member), "%.*s", (int)value_len,                   \
		 (const char *)value)
	KEEP(":status", http_status);
	KEEP("grpc-status", grpc_status);
	KEEP("grpc-message", message);
	KEEP("grpc-accept-encoding", accepts);
	KEEP(NX_GRPC_SENT_NS, sent);
#undef KEEP
	return 0;
}

static int peer_on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
			size_t len, void *user)
{
	(void)session;
	(void)flags;
	nx_bytes_append(&peer_stream_of(user, id)->body, data, len);
	return 0;
}

static int peer_on_close(nghttp2_session *session, int32_t id, uint32_t error, void *user)
{
	(void)session;
	peer_stream_of(user, id)->is_closed = true;
	peer_stream_of(user, id)->error = error;
	return 0;
}

static int peer_on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct peer *peer = user;

	(void)session;
	if (frame->hd.type == NGHTTP2_PING && !(frame->hd.flags & NGHTTP2_FLAG_ACK))
		peer->pings++;
	if (frame->hd.type == NGHTTP2_GOAWAY) {
		peer->has_goaway = true;
		peer->goaway_error = frame->goaway.error_code;
	}
	return 0;
}

static ssize_t peer_on_read(nghttp2_session *session, int32_t id, uint8_t *out, size_t cap,
			    uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct peer_stream *stream = source->ptr;
	size_t left = stream->request.len - stream->request_at;
	size_t len = left < cap ? left : cap;

	(void)session;
	(void)id;
	(void)user;
	if (len)
		memcpy(out, stream->request.items + stream->request_at, len);
	stream->request_at += len;
	if (stream->request_at == stream->request.len)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)len;
}

static void peer_open(struct peer *peer, struct nx_rpc_limits limits, const char *token,
		      void (*handle)(void *context, struct nx_rpc_call *call), void *context)
{
	nghttp2_session_callbacks *callbacks;

	*peer = (struct peer){.hub = {.limits = limits,
				      .token = nx_slice_text(token),
				      .handle = handle,
				      .context = context,
				      .wake_fd = -1},
			      .now_ns = SECOND};
	if (!nx_rpc_hub_init(&peer->hub) || nghttp2_session_callbacks_new(&callbacks))
		abort();
	peer->connection = nx_rpc_connection_new(&peer->hub, peer->now_ns);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, peer_on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, peer_on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, peer_on_close);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, peer_on_frame);
	if (!peer->connection || nghttp2_session_client_new(&peer->session, callbacks, peer))
		abort();
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_submit_settings(peer->session, NGHTTP2_FLAG_NONE, NULL, 0);
}

static void peer_close_server(struct peer *peer)
{
	if (peer->connection)
		nx_rpc_connection_free(peer->connection);
	peer->connection = NULL;
	peer->is_closed = true;
}

static void peer_release(struct peer *peer)
{
	peer_close_server(peer);
	nx_rpc_hub_deliver(&peer->hub);
	nghttp2_session_del(peer->session);
	for (size_t i = 0; i < PEER_MAX_STREAMS; i++) {
		nx_vec_release(&peer->streams[i].body);
		nx_vec_release(&peer->streams[i].request);
	}
	nx_rpc_hub_release(&peer->hub);
}

/* Bytes go both ways until neither side has more. */
static inline void peer_exchange(struct peer *peer)
{
	bool has_moved = true;

	while (has_moved && peer->connection) {
		const uint8_t *bytes;
		ssize_t len = nghttp2_session_mem_send(peer->session, &bytes);

		has_moved = len > 0;
		peer->connection->now_ns = peer->now_ns;
		if (len > 0 &&
		    !nx_rpc_connection_receive(peer->connection, nx_slice_of(bytes, (size_t)len))) {
			peer_close_server(peer);
			return;
		}
		nx_rpc_hub_deliver(&peer->hub);
		if (!nx_rpc_connection_prepare(peer->connection)) {
			peer_close_server(peer);
			return;
		}
		if (peer->connection->unsent.len) {
			has_moved = true;
			(void)nghttp2_session_mem_recv(peer->session, peer->connection->unsent.data,
						       peer->connection->unsent.len);
			nx_rpc_connection_sent(peer->connection, peer->connection->unsent.len);
		}
	}
}

static inline void peer_tick(struct peer *peer, uint64_t now_ns)
{
	peer->now_ns = now_ns;
	if (peer->connection && !nx_rpc_connection_tick(peer->connection, now_ns))
		peer_close_server(peer);
	peer_exchange(peer);
}

struct peer_request {
	const char *path, *method, *content_type, *encoding, *timeout, *authorization;
	struct nx_slice body; /* with its prefix */
};

/* Members that are NULL are those of a good request; returns the stream. */
static inline int32_t peer_send(struct peer *peer, struct peer_request r)
{
#define LINE(name, value)                                                                          \
	{(uint8_t *)(name), (uint8_t *)(value), strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE}
	nghttp2_nv lines[10] = {
		LINE(":method", r.method ? r.method : "POST"),
		LINE(":scheme", "http"),
		LINE(":path", r.path ? r.path : "/test.Service/Method"),
		LINE(":authority", "localhost"),
		LINE("content-type", r.content_type ? r.content_type : "application/grpc"),
		LINE("te", "trailers"),
	};
	size_t count = 6;
	int32_t next = (int32_t)nghttp2_session_get_next_stream_id(peer->session);
	struct peer_stream *stream = peer_stream_of(peer, next);
	nghttp2_data_provider data = {.source.ptr = stream, .read_callback = peer_on_read};

	if (r.encoding)
		lines[count++] = (nghttp2_nv)LINE("grpc-encoding", r.encoding);
	if (r.timeout)
		lines[count++] = (nghttp2_nv)LINE("grpc-timeout", r.timeout);
	if (r.authorization)
		lines[count++] = (nghttp2_nv)LINE("authorization", r.authorization);
#undef LINE
	nx_bytes_append(&stream->request, r.body.data, r.body.len);
	return nghttp2_submit_request(peer->session, NULL, lines, count, &data, NULL);
}

#endif
