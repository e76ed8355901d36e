/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "decode/xspace/xspace_decoder.h"

#define START_NS UINT64_C(1700000000000000000)
#define MAX_EVENTS 32

struct seen {
	struct nx_system_event row;
	char name[64];
};

struct made {
	struct nx_bytes bytes;
	struct nx_arena arena;
	struct nx_xspace_decoder decoder;
	struct nx_error err;
	struct seen events[MAX_EVENTS];
	size_t count;
};

/* --- writing, in any order a foreign program may choose ---------------------- */

static void put_entry(struct nx_bytes *plane, uint32_t field, uint64_t key, const char *name,
		      const char *display_name)
{
	struct nx_bytes value = {0}, entry = {0};

	nx_wire_put_bytes(&value, 2, nx_slice_text(name));
	if (display_name)
		nx_wire_put_bytes(&value, 4, nx_slice_text(display_name));
	nx_wire_put_u64(&entry, 1, key);
	nx_wire_put_bytes(&entry, 2, nx_slice_of(value.items, value.len));
	nx_wire_put_bytes(plane, field, nx_slice_of(entry.items, entry.len));
	nx_vec_release(&value);
	nx_vec_release(&entry);
}

static void put_event_name(struct nx_bytes *plane, uint64_t key, const char *name)
{
	put_entry(plane, NX_XPLANE_EVENT_METADATA, key, name, NULL);
}

static void put_stat_name(struct nx_bytes *plane, uint64_t key, const char *name)
{
	put_entry(plane, NX_XPLANE_STAT_METADATA, key, name, NULL);
}

struct line {
	struct nx_bytes bytes;
};

static struct line begin_line(int64_t id, const char *name, int64_t timestamp_ns)
{
	struct line line = {0};

	nx_wire_put_u64(&line.bytes, NX_XLINE_ID, (uint64_t)id);
	nx_wire_put_bytes(&line.bytes, NX_XLINE_NAME, nx_slice_text(name));
	nx_wire_put_u64(&line.bytes, NX_XLINE_TIMESTAMP, (uint64_t)timestamp_ns);
	return line;
}

static void put_event(struct line *line, int64_t name, int64_t offset_ps, int64_t duration_ps,
		      const struct nx_xstat *stat)
{
	struct nx_xevent event = {
		.metadata_id = name, .offset_ps = offset_ps, .duration_ps = duration_ps};

	nx_xevent_append(&line->bytes, &event, stat, stat != NULL);
}

static void end_line(struct line *line, struct nx_bytes *plane)
{
	nx_wire_put_bytes(plane, NX_XPLANE_LINES, nx_slice_of(line->bytes.items, line->bytes.len));
	nx_vec_release(&line->bytes);
}

static void end_plane(struct made *m, struct nx_bytes *plane, const char *name)
{
	if (name)
		nx_wire_put_bytes(plane, NX_XPLANE_NAME, nx_slice_text(name));
	nx_wire_put_bytes(&m->bytes, NX_XSPACE_PLANES, nx_slice_of(plane->items, plane->len));
	nx_vec_release(plane);
}

static void put_task(struct made *m)
{
	struct nx_bytes plane = {0};
	struct nx_xstat start = {.metadata_id = 1, .kind = NX_XSTAT_U64, .integer = START_NS};

	nx_xstat_append(&plane, NX_XPLANE_STATS, &start); /* before its name */
	put_stat_name(&plane, 1, "profile_start_time");
	end_plane(m, &plane, "Task Environment");
}

/* --- reading ----------------------------------------------------------------- */

static void on_event(void *context, const struct nx_xspace_event *event)
{
	struct made *m = context;
	struct seen *seen = &m->events[m->count];

	assert_true(m->count < MAX_EVENTS);
	seen->row = event->row;
	snprintf(seen->name, sizeof(seen->name), "%.*s", (int)event->name.len,
		 (const char *)event->name.data);
	m->count++;
}

