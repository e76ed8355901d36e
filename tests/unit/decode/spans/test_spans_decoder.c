/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "decode/spans/spans_decoder.h"

#define MAX_EVENTS 32

struct seen {
	struct nx_spans_event events[MAX_EVENTS];
	struct nx_spans_sample samples[MAX_EVENTS];
	size_t count, sample_count;
};

static struct nx_bytes file;
static struct nx_spans_decoder decoder;
static struct seen seen;

static void add(struct nx_spans_record record)
{
	nx_ntrace_append(&file, &nx_spans_record_message, &record);
}

static void define(uint64_t name, const char *text)
{
	add((struct nx_spans_record){
		.what = NX_SPANS_DEFINITION, .name = name, .text = nx_slice_text(text)});
}

static void begin(uint64_t id, uint64_t thread, uint64_t time_ns, uint64_t name)
{
	add((struct nx_spans_record){.what = NX_SPANS_BEGIN,
				     .id = id,
				     .thread_id = thread,
				     .time_ns = time_ns,
				     .name = name});
}

static void end(uint64_t id, uint64_t thread, uint64_t time_ns)
{
	add((struct nx_spans_record){
		.what = NX_SPANS_END, .id = id, .thread_id = thread, .time_ns = time_ns});
}

static void flow(uint64_t thread, uint64_t id, bool is_out)
{
	add((struct nx_spans_record){.what = is_out ? NX_SPANS_FLOW_OUT : NX_SPANS_FLOW_IN,
				     .thread_id = thread,
				     .time_ns = 1,
				     .flow = id});
}

static void note(void *context, const struct nx_spans_event *event)
{
	(void)context;
	assert_true(seen.count < MAX_EVENTS);
	seen.events[seen.count++] = *event;
}

static void note_sample(void *context, const struct nx_spans_sample *sample)
{
	(void)context;
	seen.samples[seen.sample_count++] = *sample;
}

static void decode(void)
{
	nx_spans_decode(&decoder, nx_slice_of(file.items, file.len), note, NULL);
	nx_spans_decode_counters(&decoder, note_sample, NULL);
}

static int setup(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	memset(&decoder, 0, sizeof(decoder));
	define(1, "one");
	define(2, "two");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nx_spans_decoder_release(&decoder);
	nx_vec_release(&file);
	return 0;
}

static void expect(size_t i, const char *name, uint64_t start_ns, uint64_t end_ns, uint8_t flags)
{
	assert_true(i < seen.count);
	assert_true(nx_slice_is(seen.events[i].name, name));
	assert_int_equal(seen.events[i].row.start_ns, start_ns);
	assert_int_equal(seen.events[i].row.end_ns, end_ns);
	assert_int_equal(seen.events[i].row.flags, flags);
}

static void spans_are_paired_by_id(void **state)
{
	(void)state;
	begin(10, 7, 100, 1);
	begin(11, 7, 110, 2);
	end(10, 7, 120); /* not nested: the outer one ends first */
	end(11, 8, 130); /* on another thread */
	decode();
	assert_int_equal(seen.count, 2);
	expect(0, "one", 100, 120, 0);
	expect(1, "two", 110, 130, 0);
	assert_int_equal(seen.events[1].row.thread_id, 7);
	assert_int_equal(decoder.loss.orphan_count + decoder.loss.unfinished_count, 0);
	assert_true(decoder.loss.has_no_end);
}

static void whole_spans_and_instants(void **state)
{
	(void)state;
	add((struct nx_spans_record){
		.what = NX_SPANS_COMPLETE, .time_ns = 5, .end_ns = 9, .name = 1});
	add((struct nx_spans_record){
		.what = NX_SPANS_INSTANT, .time_ns = 6, .text = nx_slice_text("now")});
	add((struct nx_spans_record){
		.what = NX_SPANS_COMPLETE, .time_ns = 9, .end_ns = 5, .name = 1});
	decode();
	expect(0, "one", 5, 9, 0);
	expect(1, "now", 6, 6, NX_EVENT_INSTANT);
	expect(2, "one", 9, 9, 0);
	assert_int_equal(decoder.loss.backwards_count, 1);
}

static void losses_are_counted(void **state)
{
	(void)state;
	end(99, 7, 50); /* its begin was overwritten */
	begin(10, 7, 100, 1);
	begin(10, 7, 105, 2);  /* the same id again */
	begin(11, 7, 110, 77); /* a name that is not defined */
	add((struct nx_spans_record){.what = 55, .time_ns = 1});
	add((struct nx_spans_record){.what = NX_SPANS_INSTANT, .name = 1}); /* no time */
	nx_bytes_append_zeros(&file, 4);				    /* an empty record */
	add((struct nx_spans_record){
		.what = NX_SPANS_COUNTS, .time_ns = 200, .recorded_count = 30, .lost_count = 4});
	nx_bytes_append_zeros(&file, 3); /* a torn one */
	decode();
	assert_int_equal(seen.count, 3);
	expect(0, "one", 100, 105, NX_EVENT_UNFINISHED);
	expect(1, "two", 105, 200, NX_EVENT_UNFINISHED);
	expect(2, "(unnamed)", 110, 200, NX_EVENT_UNFINISHED);
	assert_int_equal(decoder.loss.orphan_count, 1);
	assert_int_equal(decoder.loss.duplicate_count, 1);
	assert_int_equal(decoder.loss.unnamed_count, 1);
	assert_int_equal(decoder.loss.unknown_count, 1);
	assert_int_equal(decoder.loss.unreadable_count, 2);
	assert_int_equal(decoder.loss.unfinished_count, 2);
	assert_int_equal(decoder.loss.torn_bytes, 3);
	assert_int_equal(decoder.loss.recorded_count, 30);
	assert_int_equal(decoder.loss.lost_count, 4);
	assert_false(decoder.loss.has_no_end);
}

