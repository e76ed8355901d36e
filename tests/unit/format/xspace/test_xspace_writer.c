/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/xspace_writer.h"

struct space {
	struct nx_bytes bytes;
	struct nx_arena arena;
	struct nx_xspace read;
	struct nx_xplane planes[8];
};

static void write_bytes(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
}

static void read_space(struct space *s)
{
	struct nx_wire_loss loss = {0};

	assert_int_equal(nx_wire_decode(&nx_xspace_message,
					nx_slice_of(s->bytes.items, s->bytes.len), &s->read,
					&s->arena, &loss, NULL),
			 NX_OK);
	assert_true(s->read.planes.count <= 8);
	for (size_t i = 0; i < s->read.planes.count; i++)
		assert_int_equal(nx_wire_decode(&nx_xplane_message, s->read.planes.items[i],
						&s->planes[i], &s->arena, &loss, NULL),
				 NX_OK);
	assert_int_equal(loss.unknown_field_count + loss.truncated_count + loss.wrong_type_count,
			 0);
}

static struct nx_xline line_of(struct space *s, size_t plane, size_t line)
{
	struct nx_xline read;

	assert_true(line < s->planes[plane].lines.count);
	assert_int_equal(nx_wire_decode(&nx_xline_message, s->planes[plane].lines.items[line],
					&read, &s->arena, NULL, NULL),
			 NX_OK);
	return read;
}

static void release(struct space *s)
{
	nx_vec_release(&s->bytes);
	nx_arena_release(&s->arena);
}

static struct nx_xspace_attribute number(const char *name, uint64_t value)
{
	return (struct nx_xspace_attribute){name, {.kind = NX_XSTAT_U64, .integer = value}};
}

static void planes_have_their_lines_and_names(void **state)
{
	struct space s = {0};
	struct nx_xspace_writer_options how = {
		.write = write_bytes, .context = &s.bytes, .start_ns = 1000};
	struct nx_xspace_writer *w = nx_xspace_writer_new(&how);
	uint32_t host = nx_xspace_writer_plane(w, 0, NX_XPLANE_HOST);
	uint32_t task = nx_xspace_writer_plane(w, 0, NX_XPLANE_TASK);
	uint32_t one = nx_xspace_writer_line(w, host, 7, "main");
	uint32_t two = nx_xspace_writer_line(w, host, -8, "wor\xffker");
	struct nx_xspace_attribute size = number("size", 64);
	struct nx_xspace_attribute start = number(NX_XSTAT_START_TIME, 1000);
	struct nx_xline line;
	struct nx_xevent event;

	(void)state;
	nx_xspace_writer_event(w, one, "step", 1500, 1700, &size, 1);
	nx_xspace_writer_event(w, two, "load", 1550, 1550, NULL, 0);
	nx_xspace_writer_event(w, one, "load", 1600, 1650, NULL, 0);
	nx_xspace_writer_stat(w, task, &start);
	nx_xspace_writer_host(w, "h1");
	nx_xspace_writer_warn(w, "lost");
	assert_int_equal(nx_xspace_writer_finish(w, NULL), NX_OK);
	read_space(&s);
	assert_int_equal(s.read.planes.count, 2);
	assert_true(nx_slice_is(s.read.hostnames.items[0], "h1"));
	assert_true(nx_slice_is(s.read.warnings.items[0], "lost"));
	assert_true(nx_slice_is(s.planes[0].name, "/host:CPU"));
	assert_int_equal(s.planes[0].lines.count, 2);
	assert_int_equal(s.planes[0].event_metadata.count, 2);
	assert_int_equal(s.planes[0].stat_metadata.count, 1);
	assert_int_equal(s.planes[0].event_metadata.items[1].key, 2);
	assert_true(nx_slice_is(s.planes[0].event_metadata.items[1].value.name, "load"));
	assert_int_equal(s.planes[1].stats.count, 1);
	line = line_of(&s, 0, 0);
	assert_int_equal(line.timestamp_ns, 500); /* since the session's start */
	assert_int_equal(line.duration_ps, 200000);
	assert_int_equal(line.events.count, 2);
	assert_true(nx_xevent_read(line.events.items[1], &event));
	assert_int_equal(event.metadata_id, 2);
	assert_int_equal(event.offset_ps, 100000);
	assert_int_equal(event.duration_ps, 50000);
	line = line_of(&s, 0, 1);
	assert_int_equal(line.id, -8);
	assert_true(nx_slice_is(line.name, "wor?ker"));
	release(&s);
}

