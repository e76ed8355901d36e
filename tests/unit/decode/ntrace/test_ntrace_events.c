/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/ntrace/ntrace_fixture.h"

enum { EXECUTE = 3, RUNNING = 7, WRITE = 10, SYNC = 25, ALLOC = 34 };

static const char folder[] = "i-0123_pid_45";
static const struct pair core_2[] = {{"nc_idx", "2"}, {"worker_gid", "6"}, {NULL, NULL}};

static const char *name_of(const struct trace *t, size_t row)
{
	return t->process.names[t->rows.items[row].name];
}

/* Two calls that overlap: each STOP finds its own START. */
static void test_pairs(void **state)
{
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_START, EXECUTE, 1, 1000, core_2);
	put_event(&t, NX_PHASE_START, WRITE, 2, 1100, core_2);
	put_event(&t, NX_PHASE_STOP, EXECUTE, 1, 1500, core_2);
	put_event(&t, NX_PHASE_STOP, WRITE, 2, 1700, core_2);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 2);
	assert_int_equal(t.rows.items[0].start_ns, 1000);
	assert_int_equal(t.rows.items[0].end_ns, 1500);
	assert_int_equal(t.rows.items[0].id, 1);
	assert_int_equal(t.rows.items[0].thread_id, 45);
	assert_int_equal(t.rows.items[0].type, EXECUTE);
	assert_int_equal(t.rows.items[0].process, 9);
	assert_int_equal(t.rows.items[0].nc_idx, 2);
	assert_int_equal(t.rows.items[0].worker_gid, 6);
	assert_int_equal(t.rows.items[0].flags, 0);
	assert_int_equal(t.rows.items[0].source, NX_SOURCE_RUNTIME);
	assert_string_equal(name_of(&t, 0), "nrt_execute");
	assert_int_equal(t.rows.items[1].end_ns, 1700);
	assert_string_equal(name_of(&t, 1), "nrt_tensor_write");
	assert_int_equal(t.process.stored_event_count, 4);
	assert_int_equal(t.process.total_event_count, 4);
	assert_int_equal(t.process.worker_count, 1);
	assert_int_equal(t.process.workers[0].nc_idx, 2);
	assert_int_equal(t.process.workers[0].worker_gid, 6);
	release(&t);
}

/* START, STOP or both may have the id. */
static void test_sequence_ids(void **state)
{
	struct trace t = {0};
	const struct nx_ntrace_event records[] = {
		{.event_type = EXECUTE, .id = 1, .phase = NX_PHASE_START, .tracking_id = 1},
		{.event_type = EXECUTE,
		 .id = 2,
		 .phase = NX_PHASE_STOP,
		 .tracking_id = 1,
		 .nrta_seq_id = UINT64_MAX},
		{.event_type = WRITE,
		 .id = 3,
		 .phase = NX_PHASE_START,
		 .tracking_id = 3,
		 .nrta_seq_id = 7},
		{.event_type = SYNC, .id = 4, .phase = NX_PHASE_INSTANT, .tracking_id = 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		nx_ntrace_append(&t.events, &nx_ntrace_event_message, &records[i]);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 3);
	assert_int_equal(t.rows.items[0].flags, NX_EVENT_QUEUED);
	assert_int_equal(nx_ntrace_event_seq(&t.decoder, &t.rows.items[0]), UINT64_MAX);
	assert_int_equal(t.rows.items[1].flags, NX_EVENT_INSTANT);
	assert_int_equal(nx_ntrace_event_seq(&t.decoder, &t.rows.items[1]), 0);
	assert_int_equal(t.rows.items[2].flags, NX_EVENT_QUEUED | NX_EVENT_UNFINISHED);
	assert_int_equal(nx_ntrace_event_seq(&t.decoder, &t.rows.items[2]), 7);
	assert_int_equal(t.decoder.loss.unknown_field_count, 0);
	release(&t);
}

/* The same tracking id in two types is two events. */
static void test_key_is_both(void **state)
{
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_START, EXECUTE, 1, 10, NULL);
	put_event(&t, NX_PHASE_START, WRITE, 1, 11, NULL);
	put_event(&t, NX_PHASE_STOP, WRITE, 1, 12, NULL);
	put_event(&t, NX_PHASE_STOP, EXECUTE, 1, 13, NULL);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 2);
	assert_int_equal(t.rows.items[0].start_ns, 11);
	assert_int_equal(t.rows.items[1].end_ns, 13);
	assert_int_equal(t.rows.items[1].nc_idx, -1);
	assert_int_equal(t.rows.items[1].worker_gid, UINT32_MAX);
	assert_int_equal(t.process.worker_count, 0);
	release(&t);
}

