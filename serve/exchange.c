/* SPDX-License-Identifier: Apache-2.0 */
/* One request on its way: from the connection to its handler and back. */
#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/map.h"
#include "serve/server_internal.h"

#define STREAM_BLOCK_BYTES ((size_t)64 << 10)
#define REQUEST_SECONDS 60
#define IDLE_SECONDS 20 /* between requests */

static void release(struct nx_exchange *x)
{
	if (atomic_fetch_sub(&x->reference_count, 1) != 1)
		return;
	nx_reply_clear(&x->reply);
	nx_request_release(&x->request);
	nx_heap_free(x);
}

struct beginning {
	struct nx_exchange *x;
	const char *target;
};

static void copy_target(void *context)
{
	struct beginning *b = context;

	b->x->request.target = nx_arena_copy_text(&b->x->request.arena, b->target);
}

/* NULL, which closes the connection, if memory is full. */
void *nx_exchange_begin(void *cls, const char *target, struct MHD_Connection *connection)
{
	struct beginning b = {nx_heap_try_alloc(sizeof(*b.x)), target};

	if (!b.x)
		return NULL;
	/* it has begun a request, so it may take longer */
	MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
				  (unsigned)REQUEST_SECONDS);
	*b.x = (struct nx_exchange){.server = cls, .connection = connection, .reference_count = 1};
	if (nx_heap_guarded(copy_target, &b))
		return b.x;
	release(b.x);
	return NULL;
}

static void forget(struct nx_exchange *x)
{
	if (x->request.state && x->request.route->forget)
		x->request.route->forget(&x->request);
}

void nx_exchange_end(void *cls, struct MHD_Connection *connection, void **exchange,
		     enum MHD_RequestTerminationCode why)
{
	struct nx_exchange *x = *exchange;

	(void)cls, (void)why;
	MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
				  (unsigned)IDLE_SECONDS);
	*exchange = NULL;
	if (!x)
		return;
	/* what a stream needs is released by its last worker, which may still run */
	if (!x->is_streaming)
		forget(x);
	release(x);
}

static void fail_with(struct nx_exchange *x, unsigned http_status)
{
	x->reply.http_status = http_status ? http_status : x->request.problem_status;
	x->reply.problem_members = x->request.problem_members;
	nx_reply_problem(&x->reply, &x->error, nx_workspace_path(x->server->workspace));
	x->is_answered = true;
}

/* --- the answer ------------------------------------------------------------------------ */

struct sending {
	struct nx_stream *stream;
	struct MHD_Connection *connection;
};

static ssize_t read_stream(void *context, uint64_t offset, char *to, size_t room)
{
	struct sending *s = context;
	ssize_t got = nx_stream_read(s->stream, s->connection, to, room);

	(void)offset;
	if (got == -1)
		return MHD_CONTENT_READER_END_OF_STREAM;
	return got == -2 ? MHD_CONTENT_READER_END_WITH_ERROR : got;
}

static void end_stream(void *context)
{
	struct sending *s = context;

	nx_stream_leave(s->stream);
	nx_stream_release(s->stream);
	nx_heap_free(s);
}

static struct MHD_Response *make_stream(struct nx_exchange *x)
{
	struct sending *s = nx_heap_alloc(sizeof(*s));
	struct MHD_Response *response;

	*s = (struct sending){x->reply.stream, x->connection};
	x->reply.stream = NULL;
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
						     read_stream, s, end_stream);
	if (!response)
		end_stream(s);
	return response;
}

static struct MHD_Response *make_response(struct nx_exchange *x)
{
	struct nx_reply *reply = &x->reply;
	struct MHD_Response *response;

	if (reply->stream)
		return make_stream(x);
	if (reply->has_fd) {
		response = MHD_create_response_from_fd64(reply->fd_bytes, reply->fd);
		reply->has_fd = !response; /* else MHD closes it */
		return response;
	}
	if (!reply->body.len)
		return MHD_create_response_from_buffer(reply->borrowed.len,
						       (void *)(uintptr_t)reply->borrowed.data,
						       MHD_RESPMEM_PERSISTENT);
	response = MHD_create_response_from_buffer_with_free_callback(
		reply->body.len, reply->body.items, nx_vec_free_items);
	if (response)
		reply->body = (struct nx_bytes){0};
	return response;
}

static void add_headers(struct MHD_Response *response, const struct nx_reply *reply)
{
	const char *name, *value;
	bool has_cache = false;

	for (size_t i = 0; nx_guard_header(i, &name, &value); i++)
		MHD_add_response_header(response, name, value);
	for (size_t i = 0; i < reply->header_count; i++) {
		has_cache |= !strcasecmp(reply->headers[i].name, MHD_HTTP_HEADER_CACHE_CONTROL);
		MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
	}
	if (!has_cache)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				reply->type ? reply->type : NX_TYPE_JSON);
}

