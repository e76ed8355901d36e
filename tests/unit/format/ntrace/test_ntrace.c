/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/bare/bits.h"
#include "format/ntrace.h"

#define HEAD_DEFAULT                                                                               \
	(struct nx_ntrace_head)                                                                    \
	{                                                                                          \
		.nc_idx = -1, .worker_gid = -1                                                     \
	}

static struct nx_slice slice_of(const struct nx_bytes *bytes)
{
	return nx_slice_of(bytes->items, bytes->len);
}

/* --- streams ------------------------------------------------------------------- */

static void test_stream(void **state)
{
	static const uint8_t file[] = {3, 0, 0, 0, 'a', 'b', 'c', 0, 0, 0, 0, 1, 0, 0, 0, 'd'};
	struct nx_ntrace_stream stream = {.file = nx_slice_of(file, sizeof(file))};
	struct nx_slice record;

	(void)state;
	assert_true(nx_ntrace_next(&stream, &record));
	assert_true(nx_slice_is(record, "abc"));
	assert_int_equal(stream.at, 7);
	assert_true(nx_ntrace_next(&stream, &record));
	assert_int_equal(record.len, 0);
	assert_true(nx_ntrace_next(&stream, &record));
	assert_true(nx_slice_is(record, "d"));
	assert_false(nx_ntrace_next(&stream, &record));
	assert_false(stream.is_torn);
	assert_int_equal(stream.at, sizeof(file));
}

/* Wherever the file is cut, whole records before the cut are read and the rest is reported. */
static void test_torn_stream(void **state)
{
	static const uint8_t file[] = {3, 0, 0, 0, 'a', 'b', 'c', 2, 0, 0, 0, 'd', 'e'};

	(void)state;
	for (size_t len = 0; len <= sizeof(file); len++) {
		uint8_t *copy = malloc(len ? len : 1); /* exact: the sanitizer sees overruns */
		struct nx_ntrace_stream stream = {.file = nx_slice_of(copy, len)};
		size_t whole = len >= 13 ? 13 : len >= 7 ? 7 : 0, count = 0;
		struct nx_slice record;

		memcpy(copy, file, len);
		while (nx_ntrace_next(&stream, &record))
			count++;
		assert_int_equal(count, (len >= 7) + (len >= 13));
		assert_int_equal(stream.is_torn, len != whole);
		if (stream.is_torn)
			assert_int_equal(stream.torn_at, whole);
		assert_false(nx_ntrace_next(&stream, &record));
		free(copy);
	}
}

static void test_senseless_length(void **state)
{
	static const uint8_t file[] = {0xff, 0xff, 0xff, 0xff, 1, 2, 3};
	struct nx_ntrace_stream stream = {.file = nx_slice_of(file, sizeof(file))};
	struct nx_slice record;

	(void)state;
	assert_false(nx_ntrace_next(&stream, &record));
	assert_true(stream.is_torn);
	assert_int_equal(stream.torn_at, 0);
	stream = (struct nx_ntrace_stream){0};
	assert_false(nx_ntrace_next(&stream, &record));
	assert_false(stream.is_torn);
}

static void test_append(void **state)
{
	static const uint8_t expected[] = {4, 0, 0, 0, 0x08, 0x05, 0x10, 0x07, 0, 0, 0, 0};
	struct nx_ntrace_memory row = {.usage_bytes = 5, .timestamp_ns = 7}, none = {0};
	struct nx_bytes out = {0};

	(void)state;
	nx_ntrace_append(&out, &nx_ntrace_memory_message, &row);
	nx_ntrace_append(&out, &nx_ntrace_memory_message, &none);
	assert_int_equal(out.len, sizeof(expected));
	assert_memory_equal(out.items, expected, sizeof(expected));
	nx_vec_release(&out);
}

/* --- heads ----------------------------------------------------------------------- */

#define ATTRIBUTE(key, value)                                                                      \
	{                                                                                          \
		{(const uint8_t *)(key), sizeof(key) - 1},                                         \
			{(const uint8_t *)(value), sizeof(value) - 1},                             \
	}

static struct nx_ntrace_attribute attributes[] = {
	ATTRIBUTE("size", "4096"),
	ATTRIBUTE("worker_gid", "12"),
	ATTRIBUTE("tensor_id", "0"),
	ATTRIBUTE("nc_idx", "3"),
};

