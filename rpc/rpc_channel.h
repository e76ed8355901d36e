/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc_channel: unary gRPC calls over one HTTP/2 connection, without its socket.
 *
 * The owner feeds the bytes that arrived, sends those that are due, and reports the calls that
 * ended. rpc_client does that for many connections; use it instead. Not safe between threads.
 */
#ifndef NX_RPC_RPC_CHANNEL_H
#define NX_RPC_RPC_CHANNEL_H

#include "base/bare/slice.h"
#include "base/error.h"
#include "rpc/grpc_message.h"

enum nx_rpc_end {
	NX_RPC_ANSWERED,  /* status OK, and the whole message was taken */
	NX_RPC_STATUS,	  /* the server gave another status */
	NX_RPC_UNREACHED, /* no connection; the server has not seen the call */
	NX_RPC_BROKEN,	  /* the answer broke off, or it is not gRPC */
	NX_RPC_EXPIRED,	  /* the deadline passed */
	NX_RPC_CANCELLED, /* by the caller */
	NX_RPC_NOT_TAKEN, /* the taker failed, or the answer exceeded the limit */
};

#define NX_RPC_TEXT_MAX 512

struct nx_rpc_result {
	enum nx_rpc_end end;
	enum nx_grpc_status status;	/* the server's, or the nearest one */
	char text[NX_RPC_TEXT_MAX];	/* the server's words about its status */
	uint64_t size_bytes;		/* of the message so far */
	uint64_t asked_ns, answered_ns; /* epoch: request sent, last byte here; 0: never */
	struct nx_error error;		/* unless ANSWERED: one sentence that names the server */
};

/* Takes the next piece of the answer's message; a failure ends the call. */
typedef enum nx_status (*nx_rpc_take_fn)(void *context, struct nx_slice piece,
					 struct nx_error *err);
/* Sees headers and trailers, whose names are in lower case. */
typedef void (*nx_rpc_metadata_fn)(void *context, struct nx_slice name, struct nx_slice value);
/* Called once, when the call has ended; may start and cancel other calls. */
typedef void (*nx_rpc_done_fn)(void *context, const struct nx_rpc_result *answer);

struct nx_rpc_request {
	const char *path;	 /* "/package.Service/Method" */
	struct nx_slice message; /* copied; at most UINT32_MAX bytes */
	const char *token;	 /* sent as "authorization: Bearer ..."; NULL: none */
	uint64_t timeout_ms;	 /* 0: none */
	uint64_t limit_bytes;	 /* of the answer's message */
	nx_rpc_take_fn take;	 /* NULL: the message is dropped */
	nx_rpc_metadata_fn metadata;
	nx_rpc_done_fn done;
	void *context;
};

struct nx_rpc_channel;

/* The address is for messages and the :authority header; it is copied. */
struct nx_rpc_channel *nx_rpc_channel_new(const char *address);
/* Calls that have not ended are dropped without done. */
void nx_rpc_channel_free(struct nx_rpc_channel *connection);

void nx_rpc_channel_start(struct nx_rpc_channel *connection, uint64_t id,
			  const struct nx_rpc_request *request);
/* False if the call is not one of this connection, or has ended. */
bool nx_rpc_channel_cancel(struct nx_rpc_channel *connection, uint64_t id);
/* Ends the calls whose deadline is before now_ns (of nx_now_ns); returns the next deadline,
 * UINT64_MAX if there is none. */
uint64_t nx_rpc_channel_expire(struct nx_rpc_channel *connection, uint64_t now_ns);

void nx_rpc_channel_feed(struct nx_rpc_channel *connection, struct nx_slice bytes);
/* The bytes to send next, empty if there are none; valid until the next call of any function. */
struct nx_slice nx_rpc_channel_output(struct nx_rpc_channel *connection);
/* Ends all calls with this sentence. Nothing more is sent. */
void nx_rpc_channel_break(struct nx_rpc_channel *connection, enum nx_rpc_end end,
			  const struct nx_error *why);

/* Calls done of each call that has ended. Not from done. */
void nx_rpc_channel_report(struct nx_rpc_channel *connection);

size_t nx_rpc_channel_pending(const struct nx_rpc_channel *connection);
/* Whether further calls may be started: it is neither broken nor closing. */
bool nx_rpc_channel_is_usable(const struct nx_rpc_channel *connection);

#endif
