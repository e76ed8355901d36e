/* SPDX-License-Identifier: Apache-2.0 */
/* What the maker of system profiles says it wrote is what the decoder finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/data/synthetic_system.h"
#include "tests/unit/decode/ntrace/ntrace_fixture.h"

static bool append(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
	return true;
}

static struct nx_synthetic_process make(struct trace *t,
					const struct nx_synthetic_system_options *options,
					unsigned index, struct nx_synthetic_system_counts *counts)
{
	struct nx_synthetic_process_files files = {0};

	*counts = (struct nx_synthetic_system_counts){0};
	assert_true(nx_synthetic_process_write(options, index, append, &t->events, &files, counts));
	t->info = files.info;
	t->cpu = files.cpu;
	t->memory = files.memory;
	nx_vec_release(&files.framework);
	return nx_synthetic_process_of(options, index);
}

static void check_counts(const struct trace *t, const struct nx_synthetic_system_counts *counts)
{
	uint64_t types[NX_SYNTHETIC_EVENT_TYPES] = {0}, instants = 0, pairs = 0;

	for (size_t i = 0; i < t->rows.len; i++) {
		types[t->rows.items[i].type]++;
		instants += t->rows.items[i].flags == NX_EVENT_INSTANT;
		pairs += t->rows.items[i].flags == 0;
	}
	assert_memory_equal(types, counts->type_counts, sizeof(types));
	assert_int_equal(instants, counts->instant_count);
	assert_int_equal(pairs, counts->pair_count);
	assert_int_equal(t->decoder.loss.unfinished_count, counts->unfinished_count);
	assert_int_equal(t->decoder.loss.orphan_count, counts->orphan_count);
	assert_int_equal(t->process.stored_event_count, counts->record_count);
	assert_int_equal(t->process.total_event_count,
			 counts->record_count + counts->dropped_count);
	assert_int_equal(t->cpu_rows.len, counts->cpu_row_count);
	assert_int_equal(t->memory_rows.len, counts->memory_row_count);
}

static void check_process(const struct trace *t, const struct nx_synthetic_process *expected)
{
	struct nx_ntrace_loss rest = t->decoder.loss;
	static const struct nx_ntrace_loss none = {0};

	assert_string_equal(t->process.instance_id, expected->instance_id);
	assert_int_equal(t->process.pid, expected->pid);
	assert_int_equal(t->process.worker_count, expected->worker_count);
	for (unsigned i = 0; i < expected->worker_count; i++)
		assert_int_equal(t->process.workers[i].worker_gid, expected->first_worker + i);
	rest.unfinished_count = 0;
	rest.orphan_count = 0;
	assert_memory_equal(&rest, &none, sizeof(rest));
	for (size_t i = 0; i < t->rows.len; i++) {
		assert_true(t->rows.items[i].start_ns >= t->process.init_ns);
		assert_true(t->rows.items[i].end_ns <= t->process.close_ns);
	}
}

static void check_all(const struct nx_synthetic_system_options *options)
{
	unsigned count = nx_synthetic_process_count(options);

	for (unsigned i = 0; i < count; i++) {
		struct nx_synthetic_system_counts counts;
		struct trace t = {0};
		struct nx_synthetic_process process = make(&t, options, i, &counts);

		decode(&t, process.folder);
		check_counts(&t, &counts);
		check_process(&t, &process);
		assert_int_equal(counts.unfinished_count, i == 0);
		assert_int_equal(counts.orphan_count, i == count - 1);
		assert_int_equal(counts.dropped_count > 0, i == count - 1);
		assert_int_equal(counts.framework_event_count > 0, i % 2 == 0);
		release(&t);
	}
}

static void test_small(void **state)
{
	(void)state;
	check_all(&nx_synthetic_system_small);
}

/* Workers that fill one process and start another. */
static void test_many_workers(void **state)
{
	static const struct nx_synthetic_system_options options = {
		.seed = 3, .instance_count = 2, .worker_count = 11, .event_count = 20000};

	(void)state;
	assert_int_equal(nx_synthetic_process_count(&options), 4);
	assert_int_equal(nx_synthetic_process_of(&options, 1).worker_count, 3);
	assert_int_equal(nx_synthetic_process_of(&options, 3).first_worker, 19);
	check_all(&options);
}

/* The folder's name alone tells who it was. */
static void test_without_info(void **state)
{
	struct nx_synthetic_system_counts counts;
	struct trace t = {0};
	struct nx_synthetic_process process = make(&t, &nx_synthetic_system_small, 1, &counts);

	(void)state;
	nx_vec_release(&t.info);
	decode(&t, process.folder);
	assert_string_equal(t.process.instance_id, process.instance_id);
	assert_int_equal(t.process.pid, process.pid);
	assert_int_equal(t.decoder.loss.unknown_type_count, 0);
	assert_int_equal(t.process.total_event_count, counts.record_count);
	release(&t);
}

static void test_equal_options(void **state)
{
	struct nx_synthetic_system_counts counts;
	struct trace a = {0}, b = {0};

	(void)state;
	(void)make(&a, &nx_synthetic_system_small, 0, &counts);
	(void)make(&b, &nx_synthetic_system_small, 0, &counts);
	assert_int_equal(a.events.len, b.events.len);
	assert_memory_equal(a.events.items, b.events.items, a.events.len);
	assert_int_equal(a.info.len, b.info.len);
	assert_memory_equal(a.info.items, b.info.items, a.info.len);
	release(&a);
	release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_many_workers),
		cmocka_unit_test(test_without_info),
		cmocka_unit_test(test_equal_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
