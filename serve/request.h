/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: an HTTP request, parsed and checked before a handler sees it.
 *
 *	const char *name = nx_request_variable(request, "p");
 *	st = nx_request_u64(request, "limit", 100, 10000, &limit, err);
 *
 * The target is kept as it was sent: it is split at '/', '?' and '&' first and
 * percent-decoded afterwards, so that an encoded slash is part of a name and
 * never a separator. A part that is not UTF-8 or holds a control character is
 * refused; so are "." and "..", whatever their spelling.
 *
 * The getters return USAGE with a message that names the parameter. All texts
 * live in the request's arena; handlers may allocate there too.
 */
#ifndef NX_SERVE_REQUEST_H
#define NX_SERVE_REQUEST_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json_reader.h"
#include "base/vec.h"

#define NX_REQUEST_SEGMENTS_MAX 32
#define NX_REQUEST_VARIABLES_MAX 4
#define NX_REQUEST_PARAMETERS_MAX 256

enum nx_method {
	NX_GET, /* and HEAD: the frame leaves the body out */
	NX_POST,
	NX_PUT,
	NX_PATCH,
	NX_DELETE,
	NX_METHOD_COUNT,
};

struct nx_parameter {
	const char *name;
	const char *value;
};

struct nx_route;
struct nx_exchange; /* the connection behind a request; NULL in tests */
struct nx_open_profile;
struct nx_question;

struct nx_request {
	struct nx_arena arena;
	enum nx_method method;
	const char *target;			       /* as it was sent */
	const char *segments[NX_REQUEST_SEGMENTS_MAX]; /* decoded */
	size_t segment_count;
	bool ends_in_slash;
	struct nx_parameter *parameters; /* decoded, in their order */
	size_t parameter_count;
	const struct nx_route *route;
	struct {
		const char *name;
		const char *value;
	} variables[NX_REQUEST_VARIABLES_MAX];
	size_t variable_count;
	struct nx_bytes body; /* unless the route receives it piece by piece */
	void *state;	      /* the route's own; its forget releases what it holds */
	/* Of a failure: another status than the sentence's, and what its JSON says besides, such
	 * as "\"received\":\"12\"". */
	unsigned problem_status;
	const char *problem_members;
	struct nx_exchange *exchange;
	struct nx_open_profile *profile; /* these two: serve/asking.h */
	struct nx_question *question;
};

/* False for words that are not a method. */
bool nx_method_parse(const char *word, enum nx_method *method);
const char *nx_method_word(enum nx_method method);

/* Splits and decodes target, which is copied. USAGE if it is invalid. Release it after a failure
 * too. */
NX_MUST_CHECK enum nx_status nx_request_parse(struct nx_request *request, enum nx_method method,
					      const char *target, struct nx_error *err);
void nx_request_release(struct nx_request *request);

/* Of the route's pattern; the name has to be in it. */
const char *nx_request_variable(const struct nx_request *request, const char *name);
/* A variable that is a whole number; NOT_FOUND if it is not, as for any unknown path. */
NX_MUST_CHECK enum nx_status nx_request_variable_u64(const struct nx_request *request,
						     const char *name, uint64_t *value,
						     struct nx_error *err);

/* The first parameter of that name; NULL when there is none. */
const char *nx_request_find(const struct nx_request *request, const char *name);
/* One after the other where a name repeats: start with *at = 0; NULL after the last. */
const char *nx_request_next(const struct nx_request *request, const char *name, size_t *at);

NX_MUST_CHECK enum nx_status nx_request_need(const struct nx_request *request, const char *name,
					     const char **value, struct nx_error *err);
/* A whole number up to most; fallback when it is not given. */
NX_MUST_CHECK enum nx_status nx_request_u64(const struct nx_request *request, const char *name,
					    uint64_t fallback, uint64_t most, uint64_t *value,
					    struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_request_need_u64(const struct nx_request *request, const char *name,
						 uint64_t most, uint64_t *value,
						 struct nx_error *err);
/* Parts between commas, none of them empty; count 0 when the parameter is missing or "". */
NX_MUST_CHECK enum nx_status nx_request_list(struct nx_request *request, const char *name,
					     size_t most, const char ***parts, size_t *count,
					     struct nx_error *err);

/* The body as a JSON object. */
NX_MUST_CHECK enum nx_status nx_request_json(struct nx_request *request,
					     const struct nx_json **object, struct nx_error *err);

/* A header of the request; NULL when there is none. */
const char *nx_request_header(const struct nx_request *request, const char *name);

/* --- for slow handlers --------------------------------------------------- */

/* False if the client disconnected or the server ends. Costs a system call; call it every few
 * thousand rows. Takes a struct nx_request, as a callback. */
bool nx_request_is_wanted(void *request);
/* CANCELLED if the answer is no longer wanted. */
NX_MUST_CHECK enum nx_status nx_request_go_on(struct nx_request *request, struct nx_error *err);

#endif
