/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include <errno.h>
#include <string.h>

static void fail_sets_sentence_and_returns_status(void **state)
{
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_fail(&err, NX_LIMIT, "%s is %d", "x", 7), NX_LIMIT);
	assert_int_equal(err.status, NX_LIMIT);
	assert_string_equal(err.message, "x is 7");
}

static void context_goes_before(void **state)
{
	struct nx_error err;

	(void)state;
	nx_fail(&err, NX_FORMAT, "header is short");
	assert_int_equal(nx_context(&err, "cannot read %s", "a.neff"), NX_FORMAT);
	assert_int_equal(nx_context(&err, "stage %d", 2), NX_FORMAT);
	assert_string_equal(err.message, "stage 2: cannot read a.neff: header is short");
}

static void nobody_interested_still_learns_the_status(void **state)
{
	(void)state;
	assert_int_equal(nx_fail(NULL, NX_VERSION, "x"), NX_VERSION);
	assert_int_equal(nx_context(NULL, "y"), NX_VERSION);
	assert_int_equal(nx_fail_errno(NULL, ENOENT, "z"), NX_NOT_FOUND);
	assert_int_equal(nx_context(NULL, "y"), NX_NOT_FOUND);
}

static void errno_becomes_status_and_text(void **state)
{
	static const struct {
		int number;
		enum nx_status status;
	} cases[] = {
		{ENOENT, NX_NOT_FOUND}, {EACCES, NX_PERMISSION}, {EPERM, NX_PERMISSION},
		{ENOSPC, NX_NO_SPACE},	{EDQUOT, NX_NO_SPACE},	 {EIO, NX_IO},
		{EPIPE, NX_IO},
	};
	struct nx_error err;
	char expected[200] = "cannot open f: ";

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(nx_fail_errno(&err, cases[i].number, "x"), cases[i].status);
	nx_fail_errno(&err, ENOENT, "cannot open %s", "f");
	strcat(expected, strerror(ENOENT));
	assert_string_equal(err.message, expected);
}

static void long_sentences_are_cut_with_dots(void **state)
{
	struct nx_error err;
	char text[3000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	nx_fail(&err, NX_IO, "%s", text);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	assert_string_equal(err.message + sizeof(err.message) - 6, "aa...");
	nx_context(&err, "%s", text);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	nx_fail_errno(&err, EIO, "%s", text);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);

	text[sizeof(err.message) - 1] = '\0';
	nx_fail(&err, NX_IO, "%s", text);
	assert_string_equal(err.message, text);
}

static void own_message_may_be_an_argument(void **state)
{
	struct nx_error err;

	(void)state;
	nx_fail(&err, NX_IO, "inner");
	nx_fail(&err, NX_FORMAT, "outer (%s)", err.message);
	assert_string_equal(err.message, "outer (inner)");
}

static void every_status_has_an_exit_code(void **state)
{
	(void)state;
	assert_int_equal(nx_status_exit_code(NX_OK), 0);
	assert_int_equal(nx_status_exit_code(NX_USAGE), 2);
	assert_int_equal(nx_status_exit_code(NX_UNSUPPORTED), 11);
	assert_int_equal(nx_status_exit_code(NX_CANCELLED), 130);
	assert_int_equal(nx_status_exit_code((enum nx_status)99), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_sets_sentence_and_returns_status),
		cmocka_unit_test(context_goes_before),
		cmocka_unit_test(nobody_interested_still_learns_the_status),
		cmocka_unit_test(errno_becomes_status_and_text),
		cmocka_unit_test(long_sentences_are_cut_with_dots),
		cmocka_unit_test(own_message_may_be_an_argument),
		cmocka_unit_test(every_status_has_an_exit_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
