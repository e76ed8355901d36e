/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "base/vec.h"
#include <stdlib.h>

static struct nx_arena arena;
static struct nx_error err;

/* Parses an exact-size heap copy, so that a read past the end is caught. */
static const struct nx_json *parse_bytes(const void *text, size_t len)
{
	uint8_t *copy = nx_heap_alloc(len);
	struct nx_json *root = NULL;
	enum nx_status status;

	if (len)
		memcpy(copy, text, len);
	status = nx_json_parse(nx_slice_of(copy, len), &arena, &root, &err);
	assert_int_equal(status == NX_OK, root != NULL);
	if (status) {
		assert_int_equal(status, NX_FORMAT);
		nx_heap_free(copy);
		return NULL;
	}
	/* Texts borrow from the input: parse what lives as long as the arena. */
	nx_heap_free(copy);
	status = nx_json_parse(nx_slice_of(nx_arena_copy(&arena, nx_slice_of(text, len)), len),
			       &arena, &root, &err);
	assert_int_equal(status, NX_OK);
	return root;
}

static const struct nx_json *parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static int release(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	return 0;
}

static void assert_text(const struct nx_json *value, const char *expected)
{
	assert_non_null(value);
	assert_int_equal(value->kind, NX_JSON_TEXT);
	assert_true(nx_slice_is(value->text, expected));
}

static void every_kind_is_told_apart(void **state)
{
	const struct nx_json *root =
		parse(" { \"n\" : null, \"t\":true,\"f\":false , \"i\":-12, \"x\":1.5e+3,"
		      "\"s\":\"abc\", \"a\":[1,[],{}], \"o\":{\"k\":0} } \n\t\r");
	const struct nx_json *array;

	(void)state;
	assert_non_null(root);
	assert_int_equal(root->kind, NX_JSON_OBJECT);
	assert_int_equal(root->count, 8);
	assert_int_equal(nx_json_get(root, "n")->kind, NX_JSON_NULL);
	assert_int_equal(nx_json_get(root, "t")->kind, NX_JSON_BOOL);
	assert_true(nx_slice_is(nx_json_get(root, "t")->text, "true"));
	assert_true(nx_slice_is(nx_json_get(root, "f")->text, "false"));
	assert_true(nx_slice_is(nx_json_get(root, "i")->text, "-12"));
	assert_true(nx_slice_is(nx_json_get(root, "x")->text, "1.5e+3"));
	assert_text(nx_json_get(root, "s"), "abc");
	array = nx_json_get(root, "a");
	assert_int_equal(array->kind, NX_JSON_ARRAY);
	assert_int_equal(array->count, 3);
	assert_int_equal(array->children[1].kind, NX_JSON_ARRAY);
	assert_int_equal(array->children[1].count, 0);
	assert_int_equal(array->children[2].kind, NX_JSON_OBJECT);
	assert_int_equal(nx_json_get(root, "o")->children[0].key.len, 1);
}

static void single_values_are_texts_too(void **state)
{
	(void)state;
	assert_int_equal(parse("null")->kind, NX_JSON_NULL);
	assert_int_equal(parse("0")->kind, NX_JSON_NUMBER);
	assert_text(parse("\"\""), "");
	assert_int_equal(parse("[ ]")->count, 0);
}

static void brackets_and_commas_inside_strings_do_not_count(void **state)
{
	const struct nx_json *root = parse("[\"a,[]{}\\\"],\", {\"k,[\":\"\\\\\"}, 3]");

	(void)state;
	assert_non_null(root);
	assert_int_equal(root->count, 3);
	assert_text(&root->children[0], "a,[]{}\"],");
	assert_true(nx_slice_is(root->children[1].children[0].key, "k,["));
	assert_text(&root->children[1].children[0], "\\");
}

static void plain_texts_are_borrowed(void **state)
{
	static const char input[] = "\"plain\"";
	struct nx_json *root;

	(void)state;
	assert_int_equal(nx_json_parse(nx_slice_text(input), &arena, &root, NULL), NX_OK);
	assert_ptr_equal(root->text.data, input + 1);
}

static void escapes_are_decoded(void **state)
{
	(void)state;
	assert_text(parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "\"\\/\b\f\n\r\t");
	assert_text(parse("\"x\\u0041\\u00e9\\u20AC y\""), "xA\xc3\xa9\xe2\x82\xac y");
	assert_text(parse("\"\\ud83d\\ude00\""), "\xf0\x9f\x98\x80");
	assert_text(parse("\"\\ud83d\""), "\xef\xbf\xbd");
	assert_text(parse("\"\\ud83dx\""), "\xef\xbf\xbdx");
	assert_text(parse("\"\\ude00\\ud83d\""), "\xef\xbf\xbd\xef\xbf\xbd");
	assert_text(parse("\"\\ud83d\\u0041\""), "\xef\xbf\xbd"
						 "A");
	assert_int_equal(parse("\"a\\u0000b\"")->text.len, 3);
	assert_true(nx_slice_is(parse("{\"\\u006bey\":1}")->children[0].key, "key"));
	assert_text(parse("\"\xe2\x82\xac\""), "\xe2\x82\xac");
}

