/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard: decides from the head of a request whether it may be answered, before anything else is
 * done with it. docs/design/serve.md lists the attacks.
 *
 * It checks, in this order: whether the head has one meaning only (400), the address the request
 * was sent to (421), the page that sent it (403), the token (401), and once the route is known the
 * length (413) and type (415) of the body.
 */
#ifndef NX_SERVE_GUARD_H
#define NX_SERVE_GUARD_H

#include "serve/request.h"

#define NX_TOKEN_COOKIE "neuron_explorer_token"

struct nx_guard {
	const char *listening_on; /* as in the options */
	uint16_t ports[2];	  /* of pages and API, the same when there is one */
	const char *token;	  /* NULL: none is needed */
};

/* Headers of the request; NULL if missing. */
struct nx_head {
	const char *host;
	const char *origin;
	const char *authorization;
	const char *cookie_token; /* the value of the cookie NX_TOKEN_COOKIE */
	const char *content_type;
	const char *content_length;
	bool is_chunked; /* the length of the body is unknown */
	/* How many there are: proxies and servers may disagree which of two counts. */
	unsigned host_count, length_count, chunked_count;
};

/* host: the Host header or NULL; listening_on: as in the options. */
bool nx_guard_is_our_host(const char *host, const char *listening_on);
/* *http_status is set on failure. */
NX_MUST_CHECK enum nx_status nx_guard_check(const struct nx_guard *guard,
					    const struct nx_head *head, unsigned *http_status,
					    struct nx_error *err);
/* Requires the route of the request. */
NX_MUST_CHECK enum nx_status nx_guard_check_token(const struct nx_guard *guard,
						  const struct nx_request *request,
						  const struct nx_head *head, unsigned *http_status,
						  struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_guard_check_body(const struct nx_request *request,
						 const struct nx_head *head, unsigned *http_status,
						 struct nx_error *err);

/* Whether text is the token; takes constant time, so timing reveals nothing about the token. */
bool nx_guard_is_token(const struct nx_guard *guard, const char *text);

/* The headers of every response; false after the last. */
bool nx_guard_header(size_t idx, const char **name, const char **value);

#endif
