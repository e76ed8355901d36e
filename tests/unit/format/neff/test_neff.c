/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bare/bits.h"
#include "base/md5.h"
#include "format/neff.h"

struct fixture {
	struct nx_arena arena;
	struct nx_error err;
	struct nx_bytes file;
	struct nx_neff neff;
};

static struct nx_neff_header header_of(uint64_t package_version, uint64_t major_version)
{
	struct nx_neff_header header = {
		.package_version = package_version,
		.major_version = major_version,
		.minor_version = 7,
		.build_version = "2.0.1%tools@6c66",
		.core_count = 1,
		.uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		.name = "model.neff",
		.requested_core_count = 3,
		.cores_per_node = {1, 2},
		.feature_bits = 0xc00,
		.logical_core_size = 2,
	};

	return header;
}

static void write_small(struct fixture *f, uint64_t package_version, uint64_t major_version)
{
	struct nx_neff_header header = header_of(package_version, major_version);
	struct nx_neff_member members[] = {
		{nx_slice_text("info.json"), nx_slice_text("{\"name\":\"old\"}")},
		{nx_slice_text("sg00/PE.bin"), nx_slice_text("0123456789")},
		{nx_slice_text("info.json"), nx_slice_text("{\"name\":\"new\"}")},
	};

	nx_vec_clear(&f->file);
	nx_neff_write(&header, members, 3, &f->file);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	write_small(f, 2, 2);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->file);
	nx_arena_release(&f->arena);
	free(f);
	return 0;
}

static struct nx_slice whole(const struct fixture *f)
{
	return nx_slice_of(f->file.items, f->file.len);
}

static enum nx_status read_file(struct fixture *f, struct nx_slice file)
{
	return nx_neff_read(file, &f->arena, &f->neff, &f->err);
}

static void check_members(const struct nx_neff *neff)
{
	assert_int_equal(neff->member_count, 3);
	assert_false(neff->is_truncated);
	assert_true(nx_slice_is(nx_neff_member(neff, nx_slice_text("sg00/PE.bin")), "0123456789"));
	assert_true(nx_slice_is(nx_neff_member(neff, nx_slice_text("info.json")),
				"{\"name\":\"new\"}"));
	assert_int_equal(nx_neff_member(neff, nx_slice_text("none")).len, 0);
}

static void check_header(const struct nx_neff_header *header, uint64_t data_size)
{
	struct nx_neff_header expected = header_of(2, 2);

	assert_int_equal(header->header_size, 1024);
	assert_int_equal(header->data_size, data_size);
	assert_int_equal(header->minor_version, 7);
	assert_string_equal(header->build_version, expected.build_version);
	assert_int_equal(header->core_count, 1);
	assert_memory_equal(header->uuid, expected.uuid, 16);
	assert_string_equal(header->name, "model.neff");
	assert_int_equal(header->requested_core_count, 3);
	assert_memory_equal(header->cores_per_node, expected.cores_per_node, 64);
	assert_int_equal(header->feature_bits, 0xc00);
	assert_int_equal(header->logical_core_size, 2);
}

static void test_round_trip_gzip(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->file.len, 1024 + 10240);
	assert_memory_equal(f->file.items + 1024, "\x1f\x8b\x08", 3);
	assert_int_equal(read_file(f, whole(f)), NX_OK);
	check_header(&f->neff.header, 10240);
	assert_int_equal(f->neff.header.package_version, 2);
	assert_int_equal(f->neff.packed_at_s, 0);
	check_members(&f->neff);
}

static void test_round_trip_plain_tar(void **state)
{
	struct fixture *f = *state;
	uint8_t digest[NX_MD5_BYTES];

	write_small(f, 1, 1);
	nx_md5_digest(nx_slice_part(whole(f), 1024, f->file.len), digest);
	assert_memory_equal(f->file.items + 1024 + 257, "ustar", 5);
	assert_int_equal(read_file(f, whole(f)), NX_OK);
	check_members(&f->neff);
	assert_memory_equal(f->neff.header.hash, digest, sizeof(digest));
	/* Members of a plain tar are borrowed from the file, not copied. */
	assert_true(f->neff.members[1].bytes.data > f->file.items);
	assert_true(f->neff.members[1].bytes.data < f->file.items + f->file.len);
}

