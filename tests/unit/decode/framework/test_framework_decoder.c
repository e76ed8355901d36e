/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "decode/framework/framework_decoder.h"

struct seen {
	struct nx_framework_event event;
	char name[64];
};

/* What one decoding gave. */
static struct {
	struct seen events[32];
	size_t count;
	struct nx_framework_loss loss;
	struct nx_error err;
	bool is_epoch;
} got;

static void copy(char *out, struct nx_slice text)
{
	snprintf(out, 64, "%.*s", (int)text.len, (const char *)text.data);
}

static void on_event(void *context, const struct nx_framework_event *event)
{
	struct seen *seen = &got.events[got.count < 31 ? got.count : 31];

	assert_ptr_equal(context, &got);
	seen->event = *event;
	copy(seen->name, event->name);
	got.count++;
}

static void forget(void)
{
	memset(&got, 0, sizeof(got));
}

static enum nx_status decode_bytes(struct nx_slice file)
{
	forget();
	return nx_framework_decode(file, "t.json", on_event, &got, &got.is_epoch, &got.loss,
				   &got.err);
}

static void decode(const char *text)
{
	assert_int_equal(decode_bytes(nx_slice_text(text)), NX_OK);
}

/* `{"traceEvents":[<events>]}` */
static void decode_events(const char *events)
{
	char text[2048];

	assert_true(snprintf(text, sizeof(text), "{\"traceEvents\":[%s]}", events) <
		    (int)sizeof(text));
	decode(text);
	assert_false(got.loss.is_cut || got.loss.is_damaged);
	assert_int_equal(got.loss.read_bytes, strlen(text));
}

static void check_times(size_t i, uint64_t start_ns, uint64_t end_ns)
{
	assert_true(i < got.count);
	assert_true(got.events[i].event.row.start_ns == start_ns);
	assert_true(got.events[i].event.row.end_ns == end_ns);
}

static void test_complete(void **state)
{
	const struct nx_framework_event *event = &got.events[0].event;

	(void)state;
	decode_events(
		"{\"ph\":\"X\",\"name\":\"model.py(123): forward\",\"cat\":\"python_function\","
		"\"pid\":5,\"tid\":6,\"ts\":10.5,\"dur\":2.25}");
	assert_int_equal(got.count, 1);
	check_times(0, 10500, 12750);
	assert_string_equal(got.events[0].name, "model.py(123): forward");
	assert_int_equal(event->phase, 'X');
	assert_false(event->is_flow_point);
	assert_int_equal(event->row.thread_id, 6);
	assert_int_equal(event->row.type, NX_FRAMEWORK_EVENT_TYPE);
	assert_int_equal(event->row.source, NX_SOURCE_FRAMEWORK);
	assert_int_equal(event->row.nc_idx, -1);
	assert_int_equal(event->row.stream_id, UINT32_MAX);
	assert_int_equal(event->row.flow_id, 0);
	assert_int_equal(event->row.flags, 0);
	assert_int_equal(got.loss.event_count, 1);
	assert_false(got.is_epoch);
}

static void test_begin_and_end_nest_per_thread(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"B\",\"name\":\"outer\",\"pid\":1,\"tid\":1,\"ts\":1},"
		      "{\"ph\":\"B\",\"name\":\"other\",\"pid\":1,\"tid\":2,\"ts\":2},"
		      "{\"ph\":\"B\",\"name\":\"inner\",\"pid\":1,\"tid\":1,\"ts\":3},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":4},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":\"2\",\"ts\":6}");
	assert_int_equal(got.count, 3);
	assert_string_equal(got.events[0].name, "inner");
	check_times(0, 3000, 4000);
	assert_string_equal(got.events[1].name, "outer");
	check_times(1, 1000, 5000);
	assert_string_equal(got.events[2].name, "other");
	check_times(2, 2000, 6000);
	assert_int_equal(got.events[0].event.phase, 'B');
	assert_int_equal(got.loss.event_count, 6);
	assert_int_equal(got.loss.orphan_count + got.loss.unfinished_count, 0);
}

static void test_ends_and_beginnings_that_stand_alone(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":1},"
		      "{\"ph\":\"E\",\"name\":\"known\",\"pid\":1,\"tid\":1,\"ts\":2},"
		      "{\"ph\":\"B\",\"name\":\"hangs\",\"pid\":1,\"tid\":1,\"ts\":3},"
		      "{\"ph\":\"E\",\"pid\":2,\"tid\":1,\"ts\":4},"
		      "{\"ph\":\"X\",\"name\":\"x\",\"ts\":5,\"dur\":4}");
	assert_int_equal(got.loss.orphan_count, 3);
	assert_int_equal(got.loss.unfinished_count, 1);
	assert_int_equal(got.count, 3);
	assert_string_equal(got.events[0].name, "known");
	assert_int_equal(got.events[0].event.row.flags, NX_EVENT_ORPHAN);
	check_times(0, 2000, 2000);
	assert_string_equal(got.events[2].name, "hangs");
	assert_int_equal(got.events[2].event.row.flags, NX_EVENT_UNFINISHED);
	check_times(2, 3000, 9000);
}

