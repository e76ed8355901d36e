/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "format/wire.h"

void nx_perfetto_reading_begin(struct nx_perfetto_reading *r, bool compress)
{
	struct nx_error err;
	int fd;

	memset(r, 0, sizeof(*r));
	snprintf(r->path, sizeof(r->path), "/tmp/nx-perfetto-XXXXXX");
	fd = mkstemp(r->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(nx_output_open(&r->out, r->path, &err), NX_OK);
	r->p = nx_perfetto_new(&r->out, compress);
}

static void say(struct nx_bytes *text, const char *fmt, ...)
{
	char line[4096];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	nx_bytes_append(text, line, (size_t)len);
}

/* Which fields of which message are messages themselves; 0 ends a list. */
static const struct shape {
	uint32_t parent, field;
} shapes[] = {
	/* packet */ {1, 6},	     {1, 11}, {1, 12},	{1, 59}, {1, 60},
	/* clock snapshot */ {6, 1},
	/* event */ {11, 4},
	/* interned data */ {12, 2}, {12, 3}, {12, 29},
	/* defaults */ {59, 11},
	/* descriptor */ {60, 3},    {60, 4}, {60, 8},
};

static bool is_message(uint32_t parent, uint32_t field)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (shapes[i].parent == parent && shapes[i].field == field)
			return true;
	return false;
}

static void show_message(struct nx_bytes *text, uint32_t parent, struct nx_slice bytes)
{
	struct nx_wire_reader reader = nx_wire_reader_of(bytes);
	struct nx_wire_value v;
	const char *space = "";

	while (nx_wire_next(&reader, &v)) {
		say(text, "%s%u", space, v.number);
		space = " ";
		if (v.wire_type == 1) {
			double f64;

			memcpy(&f64, &v.integer, sizeof(f64));
			say(text, v.integer >> 52 ? "=%g" : "=%.0f#",
			    v.integer >> 52 ? f64 : (double)v.integer);
		} else if (v.wire_type != 2) {
			say(text, "=%lld", (long long)v.integer);
		} else if (is_message(parent, v.number)) {
			say(text, "{");
			show_message(text, v.number, v.bytes);
			say(text, "}");
		} else {
			say(text, "='%.*s'", (int)v.bytes.len, (const char *)v.bytes.data);
		}
	}
	assert_false(reader.failed);
}

static void show_packets(struct nx_bytes *text, struct nx_slice bytes);

static void show_bundle(struct nx_bytes *text, struct nx_slice deflated)
{
	uLongf len = 4 << 20;
	uint8_t *room = malloc(len);

	assert_non_null(room);
	assert_int_equal(uncompress(room, &len, deflated.data, deflated.len), Z_OK);
	show_packets(text, nx_slice_of(room, len));
	free(room);
}

static void show_packets(struct nx_bytes *text, struct nx_slice bytes)
{
	struct nx_wire_reader reader = nx_wire_reader_of(bytes), inner;
	struct nx_wire_value packet, field;

	while (nx_wire_next(&reader, &packet)) {
		assert_int_equal(packet.number, 1);
		inner = nx_wire_reader_of(packet.bytes);
		if (nx_wire_next(&inner, &field) && field.number == 50) {
			show_bundle(text, field.bytes);
			continue;
		}
		show_message(text, 1, packet.bytes);
		say(text, "\n");
	}
	assert_false(reader.failed);
}

const char *nx_perfetto_reading_end(struct nx_perfetto_reading *r)
{
	struct nx_file file;
	struct nx_error err;

	nx_perfetto_finish(r->p);
	assert_int_equal(nx_output_commit(&r->out, &err), NX_OK);
	assert_int_equal(nx_file_map(&file, r->path, &err), NX_OK);
	show_packets(&r->text, file.bytes);
	nx_bytes_append(&r->text, "", 1);
	nx_file_unmap(&file);
	unlink(r->path);
	return (const char *)r->text.items;
}

void nx_perfetto_reading_release(struct nx_perfetto_reading *r)
{
	nx_vec_release(&r->text);
}

const char *nx_perfetto_reading_event(struct nx_perfetto_reading *r, size_t n)
{
	static char line[4096];
	const char *at = (const char *)r->text.items, *end;

	for (; *at; at = end + 1) {
		end = strchr(at, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		if (strstr(line, " 11{") && !strstr(line, "59{") && !n--)
			return line;
	}
	return NULL;
}