static void a_flow_belongs_to_the_innermost_open_span(void **state)
{
	(void)state;
	begin(10, 7, 100, 1);
	begin(11, 7, 110, 2);
	begin(12, 8, 111, 1);
	flow(7, 5, true);
	flow(7, 6, true); /* a second one: the first counts */
	end(11, 7, 120);
	flow(8, 5, false);
	flow(9, 5, false); /* a thread without an open span */
	end(12, 8, 125);
	flow(7, 9, true);
	end(10, 7, 130);
	decode();
	assert_int_equal(seen.count, 3);
	assert_int_not_equal(seen.events[0].row.flow_id, 0);
	assert_int_equal(seen.events[0].row.flow_id, seen.events[1].row.flow_id);
	assert_int_not_equal(seen.events[2].row.flow_id, 0);
	assert_int_not_equal(seen.events[2].row.flow_id, seen.events[0].row.flow_id);
}

static void expect_attribute(const struct nx_event_attribute *attribute, const char *key,
			     const char *value)
{
	assert_true(nx_slice_is(attribute->key, key));
	assert_true(nx_slice_is(attribute->value, value));
}

static void attributes_are_texts(void **state)
{
	struct nx_spans_attribute recorded[] = {
		{.key = 5, .type = NX_SPANS_I64, .integer = (uint64_t)-3},
		{.key = 6, .type = NX_SPANS_F64, .number = 0.1},
		{.key = 7, .type = NX_SPANS_BOOL, .integer = 1},
		{.key = 8, .type = NX_SPANS_NAME, .integer = 1},
		{.key = 9, .type = NX_SPANS_I64, .integer = 1},	 /* says the same as the step */
		{.key = 99, .type = NX_SPANS_I64, .integer = 1}, /* not defined */
	};
	struct nx_spans_attribute late = {.key = 5, .type = NX_SPANS_U64, .integer = UINT64_MAX};
	struct nx_event_attribute found[NX_MAX_ATTRIBUTES];

	(void)state;
	define(5, "i");
	define(6, "f");
	define(7, "b");
	define(8, "n");
	define(9, "step_num");
	add((struct nx_spans_record){.what = NX_SPANS_DEFINITION,
				     .name = 3,
				     .text = nx_slice_text("train"),
				     .file = nx_slice_text("a.py"),
				     .line = 12,
				     .kind = NX_SPANS_PYTHON});
	add((struct nx_spans_record){
		.what = NX_SPANS_THREAD, .thread_id = 7, .text = nx_slice_text("main")});
	add((struct nx_spans_record){.what = NX_SPANS_BEGIN,
				     .id = 10,
				     .thread_id = 7,
				     .time_ns = 1,
				     .name = 3,
				     .is_step = true,
				     .step_num = -2,
				     .attributes = {recorded, 6}});
	add((struct nx_spans_record){
		.what = NX_SPANS_END, .id = 10, .time_ns = 2, .attributes = {&late, 1}});
	decode();
	assert_int_equal(nx_spans_event_attributes(&decoder, &seen.events[0].row, found,
						   NX_MAX_ATTRIBUTES),
			 10);
	expect_attribute(&found[0], "kind", "step");
	expect_attribute(&found[1], "source_file", "a.py");
	expect_attribute(&found[2], "source_line", "12");
	expect_attribute(&found[3], "step_name", "train");
	expect_attribute(&found[4], "step_num", "-2");
	expect_attribute(&found[5], "thread_name", "main");
	expect_attribute(&found[6], "i", "18446744073709551615");
	expect_attribute(&found[7], "f", "0.1");
	expect_attribute(&found[8], "b", "true");
	expect_attribute(&found[9], "n", "one");
	assert_int_equal(nx_spans_event_attributes(&decoder, &seen.events[0].row, found, 2), 2);
}

static void counters_are_samples(void **state)
{
	(void)state;
	add((struct nx_spans_record){
		.what = NX_SPANS_COUNTER, .time_ns = 4, .name = 2, .value = -1.5});
	add((struct nx_spans_record){.what = NX_SPANS_COUNTER, .time_ns = 5, .name = 2});
	decode();
	assert_int_equal(seen.count, 0);
	assert_int_equal(seen.sample_count, 2);
	assert_true(nx_slice_is(seen.samples[0].name, "two"));
	assert_true(seen.samples[0].value == -1.5);
	assert_true(seen.samples[1].value == 0);
}

static void places_of_ended_spans_are_used_again(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= MAX_EVENTS / 2; i++) {
		begin(2 * i, i % 3 + 1, 100 + i, 1);
		begin(2 * i + 1, i % 3 + 1, 100 + i, 2);
		end(2 * i, i % 3 + 1, 200 + i);
		end(2 * i + 1, i % 3 + 1, 200 + i);
	}
	decode();
	assert_int_equal(seen.count, MAX_EVENTS);
	for (uint64_t i = 0; i < MAX_EVENTS; i++)
		expect(i, i % 2 ? "two" : "one", 101 + i / 2, 201 + i / 2, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(spans_are_paired_by_id),
		TEST(whole_spans_and_instants),
		TEST(losses_are_counted),
		TEST(a_flow_belongs_to_the_innermost_open_span),
		TEST(attributes_are_texts),
		TEST(counters_are_samples),
		TEST(places_of_ended_spans_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
