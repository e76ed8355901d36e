/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "runtime/trace/trace_event.h"

static struct nx_trace_clock straight(void)
{
	struct nx_trace_clock clock = {0};

	nx_trace_clock_add(&clock, (struct nx_trace_tie){1000, 5000});
	nx_trace_clock_add(&clock, (struct nx_trace_tie){2000, 7000});
	return clock;
}

static struct nx_ntrace_event read_back(const struct nx_trace_place *place,
					const struct nx_trace_record *record,
					struct nx_arena *arena)
{
	struct nx_ntrace_stream stream = {0};
	struct nx_bytes bytes = {0};
	struct nx_ntrace_event event;
	struct nx_slice message;

	nx_trace_event_append(place, record, &bytes);
	stream.file =
		nx_slice_of(nx_arena_copy(arena, nx_slice_of(bytes.items, bytes.len)), bytes.len);
	assert_true(nx_ntrace_next(&stream, &message));
	assert_int_equal(stream.at, bytes.len);
	assert_int_equal(nx_wire_decode(&nx_ntrace_event_message, message, &event, arena, NULL,
					NULL),
			 NX_OK);
	nx_vec_release(&bytes);
	return event;
}

static void expect(const struct nx_ntrace_event *event, const char *key, const char *value)
{
	for (size_t i = 0; i < event->attributes.count; i++)
		if (nx_slice_is(event->attributes.items[i].key, key)) {
			assert_true(nx_slice_is(event->attributes.items[i].value, value));
			return;
		}
	fail_msg("no attribute %s", key);
}

static void an_event_names_its_asynchronous_request(void **state)
{
	struct nx_trace_clock clock = straight();
	struct nx_trace_place place = {2, 34, 100, &clock};
	struct nx_trace_record record = {.position = 104,
					 .type = NX_TRACE_NRT_EXECUTE,
					 .phase = NX_PHASE_START,
					 .args = {7, 0, 0, UINT64_C(0x10000000000005)}};
	struct nx_arena arena = {0};

	(void)state;
	assert_int_equal(read_back(&place, &record, &arena).nrta_seq_id, 0x10000000000005);
	assert_int_equal(read_back(&place, &record, &arena).attributes.count, 3);
	record.args[NX_TRACE_SEQ_ARG] = 0;
	assert_int_equal(read_back(&place, &record, &arena).nrta_seq_id, 0);
	/* here the word is a size */
	record.type = NX_TRACE_COPYIN;
	record.args[NX_TRACE_SEQ_ARG] = 4096;
	assert_int_equal(read_back(&place, &record, &arena).nrta_seq_id, 0);
	nx_arena_release(&arena);
}

static void a_start_is_its_own_tracking_id(void **state)
{
	struct nx_trace_clock clock = straight();
	struct nx_trace_place place = {2, 34, 100, &clock};
	struct nx_trace_record record = {.position = 104,
					 .ticks = 1500,
					 .thread_id = 99,
					 .type = NX_TRACE_TENSOR_WRITE,
					 .phase = NX_PHASE_START,
					 .args = {202982732869795, UINT64_MAX}};
	struct nx_arena arena = {0};
	struct nx_ntrace_event event = read_back(&place, &record, &arena);

	(void)state;
	assert_int_equal(event.id, (UINT64_C(2) << 50) + 5);
	assert_int_equal(event.tracking_id, event.id);
	assert_int_equal(event.timestamp_ns, 6000);
	assert_int_equal(event.thread_id, 99);
	assert_int_equal(event.event_type, 10);
	assert_int_equal(event.phase, NX_PHASE_START);
	assert_int_equal(event.attributes.count, 4);
	expect(&event, "tensor_id", "202982732869795");
	expect(&event, "size", "18446744073709551615");
	expect(&event, "nc_idx", "2");
	expect(&event, "worker_gid", "34");
	nx_arena_release(&arena);
}

