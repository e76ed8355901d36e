/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/tar.h"

#define BLOCK 512

struct fixture {
	struct nx_bytes archive;
	struct nx_arena arena;
	struct nx_error err;
	struct nx_tar_reader tar;
	struct nx_tar_member member;
	bool found;
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->archive);
	nx_arena_release(&f->arena);
	free(f);
	return 0;
}

static void seal(uint8_t *header)
{
	unsigned sum = 0;

	memset(header + 148, ' ', 8);
	for (int i = 0; i < BLOCK; i++)
		sum += header[i];
	snprintf((char *)header + 148, 8, "%06o", sum);
}

/* A member as other programs write it; magic is "ustar\0" or GNU's "ustar  ". */
static void add(struct fixture *f, char type, const char *magic, const char *prefix,
		const char *name, const char *text)
{
	uint8_t header[BLOCK] = {0};
	size_t len = strlen(text);

	memcpy(header, name, strlen(name) > 100 ? 100 : strlen(name));
	snprintf((char *)header + 124, 12, "%011o", (unsigned)len);
	header[156] = (uint8_t)type;
	memcpy(header + 257, magic, strlen(magic));
	memcpy(header + 345, prefix, strlen(prefix));
	seal(header);
	nx_bytes_append(&f->archive, header, BLOCK);
	nx_bytes_append(&f->archive, text, len);
	nx_bytes_append_zeros(&f->archive, (BLOCK - len % BLOCK) % BLOCK);
}

static void rewind_tar(struct fixture *f)
{
	f->tar = (struct nx_tar_reader){.archive = nx_slice_of(f->archive.items, f->archive.len),
					.arena = &f->arena};
}

static enum nx_status next(struct fixture *f)
{
	return nx_tar_next(&f->tar, &f->member, &f->found, &f->err);
}

static void expect(struct fixture *f, const char *name, const char *text)
{
	assert_int_equal(next(f), NX_OK);
	assert_true(f->found);
	assert_true(nx_slice_is(f->member.name, name));
	assert_true(nx_slice_is(f->member.bytes, text));
}

static void expect_end(struct fixture *f)
{
	assert_int_equal(next(f), NX_OK);
	assert_false(f->found);
}

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	char large[1500];

	memset(large, 'z', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	nx_tar_append(&f->archive, nx_slice_text("info.json"), nx_slice_text("{}"));
	nx_tar_append(&f->archive, nx_slice_text("empty"), (struct nx_slice){NULL, 0});
	nx_tar_append(&f->archive, nx_slice_text("sg00/PE.bin"), nx_slice_text(large));
	nx_tar_finish(&f->archive);
	assert_int_equal(f->archive.len, BLOCK * (2 + 1 + 1 + 3 + 2));
	rewind_tar(f);
	expect(f, "info.json", "{}");
	expect(f, "empty", "");
	expect(f, "sg00/PE.bin", large);
	expect_end(f);
	assert_false(f->tar.is_truncated);
}

/* The header that a current compiler writes, apart from its member's name and size. */
static void test_header_bytes(void **state)
{
	struct fixture *f = *state;
	const char *header;

	nx_tar_append(&f->archive, nx_slice_text("a"), nx_slice_text("12345678"));
	header = (const char *)f->archive.items;
	assert_string_equal(header, "a");
	assert_memory_equal(header + 100, "000664 \0", 8);
	assert_memory_equal(header + 108,
			    "001750 \0"
			    "001750 ",
			    15);
	assert_memory_equal(header + 124, "00000000010 00000000000 ", 24);
	assert_memory_equal(header + 154, "\0 0", 3);
	assert_memory_equal(header + 257,
			    "ustar\0"
			    "00nobody\0",
			    15);
	assert_string_equal(header + 297, "nobody");
	assert_memory_equal(header + 329,
			    "000000 \0"
			    "000000 \0",
			    16);
}

static void test_long_names_we_write(void **state)
{
	struct fixture *f = *state;
	char split[200], whole[200];

	memset(split, 'd', sizeof(split));
	split[150] = '/';
	split[199] = '\0';
	memset(whole, 'w', sizeof(whole));
	whole[199] = '\0';
	nx_tar_append(&f->archive, nx_slice_text(split), nx_slice_text("1"));
	nx_tar_append(&f->archive, nx_slice_text(whole), nx_slice_text("2"));
	nx_tar_finish(&f->archive);
	assert_int_equal(f->archive.items[2 * BLOCK + 156], 'x');
	assert_memory_equal(f->archive.items + (size_t)3 * BLOCK, "209 path=www", 12);
	rewind_tar(f);
	expect(f, split, "1");
	expect(f, whole, "2");
	expect_end(f);
}

static void test_pax_records(void **state)
{
	struct fixture *f = *state;

	add(f, 'g', "ustar", "", "pax_global_header", "13 comment=x\n");
	add(f, 'x', "ustar", "", "PaxHeaders/1",
	    "27 mtime=1700000000.123456\n23 path=sg00/long.json\n");
	add(f, '0', "ustar", "", "short", "abc");
	add(f, '0', "ustar", "", "next", "def");
	rewind_tar(f);
	expect(f, "sg00/long.json", "abc");
	expect(f, "next", "def");
	expect_end(f);
}

