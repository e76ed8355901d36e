/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/ntrace.h"
#include "format/spans.h"
#include "runtime/session/session_space.h"

#define START_NS UINT64_C(1700000000000000000)
#define SPAN_COUNT 30000u /* more than a piece of the file */
#define THREAD 4711

/* --- a session ----------------------------------------------------------------- */

struct session {
	char folder[64], path[128];
	struct nx_bytes spans;
};

static void begin_session(struct session *s)
{
	*s = (struct session){.folder = "/tmp/nx-test-session-XXXXXX"};
	assert_non_null(mkdtemp(s->folder));
	snprintf(s->path, sizeof(s->path), "%s/%s", s->folder, NX_SPANS_FILE);
}

static void put(struct session *s, struct nx_spans_record record)
{
	nx_ntrace_append(&s->spans, &nx_spans_record_message, &record);
}

static void define(struct session *s, uint64_t name, const char *text)
{
	put(s, (struct nx_spans_record){
		       .what = NX_SPANS_DEFINITION, .name = name, .text = nx_slice_text(text)});
}

static void write_session(struct session *s)
{
	FILE *file = fopen(s->path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(s->spans.items, 1, s->spans.len, file), s->spans.len);
	fclose(file);
}

static void end_session(struct session *s)
{
	unlink(s->path);
	rmdir(s->folder);
	nx_vec_release(&s->spans);
}

/* A step around many spans of 2 us, each 10 us after the last; the step begins first and ends
 * last. */
static void fill_session(struct session *s)
{
	define(s, 1, "step");
	define(s, 2, "work");
	put(s, (struct nx_spans_record){.what = NX_SPANS_BEGIN,
					.id = 1,
					.name = 1,
					.thread_id = THREAD,
					.time_ns = START_NS,
					.is_step = true});
	for (uint64_t i = 0; i < SPAN_COUNT; i++)
		put(s, (struct nx_spans_record){.what = NX_SPANS_COMPLETE,
						.name = 2,
						.thread_id = THREAD,
						.time_ns = START_NS + 10000 * (i + 1),
						.end_ns = START_NS + 10000 * (i + 1) + 2000});
	put(s, (struct nx_spans_record){.what = NX_SPANS_END,
					.id = 1,
					.thread_id = THREAD,
					.time_ns = START_NS + 10000 * (SPAN_COUNT + 1)});
}

/* --- reading it back -------------------------------------------------------------- */

static void append(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
}

struct found {
	unsigned host_plane_count, task_plane_count;
	uint64_t event_count;
	uint64_t longest_ps;
	int64_t first_ns; /* of the lines */
	bool has_other_line;
};

static void read_line(struct found *found, struct nx_slice message, struct nx_arena *arena)
{
	struct nx_xline line;

	assert_int_equal(nx_wire_decode(&nx_xline_message, message, &line, arena, NULL, NULL),
			 NX_OK);
	found->has_other_line |= line.id != THREAD;
	for (size_t i = 0; i < line.events.count; i++) {
		struct nx_xevent event;

		assert_true(nx_xevent_read(line.events.items[i], &event));
		assert_true(event.offset_ps >= 0);
		found->event_count++;
		if ((uint64_t)event.duration_ps > found->longest_ps)
			found->longest_ps = (uint64_t)event.duration_ps;
	}
	if (line.timestamp_ns < found->first_ns)
		found->first_ns = line.timestamp_ns;
}

static struct found read_space(const struct nx_bytes *bytes)
{
	struct found found = {.first_ns = INT64_MAX};
	struct nx_arena arena = {0};
	struct nx_xspace space;

	assert_int_equal(nx_wire_decode(&nx_xspace_message, nx_slice_of(bytes->items, bytes->len),
					&space, &arena, NULL, NULL),
			 NX_OK);
	for (size_t i = 0; i < space.planes.count; i++) {
		struct nx_xplane plane;

		assert_int_equal(nx_wire_decode(&nx_xplane_message, space.planes.items[i], &plane,
						&arena, NULL, NULL),
				 NX_OK);
		found.host_plane_count += nx_slice_is(plane.name, NX_XPLANE_HOST);
		found.task_plane_count += nx_slice_is(plane.name, NX_XPLANE_TASK);
		for (size_t k = 0; k < plane.lines.count; k++)
			read_line(&found, plane.lines.items[k], &arena);
	}
	nx_arena_release(&arena);
	return found;
}

/* --- cases --------------------------------------------------------------------------- */

