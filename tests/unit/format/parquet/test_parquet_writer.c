/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/arena.h"
#include "format/parquet/parquet_chunk.h"
#include "format/parquet/parquet_footer.h"
#include "format/parquet/parquet_reader.h"
#include "memory_table.h"

static uint64_t random_of(uint64_t i)
{
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
	i = (i ^ i >> 27) * 0x94d049bb133111ebu;
	return i ^ i >> 31;
}

/* --- which encoding ----------------------------------------------------------------- */

#define ROWS 50000

static struct nx_parquet_chunk encode(struct nx_parquet_column *c)
{
	struct nx_parquet_scratch scratch = {0};
	struct nx_parquet_encoded out = {0};

	nx_parquet_chunk_encode(c, (uint32_t)c->value_count, 65536, &scratch, &out);
	nx_parquet_scratch_release(&scratch);
	assert_int_equal(out.bytes.len, out.chunk.stored_bytes);
	nx_vec_release(&out.bytes);
	return out.chunk;
}

static struct nx_parquet_chunk encode_integers(enum nx_parquet_type type,
					       int64_t (*value_of)(int64_t), size_t count)
{
	int64_t *values = nx_heap_alloc(count * sizeof(*values));
	struct nx_parquet_column c = {.type = type, .values.i64 = values, .value_count = count};
	struct nx_parquet_chunk chunk;

	for (size_t i = 0; i < count; i++)
		values[i] = value_of((int64_t)i);
	chunk = encode(&c);
	nx_heap_free(values);
	return chunk;
}

static struct nx_parquet_chunk encode_i64(int64_t (*value_of)(int64_t), size_t count)
{
	return encode_integers(NX_PARQUET_I64, value_of, count);
}

static int64_t ascending(int64_t i)
{
	return 1700000000000000000 + i * 100 + (int64_t)(random_of((uint64_t)i) % 90);
}

static int64_t few(int64_t i)
{
	return (int64_t)(random_of((uint64_t)i) % 5) * 1000000000000;
}

static int64_t any(int64_t i)
{
	return (int64_t)random_of((uint64_t)i);
}

static int64_t wandering(int64_t i)
{
	return i * 1000 + (int64_t)(random_of((uint64_t)i) % 5000);
}

static int64_t same(int64_t i)
{
	(void)i;
	return -42;
}

static void integers_get_the_smallest_encoding(void **state)
{
	struct nx_parquet_chunk chunk = encode_i64(ascending, ROWS);

	(void)state;
	assert_int_equal(chunk.encoding, NX_PARQUET_DELTA);
	assert_in_range(chunk.stored_bytes, 1, ROWS * 9 / 8); /* steps below 256 */
	assert_int_equal(chunk.stats.distinct_count, ROWS);
	chunk = encode_i64(wandering, ROWS);
	assert_int_equal(chunk.encoding, NX_PARQUET_DELTA);
	chunk = encode_i64(few, ROWS);
	assert_int_equal(chunk.encoding, NX_PARQUET_RLE_DICTIONARY);
	assert_int_equal(chunk.stats.distinct_count, 5);
	assert_in_range(chunk.stored_bytes, 1, ROWS * 3 / 8 + 100);
	chunk = encode_i64(any, ROWS);
	assert_int_equal(chunk.encoding, NX_PARQUET_PLAIN);
	assert_false(chunk.stats.has_distinct_count);
	assert_int_equal(chunk.codec, NX_PARQUET_STORED); /* nothing to gain */
	assert_in_range(chunk.stored_bytes, ROWS * 8, ROWS * 8 + 100);
	chunk = encode_i64(same, ROWS);
	assert_in_range(chunk.stored_bytes, 1, 100);
	assert_int_equal(encode_i64(same, 1).encoding, NX_PARQUET_PLAIN);
}

static int64_t any_of_32_bits(int64_t i)
{
	return (int32_t)random_of((uint64_t)i);
}

static int64_t few_far_apart(int64_t i)
{
	return (int64_t)(random_of((uint64_t)i) % 3) * INT32_MAX + INT32_MIN;
}

/* Steps of 1, which DELTA writes in next to no bytes, and a leap to the largest value. */
static int64_t lowest;

static int64_t leaping(int64_t i)
{
	return i < ROWS / 2 ? lowest + i : INT32_MAX - (ROWS - 1) + i;
}

