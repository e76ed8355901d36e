/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "export/perfetto_device.h"
#include "perfetto_reader.h"

/* An array of one cell at 1 GHz: 2 flops, hence one element, per nanosecond. */
static const struct nx_hardware hardware = {
	.tensor_clock_ghz = 1, .array_rows = 1, .array_columns = 1};

struct run {
	struct nx_perfetto_reading r;
	struct nx_profile profile;
	struct nx_device_trace trace;
	struct nx_utilisation u;
};

static void begin(struct run *run)
{
	memset(run, 0, sizeof(*run));
	nx_perfetto_reading_begin(&run->r, false);
	run->profile.capture.hardware = &hardware;
	run->trace.p = run->r.p;
	run->trace.profile = &run->profile;
	run->trace.cores[0] = nx_perfetto_track(run->r.p, NX_PERFETTO_ROOT, "core", 0);
	nx_utilisation_begin(&run->u, &run->trace, 0);
}

static void add(struct run *run, uint64_t start_ns, uint64_t end_ns, uint64_t elements, bool useful)
{
	struct nx_instruction row = {.start_ps = start_ns * 1000, .end_ps = end_ns * 1000};
	struct nx_slot slot = {.elements = elements,
			       .instruction_type = useful ? NX_TYPE_REGULAR : NX_TYPE_TRANSPOSE};

	nx_utilisation_add(&run->u, &row, &slot);
}

static void expect(struct run *run, const char *const *samples)
{
	size_t i = 0;

	nx_utilisation_finish(&run->u);
	nx_perfetto_reading_end(&run->r);
	for (; samples[i]; i++)
		assert_string_equal(nx_perfetto_reading_event(&run->r, i), samples[i]);
	assert_null(nx_perfetto_reading_event(&run->r, i));
	nx_perfetto_reading_release(&run->r);
}

static void overlapping_work_adds_up(void **state)
{
	struct run run;
	/* the transpose is on the HFU track (2) alone; 10-20 half, 14-18 half more */
	const char *const want[] = {
		"8=10 10=2 13=2 11{9=4 44=0.5}",
		"8=10 10=3 13=2 11{9=4 44=0.5}",
		"8=4 10=2 13=2 11{9=4 30=1}",
		"8=4 10=2 13=2 11{9=4 44=0.5}",
		"8=2 10=2 13=2 11{9=4 30=0}",
		"8=10 10=3 13=2 11{9=4 30=0}",
		NULL,
	};

	(void)state;
	begin(&run);
	add(&run, 10, 20, 5, true);
	add(&run, 14, 18, 2, false);
	expect(&run, want);
}

static void work_without_pause_is_one_step(void **state)
{
	struct run run;
	const char *const want[] = {
		"8=10 10=2 13=2 11{9=4 30=1}",
		"8=10 10=3 13=2 11{9=4 30=1}",
		"8=20 10=2 13=2 11{9=4 30=0}",
		"8=20 10=3 13=2 11{9=4 30=0}",
		NULL,
	};

	(void)state;
	begin(&run);
	add(&run, 10, 20, 10, true);
	add(&run, 20, 30, 10, true);
	expect(&run, want);
}

static void work_without_time_has_no_rate(void **state)
{
	struct run run;
	const char *const want[] = {NULL};

	(void)state;
	begin(&run);
	add(&run, 10, 10, 5, true);
	expect(&run, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_work_adds_up),
		cmocka_unit_test(work_without_pause_is_one_step),
		cmocka_unit_test(work_without_time_has_no_rate),
	};

	return cmocka_run_group_tests_name("export/perfetto_utilisation", tests, NULL, NULL);
}
