/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/rpc/rpc_peer.h"

#define MESSAGE nx_slice_of("\0\0\0\0\3abc", 8)

static const struct nx_rpc_limits limits = {
	.max_connections = 1,
	.max_streams = 8,
	.max_request_bytes = 1 << 16,
	.max_all_bytes = 1 << 17,
	.max_control_frames = 100,
	.request_ns = 10 * SECOND,
	.stall_ns = 20 * SECOND,
	.ping_ns = 30 * SECOND,
	.idle_ns = 300 * SECOND,
};

/* What the handler does with a call. */
struct handler {
	enum { ECHO, KEEP, FILE_PARTS } what;
	struct nx_rpc_call *kept;
	unsigned call_count, end_count;
	int fd;
	uint64_t file_bytes;
};

static void count_end(void *context)
{
	((struct handler *)context)->end_count++;
}

static void handle(void *context, struct nx_rpc_call *call)
{
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	struct handler *h = context;

	h->call_count++;
	if (h->what == KEEP) {
		h->kept = call;
		nx_rpc_call_on_end(call, count_end, h);
		return;
	}
	nx_rpc_answer_add_bytes(&answer, nx_slice_text("<"));
	if (h->what == FILE_PARTS) {
		answer.fd = h->fd;
		nx_rpc_answer_add_file(&answer, 0, h->file_bytes);
	} else {
		nx_rpc_answer_add_bytes(&answer, nx_rpc_call_request(call));
	}
	nx_rpc_answer_add_bytes(&answer, nx_slice_text(">"));
	nx_rpc_call_answer(call, &answer);
}

static struct peer_stream *call_with(struct peer *peer, struct peer_request request)
{
	int32_t id = peer_send(peer, request);

	assert_true(id > 0);
	peer_exchange(peer);
	return peer_stream_of(peer, id);
}

static void assert_refused(const struct peer_stream *stream, enum nx_grpc_status status)
{
	char text[8];

	snprintf(text, sizeof(text), "%u", (unsigned)status);
	assert_string_equal(stream->http_status, "200");
	assert_string_equal(stream->grpc_status, text);
	assert_int_equal(stream->body.len, 0);
	assert_true(stream->message[0]);
}

static void a_call_is_answered_with_trailers(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	stream = call_with(peer, (struct peer_request){.body = MESSAGE});
	assert_string_equal(stream->http_status, "200");
	assert_string_equal(stream->grpc_status, "0");
	assert_int_equal(stream->body.len, 10);
	assert_memory_equal(stream->body.items, "\0\0\0\0\5<abc>", 10);
	assert_true(stream->is_closed);
	assert_true(strlen(stream->sent) > 15); /* nanoseconds since 1970 */
}

static void an_empty_message_is_a_message(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	stream = call_with(peer, (struct peer_request){.body = nx_slice_of("\0\0\0\0\0", 5)});
	assert_int_equal(h.call_count, 1);
	assert_int_equal(stream->body.len, 7);
}

static void what_is_not_grpc_is_refused_by_http(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;

	peer_open(peer, limits, "", handle, &h);
	assert_string_equal(
		call_with(peer, (struct peer_request){.content_type = "text/html", .body = MESSAGE})
			->http_status,
		"415");
	assert_string_equal(call_with(peer, (struct peer_request){.method = "PUT", .body = MESSAGE})
				    ->http_status,
			    "405");
	assert_int_equal(h.call_count, 0);
}

static void compression_is_refused_with_what_is_accepted(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	stream = call_with(peer, (struct peer_request){.encoding = "gzip", .body = MESSAGE});
	assert_refused(stream, NX_GRPC_UNIMPLEMENTED);
	assert_string_equal(stream->accepts, "identity");
	stream = call_with(peer, (struct peer_request){.body = nx_slice_of("\1\0\0\0\3abc", 8)});
	assert_refused(stream, NX_GRPC_UNIMPLEMENTED);
	assert_string_equal(stream->accepts, "identity");
	assert_int_equal(h.call_count, 0);
}

