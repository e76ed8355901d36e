/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static struct nx_bytes bytes;
static struct nx_json_writer w;

static int begin_compact(void **state)
{
	(void)state;
	nx_json_init_bytes(&w, &bytes, false);
	return 0;
}

static int begin_pretty(void **state)
{
	(void)state;
	nx_json_init_bytes(&w, &bytes, true);
	return 0;
}

static int release(void **state)
{
	(void)state;
	nx_vec_release(&bytes);
	return 0;
}

static void assert_written(const char *expected)
{
	nx_bytes_append(&bytes, "", 1);
	assert_string_equal((char *)bytes.items, expected);
}

static void write_sample(void)
{
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "t", "x");
	nx_json_key_u64(&w, "u", UINT64_MAX);
	nx_json_key_i64(&w, "i", -3);
	nx_json_key_f64(&w, "d", 0.25);
	nx_json_key_f32(&w, "f", 0.1f);
	nx_json_key_bool(&w, "b", true);
	nx_json_key(&w, "a");
	nx_json_begin_array(&w);
	nx_json_null(&w);
	nx_json_bool(&w, false);
	nx_json_begin_object(&w);
	nx_json_end_object(&w);
	nx_json_begin_array(&w);
	nx_json_end_array(&w);
	nx_json_f64(&w, NAN);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
}

static void compact_form(void **state)
{
	(void)state;
	write_sample();
	assert_written("{\"t\":\"x\",\"u\":18446744073709551615,\"i\":-3,\"d\":0.25,\"f\":0.1,"
		       "\"b\":true,\"a\":[null,false,{},[],null]}");
}

static void pretty_form(void **state)
{
	(void)state;
	write_sample();
	assert_written("{\n  \"t\": \"x\",\n  \"u\": 18446744073709551615,\n  \"i\": -3,\n"
		       "  \"d\": 0.25,\n  \"f\": 0.1,\n  \"b\": true,\n  \"a\": [\n    null,\n"
		       "    false,\n    {},\n    [],\n    null\n  ]\n}");
}

static void single_value_has_no_frame(void **state)
{
	(void)state;
	nx_json_u64(&w, 7);
	assert_written("7");
}

static void text_is_escaped(void **state)
{
	(void)state;
	nx_json_text(&w, "a\"b\\c\b\f\n\r\t\x01\x1f\x7f/<>&\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_written("\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\\u001f\x7f/<>&\xc3\xa9\xe2\x82\xac"
		       "\xf0\x9f\x98\x80\"");
}

static void keys_are_escaped(void **state)
{
	(void)state;
	nx_json_begin_object(&w);
	nx_json_key_u64(&w, "a\"\n", 1);
	nx_json_end_object(&w);
	assert_written("{\"a\\\"\\n\":1}");
}

static void slices_may_hold_nul_and_nothing(void **state)
{
	(void)state;
	nx_json_begin_array(&w);
	nx_json_slice(&w, nx_slice_of("a\0b", 3));
	nx_json_slice(&w, nx_slice_of(NULL, 0));
	nx_json_end_array(&w);
	assert_written("[\"a\\u0000b\",\"\"]");
}

#define BAD "\xef\xbf\xbd"

static void bytes_that_are_not_utf8_are_replaced(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{"\x80", BAD},
		{"a\xff"
		 "b",
		 "a" BAD "b"},
		{"\xc3", BAD},
		{"\xc0\x80", BAD BAD}, /* overlong */
		{"\xc1\xbf", BAD BAD},
		{"\xe0\x9f\xbf", BAD BAD BAD}, /* overlong */
		{"\xe0\xa0\x80", "\xe0\xa0\x80"},
		{"\xed\x9f\xbf", "\xed\x9f\xbf"},
		{"\xed\xa0\x80", BAD BAD BAD},	       /* surrogate */
		{"\xf0\x8f\xbf\xbf", BAD BAD BAD BAD}, /* overlong */
		{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
		{"\xf4\x90\x80\x80", BAD BAD BAD BAD}, /* above U+10FFFF */
		{"\xf5\x80\x80\x80", BAD BAD BAD BAD},
		{"\xe2\x82", BAD BAD}, /* cut off */
		{"\xf0\x9f\x98", BAD BAD BAD},
		{"\xe2\"", BAD "\\\""},
	};
	char expected[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t *copy = nx_heap_alloc(strlen(cases[i].text));

		memcpy(copy, cases[i].text, strlen(cases[i].text));
		nx_vec_clear(&bytes);
		nx_json_slice(&w, nx_slice_of(copy, strlen(cases[i].text)));
		nx_heap_free(copy);
		strcpy(expected, "\"");
		strcat(expected, cases[i].expected);
		strcat(expected, "\"");
		assert_written(expected);
	}
}