static enum MHD_Result send_reply(struct nx_exchange *x)
{
	unsigned http_status = x->reply.http_status ? x->reply.http_status : MHD_HTTP_OK;
	struct MHD_Response *response = make_response(x);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	add_headers(response, &x->reply);
	result = MHD_queue_response(x->connection, http_status, response);
	MHD_destroy_response(response);
	return result;
}

/* --- the head ------------------------------------------------------------------------- */

static const char *header(struct nx_exchange *x, const char *name)
{
	return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
				    size_t name_size, const char *value, size_t value_size)
{
	struct nx_head *head = context;

	(void)kind, (void)name_size, (void)value, (void)value_size;
	head->host_count += !strcasecmp(name, MHD_HTTP_HEADER_HOST);
	head->length_count += !strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH);
	head->chunked_count += !strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	return MHD_YES;
}

static struct nx_head read_head(struct nx_exchange *x)
{
	struct nx_head head = {
		.host = header(x, MHD_HTTP_HEADER_HOST),
		.origin = header(x, MHD_HTTP_HEADER_ORIGIN),
		.authorization = header(x, MHD_HTTP_HEADER_AUTHORIZATION),
		.cookie_token = MHD_lookup_connection_value(x->connection, MHD_COOKIE_KIND,
							    NX_TOKEN_COOKIE),
		.content_type = header(x, MHD_HTTP_HEADER_CONTENT_TYPE),
		.content_length = header(x, MHD_HTTP_HEADER_CONTENT_LENGTH),
		.is_chunked = header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL,
	};

	MHD_get_connection_values_n(x->connection, MHD_HEADER_KIND, count_header, &head);
	return head;
}

/*
 * The printed address has the token as a parameter. It becomes a cookie, and the browser is
 * sent to the same page without it, so that it does not stay in the address.
 */
static bool take_token(struct nx_exchange *x)
{
	struct nx_request *request = &x->request;
	const char *given = nx_request_find(request, "token");
	const char *target = request->target;

	if (!x->server->guard.token || !given || request->method != NX_GET ||
	    !nx_guard_is_token(&x->server->guard, given))
		return false;
	x->reply.http_status = MHD_HTTP_SEE_OTHER;
	/* "//evil.example" would be another site */
	target += strspn(target, "/\\");
	nx_reply_add_header(&x->reply, MHD_HTTP_HEADER_LOCATION,
			    nx_arena_printf(&request->arena, "/%.*s", (int)strcspn(target, "?"),
					    target));
	nx_reply_add_header(&x->reply, MHD_HTTP_HEADER_SET_COOKIE,
			    nx_arena_printf(&request->arena,
					    NX_TOKEN_COOKIE "=%s; Path=/; HttpOnly; "
							    "SameSite=Strict",
					    x->server->guard.token));
	x->is_answered = true;
	return true;
}

static enum nx_status find_route(struct nx_exchange *x, unsigned *http_status)
{
	const char *allowed;
	enum nx_status st = nx_route_find(&x->request, &allowed, &x->error);

	if (st && allowed) {
		*http_status = MHD_HTTP_METHOD_NOT_ALLOWED;
		fail_with(x, *http_status);
		nx_reply_add_header(&x->reply, MHD_HTTP_HEADER_ALLOW, allowed);
	}
	return st;
}

static enum nx_status check_head(struct nx_exchange *x, const char *word, unsigned *http_status)
{
	struct nx_server *server = x->server;
	struct nx_head head = read_head(x);
	enum nx_method method;
	enum nx_status st = nx_guard_check(&server->guard, &head, http_status, &x->error);
	const char *target = x->request.target;
	struct nx_arena old = x->request.arena;

	if (st)
		return st;
	if (!nx_method_parse(word, &method)) {
		*http_status = MHD_HTTP_NOT_IMPLEMENTED;
		return nx_fail(&x->error, NX_USAGE, "this server does not know the method");
	}
	st = nx_request_parse(&x->request, method, target, &x->error);
	nx_arena_release(&old);
	x->request.exchange = x;
	if (st || take_token(x))
		return st;
	st = find_route(x, http_status);
	/* without the token a client must not learn which routes exist */
	if (nx_guard_check_token(&server->guard, &x->request, &head, http_status, &x->error)) {
		nx_reply_clear(&x->reply);
		x->is_answered = false;
		return x->error.status;
	}
	return st ? st : nx_guard_check_body(&x->request, &head, http_status, &x->error);
}

static enum MHD_Result look_at_head(struct nx_exchange *x, const char *method)
{
	unsigned http_status = 0;
	enum nx_status st = check_head(x, method, &http_status);