static void damaged_requests_are_refused(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;
	static const uint8_t two[] = {0, 0, 0, 0, 1, 'a', 0, 0, 0, 0, 1, 'b'};

	peer_open(peer, limits, "", handle, &h);
	assert_refused(call_with(peer,
				 (struct peer_request){.body = nx_slice_of("\7\0\0\0\1a", 6)}),
		       NX_GRPC_INTERNAL);
	assert_refused(call_with(peer,
				 (struct peer_request){.body = nx_slice_of("\0\0\0\0\4abc", 8)}),
		       NX_GRPC_INTERNAL);
	assert_refused(call_with(peer, (struct peer_request){.body = nx_slice_of("\0\0", 2)}),
		       NX_GRPC_INTERNAL);
	assert_refused(call_with(peer,
				 (struct peer_request){.body = nx_slice_of(two, sizeof(two))}),
		       NX_GRPC_UNIMPLEMENTED);
	assert_refused(call_with(peer, (struct peer_request){.timeout = "soon", .body = MESSAGE}),
		       NX_GRPC_INVALID_ARGUMENT);
	assert_int_equal(h.call_count, 0);
}

static void a_large_request_is_refused_and_its_rest_ignored(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;
	struct nx_bytes body = {0};
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	nx_bytes_append(&body, "\0\0\2\0\0", 5);
	nx_bytes_append_zeros(&body, 1 << 17);
	stream = call_with(peer, (struct peer_request){.body = nx_slice_of(body.items, body.len)});
	assert_refused(stream, NX_GRPC_RESOURCE_EXHAUSTED);
	assert_true(stream->is_closed);
	assert_int_equal(peer->hub.held_bytes, 0);
	assert_string_equal(call_with(peer, (struct peer_request){.body = MESSAGE})->grpc_status,
			    "0");
	nx_vec_release(&body);
}

static void requests_of_all_callers_share_one_limit(void **state)
{
	struct nx_rpc_limits few = limits;
	struct handler h = {.what = KEEP};
	struct peer *peer = *state;
	struct nx_bytes body = {0};
	struct nx_rpc_call *first;

	few.max_all_bytes = 1 << 16;
	peer_open(peer, few, "", handle, &h);
	nx_bytes_append(&body, "\0\0\0\x8c\xa0", 5); /* 36000 bytes: two do not fit */
	nx_bytes_append_zeros(&body, 36000);
	call_with(peer, (struct peer_request){.body = nx_slice_of(body.items, body.len)});
	assert_int_equal(h.call_count, 1);
	first = h.kept;
	assert_refused(call_with(peer,
				 (struct peer_request){.body = nx_slice_of(body.items, body.len)}),
		       NX_GRPC_RESOURCE_EXHAUSTED);
	nx_rpc_call_fail(first, NX_GRPC_ABORTED, "enough");
	peer_exchange(peer);
	assert_int_equal(peer->hub.held_bytes, 0);
	nx_vec_release(&body);
}

static void callers_must_know_the_token(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;

	peer_open(peer, limits, "secret", handle, &h);
	assert_refused(call_with(peer, (struct peer_request){.body = MESSAGE}),
		       NX_GRPC_UNAUTHENTICATED);
	assert_refused(call_with(peer, (struct peer_request){.authorization = "Bearer secrets",
							     .body = MESSAGE}),
		       NX_GRPC_UNAUTHENTICATED);
	assert_refused(call_with(peer, (struct peer_request){.authorization = "Bearer x",
							     .body = MESSAGE}),
		       NX_GRPC_UNAUTHENTICATED);
	assert_int_equal(h.call_count, 0);
	assert_string_equal(call_with(peer, (struct peer_request){.authorization = "Bearer secret",
								  .body = MESSAGE})
				    ->grpc_status,
			    "0");
}

