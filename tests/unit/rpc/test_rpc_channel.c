/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/progress.h"
#include "rpc/rpc_channel.h"
#include "tests/unit/rpc/fake_grpc.h"

struct seen {
	size_t done_count;
	struct nx_rpc_result result;
	struct nx_bytes message;
	char received_ns[20];
	bool takes_nothing;
};

static enum nx_status take(void *context, struct nx_slice piece, struct nx_error *err)
{
	struct seen *seen = context;

	if (seen->takes_nothing)
		return nx_fail(err, NX_NO_SPACE, "the disk is full");
	nx_bytes_append(&seen->message, piece.data, piece.len);
	return NX_OK;
}

static void metadata(void *context, struct nx_slice name, struct nx_slice value)
{
	struct seen *seen = context;

	if (nx_slice_is(name, "nx-received-ns") && value.len < sizeof(seen->received_ns))
		memcpy(seen->received_ns, value.data, value.len);
}

static void done(void *context, const struct nx_rpc_result *result)
{
	struct seen *seen = context;

	seen->done_count++;
	seen->result = *result;
}

static struct nx_rpc_request request_of(struct seen *seen)
{
	return (struct nx_rpc_request){
		.path = "/a.B/C",
		.message = nx_slice_text("question"),
		.limit_bytes = 1000,
		.take = take,
		.metadata = metadata,
		.done = done,
		.context = seen,
	};
}

/* Both sides, until neither has anything to say. */
static void talk(struct nx_rpc_channel *channel, struct nx_fake_grpc *fake)
{
	struct nx_slice bytes;
	bool is_moving = true;

	while (is_moving) {
		is_moving = false;
		for (; (bytes = nx_rpc_channel_output(channel)).len; is_moving = true)
			nx_fake_grpc_feed(fake, bytes);
		for (; (bytes = nx_fake_grpc_output(fake)).len; is_moving = true)
			nx_rpc_channel_feed(channel, bytes);
	}
	nx_rpc_channel_report(channel);
}

static void ask(struct nx_fake_grpc *fake, struct seen *seen)
{
	struct nx_rpc_channel *channel = nx_rpc_channel_new("host:1");
	struct nx_rpc_request request = request_of(seen);

	nx_fake_grpc_open(fake);
	nx_rpc_channel_start(channel, 1, &request);
	talk(channel, fake);
	assert_int_equal(nx_rpc_channel_pending(channel), 0);
	assert_int_equal(seen->done_count, 1);
	nx_rpc_channel_free(channel);
	nx_fake_grpc_close(fake);
	nx_vec_release(&seen->message);
}

/* "\0" and the length of the prefix are part of the text. */
#define BODY(text)                                                                                 \
	{                                                                                          \
		(const uint8_t *)(text), sizeof(text) - 1                                          \
	}
#define GRPC .http_status = "200", .content_type = "application/grpc"

static void an_answer_is_taken_with_its_trailers(void **state)
{
	struct nx_fake_grpc fake = {GRPC, .body = BODY("\0\0\0\0\6answer"), .grpc_status = "0"};
	struct seen seen = {0};
	struct nx_rpc_channel *channel = nx_rpc_channel_new("host:1");
	struct nx_rpc_request request = request_of(&seen);

	(void)state;
	request.timeout_ms = 60000;
	request.token = "secret";
	nx_fake_grpc_open(&fake);
	nx_rpc_channel_start(channel, 1, &request);
	talk(channel, &fake);
	assert_int_equal(seen.done_count, 1);
	assert_int_equal(seen.result.end, NX_RPC_ANSWERED);
	assert_int_equal(seen.result.status, NX_GRPC_OK);
	assert_true(nx_slice_is(nx_slice_of(seen.message.items, seen.message.len), "answer"));
	assert_string_equal(seen.received_ns, "17");
	assert_true(seen.result.asked_ns && seen.result.answered_ns >= seen.result.asked_ns);
	assert_string_equal(fake.path, "/a.B/C");
	assert_string_equal(fake.authorization, "Bearer secret");
	assert_true(strlen(fake.timeout) > 0);
	assert_true(nx_slice_equal(nx_slice_of(fake.request.items, fake.request.len),
				   nx_slice_of("\0\0\0\0\10question", 13)));
	/* the connection serves further calls */
	assert_true(nx_rpc_channel_is_usable(channel));
	nx_rpc_channel_start(channel, 2, &request);
	talk(channel, &fake);
	assert_int_equal(seen.done_count, 2);
	assert_int_equal(seen.result.end, NX_RPC_ANSWERED);
	nx_rpc_channel_free(channel);
	nx_fake_grpc_close(&fake);
	nx_vec_release(&seen.message);
}

