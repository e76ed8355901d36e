/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc_client: unary gRPC calls to many servers at once, from one thread.
 *
 *	struct nx_rpc_client *client = nx_rpc_client_new();
 *
 *	nx_rpc_client_call(client, "host:9012", &request);
 *	while (nx_rpc_client_pending(client))
 *		nx_rpc_client_turn(client, 100);
 *	nx_rpc_client_free(client);
 *
 * Calls to the same address share a connection; one that is closed is dialled again for the next
 * call. Plain TCP: no TLS. Host names are looked up when a call starts, which may block.
 */
#ifndef NX_RPC_RPC_CLIENT_H
#define NX_RPC_RPC_CLIENT_H

#include "rpc/rpc_channel.h"

/* Bytes of a host name with its NUL; DNS allows 253 characters. */
#define NX_RPC_HOST_MAX 256

struct nx_rpc_address {
	char host[NX_RPC_HOST_MAX]; /* without brackets */
	uint16_t port;
	bool is_bracketed; /* an IPv6 address */
};

/* "host:port", "127.0.0.1:9012" or "[::1]:9012"; USAGE if it is none of these. */
NX_MUST_CHECK enum nx_status nx_rpc_address_parse(struct nx_slice text,
						  struct nx_rpc_address *address,
						  struct nx_error *err);

struct nx_rpc_client;

struct nx_rpc_client *nx_rpc_client_new(void);
/* Calls that have not ended are dropped without done. */
void nx_rpc_client_free(struct nx_rpc_client *client);

/* Never fails: what goes wrong is reported by done, from a later turn. Returns the call's id. */
uint64_t nx_rpc_client_call(struct nx_rpc_client *client, const char *address,
			    const struct nx_rpc_request *request);
/* The call ends as CANCELLED at the next turn, unless it has ended before. */
void nx_rpc_client_cancel(struct nx_rpc_client *client, uint64_t id);

/* Waits at most so long for something to happen, and deals with it. A signal ends the wait. */
void nx_rpc_client_turn(struct nx_rpc_client *client, unsigned wait_ms);
size_t nx_rpc_client_pending(const struct nx_rpc_client *client);

#endif