static enum nx_status open_made(struct made *m)
{
	return nx_xspace_decoder_open(&m->decoder, nx_slice_of(m->bytes.items, m->bytes.len),
				      "made.xplane.pb", &m->arena, &m->err);
}

static void decode(struct made *m)
{
	assert_int_equal(open_made(m), NX_OK);
	m->count = 0;
	nx_xspace_decode_events(&m->decoder, on_event, m);
}

static void release(struct made *m)
{
	nx_xspace_decoder_release(&m->decoder);
	nx_vec_release(&m->bytes);
	nx_arena_release(&m->arena);
}

static const char *attribute(struct made *m, size_t event, const char *key)
{
	struct nx_event_attribute all[NX_MAX_ATTRIBUTES];
	size_t count =
		nx_xspace_attributes(&m->decoder, &m->events[event].row, all, NX_MAX_ATTRIBUTES);

	for (size_t i = 0; i < count; i++)
		if (nx_slice_is(all[i].key, key))
			return nx_arena_copy(&m->arena, all[i].value);
	return NULL;
}

static const char *thread_name(const struct made *m, size_t event)
{
	for (size_t i = 0; i < m->decoder.threads.len; i++)
		if (m->decoder.threads.items[i].id == m->events[event].row.thread_id)
			return m->decoder.threads.items[i].name;
	return NULL;
}

/* --- cases ------------------------------------------------------------------- */

static void names_may_follow_the_events(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line line = begin_line(4711, "main", 500);

	(void)state;
	put_event(&line, 9, 2000, 3999, NULL);
	end_line(&line, &plane);
	put_event_name(&plane, 9, "step");
	end_plane(&m, &plane, "/host:CPU");
	put_task(&m);
	decode(&m);
	assert_int_equal(m.count, 1);
	assert_string_equal(m.events[0].name, "step");
	assert_true(m.events[0].row.start_ns == START_NS + 502);
	assert_true(m.events[0].row.end_ns == START_NS + 505); /* rounded down: 505.999 */
	assert_int_equal(m.events[0].row.thread_id, 4711);
	assert_int_equal(m.events[0].row.source, NX_SOURCE_FRAMEWORK);
	assert_string_equal(thread_name(&m, 0), "main");
	assert_string_equal(attribute(&m, 0, "duration_ps"), "3999");
	release(&m);
}

static void ids_may_be_negative(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line line = begin_line(-3, "a", 1000), other = begin_line(-4, "b", 1000);

	(void)state;
	put_event(&line, -7, 5000, 1000, NULL);
	put_event(&line, -7, -5000, 1000, NULL); /* before its line */
	end_line(&line, &plane);
	put_event(&other, -7, 0, 1000, NULL);
	end_line(&other, &plane);
	put_event_name(&plane, (uint64_t)-7, "odd");
	end_plane(&m, &plane, "/device:GPU:0");
	decode(&m);
	assert_int_equal(m.count, 3);
	assert_string_equal(m.events[0].name, "odd");
	assert_int_equal(m.events[0].row.start_ns, 1005);
	assert_int_equal(m.events[1].row.start_ns, 995);
	assert_string_equal(thread_name(&m, 0), "/device:GPU:0 a");
	assert_string_equal(thread_name(&m, 2), "/device:GPU:0 b");
	release(&m);
}

static void lines_of_one_id_are_one_row(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line one = begin_line(5, "x", 10), two = begin_line(5, "x", 20),
		    shown = begin_line(6, "y", 30);

	(void)state;
	put_event(&one, 1, 0, 0, NULL);
	put_event(&two, 1, 0, 0, NULL);
	put_event(&shown, 1, 0, 0, NULL);
	nx_wire_put_u64(&shown.bytes, NX_XLINE_DISPLAY_ID, 5); /* after the events */
	end_line(&one, &plane);
	end_line(&two, &plane);
	end_line(&shown, &plane);
	put_event_name(&plane, 1, "e");
	end_plane(&m, &plane, "/device:TPU:1");
	decode(&m);
	assert_int_equal(m.decoder.threads.len, 1);
	assert_int_equal(m.count, 3);
	assert_int_equal(m.events[2].row.thread_id, m.events[0].row.thread_id);
	assert_int_equal(m.events[2].row.flags, NX_EVENT_INSTANT);
	release(&m);
}

