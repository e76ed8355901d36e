/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/nccom/nccom_streams.h"

/* All that is sent fits into a pipe. */
static struct nx_bytes send_three(void)
{
	struct nx_nccom_news ready = {.kind = NX_NCCOM_NEWS_READY};
	struct nx_nccom_news size = {
		.kind = NX_NCCOM_NEWS_SIZE, .is_wall_time = true, .algorithm = "mesh"};
	struct nx_nccom_news failure = {.kind = NX_NCCOM_NEWS_FAILURE,
					.err = {.status = NX_MISMATCH, .message = "other bits"}};
	double times_us[] = {1.5, 2.5, 3.5};
	struct nx_nccom_result measured = {.times_us = times_us, .time_count = 3};
	struct nx_nccom_result failed = {0};
	struct nx_bytes told = {0};
	uint8_t bytes[8192];
	ssize_t len;
	int ends[2];

	nx_bytes_append(&failed.said, "rank 1\n", 7);
	assert_int_equal(pipe(ends), 0);
	nx_nccom_news_send(ends[1], &ready, NULL);
	nx_nccom_news_send(ends[1], &size, &measured);
	nx_nccom_news_send(ends[1], &failure, &failed);
	close(ends[1]);
	while ((len = read(ends[0], bytes, sizeof(bytes))) > 0)
		nx_bytes_append(&told, bytes, (size_t)len);
	close(ends[0]);
	nx_vec_release(&failed.said);
	return told;
}

static void what_is_sent_is_heard(void **state)
{
	struct nx_bytes told = send_three();
	struct nx_slice text = nx_slice_of(told.items, told.len);
	struct nx_nccom_result result;
	struct nx_nccom_news news;
	size_t at = 0;

	(void)state;
	assert_true(nx_nccom_news_next(text, &at, &news, &result));
	assert_int_equal(news.kind, NX_NCCOM_NEWS_READY);
	assert_int_equal(result.time_count, 0);
	nx_nccom_result_release(&result);
	assert_true(nx_nccom_news_next(text, &at, &news, &result));
	assert_int_equal(news.kind, NX_NCCOM_NEWS_SIZE);
	assert_true(result.is_wall_time);
	assert_string_equal(result.algorithm, "mesh");
	assert_int_equal(result.time_count, 3);
	assert_true(result.times_us[2] == 3.5);
	nx_nccom_result_release(&result);
	assert_true(nx_nccom_news_next(text, &at, &news, &result));
	assert_int_equal(news.err.status, NX_MISMATCH);
	assert_string_equal(news.err.message, "other bits");
	assert_int_equal(result.said.len, 7);
	nx_nccom_result_release(&result);
	assert_int_equal(at, told.len);
	assert_false(nx_nccom_news_next(text, &at, &news, &result));
	nx_vec_release(&told);
}

/* Wherever a stream is killed, whole news before it are heard and nothing behind them. */
static void news_may_be_cut_anywhere(void **state)
{
	struct nx_bytes told = send_three();
	size_t ends[3] = {sizeof(struct nx_nccom_news),
			  2 * sizeof(struct nx_nccom_news) + 3 * sizeof(double), told.len};

	(void)state;
	for (size_t len = 0; len <= told.len; len++) {
		struct nx_bytes cut = {0};
		struct nx_nccom_result result;
		struct nx_nccom_news news;
		size_t at = 0, count = 0, wanted = 0;

		if (len)
			nx_bytes_append(&cut, told.items, len);
		while (nx_nccom_news_next(nx_slice_of(cut.items, cut.len), &at, &news, &result)) {
			nx_nccom_result_release(&result);
			count++;
		}
		for (unsigned i = 0; i < 3; i++)
			wanted += len >= ends[i];
		assert_int_equal(count, wanted);
		nx_vec_release(&cut);
	}
	nx_vec_release(&told);
}

static void lengths_are_not_believed(void **state)
{
	struct nx_nccom_news sent = {.kind = NX_NCCOM_NEWS_SIZE, .time_count = UINT64_MAX / 8 + 2};
	struct nx_nccom_result result;
	struct nx_nccom_news news;
	size_t at = 0;

	(void)state;
	assert_false(nx_nccom_news_next(nx_slice_of(&sent, sizeof(sent)), &at, &news, &result));
	sent.time_count = 0;
	sent.said_len = UINT64_MAX;
	assert_false(nx_nccom_news_next(nx_slice_of(&sent, sizeof(sent)), &at, &news, &result));
	assert_int_equal(at, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_is_heard),
		cmocka_unit_test(news_may_be_cut_anywhere),
		cmocka_unit_test(lengths_are_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
