/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/earliest.h"
#include "base/vec.h"
#include <string.h>

static void push_keeps_every_item(void **state)
{
	NX_VEC(uint64_t) numbers = {0};

	(void)state;
	for (uint64_t i = 0; i < 10000; i++)
		nx_vec_push(&numbers, i * i);
	assert_int_equal(numbers.len, 10000);
	assert_true(numbers.cap >= numbers.len);
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(numbers.items[i], i * i);
	nx_vec_release(&numbers);
	assert_null(numbers.items);
	assert_int_equal(numbers.len, 0);
	assert_int_equal(numbers.cap, 0);
}

static void growth_doubles(void **state)
{
	size_t cap = 1000;
	void *items = nx_vec_grow(NULL, &cap, 1001, 4);

	(void)state;
	assert_int_equal(cap, 2000);
	items = nx_vec_grow(items, &cap, 100000, 4);
	assert_int_equal(cap, 100000);
	nx_vec_free_items(items);
}

static void items_larger_than_the_first_growth_fit(void **state)
{
	struct big {
		char bytes[1000];
	};
	NX_VEC(struct big) v = {0};

	(void)state;
	nx_vec_push(&v, (struct big){.bytes = "one"});
	nx_vec_push(&v, (struct big){.bytes = "two"});
	assert_string_equal(v.items[0].bytes, "one");
	assert_string_equal(v.items[1].bytes, "two");
	nx_vec_release(&v);
}

static void clear_keeps_the_memory(void **state)
{
	struct nx_bytes bytes = {0};
	uint8_t *items;

	(void)state;
	nx_bytes_append(&bytes, "abc", 3);
	items = bytes.items;
	nx_vec_clear(&bytes);
	assert_int_equal(bytes.len, 0);
	nx_bytes_append(&bytes, "xy", 2);
	assert_ptr_equal(bytes.items, items);
	nx_vec_release(&bytes);
}

static void bytes_append_in_order(void **state)
{
	struct nx_bytes bytes = {0};

	(void)state;
	nx_bytes_append(&bytes, NULL, 0);
	nx_bytes_append_zeros(&bytes, 0);
	assert_int_equal(bytes.len, 0);
	nx_bytes_append(&bytes, "ab", 2);
	nx_bytes_append_zeros(&bytes, 3);
	nx_bytes_append(&bytes, "c", 1);
	assert_int_equal(bytes.len, 6);
	assert_memory_equal(bytes.items, "ab\0\0\0c", 6);
	nx_bytes_append_zeros(&bytes, 100000);
	assert_int_equal(bytes.len, 100006);
	assert_int_equal(bytes.items[100005], 0);
	nx_vec_release(&bytes);
}

static void escapes_leave_only_what_a_url_may_hold(void **state)
{
	struct nx_bytes url = {0};

	(void)state;
	nx_bytes_append_percent(&url, nx_slice_of("azAZ09-._~ /?&=%\0\xc3@[`{:", 23));
	nx_vec_push(&url, '\0');
	assert_string_equal((const char *)url.items,
			    "azAZ09-._~%20%2F%3F%26%3D%25%00%C3%40%5B%60%7B%3A");
	nx_vec_release(&url);
}

static void printed_text_may_be_long(void **state)
{
	struct nx_bytes bytes = {0};
	char word[3000];

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	nx_bytes_printf(&bytes, "%s", "");
	assert_int_equal(bytes.len, 0);
	nx_bytes_printf(&bytes, "%d %s", 7, word);
	nx_bytes_printf(&bytes, "!");
	assert_int_equal(bytes.len, 2 + sizeof(word) - 1 + 1);
	assert_memory_equal(bytes.items, "7 xx", 4);
	assert_int_equal(bytes.items[bytes.len - 1], '!');
	nx_vec_release(&bytes);
}

/* Any order in, ascending order out. */
static void the_earliest_item_leaves_first(void **state)
{
	struct ending {
		uint64_t end;
		unsigned name;
	};
	NX_VEC(struct ending) open = {0};
	uint32_t random = 1;
	uint64_t last = 0;

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		random = random * 1664525u + 1013904223u;
		nx_earliest_push(&open, ((struct ending){random >> 23, random >> 23}));
	}
	for (unsigned i = 0; i < 500; i++) {
		assert_true(open.items[0].end >= last);
		assert_int_equal(open.items[0].end, open.items[0].name);
		last = open.items[0].end;
		nx_earliest_drop(&open);
	}
	assert_int_equal(open.len, 0);
	nx_vec_release(&open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(push_keeps_every_item),
		cmocka_unit_test(growth_doubles),
		cmocka_unit_test(items_larger_than_the_first_growth_fit),
		cmocka_unit_test(clear_keeps_the_memory),
		cmocka_unit_test(bytes_append_in_order),
		cmocka_unit_test(escapes_leave_only_what_a_url_may_hold),
		cmocka_unit_test(printed_text_may_be_long),
		cmocka_unit_test(the_earliest_item_leaves_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
