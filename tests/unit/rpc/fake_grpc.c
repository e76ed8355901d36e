/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/rpc/fake_grpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static nghttp2_nv header(const char *name, const char *value)
{
	return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value),
			    NGHTTP2_NV_FLAG_NONE};
}

static ssize_t give_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t room,
			 uint32_t *flags, nghttp2_data_source *source, void *context)
{
	struct nx_fake_grpc *fake = context;
	size_t sent = (size_t)source->fd, len = fake->body.len - sent; /* fd counts bytes */
	nghttp2_nv trailers[3];
	size_t count = 0;

	len = len < room ? len : room;
	if (len)
		memcpy(to, fake->body.data + sent, len);
	source->fd += (int)len;
	if (sent + len < fake->body.len)
		return (ssize_t)len;
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	if (!fake->grpc_status)
		return (ssize_t)len;
	*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
	trailers[count++] = header("grpc-status", fake->grpc_status);
	trailers[count++] = header("nx-received-ns", "17");
	if (fake->grpc_message)
		trailers[count++] = header("grpc-message", fake->grpc_message);
	assert_int_equal(nghttp2_submit_trailer(session, stream, trailers, count), 0);
	return (ssize_t)len;
}

static int answer(struct nx_fake_grpc *fake, int32_t stream)
{
	nghttp2_data_provider provider = {.read_callback = give_body};
	nghttp2_nv headers[2];
	size_t count = 0;

	fake->request_count++;
	if (fake->reset_code)
		return nghttp2_submit_rst_stream(fake->session, NGHTTP2_FLAG_NONE, stream,
						 fake->reset_code);
	if (!fake->http_status)
		return 0;
	headers[count++] = header(":status", fake->http_status);
	if (fake->content_type)
		headers[count++] = header("content-type", fake->content_type);
	return nghttp2_submit_response(fake->session, stream, headers, count, &provider);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
	struct nx_fake_grpc *fake = context;

	(void)session;
	if (frame->hd.type == NGHTTP2_RST_STREAM)
		fake->reset_count++;
	if (frame->hd.type == NGHTTP2_DATA && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
		return answer(fake, frame->hd.stream_id);
	return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
		     void *context)
{
	struct nx_fake_grpc *fake = context;
	struct nx_slice key = nx_slice_of(name, name_len);

	(void)session;
	(void)frame;
	(void)flags;
	if (nx_slice_is(key, ":path"))
		(void)snprintf(fake->path, sizeof(fake->path), "%.*s", (int)value_len, value);
	if (nx_slice_is(key, "grpc-timeout"))
		(void)snprintf(fake->timeout, sizeof(fake->timeout), "%.*s", (int)value_len, value);
	if (nx_slice_is(key, "authorization"))
		(void)snprintf(fake->authorization, sizeof(fake->authorization), "%.*s",
			       (int)value_len, value);
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
		   size_t len, void *context)
{
	struct nx_fake_grpc *fake = context;

	(void)session;
	(void)flags;
	(void)stream;
	nx_bytes_append(&fake->request, data, len);
	return 0;
}

void nx_fake_grpc_open(struct nx_fake_grpc *fake)
{
	nghttp2_session_callbacks *callbacks;

	assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	assert_int_equal(nghttp2_session_server_new(&fake->session, callbacks, fake), 0);
	nghttp2_session_callbacks_del(callbacks);
	assert_int_equal(nghttp2_submit_settings(fake->session, NGHTTP2_FLAG_NONE, NULL, 0), 0);
}

void nx_fake_grpc_close(struct nx_fake_grpc *fake)
{
	nghttp2_session_del(fake->session);
	nx_vec_release(&fake->request);
}

void nx_fake_grpc_feed(struct nx_fake_grpc *fake, struct nx_slice bytes)
{
	assert_int_equal(nghttp2_session_mem_recv(fake->session, bytes.data, bytes.len), bytes.len);
}

struct nx_slice nx_fake_grpc_output(struct nx_fake_grpc *fake)
{
	const uint8_t *data;
	ssize_t len = nghttp2_session_mem_send(fake->session, &data);

	assert_true(len >= 0);
	return nx_slice_of(data, (size_t)len);
}
