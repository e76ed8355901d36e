/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc_server: gRPC over clear-text HTTP/2, unary methods, on one thread of its own.
 *
 * It may run inside another program: it never prints, never ends the program, and every buffer has
 * a limit. If memory runs out, the connection that needed it is closed. Callers must prove that
 * they know the token, if there is one.
 */
#ifndef NX_RPC_RPC_SERVER_H
#define NX_RPC_RPC_SERVER_H

#include "base/error.h"
#include "rpc/rpc_call.h"

struct nx_rpc_server;

/* 0 stands for the default of each. */
struct nx_rpc_limits {
	unsigned max_connections;    /* 16 */
	unsigned max_streams;	     /* 32, of a connection */
	uint32_t max_request_bytes;  /* 4 MiB */
	uint32_t max_all_bytes;	     /* 8 MiB, of all incomplete and unanswered requests */
	unsigned max_control_frames; /* 1000 in 10 s: pings, settings, resets, priorities */
	uint64_t request_ns;	     /* 30 s to complete the handshake or a request */
	uint64_t stall_ns;	     /* 60 s in which nothing of an answer could be sent */
	uint64_t ping_ns;	     /* 30 s of silence, then a ping; as long again, then close */
	uint64_t idle_ns;	     /* 10 min without a call */
};

struct nx_rpc_server_options {
	const char *host;  /* a numeric address, such as "127.0.0.1" or "::1" */
	uint16_t port;	   /* 0: any that is free */
	const char *token; /* NULL: none; copied */
	void (*handle)(void *context, struct nx_rpc_call *call);
	void *context;
	struct nx_rpc_limits limits;
};

/* Listens and starts the thread. USAGE if host is not an address; IO if the port is taken. */
NX_MUST_CHECK enum nx_status nx_rpc_server_open(struct nx_rpc_server **server,
						const struct nx_rpc_server_options *options,
						struct nx_error *err);
uint16_t nx_rpc_server_port(const struct nx_rpc_server *server);
/*
 * Refuses new calls and ends those that run: on_end is called, and callers get UNAVAILABLE. Calls
 * must have been answered by their handlers before the second function, which joins and frees.
 */
void nx_rpc_server_stop(struct nx_rpc_server *server);
void nx_rpc_server_close(struct nx_rpc_server *server);

/* For pthread_atfork. The child has no server: all its descriptors are closed there, and what is
 * left of the struct is never used again. */
void nx_rpc_server_before_fork(struct nx_rpc_server *server);
void nx_rpc_server_after_fork(struct nx_rpc_server *server, bool is_child);

#endif
