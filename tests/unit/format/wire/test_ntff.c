/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>

#include "base/bare/bits.h"
#include "base/file.h"
#include "format/ntff.h"

static struct nx_arena arena;
static struct nx_error err;
static struct nx_ntff ntff;

static int reset(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	arena = (struct nx_arena){0};
	err = (struct nx_error){0};
	return 0;
}

/* A header as runtimes write it: rubbish behind the two fields. */
static void put_header(struct nx_bytes *out, uint8_t version, uint64_t proto_size)
{
	size_t start = out->len;

	nx_bytes_append_zeros(out, NX_NTFF_HEADER_BYTES);
	memset(out->items + start, 0xa5, NX_NTFF_HEADER_BYTES);
	out->items[start] = version;
	nx_store64(out->items + start + 1, proto_size);
}

static enum nx_status read_bytes(const struct nx_bytes *file)
{
	return nx_ntff_read(nx_slice_of(file->items, file->len), &arena, &ntff, &err);
}

static void expect_failure(const struct nx_bytes *file, enum nx_status status, const char *words)
{
	err = (struct nx_error){0};
	assert_int_equal(read_bytes(file), status);
	assert_int_equal(err.status, status);
	if (!strstr(err.message, words))
		fail_msg("\"%s\" does not say \"%s\"", err.message, words);
}

static void test_bad_headers_are_explained(void **state)
{
	struct nx_bytes file = {0};

	(void)state;
	expect_failure(&file, NX_FORMAT, "recorded nothing");
	put_header(&file, 6, 2);
	file.len = 127;
	expect_failure(&file, NX_FORMAT, "only 127 bytes");
	file.len = 128;
	expect_failure(&file, NX_FORMAT, "only 128 bytes");
	nx_bytes_append(&file, "\x28\x02", 2);
	assert_int_equal(read_bytes(&file), NX_OK);
	file.items[0] = 3;
	expect_failure(&file, NX_VERSION, "version 3 is not supported (this build reads 4 to 6)");
	file.items[0] = 7;
	expect_failure(&file, NX_VERSION, "version 7 is not supported (this build reads 4 to 6)");
	file.items[0] = 6;
	nx_store64(file.items + 1, 0);
	expect_failure(&file, NX_FORMAT, "0 bytes");
	nx_vec_release(&file);
}

static void test_what_is_no_message_is_refused(void **state)
{
	struct nx_bytes file = {0};

	(void)state;
	put_header(&file, 5, 4);
	nx_bytes_append(&file, "\xff\xff\xff\xff", 4);
	expect_failure(&file, NX_FORMAT, "cannot be read: ");
	file.len = NX_NTFF_HEADER_BYTES;
	/* Text parses as a message, by bad luck, but not as ours. */
	nx_bytes_append(&file, "{\"a\"", 4);
	expect_failure(&file, NX_FORMAT, "");
	file.len = NX_NTFF_HEADER_BYTES;
	nx_bytes_append(&file, "\xa8\x01\x01\x00", 4); /* field 21 only */
	expect_failure(&file, NX_FORMAT, "none of the fields");
	nx_vec_release(&file);
}

/* arch, one session ring of 32 bytes at 0, one code image of 64 bytes at 32. */
static const uint8_t message6[] = {
	0x22, 16,   0x22, 14,	0x0a, 12,   0x22, 10,	0x10,
	0x80, 0x80, 0x04,				   /* node .. graph .. code */
	0x38, 32,   0x40, 64,	0x08, 3,		   /* offset, size, engine */
	0x28, 2,					   /* arch */
	0x82, 0x01, 6,	  0x08, 1,    0x30, 32,	  0x38, 4, /* ring */
};

static void make_version6(struct nx_bytes *file)
{
	put_header(file, 6, sizeof(message6));
	nx_bytes_append(file, message6, sizeof(message6));
	for (int i = 0; i < 96; i++)
		nx_bytes_append(file, (const uint8_t[]){(uint8_t)i}, 1);
}

