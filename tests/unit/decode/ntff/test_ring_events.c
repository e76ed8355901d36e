/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/binary.h"
#include "ntff_fixture.h"

static void put(struct nx_ntff_fixture *f, uint64_t trace_type, uint32_t w0, uint32_t w1,
		uint64_t ticks)
{
	nx_fixture_record(f, 0, trace_type, NX_BLOCK_CORE, (struct nx_notification){w0, w1, ticks});
}

/* --- events ---------------------------------------------------------------- */

static size_t events(struct nx_ntff_fixture *f)
{
	return nx_fixture_decode(f, nx_ntff_decode_events, sizeof(struct nx_event));
}

static void a_semaphore_update_is_taken_apart(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_event *e;

	/* Vector (event), bit 30 set, mode 3, semaphore 0x21 */
	put(f, NX_TRACE_EVENT, 0x40000000 | 0x13 << 24 | 0xf << 20 | 3 << 16 | 1 << 8 | 0x21,
	    0xdeadbeef, 1000);
	put(f, NX_TRACE_EVENT, NX_TYPE_AXI_EVENT << 24 | 1 << 16 | 0x05, 1, 9000);
	nx_fixture_must_open(f);
	assert_int_equal(events(f), 2);
	e = nx_fixture_row(f, 0);
	assert_int_equal(e->time_ps, 0);
	assert_int_equal(e->id, 0x21);
	assert_int_equal(e->value, 0xdeadbeef);
	assert_int_equal(e->mode, 3);
	assert_true(e->is_semaphore);
	assert_int_equal(e->source, NX_ENGINE_VECTOR);
	e = nx_fixture_row(f, 1);
	assert_int_equal(e->time_ps, 8000);
	assert_false(e->is_semaphore);
	assert_int_equal(e->source, NX_ENGINE_COUNT);
}

static void early_semaphores_are_counted_and_not_shown(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->version = 5;
	f->info.executions.count = 0;
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, 1000);
	put(f, NX_TRACE_EVENT, 0x07000000 | 1 << 8, 1, 999);
	put(f, NX_TRACE_EVENT, 0x07000000, 1, 999); /* an event, no semaphore */
	put(f, NX_TRACE_EVENT, 0x07000000 | 1 << 8, 2, 1001);
	nx_fixture_must_open(f);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(events(f), 1);
		assert_int_equal(f->decoder.early_semaphore_count, 1);
		assert_int_equal(nx_ntff_event_record_count(&f->decoder, 0), 3);
	}
}

/* --- throttle -------------------------------------------------------------- */

static size_t throttles(struct nx_ntff_fixture *f)
{
	return nx_fixture_decode(f, nx_ntff_decode_throttles, sizeof(struct nx_throttle));
}

static void a_throttle_state_lasts_until_the_next(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_throttle *t;

	put(f, NX_TRACE_THROTTLE, 0x1e000000 | 8 << 16 | 0xffff, 1 << 8 | 0x80 | 6, 500);
	put(f, NX_TRACE_THROTTLE, 0x1e000000 | 8 << 16, 1 << 8 | 6, 1500);
	put(f, NX_TRACE_THROTTLE, 0x1e000000, 0x80, 2500);
	nx_fixture_must_open(f);
	assert_int_equal(throttles(f), 2); /* the first lies before the window */
	t = nx_fixture_row(f, 0);
	assert_int_equal(t->start_ps, 500);
	assert_int_equal(t->end_ps, 1500);
	assert_int_equal(t->k, 6);
	assert_int_equal(t->n, 8);
	assert_int_equal(t->type, 1);
	t = nx_fixture_row(f, 1);
	assert_int_equal(t->start_ps, 1500);
	assert_int_equal(t->end_ps, 0);
	/* n = 0: hardware that knows no limit */
	assert_int_equal(t->k, 1);
	assert_int_equal(t->n, 1);
	assert_int_equal(t->type, 99);
}