static void test_header_layout(void **state)
{
	struct fixture *f = *state;
	const uint8_t *h = f->file.items;
	uint8_t digest[16];

	assert_int_equal(nx_load64(h), 2);
	assert_int_equal(nx_load64(h + 8), 1024);
	assert_int_equal(nx_load64(h + 0x10), 10240);
	assert_int_equal(nx_load64(h + 0x18), 2);
	assert_int_equal(nx_load64(h + 0x20), 7);
	assert_string_equal((const char *)h + 0x28, "2.0.1%tools@6c66");
	assert_int_equal(nx_load32(h + 0xa8), 1);
	assert_int_equal(h[0xcc], 1);
	assert_int_equal(h[0xdb], 16);
	assert_string_equal((const char *)h + 0xdc, "model.neff");
	assert_int_equal(nx_load32(h + 0x1dc), 3);
	assert_int_equal(h[0x1e1], 2);
	assert_int_equal(nx_load64(h + 0x220), 0xc00);
	assert_int_equal(nx_load32(h + 0x228), 2);
	nx_md5_digest(nx_slice_of(h + 1024, 10240), digest);
	for (int i = 0; i < 16; i++)
		assert_int_equal(h[0xac + i], digest[i / 4 * 4 + 3 - i % 4]);
	for (int i = 16; i < 32; i++)
		assert_int_equal(h[0xac + i], 0);
}

static void test_gzip_time(void **state)
{
	struct fixture *f = *state;

	nx_store32(f->file.items + 0x404, 0x69abd5d4);
	assert_int_equal(read_file(f, whole(f)), NX_OK);
	assert_int_equal(f->neff.packed_at_s, 0x69abd5d4);
}

static void expect_refused(struct fixture *f, enum nx_status status, const char *words)
{
	assert_int_equal(read_file(f, whole(f)), status);
	assert_non_null(strstr(f->err.message, words));
	write_small(f, 2, 2);
}

static void test_refuses_other_files(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_file(f, nx_slice_text("{}")), NX_FORMAT);
	assert_non_null(strstr(f->err.message, "not a NEFF"));
	memcpy(f->file.items,
	       "\x7f"
	       "ELF\x02\x01\x01\x00",
	       8);
	expect_refused(f, NX_FORMAT, "not a NEFF header");
	nx_store64(f->file.items, 0);
	expect_refused(f, NX_FORMAT, "not a NEFF header");
	nx_store64(f->file.items + 8, UINT64_MAX);
	expect_refused(f, NX_FORMAT, "not a NEFF header");
	nx_store64(f->file.items, 3);
	expect_refused(f, NX_VERSION, "package version 3");
	nx_store64(f->file.items + 0x18, 9);
	expect_refused(f, NX_VERSION, "NEFF version 9");
	nx_store64(f->file.items + 0x10, 0);
	expect_refused(f, NX_FORMAT, "no archive");
	memset(f->file.items + 1024, 'x', 600);
	expect_refused(f, NX_FORMAT, "neither a tar nor a gzipped tar");
}

static void test_damaged_checksum_keeps_members(void **state)
{
	struct fixture *f = *state;
	size_t end = f->file.len;

	while (f->file.items[end - 1] == 0)
		end--;
	/* the unpacked length, the last field of a gzip stream */
	f->file.items[end - 2] ^= 1;
	assert_int_equal(read_file(f, whole(f)), NX_OK);
	assert_int_equal(f->neff.member_count, 3);
	assert_true(f->neff.is_truncated);
	assert_non_null(strstr(f->neff.damage, "damaged"));
}

static void append_gzip(struct nx_bytes *out, struct nx_slice plain)
{
	uint8_t packed[4096];
	z_stream z = {.next_in = (Bytef *)(uintptr_t)plain.data, .avail_in = (uInt)plain.len};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = packed;
	z.avail_out = sizeof(packed);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	nx_bytes_append(out, packed, sizeof(packed) - z.avail_out);
	deflateEnd(&z);
}

/* Joined gzip streams are one stream, even when the seam is inside a member. */
static void test_joined_streams(void **state)
{
	struct fixture *f = *state;
	struct nx_bytes joined = {0};
	struct nx_slice tar;

	write_small(f, 1, 2);
	tar = nx_slice_part(whole(f), 1024, f->file.len);
	nx_bytes_append(&joined, f->file.items, 1024);
	append_gzip(&joined, nx_slice_part(tar, 0, 1024 + 512 + 3));
	append_gzip(&joined, nx_slice_part(tar, 1024 + 512 + 3, tar.len));
	nx_store64(joined.items + 0x10, joined.len - 1024);
	assert_int_equal(read_file(f, nx_slice_of(joined.items, joined.len)), NX_OK);
	check_members(&f->neff);
	nx_vec_release(&joined);
}