static void test_version_6_blobs(void **state)
{
	struct nx_bytes file = {0};
	const struct nx_ntff_graph *graph;
	struct nx_slice bytes;

	(void)state;
	make_version6(&file);
	assert_int_equal(read_bytes(&file), NX_OK);
	assert_int_equal(ntff.version, 6);
	assert_false(ntff.is_truncated);
	assert_int_equal(ntff.loss.unknown_field_count + ntff.loss.wrong_type_count, 0);
	assert_int_equal(ntff.info.arch, 2);
	assert_int_equal(ntff.blobs.len, 96);
	assert_int_equal(ntff.info.session_rings.count, 1);
	assert_int_equal(ntff.info.session_rings.items[0].core_idx, 4);
	bytes = nx_ntff_ring_bytes(&ntff, &ntff.info.session_rings.items[0]);
	assert_int_equal(bytes.len, 32);
	assert_int_equal(bytes.data[0], 0);
	graph = &ntff.info.nodes.items[0].device.graphs.items[0];
	assert_int_equal(graph->code.items[0].engine, 3);
	assert_int_equal(graph->code.items[0].start_address, 0x10000);
	bytes = nx_ntff_code_bytes(&ntff, &graph->code.items[0]);
	assert_int_equal(bytes.len, 64);
	assert_int_equal(bytes.data[0], 32);
	nx_vec_release(&file);
}

static void test_cut_at_every_length(void **state)
{
	struct nx_bytes file = {0};

	(void)state;
	make_version6(&file);
	for (size_t len = 0; len <= file.len; len++) {
		uint8_t *copy = nx_heap_alloc(len + 1);
		size_t first = NX_NTFF_HEADER_BYTES + 18; /* the node is complete */
		enum nx_status st;

		memcpy(copy, file.items, len);
		st = nx_ntff_read(nx_slice_of(copy, len), &arena, &ntff, &err);
		assert_int_equal(st, len < first ? NX_FORMAT : NX_OK);
		if (!st)
			assert_int_equal(ntff.is_truncated, len < file.len);
		nx_heap_free(copy);
	}
	nx_vec_release(&file);
}

static void test_blob_extents_are_clamped(void **state)
{
	struct nx_bytes file = {0};
	struct nx_ntff_ring ring = {.offset = 90, .size = 32};
	struct nx_ntff_code code = {.offset = UINT64_MAX, .size = UINT64_MAX};

	(void)state;
	make_version6(&file);
	assert_int_equal(read_bytes(&file), NX_OK);
	assert_int_equal(nx_ntff_ring_bytes(&ntff, &ring).len, 6);
	assert_int_equal(nx_ntff_code_bytes(&ntff, &code).len, 0);
	code.offset = 96;
	assert_int_equal(nx_ntff_code_bytes(&ntff, &code).len, 0);
	code.inline_code = nx_slice_text("inline");
	assert_true(nx_slice_is(nx_ntff_code_bytes(&ntff, &code), "inline"));
	ring.inline_records = nx_slice_text("records");
	assert_true(nx_slice_is(nx_ntff_ring_bytes(&ntff, &ring), "records"));
	nx_vec_release(&file);
}

/* Written by nx_ntff_write_head with one list at a time reaching one byte too far. */
static bool reads_as_truncated(struct nx_ntff_info *info, size_t blob_len)
{
	struct nx_bytes file = {0};
	bool truncated;

	nx_ntff_write_head(6, info, &file);
	nx_bytes_append_zeros(&file, blob_len);
	assert_int_equal(read_bytes(&file), NX_OK);
	truncated = ntff.is_truncated;
	nx_vec_release(&file);
	return truncated;
}

static void test_every_blob_list_is_checked(void **state)
{
	struct nx_ntff_code code = {.offset = 16, .size = 16};
	struct nx_ntff_ring ring = {.offset = 16, .size = 16};
	struct nx_ntff_graph graph = {.has_collectives = true};
	struct nx_ntff_node node = {.has_device = true};
	struct nx_ntff_info info = {.arch = 2};
	size_t *counts[] = {&info.session_rings.count, &graph.code.count, &graph.cc_code.count,
			    &graph.collectives.topsp.count, &graph.rings.count};

	(void)state;
	info.session_rings.items = graph.rings.items = &ring;
	graph.code.items = graph.cc_code.items = graph.collectives.topsp.items = &code;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		*counts[i] = 1;
		node.device.graphs.items = &graph;
		node.device.graphs.count = 1;
		info.nodes.items = &node;
		info.nodes.count = 1;
		assert_false(reads_as_truncated(&info, 32));
		assert_true(reads_as_truncated(&info, 31));
		assert_true(reads_as_truncated(&info, 0));
		*counts[i] = 0;
	}
	assert_false(reads_as_truncated(&info, 0));
}

