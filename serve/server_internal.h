/* SPDX-License-Identifier: Apache-2.0 */
/* server_internal: what the files of the frame share; handlers use serve/server.h. */
#ifndef NX_SERVE_SERVER_INTERNAL_H
#define NX_SERVE_SERVER_INTERNAL_H

#include <microhttpd.h>

#include "serve/routes.h"
#include "serve/server.h"

/* One request on its way; freed when neither connection nor worker needs it. */
struct nx_exchange {
	struct nx_server *server;
	struct MHD_Connection *connection;
	struct nx_request request;
	struct nx_reply reply;
	struct nx_error error;
	atomic_uint reference_count;
	bool is_seen;	    /* the head was looked at */
	bool is_answered;   /* the reply is complete */
	bool is_queued;	    /* was given to a worker */
	bool is_streaming;  /* its handler sends while it works */
	nx_handler_fn next; /* continues the handler on the slow queue */
	uint64_t body_bytes;
	uint64_t client; /* a number for its address */
	int fd;		 /* of the connection, to detect whether the client disconnected */
	/* Begun by a handler that still runs; it holds a reference. Watchdogs read it. */
	_Atomic(struct nx_stream *) stream;
	struct nx_job job; /* on one of the queues */
};

/* MHD's callbacks; cls is the server. */
void *nx_exchange_begin(void *cls, const char *target, struct MHD_Connection *connection);
enum MHD_Result nx_exchange_go_on(void *cls, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **exchange);
void nx_exchange_end(void *cls, struct MHD_Connection *connection, void **exchange,
		     enum MHD_RequestTerminationCode why);

#endif
