/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "export/perfetto_device.h"
#include "perfetto_reader.h"

static void put(struct nx_perfetto_row *row, uint64_t start_ns, uint64_t end_ns)
{
	nx_perfetto_row_put(row, &(struct nx_perfetto_slice){
					 .start_ns = start_ns, .end_ns = end_ns, .name = "s"});
}

/* 0-10 and 5-15 cross, so there are two tracks of one name; 10-12 follows on the first. */
static void crossing_slices_get_sibling_tracks(void **state)
{
	static const char *const want[] = {
		"8=0 10=1 13=2 12{2{1=1 2='s'}} 11{9=1 10=1}",
		"8=5 10=2 13=2 12{2{1=1 2='s'}} 11{9=1 10=1}",
		"8=10 10=1 13=2 11{9=2}",
		"8=0 10=1 13=2 11{9=1 10=1}",
		"8=2 10=1 13=2 11{9=2}",
		"8=10 10=2 13=2 11{9=2}",
	};
	struct nx_perfetto_reading r;
	struct nx_perfetto_row row = {.name = "row", .parent = NX_PERFETTO_ROOT, .rank = 2};
	const char *text;

	(void)state;
	nx_perfetto_reading_begin(&r, false);
	row.p = r.p;
	put(&row, 0, 10);
	put(&row, 5, 15);
	put(&row, 10, 12);
	nx_perfetto_row_finish(&row);
	text = nx_perfetto_reading_end(&r);
	assert_non_null(strstr(text, "60{1=1 2='row' 11=3 12=2}"));
	assert_non_null(strstr(text, "60{1=2 2='row' 11=3 12=2}"));
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_string_equal(nx_perfetto_reading_event(&r, i), want[i]);
	assert_null(nx_perfetto_reading_event(&r, 6));
	nx_perfetto_reading_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(crossing_slices_get_sibling_tracks)};

	return cmocka_run_group_tests_name("export/perfetto_rows", tests, NULL, NULL);
}