static void test_pax_size_overrides_header(void **state)
{
	struct fixture *f = *state;

	add(f, 'x', "ustar", "", "PaxHeaders/1", "10 size=2\n");
	add(f, '0', "ustar", "", "cut", "abc");
	rewind_tar(f);
	expect(f, "cut", "ab");
}

/* Records that lie about their length end the list, nothing more. */
static void test_hostile_pax_records(void **state)
{
	static const char *const records[] = {
		"9999999999999999999 path=a\n",
		"0 path=a\n",
		"1",
		"5 a=",
		"99 path=a\n",
		"9 pathxa\n",
		" 9 path=\n",
		"-9 path=a\n",
		"4 =\n\n\n\n",
		"3 \n",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		nx_vec_clear(&f->archive);
		add(f, 'x', "ustar", "", "x", records[i]);
		add(f, '0', "ustar", "", "kept", "abc");
		rewind_tar(f);
		expect(f, "kept", "abc");
	}
}

static void test_gnu_long_name(void **state)
{
	struct fixture *f = *state;
	char name[301];

	memset(name, 'n', sizeof(name));
	name[300] = '\0';
	add(f, 'L', "ustar  ", "", "././@LongLink", name);
	add(f, '0', "ustar  ", "12345", name, "abc");
	/* In GNU's dialect the prefix field holds times, never a part of the name. */
	add(f, '0', "ustar  ", "12345", "plain", "def");
	rewind_tar(f);
	expect(f, name, "abc");
	expect(f, "plain", "def");
	expect_end(f);
}

static void test_skips_what_is_no_file(void **state)
{
	struct fixture *f = *state;

	add(f, '5', "ustar", "", "sg00/", "");
	add(f, '\0', "", "", "old/", "");
	add(f, '2', "ustar", "", "link", "");
	add(f, '\0', "", "", "./old.json", "x");
	add(f, '7', "ustar", "sg00", "./././def.json", "y");
	rewind_tar(f);
	expect(f, "old.json", "x");
	expect(f, "sg00/./././def.json", "y");
	expect_end(f);
}

static void test_binary_size(void **state)
{
	struct fixture *f = *state;
	uint8_t *size;

	add(f, '0', "ustar", "", "a", "abc");
	size = f->archive.items + 124;
	memset(size, 0, 12);
	size[0] = 0x80;
	size[11] = 3;
	seal(f->archive.items);
	rewind_tar(f);
	expect(f, "a", "abc");
	/* 2^64 - 1 bytes: all that exists, and a note that more was promised */
	memset(size + 4, 0xff, 8);
	seal(f->archive.items);
	rewind_tar(f);
	assert_int_equal(next(f), NX_OK);
	assert_true(f->found);
	assert_int_equal(f->member.bytes.len, BLOCK);
	assert_true(f->tar.is_truncated);
	expect_end(f);
	/* more than 64 bits */
	size[3] = 1;
	seal(f->archive.items);
	rewind_tar(f);
	assert_int_equal(next(f), NX_FORMAT);
}

static void test_wrong_checksum_names_its_offset(void **state)
{
	struct fixture *f = *state;

	add(f, '0', "ustar", "", "a", "abc");
	add(f, '0', "ustar", "", "b", "def");
	f->archive.items[2 * BLOCK + 1] ^= 1;
	rewind_tar(f);
	expect(f, "a", "abc");
	assert_int_equal(next(f), NX_FORMAT);
	assert_false(f->found);
	assert_non_null(strstr(f->err.message, "1024"));
}

/* Cut at every byte: members before the cut are whole, the cut one is as long as it is. */
static void test_every_truncation(void **state)
{
	struct fixture *f = *state;
	size_t full;

	add(f, 'x', "ustar", "", "x", "23 path=sg00/long.json\n");
	add(f, '0', "ustar", "", "a", "abc");
	add(f, '0', "ustar", "", "b", "defgh");
	full = f->archive.len;
	for (size_t len = 0; len < full; len++) {
		size_t total = 0;

		rewind_tar(f);
		f->tar.archive.len = len;
		while (next(f) == NX_OK && f->found)
			total += f->member.bytes.len;
		assert_true(total <= 8);
		if (len >= 5 * BLOCK + 5)
			assert_int_equal(total, 8);
		else if (len >= 3 * BLOCK + 3)
			assert_int_equal(total, 3 + (len > 5 * BLOCK ? len - 5 * BLOCK : 0));
		if (len % BLOCK && len < 5 * BLOCK + 5 && len > 4 * BLOCK)
			assert_true(f->tar.is_truncated);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_header_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_names_we_write, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pax_records, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pax_size_overrides_header, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_pax_records, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gnu_long_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_skips_what_is_no_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_binary_size, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_checksum_names_its_offset, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_every_truncation, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
