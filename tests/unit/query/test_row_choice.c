/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/row_choice.h"
#include "tests/unit/store/timeline_case.h"

static void words_and_rows_agree(void **state)
{
	struct nx_row_choice choice;

	(void)state;
	nx_row_choice_init(&choice, 70);
	assert_true(choice.first > choice.last);
	nx_row_choice_add(&choice, 3);
	assert_int_equal(choice.first, 3);
	assert_int_equal(choice.last, 3);
	nx_row_choice_add_word(&choice, 1, UINT64_C(1) << 5 | UINT64_C(1) << 6); /* 69 and 70 */
	assert_true(nx_row_choice_has(&choice, 69));
	assert_false(nx_row_choice_has(&choice, 70));
	assert_false(nx_row_choice_has(&choice, 4));
	assert_int_equal(choice.last, 69);
	nx_row_choice_release(&choice);
}

static void what_no_table_has_is_passed_over(void **state)
{
	struct nx_row_choice choice;

	(void)state;
	nx_row_choice_init(&choice, 64);
	nx_row_choice_add(&choice, 64);
	nx_row_choice_add(&choice, UINT64_MAX);
	nx_row_choice_add_word(&choice, 1, UINT64_MAX);
	nx_row_choice_add_word(&choice, UINT64_MAX / 2, 1);
	nx_row_choice_add_word(&choice, 0, 0);
	assert_true(choice.first > choice.last);
	assert_false(nx_row_choice_has(&choice, UINT64_MAX));
	nx_row_choice_release(&choice);
	nx_row_choice_init(&choice, 0);
	nx_row_choice_add(&choice, 0);
	assert_false(nx_row_choice_has(&choice, 0));
	nx_row_choice_release(&choice);
}

static void a_track_chooses_what_it_draws_in_a_part_of_time(void **state)
{
	struct nx_row_choice choice;
	struct timeline_case c;
	uint32_t name;

	(void)state;
	case_begin(&c, 0);
	case_track(&c, NX_TRACK_SPANS);
	name = case_names(&c, 1);
	case_span(&c, 0, (struct nx_span){10, 20, 0, name});
	case_span(&c, 0, (struct nx_span){12, 40, 5, name});
	case_span(&c, 0, (struct nx_span){30, 30, 6, name});
	case_span(&c, 0, (struct nx_span){50, 60, 9, name});
	case_open(&c);
	nx_row_choice_init(&choice, 10);
	nx_row_choice_add_track(&choice, c.timeline, 0, 20, 50);
	assert_false(nx_row_choice_has(&choice, 0));
	assert_true(nx_row_choice_has(&choice, 5));
	assert_true(nx_row_choice_has(&choice, 6));
	assert_false(nx_row_choice_has(&choice, 9));
	nx_row_choice_add_track(&choice, c.timeline, 1, 0, 100); /* there is none */
	assert_int_equal(choice.first, 5);
	assert_int_equal(choice.last, 6);
	nx_row_choice_release(&choice);
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_rows_agree),
		cmocka_unit_test(what_no_table_has_is_passed_over),
		cmocka_unit_test(a_track_chooses_what_it_draws_in_a_part_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