static void narrow_integers_get_the_smallest_encoding(void **state)
{
	struct nx_parquet_chunk chunk = encode_integers(NX_PARQUET_I32, wandering, ROWS);

	(void)state;
	assert_int_equal(chunk.encoding, NX_PARQUET_DELTA);
	chunk = encode_integers(NX_PARQUET_I32, few_far_apart, ROWS);
	assert_int_equal(chunk.encoding, NX_PARQUET_RLE_DICTIONARY);
	assert_int_equal(chunk.stats.distinct_count, 3);
	assert_in_range(chunk.dictionary_bytes, 12, 12 + 30); /* and the header of its page */
	assert_in_range(chunk.stored_bytes, 1, ROWS * 2 / 8 + 100);
	chunk = encode_integers(NX_PARQUET_I32, any_of_32_bits, ROWS);
	assert_int_equal(chunk.encoding, NX_PARQUET_PLAIN);
	assert_int_equal(chunk.codec, NX_PARQUET_STORED);
	assert_in_range(chunk.stored_bytes, ROWS * 4, ROWS * 4 + 100);
}

/* Readers of 32 bits would refuse a difference that needs more. */
static void narrow_integers_far_apart_get_no_deltas(void **state)
{
	(void)state;
	lowest = 0;
	assert_int_equal(encode_integers(NX_PARQUET_I32, leaping, ROWS).encoding, NX_PARQUET_DELTA);
	lowest = -1;
	assert_int_equal(encode_integers(NX_PARQUET_I32, leaping, ROWS).encoding, NX_PARQUET_PLAIN);
	assert_int_equal(encode_integers(NX_PARQUET_I64, leaping, ROWS).encoding, NX_PARQUET_DELTA);
}

static void floats_get_a_dictionary_or_stay_plain(void **state)
{
	double *values = nx_heap_alloc(ROWS * sizeof(*values));
	struct nx_parquet_column c = {
		.type = NX_PARQUET_F32, .values.f64 = values, .value_count = ROWS};
	struct nx_parquet_chunk chunk;

	(void)state;
	for (uint64_t i = 0; i < ROWS; i++)
		values[i] = (double)((float)(random_of(i) % 100) / 7);
	chunk = encode(&c);
	assert_int_equal(chunk.encoding, NX_PARQUET_RLE_DICTIONARY);
	assert_int_equal(chunk.stats.distinct_count, 100);
	assert_in_range(chunk.dictionary_bytes, 1, 400 + 30);
	for (uint64_t i = 0; i < ROWS; i++)
		values[i] = (double)(float)random_of(i);
	chunk = encode(&c);
	assert_int_equal(chunk.encoding, NX_PARQUET_PLAIN);
	assert_in_range(chunk.plain_bytes, ROWS * 4, ROWS * 4 + 100);
	/* 8192 * 4 + 20000 * 13 / 8 is less than 20000 * 4; entries of 8 bytes would not pay */
	c.value_count = 20000;
	for (uint64_t i = 0; i < c.value_count; i++)
		values[i] = (double)(i % 8192);
	assert_int_equal(encode(&c).encoding, NX_PARQUET_RLE_DICTIONARY);
	nx_heap_free(values);
}

static void doubles_get_a_dictionary_or_stay_plain(void **state)
{
	double *values = nx_heap_alloc(ROWS * sizeof(*values));
	struct nx_parquet_column c = {
		.type = NX_PARQUET_F64, .values.f64 = values, .value_count = ROWS};
	struct nx_parquet_chunk chunk;

	(void)state;
	for (uint64_t i = 0; i < ROWS; i++)
		values[i] = (double)(random_of(i) % 100) / 7;
	chunk = encode(&c);
	assert_int_equal(chunk.encoding, NX_PARQUET_RLE_DICTIONARY);
	assert_int_equal(chunk.stats.distinct_count, 100);
	for (uint64_t i = 0; i < ROWS; i++)
		values[i] = (double)random_of(i);
	assert_int_equal(encode(&c).encoding, NX_PARQUET_PLAIN);
	nx_heap_free(values);
}

static struct nx_parquet_chunk encode_texts(unsigned distinct, unsigned count)
{
	struct nx_parquet_column c = {.type = NX_PARQUET_TEXT, .value_count = count};
	struct nx_parquet_chunk chunk;
	char text[32];

	c.values.ids = nx_heap_alloc(count * sizeof(uint32_t));
	for (unsigned i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "text number %u", i % distinct);
		c.values.ids[i] = nx_parquet_texts_id(&c.texts, nx_slice_text(text));
	}
	chunk = encode(&c);
	nx_heap_free(c.values.ids);
	nx_parquet_texts_release(&c.texts);
	return chunk;
}

static void texts_get_a_dictionary_where_it_pays(void **state)
{
	struct nx_parquet_chunk chunk = encode_texts(10, 5000);

	(void)state;
	assert_int_equal(chunk.encoding, NX_PARQUET_RLE_DICTIONARY);
	assert_int_equal(chunk.stats.distinct_count, 10);
	assert_true(chunk.dictionary_bytes > 0);
	assert_int_equal(encode_texts(5000, 5000).encoding, NX_PARQUET_PLAIN);
	assert_int_equal(encode_texts(5000, 5000).dictionary_bytes, 0);
	assert_int_equal(encode_texts(2500, 5000).encoding, NX_PARQUET_RLE_DICTIONARY);
}

