/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/decode/ntrace/ntrace_fixture.h"

static void put_cpu(struct trace *t, float util, uint64_t time_ns, uint64_t cpu_id)
{
	struct nx_ntrace_cpu row = {util, time_ns, cpu_id};

	nx_ntrace_append(&t->cpu, &nx_ntrace_cpu_message, &row);
}

static void put_memory(struct trace *t, uint64_t usage_bytes, uint64_t time_ns)
{
	struct nx_ntrace_memory row = {usage_bytes, time_ns};

	nx_ntrace_append(&t->memory, &nx_ntrace_memory_message, &row);
}

static void test_cpu(void **state)
{
	struct trace t = {0};

	(void)state;
	put_cpu(&t, 0, 1000, 0);
	put_cpu(&t, 99.5f, 1000, 7);
	decode(&t, "x");
	assert_int_equal(t.cpu_rows.len, 2);
	assert_int_equal(t.cpu_rows.items[0].time_ns, 1000);
	assert_int_equal(t.cpu_rows.items[0].cpu_id, 0);
	assert_true(t.cpu_rows.items[0].util_percent == 0);
	assert_true(t.cpu_rows.items[1].util_percent == 99.5f);
	assert_int_equal(t.cpu_rows.items[1].cpu_id, 7);
	assert_int_equal(t.cpu_rows.items[1].process, 9);
	assert_int_equal(t.decoder.loss.unreadable_count, 0);
	assert_true(t.decoder.loss.memory_is_missing && t.decoder.loss.info_is_missing);
	assert_false(t.decoder.loss.cpu_is_missing);
	release(&t);
}

static void test_senseless_cpu(void **state)
{
	struct trace t = {0};

	(void)state;
	put_cpu(&t, NAN, 1000, 0);
	put_cpu(&t, INFINITY, 1000, 0);
	put_cpu(&t, -1, 1000, 0);
	put_cpu(&t, 1, 0, 0);
	put_cpu(&t, 1, 1000, UINT64_C(1) << 32);
	nx_bytes_append(&t.cpu, "\1\0\0\0\x0d", 5);
	put_cpu(&t, 1, 1000, 1);
	nx_bytes_append(&t.cpu, "\1", 1);
	decode(&t, "x");
	assert_int_equal(t.cpu_rows.len, 1);
	assert_int_equal(t.decoder.loss.unreadable_count, 6);
	assert_int_equal(t.decoder.loss.torn_cpu_bytes, 1);
	release(&t);
}

static void test_memory(void **state)
{
	struct trace t = {0};

	(void)state;
	put_memory(&t, UINT64_MAX, 5);
	put_memory(&t, 0, 6);
	put_memory(&t, 3, 0);
	nx_bytes_append(&t.memory, "\1\0\0\0", 4);
	decode(&t, "x");
	assert_int_equal(t.memory_rows.len, 2);
	assert_true(t.memory_rows.items[0].usage_bytes == UINT64_MAX);
	assert_int_equal(t.memory_rows.items[1].time_ns, 6);
	assert_int_equal(t.decoder.loss.unreadable_count, 1);
	assert_int_equal(t.decoder.loss.torn_memory_bytes, 4);
	release(&t);
}

/* Fields of another kind or of later versions do not disturb. */
static void test_unknown_fields(void **state)
{
	struct trace t = {0};

	(void)state;
	nx_bytes_append(&t.cpu, "\x0b\0\0\0\x08\x07\x15\1\1\1\1\x10\x09\x20\x01", 15);
	nx_bytes_append(&t.memory, "\x07\0\0\0\x0a\x01z\x10\x09\x18\x01", 11);
	decode(&t, "x");
	assert_int_equal(t.cpu_rows.len, 1);
	assert_int_equal(t.cpu_rows.items[0].time_ns, 9);
	assert_true(t.cpu_rows.items[0].util_percent == 0);
	assert_int_equal(t.memory_rows.len, 1);
	assert_int_equal(t.memory_rows.items[0].usage_bytes, 0);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_senseless_cpu),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_unknown_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