static void test_instants_and_sources(void **state)
{
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_INSTANT, SYNC, 1, 10, core_2);
	put_event(&t, NX_PHASE_INVALID, WRITE, 2, 11, NULL);
	put_event(&t, 7, WRITE, 3, 12, NULL);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 3);
	assert_int_equal(t.rows.items[0].flags, NX_EVENT_INSTANT);
	assert_int_equal(t.rows.items[0].end_ns, 10);
	assert_int_equal(t.rows.items[0].handle.words[NX_RECORD_STOP], 0);
	assert_int_equal(t.rows.items[0].source, NX_SOURCE_HARDWARE);
	assert_int_equal(t.rows.items[1].flags, NX_EVENT_INSTANT);
	assert_int_equal(t.decoder.loss.unknown_phase_count, 2);
	assert_int_equal(t.decoder.loss.unfinished_count + t.decoder.loss.orphan_count, 0);
	release(&t);
}

static void check_unfinished(uint64_t close_ns, uint64_t want_first, uint64_t want_second)
{
	struct nx_ntrace_info info = {.pid = 45, .close_ns = close_ns};
	struct trace t = {0};

	put_info(&t, &info);
	put_event(&t, NX_PHASE_START, EXECUTE, 1, 100, NULL);
	put_event(&t, NX_PHASE_START, EXECUTE, 2, 300, NULL);
	put_event(&t, NX_PHASE_INSTANT, SYNC, 3, 400, NULL);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 3);
	assert_int_equal(t.rows.items[1].start_ns, 100);
	assert_int_equal(t.rows.items[1].end_ns, want_first);
	assert_int_equal(t.rows.items[1].flags, NX_EVENT_UNFINISHED);
	assert_int_equal(t.rows.items[2].end_ns, want_second);
	assert_int_equal(t.decoder.loss.unfinished_count, 2);
	release(&t);
}

/* They end with the session; else with the last time seen; never before they start. */
static void test_unfinished(void **state)
{
	(void)state;
	check_unfinished(1000, 1000, 1000);
	check_unfinished(0, 400, 400);
	check_unfinished(200, 200, 300);
}

static void check_end(uint64_t init_ns, uint64_t close_ns, uint64_t counted, bool wants_end)
{
	struct nx_ntrace_info info = {
		.pid = 45, .init_ns = init_ns, .close_ns = close_ns, .has_events = true};
	struct trace t = {0};

	info.events.num_events = counted;
	put_info(&t, &info);
	put_event(&t, NX_PHASE_INSTANT, SYNC, 1, 400, NULL);
	put_event(&t, NX_PHASE_INSTANT, SYNC, 2, 300, NULL);
	decode(&t, folder);
	assert_int_equal(t.decoder.loss.has_no_end, !wants_end);
	assert_int_equal(t.decoder.newest_ns, 400);
	release(&t);
}

/* A session that was never begun, as in files without times, cannot lack its end. */
static void test_end(void **state)
{
	(void)state;
	check_end(100, 500, 2, true);
	check_end(100, 500, 3, true);  /* fewer than counted is another loss */
	check_end(100, 500, 0, true);  /* not counted at all */
	check_end(100, 500, 1, false); /* events after the count */
	check_end(100, 0, 2, false);
	check_end(100, 0, 0, false);
	check_end(0, 0, 0, true);
}

static void test_orphans_and_backwards(void **state)
{
	static const struct pair stop[] = {{"nc_timestamp_ns", "77"}, {NULL, NULL}};
	struct nx_event_attribute found[4];
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_STOP, RUNNING, 1, 100, stop);
	put_event(&t, NX_PHASE_START, EXECUTE, 2, 300, NULL);
	put_event(&t, NX_PHASE_STOP, EXECUTE, 2, 299, core_2);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 2);
	assert_int_equal(t.rows.items[0].flags, NX_EVENT_ORPHAN);
	assert_int_equal(t.rows.items[0].start_ns, 100);
	assert_int_equal(t.rows.items[0].end_ns, 100);
	assert_int_equal(t.rows.items[0].handle.words[NX_RECORD_START], 0);
	assert_int_equal(nx_ntrace_event_attributes(&t.decoder, &t.rows.items[0], found, 4), 1);
	assert_true(nx_slice_is(found[0].key, "nc_stop_timestamp_ns"));
	assert_int_equal(t.rows.items[1].start_ns, 300);
	assert_int_equal(t.rows.items[1].end_ns, 300);
	assert_int_equal(t.rows.items[1].nc_idx, 2);
	assert_int_equal(t.decoder.loss.orphan_count, 1);
	assert_int_equal(t.decoder.loss.backwards_count, 1);
	release(&t);
}