	x->is_seen = true;
	if (!st && !x->is_answered && x->request.route->receive)
		st = x->request.route->receive(x->server, &x->request, (struct nx_slice){0},
					       &x->error);
	if (st && !x->is_answered)
		fail_with(x, http_status ? http_status : x->reply.http_status);
	/* This closes the connection, but reading an unwanted body would be worse. */
	if (x->is_answered && (header(x, MHD_HTTP_HEADER_CONTENT_LENGTH) ||
			       header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING)))
		return send_reply(x);
	return MHD_YES;
}

/* --- the body -------------------------------------------------------------------------- */

static enum MHD_Result take_body(struct nx_exchange *x, const char *upload, size_t *upload_size)
{
	const struct nx_route *route = x->request.route;
	struct nx_slice piece = nx_slice_of(upload, *upload_size);

	assert(x->is_seen && !x->is_queued);
	*upload_size = 0;
	if (x->is_answered)
		return MHD_YES;
	x->body_bytes += piece.len;
	/* A body of unknown length may be endless, so close the connection. */
	if (x->body_bytes > route->body_bytes_max)
		return MHD_NO;
	if (!route->receive)
		nx_bytes_append(&x->request.body, piece.data, piece.len);
	else if (route->receive(x->server, &x->request, piece, &x->error))
		fail_with(x, x->reply.http_status);
	return MHD_YES;
}

/* --- the handler ------------------------------------------------------------------------ */

struct call {
	struct nx_exchange *x;
	nx_handler_fn fn;
	bool is_first; /* not a continuation */
	enum nx_status st;
};

static void call_handler(void *context)
{
	struct call *c = context;

	if (c->is_first)
		nx_request_resolve_key(c->x->server, &c->x->request);
	c->st = c->fn(c->x->server, &c->x->request, &c->x->reply, &c->x->error);
}

static enum nx_status fail_memory(struct nx_exchange *x)
{
	x->request.problem_status = MHD_HTTP_SERVICE_UNAVAILABLE;
	return nx_fail(&x->error, NX_LIMIT,
		       "the server's memory is full; ask for less, or try again later");
}

/* What the handler kept in local variables is lost when memory runs out; engines, profiles and
 * streams belong to the request. IO, so that an engine in the middle of a query is not used again.
 */
static enum nx_status call_guarded(struct nx_exchange *x, nx_handler_fn fn)
{
	struct call call = {
		.x = x, .fn = fn, .is_first = x->is_queued && fn == x->request.route->handle};
	bool has_memory = nx_heap_guarded(call_handler, &call);
	enum nx_status st = nx_question_end(&x->request, has_memory ? call.st : NX_IO, &x->error);

	if (!has_memory)
		return fail_memory(x);
	/* its other failures may have the same reason */
	if (x->request.profile && nx_open_profile_check(x->request.profile, &x->error))
		st = x->error.status;
	return st;
}

/* False if there is none. */
static bool end_stream_of(struct nx_exchange *x, enum nx_status st)
{
	struct nx_stream *stream = atomic_exchange(&x->stream, NULL);

	if (!stream)
		return false;
	nx_stream_end(stream, st != NX_OK);
	nx_stream_release(stream);
	return true;
}

static void handle(struct nx_exchange *x, nx_handler_fn fn)
{
	struct nx_server *server = x->server;
	enum nx_status st;

	assert(fn && !x->is_answered);
	if (atomic_load(&server->is_stopping))
		st = nx_fail(&x->error, NX_CANCELLED, "the server is shutting down");
	else if (!nx_heap_has_reserve())
		st = fail_memory(x);
	else
		st = call_guarded(x, fn);
	if (!st && x->next)
		return;
	x->next = NULL;
	if (end_stream_of(x, st))
		return;
	if (st)
		fail_with(x, x->reply.http_status);
	x->is_answered = true;
}

static void refuse_crowd(struct nx_exchange *x)
{
	nx_fail(&x->error, NX_CANCELLED, "the server has too many requests; try again in a second");
	fail_with(x, MHD_HTTP_SERVICE_UNAVAILABLE);
}

static void finish(struct nx_exchange *x)
{
	if (x->is_streaming)
		forget(x);
	nx_open_profiles_return(x->request.profile);
	x->request.profile = NULL;
	if (!x->is_streaming)
		MHD_resume_connection(x->connection);
	release(x);
}

/* The reader took enough, or is gone. */
static void continue_stream(void *exchange)
{
	struct nx_exchange *x = exchange;

	x->job.is_continued = true;
	if (nx_workers_add(x->server->slow, &x->job))
		return;
	/* the server stops */
	(void)end_stream_of(x, NX_CANCELLED);
	finish(x);
}