static struct nx_ntrace_event sample_event(void)
{
	return (struct nx_ntrace_event){
		.timestamp_ns = UINT64_C(1773237645742008195),
		.event_type = 27,
		.thread_id = 713479,
		.id = UINT64_C(3) << 50 | 5,
		.phase = NX_PHASE_START,
		.tracking_id = UINT64_C(3) << 50 | 5,
		.attributes = {attributes, 4},
	};
}

static void test_head(void **state)
{
	struct nx_ntrace_event event = sample_event();
	struct nx_ntrace_head head;
	struct nx_bytes out = {0};

	(void)state;
	nx_wire_encode(&nx_ntrace_event_message, &event, &out);
	assert_true(nx_ntrace_read_head(slice_of(&out), &head));
	assert_int_equal(head.timestamp_ns, event.timestamp_ns);
	assert_int_equal(head.event_type, 27);
	assert_int_equal(head.thread_id, 713479);
	assert_int_equal(head.id, UINT64_C(3377699720527877));
	assert_int_equal(head.tracking_id, head.id);
	assert_int_equal(head.phase, NX_PHASE_START);
	assert_int_equal(head.nc_idx, 3);
	assert_int_equal(head.worker_gid, 12);
	assert_int_equal(head.unknown_field_count, 0);
	nx_vec_release(&out);
}

/* Every field of the schema is known, though the head has only some of them. */
static void test_all_fields(void **state)
{
	struct nx_ntrace_event event = {
		1, 2, 3, 4, 5, nx_slice_text("six"), 7, 8, 9, 10, 11, {NULL, 0}, 13, 14, 15, 16};
	struct nx_ntrace_head head, expected = HEAD_DEFAULT;
	struct nx_bytes out = {0};

	(void)state;
	nx_wire_encode(&nx_ntrace_event_message, &event, &out);
	assert_true(nx_ntrace_read_head(slice_of(&out), &head));
	expected.timestamp_ns = 2;
	expected.nc_idx = 5;
	expected.event_type = 7;
	expected.thread_id = 9;
	expected.id = 10;
	expected.phase = 14;
	expected.tracking_id = 15;
	expected.nrta_seq_id = 16;
	assert_memory_equal(&head, &expected, sizeof(head));
	nx_vec_release(&out);
}

struct index_case {
	const char *nc_idx, *worker_gid;
	int64_t want_nc_idx, want_worker_gid;
};

static void put_attribute(struct nx_bytes *out, const char *key, const char *value)
{
	struct nx_ntrace_attribute attribute = {nx_slice_text(key), nx_slice_text(value)};
	struct nx_ntrace_event event = {.attributes = {&attribute, 1}};

	nx_wire_encode(&nx_ntrace_event_message, &event, out);
}

