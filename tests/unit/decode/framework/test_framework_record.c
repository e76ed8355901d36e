/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/framework/framework_record.h"

static struct nx_framework_record r;

static bool give_once(void *context, struct nx_slice *piece)
{
	struct nx_slice *text = context;

	*piece = *text;
	*text = (struct nx_slice){0};
	return piece->len > 0;
}

static bool read(const char *text)
{
	static struct nx_json_stream stream;
	struct nx_slice piece = nx_slice_text(text);

	/* What an earlier record left behind must not shine through. */
	memset(&r, 0xaa, sizeof(r));
	nx_json_stream_init(&stream, give_once, &piece);
	assert_int_equal(nx_json_stream_next(&stream), NX_TOKEN_OBJECT);
	return nx_framework_record_read(&stream, &r);
}

static void test_nothing_is_assumed(void **state)
{
	(void)state;
	assert_true(read("{}"));
	assert_true(r.is_empty);
	assert_int_equal(r.phase, 0);
	assert_false(r.has_name || r.has_time || r.has_duration || r.has_flow);
	assert_int_equal(r.pid, 0);
	assert_false(r.id_is_local);
	assert_int_equal(r.category.len, 0);
	assert_int_equal(r.stream_id, NX_FRAMEWORK_NO_STREAM);
	assert_true(read("{\"unknown\":[{}]}"));
	assert_false(r.is_empty);
}

static void test_a_complete_event(void **state)
{
	(void)state;
	assert_true(read(" {\"args\":{\"stream\":7,\"grid\":[1,2]},\"dur\":2.24,\"ts\":-1.5,"
			 "\"tid\":\"25738\",\"pid\":3,\"cat\":\"kernel\",\"name\":\"gemm\","
			 "\"ph\":\"X\"}"));
	assert_int_equal(r.phase, 'X');
	assert_int_equal(r.duration_ns.magnitude, 2240);
	assert_int_equal(r.time_ns.magnitude, 1500);
	assert_true(r.time_ns.is_negative);
	assert_int_equal(r.thread_id, 25738);
	assert_int_equal(r.pid, 3);
	assert_int_equal(r.stream_id, 7);
	assert_true(nx_slice_is(nx_framework_text_slice(&r.name), "gemm"));
	assert_true(nx_slice_is(nx_framework_text_slice(&r.category), "kernel"));
}

static void test_ids(void **state)
{
	(void)state;
	assert_true(read("{\"id\":8198}"));
	assert_int_equal(r.id, 8198);
	assert_true(read("{\"id\":\"8198\"}"));
	assert_int_equal(r.id, 8198);
	assert_true(read("{\"id\":\"0x1F\",\"bind_id\":\"0xffffffffffffffff\"}"));
	assert_int_equal(r.id, 31);
	assert_true(r.has_flow);
	assert_true(r.flow == UINT64_MAX);
	assert_true(read("{\"id\":-1}"));
	assert_true(r.id == UINT64_MAX);
	assert_true(read("{\"id2\":{\"local\":\"0x5\"}}"));
	assert_int_equal(r.id, 5);
	assert_true(r.id_is_local);
	assert_true(read("{\"id2\":{\"global\":6}}"));
	assert_int_equal(r.id, 6);
	assert_false(r.id_is_local);
	assert_true(read("{\"id\":\"0x12345678123456789\"}"));
	assert_true(r.id >> 63);
	assert_true(read("{\"id\":\"0x\"}"));
	assert_true(r.id >> 63);
}

static void test_ids_that_are_texts(void **state)
{
	uint64_t spans;

	(void)state;
	assert_true(read("{\"pid\":\"Spans\",\"tid\":\"\"}"));
	spans = r.pid;
	assert_true(spans >> 63);
	assert_true(r.thread_id >> 63);
	assert_true(read("{\"pid\":\"Traces\"}"));
	assert_true(r.pid != spans);
}

static void test_streams(void **state)
{
	(void)state;
	assert_true(read("{\"tid\":\"stream 7\"}"));
	assert_int_equal(r.thread_id, 7);
	assert_int_equal(r.stream_id, 7);
	assert_true(read("{\"tid\":\"stream 7\",\"args\":{\"stream\":9}}"));
	assert_int_equal(r.stream_id, 9);
	assert_true(read("{\"tid\":7,\"args\":{\"stream\":-1}}"));
	assert_int_equal(r.stream_id, NX_FRAMEWORK_NO_STREAM);
}

static void test_streams_in_texts(void **state)
{
	(void)state;
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 7")), 7);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("  stream 20 ")), 20);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 0")), 0);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 4294967294")), 4294967294);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 4294967295")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream -1")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream")), NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream ")), NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 7 (x)")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("upstream 7")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of((struct nx_slice){0}), NX_FRAMEWORK_NO_STREAM);
}

/* The wrong kind of value is as good as none, and what follows is still read. */
static void test_values_of_the_wrong_kind(void **state)
{
	(void)state;
	assert_true(read("{\"ph\":{\"a\":1},\"name\":[1],\"ts\":true,\"dur\":\"x\",\"pid\":null,"
			 "\"args\":[1,{}],\"id2\":3,\"id\":{},\"tid\":4}"));
	assert_int_equal(r.phase, 0);
	assert_false(r.has_name || r.has_time || r.has_duration);
	assert_int_equal(r.thread_id, 4);
	assert_true(
		read("{\"args\":{\"stream\":{},\"name\":[],\"sort_index\":\"x\"},\"ph\":\"XY\"}"));
	assert_int_equal(r.phase, 0);
	assert_true(read("{\"ph\":\"\",\"tid\":4}"));
	assert_int_equal(r.phase, 0);
	assert_int_equal(r.thread_id, 4);
}

/* Cut behind 4096 digits this would be a number, and a wrong one. */
static void test_endless_numbers_are_refused(void **state)
{
	static char text[6000];

	(void)state;
	memset(text, '0', sizeof(text) - 1);
	memcpy(text, "{\"ts\":", 6);
	memcpy(text + 5000, "1,\"tid\":4}", 11);
	assert_true(read(text));
	assert_false(r.has_time);
	assert_int_equal(r.thread_id, 4);
}

static void test_cut(void **state)
{
	static const char whole[] = "{\"args\":{\"name\":\"x\"},\"id2\":{\"local\":1},\"ts\":1}";
	char text[sizeof(whole)];

	(void)state;
	assert_true(read(whole));
	for (size_t len = 1; len < sizeof(whole) - 1; len++) {
		memcpy(text, whole, len);
		text[len] = '\0';
		assert_false(read(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_assumed),
		cmocka_unit_test(test_a_complete_event),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_ids_that_are_texts),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_streams_in_texts),
		cmocka_unit_test(test_values_of_the_wrong_kind),
		cmocka_unit_test(test_endless_numbers_are_refused),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
