/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply: the response of a handler. A zeroed one is 200 without a body.
 *
 *	nx_reply_json(reply, &w);
 *	nx_json_key_u64(&w, "total", total);
 *	nx_json_end_object(&w);
 *
 * Bytes come from one place: body (owned, freed by the frame), borrowed (lives as
 * long as the program), fd (closed by the frame), or a stream that continues after the
 * head was sent (serve/stream.h). A handler that fails returns a status and a
 * message instead; the frame turns them into problem+json and drops the reply's contents.
 */
#ifndef NX_SERVE_REPLY_H
#define NX_SERVE_REPLY_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/vec.h"

#define NX_TYPE_JSON "application/json"
#define NX_TYPE_PROBLEM "application/problem+json"
#define NX_TYPE_OCTETS "application/octet-stream"
#define NX_TYPE_TEXT "text/plain; charset=utf-8"

#define NX_REPLY_HEADERS_MAX 8

struct nx_stream;

struct nx_reply {
	unsigned http_status; /* 0: 200, or derived from the status of the failure */
	const char *type;     /* NULL: JSON */
	struct nx_bytes body;
	struct nx_slice borrowed;
	bool has_fd;
	int fd;
	uint64_t fd_bytes;
	struct nx_stream *stream;
	struct {
		const char *name, *value;
	} headers[NX_REPLY_HEADERS_MAX];
	size_t header_count;
	const char *problem_members; /* of problem+json besides the usual; NULL: none */
};

/* Begins an object; the caller ends it. */
void nx_reply_json(struct nx_reply *reply, struct nx_json_writer *w);
/* Texts are borrowed until the reply is sent: constants, or from the request's arena. */
void nx_reply_add_header(struct nx_reply *reply, const char *name, const char *value);
/* Frees what it owns and empties it. */
void nx_reply_clear(struct nx_reply *reply);

/*
 * Turns the reply into problem+json. Keeps http_status if the handler set one. Removes
 * the path of the workspace from the message: clients need not know it.
 */
void nx_reply_problem(struct nx_reply *reply, const struct nx_error *error, const char *folder);

/* 64 bits as a text: JavaScript's numbers cannot hold them. */
void nx_json_key_u64_text(struct nx_json_writer *w, const char *key, uint64_t value);
/* "key":[ */
void nx_json_key_array(struct nx_json_writer *w, const char *key);
/* null instead of a missing value; a text is missing if it is NULL. */
void nx_json_key_text_or_null(struct nx_json_writer *w, const char *key, const char *text);
void nx_json_key_u64_or_null(struct nx_json_writer *w, const char *key, bool has, uint64_t value);
void nx_json_key_f64_or_null(struct nx_json_writer *w, const char *key, bool has, double value);

#endif
