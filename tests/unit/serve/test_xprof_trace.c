/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/xprof_trace.h"
#include "tests/unit/store/timeline_case.h"

/* The start of each event of the CSV, in microseconds, as "0 10 25". */
static void starts_of(struct timeline_case *c, const struct nx_xprof_choice *choice, char *out)
{
	struct nx_xprof_processes processes;
	struct nx_arena arena = {0};
	struct nx_bytes body = {0};
	const char *line;

	nx_xprof_processes_list(&processes, c->timeline, "here", &arena);
	assert_int_equal(nx_xprof_trace_csv(c->timeline, &processes, choice, &body, &c->err),
			 NX_OK);
	nx_vec_push(&body, 0);
	*out = 0;
	for (line = strchr((char *)body.items, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		unsigned start;

		assert_int_equal(sscanf(line, "here,track,track,n%*u,%u", &start), 1);
		sprintf(out + strlen(out), "%s%u", *out ? " " : "", start);
	}
	nx_vec_release(&body);
	nx_arena_release(&arena);
}

/* Lengths of 2 us at 0, 3, 6, ...; one of 50 us at 30; then 2 us at 81, 90, 100. */
static void make(struct timeline_case *c)
{
	static const uint64_t spans[][2] = {{0, 2},   {3, 5},	{6, 8},	  {12, 14},
					    {30, 80}, {81, 83}, {90, 92}, {100, 102}};
	uint32_t name, track = case_begin_spans(c, 0, 1, &name);

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		case_span(c, track,
			  (struct nx_span){spans[i][0] * 1000, spans[i][1] * 1000, i, name});
	case_open(c);
}

static void short_events_near_the_last_one_are_left_out(void **state)
{
	struct nx_xprof_choice choice = {.to_ns = UINT64_MAX};
	struct timeline_case c;
	char starts[200];

	(void)state;
	make(&c);
	starts_of(&c, &choice, starts);
	assert_string_equal(starts, "0 3 6 12 30 81 90 100");
	/* parts of 10.2 us: the first; one 10.2 us after its end; the long one; and so on */
	choice.resolution = 10;
	starts_of(&c, &choice, starts);
	assert_string_equal(starts, "0 30 100");
	/* parts of 5.1 us */
	choice.resolution = 20;
	starts_of(&c, &choice, starts);
	assert_string_equal(starts, "0 12 30 90 100");
	case_end(&c);
}

static void a_range_has_what_reaches_into_it(void **state)
{
	struct nx_xprof_choice choice = {.from_ns = 40000, .to_ns = 90001};
	struct timeline_case c;
	char starts[200];

	(void)state;
	make(&c);
	starts_of(&c, &choice, starts);
	assert_string_equal(starts, "30 81 90");
	choice = (struct nx_xprof_choice){.from_ns = 2000, .to_ns = 3000};
	starts_of(&c, &choice, starts);
	assert_string_equal(starts, "");
	case_end(&c);
}

static void an_empty_range_is_refused(void **state)
{
	struct nx_xprof_choice choice = {.from_ns = 200000, .to_ns = UINT64_MAX};
	struct nx_xprof_processes processes;
	struct nx_arena arena = {0};
	struct nx_bytes body = {0};
	struct timeline_case c;

	(void)state;
	make(&c);
	nx_xprof_processes_list(&processes, c.timeline, "here", &arena);
	assert_int_equal(nx_xprof_trace_json(c.timeline, &processes, &choice, &body, &c.err),
			 NX_USAGE);
	nx_vec_release(&body);
	nx_arena_release(&arena);
	case_end(&c);
}

static void the_number_of_an_event_leads_back_to_its_row(void **state)
{
	uint64_t table, row;

	(void)state;
	nx_xprof_event_place(nx_xprof_event_number(3, UINT64_C(1) << 40), &table, &row);
	assert_int_equal(table, 3);
	assert_int_equal(row, UINT64_C(1) << 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_events_near_the_last_one_are_left_out),
		cmocka_unit_test(a_range_has_what_reaches_into_it),
		cmocka_unit_test(an_empty_range_is_refused),
		cmocka_unit_test(the_number_of_an_event_leads_back_to_its_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