static void test_time_may_run_backwards(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"name\":\"late\",\"ts\":9,\"dur\":1},"
		      "{\"ph\":\"X\",\"name\":\"early\",\"ts\":1,\"dur\":-0.001},"
		      "{\"ph\":\"B\",\"name\":\"b\",\"ts\":5},{\"ph\":\"E\",\"ts\":4}");
	assert_int_equal(got.count, 3);
	check_times(1, 1000, 1000);
	check_times(2, 5000, 5000);
	assert_int_equal(got.loss.backwards_count, 2);
}

static void test_async_pairs_by_category_and_id(void **state)
{
	(void)state;
	decode_events(
		"{\"ph\":\"b\",\"name\":\"p\",\"cat\":\"c\",\"id\":1,\"tid\":1,\"ts\":1},"
		"{\"ph\":\"b\",\"name\":\"q\",\"cat\":\"d\",\"id\":1,\"tid\":1,\"ts\":2},"
		"{\"ph\":\"b\",\"name\":\"r\",\"cat\":\"c\",\"id\":2,\"tid\":1,\"ts\":3},"
		"{\"ph\":\"e\",\"name\":\"p\",\"cat\":\"c\",\"id\":\"0x1\",\"pid\":3,\"ts\":4},"
		"{\"ph\":\"e\",\"name\":\"r\",\"cat\":\"c\",\"id\":2,\"tid\":9,\"ts\":5},"
		"{\"ph\":\"e\",\"name\":\"q\",\"cat\":\"d\",\"id\":1,\"tid\":9,\"ts\":6}");
	assert_int_equal(got.count, 3);
	assert_string_equal(got.events[0].name, "p");
	check_times(0, 1000, 4000);
	assert_int_equal(got.events[0].event.row.thread_id, 1);
	assert_string_equal(got.events[1].name, "r");
	check_times(1, 3000, 5000);
	assert_string_equal(got.events[2].name, "q");
	check_times(2, 2000, 6000);
}

/* A local id belongs to its process, and async pairs never meet those of threads. */
static void test_async_scopes(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"b\",\"name\":\"p\",\"pid\":1,\"id2\":{\"local\":7},\"ts\":1},"
		      "{\"ph\":\"e\",\"pid\":2,\"id2\":{\"local\":7},\"ts\":2},"
		      "{\"ph\":\"e\",\"pid\":1,\"id\":7,\"ts\":3},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":7,\"ts\":4},"
		      "{\"ph\":\"e\",\"pid\":1,\"id2\":{\"local\":7},\"ts\":5},"
		      "{\"ph\":\"b\",\"name\":\"s\",\"id\":7,\"scope\":\"x\",\"ts\":6},"
		      "{\"ph\":\"e\",\"id\":7,\"scope\":\"y\",\"ts\":7},"
		      "{\"ph\":\"e\",\"id\":7,\"scope\":\"x\",\"ts\":8}");
	assert_int_equal(got.loss.orphan_count, 4);
	assert_int_equal(got.count, 2);
	check_times(0, 1000, 5000);
	check_times(1, 6000, 8000);
}

static void test_instants(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"i\",\"name\":\"[memory]\",\"s\":\"t\",\"ts\":1},"
		      "{\"ph\":\"I\",\"name\":\"old\",\"ts\":2},"
		      "{\"ph\":\"n\",\"name\":\"async\",\"ts\":3,\"id\":4}");
	assert_int_equal(got.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(got.events[i].event.row.flags, NX_EVENT_INSTANT);
		check_times(i, (i + 1) * 1000, (i + 1) * 1000);
	}
}