static void a_sum_without_a_time_is_where_its_line_begins(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line line = begin_line(1, "x", 100);
	struct nx_xevent sum = {.metadata_id = 1,
				.is_aggregated = true,
				.occurrence_count = 12,
				.duration_ps = 7000};

	(void)state;
	nx_xevent_append(&line.bytes, &sum, NULL, 0);
	end_line(&line, &plane);
	put_event_name(&plane, 1, "op");
	end_plane(&m, &plane, "/device:TPU:0");
	decode(&m);
	assert_int_equal(m.decoder.loss.aggregated_count, 1);
	assert_int_equal(m.events[0].row.start_ns, 100);
	assert_int_equal(m.events[0].row.end_ns, 100);
	assert_string_equal(attribute(&m, 0, "num_occurrences"), "12");
	assert_string_equal(attribute(&m, 0, "total_duration_ps"), "7000");
	release(&m);
}

static void stats_are_attributes(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0}, metadata = {0}, entry = {0};
	struct line line = begin_line(INT64_C(0xdeadbeef), "Steps", 100);
	const struct nx_xstat stats[] = {
		{.metadata_id = 1, .kind = NX_XSTAT_I64, .integer = (uint64_t)-5},
		{.metadata_id = 2, .kind = NX_XSTAT_REF, .integer = 6},
		{.metadata_id = 3, .kind = NX_XSTAT_BYTES, .text = nx_slice_text("secret")},
		{.metadata_id = 4, .kind = NX_XSTAT_F64, .f64 = 0.5},
		{.metadata_id = 99, .kind = NX_XSTAT_U64, .integer = 1}, /* has no name */
	};
	/* the event's own counts */
	const struct nx_xstat of_kind = {.metadata_id = 1, .kind = NX_XSTAT_I64, .integer = 8};
	struct nx_xevent event = {.metadata_id = 1, .duration_ps = 1000};

	(void)state;
	nx_xevent_append(&line.bytes, &event, stats, 5);
	end_line(&line, &plane);
	nx_wire_put_bytes(&metadata, 2, nx_slice_text("%add = f32[] add(a, b)"));
	nx_wire_put_bytes(&metadata, 4, nx_slice_text("add"));
	nx_xstat_append(&metadata, 5, &of_kind);
	nx_wire_put_bytes(&metadata, 5, nx_slice_of("\x08\x05\x2a\x02\x62\xff", 6));
	nx_wire_put_u64(&entry, 1, 1);
	nx_wire_put_bytes(&entry, 2, nx_slice_of(metadata.items, metadata.len));
	nx_wire_put_bytes(&plane, NX_XPLANE_EVENT_METADATA, nx_slice_of(entry.items, entry.len));
	put_stat_name(&plane, 1, "step_num");
	put_stat_name(&plane, 2, "hlo_module");
	put_stat_name(&plane, 3, "Hlo Proto");
	put_stat_name(&plane, 4, "share");
	put_stat_name(&plane, 5, "source");
	put_stat_name(&plane, 6, "jit_f");
	end_plane(&m, &plane, "/device:TPU:0");
	decode(&m);
	assert_string_equal(m.events[0].name, "add");
	assert_string_equal(attribute(&m, 0, "long_name"), "%add = f32[] add(a, b)");
	assert_string_equal(attribute(&m, 0, "step_num"), "-5");
	assert_false(m.events[0].row.flags & NX_EVENT_STEP); /* the host's are the steps */
	assert_string_equal(attribute(&m, 0, "hlo_module"), "jit_f");
	assert_string_equal(attribute(&m, 0, "share"), "0.5");
	assert_string_equal(attribute(&m, 0, "source"), "b\xff"); /* outputs repair it */
	assert_string_equal(attribute(&m, 0, "is_derived"), "true");
	assert_null(attribute(&m, 0, "Hlo Proto"));
	nx_vec_release(&metadata);
	nx_vec_release(&entry);
	release(&m);
}