static void a_stop_names_its_start(void **state)
{
	struct nx_trace_clock clock = straight();
	struct nx_trace_place place = {0, 0, 100, &clock};
	struct nx_trace_record record = {.position = 110,
					 .ticks = 77,
					 .tracking = 105,
					 .flags = NX_TRACE_IS_EPOCH,
					 .type = NX_TRACE_NC_RUNNING,
					 .phase = NX_PHASE_STOP,
					 .args = {257063241498730}};
	struct nx_arena arena = {0};
	struct nx_ntrace_event event = read_back(&place, &record, &arena);

	(void)state;
	assert_int_equal(event.id, 11);
	assert_int_equal(event.tracking_id, 5);
	assert_int_equal(event.timestamp_ns, 77);
	assert_int_equal(event.attributes.count, 3);
	expect(&event, "nc_timestamp_ns", "257063241498730");
	record.tracking = 100; /* the last position before the session */
	event = read_back(&place, &record, &arena);
	assert_int_equal(event.tracking_id, event.id);
	nx_arena_release(&arena);
}

static void device_memory_is_packed_into_four_words(void **state)
{
	struct nx_trace_clock clock = straight();
	struct nx_trace_place place = {0, 0, 0, &clock};
	struct nx_trace_record start = {.type = NX_TRACE_MEM_ALLOC,
					.phase = NX_PHASE_START,
					.args = {nx_trace_pack_place(3, true, true, 15, 12)}};
	struct nx_trace_record stop = {.type = NX_TRACE_MEM_ALLOC,
				       .phase = NX_PHASE_STOP,
				       .args = {nx_trace_pack_outcome(4096, 12), 8192, 6000,
						0x8000001000}};
	struct nx_arena arena = {0};
	struct nx_ntrace_event event = read_back(&place, &start, &arena);

	(void)state;
	expect(&event, "hbm_idx", "3");
	expect(&event, "is_nc_hbm", "1");
	expect(&event, "is_aligned", "1");
	expect(&event, "mla_idx", "15");
	expect(&event, "usage_type", "tensor");
	event = read_back(&place, &stop, &arena);
	expect(&event, "allocated_bytes", "4096");
	expect(&event, "return_code", "12");
	expect(&event, "total_bytes", "8192");
	expect(&event, "usage_type_total_bytes", "6000");
	expect(&event, "physical_address", "0x8000001000");
	nx_arena_release(&arena);
}

static void every_type_has_a_name_and_a_layout_that_fits(void **state)
{
	struct nx_trace_clock clock = straight();
	struct nx_trace_place place = {127, 1000, 0, &clock};

	(void)state;
	assert_non_null(nx_ntrace_event_name(NX_TRACE_TYPE_COUNT - 1));
	assert_null(nx_ntrace_event_name(NX_TRACE_TYPE_COUNT));
	for (unsigned type = 0; type <= UINT8_MAX; type++)
		for (unsigned phase = 0; phase < 5; phase++) {
			struct nx_trace_record record = {
				.type = (uint8_t)type, .phase = (uint8_t)phase, .position = 1};
			struct nx_trace_value values[NX_TRACE_MAX_VALUES];
			struct nx_arena arena = {0};

			memset(record.args, 0xff, sizeof(record.args));
			assert_in_range(nx_trace_event_values(&record, values), 0,
					NX_TRACE_MAX_VALUES);
			assert_int_equal(read_back(&place, &record, &arena).event_type, type);
			nx_arena_release(&arena);
		}
}

static void sizes_are_exact_to_the_last_bit(void **state)
{
	(void)state;
	assert_int_equal(nx_trace_pack_outcome((UINT64_C(1) << 48) - 1, 0),
			 (UINT64_C(1) << 48) - 1);
	assert_int_equal(nx_trace_pack_place(0x1ff, false, false, 0, 0), 0xff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_names_its_asynchronous_request),
		cmocka_unit_test(a_start_is_its_own_tracking_id),
		cmocka_unit_test(a_stop_names_its_start),
		cmocka_unit_test(device_memory_is_packed_into_four_words),
		cmocka_unit_test(every_type_has_a_name_and_a_layout_that_fits),
		cmocka_unit_test(sizes_are_exact_to_the_last_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
