/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "store/timeline/timeline_internal.h"

/* A chunk's bytes with what lies behind them in a file. */
static struct nx_slice with_slack(struct nx_bytes *bytes)
{
	nx_bytes_append_zeros(bytes, NX_PACKED_SLACK);
	return nx_slice_of(bytes->items, bytes->len);
}

static void spans_read_back(void **state)
{
	const struct nx_span spans[3] = {
		{UINT64_C(1) << 60, (UINT64_C(1) << 60) + 5, 70, 9},
		{(UINT64_C(1) << 60) + 300, (UINT64_C(1) << 60) + 300, 7, 4},
		{(UINT64_C(1) << 60) + 301, UINT64_MAX, UINT64_MAX, 5},
	};
	struct nx_span_chunk chunk;
	struct nx_bytes bytes = {0};

	(void)state;
	nx_span_chunk_append(&bytes, spans, 3);
	/* head 16; starts 3 x 2; lengths 3 x 8; names 3 x 1; rows 3 x 8; all but the head in eights
	 */
	assert_int_equal(bytes.len, 16 + 8 + 24 + 8 + 24);
	nx_span_chunk_read(&chunk, with_slack(&bytes), UINT64_C(1) << 60, 3);
	for (size_t i = 0; i < 3; i++) {
		struct nx_span got = nx_span_chunk_span(&chunk, i);

		assert_int_equal(got.start_ns, spans[i].start_ns);
		assert_int_equal(got.end_ns, spans[i].end_ns);
		assert_int_equal(got.row, spans[i].row);
		assert_int_equal(got.name, spans[i].name);
		assert_int_equal(nx_span_chunk_name(&chunk, i), spans[i].name);
	}
	nx_vec_release(&bytes);
}

static void what_all_share_takes_no_bytes(void **state)
{
	struct nx_span spans[NX_CHUNK_ROWS];
	struct nx_bytes bytes = {0};

	(void)state;
	for (size_t i = 0; i < NX_CHUNK_ROWS; i++)
		spans[i] = (struct nx_span){100, 100, 5, 3};
	nx_span_chunk_append(&bytes, spans, NX_CHUNK_ROWS);
	assert_int_equal(bytes.len, 16);
	nx_vec_release(&bytes);
}

/* Reads samples back bit by bit; returns the bytes they took. */
static size_t check_samples(const double *values, size_t count)
{
	struct nx_sample samples[8] = {0};
	struct nx_sample_chunk chunk;
	struct nx_bytes bytes = {0};
	size_t len;

	for (size_t i = 0; i < count; i++)
		samples[i] = (struct nx_sample){50 + 10 * i, values[i]};
	nx_sample_chunk_append(&bytes, samples, count);
	len = bytes.len;
	nx_sample_chunk_read(&chunk, with_slack(&bytes), 50, count);
	for (size_t i = 0; i < count; i++) {
		double got = nx_sample_chunk_value(&chunk, i);

		assert_int_equal(nx_sample_chunk_time(&chunk, i), 50 + 10 * i);
		assert_memory_equal(&got, &values[i], sizeof(got));
	}
	nx_vec_release(&bytes);
	return len;
}

/* 16 of head and 8 of times each. */
static void values_take_what_they_need(void **state)
{
	const double equal[3] = {0.1, 0.1, 0.1};
	const double whole[3] = {-1000000, -999999, -999900};
	const double wide[2] = {-9007199254740991.0, 9007199254740991.0};
	const double single[3] = {0.5, 1e30f, -0.0};
	const double exact[3] = {0.1, 1e300, -5e-324};
	const double beyond[2] = {3.5e38, 1.0};

	(void)state;
	assert_int_equal(check_samples(equal, 3), 24);
	assert_int_equal(check_samples(whole, 3), 24 + 8);
	assert_int_equal(check_samples(wide, 2), 24 + 16);
	assert_int_equal(check_samples(single, 3), 24 + 16);
	assert_int_equal(check_samples(exact, 3), 24 + 24);
	assert_int_equal(check_samples(beyond, 2), 24 + 16);
}

static void damaged_bytes_read_as_nothing(void **state)
{
	const struct nx_span spans[2] = {{10, 12, 70, 9}, {20, 30, 71, 10}};
	const struct nx_sample samples[2] = {{10, 1}, {20, 2}};
	struct nx_span_chunk chunk;
	struct nx_sample_chunk counter;
	struct nx_bytes bytes = {0};
	struct nx_slice whole;

	(void)state;
	nx_span_chunk_append(&bytes, spans, 2);
	whole = with_slack(&bytes);
	for (size_t len = 0; len < whole.len; len++) {
		nx_span_chunk_read(&chunk, nx_slice_part(whole, 0, len), 10, 2);
		assert_int_equal(nx_span_chunk_span(&chunk, 1).start_ns, 10);
		assert_int_equal(nx_span_chunk_span(&chunk, 1).end_ns, 10);
	}
	nx_span_chunk_read(&chunk, whole, 10, 2);
	assert_int_equal(nx_span_chunk_span(&chunk, 1).end_ns, 30);
	bytes.items[1] = 9; /* no width */
	nx_span_chunk_read(&chunk, whole, 10, 2);
	assert_int_equal(nx_span_chunk_span(&chunk, 1).row, 0);
	nx_vec_clear(&bytes);
	nx_sample_chunk_append(&bytes, samples, 2);
	whole = with_slack(&bytes);
	bytes.items[2] = 77; /* no coding */
	nx_sample_chunk_read(&counter, whole, 10, 2);
	assert_true(nx_sample_chunk_value(&counter, 1) == 0);
	nx_sample_chunk_read(&counter, nx_slice_part(whole, 0, 20), 10, 2);
	assert_int_equal(nx_sample_chunk_time(&counter, 1), 10);
	nx_vec_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_read_back),
		cmocka_unit_test(what_all_share_takes_no_bytes),
		cmocka_unit_test(values_take_what_they_need),
		cmocka_unit_test(damaged_bytes_read_as_nothing),
	};

	return cmocka_run_group_tests_name("store/chunk", tests, NULL, NULL);
}