static void annotations_of_the_host_are_steps(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line line = begin_line(7, "main", 100);
	const struct nx_xstat number = {
		.metadata_id = 1, .kind = NX_XSTAT_I64, .integer = (uint64_t)-2};
	const struct nx_xstat text = {
		.metadata_id = 1, .kind = NX_XSTAT_TEXT, .text = nx_slice_text("4")};

	(void)state;
	put_event(&line, 1, 0, 5000, &number);
	put_event(&line, 1, 6000, 0, &number); /* an instant */
	put_event(&line, 1, 7000, 1000, &text);
	put_event(&line, 1, 9000, 1000, NULL);
	end_line(&line, &plane);
	put_event_name(&plane, 1, "train");
	put_stat_name(&plane, 1, "step_num");
	end_plane(&m, &plane, "/host:CPU");
	decode(&m);
	assert_int_equal(m.count, 4);
	assert_true(m.events[0].row.flags & NX_EVENT_STEP);
	assert_int_equal((int64_t)m.events[0].row.step_num, -2);
	for (size_t i = 1; i < m.count; i++)
		assert_false(m.events[i].row.flags & NX_EVENT_STEP);
	release(&m);
}

static void on_sample(void *context, const struct nx_xspace_sample *sample)
{
	struct made *m = context;

	assert_true(nx_slice_is(sample->name, "loss"));
	assert_true(sample->time_ns == START_NS + 10 + 1000 * m->count);
	assert_true(sample->value == (m->count ? -2.0 : 0.5));
	m->count++;
}

static void a_line_of_counters_has_samples(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line line = begin_line(0, "_counters_", 10), other = begin_line(7, "main", 10);
	struct nx_xstat half = {.metadata_id = 3, .kind = NX_XSTAT_F64, .f64 = 0.5};
	struct nx_xstat minus = {.metadata_id = 3, .kind = NX_XSTAT_I64, .integer = (uint64_t)-2};
	struct nx_xstat text = {
		.metadata_id = 3, .kind = NX_XSTAT_TEXT, .text = nx_slice_text("many")};

	(void)state;
	put_event(&line, 1, 0, 0, &half);
	put_event(&line, 1, 1000000, 0, &minus);
	put_event(&line, 2, 2000000, 0, &text); /* no number: an event */
	end_line(&line, &plane);
	put_event(&other, 1, 0, 5000, &half); /* an event like others */
	end_line(&other, &plane);
	put_event_name(&plane, 1, "loss");
	put_event_name(&plane, 2, "odd");
	put_stat_name(&plane, 3, "counter_value");
	end_plane(&m, &plane, "/host:CPU");
	put_task(&m);
	decode(&m);
	assert_int_equal(m.count, 2);
	assert_string_equal(m.events[0].name, "odd");
	assert_string_equal(m.events[1].name, "loss");
	assert_int_equal(m.decoder.sample_count, 2);
	m.count = 0;
	nx_xspace_decode_counters(&m.decoder, on_sample, &m);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.decoder.loss.event_count, 4);
	release(&m);
}