static void graphs_throttle_apart(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_notification n = {0x1e000000 | 4 << 16, 2, 3000};

	f->node.device.graphs.count = 2;
	put(f, NX_TRACE_THROTTLE, 0x1e000000 | 4 << 16, 3, 2000);
	nx_fixture_record(f, 1, NX_TRACE_THROTTLE, NX_BLOCK_CORE, n);
	nx_fixture_must_open(f);
	assert_int_equal(throttles(f), 2);
	assert_int_equal(((const struct nx_throttle *)nx_fixture_row(f, 0))->end_ps, 0);
	assert_int_equal(((const struct nx_throttle *)nx_fixture_row(f, 1))->graph, 1);
	assert_int_equal(((const struct nx_throttle *)nx_fixture_row(f, 1))->end_ps, 0);
}

/* --- faults ---------------------------------------------------------------- */

static size_t faults(struct nx_ntff_fixture *f)
{
	return nx_fixture_decode(f, nx_ntff_decode_faults, sizeof(struct nx_fault));
}

static void errors_and_warnings_are_told_apart(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_fault *row;

	put(f, NX_TRACE_ERROR, NX_TYPE_ERROR << 24 | 0x102, 7, 2000); /* id is one byte */
	put(f, NX_TRACE_ERROR, NX_TYPE_INTERRUPT << 24 | 8 | 5, 0, 2100);
	put(f, NX_TRACE_ERROR, NX_TYPE_INTERRUPT << 24 | 5, 0, 2200);
	put(f, NX_TRACE_ERROR, NX_TYPE_ERROR << 24, 0, 9999); /* after the window */
	nx_fixture_must_open(f);
	assert_int_equal(faults(f), 3);
	row = nx_fixture_row(f, 0);
	assert_int_equal(row->kind, NX_FAULT_ERROR);
	assert_int_equal(row->id, 2);
	assert_int_equal(row->w1, 7);
	assert_int_equal(row->engine, NX_ENGINE_COUNT);
	assert_int_equal(row->slot, NX_NONE);
	assert_int_equal(row->time_ps, 1000);
	row = nx_fixture_row(f, 1);
	assert_int_equal(row->kind, NX_FAULT_WARNING);
	assert_int_equal(row->id, 5);
	row = nx_fixture_row(f, 2);
	assert_int_equal(row->kind, NX_FAULT_ERROR);
}

/* Whose instruction it was: w1 of a simulated device says so, that of a real one nobody knows. */
static void errors_of_simulated_devices_have_a_place(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_code(f, 0, NX_ENGINE_VECTOR, 16 << 6, "\x46\x46", 2);
	f->info.runtime_version.git_hash = nx_slice_text("simulated");
	f->info.has_runtime_version = true;
	put(f, NX_TRACE_ERROR, NX_TYPE_ERROR << 24 | 1, 0x80300011, 2000);
	put(f, NX_TRACE_ERROR, NX_TYPE_ERROR << 24 | 1, 0x80300099, 2000); /* in no code */
	put(f, NX_TRACE_ERROR, NX_TYPE_ERROR << 24 | 1, 0x80700011, 2000); /* no engine */
	put(f, NX_TRACE_ERROR, NX_TYPE_ERROR << 24 | 1, 0x00300011, 2000); /* no place */
	nx_fixture_must_open(f);
	assert_true(f->capture.is_simulation);
	assert_int_equal(faults(f), 4);
	assert_int_equal(((const struct nx_fault *)nx_fixture_row(f, 0))->engine, NX_ENGINE_VECTOR);
	assert_int_equal(((const struct nx_fault *)nx_fixture_row(f, 0))->slot, 1);
	assert_int_equal(((const struct nx_fault *)nx_fixture_row(f, 1))->slot, NX_NONE);
	for (size_t i = 2; i < 4; i++)
		assert_int_equal(((const struct nx_fault *)nx_fixture_row(f, i))->engine,
				 NX_ENGINE_COUNT);
}