static void another_status_is_a_sentence(void **state)
{
	struct nx_fake_grpc fake = {GRPC, .grpc_status = "14", .grpc_message = "No%20trace"};
	struct seen seen = {0};

	(void)state;
	ask(&fake, &seen);
	assert_int_equal(seen.result.end, NX_RPC_STATUS);
	assert_int_equal(seen.result.status, NX_GRPC_UNAVAILABLE);
	assert_string_equal(seen.result.text, "No trace");
	assert_string_equal(seen.result.error.message, "host:1 answered UNAVAILABLE: No trace");
}

static void what_is_not_a_message_is_refused(void **state)
{
	static const struct {
		struct nx_fake_grpc fake;
		enum nx_rpc_end end;
		const char *words;
	} cases[] = {
		{{GRPC, .body = BODY("\0\0\0\0\6answ"), .grpc_status = "0"},
		 NX_RPC_BROKEN,
		 "after 4 of 6 bytes"},
		{{GRPC, .body = BODY("\0\0"), .grpc_status = "0"}, NX_RPC_BROKEN, "after 0 of 0"},
		{{GRPC, .body = BODY("\0\0\0\0\1answer"), .grpc_status = "0"},
		 NX_RPC_BROKEN,
		 "more than one message"},
		{{GRPC, .body = BODY("\1\0\0\0\6answer"), .grpc_status = "0"},
		 NX_RPC_BROKEN,
		 "compressed"},
		{{GRPC,
		  .body = BODY("\0\xff\xff\xff\xff"
			       "a"),
		  .grpc_status = "0"},
		 NX_RPC_NOT_TAKEN,
		 "the limit is 1000"},
		{{GRPC, .body = BODY("\0\0\0\0\6answer")}, NX_RPC_BROKEN, "without a status"},
		{{.http_status = "404", .content_type = "text/html", .body = BODY("<p>no")},
		 NX_RPC_BROKEN,
		 "HTTP 404 without gRPC"},
		{{.http_status = "200", .content_type = "text/html", .body = BODY("<p>yes")},
		 NX_RPC_BROKEN,
		 "HTTP 200 without gRPC"},
		{{.reset_code = NGHTTP2_REFUSED_STREAM}, NX_RPC_BROKEN, "refused"},
		{{.reset_code = NGHTTP2_INTERNAL_ERROR}, NX_RPC_BROKEN, "INTERNAL_ERROR"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_fake_grpc fake = cases[i].fake;
		struct seen seen = {0};

		ask(&fake, &seen);
		assert_int_equal(seen.result.end, cases[i].end);
		assert_non_null(strstr(seen.result.error.message, cases[i].words));
		assert_non_null(strstr(seen.result.error.message, "host:1"));
	}
}

static void a_taker_that_fails_ends_the_call(void **state)
{
	struct nx_fake_grpc fake = {GRPC, .body = BODY("\0\0\0\0\6answer"), .grpc_status = "0"};
	struct seen seen = {.takes_nothing = true};

	(void)state;
	ask(&fake, &seen);
	assert_int_equal(seen.result.end, NX_RPC_NOT_TAKEN);
	assert_int_equal(seen.result.error.status, NX_NO_SPACE);
}

static void calls_end_by_deadline_and_cancellation(void **state)
{
	struct nx_fake_grpc fake = {0};
	struct seen late = {0}, cancelled = {0};
	struct nx_rpc_channel *channel = nx_rpc_channel_new("host:1");
	struct nx_rpc_request request = request_of(&late);

	(void)state;
	nx_fake_grpc_open(&fake);
	request.timeout_ms = 1000;
	nx_rpc_channel_start(channel, 1, &request);
	request.timeout_ms = 0;
	request.context = &cancelled;
	nx_rpc_channel_start(channel, 2, &request);
	talk(channel, &fake);
	assert_int_equal(nx_rpc_channel_pending(channel), 2);
	assert_true(nx_rpc_channel_expire(channel, 0) < UINT64_MAX);
	assert_true(nx_rpc_channel_expire(channel, nx_now_ns() + 2000000000) == UINT64_MAX);
	assert_true(nx_rpc_channel_cancel(channel, 2));
	assert_false(nx_rpc_channel_cancel(channel, 2));
	talk(channel, &fake);
	assert_int_equal(late.result.end, NX_RPC_EXPIRED);
	assert_non_null(strstr(late.result.error.message, "within 1 s"));
	assert_int_equal(cancelled.result.end, NX_RPC_CANCELLED);
	assert_int_equal(fake.reset_count, 2);
	nx_rpc_channel_free(channel);
	nx_fake_grpc_close(&fake);
}

static void a_server_that_leaves_refuses_what_it_has_not_seen(void **state)
{
	struct nx_fake_grpc fake = {0};
	struct seen seen = {0};
	struct nx_rpc_channel *channel = nx_rpc_channel_new("host:1");
	struct nx_rpc_request request = request_of(&seen);

	(void)state;
	nx_fake_grpc_open(&fake);
	talk(channel, &fake);
	nx_rpc_channel_start(channel, 1, &request);
	assert_int_equal(nghttp2_submit_goaway(fake.session, NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR,
					       NULL, 0),
			 0);
	talk(channel, &fake);
	assert_int_equal(seen.done_count, 1);
	assert_int_equal(seen.result.end, NX_RPC_BROKEN);
	assert_int_equal(seen.result.status, NX_GRPC_UNAVAILABLE);
	assert_false(nx_rpc_channel_is_usable(channel));
	nx_rpc_channel_free(channel);
	nx_fake_grpc_close(&fake);
}

static void other_protocols_are_named(void **state)
{
	static const char *const texts[] = {"HTTP/1.1 400 Bad Request\r\n\r\n",
					    "SSH-2.0-OpenSSH_9.2p1 Debian\r\n"};
	static const char *const words[] = {"speaks HTTP/1", "not valid HTTP/2"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct seen seen = {0};
		struct nx_rpc_channel *channel = nx_rpc_channel_new("host:1");
		struct nx_rpc_request request = request_of(&seen);

		nx_rpc_channel_start(channel, 1, &request);
		while (nx_rpc_channel_output(channel).len)
			;
		nx_rpc_channel_feed(channel, nx_slice_text(texts[i]));
		while (nx_rpc_channel_output(channel).len)
			;
		nx_rpc_channel_report(channel);
		assert_int_equal(seen.done_count, 1);
		assert_int_equal(seen.result.end, NX_RPC_BROKEN);
		assert_non_null(strstr(seen.result.error.message, words[i]));
		nx_rpc_channel_free(channel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_taken_with_its_trailers),
		cmocka_unit_test(another_status_is_a_sentence),
		cmocka_unit_test(what_is_not_a_message_is_refused),
		cmocka_unit_test(a_taker_that_fails_ends_the_call),
		cmocka_unit_test(calls_end_by_deadline_and_cancellation),
		cmocka_unit_test(a_server_that_leaves_refuses_what_it_has_not_seen),
		cmocka_unit_test(other_protocols_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
