/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc_internal: one HTTP/2 connection of the server, without its socket.
 *
 * Bytes that arrived go in, bytes to send come out, and tick says when time matters. All functions
 * belong to the server's thread, except that any thread may answer a call: answers wait in the
 * hub until the server's thread takes them.
 */
#ifndef NX_RPC_RPC_INTERNAL_H
#define NX_RPC_RPC_INTERNAL_H

#include <nghttp2/nghttp2.h>
#include <pthread.h>

#include "rpc/rpc_server.h"

#define NX_RPC_MAX_PATH 128

/* What connections share. */
struct nx_rpc_hub {
	struct nx_rpc_limits limits; /* none is 0 */
	struct nx_slice token;
	void (*handle)(void *context, struct nx_rpc_call *call);
	void *context;
	size_t held_bytes; /* of requests */
	bool is_stopping;  /* new calls are refused */
	nghttp2_session_callbacks *callbacks;
	nghttp2_option *settings;
	pthread_mutex_t lock; /* of the rest, and of the fields of calls that say so */
	struct nx_rpc_call *answered;
	int wake_fd; /* an eventfd; -1 in tests without a loop */
};

/* The caller filled limits, token, handle and context. False if memory ran out. */
bool nx_rpc_hub_init(struct nx_rpc_hub *hub);
void nx_rpc_hub_release(struct nx_rpc_hub *hub);
/* Hands answers to their connections. */
void nx_rpc_hub_deliver(struct nx_rpc_hub *hub);

struct nx_rpc_connection {
	struct nx_rpc_hub *hub;
	nghttp2_session *session;
	struct nx_rpc_call *calls;
	unsigned call_count;
	struct nx_slice unsent; /* borrowed from the session until it is all sent */
	uint64_t now_ns;
	uint64_t opened_ns, heard_ns, sent_ns, called_ns; /* last: bytes in and out, a call */
	uint64_t pinged_ns;				  /* 0: no ping is out */
	uint64_t control_since_ns;
	unsigned control_count;
	bool has_settings; /* the peer's handshake is complete */
	bool is_ending;	   /* close after the rest is sent */
};

struct nx_rpc_connection *nx_rpc_connection_new(struct nx_rpc_hub *hub, uint64_t now_ns);
void nx_rpc_connection_free(struct nx_rpc_connection *c);
/* These return false if the connection must be closed at once. */
bool nx_rpc_connection_receive(struct nx_rpc_connection *c, struct nx_slice bytes);
/* Sets unsent if it was empty; it stays empty if there is nothing to send. */
bool nx_rpc_connection_prepare(struct nx_rpc_connection *c);
/* So many bytes of unsent were sent. */
void nx_rpc_connection_sent(struct nx_rpc_connection *c, size_t len);
bool nx_rpc_connection_tick(struct nx_rpc_connection *c, uint64_t now_ns);
/* When tick has to be called next. */
uint64_t nx_rpc_connection_due_ns(const struct nx_rpc_connection *c);
/* All calls get UNAVAILABLE, then the connection ends. */
void nx_rpc_connection_end(struct nx_rpc_connection *c);

/* --- calls --------------------------------------------------------------------- */

struct nx_rpc_call {
	struct nx_rpc_hub *hub;
	struct nx_rpc_connection *connection; /* NULL: the stream is closed */
	struct nx_rpc_call *next;	      /* of the connection */
	int32_t stream_id;
	/* the request */
	char path[NX_RPC_MAX_PATH];
	size_t header_bytes;
	bool is_post, is_grpc, is_encoded, has_token, has_long_path, has_bad_timeout;
	uint64_t began_ns, deadline_ns; /* deadline: UINT64_MAX for none */
	uint8_t prefix[NX_GRPC_PREFIX_BYTES];
	size_t prefix_len;
	uint8_t *request; /* NULL until the prefix is known */
	size_t request_len, request_room;
	uint32_t wanted_len;
	uint64_t received_ns; /* since 1970 */
	/* the response */
	bool is_complete;  /* the request was handed over or refused: further bytes are ignored */
	bool is_responded; /* the response was submitted */
	uint64_t moved_ns; /* when the session last took a piece of it */
	struct nx_rpc_answer answer;
	size_t part_idx;
	uint64_t part_at;
	uint8_t head[NX_GRPC_PREFIX_BYTES];
	size_t head_at;
	/* under the hub's lock */
	bool is_handled; /* the handler has it */
	bool is_over;	 /* the caller has gone */
	void (*on_end)(void *context);
	void *end_context;
	struct nx_rpc_call *next_answered;
};

/* rpc_response.c: submits what the answer holds. */
void nx_rpc_respond(struct nx_rpc_call *call);
/* A refusal by HTTP alone, for callers that do not speak gRPC. */
void nx_rpc_refuse_http(struct nx_rpc_call *call, unsigned http_status);
void nx_rpc_refuse(struct nx_rpc_call *call, enum nx_grpc_status status, const char *sentence);

#endif
