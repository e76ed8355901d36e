/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_text.h"

static size_t plain_length_by_hand(const uint8_t *bytes, size_t len, bool stop_at_high)
{
	size_t i = 0;

	while (i < len && bytes[i] >= 0x20 && bytes[i] != '"' && bytes[i] != '\\' &&
	       (!stop_at_high || bytes[i] < 0x80))
		i++;
	return i;
}

/* Every byte value at every place of two words, among neighbours that provoke borrows. */
static void every_byte_at_every_place(void **state)
{
	static const uint8_t fillers[] = {'a', 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f, 0x80, 0xff};

	(void)state;
	for (size_t f = 0; f < sizeof(fillers); f++) {
		for (size_t at = 0; at < 19; at++) {
			for (unsigned byte = 0; byte < 256; byte++) {
				uint8_t text[19];

				memset(text, fillers[f], sizeof(text));
				text[at] = (uint8_t)byte;
				for (int high = 0; high < 2; high++) {
					const uint8_t *end =
						nx_json_plain_end(text, text + sizeof(text), high);

					assert_int_equal(end - text,
							 plain_length_by_hand(text, sizeof(text),
									      high));
				}
			}
		}
	}
}

/* Every length that has a way of its own, and every place of the byte that decides. */
static void a_plain_text_is_copied_and_no_other(void **state)
{
	for (size_t len = 0; len <= 26; len++) {
		for (size_t at = 0; at < len; at++) {
			for (unsigned byte = 0; byte < 256; byte++) {
				uint8_t text[26], out[27];
				bool is_plain;

				memset(text, ' ' + (int)at, sizeof(text));
				memset(out, 0xee, sizeof(out));
				text[0] = text[len - 1] = 'x';
				for (size_t i = 0; i < len; i++)
					text[i] = text[i] == '"' ? '!' : text[i];
				text[at] = (uint8_t)byte;
				is_plain = plain_length_by_hand(text, len, true) == len;
				assert_int_equal(nx_json_copy_plain(out, text, len), is_plain);
				if (is_plain)
					assert_memory_equal(out, text, len);
				assert_int_equal(out[len], 0xee);
			}
		}
	}
	(void)state;
	assert_true(nx_json_copy_plain(NULL, NULL, 0));
}

static void empty_text_ends_at_once(void **state)
{
	const uint8_t text[1] = {'a'};

	(void)state;
	assert_ptr_equal(nx_json_plain_end(text, text, true), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_at_every_place),
		cmocka_unit_test(a_plain_text_is_copied_and_no_other),
		cmocka_unit_test(empty_text_ends_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
