/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "runtime/nrt/host_samples.h"

static struct nx_ntrace_cpu record_at(const struct nx_bytes *bytes, size_t index)
{
	struct nx_ntrace_stream stream = {.file = nx_slice_of(bytes->items, bytes->len)};
	struct nx_ntrace_cpu cpu = {0};
	struct nx_arena arena = {0};
	struct nx_slice message;

	for (size_t i = 0; i <= index; i++)
		assert_true(nx_ntrace_next(&stream, &message));
	assert_int_equal(nx_wire_decode(&nx_ntrace_cpu_message, message, &cpu, &arena, NULL, NULL),
			 NX_OK);
	nx_arena_release(&arena);
	return cpu;
}

static size_t count_records(const struct nx_bytes *bytes)
{
	struct nx_ntrace_stream stream = {.file = nx_slice_of(bytes->items, bytes->len)};
	struct nx_slice message;
	size_t count = 0;

	while (nx_ntrace_next(&stream, &message))
		count++;
	assert_false(stream.is_torn);
	return count;
}

static void load_is_what_was_not_idle_since_the_last_tick(void **state)
{
	static struct nx_host_samples samples;
	struct nx_bytes bytes = {0};

	(void)state;
	nx_host_samples_cpu(
		&samples,
		"cpu  9 9 9 9\ncpu0 10 0 10 80 0 0 0 0 0 0\ncpu3 0 0 0 100 0 0 0 0 0 0\n"
		"intr 5\n",
		1000, &bytes);
	assert_int_equal(count_records(&bytes), 2);
	assert_true(record_at(&bytes, 0).util_percent == 0.0f);
	assert_int_equal(record_at(&bytes, 1).cpu_id, 3);
	assert_int_equal(record_at(&bytes, 1).timestamp_ns, 1000);
	bytes.len = 0;
	/* of 40 jiffies 10 were busy; of 50, 10 waited for disks, which is idle too */
	nx_host_samples_cpu(&samples,
			    "cpu0 15 0 15 110 0 0 0 0 0 0\ncpu3 0 0 0 120 10 5 5 10 99 99\n", 2000,
			    &bytes);
	assert_true(fabsf(record_at(&bytes, 0).util_percent - 25.0f) < 1e-4f);
	assert_true(fabsf(record_at(&bytes, 1).util_percent - 40.0f) < 1e-4f);
	assert_int_equal(samples.cpu_ticks, 2);
	nx_vec_release(&bytes);
}

static void counters_that_run_backwards_say_nothing(void **state)
{
	static struct nx_host_samples samples;
	struct nx_bytes bytes = {0};

	(void)state;
	nx_host_samples_cpu(&samples, "cpu0 10 0 10 80 0 0 0 0\n", 1, &bytes);
	bytes.len = 0;
	nx_host_samples_cpu(&samples, "cpu0 10 0 9 80 0 0 0 0\n", 2, &bytes);
	assert_true(record_at(&bytes, 0).util_percent == 0.0f);
	nx_vec_release(&bytes);
}

static void lines_that_are_none_are_left_out(void **state)
{
	static struct nx_host_samples samples;
	struct nx_bytes bytes = {0};

	(void)state;
	nx_host_samples_cpu(&samples, "", 1, &bytes);
	nx_host_samples_cpu(&samples, "cpu", 1, &bytes);
	nx_host_samples_cpu(&samples, "cpux 1 2 3 4 5 6 7 8\n", 1, &bytes);
	nx_host_samples_cpu(&samples, "cpu1 1 2 3\ncpu2", 1, &bytes);
	nx_host_samples_cpu(&samples, "cpu9999999 1 2 3 4 5 6 7 8\n", 1, &bytes);
	assert_int_equal(bytes.len, 0);
	nx_host_samples_memory(&samples, "", 1, &bytes);
	nx_host_samples_memory(&samples, "x 1", 1, &bytes);
	assert_int_equal(bytes.len, 0);
	assert_int_equal(samples.memory_ticks, 0);
}

static void memory_is_the_process_size_in_pages(void **state)
{
	static struct nx_host_samples samples;
	struct nx_ntrace_stream stream = {0};
	struct nx_ntrace_memory memory;
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};
	struct nx_slice message;

	(void)state;
	nx_host_samples_memory(&samples, "1234 56 7 8 0 9 0\n", 77, &bytes);
	stream.file = nx_slice_of(bytes.items, bytes.len);
	assert_true(nx_ntrace_next(&stream, &message));
	assert_int_equal(nx_wire_decode(&nx_ntrace_memory_message, message, &memory, &arena, NULL,
					NULL),
			 NX_OK);
	assert_int_equal(memory.usage_bytes % 1234, 0);
	assert_true(memory.usage_bytes >= 1234 * 4096);
	assert_int_equal(memory.timestamp_ns, 77);
	nx_arena_release(&arena);
	nx_vec_release(&bytes);
}

static void the_real_files_can_be_read(void **state)
{
	static struct nx_host_samples samples;
	static char text[256 << 10];
	struct nx_host_facts facts;
	struct nx_bytes bytes = {0};

	(void)state;
	nx_host_facts_read(&facts);
	assert_true(facts.cpu_count >= 1 && facts.memory_bytes > 0);
	assert_true(nx_host_read_file("/proc/stat", text, sizeof(text)));
	nx_host_samples_cpu(&samples, text, 1, &bytes);
	assert_true(count_records(&bytes) >= 1);
	assert_false(nx_host_read_file("/proc/no such file", text, sizeof(text)));
	nx_vec_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_is_what_was_not_idle_since_the_last_tick),
		cmocka_unit_test(counters_that_run_backwards_say_nothing),
		cmocka_unit_test(lines_that_are_none_are_left_out),
		cmocka_unit_test(memory_is_the_process_size_in_pages),
		cmocka_unit_test(the_real_files_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
