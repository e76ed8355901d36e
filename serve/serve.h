/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: a workspace of profiles as web pages and an HTTP API (docs/api.md), from this
 * process, until told to stop.
 *
 *	static volatile sig_atomic_t stop;  (set by a signal handler)
 *	struct nx_serve_options options = {
 *		.workspace_path = path, .port = 3001, .api_port = 3002,
 *		.on_ready = print_url, .stop = &stop};
 *	st = nx_serve(&options, err);
 *
 * Both ports answer the same; the second is where other tools expect the API. If it is in
 * use and was not given by the user, the server does without it and says so in its note. With
 * disable_ui only the second one is opened.
 */
#ifndef NX_SERVE_SERVE_H
#define NX_SERVE_SERVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define NX_SERVE_DEFAULT_PORT 3001
#define NX_SERVE_DEFAULT_API_PORT 3002

struct nx_serve_ready {
	const char *url; /* of the profile to open, or of the list of profiles */
	bool is_of_profile;
	bool is_api;	     /* url is that of an answer of the API: there are no pages */
	const char *api_url; /* NULL when there is one port only */
	const char *note;    /* a sentence the user should know; NULL: none */
};

struct nx_serve_options {
	const char *workspace_path; /* made when it is missing */
	const char *host;	    /* name or address to listen on; NULL: this machine only */
	uint16_t port;		    /* 0: any free one */
	uint16_t api_port;	    /* 0: none; with disable_ui the only port, 0: any free one */
	bool is_api_port_asked;	    /* given by the user: fail if it is in use */
	bool disable_ui;	    /* the API alone, no pages */
	const char *token;	    /* NULL or "": none is needed */
	const char *program;	    /* that processes uploads; NULL: this executable */
	uint64_t query_memory_limit_bytes; /* of all SQL together; 0: half of the machine's */
	const char *open_name;		   /* the profile to print the URL of; NULL: the list */
	bool opens_ranks;		   /* open_name is that of several ranks together */
	bool shows_id; /* the URL has the id of the contents, n_... or p_..., not the name */
	/* Called once, on the calling thread, when the server is ready. */
	void (*on_ready)(void *context, const struct nx_serve_ready *ready);
	void *context;
	volatile sig_atomic_t *stop; /* serving ends a moment after it is not 0 */
};

/*
 * Whether nx_serve could listen now, with the same messages: for a caller that has long work to do
 * first. Only token, host and ports are read.
 */
NX_MUST_CHECK enum nx_status nx_serve_check(const struct nx_serve_options *options,
					    struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_serve(const struct nx_serve_options *options, struct nx_error *err);

#endif
