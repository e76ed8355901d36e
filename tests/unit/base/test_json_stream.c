/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/json_stream.h"
#include "base/vec.h"

/* Hands a text out in pieces that lie in memory of their own, so that ASan sees a stale borrow. */
struct source {
	struct nx_slice text;
	size_t at;
	size_t step; /* bytes per piece */
	struct nx_bytes piece;
	bool gives_empty;
};

static bool next_piece(void *context, struct nx_slice *piece)
{
	struct source *s = context;
	struct nx_slice part = nx_slice_part(s->text, s->at, s->step);

	s->gives_empty = !s->gives_empty;
	if (s->gives_empty) {
		*piece = (struct nx_slice){0};
		return true;
	}
	nx_vec_release(&s->piece);
	nx_bytes_append(&s->piece, part.data, part.len);
	s->at += part.len;
	*piece = nx_slice_of(s->piece.items, part.len);
	return part.len > 0;
}

static const char *const letters = "!?.{}[]KTNW"; /* in the order of enum nx_json_token */

/* Tokens as letters and texts: `{"a":[1,true]}` is `{Ka[N1Wtrue]}.`; '!' is cut, '?' broken. */
static const char *tokens_of(struct nx_slice text, size_t step)
{
	static char out[1024];
	static struct nx_json_stream stream;
	struct source source = {.text = text, .step = step};
	enum nx_json_token token;
	size_t used = 0;

	nx_json_stream_init(&stream, next_piece, &source);
	do {
		token = nx_json_stream_next(&stream);
		used += (size_t)snprintf(out + used, sizeof(out) - used, "%c", letters[token]);
		if (token >= NX_TOKEN_KEY)
			used += (size_t)snprintf(out + used, sizeof(out) - used, "%.*s",
						 (int)stream.text.len,
						 (const char *)stream.text.data);
		assert_true(used < sizeof(out));
	} while (token > NX_TOKEN_DONE);
	assert_int_equal(nx_json_stream_next(&stream), token);
	nx_vec_release(&source.piece);
	return out;
}

/* Where the pieces end must not matter. */
static void check(const char *text, const char *expected)
{
	for (size_t step = 1; step <= strlen(text) + 1; step++)
		assert_string_equal(tokens_of(nx_slice_text(text), step), expected);
}

static void test_values(void **state)
{
	(void)state;
	check("{\"a\":[1,true,null,\"x\"],\"b\":{}}", "{Ka[N1WtrueWnullTx]Kb{}}.");
	check(" [ ] ", "[].");
	check("\r\n\t{ \"a\" : -1.5e+3 , \"b\" : [ [ ] , { } ] }\n", "{KaN-1.5e+3Kb[[]{}]}.");
	check("12", "N12.");
	check("\"\"", "T.");
	check("false", "Wfalse.");
}

static void test_what_hand_written_json_gets_wrong(void **state)
{
	(void)state;
	check("[1,]", "[N1].");
	check("{\"a\":1,}", "{KaN1}.");
	check("[NaN,Infinity,-Infinity,nan,inf]", "[WNaNWInfinityN-InfinityWnanWinf].");
	check("[\"a\nb\tc\"]", "[Ta\nb\tc].");
	check("[\"C:\\path\"]", "[TC:path].");
}

static void test_broken(void **state)
{
	(void)state;
	check("{\"a\" 1}", "{Ka?");
	check("{1:2}", "{?");
	check("[1 2]", "[N1?");
	check("[1,,2]", "[N1?");
	check("[}", "[?");
	check("{]", "{?");
	check("{\"a\":}", "{Ka?");
	check("{\"a\":]", "{Ka?");
	check("]", "?");
	check(",", "?");
	check("[truth]", "[?");
	check("[+1]", "[?");
	check("[.5]", "[?");
	check("{} x", "{}?");
	check("{} {}", "{}?");
	check("1,2", "N1?");
	check("\x1f\x8b", "?");
}

static void test_cut(void **state)
{
	(void)state;
	check("", "!");
	check("  ", "!");
	check("[", "[!");
	check("[1", "[!");
	check("[1,", "[N1!");
	check("[tru", "[!");
	check("{\"a", "{!");
	check("{\"a\"", "{Ka!");
	check("{\"a\":", "{Ka!");
	check("\"\\", "!");
	check("\"\\u12", "!");
	/* Outside of everything a number has no end mark. */
	check("-", "N-.");
}