static void test_flows(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"s\",\"id\":8198,\"pid\":1,\"tid\":2,\"ts\":1,\"cat\":\"ac2g\"},"
		      "{\"ph\":\"t\",\"id\":8198,\"pid\":1,\"tid\":3,\"ts\":2,\"cat\":\"ac2g\"},"
		      "{\"ph\":\"f\",\"id\":8198,\"tid\":\"stream 7\",\"ts\":3,\"bp\":\"e\"},"
		      "{\"ph\":\"f\",\"id\":8198,\"tid\":7,\"ts\":4},"
		      "{\"ph\":\"X\",\"name\":\"own\",\"bind_id\":\"0xff\",\"ts\":5,\"dur\":1}");
	assert_int_equal(got.count, 5);
	for (size_t i = 0; i < 4; i++) {
		assert_true(got.events[i].event.is_flow_point);
		assert_int_equal(got.events[i].event.row.flow_id, 8198);
		assert_int_equal(got.events[i].event.phase, "stff"[i]);
		check_times(i, (i + 1) * 1000, (i + 1) * 1000);
	}
	assert_int_equal(got.events[2].event.row.thread_id, 7);
	assert_int_equal(got.events[2].event.row.stream_id, 7);
	assert_false(got.events[4].event.is_flow_point);
	assert_int_equal(got.events[4].event.row.flow_id, 255);
}

static void test_metadata_is_counted(void **state)
{
	(void)state;
	decode("[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":\"x\","
	       "\"args\":{\"name\":\"p\"}}]");
	assert_int_equal(got.loss.metadata_count, 1);
	assert_int_equal(got.count, 0);
}

static void test_threads_have_names(void **state)
{
	(void)state;
	decode("[{\"ph\":\"M\",\"name\":\"thread_name\",\"tid\":7,\"args\":{\"name\":\"stream 7 "
	       "\"}},"
	       "{\"ph\":\"M\",\"name\":\"thread_name\",\"tid\":8,\"args\":{\"name\":\" \"}},"
	       "{\"ph\":\"X\",\"name\":\"a\",\"tid\":\"Profiler\",\"ts\":1,\"dur\":1},"
	       "{\"ph\":\"X\",\"name\":\"b\",\"tid\":\"Profiler\",\"ts\":2,\"dur\":1},"
	       "{\"ph\":\"X\",\"name\":\"c\",\"tid\":\"stream 9\",\"ts\":3,\"dur\":1}]");
	assert_int_equal(got.loss.metadata_count, 2);
	assert_int_equal(got.count, 5);
	assert_true(got.events[0].event.is_thread_name);
	assert_int_equal(got.events[0].event.row.thread_id, 7);
	assert_string_equal(got.events[0].name, "stream 7");
	assert_true(got.events[1].event.is_thread_name);
	assert_string_equal(got.events[1].name, "Profiler");
	assert_int_equal(got.events[1].event.row.thread_id, got.events[2].event.row.thread_id);
	for (size_t i = 2; i < 5; i++)
		assert_false(got.events[i].event.is_thread_name);
}

static void test_base_time_comes_before_or_behind(void **state)
{
	static const char event[] = "\"traceEvents\":[{\"ph\":\"X\",\"name\":\"x\","
				    "\"ts\":1419247332972.313,\"dur\":4426.114}]";
	static const char *const bases[] = {"1751410836000000000", "\"1751410836000000000\""};
	char text[512];

	(void)state;
	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "{%s%s\"baseTimeNanoseconds\":%s%s%s}",
			 i & 1 ? event : "", i & 1 ? "," : "", bases[i / 2], i & 1 ? "" : ",",
			 i & 1 ? "" : event);
		decode(text);
		check_times(0, 1752830083332972313, 1752830083337398427);
		assert_true(got.is_epoch);
	}
	snprintf(text, sizeof(text), "{%s,\"x\":{\"baseTimeNanoseconds\":5}}", event);
	decode(text);
	check_times(0, 1419247332972313, 1419247337398427);
	assert_false(got.is_epoch);
}

/* Before Kineto had a base it wrote epoch microseconds. */
static void test_epoch_without_base(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"name\":\"x\",\"ts\":1623142623460111,\"dur\":25}");
	check_times(0, 1623142623460111000, 1623142623460136000);
	assert_true(got.is_epoch);
	decode_events("{\"ph\":\"X\",\"name\":\"x\",\"ts\":999999999999999.999,\"dur\":25}");
	assert_false(got.is_epoch);
	decode_events("");
	assert_false(got.is_epoch);
}

static void test_losses_are_counted(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"C\",\"name\":\"counter\",\"ts\":1},{},"
		      "{\"ph\":\"X\",\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"x\",\"dur\":1},"
		      "{\"ph\":\"X\",\"name\":\"x\",\"ts\":1},{\"name\":\"x\"},"
		      "{\"ph\":\"X\",\"name\":\"x\",\"ts\":-1,\"dur\":1},"
		      "{\"ph\":\"X\",\"name\":\"x\",\"ts\":1e15,\"dur\":1e17},"
		      "{\"ph\":\"f\"},{\"ph\":\"E\"},7,[1,2],\"x\",{\"ph\":\"\xff\",\"ts\":1}");
	assert_int_equal(got.count, 0);
	assert_int_equal(got.loss.event_count, 14);
	assert_int_equal(got.loss.skipped_count, 3);
	assert_int_equal(got.loss.malformed_count, 11);
}

