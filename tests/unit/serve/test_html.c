/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "serve/html.h"

static void assert_page(struct nx_bytes *page, const char *wanted)
{
	assert_int_equal(page->len, strlen(wanted));
	assert_memory_equal(page->items, wanted, page->len);
	nx_vec_release(page);
}

static void test_markup_stays(void **state)
{
	struct nx_bytes page = {0};

	(void)state;
	nx_html_write(&page, "<b class=\"x\">100%</b>");
	assert_page(&page, "<b class=\"x\">100%</b>");
}

static void test_texts_are_escaped(void **state)
{
	struct nx_bytes page = {0};

	(void)state;
	nx_html_write(&page, "<td title=\"$\">$</td>", "a\"b'c", "<&>");
	assert_page(&page, "<td title=\"a&quot;b&#39;c\">&lt;&amp;&gt;</td>");
}

static void test_a_text_is_no_template(void **state)
{
	struct nx_bytes page = {0};

	(void)state;
	nx_html_write(&page, "$-$", "$", "%s\xff");
	assert_page(&page, "$-%s\xff");
}

static void test_edges(void **state)
{
	struct nx_bytes page = {0};

	(void)state;
	nx_html_write(&page, "$$$", "", "&");
	nx_html_write(&page, "");
	assert_page(&page, "&amp;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markup_stays),
		cmocka_unit_test(test_texts_are_escaped),
		cmocka_unit_test(test_a_text_is_no_template),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