static void test_escapes(void **state)
{
	(void)state;
	check("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[T\"\\/\b\f\n\r\t].");
	check("[\"\\u0041\\u00e9\\u20AC\"]", "[TA\xc3\xa9\xe2\x82\xac].");
	check("[\"\\ud83d\\ude00!\"]", "[T\xf0\x9f\x98\x80!].");
	check("[\"\xc3\xa9\xf0\x9f\x98\x80\"]", "[T\xc3\xa9\xf0\x9f\x98\x80].");
	check("{\"n\\u0061me\":1}", "{KnameN1}.");
}

static void test_escapes_that_mean_nothing(void **state)
{
	(void)state;
	/* Half a pair, at the end, before text, before an escape, twice, the wrong way round. */
	check("[\"\\ud83d\"]", "[T\xef\xbf\xbd].");
	check("[\"\\ud83dx\"]", "[T\xef\xbf\xbdx].");
	check("[\"\\ud83d\\n\"]", "[T\xef\xbf\xbd\n].");
	check("[\"\\ud83d\\ud83d\\ude00\"]", "[T\xef\xbf\xbd\xf0\x9f\x98\x80].");
	check("[\"\\ude00\\ud83d\"]", "[T\xef\xbf\xbd\xef\xbf\xbd].");
	check("[\"\\u12zz\"]", "[T\xef\xbf\xbdzz].");
	check("[\"\\u\"]", "[T\xef\xbf\xbd].");
}

/* Reads `["<text>"]` and returns its length after the cut. */
static size_t kept_length(const struct nx_bytes *text, size_t step, bool *is_short)
{
	static struct nx_json_stream stream;
	struct source source = {.text = nx_slice_of(text->items, text->len), .step = step};
	size_t len;

	nx_json_stream_init(&stream, next_piece, &source);
	assert_int_equal(nx_json_stream_next(&stream), NX_TOKEN_ARRAY);
	assert_int_equal(nx_json_stream_next(&stream), NX_TOKEN_TEXT);
	len = stream.text.len;
	*is_short = stream.text_is_short;
	assert_memory_equal(stream.text.data, text->items + 2, len);
	assert_int_equal(nx_json_stream_next(&stream), NX_TOKEN_ARRAY_END);
	assert_int_equal(nx_json_stream_next(&stream), NX_TOKEN_DONE);
	nx_vec_release(&source.piece);
	return len;
}

static void check_kept(size_t letter_count, const char *tail, size_t expected, bool is_short)
{
	struct nx_bytes text = {0};
	static const size_t steps[] = {1, 7, 1000, 4096, SIZE_MAX};

	nx_bytes_append(&text, "[\"", 2);
	for (size_t i = 0; i < letter_count; i++)
		nx_bytes_append(&text, "x", 1);
	nx_bytes_append(&text, tail, strlen(tail));
	nx_bytes_append(&text, "\"]", 2);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		bool short_now;

		assert_int_equal(kept_length(&text, steps[i], &short_now), expected);
		assert_int_equal(short_now, is_short);
	}
	nx_vec_release(&text);
}

static void test_long_texts_are_cut_between_characters(void **state)
{
	(void)state;
	check_kept(4096, "", 4096, false);
	check_kept(4096, "y", 4096, true);
	check_kept(1000000, "", 4096, true);
	check_kept(4094, "\xc3\xa9", 4096, false);
	check_kept(4095, "\xc3\xa9z", 4095, true);
	check_kept(4093, "\xe2\x82\xac", 4096, false);
	check_kept(4094, "\xe2\x82\xacz", 4094, true);
	check_kept(4093, "\xf0\x9f\x98\x80", 4093, true);
	/* No UTF-8 at all: nothing to respect. */
	check_kept(4092, "\x80\x80\x80\x80\x80", 4096, true);
}

/* A short letter behind a character that did not fit must not slip in. */
static void test_an_escape_that_does_not_fit_ends_the_text(void **state)
{
	struct nx_bytes text = {0};
	static struct nx_json_stream stream;
	struct source source = {.step = SIZE_MAX};

	(void)state;
	nx_bytes_append(&text, "\"", 1);
	for (int i = 0; i < 4095; i++)
		nx_bytes_append(&text, "x", 1);
	nx_bytes_append(&text, "\\u00e9z\"", 8);
	source.text = nx_slice_of(text.items, text.len);
	nx_json_stream_init(&stream, next_piece, &source);
	assert_int_equal(nx_json_stream_next(&stream), NX_TOKEN_TEXT);
	assert_int_equal(stream.text.len, 4095);
	assert_true(stream.text_is_short);
	assert_int_equal(nx_json_stream_next(&stream), NX_TOKEN_DONE);
	nx_vec_release(&source.piece);
	nx_vec_release(&text);
}