static void errors_of_real_devices_have_none(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->info.runtime_version.git_hash = nx_slice_text("simula");
	f->info.has_runtime_version = true;
	put(f, NX_TRACE_ERROR, NX_TYPE_ERROR << 24 | 1, 0x80300011, 2000);
	nx_fixture_must_open(f);
	assert_false(f->capture.is_simulation);
	assert_int_equal(faults(f), 1);
	assert_int_equal(((const struct nx_fault *)nx_fixture_row(f, 0))->engine, NX_ENGINE_COUNT);
}

static void explicit_records_are_custom_or_dge(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_fault *row;

	nx_fixture_code(f, 0, NX_ENGINE_GPSIMD, 16 << 6, "\xa6\xa6", 2);
	put(f, NX_TRACE_INSTRUCTION, 0x0e000000 | 1 << 20 | 17, 0, 2000); /* DGE */
	put(f, NX_TRACE_INSTRUCTION, 0x0e000000 | 17, 6 << 16, 2000);
	put(f, NX_TRACE_INSTRUCTION, 0x0e000000 | 99, 7 << 16, 2000);
	put(f, NX_TRACE_INSTRUCTION, 0x0c000000 | 17, 6 << 16, 2000); /* a start */
	nx_fixture_must_open(f);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(faults(f), 2);
	}
	row = nx_fixture_row(f, 0);
	assert_int_equal(row->kind, NX_FAULT_CUSTOM);
	assert_int_equal(row->engine, NX_ENGINE_GPSIMD);
	assert_int_equal(row->id, 6);
	assert_int_equal(row->slot, 1);
	row = nx_fixture_row(f, 1);
	assert_int_equal(row->id, 7);
	assert_int_equal(row->slot, NX_NONE);
}

static void a_dge_notification_names_instruction_engines_and_packets(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_generated *row;

	nx_fixture_code(f, 0, NX_ENGINE_GPSIMD, 16 << 6, "\xb8\xb8", 2);
	put(f, NX_TRACE_INSTRUCTION, 0x0e000000 | 1 << 20 | 17, 9 << 16 | 0x8001, 2000);
	put(f, NX_TRACE_INSTRUCTION, 0x16000000 | 1 << 20, 1 << 30 | 0xffff, 3000); /* Sync */
	put(f, NX_TRACE_INSTRUCTION, 0x0e000000 | 1 << 20 | 17, 9 << 16 | 1, 100);  /* too early */
	put(f, NX_TRACE_INSTRUCTION, 0x0e000000 | 17, 6 << 16, 2000);		    /* custom */
	put(f, NX_TRACE_INSTRUCTION, 0x0c000000 | 1 << 20 | 17, 6 << 16, 2000);	    /* a start */
	nx_fixture_must_open(f);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(nx_fixture_decode(f, nx_ntff_decode_generated,
						   sizeof(struct nx_generated)),
				 2);
		assert_int_equal(f->decoder.loss.dge_record_count, 3); /* anywhere */
	}
	row = nx_fixture_row(f, 0);
	assert_int_equal(row->engine, NX_ENGINE_GPSIMD);
	assert_int_equal(row->slot, 1);
	assert_int_equal(row->dma_engine_mask, 0x8001);
	assert_int_equal(row->packet_count, 9);
	row = nx_fixture_row(f, 1);
	assert_int_equal(row->engine, NX_ENGINE_SYNC);
	assert_int_equal(row->slot, NX_NONE);
	assert_int_equal(row->packet_count, 4096); /* stored as 0 */
	assert_int_equal(
		row->time_ps - ((const struct nx_generated *)nx_fixture_row(f, 0))->time_ps, 1000);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_ntff_fixture_setup, nx_ntff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_semaphore_update_is_taken_apart),
		TEST(early_semaphores_are_counted_and_not_shown),
		TEST(a_throttle_state_lasts_until_the_next),
		TEST(graphs_throttle_apart),
		TEST(errors_and_warnings_are_told_apart),
		TEST(errors_of_simulated_devices_have_a_place),
		TEST(errors_of_real_devices_have_none),
		TEST(explicit_records_are_custom_or_dge),
		TEST(a_dge_notification_names_instruction_engines_and_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