static void a_deadline_ends_a_call_that_is_not_answered(void **state)
{
	struct handler h = {.what = KEEP};
	struct peer *peer = *state;
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	stream = call_with(peer, (struct peer_request){.timeout = "5S", .body = MESSAGE});
	assert_int_equal(nx_rpc_connection_due_ns(peer->connection), 6 * SECOND);
	peer_tick(peer, 6 * SECOND - 1);
	assert_int_equal(h.end_count, 0);
	peer_tick(peer, 6 * SECOND);
	assert_int_equal(h.end_count, 1);
	assert_refused(stream, NX_GRPC_DEADLINE_EXCEEDED);
	/* the late answer changes nothing */
	nx_rpc_call_fail(h.kept, NX_GRPC_ABORTED, "late");
	peer_exchange(peer);
	assert_string_equal(stream->grpc_status, "4");
}

static void a_cancelled_call_is_reported_to_its_handler(void **state)
{
	struct handler h = {.what = KEEP};
	struct peer *peer = *state;
	int32_t id;

	peer_open(peer, limits, "", handle, &h);
	id = peer_send(peer, (struct peer_request){.body = MESSAGE});
	peer_exchange(peer);
	assert_int_equal(h.call_count, 1);
	nghttp2_submit_rst_stream(peer->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
	peer_exchange(peer);
	assert_int_equal(h.end_count, 1);
	nx_rpc_call_fail(h.kept, NX_GRPC_ABORTED, "nobody reads this");
	peer_exchange(peer);
	assert_null(peer->connection->calls);
}

static void the_end_of_a_connection_ends_its_calls(void **state)
{
	struct handler h = {.what = KEEP};
	struct peer *peer = *state;

	peer_open(peer, limits, "", handle, &h);
	call_with(peer, (struct peer_request){.body = MESSAGE});
	peer_close_server(peer);
	assert_int_equal(h.end_count, 1);
	nx_rpc_call_fail(h.kept, NX_GRPC_ABORTED, "nobody reads this");
}

static void a_server_that_stops_says_so(void **state)
{
	struct handler h = {.what = KEEP};
	struct peer *peer = *state;
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	stream = call_with(peer, (struct peer_request){.body = MESSAGE});
	nx_rpc_connection_end(peer->connection);
	peer_exchange(peer);
	assert_int_equal(h.end_count, 1);
	assert_refused(stream, NX_GRPC_UNAVAILABLE);
	assert_true(peer->has_goaway);
	assert_int_equal(peer->goaway_error, NGHTTP2_NO_ERROR);
	assert_true(peer->is_closed);
	nx_rpc_call_fail(h.kept, NX_GRPC_ABORTED, "nobody reads this");
}

static int make_file(uint64_t len)
{
	char path[] = "/tmp/nx-test-rpc-XXXXXX", block[4096];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	for (uint64_t at = 0; at < len; at += sizeof(block)) {
		memset(block, (int)(at / sizeof(block) % 251), sizeof(block));
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	}
	return fd;
}

static void a_large_answer_is_streamed_from_its_file(void **state)
{
	struct handler h = {.what = FILE_PARTS, .file_bytes = 4 << 20};
	struct peer *peer = *state;
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	h.fd = make_file(h.file_bytes);
	stream = call_with(peer, (struct peer_request){.body = MESSAGE});
	assert_string_equal(stream->grpc_status, "0");
	assert_int_equal(stream->body.len, NX_GRPC_PREFIX_BYTES + 2 + h.file_bytes);
	assert_memory_equal(stream->body.items, "\0\0\x40\0\2<", 6);
	for (uint64_t at = 0; at < h.file_bytes; at += 1000)
		assert_int_equal(stream->body.items[6 + at], at / 4096 % 251);
	assert_int_equal(stream->body.items[6 + h.file_bytes], '>');
}

static void an_answer_that_cannot_be_read_resets_its_stream(void **state)
{
	struct handler h = {.what = FILE_PARTS, .file_bytes = 8192};
	struct peer *peer = *state;
	struct peer_stream *stream;

	peer_open(peer, limits, "", handle, &h);
	h.fd = make_file(4096);
	stream = call_with(peer, (struct peer_request){.body = MESSAGE});
	assert_true(stream->is_closed);
	assert_int_equal(stream->error, NGHTTP2_INTERNAL_ERROR);
}

/* Nothing of the server's bytes reaches the peer: it stopped reading. */
static void a_reader_that_takes_nothing_is_closed(void **state)
{
	struct handler h = {.what = FILE_PARTS, .file_bytes = 4 << 20};
	struct peer *peer = *state;
	const uint8_t *bytes;
	ssize_t len;

	peer_open(peer, limits, "", handle, &h);
	h.fd = make_file(h.file_bytes);
	peer_send(peer, (struct peer_request){.body = MESSAGE});
	while ((len = nghttp2_session_mem_send(peer->session, &bytes)) > 0)
		assert_true(nx_rpc_connection_receive(peer->connection,
						      nx_slice_of(bytes, (size_t)len)));
	nx_rpc_hub_deliver(&peer->hub);
	assert_true(nx_rpc_connection_prepare(peer->connection));
	assert_true(peer->connection->unsent.len > 0);
	assert_true(nx_rpc_connection_tick(peer->connection, 21 * SECOND - 1));
	assert_false(nx_rpc_connection_tick(peer->connection, 21 * SECOND));
}

/* It reads what it gets and answers pings, but never opens the window of its stream. */
static void a_window_that_stays_closed_ends_the_connection(void **state)
{
	struct handler h = {.what = FILE_PARTS, .file_bytes = 4 << 20};
	struct peer *peer = *state;
	struct peer_stream *stream;
	nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0};

	peer_open(peer, limits, "", handle, &h);
	h.fd = make_file(h.file_bytes);
	nghttp2_submit_settings(peer->session, NGHTTP2_FLAG_NONE, &window, 1);
	stream = call_with(peer, (struct peer_request){.body = MESSAGE});
	assert_string_equal(stream->http_status, "200");
	assert_int_equal(stream->body.len, 0);
	peer_tick(peer, 11 * SECOND);
	nghttp2_submit_ping(peer->session, NGHTTP2_FLAG_NONE, NULL);
	peer_exchange(peer);
	assert_false(peer->is_closed);
	peer_tick(peer, 21 * SECOND);
	assert_true(peer->is_closed);
}

