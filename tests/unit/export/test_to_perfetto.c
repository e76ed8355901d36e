/* SPDX-License-Identifier: Apache-2.0 */
/* The whole trace of a small profile, packet by packet; see perfetto_reader.h for the notation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "export/exporters.h"
#include "export_fixture.h"
#include "perfetto_reader.h"

static const char *export(struct nx_export_fixture *f, struct nx_perfetto_reading *r, bool flows)
{
	struct nx_export_options options = {.perfetto_flows = flows};

	nx_perfetto_reading_begin(r, false);
	assert_int_equal(nx_exporter_find("perfetto")->write(&f->p, &options, &r->out, &f->err),
			 NX_OK);
	return nx_perfetto_reading_end(r);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		n++;
	return n;
}

static void assert_holds(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no '%s' in\n%s", what, text);
}

static void engines_are_rows_of_their_core(void **state)
{
	struct nx_perfetto_reading r;
	const char *text = export(*state, &r, false);

	assert_holds(text, "2='NeuronCore 4 (sg00)' 11=3 12=1}");
	assert_holds(text, "2='TensorMatrix' 11=3 12=0}");
	assert_holds(text, "2='Tensor' 11=3 12=1}");
	/* engines that did nothing are not shown */
	assert_null(strstr(text, "2='Vector'"));
	/* the NOP of 1..4 ns; a MATMUL below a nanosecond has no length */
	assert_holds(text, "2{1=1 2='NOP'}");
	assert_holds(text, "2{1=1 2='MATMUL'}");
	nx_perfetto_reading_release(&r);
}

static void details_are_named_like_the_json_fields(void **state)
{
	static const char *const names[] = {
		"id",
		"crc_in",
		"crc_out",
		"evt_wait_time",
		"pc",
		"label",
		"subgroup",
		"opcode",
		"operands",
		"bir_id",
		"hlo_name",
		"source_line",
		"bir_instruction_name",
		"elements",
		"layer",
		"raw_bir_id",
		"psum_write_bytes",
		"raw_hlo_id",
	};
	struct nx_perfetto_reading r;
	const char *text = export(*state, &r, false);
	char want[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(want, sizeof(want), " 2='%s'}", names[i]);
		assert_holds(text, want);
	}
	assert_holds(text, "4{1=1 3=1} 4{1=2 3=4660} 4{1=3 3=65535} 4{1=4 3=10} 4{1=5 3=0}");
	assert_holds(text, "2='sg0001:20'}");
	assert_null(strstr(text, "'trigger'} 11")); /* none was found for the rows */
	nx_perfetto_reading_release(&r);
}

/* Two packets at one time on one (queue, engine): the second nests; names as in JSON. */
static void packets_and_transfers_have_rows(void **state)
{
	struct nx_perfetto_reading r;
	const char *text = export(*state, &r, false);

	assert_holds(text, "2='DMA packets'");
	assert_holds(text, "2='qSyncIO-Q2-E64'");
	assert_holds(text, "2='DMA transfers'");
	assert_int_equal(count(text, "2='qSyncIO' 11=3"), 1);
	assert_holds(text, "2='x'}"); /* the variable the NEFF names */
	assert_holds(text, "2='S[8] (qSyncIO)'}");
	nx_perfetto_reading_release(&r);
}

static void flows_join_an_instruction_and_its_predecessor(void **state)
{
	struct nx_perfetto_reading r;
	const char *text = export(*state, &r, true);

	/* instruction 1 to instruction 2, once, though two kinds of edge lead there */
	assert_int_equal(count(text, " 47="), 1);
	assert_int_equal(count(text, " 48="), 1);
	assert_holds(text, "47=4294967298#");
	assert_holds(text, "48=4294967298#");
	nx_perfetto_reading_release(&r);
	text = export(*state, &r, false);
	assert_int_equal(count(text, " 47=") + count(text, " 48="), 0);
	nx_perfetto_reading_release(&r);
}

static void counters_have_a_sample_per_row(void **state)
{
	struct nx_export_fixture *f = *state;
	const struct nx_pending pending[] = {{1000, 1, 0}, {2000, -1, 0}};
	const struct nx_throttle throttle[] = {{.start_ps = 3000, .k = 1, .n = 4},
					       {.start_ps = 5000, .k = 3, .n = 0}};
	const struct nx_buffer_usage usage[] = {
		{.time_ps = 1000, .buffer = NX_BUFFER_PSUM, .banks = 0x81, .banks_ever = 0x81},
		{.time_ps = 4000, .buffer = NX_BUFFER_SBUF, .live_bytes = 0},
	};
	struct nx_perfetto_reading r;
	const char *text;

	f->tables[NX_TABLE_PENDING] = (struct nx_fixture_table){pending, sizeof(pending[0]), 2};
	f->tables[NX_TABLE_THROTTLE] = (struct nx_fixture_table){throttle, sizeof(throttle[0]), 2};
	f->tables[NX_TABLE_BUFFER_USAGE] = (struct nx_fixture_table){usage, sizeof(usage[0]), 2};
	text = export(f, &r, false);
	assert_holds(text, "2='Pending DMA' 8{3=2} 11=3 12=9}");
	assert_holds(text, "11{9=4 30=-1}");
	assert_holds(text, "2='Throttling limit' 8{6='fraction'}");
	assert_holds(text, "11{9=4 44=0.25}\n");
	assert_holds(text, "2='PSUM banks'");
	assert_holds(text, "11{9=4 30=2}");
	assert_int_equal(count(text, "11{9=4 "), 2 + 2 + 2 + 1);
	nx_perfetto_reading_release(&r);
}

