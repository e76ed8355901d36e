/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "decode/neff/neff_source.h"
#include "tests/unit/decode/neff/neff_fixture.h"

static void test_numbers(void **state)
{
	uint32_t value = 7;

	(void)state;
	assert_true(nx_neff_parse_u32(nx_slice_text("4294967295"), &value));
	assert_int_equal(value, UINT32_MAX);
	assert_true(nx_neff_parse_u32(nx_slice_text("0044"), &value));
	assert_int_equal(value, 44);
	assert_false(nx_neff_parse_u32(nx_slice_text("4294967296"), &value));
	assert_false(nx_neff_parse_u32(nx_slice_text(""), &value));
	assert_false(nx_neff_parse_u32(nx_slice_text("-1"), &value));
	assert_false(nx_neff_parse_u32(nx_slice_text("99999999999999999999999"), &value));
	assert_int_equal(nx_neff_u32(NULL, 5), 5);
}

static void test_interned_texts_are_one(void **state)
{
	struct nx_neff_fixture *f = *state;
	struct nx_neff_source source;
	char text[] = "qSPIO0";
	const char *first;

	nx_neff_source_init(&source, &f->neff, NULL, &f->arena);
	first = nx_neff_source_intern(&source, nx_slice_text(text));
	assert_string_equal(first, "qSPIO0");
	assert_ptr_equal(nx_neff_source_intern(&source, nx_slice_text("qSPIO0")), first);
	text[0] = 'x'; /* the pool keeps its own copy */
	assert_ptr_equal(nx_neff_source_intern(&source, nx_slice_text("qSPIO0")), first);
	assert_string_equal(nx_neff_source_intern(&source, (struct nx_slice){NULL, 0}), "");
	nx_neff_source_release(&source);
}

/* A file that names the same member over and over may not cost work each time. */
static void test_member_is_handed_out_a_few_times(void **state)
{
	struct nx_neff_fixture *f = *state;
	struct nx_neff_source source;
	struct nx_slice bytes;
	int count = 0;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	nx_neff_source_init(&source, &f->neff, NULL, &f->arena);
	for (int i = 0; i < 100; i++)
		count += nx_neff_source_take(&source, "info.json", "x", &bytes);
	assert_int_equal(count, 8);
	assert_false(nx_neff_source_take(&source, "none", NULL, &bytes));
	assert_int_equal(source.missing.len, 92);
	nx_neff_source_release(&source);
}

static void test_notes_are_limited(void **state)
{
	struct nx_neff_fixture *f = *state;
	struct nx_neff_source source;
	struct nx_binary out = {0};

	nx_neff_source_init(&source, &f->neff, NULL, &f->arena);
	for (int i = 0; i < 1000; i++)
		nx_neff_source_note(&source, "m", "note %d", i);
	nx_neff_source_finish(&source, &out);
	assert_int_equal(out.missing_count, 257);
	assert_string_equal(out.missing[0].value, "note 0");
	assert_string_equal(out.missing[256].value, "744 more parts are missing or damaged");
	nx_neff_source_release(&source);
}

/* A thousand graphs with one definition: the first few are read, the rest noted. */
static void test_repeated_definition(void **state)
{
	struct nx_neff_fixture *f = *state;
	struct nx_bytes kelf = {0};
	const char *entry = "{\"definition\":\"sg00/def.json\",\"name\":\"g\"},";

	nx_bytes_append(&kelf, "{\"graphs\":[", 11);
	for (int i = 0; i < 1000; i++)
		nx_bytes_append(&kelf, entry, strlen(entry));
	nx_bytes_append(&kelf, "0]}", 3);
	nx_neff_fixture_add(f, "kelf-0.json", nx_slice_of(kelf.items, kelf.len));
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graph_count, 8);
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/def.json"), "more than 8 times"));
	nx_vec_release(&kelf);
}

#define WITH_MODEL(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, nx_neff_fixture_setup, nx_neff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		WITH_MODEL(test_interned_texts_are_one),
		WITH_MODEL(test_member_is_handed_out_a_few_times),
		WITH_MODEL(test_notes_are_limited),
		WITH_MODEL(test_repeated_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
