/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/spool.h"
#include <errno.h>
#include <string.h>
#include <sys/types.h>

/* The linker sends the library's pread here. */
ssize_t __real_pread64(int fd, void *data, size_t len, off_t offset);
ssize_t __wrap_pread64(int fd, void *data, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t len, off_t offset);

static int fail_with;		   /* errno of a read, -1 for an early end of the file */
static unsigned good_reads_before; /* how many succeed first */
static bool read_in_drops;

ssize_t __wrap_pread64(int fd, void *data, size_t len, off_t offset)
{
	if (fail_with && good_reads_before-- == 0) {
		int number = fail_with;

		fail_with = 0;
		errno = number;
		return number < 0 ? 0 : -1;
	}
	return __real_pread64(fd, data, read_in_drops && len > 5 ? 5 : len, offset);
}

ssize_t __wrap_pread(int fd, void *data, size_t len, off_t offset)
{
	return __wrap_pread64(fd, data, len, offset);
}

enum { COUNT = 1000 };

struct record {
	uint64_t key;
	uint64_t serial;
};

/* Keys 0, 0, 1, 1, ... in a scrambled order, spread over many runs. */
static struct nx_spool *make_spool(size_t buffer_bytes)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), buffer_bytes);

	for (uint64_t i = 0; i < COUNT; i++) {
		struct record r = {i * 7919 % COUNT / 2, i};

		assert_int_equal(nx_spool_add(spool, &r, NULL), NX_OK);
	}
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	return spool;
}

static int reset(void **state)
{
	(void)state;
	fail_with = 0;
	good_reads_before = 0;
	read_in_drops = false;
	return 0;
}

static void assert_next_is(struct nx_spool_cursor *cursor, uint64_t position)
{
	const struct record *r = nx_spool_cursor_next(cursor);

	assert_non_null(r);
	assert_int_equal(r->key, position / 2);
}

static void cursors_do_not_disturb_each_other(void **state)
{
	static const size_t sizes[] = {480, 5000, 1 << 20};

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		struct nx_spool *spool = make_spool(sizes[s]);
		struct nx_spool_cursor *a;
		struct nx_spool_cursor *b;

		assert_int_equal(nx_spool_cursor_open(&a, spool, NULL), NX_OK);
		for (uint64_t i = 0; i < COUNT / 2; i++)
			assert_next_is(a, i);
		assert_int_equal(nx_spool_cursor_open(&b, spool, NULL), NX_OK);
		for (uint64_t i = 0; i < COUNT / 2; i++) {
			assert_next_is(a, COUNT / 2 + i);
			assert_next_is(b, i);
		}
		assert_null(nx_spool_cursor_next(a));
		assert_int_equal(nx_spool_cursor_close(a, NULL), NX_OK);
		assert_next_is(b, COUNT / 2);
		assert_int_equal(nx_spool_cursor_close(b, NULL), NX_OK);
		nx_spool_free(spool);
	}
}

static void record_stays_until_the_next_call(void **state)
{
	struct nx_spool *spool = make_spool(480);
	struct nx_spool_cursor *cursor;

	(void)state;
	assert_int_equal(nx_spool_cursor_open(&cursor, spool, NULL), NX_OK);
	for (uint64_t i = 0; i < COUNT; i++) {
		const struct record *r = nx_spool_cursor_next(cursor);
		struct record copy = *r;
		struct nx_spool_cursor *other;

		assert_int_equal(nx_spool_cursor_open(&other, spool, NULL), NX_OK);
		assert_next_is(other, 0);
		assert_int_equal(nx_spool_cursor_close(other, NULL), NX_OK);
		assert_memory_equal(r, &copy, sizeof(copy));
	}
	assert_int_equal(nx_spool_cursor_close(cursor, NULL), NX_OK);
	nx_spool_free(spool);
}

/* Part n has n * 7 % 23 records whose keys fall; every third part has none. */
static size_t part_length(size_t part)
{
	return part % 3 == 2 ? 0 : part * 7 % 23;
}

static void parts_are_sorted_and_read_apart(void **state)
{
	static const size_t sizes[] = {480, 5000, 1 << 20};
	enum { PARTS = 60 };

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		struct nx_spool *spool = nx_spool_new(sizeof(struct record), sizes[s]);

		for (size_t part = 0; part < PARTS; part++) {
			for (size_t i = 0; i < part_length(part); i++) {
				struct record r = {.key = part_length(part) - i + 1000 * part};

				assert_int_equal(nx_spool_add(spool, &r, NULL), NX_OK);
			}
			if (part + 1 < PARTS)
				nx_spool_cut(spool);
		}
		assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
		for (size_t part = PARTS; part-- > 0;) {
			struct nx_spool_cursor *cursor;

			assert_int_equal(nx_spool_cursor_open_part(&cursor, spool, part, NULL),
					 NX_OK);
			for (size_t i = 0; i < part_length(part); i++) {
				const struct record *r = nx_spool_cursor_next(cursor);

				assert_non_null(r);
				assert_int_equal(r->key, 1000 * part + i + 1);
			}
			assert_null(nx_spool_cursor_next(cursor));
			assert_int_equal(nx_spool_cursor_close(cursor, NULL), NX_OK);
		}
		nx_spool_free(spool);
	}
}

static void short_and_interrupted_reads_are_continued(void **state)
{
	struct nx_spool *spool = make_spool(5000);
	struct nx_spool_cursor *cursor;

	(void)state;
	read_in_drops = true;
	fail_with = EINTR;
	good_reads_before = 3;
	assert_int_equal(nx_spool_cursor_open(&cursor, spool, NULL), NX_OK);
	for (uint64_t i = 0; i < COUNT; i++)
		assert_next_is(cursor, i);
	assert_null(nx_spool_cursor_next(cursor));
	assert_int_equal(nx_spool_cursor_close(cursor, NULL), NX_OK);
	nx_spool_free(spool);
}

static void failure_at_opening_is_reported(void **state)
{
	struct nx_spool *spool = make_spool(5000);
	struct nx_spool_cursor *cursor;
	struct nx_error err;

	(void)state;
	fail_with = EIO;
	good_reads_before = 2;
	assert_int_equal(nx_spool_cursor_open(&cursor, spool, &err), NX_IO);
	assert_null(cursor);
	assert_non_null(strstr(err.message, "cannot read a temporary file in "));
	assert_int_equal(nx_spool_cursor_close(cursor, &err), NX_OK);
	nx_spool_free(spool);
}

static void failure_while_reading_ends_the_cursor(void **state)
{
	static const int failures[] = {EIO, -1};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct nx_spool *spool = make_spool(480);
		struct nx_spool_cursor *cursor;
		struct nx_error err;
		unsigned count = 0;

		assert_int_equal(nx_spool_cursor_open(&cursor, spool, &err), NX_OK);
		fail_with = failures[i];
		good_reads_before = 20;
		while (nx_spool_cursor_next(cursor))
			count++;
		assert_in_range(count, 1, COUNT - 1);
		assert_null(nx_spool_cursor_next(cursor));
		assert_int_equal(nx_spool_cursor_close(cursor, &err), NX_IO);
		nx_spool_free(spool);
	}
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, reset, reset)
	const struct CMUnitTest tests[] = {
		T(cursors_do_not_disturb_each_other),	      T(record_stays_until_the_next_call),
		T(short_and_interrupted_reads_are_continued), T(failure_at_opening_is_reported),
		T(failure_while_reading_ends_the_cursor),     T(parts_are_sorted_and_read_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