static void the_memory_tracker_has_counters_by_holder(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_memory_holder holders[] = {{.name = "exp.7", .kind = "hlo"},
					     {.name = "w0", .kind = "weight"}};
	struct nx_memory_report report = {.holders = holders, .holder_count = 2};
	const struct nx_memory_use uses[] = {
		{.time_ps = 1000, .live_bytes = 64, .total_bytes = 64, .holder = 1},
		{.time_ps = 2000, .live_bytes = 32, .total_bytes = 96, .holder = 0}};
	struct nx_perfetto_reading r;
	const char *text;

	report.peaks[0][NX_MEMORY_SBUF].row_count = 2;
	holders[0].shares[NX_MEMORY_SBUF] = (struct nx_memory_share){.max_bytes = 32};
	holders[1].shares[NX_MEMORY_SBUF] =
		(struct nx_memory_share){.max_bytes = 64, .bytes_at_peak = 64};
	f->p.memory = &report;
	f->tables[NX_TABLE_MEMORY_USE] = (struct nx_fixture_table){uses, sizeof(uses[0]), 2};
	text = export(f, &r, false);
	f->p.memory = NULL;
	assert_holds(text, "2='Memory'");
	assert_holds(text, "2='sbuf'");
	assert_int_equal(count(text, "2='psum'"), 0);
	assert_holds(text, "2='w0 (weight)' 8{3=3} 11=3 12=1}"); /* most bytes at the peak */
	assert_holds(text, "2='exp.7 (hlo)' 8{3=3} 11=3 12=2}");
	assert_int_equal(count(text, "11{9=4 30=64}"), 2); /* the total and the weight */
	assert_int_equal(count(text, "11{9=4 30=96}"), 1);
	assert_int_equal(count(text, "11{9=4 30=32}"), 1);
	nx_perfetto_reading_release(&r);
}

/* The tables of points come in the order of their records, a track needs that of time. */
static void points_are_put_in_order(void **state)
{
	struct nx_export_fixture *f = *state;
	const struct nx_event events[] = {
		{.time_ps = 9000, .value = 4, .id = 8, .is_semaphore = true},
		{.time_ps = 2000, .value = 3, .id = 7, .is_semaphore = true},
		{.time_ps = 3000, .value = 5, .id = 8},
	};
	const struct nx_fault faults[] = {{.time_ps = 1000, .id = 1, .slot = NX_NONE, .engine = 9},
					  {.time_ps = 4000,
					   .id = 7,
					   .kind = NX_FAULT_CUSTOM,
					   .slot = 1,
					   .engine = NX_ENGINE_TENSOR},
					  {.time_ps = 5000, .id = 500, .slot = NX_NONE}};
	struct nx_perfetto_reading r;
	const char *text;

	f->tables[NX_TABLE_EVENT] = (struct nx_fixture_table){events, sizeof(events[0]), 3};
	f->tables[NX_TABLE_FAULT] = (struct nx_fixture_table){faults, sizeof(faults[0]), 3};
	nx_profile_warn(&f->p, "Data Loss", "%s", "gone");
	text = export(f, &r, false);
	assert_holds(text, "12{2{1=1 2='S[7]'} 3{1=1 2='value'}} 11{9=3 10=1 4{1=1 3=3}}\n"
			   "8=7 ");
	assert_holds(text, "2='S[8] (qSyncIO)'}} 11{9=3 10=2 4{1=1 3=4}}");
	assert_holds(text, "2='not a number'");
	assert_holds(text, "2='collective start'");
	assert_holds(text, "2='unknown error'");
	assert_holds(text, "2='Data Loss'");
	assert_holds(text, "2='gone'");
	nx_perfetto_reading_release(&r);
}

int main(void)
{
#define CASE(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_export_fixture_setup, nx_export_fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(engines_are_rows_of_their_core),
		CASE(details_are_named_like_the_json_fields),
		CASE(packets_and_transfers_have_rows),
		CASE(flows_join_an_instruction_and_its_predecessor),
		CASE(counters_have_a_sample_per_row),
		CASE(the_memory_tracker_has_counters_by_holder),
		CASE(points_are_put_in_order),
	};

	return cmocka_run_group_tests_name("export/to_perfetto", tests, NULL, NULL);
}