/* A START whose STOP was lost stays open when its id comes again. */
static void test_duplicates(void **state)
{
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_START, EXECUTE, 1, 100, NULL);
	put_event(&t, NX_PHASE_START, EXECUTE, 1, 200, NULL);
	put_event(&t, NX_PHASE_STOP, EXECUTE, 1, 250, NULL);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 2);
	assert_int_equal(t.rows.items[0].start_ns, 200);
	assert_int_equal(t.rows.items[1].start_ns, 100);
	assert_int_equal(t.rows.items[1].flags, NX_EVENT_UNFINISHED);
	assert_int_equal(t.decoder.loss.duplicate_count, 1);
	assert_int_equal(t.decoder.loss.unfinished_count, 1);
	release(&t);
}

static void test_unknown_types(void **state)
{
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_INSTANT, 46, 1, 10, NULL);
	put_event(&t, NX_PHASE_INSTANT, 46, 2, 11, NULL);
	put_event(&t, NX_PHASE_INSTANT, UINT64_MAX, 3, 12, NULL);
	decode(&t, folder);
	assert_string_equal(name_of(&t, 0), "event_type_46");
	assert_int_equal(t.rows.items[0].name, t.rows.items[1].name);
	assert_int_equal(t.rows.items[0].type, 46);
	assert_string_equal(name_of(&t, 2), "event_type_18446744073709551615");
	assert_int_equal(t.rows.items[2].type, UINT32_MAX);
	assert_int_equal(t.decoder.loss.unknown_type_count, 2);
	release(&t);
}

/* Records that are none: the others are kept. */
static void test_unreadable(void **state)
{
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_INSTANT, SYNC, 1, 10, NULL);
	nx_bytes_append(&t.events, "\3\0\0\0\x62\x7f\1", 7);
	nx_bytes_append(&t.events, "\0\0\0\0", 4);
	put_event(&t, NX_PHASE_INSTANT, SYNC, 1, 20, NULL);
	nx_bytes_append(&t.events, "\xff\0\0\0abcdef", 10);
	decode(&t, folder);
	assert_int_equal(t.rows.len, 2);
	assert_int_equal(t.decoder.loss.unreadable_count, 2);
	assert_int_equal(t.decoder.loss.torn_event_bytes, 10);
	assert_int_equal(t.process.stored_event_count, 4);
	release(&t);
}

static void ignore_row(void *context, const void *row)
{
	(void)row;
	++*(size_t *)context;
}

/* The pipeline scans more than once: nothing is counted twice. */
static void test_again(void **state)
{
	struct nx_ntrace_loss first;
	struct trace t = {0};
	size_t count = 0;

	(void)state;
	put_event(&t, NX_PHASE_STOP, EXECUTE, 8, 10, core_2);
	put_event(&t, NX_PHASE_START, 99, 9, 10, core_2);
	put_event(&t, NX_PHASE_START, 99, 9, 10, core_2);
	nx_bytes_append(&t.events, "\2\0\0\0\x88\x01", 6);
	nx_bytes_append(&t.events, "\4\0\0\0\x88\x01\x01\x08", 6);
	decode(&t, folder);
	first = t.decoder.loss;
	nx_ntrace_decode_events(&t.decoder, ignore_row, &count);
	assert_int_equal(count, t.rows.len);
	assert_memory_equal(&first, &t.decoder.loss, sizeof(first));
	assert_int_equal(t.process.worker_count, 1);
	release(&t);
}

/* Somebody else may have put names of his own behind ours. */
static void test_replaced_names(void **state)
{
	struct trace t = {0};
	const char **names;
	uint32_t index;

	(void)state;
	put_event(&t, NX_PHASE_INSTANT, SYNC, 1, 10, NULL);
	decode(&t, folder);
	names = NX_NEW_ARRAY(&t.arena, const char *, t.process.name_count + 1);
	memcpy(names, t.process.names, t.process.name_count * sizeof(*names));
	names[t.process.name_count++] = "theirs";
	t.process.names = names;
	index = nx_ntrace_name_index(&t.decoder, nx_slice_text("ours"));
	assert_int_equal(index, t.process.name_count - 1);
	assert_string_equal(t.process.names[index - 1], "theirs");
	assert_string_equal(t.process.names[index], "ours");
	assert_int_equal(nx_ntrace_name_index(&t.decoder, nx_slice_text("ours")), index);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_sequence_ids),
		cmocka_unit_test(test_key_is_both),
		cmocka_unit_test(test_instants_and_sources),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_orphans_and_backwards),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_replaced_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