/* A million zeros pack a thousandfold; the reader grows with them. */
static void test_highly_packed_member(void **state)
{
	struct fixture *f = *state;
	struct nx_neff_header header = header_of(2, 2);
	struct nx_bytes zeros = {0};
	struct nx_neff_member member;

	nx_bytes_append_zeros(&zeros, 5000000);
	member = (struct nx_neff_member){nx_slice_text("w.npy"),
					 nx_slice_of(zeros.items, zeros.len)};
	nx_vec_clear(&f->file);
	nx_neff_write(&header, &member, 1, &f->file);
	assert_true(f->file.len < 100000);
	assert_int_equal(read_file(f, whole(f)), NX_OK);
	assert_true(nx_slice_equal(nx_neff_member(&f->neff, nx_slice_text("w.npy")), member.bytes));
	nx_vec_release(&zeros);
}

/* Every cut gives the members before it and says what happened, or a sentence. */
/* Small archives may be mostly padding; beyond that, what counts is the ratio. */
static void test_refuses_a_bomb(void **state)
{
	struct fixture *f = *state;
	size_t size = NX_NEFF_FREE_UNPACKED_BYTES + 4096;
	uint8_t *zeros = nx_heap_try_alloc(size);
	const struct nx_neff_member member = {.name = nx_slice_text("zeros"),
					      .bytes = nx_slice_of(zeros, size)};
	struct nx_neff_header header = header_of(2, 2);

	f->file.len = 0;
	nx_neff_write(&header, &member, 1, &f->file);
	nx_heap_free(zeros);
	assert_in_range(f->file.len, 1, 1 << 20);
	expect_refused(f, NX_LIMIT, "unpacks to more than 64 MiB");
}

static void check_every_truncation(struct fixture *f)
{
	for (size_t len = 0; len < f->file.len; len++) {
		/* exactly as large as it claims, so that a wild read is seen */
		uint8_t *copy = malloc(len + !len);
		enum nx_status st;

		memcpy(copy, f->file.items, len);
		f->err.message[0] = '\0';
		st = read_file(f, nx_slice_of(copy, len));
		if (st)
			assert_true(strlen(f->err.message) > 10);
		else
			assert_true(f->neff.is_truncated && strlen(f->neff.damage) > 10);
		free(copy);
		nx_arena_release(&f->arena);
	}
}

static void test_every_truncation(void **state)
{
	struct fixture *f = *state;

	check_every_truncation(f);
	write_small(f, 1, 1);
	check_every_truncation(f);
}

static void check_every_flip(struct fixture *f)
{
	for (size_t i = 0; i < f->file.len; i++) {
		enum nx_status st;

		f->file.items[i] ^= 0xff;
		f->err.message[0] = '\0';
		st = read_file(f, whole(f));
		if (st)
			assert_true(strlen(f->err.message) > 10);
		else if (f->neff.member_count != 3)
			assert_true(f->neff.is_truncated && strlen(f->neff.damage) > 10);
		f->file.items[i] ^= 0xff;
		nx_arena_release(&f->arena);
	}
}

static void test_every_flip(void **state)
{
	struct fixture *f = *state;

	check_every_flip(f);
	write_small(f, 1, 1);
	/* an end of archive that became a header is what a flip there may look like */
	f->file.len = 1024 + 3 * 1024;
	nx_store64(f->file.items + 0x10, f->file.len - 1024);
	check_every_flip(f);
}

static void expect_features(uint64_t bits, const char *expected)
{
	char text[1024];

	assert_int_equal(nx_neff_features_text(bits, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void test_feature_names(void **state)
{
	char small[8];

	(void)state;
	expect_features(0, "");
	expect_features(0xc00, "virtual-core, v3-2x-4x-dve-perf-mode");
	expect_features(0x38, "coalesced-cc, queue-set-instances, on-chip-functions");
	expect_features(0x1209c00,
			"virtual-core, v3-2x-4x-dve-perf-mode, dge, dge-cast, bit-21, bit-24");
	expect_features(UINT64_C(1) << 63 | 1, "bit-0, bit-63");
	assert_int_equal(nx_neff_features_text(UINT64_MAX, small, sizeof(small)), 7);
	assert_string_equal(small, "bit-0, ");
	assert_int_equal(nx_neff_features_text(1, small, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip_gzip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_round_trip_plain_tar, setup, teardown),
		cmocka_unit_test_setup_teardown(test_header_layout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gzip_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_a_bomb, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_other_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged_checksum_keeps_members, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_joined_streams, setup, teardown),
		cmocka_unit_test_setup_teardown(test_highly_packed_member, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_truncation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_flip, setup, teardown),
		cmocka_unit_test(test_feature_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