static void flows_join_events_of_all_planes(void **state)
{
	struct made m = {0};
	struct nx_bytes host = {0}, device = {0};
	struct line main_line = begin_line(1, "main", 0), ops = begin_line(1, "XLA Ops", 0);
	struct nx_xstat out = {
		.metadata_id = 1, .kind = NX_XSTAT_U64, .integer = nx_xflow_make(70, NX_XFLOW_OUT)};
	struct nx_xstat in = {
		.metadata_id = 4, .kind = NX_XSTAT_U64, .integer = nx_xflow_make(70, NX_XFLOW_IN)};
	struct nx_xstat produced = {.metadata_id = 2, .kind = NX_XSTAT_I64, .integer = 70};
	struct nx_xstat consumed = {.metadata_id = 5, .kind = NX_XSTAT_U64, .integer = 70};
	struct nx_xstat launch = {.metadata_id = 3, .kind = NX_XSTAT_U64, .integer = 70};

	(void)state;
	put_event(&main_line, 1, 0, 1000, &out);
	put_event(&main_line, 1, 2000, 1000, &produced);
	put_event(&main_line, 1, 4000, 1000, &launch);
	put_event(&main_line, 1, 6000, 1000, NULL);
	put_event(&ops, 1, 8000, 1000, &in);
	put_event(&ops, 1, 9000, 1000, &consumed);
	end_line(&main_line, &host);
	end_line(&ops, &device);
	put_event_name(&host, 1, "call");
	put_event_name(&device, 1, "op");
	put_stat_name(&host, 1, "flow");
	put_stat_name(&host, 2, "_p");
	put_stat_name(&host, 3, "correlation_id");
	put_stat_name(&device, 4, "flow");
	put_stat_name(&device, 5, "_c");
	end_plane(&m, &host, "/host:CPU");
	end_plane(&m, &device, "/device:TPU:0");
	decode(&m);
	assert_int_equal(m.count, 6);
	assert_true(m.events[0].row.flow_id != 0);
	assert_true(m.events[0].row.flow_id == m.events[4].row.flow_id);
	assert_true(m.events[1].row.flow_id == m.events[5].row.flow_id);
	assert_true(m.events[0].row.flow_id != m.events[1].row.flow_id);
	assert_true(m.events[2].row.flow_id != m.events[1].row.flow_id);
	assert_int_equal(m.events[3].row.flow_id, 0);
	release(&m);
}

static void planes_of_ours_are_runtime_and_cores(void **state)
{
	static const struct {
		const char *plane;
		uint8_t source;
		int32_t core;
	} planes[] = {
		{"/device:CUSTOM:Neuron Runtime", NX_SOURCE_RUNTIME, -1},
		{"/device:CUSTOM:Neuron Runtime (i-1 pid 5)", NX_SOURCE_RUNTIME, -1},
		{"/device:CUSTOM:NeuronCore 12", NX_SOURCE_HARDWARE, 12},
		{"/device:CUSTOM:NeuronCore 3 (i-1 pid 5)", NX_SOURCE_HARDWARE, 3},
		{"/device:CUSTOM:NeuronCore x", NX_SOURCE_FRAMEWORK, -1},
		{"/device:CUSTOM:NeuronCore 3x", NX_SOURCE_FRAMEWORK, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planes) / sizeof(planes[0]); i++) {
		struct made m = {0};
		struct nx_bytes plane = {0};
		struct line line = begin_line(1, "x", 100);

		put_event(&line, 1, 0, 1000, NULL);
		end_line(&line, &plane);
		put_event_name(&plane, 1, "e");
		end_plane(&m, &plane, planes[i].plane);
		decode(&m);
		assert_int_equal(m.events[0].row.source, planes[i].source);
		assert_int_equal(m.events[0].row.nc_idx, planes[i].core);
		release(&m);
	}
}

static void times_may_be_absolute(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line line = begin_line(1, "x", (int64_t)START_NS + 30);

	(void)state;
	put_event(&line, 1, 2000, 1000, NULL);
	put_event(&line, 1, INT64_MAX, 1000, NULL); /* out of range */
	put_event(&line, 1, 3000, -1000, NULL);	    /* backwards */
	put_event(&line, 2, 3000, 1000, NULL);	    /* has no name */
	end_line(&line, &plane);
	put_event_name(&plane, 1, "e");
	end_plane(&m, &plane, "/host:CPU");
	put_task(&m);
	decode(&m);
	assert_int_equal(m.count, 3);
	assert_true(m.events[0].row.start_ns == START_NS + 32);
	assert_int_equal(m.decoder.loss.malformed_count, 1);
	assert_int_equal(m.decoder.loss.backwards_count, 1);
	assert_true(m.events[1].row.end_ns == m.events[1].row.start_ns);
	assert_int_equal(m.decoder.loss.unnamed_count, 1);
	assert_string_equal(m.events[2].name, "event 2");
	release(&m);
}