/* A job of the queues. */
static void run(void *exchange)
{
	struct nx_exchange *x = exchange;
	nx_handler_fn fn = x->next ? x->next : x->request.route->handle;

	x->next = NULL;
	if (!nx_request_go_on(&x->request, &x->error))
		handle(x, fn);
	else if (!end_stream_of(x, NX_CANCELLED))
		fail_with(x, 0);
	if (x->next && x->is_streaming) {
		nx_stream_when_drained(atomic_load(&x->stream), continue_stream, x);
		return;
	}
	if (x->next && !x->is_answered) {
		if (nx_workers_add(x->server->slow, &x->job))
			return;
		refuse_crowd(x);
	}
	finish(x);
}

/* The same for all connections of an address. */
static uint64_t client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *address = info ? info->client_addr : NULL;

	if (address && address->sa_family == AF_INET)
		return nx_fnv1a(NX_FNV_SEED, &((const struct sockaddr_in *)address)->sin_addr, 4);
	if (address && address->sa_family == AF_INET6)
		return nx_fnv1a(NX_FNV_SEED, &((const struct sockaddr_in6 *)address)->sin6_addr,
				16);
	return 0;
}

static enum MHD_Result enqueue(struct nx_exchange *x)
{
	struct nx_server *server = x->server;
	bool is_slow = nx_route_is_slow(&x->request);
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	assert(!x->is_queued && x->request.route);
	x->fd = info ? info->connect_fd : -1;
	x->is_queued = true;
	x->client = client_of(x->connection);
	x->job =
		(struct nx_job){.run = run, .context = x, .is_detached = true, .client = x->client};
	atomic_fetch_add(&x->reference_count, 1);
	MHD_suspend_connection(x->connection);
	if (nx_workers_add(is_slow ? server->slow : server->quick, &x->job))
		return MHD_YES;
	refuse_crowd(x);
	MHD_resume_connection(x->connection);
	release(x);
	return MHD_YES;
}

struct step {
	struct nx_exchange *x;
	const char *method, *upload;
	size_t *upload_size;
	enum MHD_Result result;
};

static enum MHD_Result go_on(struct nx_exchange *x, const struct step *step)
{
	if (!x->is_seen)
		return look_at_head(x, step->method);
	if (*step->upload_size)
		return take_body(x, step->upload, step->upload_size);
	if (!x->is_answered && x->request.route->place == NX_ROUTE_AT_ONCE)
		handle(x, x->request.route->handle);
	if (x->is_answered || x->is_queued)
		return send_reply(x);
	return enqueue(x);
}

static void take_step(void *context)
{
	struct step *step = context;

	step->result = go_on(step->x, step);
}

enum MHD_Result nx_exchange_go_on(void *cls, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **exchange)
{
	struct step step = {*exchange, method, upload, upload_size, MHD_NO};

	(void)cls, (void)connection, (void)url, (void)version;
	/* If memory runs out here, there is no answer either: the connection is closed. */
	if (!step.x || !nx_heap_guarded(take_step, &step))
		return MHD_NO;
	return step.result;
}

struct nx_stream *nx_request_begin_stream(struct nx_request *request, struct nx_reply *reply,
					  struct nx_error *err)
{
	struct nx_exchange *x = request->exchange;
	struct nx_stream *stream = nx_stream_new_answer(x->server->streams, x->client);

	assert(!reply->stream && !x->is_streaming);
	if (!stream) {
		request->problem_status = MHD_HTTP_SERVICE_UNAVAILABLE;
		nx_fail(err, NX_CANCELLED,
			"too many downloads are open; finish one of them or try again later");
		return NULL;
	}
	atomic_store(&x->stream, stream);
	reply->stream = nx_stream_hold(stream);
	x->is_streaming = true;
	MHD_resume_connection(x->connection);
	return stream;
}

/* --- what requests ask of their exchange --------------------------------------------------- */

const char *nx_request_header(const struct nx_request *request, const char *name)
{
	return request->exchange ? header(request->exchange, name) : NULL;
}

bool nx_request_is_wanted(void *context)
{
	const struct nx_request *request = context;
	const struct nx_exchange *x = request->exchange;
	struct nx_stream *stream;
	struct pollfd client;

	if (!x)
		return true;
	if (atomic_load(&x->server->is_stopping))
		return false;
	stream = atomic_load(&x->stream);
	if (stream)
		return !nx_stream_is_gone(stream);
	client = (struct pollfd){.fd = x->fd, .events = POLLRDHUP};
	return x->fd < 0 || poll(&client, 1, 0) <= 0 ||
	       !(client.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

void nx_request_continue_slow(struct nx_request *request, nx_handler_fn next)
{
	assert(request->exchange && !request->exchange->next);
	request->exchange->next = next;
}

enum nx_status nx_request_go_on(struct nx_request *request, struct nx_error *err)
{
	if (nx_request_is_wanted(request))
		return NX_OK;
	return nx_fail(err, NX_CANCELLED, "the client disconnected");
}