/* Long texts are escaped in pieces; a character must survive on every seam. */
static void long_texts_read_back(void **state)
{
	struct nx_arena arena = {0};
	struct nx_json *root;

	(void)state;
	for (size_t shift = 0; shift < 8; shift++) {
		struct nx_bytes text = {0};

		nx_bytes_append(&text, "abcdefgh", shift);
		while (text.len < 20000)
			nx_bytes_append(&text, "\xf0\x9f\x98\x80\x01\"z", 7);
		nx_vec_clear(&bytes);
		nx_json_slice(&w, nx_slice_of(text.items, text.len));
		assert_int_equal(nx_json_parse(nx_slice_of(bytes.items, bytes.len), &arena, &root,
					       NULL),
				 NX_OK);
		assert_int_equal(root->text.len, text.len);
		assert_memory_equal(root->text.data, text.items, text.len);
		nx_vec_release(&text);
	}
	nx_arena_release(&arena);
}

static void raw_members_join_the_open_object(void **state)
{
	(void)state;
	nx_json_begin_array(&w);
	nx_json_begin_object(&w);
	nx_json_raw_members(&w, nx_slice_text("\"a\":1,\"b\":2"));
	nx_json_raw_members(&w, nx_slice_text(""));
	nx_json_key_u64(&w, "c", 3);
	nx_json_raw_members(&w, nx_slice_text("\"d\":4"));
	nx_json_end_object(&w);
	nx_json_begin_object(&w);
	nx_json_raw_members(&w, nx_slice_text(""));
	nx_json_end_object(&w);
	nx_json_end_array(&w);
	assert_written("[{\"a\":1,\"b\":2,\"c\":3,\"d\":4},{}]");
}

static void deepest_nesting_fits(void **state)
{
	(void)state;
	for (int i = 0; i < NX_JSON_MAX_DEPTH; i++)
		nx_json_begin_array(&w);
	nx_json_u64(&w, 1);
	for (int i = 0; i < NX_JSON_MAX_DEPTH; i++)
		nx_json_end_array(&w);
	/* each line: indent and bracket; two brackets per level, one value in the middle */
	assert_int_equal(bytes.len, 2 * (NX_JSON_MAX_DEPTH - 1) * NX_JSON_MAX_DEPTH +
					    2 * NX_JSON_MAX_DEPTH + 2 * NX_JSON_MAX_DEPTH +
					    2 * NX_JSON_MAX_DEPTH + 1);
}

static void output_and_buffer_get_the_same_text(void **state)
{
	struct nx_json_writer to_file;
	struct nx_output out;
	struct nx_file file;
	char path[] = "/tmp/nx-test-json-XXXXXX";

	(void)state;
	close(mkstemp(path));
	assert_int_equal(nx_output_open(&out, path, NULL), NX_OK);
	nx_json_init_output(&to_file, &out, false);
	nx_json_begin_array(&w);
	nx_json_begin_array(&to_file);
	/* several times the buffer of an output */
	for (uint64_t i = 0; i < 300000; i++) {
		nx_json_u64(&w, i);
		nx_json_u64(&to_file, i);
		nx_json_text(&w, "text\n");
		nx_json_text(&to_file, "text\n");
	}
	nx_json_end_array(&w);
	nx_json_end_array(&to_file);
	assert_int_equal(out.written_bytes, bytes.len);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	unlink(path);
	assert_int_equal(file.bytes.len, bytes.len);
	assert_memory_equal(file.bytes.data, bytes.items, bytes.len);
	nx_file_unmap(&file);
}

static void digits_are_written_as_they_are(void **state)
{
	(void)state;
	nx_json_begin_array(&w);
	nx_json_digits(&w, nx_slice_text("170141183460469231731687303715884105727"));
	nx_json_digits(&w, nx_slice_text("-0.50"));
	nx_json_end_array(&w);
	assert_written("[170141183460469231731687303715884105727,-0.50]");
}

static void failure_of_the_output_surfaces_at_commit(void **state)
{
	struct nx_json_writer to_file;
	struct nx_output out;

	(void)state;
	assert_int_equal(nx_output_open(&out, "/dev/full", NULL), NX_OK);
	nx_json_init_output(&to_file, &out, true);
	nx_json_begin_array(&to_file);
	for (uint64_t i = 0; i < 400000; i++)
		nx_json_u64(&to_file, i);
	nx_json_end_array(&to_file);
	assert_int_equal(nx_output_commit(&out, NULL), NX_NO_SPACE);
}

int main(void)
{
#define COMPACT(test) cmocka_unit_test_setup_teardown(test, begin_compact, release)
#define PRETTY(test) cmocka_unit_test_setup_teardown(test, begin_pretty, release)
	const struct CMUnitTest tests[] = {
		COMPACT(compact_form),
		PRETTY(pretty_form),
		COMPACT(single_value_has_no_frame),
		PRETTY(single_value_has_no_frame),
		COMPACT(text_is_escaped),
		COMPACT(keys_are_escaped),
		COMPACT(slices_may_hold_nul_and_nothing),
		COMPACT(bytes_that_are_not_utf8_are_replaced),
		COMPACT(long_texts_read_back),
		COMPACT(raw_members_join_the_open_object),
		PRETTY(deepest_nesting_fits),
		COMPACT(output_and_buffer_get_the_same_text),
		COMPACT(digits_are_written_as_they_are),
		COMPACT(failure_of_the_output_surfaces_at_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