/* Versions 4 and 5: the code inside the message, ring offsets from the end of the message. */
static void test_version_4_inline_code(void **state)
{
	static const uint8_t message[] = {
		0x22, 16, 0x22, 14, 0x0a, 12,  /* node, device, graph */
		0x22, 4,  0x1a, 2,  'A',  'B', /* inline code */
		0x32, 4,  0x28, 2,  0x30, 3,   /* ring */
	};
	struct nx_bytes file = {0};
	const struct nx_ntff_graph *graph;

	(void)state;
	put_header(&file, 4, sizeof(message));
	nx_bytes_append(&file, message, sizeof(message));
	nx_bytes_append(&file, "01234", 5);
	assert_int_equal(read_bytes(&file), NX_OK);
	assert_int_equal(ntff.version, 4);
	assert_false(ntff.is_truncated);
	graph = &ntff.info.nodes.items[0].device.graphs.items[0];
	assert_true(nx_slice_is(nx_ntff_code_bytes(&ntff, &graph->code.items[0]), "AB"));
	assert_true(nx_slice_is(nx_ntff_ring_bytes(&ntff, &graph->rings.items[0]), "234"));
	nx_vec_release(&file);
}

static void test_write_head(void **state)
{
	struct nx_ntff_info info = {.arch = 3, .start_nc = -1};
	struct nx_bytes file = {0};

	(void)state;
	nx_bytes_append(&file, "#", 1);
	nx_ntff_write_head(5, &info, &file);
	assert_int_equal(file.len, 1 + 128 + 2 + 12);
	assert_int_equal(file.items[1], 5);
	assert_int_equal(nx_load64(file.items + 2), 14);
	for (size_t i = 10; i < 129; i++)
		assert_int_equal(file.items[i], 0);
	nx_bytes_append(&file, "blob", 4);
	assert_int_equal(nx_ntff_read(nx_slice_of(file.items + 1, file.len - 1), &arena, &ntff,
				      &err),
			 NX_OK);
	assert_int_equal(ntff.info.arch, 3);
	assert_int_equal(ntff.info.start_nc, -1);
	assert_true(nx_slice_is(ntff.blobs, "blob"));
	nx_vec_release(&file);
}

/* --- real captures ----------------------------------------------------------- */

static size_t real_count;

static void check_real(const char *path)
{
	struct nx_bytes again = {0};
	struct nx_file file;
	size_t head;

	assert_int_equal(nx_file_map(&file, path, &err), NX_OK);
	assert_int_equal(nx_ntff_read(file.bytes, &arena, &ntff, &err), NX_OK);
	assert_int_equal(ntff.loss.unknown_field_count, 0);
	assert_int_equal(ntff.loss.wrong_type_count, 0);
	assert_int_equal(ntff.loss.truncated_count, 0);
	assert_false(ntff.is_truncated);
	head = file.bytes.len - ntff.blobs.len;
	nx_ntff_write_head(ntff.version, &ntff.info, &again);
	assert_int_equal(again.len, head);
	assert_memory_equal(again.items, file.bytes.data, 9);
	assert_memory_equal(again.items + NX_NTFF_HEADER_BYTES,
			    file.bytes.data + NX_NTFF_HEADER_BYTES, head - NX_NTFF_HEADER_BYTES);
	/* The limit of nx_wire_decode must stay far above what real files need. */
	assert_true(arena.used_bytes < 32 * head);
	nx_vec_release(&again);
	nx_arena_release(&arena);
	arena = (struct nx_arena){0};
	nx_file_unmap(&file);
	real_count++;
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)info;
	(void)place;
	if (type == FTW_F && nx_slice_ends(nx_slice_text(path), ".ntff"))
		check_real(path);
	return 0;
}

static void test_real_captures_survive_unchanged(void **state)
{
	(void)state;
	if (nftw(NX_TEST_DATA, visit, 16, FTW_PHYS) != 0 || real_count == 0) {
		/* not skip(): cmocka calls that "not ok", which counts as a failure */
		print_message("# skipped: no real captures in %s\n", NX_TEST_DATA);
		return;
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bad_headers_are_explained),
		TEST(test_what_is_no_message_is_refused),
		TEST(test_version_6_blobs),
		TEST(test_cut_at_every_length),
		TEST(test_blob_extents_are_clamped),
		TEST(test_every_blob_list_is_checked),
		TEST(test_version_4_inline_code),
		TEST(test_write_head),
		TEST(test_real_captures_survive_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
