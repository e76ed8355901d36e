/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <zlib.h>

#include "base/vec.h"
#include "format/gzip_stream.h"

static void pack(struct nx_bytes *out, const void *text, size_t len)
{
	uLong room = compressBound((uLong)len) + 64;
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	nx_vec_reserve(out, out->len + room);
	z.next_in = (z_const Bytef *)text;
	z.avail_in = (uInt)len;
	z.next_out = out->items + out->len;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += room - z.avail_out;
	deflateEnd(&z);
}

/* Unpacks all of it; the largest piece tells whether memory was bounded. */
static struct nx_gzip_stream unpack(struct nx_slice packed, struct nx_bytes *out, size_t *largest)
{
	struct nx_gzip_stream stream, seen;
	struct nx_slice piece;

	*largest = 0;
	out->len = 0;
	nx_gzip_stream_open(&stream, packed);
	while (nx_gzip_stream_next(&stream, &piece)) {
		assert_true(piece.len > 0);
		nx_bytes_append(out, piece.data, piece.len);
		if (piece.len > *largest)
			*largest = piece.len;
	}
	assert_false(nx_gzip_stream_next(&stream, &piece));
	assert_int_equal(piece.len, 0);
	seen = stream;
	nx_gzip_stream_close(&stream);
	return seen;
}

static void test_plain_bytes_pass_through(void **state)
{
	struct nx_bytes out = {0};
	struct nx_gzip_stream seen;
	size_t largest;

	(void)state;
	seen = unpack(nx_slice_text("{\"a\":1}"), &out, &largest);
	assert_int_equal(out.len, 7);
	assert_memory_equal(out.items, "{\"a\":1}", 7);
	assert_false(seen.is_cut || seen.is_damaged);
	seen = unpack((struct nx_slice){0}, &out, &largest);
	assert_int_equal(out.len, 0);
	assert_false(seen.is_cut || seen.is_damaged);
	/* One byte of the magic number is not gzip yet. */
	unpack(nx_slice_of("\x1f", 1), &out, &largest);
	assert_int_equal(out.len, 1);
	nx_vec_release(&out);
}

static void test_joined_files_and_padding(void **state)
{
	struct nx_bytes packed = {0}, out = {0};
	struct nx_gzip_stream seen;
	size_t largest;

	(void)state;
	pack(&packed, "one,", 4);
	pack(&packed, "", 0);
	pack(&packed, "two", 3);
	nx_bytes_append_zeros(&packed, 100);
	seen = unpack(nx_slice_of(packed.items, packed.len), &out, &largest);
	assert_int_equal(out.len, 7);
	assert_memory_equal(out.items, "one,two", 7);
	assert_false(seen.is_cut || seen.is_damaged);
	nx_vec_release(&packed);
	nx_vec_release(&out);
}

static void test_large_text_comes_in_bounded_pieces(void **state)
{
	size_t len = 3 * NX_GZIP_PIECE_BYTES + 17;
	struct nx_bytes text = {0}, packed = {0}, out = {0};
	struct nx_gzip_stream seen;
	size_t largest;

	(void)state;
	nx_bytes_append_zeros(&text, len);
	for (size_t i = 0; i < len; i++)
		text.items[i] = (uint8_t)(i * i >> 7);
	pack(&packed, text.items, len);
	seen = unpack(nx_slice_of(packed.items, packed.len), &out, &largest);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.items, text.items, len);
	assert_int_equal(largest, NX_GZIP_PIECE_BYTES);
	assert_false(seen.is_cut || seen.is_damaged);
	nx_vec_release(&text);
	nx_vec_release(&packed);
	nx_vec_release(&out);
}

static void test_cut_anywhere_keeps_what_came_before(void **state)
{
	static const char text[] = "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"aten::add\"}]}";
	struct nx_bytes packed = {0}, out = {0};
	size_t largest, before = 0;

	(void)state;
	pack(&packed, text, sizeof(text) - 1);
	for (size_t cut = 2; cut < packed.len; cut++) {
		struct nx_gzip_stream seen = unpack(nx_slice_of(packed.items, cut), &out, &largest);

		assert_true(seen.is_cut);
		assert_false(seen.is_damaged);
		assert_true(out.len >= before && out.len <= sizeof(text) - 1);
		assert_memory_equal(out.items ? (char *)out.items : "", text, out.len);
		before = out.len;
	}
	/* Only the checksum and the length (8 bytes) were missing at the end. */
	assert_int_equal(before, sizeof(text) - 1);
	nx_vec_release(&packed);
	nx_vec_release(&out);
}

static void test_damage_is_told(void **state)
{
	struct nx_bytes packed = {0}, out = {0};
	struct nx_gzip_stream seen;
	size_t largest;

	(void)state;
	pack(&packed, "some text", 9);
	assert_non_null(packed.items);
	if (packed.items) /* the analyser does not know that assert ends the test */
		packed.items[packed.len - 8] ^= 1;
	seen = unpack(nx_slice_of(packed.items, packed.len), &out, &largest);
	assert_int_equal(out.len, 9);
	assert_true(seen.is_damaged);
	assert_false(seen.is_cut);
	seen = unpack(nx_slice_of("\x1f\x8b no gzip at all", 18), &out, &largest);
	assert_int_equal(out.len, 0);
	assert_true(seen.is_damaged);
	nx_vec_release(&packed);
	nx_vec_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_bytes_pass_through),
		cmocka_unit_test(test_joined_files_and_padding),
		cmocka_unit_test(test_large_text_comes_in_bounded_pieces),
		cmocka_unit_test(test_cut_anywhere_keeps_what_came_before),
		cmocka_unit_test(test_damage_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