static void a_silent_peer_is_pinged_and_then_closed(void **state)
{
	struct handler h = {.what = KEEP};
	struct peer *peer = *state;

	peer_open(peer, limits, "", handle, &h);
	call_with(peer, (struct peer_request){.body = MESSAGE});
	peer_tick(peer, 31 * SECOND);
	assert_int_equal(peer->pings, 1);
	/* the answer to the ping counts */
	peer_tick(peer, 61 * SECOND);
	assert_false(peer->is_closed);
	assert_int_equal(peer->pings, 2);
	/* half open: from now on its bytes are lost */
	peer->now_ns = 91 * SECOND;
	assert_true(nx_rpc_connection_tick(peer->connection, 91 * SECOND));
	assert_false(nx_rpc_connection_tick(peer->connection, 121 * SECOND));
	peer_close_server(peer);
	assert_int_equal(h.end_count, 1);
	nx_rpc_call_fail(h.kept, NX_GRPC_ABORTED, "nobody reads this");
}

static void an_idle_connection_ends_with_goaway(void **state)
{
	struct nx_rpc_limits few = limits;
	struct handler h = {0};
	struct peer *peer = *state;

	few.idle_ns = 25 * SECOND;
	peer_open(peer, few, "", handle, &h);
	call_with(peer, (struct peer_request){.body = MESSAGE});
	peer_tick(peer, 25 * SECOND);
	assert_false(peer->is_closed);
	peer_tick(peer, 26 * SECOND);
	assert_true(peer->has_goaway);
	assert_true(peer->is_closed);
}

static void a_peer_that_says_nothing_at_all_is_closed(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;

	peer_open(peer, limits, "", handle, &h);
	assert_true(nx_rpc_connection_tick(peer->connection, 11 * SECOND - 1));
	assert_false(nx_rpc_connection_tick(peer->connection, 11 * SECOND));
}

