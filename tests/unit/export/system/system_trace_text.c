/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Perfetto trace back. Numbers of fields are those of perfetto/protos. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/number.h"
#include "format/wire.h"
#include "system_export.h"

#define MAX_TRACKS 64
#define MAX_TEXTS 64

struct sequence {
	uint64_t now_ns;
	uint64_t track;
	struct nx_slice texts[3][MAX_TEXTS]; /* event names, argument names, argument texts */
};

struct trace {
	struct nx_arena *arena;
	struct nx_bytes text;
	bool with_args;
	const char *paths[MAX_TRACKS];
	struct sequence sequences[MAX_TRACKS];
};

static void NX_PRINTF(2, 3) say(struct trace *t, const char *fmt, ...)
{
	char line[2048];
	va_list args;

	va_start(args, fmt);
	nx_bytes_append(&t->text, line, (size_t)vsnprintf(line, sizeof(line), fmt, args));
	va_end(args);
}

static const char *text_of(struct trace *t, struct nx_slice slice)
{
	return nx_arena_copy(t->arena, slice);
}

/* The last field of this number; false without one. */
static bool field(struct nx_slice message, uint32_t number, struct nx_wire_value *value)
{
	struct nx_wire_reader reader = nx_wire_reader_of(message);
	struct nx_wire_value v;
	bool found = false;

	while (nx_wire_next(&reader, &v))
		if (v.number == number) {
			*value = v;
			found = true;
		}
	assert_false(reader.failed);
	return found;
}

static uint64_t number_of(struct nx_slice message, uint32_t number)
{
	struct nx_wire_value v;

	return field(message, number, &v) ? v.integer : 0;
}

static struct nx_slice bytes_of(struct nx_slice message, uint32_t number)
{
	struct nx_wire_value v;

	return field(message, number, &v) ? v.bytes : (struct nx_slice){0};
}

static void read_descriptor(struct trace *t, struct nx_slice d)
{
	uint64_t uuid = number_of(d, 1), parent = number_of(d, 5);
	struct nx_slice process = bytes_of(d, 3), thread = bytes_of(d, 4), counter = bytes_of(d, 8);
	/* processes and threads may carry their names inside */
	const char *name = text_of(t, process.len  ? bytes_of(process, 6)
				      : thread.len ? bytes_of(thread, 5)
						   : bytes_of(d, 2));

	assert_true(uuid < MAX_TRACKS && parent < MAX_TRACKS);
	if (t->paths[uuid]) /* a parent may be told again by its children's sequences */
		return;
	t->paths[uuid] = parent ? nx_arena_printf(t->arena, "%s/%s", t->paths[parent], name) : name;
	if (process.len)
		say(t, "process \"%s\" %llu\n", name, (unsigned long long)number_of(process, 1));
	else if (thread.len)
		say(t, "thread \"%s\" %llu\n", t->paths[uuid],
		    (unsigned long long)number_of(thread, 2));
	else
		say(t, "%s \"%s\"\n", field(d, 8, &(struct nx_wire_value){0}) ? "counter" : "track",
		    t->paths[uuid]);
	if (bytes_of(counter, 6).len)
		say(t, "  in %s\n", text_of(t, bytes_of(counter, 6)));
}

static void read_interned(struct sequence *s, struct nx_slice interned)
{
	static const uint32_t tables[] = {2, 3, 29};
	struct nx_wire_reader reader = nx_wire_reader_of(interned);
	struct nx_wire_value v;

	while (nx_wire_next(&reader, &v))
		for (unsigned i = 0; i < 3; i++)
			if (v.number == tables[i]) {
				assert_true(number_of(v.bytes, 1) < MAX_TEXTS);
				s->texts[i][number_of(v.bytes, 1)] = bytes_of(v.bytes, 2);
			}
}

static double as_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void read_arg(struct trace *t, const struct sequence *s, struct nx_slice arg)
{
	struct nx_wire_value v;
	struct nx_slice name = field(arg, 1, &v) ? s->texts[1][v.integer] : bytes_of(arg, 10);

	say(t, " %s=", text_of(t, name));
	if (field(arg, 2, &v))
		say(t, "%s", v.integer ? "true" : "false");
	else if (field(arg, 3, &v))
		say(t, "%llu", (unsigned long long)v.integer);
	else if (field(arg, 5, &v))
		say(t, "%g", as_double(v.integer));
	else
		say(t, "'%s'",
		    text_of(t, field(arg, 17, &v) ? s->texts[2][v.integer] : bytes_of(arg, 6)));
}

static void read_event(struct trace *t, const struct sequence *s, struct nx_slice event)
{
	static const char *const types[] = {"?", "begin", "end", "instant", "count"};
	struct nx_wire_reader reader = nx_wire_reader_of(event);
	struct nx_wire_value v;
	uint64_t type = number_of(event, 9);

	assert_true(type >= 1 && type <= 4);
	say(t, "%s %s %llu", t->paths[s->track], types[type], (unsigned long long)s->now_ns);
	if (field(event, 10, &v))
		say(t, " %s", text_of(t, s->texts[0][v.integer]));
	if (field(event, 30, &v))
		say(t, " %lld", (long long)v.integer);
	if (field(event, 44, &v))
		say(t, " %g", as_double(v.integer));
	while (nx_wire_next(&reader, &v)) {
		if (v.number == 4 && t->with_args)
			read_arg(t, s, v.bytes);
		if (v.number == 47)
			say(t, " flow=%llu", (unsigned long long)v.integer);
		assert_int_not_equal(v.number, 48);
	}
	say(t, "\n");
}

static void read_packet(struct trace *t, struct nx_slice packet)
{
	uint64_t id = number_of(packet, 10);
	struct sequence *s = &t->sequences[id];
	struct nx_wire_value v;

	assert_true(id < MAX_TRACKS);
	if (field(packet, 60, &v))
		read_descriptor(t, v.bytes);
	if (field(packet, 59, &v))
		s->track = number_of(bytes_of(v.bytes, 11), 11);
	if (field(packet, 6, &v)) { /* the sequence's clock starts where the host's stands */
		struct nx_wire_reader reader = nx_wire_reader_of(v.bytes);

		while (nx_wire_next(&reader, &v))
			if (v.number == 1 && number_of(v.bytes, 1) == 6)
				s->now_ns = number_of(v.bytes, 2);
	}
	if (field(packet, 12, &v))
		read_interned(s, v.bytes);
	if (field(packet, 11, &v)) {
		s->now_ns += number_of(packet, 8);
		read_event(t, s, v.bytes);
	}
}

char *nx_trace_text(struct nx_arena *arena, struct nx_slice trace, bool with_args)
{
	struct trace *t = NX_NEW(arena, struct trace);
	struct nx_wire_reader reader = nx_wire_reader_of(trace);
	struct nx_wire_value v;
	char *text;

	t->arena = arena;
	t->with_args = with_args;
	while (nx_wire_next(&reader, &v)) {
		assert_int_equal(v.number, 1);
		read_packet(t, v.bytes);
	}
	assert_false(reader.failed);
	text = nx_arena_copy(arena, nx_slice_of(t->text.items, t->text.len));
	nx_vec_release(&t->text);
	return text;
}
