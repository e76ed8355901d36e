/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client: sends requests to an HTTP server over a persistent connection.
 *
 *	struct nx_http_client *http = nx_http_client_new();
 *	struct nx_http_request request = {.url = "http://localhost:8123/", .body = sql};
 *	struct nx_http_answer answer = {0};
 *
 *	st = nx_http_client_ask(http, &request, &answer, err);
 *	... answer.code, answer.body ...
 *	nx_http_answer_release(&answer);
 *	nx_http_client_free(http);
 *
 * Responses with codes such as 404 or 500 are OK here; the caller judges them. IO means that no
 * complete response came; whether the server processed the request is then unknown.
 *
 * Redirects are not followed, certificates are checked, proxies come from the environment
 * (http_proxy, https_proxy, no_proxy). A client belongs to one thread.
 */
#ifndef NX_BASE_HTTP_CLIENT_H
#define NX_BASE_HTTP_CLIENT_H

#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_http_client;

/* Takes a piece of a body as it arrives; a failure ends the call and becomes its status. */
typedef enum nx_status (*nx_http_take_fn)(void *context, struct nx_slice piece,
					  struct nx_error *err);

/* Fills at most room bytes of a body that is sent piece by piece; 0 ends the call early. */
typedef size_t (*nx_http_give_fn)(void *context, void *to, size_t room);

struct nx_http_request {
	const char *url;
	const char *method;	     /* NULL: GET, POST with a body, PUT with give */
	const char *user, *password; /* basic authentication; NULL: none */
	const char *header;	     /* one more line, "Name: value"; NULL: none */
	const char *const *headers;  /* further lines, up to a NULL; NULL: none */
	const char *content_type;    /* NULL: application/octet-stream */
	struct nx_slice body;	     /* posted, borrowed; data NULL: a GET */
	nx_http_give_fn give;	     /* instead of body: give_bytes of them, never in memory */
	uint64_t give_bytes;
	void *give_context;
	nx_http_take_fn take;	/* of answers with code 200; NULL: kept in the answer */
	void *context;		/* for take */
	uint32_t stall_seconds; /* without a byte in either direction; 0: 300 */
};

/* The most that is kept of a body without a take function. */
#define NX_HTTP_KEPT_BYTES ((size_t)1 << 20)

struct nx_http_answer {
	unsigned code;	 /* 200, ...; 0: no response */
	bool is_cut;	 /* the body was longer than what is kept */
	bool is_refused; /* the taker failed, not the connection */
	struct nx_bytes body;
};

struct nx_http_client *nx_http_client_new(void);
void nx_http_client_free(struct nx_http_client *client);

/* The answer may be reused: it is emptied first. */
NX_MUST_CHECK enum nx_status nx_http_client_ask(struct nx_http_client *client,
						const struct nx_http_request *request,
						struct nx_http_answer *answer,
						struct nx_error *err);
void nx_http_answer_release(struct nx_http_answer *answer);

#endif