static void test_a_bare_list_needs_no_closing_bracket(void **state)
{
	static const char *const ends[] = {"]", "", ",", " ,\n"};
	char text[128];

	(void)state;
	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "[{\"ph\":\"i\",\"name\":\"x\",\"ts\":1}%s", ends[i]);
		decode(text);
		assert_int_equal(got.count, 1);
		assert_false(got.loss.is_cut);
	}
	for (int i = 0; i < 4; i++) {
		static const char *const torn[] = {",{", ",[1,", ",\"a", ",12"};

		snprintf(text, sizeof(text), "[{\"ph\":\"i\",\"name\":\"x\",\"ts\":1}%s", torn[i]);
		decode(text);
		assert_int_equal(got.count, 1);
		assert_true(got.loss.is_cut);
	}
}

/* Where the two events of the text below end; behind these bytes they must be there. */
static void check_cut(const char *whole, size_t len)
{
	size_t first_end = (size_t)(strstr(whole, "\"a\"}") - whole) + 4;
	size_t second_end = (size_t)(strstr(whole, "\"b\"}") - whole) + 4;

	assert_int_equal(got.loss.is_cut, len < strlen(whole));
	assert_false(got.loss.is_damaged);
	assert_int_equal(got.count, (len >= first_end) + (len >= second_end));
	assert_int_equal(got.loss.event_count, got.count);
	if (len < strlen(whole))
		assert_int_equal(got.loss.read_bytes, len);
}

static void test_cut_at_every_byte(void **state)
{
	static const char whole[] =
		"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0}],\"traceEvents\":["
		"{\"ph\":\"i\",\"ts\":1,\"args\":{\"x\":[1,\"\\u0041\"]},\"name\":\"a\"},"
		"{\"ph\":\"i\",\"ts\":1.5,\"name\":\"b\"}],\"displayTimeUnit\":\"ms\"}";
	char *heap;

	(void)state;
	for (size_t len = 0; len < sizeof(whole); len++) {
		/* Exact room, so that ASan sees a byte read beyond. */
		heap = nx_heap_alloc(len);
		memcpy(heap, whole, len);
		assert_int_equal(decode_bytes(nx_slice_of(heap, len)), NX_OK);
		check_cut(whole, len);
		nx_heap_free(heap);
	}
}

static void test_gzip_whole_and_cut(void **state)
{
	static const char whole[] = "{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"}]}";
	uint8_t packed[256];
	z_stream z = {0};
	size_t len;

	(void)state;
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (z_const Bytef *)whole;
	z.avail_in = sizeof(whole) - 1;
	z.next_out = packed;
	z.avail_out = sizeof(packed);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	len = sizeof(packed) - z.avail_out;
	deflateEnd(&z);
	for (size_t cut = 2; cut <= len; cut++) {
		assert_int_equal(decode_bytes(nx_slice_of(packed, cut)), NX_OK);
		assert_int_equal(got.loss.is_cut, cut < len);
		assert_false(got.loss.is_damaged);
	}
	assert_int_equal(got.count, 1);
	/* Without its checksum (8 bytes) the text is whole, and the file is not. */
	assert_int_equal(decode_bytes(nx_slice_of(packed, len - 8)), NX_OK);
	assert_int_equal(got.count, 1);
	assert_true(got.loss.is_cut);
	packed[len - 8] ^= 1;
	assert_int_equal(decode_bytes(nx_slice_of(packed, len)), NX_OK);
	assert_int_equal(got.count, 1);
	assert_true(got.loss.is_damaged);
}

static void test_damage_keeps_what_came_before(void **state)
{
	(void)state;
	decode("{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\" \"i\"}]}");
	assert_int_equal(got.count, 1);
	assert_true(got.loss.is_cut && got.loss.is_damaged);
	assert_int_equal(got.loss.read_bytes, 51);
}

static void check_refused(const char *text, const char *word)
{
	assert_int_equal(decode_bytes(nx_slice_text(text)), NX_FORMAT);
	assert_int_equal(got.count, 0);
	assert_non_null(strstr(got.err.message, "t.json"));
	assert_non_null(strstr(got.err.message, word));
}