static void a_long_session_is_one_plane_with_one_line(void **state)
{
	struct nx_session_summary summary;
	struct nx_bytes bytes = {0};
	struct nx_session_target target = {.write = append,
					   .context = &bytes,
					   .hostname = "host",
					   .start_ns = START_NS + 50,
					   .stop_ns = START_NS + 1000000000};
	struct nx_session_space *space;
	struct nx_error err = {0};
	struct session s;
	struct found found;

	(void)state;
	begin_session(&s);
	fill_session(&s);
	write_session(&s);
	assert_true(s.spans.len > (512u << 10)); /* several pieces */
	space = nx_session_space_new(s.folder, NULL);
	assert_int_equal(nx_session_space_save(space, &target, &summary, &err), NX_OK);
	nx_session_space_free(space);
	found = read_space(&bytes);
	assert_int_equal(found.host_plane_count, 1);
	assert_int_equal(found.task_plane_count, 1);
	assert_int_equal(found.event_count, SPAN_COUNT + 1);
	assert_false(found.has_other_line);
	assert_int_equal(found.longest_ps, UINT64_C(10000000) * (SPAN_COUNT + 1));
	assert_int_equal(found.first_ns, 0); /* the step moved the start */
	assert_int_equal(summary.event_count, SPAN_COUNT + 1);
	assert_int_equal(summary.step_count, 1);
	assert_int_equal(summary.step_max_ns, 10000 * (SPAN_COUNT + 1));
	assert_int_equal(summary.core_count, 0);
	nx_vec_release(&bytes);
	end_session(&s);
}

static void a_space_that_is_too_large_is_not_written(void **state)
{
	struct nx_bytes bytes = {0};
	struct nx_session_target target = {.write = append,
					   .context = &bytes,
					   .hostname = "host",
					   .start_ns = START_NS,
					   .stop_ns = START_NS + 1,
					   .max_bytes = 10000};
	struct nx_session_space *space;
	struct nx_error err = {0};
	struct session s;

	(void)state;
	begin_session(&s);
	fill_session(&s);
	write_session(&s);
	space = nx_session_space_new(s.folder, NULL);
	assert_int_equal(nx_session_space_save(space, &target, NULL, &err), NX_LIMIT);
	assert_int_equal(bytes.len, 0);
	nx_session_space_free(space);
	nx_vec_release(&bytes);
	end_session(&s);
}

static void a_summary_alone_needs_no_writer(void **state)
{
	struct nx_session_target target = {.start_ns = START_NS, .stop_ns = START_NS + 1};
	struct nx_session_summary summary;
	struct nx_session_space *space;
	struct nx_error err = {0};
	struct session s;

	(void)state;
	begin_session(&s);
	define(&s, 1, "step");
	for (uint64_t i = 0; i < 3; i++) {
		put(&s, (struct nx_spans_record){.what = NX_SPANS_BEGIN,
						 .id = i + 1,
						 .name = 1,
						 .thread_id = THREAD,
						 .time_ns = START_NS + 1000 * i,
						 .is_step = true});
		put(&s, (struct nx_spans_record){.what = NX_SPANS_END,
						 .id = i + 1,
						 .thread_id = THREAD,
						 .time_ns = START_NS + 1000 * i + 100 * (i + 1)});
	}
	write_session(&s);
	space = nx_session_space_new(s.folder, NULL);
	assert_int_equal(nx_session_space_save(space, &target, &summary, &err), NX_OK);
	assert_int_equal(summary.step_count, 3);
	assert_int_equal(summary.step_min_ns, 100);
	assert_int_equal(summary.step_max_ns, 300);
	assert_int_equal(summary.step_sum_ns, 600);
	nx_session_space_free(space);
	end_session(&s);
}

static void a_folder_without_files_is_an_empty_space(void **state)
{
	struct nx_bytes bytes = {0};
	struct nx_session_target target = {.write = append,
					   .context = &bytes,
					   .hostname = "host",
					   .start_ns = UINT64_MAX,
					   .stop_ns = START_NS};
	struct nx_session_summary summary;
	struct nx_session_space *space = nx_session_space_new("/nonexistent", "a warning");
	struct nx_error err = {0};

	(void)state;
	assert_int_equal(nx_session_space_save(space, &target, &summary, &err), NX_OK);
	assert_int_equal(summary.event_count, 0);
	assert_int_equal(read_space(&bytes).host_plane_count, 1);
	nx_session_space_free(space);
	nx_vec_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_session_is_one_plane_with_one_line),
		cmocka_unit_test(a_space_that_is_too_large_is_not_written),
		cmocka_unit_test(a_summary_alone_needs_no_writer),
		cmocka_unit_test(a_folder_without_files_is_an_empty_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
