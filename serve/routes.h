/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: the one list of what the server answers. Adding a resource is writing a
 * handler (serve/handlers.h) and one row in serve/routes.c; the description of the API
 * is made from the same rows.
 *
 * A pattern is a path whose parts may be variables: "/api/v1/profiles/{p}/window".
 * {p} has to be a name that a profile can have; "{path...}" at the end takes all
 * parts that are left, joined by slashes, and never leads upwards. The first row that
 * fits is taken.
 */
#ifndef NX_SERVE_ROUTES_H
#define NX_SERVE_ROUTES_H

#include "serve/reply.h"
#include "serve/request.h"

struct nx_server;

/* Where a handler runs. */
enum nx_route_place {
	NX_ROUTE_AT_ONCE, /* on the thread of the connection: must never wait */
	NX_ROUTE_QUICK,	  /* on the queue of short work: windows, rows, files; up to a second */
	NX_ROUTE_SLOW,	  /* on the queue of long work: SQL, searches, processing */
};

#define NX_ROUTE_JSON_BODY 1u /* needs Content-Type: application/json */
#define NX_ROUTE_OPEN 2u      /* needs no token */

typedef enum nx_status (*nx_handler_fn)(struct nx_server *server, struct nx_request *request,
					struct nx_reply *reply, struct nx_error *err);

/*
 * Takes the body piece by piece, on the thread of the connection, before the handler runs. The
 * first call has an empty piece and may set request->state, which lives in the request's arena or
 * is released by forget. After a failure neither this nor the handler is called again.
 */
typedef enum nx_status (*nx_receive_fn)(struct nx_server *server, struct nx_request *request,
					struct nx_slice piece, struct nx_error *err);

struct nx_route {
	enum nx_method method;
	const char *pattern;
	nx_handler_fn handle;
	enum nx_route_place place;
	unsigned flags;
	const char *summary;			    /* for openapi.json */
	const char *answer;			    /* its type in api_types.c; NULL: see api.md */
	const char *slow_with[2];		    /* a QUICK row with one of these is SLOW */
	size_t body_bytes_max;			    /* 0: no body is taken */
	nx_receive_fn receive;			    /* NULL: collected in request->body */
	void (*forget)(struct nx_request *request); /* if there is a state: called at the end */
};

/*
 * For a quick handler that finds that it will take long: when it has returned OK, next is called
 * instead of an answer being sent, on the queue of long work. What was parsed is in request->state;
 * next may never be called, if the client goes away, so forget releases what the state holds.
 */
void nx_request_continue_slow(struct nx_request *request, nx_handler_fn next);

extern const struct nx_route nx_routes[];
extern const size_t nx_route_count;

/*
 * Finds the route of a parsed request and sets its variables. NOT_FOUND when no pattern
 * fits; USAGE with *allowed set ("GET, PUT", in the request's arena) when one does for
 * other methods.
 */
NX_MUST_CHECK enum nx_status nx_route_find(struct nx_request *request, const char **allowed,
					   struct nx_error *err);

/* Whether its handler runs on the queue of long work. */
bool nx_route_is_slow(const struct nx_request *request);

/* The description of all rows, as JSON (serve/api_types.c). */
void nx_routes_describe(struct nx_json_writer *w);

#endif