static void test_what_is_no_trace(void **state)
{
	(void)state;
	check_refused("hello", "does not begin like JSON");
	check_refused("\x7f"
		      "ELF",
		      "does not begin like JSON");
	check_refused("12", "does not begin like JSON");
	check_refused("{}", "no traceEvents");
	check_refused("{\"a\":{\"traceEvents\":[]}}", "no traceEvents");
	check_refused("{\"traceEvents\":{}}", "no traceEvents");
	check_refused("{\"a\" 1}", "no traceEvents");
}

static void test_escapes_in_names(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"i\",\"ts\":1,\"name\":\"a\\\"b\\\\c\\n\\u00e9\\ud83d\\ude00\"},"
		      "{\"ph\":\"i\",\"ts\":1,\"n\\u0061me\":\"\xc3\xa9 <lambda>\"}");
	assert_string_equal(got.events[0].name, "a\"b\\c\n\xc3\xa9\xf0\x9f\x98\x80");
	assert_string_equal(got.events[1].name, "\xc3\xa9 <lambda>");
}

static void append_text(struct nx_bytes *bytes, const char *text)
{
	nx_bytes_append(bytes, text, strlen(text));
}

static void test_huge_strings(void **state)
{
	struct nx_bytes text = {0};

	(void)state;
	append_text(&text, "[{\"args\":{\"stack\":\"");
	for (int i = 0; i < 1 << 20; i++)
		append_text(&text, "\\u0041");
	append_text(&text, "\"},\"ph\":\"i\",\"ts\":1,\"name\":\"");
	for (int i = 0; i < 5000; i++)
		append_text(&text, "n");
	append_text(&text, "\"},{\"ph\":\"i\",\"ts\":1,\"name\":\"next\"}]");
	assert_int_equal(decode_bytes(nx_slice_of(text.items, text.len)), NX_OK);
	assert_int_equal(got.count, 2);
	assert_int_equal(got.events[0].event.name.len, 4096);
	assert_string_equal(got.events[1].name, "next");
	nx_vec_release(&text);
}

/* Deep values are skipped where nobody looks, and end the text where we must look. */
static void test_deep_nesting(void **state)
{
	struct nx_bytes text = {0};

	(void)state;
	append_text(&text, "[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\",\"args\":{\"deep\":");
	for (int i = 0; i < 100000; i++)
		append_text(&text, "[");
	for (int i = 0; i < 100000; i++)
		append_text(&text, "]");
	append_text(&text, "}}]");
	assert_int_equal(decode_bytes(nx_slice_of(text.items, text.len)), NX_OK);
	assert_int_equal(got.count, 1);
	assert_false(got.loss.is_cut);
	memset(text.items, '[', text.len);
	assert_int_equal(decode_bytes(nx_slice_of(text.items, text.len)), NX_OK);
	assert_true(got.loss.is_cut);
	nx_vec_release(&text);
}

static void test_open_events_are_bounded(void **state)
{
	struct nx_bytes text = {0};

	(void)state;
	append_text(&text, "[");
	for (int i = 0; i < 32768 + 5; i++)
		append_text(&text, "{\"ph\":\"B\",\"ts\":1,\"name\":\"b\"},");
	append_text(&text, "]");
	assert_int_equal(decode_bytes(nx_slice_of(text.items, text.len)), NX_OK);
	assert_int_equal(got.loss.overflow_count, 5);
	assert_int_equal(got.loss.unfinished_count, 32768);
	assert_int_equal(got.count, 32768);
	nx_vec_release(&text);
}

static int release(void **state)
{
	(void)state;
	forget();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_begin_and_end_nest_per_thread),
		cmocka_unit_test(test_ends_and_beginnings_that_stand_alone),
		cmocka_unit_test(test_time_may_run_backwards),
		cmocka_unit_test(test_async_pairs_by_category_and_id),
		cmocka_unit_test(test_async_scopes),
		cmocka_unit_test(test_instants),
		cmocka_unit_test(test_flows),
		cmocka_unit_test(test_metadata_is_counted),
		cmocka_unit_test(test_threads_have_names),
		cmocka_unit_test(test_base_time_comes_before_or_behind),
		cmocka_unit_test(test_epoch_without_base),
		cmocka_unit_test(test_losses_are_counted),
		cmocka_unit_test(test_a_bare_list_needs_no_closing_bracket),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_gzip_whole_and_cut),
		cmocka_unit_test(test_damage_keeps_what_came_before),
		cmocka_unit_test(test_what_is_no_trace),
		cmocka_unit_test(test_escapes_in_names),
		cmocka_unit_test(test_huge_strings),
		cmocka_unit_test(test_deep_nesting),
		cmocka_unit_test(test_open_events_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
