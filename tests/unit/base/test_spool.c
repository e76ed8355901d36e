/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/spool_inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* The linker sends the library's pwrite here. */
ssize_t __real_pwrite64(int fd, const void *data, size_t len, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset);

static int fail_with;	    /* errno of the next write, once */
static bool write_in_drops; /* short writes */
static unsigned write_count;

ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset)
{
	write_count++;
	if (fail_with) {
		errno = fail_with;
		fail_with = 0;
		return -1;
	}
	return __real_pwrite64(fd, data, write_in_drops && len > 7 ? 7 : len, offset);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset)
{
	return __wrap_pwrite64(fd, data, len, offset);
}

struct record {
	uint64_t key;
	uint32_t serial;
	char tail[20];
};

static uint64_t random_u64(void)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

static int reset(void **state)
{
	(void)state;
	unsetenv("TMPDIR");
	fail_with = 0;
	write_in_drops = false;
	write_count = 0;
	return 0;
}

static struct record make_record(uint64_t key, uint32_t serial)
{
	struct record r = {.key = key, .serial = serial};

	memset(r.tail, (int)(serial % 251), sizeof(r.tail));
	return r;
}

struct expected {
	uint64_t sum;
	uint32_t count;
};

/* Order, stability and contents of all records. */
static void check_records(const struct nx_spool *spool, struct expected want)
{
	struct nx_spool_cursor *cursor;
	const struct record *r;
	uint64_t read_sum = 0;
	uint64_t last_key = 0;
	uint32_t last_serial = 0;
	uint32_t read_count = 0;

	assert_int_equal(nx_spool_cursor_open(&cursor, spool, NULL), NX_OK);
	while ((r = nx_spool_cursor_next(cursor))) {
		assert_true(r->key >= last_key);
		assert_true(!read_count || r->key > last_key || r->serial > last_serial);
		assert_int_equal((uint8_t)r->tail[19], r->serial % 251);
		read_sum += r->key * 31 + r->serial;
		last_key = r->key;
		last_serial = r->serial;
		read_count++;
	}
	assert_null(nx_spool_cursor_next(cursor));
	assert_int_equal(nx_spool_cursor_close(cursor, NULL), NX_OK);
	assert_int_equal(read_count, want.count);
	assert_true(read_sum == want.sum);
}

static struct expected add_records(struct nx_spool *spool, uint32_t count,
				   uint64_t (*key_of)(uint32_t))
{
	struct expected want = {.count = count};

	for (uint32_t i = 0; i < count; i++) {
		struct record added = make_record(key_of(i), i);

		want.sum += added.key * 31 + i;
		assert_int_equal(nx_spool_add(spool, &added, NULL), NX_OK);
	}
	return want;
}

/* Adds count records and reads them back, also when they were merged. */
static void check(size_t buffer_bytes, uint32_t count, uint64_t (*key_of)(uint32_t))
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), buffer_bytes);
	struct expected want = add_records(spool, count, key_of);

	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	check_records(spool, want);
	for (unsigned time = 0; time < 2; time++) {
		assert_int_equal(nx_spool_merge(spool, NULL), NX_OK);
		assert_true(spool->runs.len <= 1);
		check_records(spool, want);
	}
	nx_spool_free(spool);
}

static uint64_t any_key(uint32_t i)
{
	(void)i;
	return random_u64();
}

static uint64_t few_keys(uint32_t i)
{
	(void)i;
	return random_u64() % 5;
}

static uint64_t rising_key(uint32_t i)
{
	return i / 3;
}

static uint64_t falling_key(uint32_t i)
{
	return UINT64_MAX - i;
}

static uint64_t same_key(uint32_t i)
{
	(void)i;
	return 42;
}

static uint64_t high_and_low_bytes(uint32_t i)
{
	return ((uint64_t)(i * 7 % 13) << 56) | (i * 11 % 17);
}

static void every_kind_of_key_in_memory(void **state)
{
	uint64_t (*const kinds[])(uint32_t) = {any_key,	    few_keys, rising_key,
					       falling_key, same_key, high_and_low_bytes};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		check(1 << 20, 0, kinds[i]);
		check(1 << 20, 1, kinds[i]);
		check(1 << 20, 2, kinds[i]);
		check(1 << 20, 10000, kinds[i]);
	}
	assert_int_equal(write_count, 0);
}