/* --- row groups --------------------------------------------------------------------- */

static const struct nx_parquet_field fields[] = {
	{.name = "integer", .type = NX_PARQUET_I64},
	{.name = "text", .type = NX_PARQUET_TEXT, .is_optional = true},
	{.name = "list", .type = NX_PARQUET_F64, .is_optional = true, .is_list = true},
	{.name = "small", .type = NX_PARQUET_I32, .is_optional = true},
	{.name = "ratio", .type = NX_PARQUET_F32, .is_optional = true},
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static struct nx_parquet_writer *open_writer(struct nx_memory_table *table,
					     const struct nx_parquet_options *options)
{
	struct nx_parquet_writer *w;

	assert_int_equal(nx_parquet_open(&w, nx_memory_table_sink(table), fields, FIELDS, options,
					 NULL),
			 NX_OK);
	return w;
}

static enum nx_status put_rows(struct nx_parquet_writer *w, uint64_t count, struct nx_error *err)
{
	enum nx_status st = NX_OK;
	char text[32];

	for (uint64_t i = 0; i < count && !st; i++) {
		double list[3] = {(double)i, 0.5, (double)random_of(i)};

		nx_parquet_put_i64(w, 0, (int64_t)random_of(i));
		snprintf(text, sizeof(text), "%u", (unsigned)(random_of(i) % 1000));
		if (i % 3)
			nx_parquet_put_text(w, 1, text);
		if (i % 5)
			nx_parquet_put_list_f64(w, 2, list, i % 4);
		if (i % 7)
			nx_parquet_put_i32(w, 3, (int32_t)random_of(i));
		if (i % 2)
			nx_parquet_put_f32(w, 4, (float)(i % 600) / 7);
		st = nx_parquet_end_row(w, err);
	}
	return st;
}

static struct nx_parquet_reader *read_table(const struct nx_memory_table *table)
{
	struct nx_parquet_reader *r;

	assert_int_equal(nx_parquet_reader_open_bytes(&r, nx_memory_table_slice(table), "t", NULL),
			 NX_OK);
	return r;
}

static void groups_end_after_their_rows(void **state)
{
	const struct nx_parquet_options options = {.group_rows = 100};
	struct nx_memory_table table = {0};
	struct nx_parquet_writer *w = open_writer(&table, &options);
	struct nx_parquet_reader *r;

	(void)state;
	assert_int_equal(put_rows(w, 250, NULL), NX_OK);
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
	r = read_table(&table);
	assert_int_equal(nx_parquet_reader_row_count(r), 250);
	assert_int_equal(nx_parquet_reader_group_count(r), 3);
	assert_int_equal(nx_parquet_reader_group_rows(r, 1), 100);
	assert_int_equal(nx_parquet_reader_group_rows(r, 2), 50);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

/* Neither long texts nor many plain values may pile up in memory. */
static void groups_end_early_when_they_grow_large(void **state)
{
	const struct nx_parquet_options options = {.group_bytes = 100000};
	struct nx_memory_table table = {0};
	struct nx_parquet_writer *w = open_writer(&table, &options);
	static char text[40000];
	struct nx_parquet_reader *r;

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		memset(text, 'a' + (int)i, sizeof(text));
		nx_parquet_put_i64(w, 0, i);
		nx_parquet_put_slice(w, 1, nx_slice_of(text, sizeof(text)));
		assert_int_equal(nx_parquet_end_row(w, NULL), NX_OK);
	}
	for (unsigned i = 0; i < 100000; i++) {
		nx_parquet_put_i64(w, 0, i);
		assert_int_equal(nx_parquet_end_row(w, NULL), NX_OK);
		assert_in_range(w->columns[0].value_count, 0, 100000 / 8 + 1024);
	}
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
	r = read_table(&table);
	assert_int_equal(nx_parquet_reader_group_rows(r, 0), 3);
	assert_int_equal(nx_parquet_reader_group_rows(r, 2), 3);
	assert_in_range(nx_parquet_reader_group_count(r), 10, 12);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

static void the_bytes_do_not_depend_on_threads(void **state)
{
	struct nx_memory_table first = {0};

	(void)state;
	for (unsigned threads = 1; threads <= 4; threads++) {
		const struct nx_parquet_options options = {.threads = threads, .group_rows = 40000};
		struct nx_memory_table table = {0};
		struct nx_parquet_writer *w = open_writer(&table, &options);

		assert_int_equal(put_rows(w, 90000, NULL), NX_OK);
		assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
		if (threads == 1) {
			first = table;
			continue;
		}
		assert_int_equal(table.bytes.len, first.bytes.len);
		assert_memory_equal(table.bytes.items, first.bytes.items, first.bytes.len);
		nx_vec_release(&table.bytes);
	}
	nx_vec_release(&first.bytes);
}

static void a_table_without_rows_is_whole(void **state)
{
	struct nx_memory_table table = {0};
	struct nx_parquet_writer *w = open_writer(&table, NULL);
	struct nx_slice key, value;
	struct nx_parquet_reader *r;
	size_t count;

	(void)state;
	nx_parquet_add_metadata(w, "schema_version", "7.4.0");
	nx_parquet_add_metadata(w, "empty", "");
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
	r = read_table(&table);
	assert_int_equal(nx_parquet_reader_row_count(r), 0);
	assert_int_equal(nx_parquet_reader_group_count(r), 0);
	(void)nx_parquet_reader_fields(r, &count);
	assert_int_equal(count, FIELDS);
	assert_true(nx_parquet_reader_metadata(r, 0, &key, &value));
	assert_true(nx_slice_is(key, "schema_version") && nx_slice_is(value, "7.4.0"));
	assert_true(nx_parquet_reader_metadata(r, 1, &key, &value));
	assert_true(nx_slice_is(key, "empty") && value.len == 0);
	assert_false(nx_parquet_reader_metadata(r, 2, &key, &value));
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

/* --- failures ----------------------------------------------------------------------- */

/* The disk may be full at any byte: the first to notice reports it, and all after. */
static void a_failing_sink_surfaces_and_sticks(void **state)
{
	const struct nx_parquet_options options = {.group_rows = 50};
	struct nx_memory_table whole = {0};
	struct nx_parquet_writer *w = open_writer(&whole, &options);

	(void)state;
	assert_int_equal(put_rows(w, 200, NULL), NX_OK);
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
	for (size_t room = 1; room < whole.bytes.len; room += 13) {
		struct nx_memory_table table = {.room = room};
		struct nx_error err = {0};
		enum nx_status st = nx_parquet_open(&w, nx_memory_table_sink(&table), fields,
						    FIELDS, &options, &err);

		if (!st) {
			(void)put_rows(w, 200, NULL);
			st = nx_parquet_close(w, &err);
		} else {
			assert_null(w);
		}
		assert_int_equal(st, NX_NO_SPACE);
		assert_string_equal(err.message, "the table is full");
		nx_vec_release(&table.bytes);
	}
	nx_vec_release(&whole.bytes);
}

static void an_abandoned_table_has_no_footer(void **state)
{
	struct nx_memory_table table = {0};
	struct nx_parquet_writer *w = open_writer(&table, NULL);

	(void)state;
	assert_int_equal(put_rows(w, 100, NULL), NX_OK);
	nx_parquet_abandon(w);
	nx_parquet_abandon(NULL);
	assert_int_equal(table.bytes.len, 4);
	nx_vec_release(&table.bytes);
}

static void a_file_reports_its_own_failure(void **state)
{
	struct nx_output out;
	struct nx_parquet_writer *w;
	struct nx_error err = {0};

	(void)state;
	assert_int_equal(nx_output_open(&out, "/dev/full", &err), NX_OK);
	assert_int_equal(
		nx_parquet_open(&w, nx_parquet_to_output(&out), fields, FIELDS, NULL, &err), NX_OK);
	/* more than the output buffers */
	assert_int_equal(put_rows(w, 300000, &err), NX_NO_SPACE);
	assert_int_equal(nx_parquet_close(w, &err), NX_NO_SPACE);
	assert_non_null(strstr(err.message, "/dev/full"));
	nx_output_abort(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_get_the_smallest_encoding),
		cmocka_unit_test(narrow_integers_get_the_smallest_encoding),
		cmocka_unit_test(narrow_integers_far_apart_get_no_deltas),
		cmocka_unit_test(floats_get_a_dictionary_or_stay_plain),
		cmocka_unit_test(doubles_get_a_dictionary_or_stay_plain),
		cmocka_unit_test(texts_get_a_dictionary_where_it_pays),
		cmocka_unit_test(groups_end_after_their_rows),
		cmocka_unit_test(groups_end_early_when_they_grow_large),
		cmocka_unit_test(the_bytes_do_not_depend_on_threads),
		cmocka_unit_test(a_table_without_rows_is_whole),
		cmocka_unit_test(a_failing_sink_surfaces_and_sticks),
		cmocka_unit_test(an_abandoned_table_has_no_footer),
		cmocka_unit_test(a_file_reports_its_own_failure),
	};

	return cmocka_run_group_tests_name("format/parquet_writer", tests, NULL, NULL);
}