static void test_depth(void **state)
{
	char text[2 * 65 + 1];
	char expected[2 * 65 + 2];

	(void)state;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	text[128] = '\0';
	snprintf(expected, sizeof(expected), "%s.", text);
	check(text, expected);
	memset(text, '[', 65);
	text[65] = '\0';
	memset(expected, '[', 64);
	snprintf(expected + 64, sizeof(expected) - 64, "?");
	check(text, expected);
	memset(text, '[', 64);
	memcpy(text + 63, "{]", 3);
	memset(expected, '[', 63);
	memcpy(expected + 63, "{?", 3);
	check(text, expected);
}

/* Skips the value of "skip" and returns the tokens of the rest. */
static const char *tokens_without(const char *text, size_t step)
{
	static char out[256];
	static struct nx_json_stream stream;
	struct source source = {.text = nx_slice_text(text), .step = step};
	enum nx_json_token token;
	size_t used = 0;

	nx_json_stream_init(&stream, next_piece, &source);
	do {
		token = nx_json_stream_next(&stream);
		used += (size_t)snprintf(out + used, sizeof(out) - used, "%c", letters[token]);
		if (token == NX_TOKEN_KEY && nx_slice_is(stream.text, "skip"))
			nx_json_stream_skip(&stream);
	} while (token > NX_TOKEN_DONE && used < sizeof(out) - 1);
	nx_vec_release(&source.piece);
	return out;
}

static void check_skip(const char *text, const char *expected)
{
	for (size_t step = 1; step <= strlen(text) + 1; step++)
		assert_string_equal(tokens_without(text, step), expected);
}

static void test_skipping(void **state)
{
	(void)state;
	check_skip("{\"skip\":1,\"b\":2}", "{KKN}.");
	check_skip("{\"skip\":\"]}\\\"]}\",\"b\":2}", "{KKN}.");
	check_skip("{\"skip\":{\"a\":[\"]}\\\"{[\\\\\",{}]} ,\"b\":[]}", "{KK[]}.");
	check_skip("{\"skip\":[[[[1,2],{\"a\nb\":3}]]]}", "{K}.");
	check_skip("{\"skip\":[1,2", "{K!");
	check_skip("{\"skip\":[\"a", "{K!");
	check_skip("{\"skip\":[\"a\\", "{K!");
	check_skip("{\"skip\"", "{K!");
	check_skip("{\"skip\":}", "{K?");
	check_skip("[{\"skip\":[]},{\"skip\":{}}]", "[{K}{K}].");
}

static void test_skipping_has_no_depth(void **state)
{
	static const char head[] = "{\"skip\":", tail[] = ",\"b\":1}";
	struct nx_bytes text = {0};

	(void)state;
	nx_bytes_append(&text, head, strlen(head));
	for (int i = 0; i < 100000; i++)
		nx_bytes_append(&text, "[", 1);
	for (int i = 0; i < 100000; i++)
		nx_bytes_append(&text, "]", 1);
	nx_bytes_append(&text, tail, sizeof(tail));
	assert_string_equal(tokens_without((char *)text.items, 1000), "{KKN}.");
	nx_vec_release(&text);
}

static void test_offsets(void **state)
{
	static const uint64_t expected[] = {0, 2, 7, 9, 12, 14, 15};
	static struct nx_json_stream stream;
	struct source source = {.text = nx_slice_text("{ \"a\": [ 1, \"\"]}"), .step = 3};

	(void)state;
	nx_json_stream_init(&stream, next_piece, &source);
	for (size_t i = 0; i < 7; i++) {
		nx_json_stream_next(&stream);
		assert_int_equal(stream.token_at, expected[i]);
		assert_int_equal(stream.depth, i < 2 ? 1 : i < 5 ? 2 : i < 6 ? 1 : 0);
	}
	assert_int_equal(nx_json_stream_offset(&stream), 16);
	nx_vec_release(&source.piece);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_what_hand_written_json_gets_wrong),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_escapes_that_mean_nothing),
		cmocka_unit_test(test_long_texts_are_cut_between_characters),
		cmocka_unit_test(test_an_escape_that_does_not_fit_ends_the_text),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_skipping),
		cmocka_unit_test(test_skipping_has_no_depth),
		cmocka_unit_test(test_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