static void what_exceeds_the_buffer_continues_in_a_second_line(void **state)
{
	struct space s = {0};
	struct nx_xspace_writer_options how = {
		.write = write_bytes, .context = &s.bytes, .buffer_bytes = 64};
	struct nx_xspace_writer *w = nx_xspace_writer_new(&how);
	uint32_t a = nx_xspace_writer_plane(w, 0, "a"), b = nx_xspace_writer_plane(w, 1, "b");
	uint32_t lines[] = {nx_xspace_writer_line(w, a, 1, "x"),
			    nx_xspace_writer_line(w, b, 1, "y")};
	uint64_t seen[2] = {0}, last[2] = {0};

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		nx_xspace_writer_event(w, lines[i % 2], "e", 5000 + i, 5000 + i, NULL, 0);
	assert_int_equal(s.bytes.len, 0);
	assert_int_equal(nx_xspace_writer_finish(w, NULL), NX_OK);
	read_space(&s);
	assert_true(s.planes[0].lines.count > 10);
	for (size_t p = 0; p < 2; p++)
		for (size_t l = 0; l < s.planes[p].lines.count; l++) {
			struct nx_xline line = line_of(&s, p, l);

			assert_int_equal(line.id, 1);
			for (size_t i = 0; i < line.events.count; i++) {
				struct nx_xevent event;
				uint64_t at;

				nx_xevent_read(line.events.items[i], &event);
				at = (uint64_t)line.timestamp_ns + (uint64_t)event.offset_ps / 1000;
				assert_true(at > last[p]);
				assert_int_equal(at % 2, p);
				last[p] = at;
				seen[p]++;
			}
		}
	assert_int_equal(seen[0], 500);
	assert_int_equal(seen[1], 500);
	release(&s);
}

static void a_space_that_readers_refuse_is_not_written(void **state)
{
	struct space s = {0};
	struct nx_xspace_writer_options how = {
		.write = write_bytes, .context = &s.bytes, .max_bytes = 100};
	struct nx_error err = {0};

	(void)state;
	for (unsigned count = 1; count < 100; count += 60) {
		struct nx_xspace_writer *w = nx_xspace_writer_new(&how);
		uint32_t line = nx_xspace_writer_line(w, nx_xspace_writer_plane(w, 0, "a"), 1, "x");
		enum nx_status st;

		for (unsigned i = 0; i < count; i++)
			nx_xspace_writer_event(w, line, "e", i, i, NULL, 0);
		st = nx_xspace_writer_finish(w, &err);
		assert_int_equal(st, count > 1 ? NX_LIMIT : NX_OK);
		if (count > 1)
			assert_int_equal(s.bytes.len, 0);
		s.bytes.len = 0;
	}
	assert_non_null(strstr(err.message, "at most 100; write fewer events"));
	release(&s);
}

static void a_temporary_folder_that_is_missing_is_told(void **state)
{
	struct space s = {0};
	struct nx_xspace_writer_options how = {
		.write = write_bytes, .context = &s.bytes, .buffer_bytes = 8};
	struct nx_xspace_writer *w = nx_xspace_writer_new(&how);
	uint32_t line = nx_xspace_writer_line(w, nx_xspace_writer_plane(w, 0, "a"), 1, "x");
	struct nx_error err = {0};

	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	for (unsigned i = 0; i < 100; i++)
		nx_xspace_writer_event(w, line, "e", i, i, NULL, 0);
	assert_int_not_equal(nx_xspace_writer_finish(w, &err), NX_OK);
	unsetenv("TMPDIR");
	assert_non_null(strstr(err.message, "cannot create a temporary file in /nonexistent"));
	assert_int_equal(s.bytes.len, 0);
	release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planes_have_their_lines_and_names),
		cmocka_unit_test(what_exceeds_the_buffer_continues_in_a_second_line),
		cmocka_unit_test(a_space_that_readers_refuse_is_not_written),
		cmocka_unit_test(a_temporary_folder_that_is_missing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
