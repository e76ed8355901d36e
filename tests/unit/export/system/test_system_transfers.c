/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "system_export.h"

static const char *trace(struct nx_system_fixture *f,
			 const struct nx_system_export_options *options, bool with_args)
{
	size_t len;
	const char *bytes = nx_fixture_export(f, "perfetto", options, &len);

	return nx_trace_text(&f->arena, nx_slice_of(bytes, len), with_args);
}

static struct nx_host_transfer *transfer(struct nx_system_fixture *f, uint64_t start_ns,
					 uint64_t end_ns, uint64_t size_bytes)
{
	struct nx_host_transfer *t = &f->transfers[f->p.rows[NX_SYSTEM_TRANSFER]++];

	*t = (struct nx_host_transfer){
		.start_ns = start_ns, .end_ns = end_ns, .size_bytes = size_bytes};
	return t;
}

static void bandwidths_of_what_overlaps_add_up(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	transfer(f, 100, 200, 100); /* 1e9 bytes/s */
	transfer(f, 150, 250, 200); /* 2e9 */
	transfer(f, 300, 300, 7);   /* no time: no bandwidth */
	assert_string_equal(
		trace(f, &options, true),
		"track \"i-a-pid70 transfers\"\n"
		"track \"i-a-pid70 transfers/nc0 host_to_device_transfers\"\n"
		"i-a-pid70 transfers/nc0 host_to_device_transfers begin 100 host_to_device"
		" size_bytes=100 bandwidth_bytes_per_s=1e+09\n"
		"counter \"i-a-pid70 transfers/nc0 host_to_device bandwidth\"\n"
		"  in bytes/s\n"
		"i-a-pid70 transfers/nc0 host_to_device bandwidth count 100 1000000000\n"
		"track \"i-a-pid70 transfers/nc0 host_to_device_transfers/lane 2\"\n"
		"i-a-pid70 transfers/nc0 host_to_device_transfers/lane 2 begin 150 host_to_device"
		" size_bytes=200 bandwidth_bytes_per_s=2e+09\n"
		"i-a-pid70 transfers/nc0 host_to_device bandwidth count 150 3000000000\n"
		"i-a-pid70 transfers/nc0 host_to_device_transfers end 200\n"
		"i-a-pid70 transfers/nc0 host_to_device_transfers begin 300 host_to_device"
		" size_bytes=7\n"
		"i-a-pid70 transfers/nc0 host_to_device bandwidth count 200 2000000000\n"
		"i-a-pid70 transfers/nc0 host_to_device bandwidth count 250 0\n"
		"i-a-pid70 transfers/nc0 host_to_device_transfers end 300\n"
		"i-a-pid70 transfers/nc0 host_to_device_transfers/lane 2 end 250\n");
}

static void directions_and_cores_have_rows_of_their_own(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};
	const char *text;

	transfer(f, 100, 200, 100)->direction = NX_DEVICE_TO_HOST;
	transfer(f, 100, 200, 100)->nc_idx = 1;
	transfer(f, 100, 200, 100)->nc_idx = INT32_MAX;
	text = trace(f, &options, false);
	assert_non_null(strstr(text, "/nc0 device_to_host bandwidth count 200 0\n"));
	assert_non_null(strstr(text, "/nc1 host_to_device_transfers end 200\n"));
	assert_non_null(strstr(text, "/nc2147483647 host_to_device_transfers begin 100"));
}

static void ends_come_in_order_and_leave_nothing_over(void **state)
{
	static const unsigned ends[] = {50, 20, 40, 10, 60, 30, 20};
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};
	unsigned long long time_ns, last_ns = 0, value = 1;
	const char *at, *mark = " bandwidth count ";
	unsigned counts = 0;

	for (unsigned i = 0; i < 7; i++)
		transfer(f, i, 100 + ends[i], 3 * (i + 1));
	at = trace(f, &options, false);
	while ((at = strstr(at, mark))) {
		double number;

		at += strlen(mark);
		assert_int_equal(sscanf(at, "%llu %lf", &time_ns, &number), 2);
		assert_true(time_ns >= last_ns && number >= 0);
		last_ns = time_ns;
		value = number > 0;
		counts++;
	}
	assert_int_equal(counts, 7 + 6); /* two end at once */
	assert_int_equal(last_ns, 160);
	assert_int_equal(value, 0);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bandwidths_of_what_overlaps_add_up),
		TEST(directions_and_cores_have_rows_of_their_own),
		TEST(ends_come_in_order_and_leave_nothing_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