static void every_kind_of_key_through_runs(void **state)
{
	uint64_t (*const kinds[])(uint32_t) = {any_key,	    few_keys, rising_key,
					       falling_key, same_key, high_and_low_bytes};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		check(6400, 101, kinds[i]);
		check(6400, 20000, kinds[i]);
		check(640000, 30000, kinds[i]);
	}
	assert_true(write_count > 0);
}

static void smallest_buffer_still_works(void **state)
{
	(void)state;
	check(0, 500, any_key);
	check(1, 501, few_keys);
}

static void exactly_full_buffer_stays_in_memory(void **state)
{
	/* a record takes its own 32 bytes and two pairs of 16 while it is sorted */
	(void)state;
	check(100 * 64, 100, any_key);
	assert_int_equal(write_count, 0);
	check(100 * 64, 101, any_key);
	assert_true(write_count > 0);
}

static void record_may_be_only_a_key(void **state)
{
	struct nx_spool *spool = nx_spool_new(8, 4000);
	struct nx_spool_cursor *cursor;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t key = i * 7919 % 1000;

		assert_int_equal(nx_spool_add(spool, &key, NULL), NX_OK);
	}
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	assert_int_equal(nx_spool_cursor_open(&cursor, spool, NULL), NX_OK);
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t key;

		memcpy(&key, nx_spool_cursor_next(cursor), sizeof(key));
		assert_int_equal(key, i);
	}
	assert_null(nx_spool_cursor_next(cursor));
	assert_int_equal(nx_spool_cursor_close(cursor, NULL), NX_OK);
	nx_spool_free(spool);
}

static void short_and_interrupted_writes_are_continued(void **state)
{
	(void)state;
	write_in_drops = true;
	fail_with = EINTR;
	check(6400, 1000, any_key);
}

static enum nx_status fill(struct nx_error *err)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), 6400);
	enum nx_status status = NX_OK;

	for (uint32_t i = 0; i < 1000 && !status; i++) {
		struct record r = make_record(random_u64(), i);

		status = nx_spool_add(spool, &r, err);
	}
	nx_spool_free(spool);
	return status;
}

static void full_disk_names_place_and_remedy(void **state)
{
	struct nx_error err;

	(void)state;
	setenv("TMPDIR", "/tmp", 1);
	fail_with = ENOSPC;
	assert_int_equal(fill(&err), NX_NO_SPACE);
	assert_non_null(
		strstr(err.message, "cannot write a temporary file in /tmp: the disk at /"));
	assert_non_null(strstr(err.message, "is full, which has the folder /tmp; free some space, "
					    "or set TMPDIR to a directory on a larger disk"));
	fail_with = EIO;
	assert_int_equal(fill(&err), NX_IO);
	assert_int_equal(fill(NULL), NX_OK);
}

static void failed_spill_can_be_tried_again(void **state)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), 640);
	struct nx_spool_cursor *cursor;
	const struct record *r;

	(void)state;
	for (uint32_t i = 0; i < 25; i++) {
		struct record added = make_record(100 - i, i);

		if (i == 10 || i == 20) {
			fail_with = ENOSPC;
			assert_int_equal(nx_spool_add(spool, &added, NULL), NX_NO_SPACE);
		}
		assert_int_equal(nx_spool_add(spool, &added, NULL), NX_OK);
	}
	fail_with = ENOSPC;
	assert_int_equal(nx_spool_sort(spool, NULL), NX_NO_SPACE);
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	assert_int_equal(nx_spool_cursor_open(&cursor, spool, NULL), NX_OK);
	for (uint32_t i = 25; i-- > 0;) {
		r = nx_spool_cursor_next(cursor);
		assert_non_null(r);
		assert_int_equal(r->serial, i);
	}
	assert_int_equal(nx_spool_cursor_close(cursor, NULL), NX_OK);
	nx_spool_free(spool);
}

static void records_in_order_are_one_run(void **state)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), 6400);
	struct expected want = add_records(spool, 5000, rising_key);

	(void)state;
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	assert_int_equal(spool->runs.len, 1);
	check_records(spool, want);
	nx_spool_free(spool);
}

/* More than merging keeps in memory, so that it writes. */
static void failed_merge_leaves_what_was_sorted(void **state)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), 1 << 20);
	struct expected want = add_records(spool, 100000, any_key);
	size_t run_count;

	(void)state;
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	run_count = spool->runs.len;
	assert_true(run_count > 1);
	fail_with = ENOSPC;
	assert_int_equal(nx_spool_merge(spool, NULL), NX_NO_SPACE);
	assert_int_equal(spool->runs.len, run_count);
	check_records(spool, want);
	assert_int_equal(nx_spool_merge(spool, NULL), NX_OK);
	assert_int_equal(spool->runs.len, 1);
	check_records(spool, want);
	nx_spool_free(spool);
}