static void damaged_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",	   " ",		"{",	      "[",	    "]",
		"}",	   ",",		"[}",	      "{]",	    "[1",
		"[1,",	   "[1,]",	"[,1]",	      "[1 2]",	    "[,]",
		"{\"a\"}", "{\"a\":}",	"{\"a\":1,}", "{a:1}",	    "{\"a\" 1}",
		"{1:1}",   "{\"a\":1",	"{\"a\"",     "\"",	    "\"abc",
		"\"\\",	   "\"\\\"",	"\"\\x\"",    "\"\\u12\"",  "\"\\u12g4\"",
		"\"\n\"",  "tru",	"nul",	      "nulll",	    "True",
		"NaN",	   "Infinity",	"-",	      "+1",	    "01",
		"1.",	   ".5",	"1e",	      "1e+",	    "--1",
		"0x10",	   "1 2",	"[] []",      "[1]]",	    "{}}",
		"'a'",	   "[\"a\":1]", "{\"a\",1}",  "/**/1",	    "\xef\xbb\xbf[]",
		"[{]}",	   "{[}]",	"[\"]",	      "[[],[],[[]", "{\"a\":[}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (parse(texts[i]))
			fail_msg("accepted: %s", texts[i]);
	}
	assert_null(parse_bytes("\"\0\"", 3));
	assert_null(parse_bytes("1\0", 2));
}

static void place_of_the_damage_is_told(void **state)
{
	(void)state;
	assert_null(parse("{\n  \"a\": 1,\n  \"b\" 2\n}"));
	assert_string_equal(err.message, "invalid JSON at line 3, column 7: a ':' was expected "
					 "behind the name of a member");
	assert_null(parse("[1,"));
	assert_string_equal(err.message,
			    "invalid JSON at line 1, column 4: the text ends too early");
	assert_null(parse("[1] x"));
	assert_string_equal(err.message, "invalid JSON at line 1, column 5: more text follows "
					 "behind the end of the value");
	assert_null(parse("\"ab\\q\""));
	assert_non_null(strstr(err.message, "line 1, column 4: "));
}

static void depth_is_limited(void **state)
{
	char text[2 * 129];

	(void)state;
	memset(text, '[', 128);
	memset(text + 128, ']', 128);
	assert_non_null(parse_bytes(text, 256));
	memset(text, '[', 129);
	memset(text + 129, ']', 129);
	assert_null(parse_bytes(text, 258));
	assert_non_null(strstr(err.message, "column 129: values are nested more than 128 deep"));
}

static void very_deep_text_costs_no_stack(void **state)
{
	size_t len = 1 << 20;
	char *text = nx_arena_alloc(&arena, len);

	(void)state;
	memset(text, '[', len);
	assert_null(parse_bytes(text, len));
}

/* Every prefix and every one-byte damage of a rich text: no crash, status and root agree. */
static void any_damage_is_survived(void **state)
{
	static const char rich[] = "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\",true,null],\"b\":{\"c\":{}}}";
	static const char damage[] = "\"\\[]{},:0-e.u \n\x01\xff";
	size_t len = strlen(rich);
	char text[sizeof(rich)];

	(void)state;
	assert_non_null(parse(rich));
	for (size_t i = 0; i < len; i++) {
		assert_null(parse_bytes(rich, i));
		for (size_t d = 0; d < sizeof(damage); d++) {
			memcpy(text, rich, sizeof(rich));
			text[i] = damage[d];
			parse_bytes(text, len);
		}
	}
}

static void memory_stays_proportional_to_the_input(void **state)
{
	struct nx_bytes text = {0};
	size_t before;

	(void)state;
	nx_bytes_append(&text, "[", 1);
	for (int i = 0; i < 100000; i++)
		nx_bytes_append(&text, "0,", 2);
	nx_bytes_append(&text, "0]", 2);
	before = arena.used_bytes;
	assert_int_equal(parse_bytes(text.items, text.len)->count, 100001);
	assert_true(arena.used_bytes - before < 64 * text.len);
	nx_vec_release(&text);
}

int main(void)
{
#define T(test) cmocka_unit_test_teardown(test, release)
	const struct CMUnitTest tests[] = {
		T(every_kind_is_told_apart),
		T(single_values_are_texts_too),
		T(brackets_and_commas_inside_strings_do_not_count),
		T(plain_texts_are_borrowed),
		T(escapes_are_decoded),
		T(damaged_texts_are_refused),
		T(place_of_the_damage_is_told),
		T(depth_is_limited),
		T(very_deep_text_costs_no_stack),
		T(any_damage_is_survived),
		T(memory_stays_proportional_to_the_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
