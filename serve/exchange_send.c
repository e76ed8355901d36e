/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "serve/server_internal.h"

#define STREAM_BLOCK_BYTES ((size_t)64 << 10)

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

static struct MHD_Response *make_from_fd(struct nx_reply *reply)
{
	struct MHD_Response *response = MHD_create_response_from_fd64(reply->fd_bytes, reply->fd);

	if (response)
		reply->has_fd = false;
	return response;
}

static struct MHD_Response *make_from_body(struct nx_reply *reply)
{
	struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback(
		reply->body.len, reply->body.items, nx_vec_free_items);

	if (response)
		reply->body = (struct nx_bytes){0};
	return response;
}

static struct MHD_Response *make_response(struct nx_exchange *x)
{
	struct nx_reply *reply = &x->reply;

	if (reply->stream)
		return make_stream(x);
	if (reply->has_fd)
		return make_from_fd(reply);
	if (reply->body.len)
		return make_from_body(reply);
	return MHD_create_response_from_buffer(reply->borrowed.len,
					       (void *)(uintptr_t)reply->borrowed.data,
					       MHD_RESPMEM_PERSISTENT);
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

enum MHD_Result nx_exchange_send(struct nx_exchange *x)
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