static void bad_temporary_directory_is_named(void **state)
{
	struct nx_error err;
	char *long_path = calloc(1, 5000);

	(void)state;
	setenv("TMPDIR", "/no/such/place", 1);
	assert_int_equal(fill(&err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "/no/such/place"));
	assert_non_null(strstr(err.message, "TMPDIR"));
	memset(long_path, 'x', 4999);
	setenv("TMPDIR", long_path, 1);
	assert_int_equal(fill(&err), NX_LIMIT);
	free(long_path);
}

static void add_falling(struct nx_spool *spool, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct record r = make_record(count - i, i);
		void *place;

		assert_int_equal(nx_spool_place(spool, r.key, &place, NULL), NX_OK);
		memcpy(place, &r, sizeof(r));
	}
}

static void check_falling(const struct nx_spool *spool, size_t part, uint32_t count)
{
	struct nx_spool_cursor *cursor;

	assert_int_equal(nx_spool_cursor_open_part(&cursor, spool, part, NULL), NX_OK);
	for (uint32_t i = 0; i < count; i++) {
		const struct record *r = nx_spool_cursor_next(cursor);

		assert_int_equal(r->key, i + 1);
		assert_int_equal(r->serial, count - 1 - i);
		assert_int_equal((uint8_t)r->tail[19], r->serial % 251);
	}
	assert_null(nx_spool_cursor_next(cursor));
	assert_int_equal(nx_spool_cursor_close(cursor, NULL), NX_OK);
}

/* A record and what sorting it takes: of one part, so many of these fit. */
#define SORTED_BYTES (sizeof(struct record) + 32)

/* A part is sorted where it lies; what is in order needs no room beside it any more. */
static void a_cut_makes_room(void **state)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), 100 * SORTED_BYTES);

	(void)state;
	for (size_t part = 0; part < 7; part++) {
		add_falling(spool, 20);
		nx_spool_cut(spool);
		assert_int_equal(spool->ordered, 20 * (part + 1));
		assert_false(spool->unordered);
	}
	assert_int_equal(write_count, 0);
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	assert_null(spool->order);
	for (size_t part = 0; part < 7; part++)
		check_falling(spool, part, 20);
	nx_spool_free(spool);
}

/* Where a part leaves no room to be sorted in, it waits for the end of the buffer. */
static void a_large_part_is_sorted_late(void **state)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), 100 * SORTED_BYTES);

	(void)state;
	add_falling(spool, 20);
	nx_spool_cut(spool);
	add_falling(spool, 75);
	nx_spool_cut(spool);
	assert_int_equal(spool->ordered, 20);
	assert_true(spool->unordered);
	add_falling(spool, 5);
	nx_spool_cut(spool);
	assert_int_equal(spool->ordered, 20);
	assert_int_equal(write_count, 0);
	add_falling(spool, 40);
	assert_true(write_count > 0);
	assert_int_equal(nx_spool_sort(spool, NULL), NX_OK);
	check_falling(spool, 0, 20);
	check_falling(spool, 1, 75);
	check_falling(spool, 2, 5);
	check_falling(spool, 3, 40);
	nx_spool_free(spool);
}

static void no_place_on_a_full_disk(void **state)
{
	struct nx_spool *spool = nx_spool_new(sizeof(struct record), 10 * SORTED_BYTES);
	struct nx_error err = {0};
	void *place = NULL;

	(void)state;
	add_falling(spool, 10);
	fail_with = ENOSPC;
	assert_int_equal(nx_spool_place(spool, 1, &place, &err), NX_NO_SPACE);
	assert_null(place);
	nx_spool_free(spool);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, reset, reset)
	const struct CMUnitTest tests[] = {
		T(every_kind_of_key_in_memory),	     T(every_kind_of_key_through_runs),
		T(smallest_buffer_still_works),	     T(exactly_full_buffer_stays_in_memory),
		T(record_may_be_only_a_key),	     T(short_and_interrupted_writes_are_continued),
		T(full_disk_names_place_and_remedy), T(failed_spill_can_be_tried_again),
		T(records_in_order_are_one_run),     T(failed_merge_leaves_what_was_sorted),
		T(bad_temporary_directory_is_named), T(a_cut_makes_room),
		T(a_large_part_is_sorted_late),	     T(no_place_on_a_full_disk),
	};

	nx_spool_free(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
