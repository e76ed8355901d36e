/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "perfetto_reader.h"

static void parents_are_described_first_and_once(void **state)
{
	struct nx_perfetto_reading r;
	uint32_t core, row, other;
	const char *text, *first;

	(void)state;
	nx_perfetto_reading_begin(&r, false);
	core = nx_perfetto_track(r.p, NX_PERFETTO_ROOT, "core", 0);
	row = nx_perfetto_track(r.p, core, "row", 1);
	other = nx_perfetto_track(r.p, core, "other", 2);
	nx_perfetto_instant(r.p, row, 9, "x", NULL, 0);
	nx_perfetto_instant(r.p, other, 9, "x", NULL, 0);
	text = nx_perfetto_reading_end(&r);
	first = strstr(text, "60{1=1 2='core' 11=3 12=0}");
	assert_non_null(first);
	assert_null(strstr(first + 1, "60{1=1 "));
	assert_true(strstr(text, "60{1=2 5=1 2='row' 11=3 12=1}") > first);
	assert_non_null(strstr(text, "60{1=3 5=1 2='other' 11=3 12=2}"));
	nx_perfetto_reading_release(&r);
}

static void processes_and_threads_say_their_ids(void **state)
{
	struct nx_perfetto_reading r;
	uint32_t process, thread;
	const char *text;

	(void)state;
	nx_perfetto_reading_begin(&r, false);
	process = nx_perfetto_process(r.p, 42, "app");
	thread = nx_perfetto_thread(r.p, process, 43, "worker", 5);
	nx_perfetto_instant(r.p, thread, 77, "x", NULL, 0);
	text = nx_perfetto_reading_end(&r);
	/* descriptors carry a time, or readers may not know the process when they need it */
	assert_non_null(strstr(text, "8=77 58=6 10=1 13=1 "));
	assert_non_null(strstr(text, "60{1=1 3{1=42 6='app'} 11=3 12=0}"));
	assert_non_null(strstr(text, "60{1=2 5=1 4{1=42 2=43 5='worker'} 11=3 12=5}"));
	nx_perfetto_reading_release(&r);
}

static void track_of(struct nx_perfetto_reading *r, const char *name)
{
	nx_perfetto_instant(r->p, nx_perfetto_track(r->p, NX_PERFETTO_ROOT, name, 0), 1, "x", NULL,
			    0);
}

static void texts_are_made_utf8(void **state)
{
	static const struct {
		const char *raw, *shown;
	} names[] = {
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
		{"a\xff"
		 "b",
		 "a?b"},
		{"cut\xe2\x82", "cut??"},
		{"\xc0\xaf", "??"},			  /* too long a form */
		{"\xe0\x80\x80 \xed\xa0\x80", "??? ???"}, /* too long; a surrogate */
		{"\xf4\x90\x80\x80", "????"},		  /* beyond Unicode */
		{"\xf0\x80\x80\x80 \xf8", "???? ?"},
	};
	struct nx_perfetto_reading r;
	const char *text;
	char want[64];

	(void)state;
	nx_perfetto_reading_begin(&r, false);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		track_of(&r, names[i].raw);
	text = nx_perfetto_reading_end(&r);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(want, sizeof(want), "2='%s' 11=3", names[i].shown);
		if (!strstr(text, want))
			fail_msg("no %s", want);
	}
	nx_perfetto_reading_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_are_described_first_and_once),
		cmocka_unit_test(processes_and_threads_say_their_ids),
		cmocka_unit_test(texts_are_made_utf8),
	};

	return cmocka_run_group_tests_name("format/perfetto_track", tests, NULL, NULL);
}