static void a_file_is_read_up_to_any_cut(void **state)
{
	struct made m = {0};
	struct nx_bytes plane = {0};
	struct line line = begin_line(1, "x", 100);
	size_t task, whole, most = 0;

	(void)state;
	put_task(&m);
	task = m.bytes.len;
	nx_wire_put_bytes(&plane, NX_XPLANE_NAME, nx_slice_text("/host:CPU"));
	put_event_name(&plane, 1, "e");
	for (int i = 0; i < 20; i++)
		put_event(&line, 1, i * 1000, 500, NULL);
	end_line(&line, &plane);
	end_plane(&m, &plane, NULL);
	whole = m.bytes.len;
	for (size_t len = task; len <= whole; len++) {
		uint8_t *exact = nx_heap_alloc(len); /* so that a sanitizer sees its end */

		memcpy(exact, m.bytes.items, len);
		m.count = 0;
		assert_int_equal(nx_xspace_decoder_open(&m.decoder, nx_slice_of(exact, len), "cut",
							&m.arena, &m.err),
				 NX_OK);
		nx_xspace_decode_events(&m.decoder, on_event, &m);
		assert_true(m.count >= most);
		assert_false(m.decoder.loss.is_damaged);
		most = m.count;
		nx_xspace_decoder_release(&m.decoder);
		nx_heap_free(exact);
	}
	assert_int_equal(most, 20);
	decode(&m);
	assert_false(m.decoder.loss.is_cut);
	nx_xspace_decoder_release(&m.decoder);
	m.bytes.len = whole - 3;
	decode(&m);
	assert_true(m.decoder.loss.is_cut);
	assert_int_equal(m.count, 19);
	m.bytes.len = whole;
	release(&m);
}

static void what_is_no_xspace_is_refused(void **state)
{
	struct made m = {0};

	(void)state;
	assert_int_equal(open_made(&m), NX_FORMAT);
	assert_non_null(strstr(m.err.message, "made.xplane.pb is empty"));
	nx_bytes_append(&m.bytes, "{\"traceEvents\": []}", 19);
	assert_int_equal(open_made(&m), NX_FORMAT);
	assert_non_null(strstr(m.err.message, "is not an XSpace"));
	release(&m);
}

static void damage_inside_a_plane_keeps_the_others(void **state)
{
	struct made m = {0};
	struct nx_bytes bad = {0}, plane = {0};
	struct line line = begin_line(1, "x", 100);

	(void)state;
	nx_wire_put_bytes(&bad, NX_XPLANE_NAME, nx_slice_text("/device:GPU:0"));
	nx_bytes_append(&bad, "\x1a\x7f", 2); /* a line longer than its plane */
	end_plane(&m, &bad, NULL);
	put_event(&line, 1, 0, 1000, NULL);
	end_line(&line, &plane);
	put_event_name(&plane, 1, "e");
	end_plane(&m, &plane, "/host:CPU");
	decode(&m);
	assert_int_equal(m.count, 1);
	assert_true(m.decoder.loss.is_damaged);
	release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_may_follow_the_events),
		cmocka_unit_test(ids_may_be_negative),
		cmocka_unit_test(lines_of_one_id_are_one_row),
		cmocka_unit_test(a_sum_without_a_time_is_where_its_line_begins),
		cmocka_unit_test(stats_are_attributes),
		cmocka_unit_test(annotations_of_the_host_are_steps),
		cmocka_unit_test(a_line_of_counters_has_samples),
		cmocka_unit_test(flows_join_events_of_all_planes),
		cmocka_unit_test(planes_of_ours_are_runtime_and_cores),
		cmocka_unit_test(times_may_be_absolute),
		cmocka_unit_test(a_file_is_read_up_to_any_cut),
		cmocka_unit_test(what_is_no_xspace_is_refused),
		cmocka_unit_test(damage_inside_a_plane_keeps_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