static void test_indexes(void **state)
{
	static const struct index_case cases[] = {
		{"0", "-1", 0, -1},
		{"", "4294967295", -1, 4294967295},
		{"12x", " 1", -1, -1},
		{"9999999999", "99999999999", 9999999999, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_ntrace_head head;
		struct nx_bytes out = {0};

		put_attribute(&out, "nc_idx", cases[i].nc_idx);
		put_attribute(&out, "worker_gid", cases[i].worker_gid);
		assert_true(nx_ntrace_read_head(slice_of(&out), &head));
		assert_int_equal(head.nc_idx, cases[i].want_nc_idx);
		assert_int_equal(head.worker_gid, cases[i].want_worker_gid);
		nx_vec_release(&out);
	}
}

/* The attribute counts more than field 5, wherever they stand. */
static void test_core_by_attribute(void **state)
{
	struct nx_ntrace_head head;
	struct nx_bytes out = {0};

	(void)state;
	put_attribute(&out, "nc_idx", "1");
	nx_wire_put_u64(&out, 5, 6);
	assert_true(nx_ntrace_read_head(slice_of(&out), &head));
	assert_int_equal(head.nc_idx, 1);
	nx_vec_release(&out);
	nx_wire_put_u64(&out, 5, UINT64_C(1) << 40);
	assert_true(nx_ntrace_read_head(slice_of(&out), &head));
	assert_int_equal(head.nc_idx, -1);
	nx_vec_release(&out);
}

/* Entries laid out in another way: value first, key twice, longer than 127 bytes, empty. */
static void test_odd_entries(void **state)
{
	static const uint8_t swapped[] = {0x62, 11,  0x12, 1,	'7', 0x0a, 6, 'n',
					  'c',	'_', 'i',  'd', 'x', 0x62, 0};
	static const uint8_t twice[] = {0x62, 14,  0x0a, 1,   'x', 0x0a, 6, 'n',
					'c',  '_', 'i',	 'd', 'x', 0x12, 1, '8'};
	struct nx_ntrace_attribute found[2];
	struct nx_ntrace_head head;
	struct nx_bytes out = {0};
	char lengthy[200];

	(void)state;
	assert_true(nx_ntrace_read_head(nx_slice_of(swapped, sizeof(swapped)), &head));
	assert_int_equal(head.nc_idx, 7);
	assert_int_equal(nx_ntrace_read_attributes(nx_slice_of(swapped, sizeof(swapped)), found, 2),
			 2);
	assert_true(nx_slice_is(found[0].key, "nc_idx"));
	assert_true(nx_slice_is(found[0].value, "7"));
	assert_int_equal(found[1].key.len, 0);
	assert_true(nx_ntrace_read_head(nx_slice_of(twice, sizeof(twice)), &head));
	assert_int_equal(head.nc_idx, 8);
	memset(lengthy, 'l', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = 0;
	put_attribute(&out, lengthy, lengthy);
	put_attribute(&out, "nc_idx", "2");
	assert_true(nx_ntrace_read_head(slice_of(&out), &head));
	assert_int_equal(head.nc_idx, 2);
	nx_vec_release(&out);
}

static void test_unknown_fields(void **state)
{
	struct nx_ntrace_head head;
	struct nx_bytes out = {0};

	(void)state;
	nx_wire_put_u64(&out, 17, 1);			       /* no such field */
	nx_wire_put_bytes(&out, 2, nx_slice_text("time"));     /* a number elsewhere */
	nx_wire_put_u64(&out, 12, 1);			       /* a text elsewhere */
	nx_wire_put_u64(&out, 6, 1);			       /* likewise */
	nx_wire_put_bytes(&out, 6, nx_slice_text("a hint"));   /* fine */
	nx_wire_put_bytes(&out, 1000, nx_slice_text("later")); /* no such field */
	nx_wire_put_u64(&out, 14, NX_PHASE_STOP);
	assert_true(nx_ntrace_read_head(slice_of(&out), &head));
	assert_int_equal(head.unknown_field_count, 5);
	assert_int_equal(head.phase, NX_PHASE_STOP);
	nx_vec_release(&out);
}

/* By the tables, the slow way: what the fast reader must agree with. */
static bool read_by_table(struct nx_slice record, struct nx_arena *arena,
			  struct nx_ntrace_event *event)
{
	struct nx_wire_loss loss = {0};

	return nx_wire_decode(&nx_ntrace_event_message, record, event, arena, &loss, NULL) ==
		       NX_OK &&
	       !loss.truncated_count;
}

static void check_against_table(struct nx_slice record)
{
	struct nx_arena arena = {0};
	struct nx_ntrace_event event = {0};
	struct nx_ntrace_head head;
	bool is_read = nx_ntrace_read_head(record, &head);
	bool is_whole = record.len > 0 && read_by_table(record, &arena, &event);

	assert_int_equal(is_read, is_whole);
	if (is_read) {
		assert_int_equal(head.timestamp_ns, event.timestamp_ns);
		assert_int_equal(head.event_type, event.event_type);
		assert_int_equal(head.tracking_id, event.tracking_id);
		assert_int_equal(head.id, event.id);
		assert_int_equal(head.thread_id, event.thread_id);
		assert_int_equal(head.phase, event.phase);
		assert_int_equal(nx_ntrace_read_attributes(record, NULL, 0),
				 event.attributes.count);
	}
	nx_arena_release(&arena);
}

/* A record cut or with a bit turned is read as the tables read it, or refused as they refuse it. */
static void test_damage(void **state)
{
	struct nx_ntrace_event event = sample_event();
	struct nx_bytes out = {0};

	(void)state;
	nx_wire_encode(&nx_ntrace_event_message, &event, &out);
	for (size_t len = 0; len < out.len; len++) {
		uint8_t *copy = malloc(len ? len : 1);

		memcpy(copy, out.items, len);
		check_against_table(nx_slice_of(copy, len));
		free(copy);
	}
	for (size_t bit = 0; bit < out.len * 8; bit++) {
		out.items[bit / 8] ^= (uint8_t)(1u << bit % 8);
		check_against_table(slice_of(&out));
		out.items[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	nx_vec_release(&out);
}

/* Numbers of every length, followed by more bytes than a word or by none. */
static void test_long_numbers(void **state)
{
	for (size_t len = 1; len <= 11; len++) {
		for (int has_more = 0; has_more < 2; has_more++) {
			struct nx_ntrace_attribute found[2];
			struct nx_bytes record = {0};
			struct nx_ntrace_head head;
			struct nx_slice exact;
			uint64_t expected = 0;

			nx_vec_push(&record, 15 << 3);
			for (size_t i = 0; i < len; i++) {
				uint8_t seven = (uint8_t)(i * 37 + 1) & 0x7f;

				expected |= i < 10 ? (uint64_t)seven << (7 * i) : 0;
				nx_vec_push(&record, (uint8_t)(seven | (i + 1 < len ? 0x80 : 0)));
			}
			if (has_more)
				put_attribute(&record, "a_key", "its value");
			/* of its own size, so that a sanitizer sees a word beyond it */
			exact = nx_slice_of(nx_heap_alloc(record.len), record.len);
			memcpy((void *)(uintptr_t)exact.data, record.items, record.len);
			assert_int_equal(nx_ntrace_read_head(exact, &head), len <= 10);
			if (len <= 10)
				assert_int_equal(head.tracking_id, expected);
			assert_int_equal(nx_ntrace_read_attributes(exact, found, 2),
					 has_more && len <= 10);
			nx_heap_free((void *)(uintptr_t)exact.data);
			nx_vec_release(&record);
		}
	}
	(void)state;
}

static void test_empty_record(void **state)
{
	struct nx_ntrace_head head;

	(void)state;
	assert_false(nx_ntrace_read_head((struct nx_slice){0}, &head));
	assert_int_equal(nx_ntrace_read_attributes((struct nx_slice){0}, NULL, 0), 0);
}

static void test_attributes(void **state)
{
	struct nx_ntrace_event event = sample_event();
	struct nx_ntrace_attribute found[4] = {0};
	struct nx_bytes out = {0};

	(void)state;
	nx_wire_encode(&nx_ntrace_event_message, &event, &out);
	assert_int_equal(nx_ntrace_read_attributes(slice_of(&out), found, 2), 4);
	assert_true(nx_slice_is(found[0].key, "size"));
	assert_true(nx_slice_is(found[0].value, "4096"));
	assert_true(nx_slice_is(found[1].key, "worker_gid"));
	assert_null(found[2].key.data);
	assert_int_equal(nx_ntrace_read_attributes(slice_of(&out), found, 4), 4);
	assert_true(nx_slice_is(found[3].value, "3"));
	nx_vec_release(&out);
}

static const struct nx_slice *keys_of(const struct nx_ntrace_attribute *found, size_t count)
{
	static struct nx_slice keys[8];

	for (size_t i = 0; i < count; i++)
		keys[i] = found[i].key;
	return keys;
}

static void check_values(struct nx_slice record, size_t lead_bytes, bool is_known)
{
	struct nx_ntrace_attribute found[8];
	size_t count = nx_ntrace_read_attributes(record, found, 8);
	struct nx_slice values[8];

	assert_true(count && count < 8);
	assert_int_equal(nx_ntrace_read_values(record, lead_bytes, keys_of(found, count), count,
					       values),
			 is_known);
	for (size_t i = 0; i < count && is_known; i++) {
		assert_ptr_equal(values[i].data, found[i].value.data);
		assert_int_equal(values[i].len, found[i].value.len);
	}
	/* one key less, one more, another one, and one that only begins alike */
	assert_false(nx_ntrace_read_values(record, lead_bytes, keys_of(found, count), count - 1,
					   values));
	found[count].key = nx_slice_text("more");
	assert_false(nx_ntrace_read_values(record, lead_bytes, keys_of(found, count + 1), count + 1,
					   values));
	found[count - 1].key.len--;
	assert_false(
		nx_ntrace_read_values(record, lead_bytes, keys_of(found, count), count, values));
}

static void test_values(void **state)
{
	struct nx_ntrace_event event = sample_event();
	struct nx_bytes out = {0};
	struct nx_ntrace_head head;

	(void)state;
	nx_wire_encode(&nx_ntrace_event_message, &event, &out);
	assert_true(nx_ntrace_read_head(slice_of(&out), &head));
	/* 1 + 9 of the time, 1 + 1 of the type, 1 + 3 of the thread, 1 + 8 of the id */
	assert_int_equal(head.lead_bytes, 25);
	check_values(slice_of(&out), 0, true);
	check_values(slice_of(&out), head.lead_bytes, true);
	nx_vec_release(&out);
}

/* What the record is not told to hold together is read from its beginning. */
static void test_scattered_values(void **state)
{
	struct nx_bytes record = {0};
	struct nx_ntrace_head head;

	(void)state;
	put_attribute(&record, "a_key", "1");
	assert_true(nx_ntrace_read_head(slice_of(&record), &head));
	assert_int_equal(head.lead_bytes, 0); /* nothing before it */
	nx_vec_push(&record, 14 << 3);
	nx_vec_push(&record, NX_PHASE_START);
	put_attribute(&record, "worker_gid", "2");
	assert_true(nx_ntrace_read_head(slice_of(&record), &head));
	assert_int_equal(head.lead_bytes, 0);
	check_values(slice_of(&record), 0, true);
	nx_vec_clear(&record);
	for (size_t i = 0; i < 130; i++) {
		nx_vec_push(&record, 14 << 3);
		nx_vec_push(&record, NX_PHASE_START);
	}
	put_attribute(&record, "far", "1");
	assert_true(nx_ntrace_read_head(slice_of(&record), &head));
	assert_int_equal(head.lead_bytes, 0);
	check_values(slice_of(&record), 0, true);
	nx_vec_release(&record);
}

/* Lengths of two bytes, a hint, and value before key are for the other reader. */
static void test_unusual_values(void **state)
{
	static const uint8_t swapped[] = {12 << 3 | 2, 7, 2 << 3 | 2, 1,  'v',
					  1 << 3 | 2,  2, 'k',	      'y'};
	static const uint8_t hint[] = {6 << 3 | 2, 1,	'h', 12 << 3 | 2, 7, 1 << 3 | 2,
				       2,	   'k', 'y', 2 << 3 | 2,  1, 'v'};
	struct nx_bytes record = {0};
	char value[201] = {0};

	(void)state;
	memset(value, 'v', 200);
	put_attribute(&record, "long", value);
	check_values(slice_of(&record), 0, false);
	check_values(nx_slice_of(swapped, sizeof(swapped)), 0, false);
	check_values(nx_slice_of(hint, sizeof(hint)), 0, false);
	nx_vec_release(&record);
}

/* A cut record, and a lead that lies: nothing outside is read. */
static void test_values_of_damage(void **state)
{
	struct nx_ntrace_event event = sample_event();
	struct nx_ntrace_attribute found[4];
	struct nx_slice values[4], keys[4];
	struct nx_bytes out = {0};

	(void)state;
	nx_wire_encode(&nx_ntrace_event_message, &event, &out);
	assert_int_equal(nx_ntrace_read_attributes(slice_of(&out), found, 4), 4);
	memcpy(keys, keys_of(found, 4), sizeof(keys));
	for (size_t len = 0; len < out.len; len++) {
		uint8_t *exact = nx_heap_alloc(len + 1);

		memcpy(exact, out.items, len);
		/* true only with all attributes there, read from their beginning or the record's */
		for (size_t lead = 0; lead < 2 * out.len; lead++)
			if (nx_ntrace_read_values(nx_slice_of(exact, len), lead, keys, 4, values))
				assert_true(values[3].data + 1 <= exact + len &&
					    values[3].data[0] == '3' &&
					    (!lead || lead == 25 || lead >= len));
		nx_heap_free(exact);
	}
	assert_true(nx_ntrace_read_values((struct nx_slice){0}, 0, NULL, 0, values));
	assert_false(nx_ntrace_read_values((struct nx_slice){0}, 3, keys, 1, values));
	nx_vec_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_torn_stream),
		cmocka_unit_test(test_senseless_length),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_all_fields),
		cmocka_unit_test(test_indexes),
		cmocka_unit_test(test_core_by_attribute),
		cmocka_unit_test(test_odd_entries),
		cmocka_unit_test(test_unknown_fields),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_long_numbers),
		cmocka_unit_test(test_empty_record),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_scattered_values),
		cmocka_unit_test(test_unusual_values),
		cmocka_unit_test(test_values_of_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