static void pings_are_answered_but_a_flood_is_not(void **state)
{
	struct handler h = {0};
	struct peer *peer = *state;

	peer_open(peer, limits, "", handle, &h);
	for (unsigned i = 0; i < 50; i++) {
		nghttp2_submit_ping(peer->session, NGHTTP2_FLAG_NONE, NULL);
		peer_exchange(peer);
	}
	assert_false(peer->is_closed);
	for (unsigned i = 0; i < 100 && !peer->is_closed; i++) {
		nghttp2_submit_ping(peer->session, NGHTTP2_FLAG_NONE, NULL);
		peer_exchange(peer);
	}
	assert_true(peer->is_closed);
	assert_int_equal(peer->goaway_error, NGHTTP2_ENHANCE_YOUR_CALM);
}

static void streams_beyond_the_limit_are_refused(void **state)
{
	struct handler h = {.what = KEEP};
	struct nx_rpc_call *kept[64] = {0};
	struct peer *peer = *state;
	unsigned count = 0;

	peer_open(peer, limits, "", handle, &h);
	for (unsigned i = 0; i < 8; i++) {
		call_with(peer, (struct peer_request){.body = MESSAGE});
		kept[count++] = h.kept;
	}
	assert_int_equal(h.call_count, 8);
	/* the peer's own library waits for a free place */
	call_with(peer, (struct peer_request){.body = MESSAGE});
	assert_int_equal(h.call_count, 8);
	nx_rpc_call_fail(kept[0], NX_GRPC_ABORTED, "enough");
	peer_exchange(peer);
	assert_int_equal(h.call_count, 9);
	kept[0] = h.kept;
	for (unsigned i = 0; i < count; i++)
		nx_rpc_call_fail(kept[i], NX_GRPC_ABORTED, "enough");
}

static void bytes_that_are_not_http2_close_the_connection(void **state)
{
	static const char *const texts[] = {
		"GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxxxxxxxxxxxxxxxxx",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS client"};
	struct handler h = {0};
	struct peer *peer = *state;

	peer_open(peer, limits, "", handle, &h);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct nx_rpc_connection *c = nx_rpc_connection_new(&peer->hub, SECOND);
		bool is_open = nx_rpc_connection_receive(c, nx_slice_text(texts[i]));

		while (is_open) {
			is_open = nx_rpc_connection_prepare(c);
			nx_rpc_connection_sent(c, c->unsent.len);
		}
		nx_rpc_connection_free(c);
	}
	assert_int_equal(h.call_count, 0);
}

static int make_peer(void **state)
{
	*state = calloc(1, sizeof(struct peer));
	return *state ? 0 : -1;
}

static int free_peer(void **state)
{
	peer_release(*state);
	free(*state);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_peer, free_peer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_call_is_answered_with_trailers),
		CASE(an_empty_message_is_a_message),
		CASE(what_is_not_grpc_is_refused_by_http),
		CASE(compression_is_refused_with_what_is_accepted),
		CASE(damaged_requests_are_refused),
		CASE(a_large_request_is_refused_and_its_rest_ignored),
		CASE(requests_of_all_callers_share_one_limit),
		CASE(callers_must_know_the_token),
		CASE(a_deadline_ends_a_call_that_is_not_answered),
		CASE(a_cancelled_call_is_reported_to_its_handler),
		CASE(the_end_of_a_connection_ends_its_calls),
		CASE(a_server_that_stops_says_so),
		CASE(a_large_answer_is_streamed_from_its_file),
		CASE(an_answer_that_cannot_be_read_resets_its_stream),
		CASE(a_reader_that_takes_nothing_is_closed),
		CASE(a_window_that_stays_closed_ends_the_connection),
		CASE(a_silent_peer_is_pinged_and_then_closed),
		CASE(an_idle_connection_ends_with_goaway),
		CASE(a_peer_that_says_nothing_at_all_is_closed),
		CASE(pings_are_answered_but_a_flood_is_not),
		CASE(streams_beyond_the_limit_are_refused),
		CASE(bytes_that_are_not_http2_close_the_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
