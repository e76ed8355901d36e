/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tables/fillers.h"
#include "tests/unit/tables/table_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct stated {
	struct nx_profile p;
	struct nx_graph graphs[2];
	struct nx_table_memory memory;
	struct nx_tables_options options;
	struct nx_device_fill fill;
};

/* Two cores, 4 and 5 of device 3, in a window from the timeline that lasts 36351 ns. */
static void make(struct stated *s)
{
	memset(s, 0, sizeof(*s));
	s->graphs[0] = (struct nx_graph){.name = "sg00", .nd_idx = 3, .nc_idx = 4};
	s->graphs[1] = (struct nx_graph){.name = "sg01", .nd_idx = 3, .nc_idx = 5};
	s->p.name = "session";
	s->p.capture = (struct nx_capture){.version = 6,
					   .hardware = nx_hardware_of(NX_ARCH_V3),
					   .model_name = "net",
					   .instance_type = "trn2.3xlarge",
					   .runtime_version = "2.30",
					   .driver_version = "",
					   .collectives_version = "",
					   .graphs = s->graphs,
					   .graph_count = 2,
					   .window_source = NX_WINDOW_TIMELINE,
					   .has_window_end = true,
					   .total_time_ps = 36351609};
	nx_table_memory_init(&s->memory);
	s->fill = (struct nx_device_fill){
		.profile = &s->p, .options = &s->options, .sink = &s->memory.sink, .row_count = 51};
}

static const struct nx_row *fill(struct stated *s, nx_device_filler filler,
				 enum nx_schema_table_id table)
{
	assert_int_equal(filler(&s->fill), NX_OK);
	assert_int_equal(s->memory.begin_counts[table], 1);
	assert_int_equal(s->memory.end_counts[table], 1);
	return nx_table_memory_count(&s->memory, table) ? nx_table_memory_row(&s->memory, table, 0)
							: NULL;
}

static void assert_i64(const struct nx_row *row, unsigned column, int64_t value)
{
	assert_int_equal(row->kinds[column], NX_CELL_I64);
	assert_int_equal(row->cells[column].i64, value);
}

static void assert_text(const struct nx_row *row, unsigned column, const char *text)
{
	assert_string_equal(nx_table_memory_text(row, column), text);
}

static void assert_null_at(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_NULL);
}

static void metadata_has_the_window_and_the_machine(void **state)
{
	struct stated s;
	const struct nx_row *row;

	(void)state;
	make(&s);
	row = fill(&s, nx_fill_metadata, NX_SCHEMA_Metadata);
	assert_text(row, NX_COL_Metadata_profile_schema_version, "7.4.0");
	assert_i64(row, NX_COL_Metadata_ntff_version, 6);
	assert_i64(row, NX_COL_Metadata_num_physical_cores, 2);
	assert_true(row->cells[NX_COL_Metadata_vnc_enabled].boolean);
	assert_i64(row, NX_COL_Metadata_first_hw_timestamp, 0);
	assert_i64(row, NX_COL_Metadata_last_hw_timestamp, 36351);
	assert_text(row, NX_COL_Metadata_first_ts, "1970-01-01T00:00:00Z");
	assert_text(row, NX_COL_Metadata_last_ts, "1970-01-01T00:00:00.000036351Z");
	assert_true(row->cells[NX_COL_Metadata_hbm_ddr_bandwidth].f64 == 716e9);
	assert_true(row->cells[NX_COL_Metadata_dma_ddr_bandwidth].f64 == 435e9);
	assert_true(row->cells[NX_COL_Metadata_vector_engine_clock_freq].f64 == 0.96);
	assert_true(row->cells[NX_COL_Metadata_scalar_engine_clock_freq].f64 == 1.2);
	assert_i64(row, NX_COL_Metadata_num_dma_engines_per_neuroncore, 16);
	assert_i64(row, NX_COL_Metadata_ticks_per_nanosec, 1000);
	assert_i64(row, NX_COL_Metadata_neuroncore_idx, 4);
	assert_i64(row, NX_COL_Metadata_neuron_device_idx, 3);
	assert_text(row, NX_COL_Metadata_instance_type, "trn2.3xlarge");
	assert_text(row, NX_COL_Metadata_profile_name, "session");
	assert_null_at(row, NX_COL_Metadata_driver_version);
	assert_null_at(row, NX_COL_Metadata_compiler_version);
	assert_null_at(row, NX_COL_Metadata_explorer_version);
	assert_null_at(row, NX_COL_Metadata_ultraserver_id);
	nx_table_memory_release(&s.memory);
}

static void metadata_has_what_only_some_captures_tell(void **state)
{
	struct stated s;
	const struct nx_row *row;

	(void)state;
	make(&s);
	s.options.profile_name = "mine";
	s.options.explorer_version = "0.1.0";
	s.p.has_binary = true;
	s.p.binary.compiler_version = "2.23";
	s.p.capture.has_window_end = false; /* then the last instruction ends the span */
	s.p.last_end_ps = 5999;
	s.p.capture.graph_count = 1;
	s.p.capture.ultraserver = nx_ultraserver_of(9, 4, 2);
	row = fill(&s, nx_fill_metadata, NX_SCHEMA_Metadata);
	assert_text(row, NX_COL_Metadata_profile_name, "mine");
	assert_text(row, NX_COL_Metadata_explorer_version, "0.1.0");
	assert_text(row, NX_COL_Metadata_compiler_version, "2.23");
	assert_i64(row, NX_COL_Metadata_last_hw_timestamp, 5);
	assert_false(row->cells[NX_COL_Metadata_vnc_enabled].boolean);
	assert_i64(row, NX_COL_Metadata_ultraserver_id, 9);
	assert_i64(row, NX_COL_Metadata_ultraserver_size, 4);
	assert_i64(row, NX_COL_Metadata_ultraserver_instance_index, 2);
	assert_null_at(row, NX_COL_Metadata_ultraserver_type);
	nx_table_memory_release(&s.memory);
}

static void a_header_s_numbers_are_numbers(void **state)
{
	struct nx_property header[] = {
		{"network_name", "net"},
		{"data_size", "40960"},
		{"major_version", "2"},
		{"minor_version", "none"},
		{"package_version", "2"},
		{"number_of_logical_neuroncores", "3"},
		{"number_of_neuroncores_per_lnc", "2"},
	};
	struct stated s;
	const struct nx_row *row;

	(void)state;
	make(&s);
	s.p.has_binary = true;
	s.p.binary.header = header;
	s.p.binary.header_count = COUNT(header);
	row = fill(&s, nx_fill_neff_header, NX_SCHEMA_NeffHeader);
	assert_text(row, NX_COL_NeffHeader_network_name, "net");
	assert_text(row, NX_COL_NeffHeader_package_version, "2");
	assert_i64(row, NX_COL_NeffHeader_data_size, 40960);
	assert_i64(row, NX_COL_NeffHeader_major_version, 2);
	assert_i64(row, NX_COL_NeffHeader_logical_neuroncore_count, 3);
	assert_i64(row, NX_COL_NeffHeader_pcore_count_per_lnc, 2);
	assert_i64(row, NX_COL_NeffHeader_neuroncore_count, 6);
	assert_null_at(row, NX_COL_NeffHeader_minor_version);
	assert_null_at(row, NX_COL_NeffHeader_uuid);
	assert_null_at(row, NX_COL_NeffHeader_cc_participant_count);
	nx_table_memory_release(&s.memory);
}

static void without_a_neff_there_is_no_header(void **state)
{
	struct stated s;

	(void)state;
	make(&s);
	assert_null(fill(&s, nx_fill_neff_header, NX_SCHEMA_NeffHeader));
	nx_table_memory_release(&s.memory);
}

static void an_execution_has_the_marks_that_were_found(void **state)
{
	struct stated s;
	const struct nx_row *row;

	(void)state;
	make(&s);
	s.p.capture.execution = 7;
	row = fill(&s, nx_fill_execution, NX_SCHEMA_ExecutionInfo);
	assert_i64(row, NX_COL_ExecutionInfo_execution_index, 7);
	assert_text(row, NX_COL_ExecutionInfo_neff_name, "net");
	assert_i64(row, NX_COL_ExecutionInfo_execution_start_ts, 0);
	assert_i64(row, NX_COL_ExecutionInfo_execution_end_ts, 36351);
	assert_i64(row, NX_COL_ExecutionInfo_num_subgraphs, 2);
	assert_i64(row, NX_COL_ExecutionInfo_row_count, 51);
	nx_table_memory_release(&s.memory);
}

static void an_execution_without_marks_and_name(void **state)
{
	struct stated s;
	const struct nx_row *row;

	(void)state;
	make(&s);
	s.p.capture.model_name = "";
	s.p.capture.window_source = NX_WINDOW_FIRST_RECORD;
	s.p.capture.has_window_end = false;
	row = fill(&s, nx_fill_execution, NX_SCHEMA_ExecutionInfo);
	assert_null_at(row, NX_COL_ExecutionInfo_neff_name);
	assert_null_at(row, NX_COL_ExecutionInfo_execution_start_ts);
	assert_null_at(row, NX_COL_ExecutionInfo_execution_end_ts);
	nx_table_memory_release(&s.memory);
}

static void the_neff_knows_its_name_better(void **state)
{
	struct stated s;

	(void)state;
	make(&s);
	s.p.has_binary = true;
	s.p.binary.network_name = "compiled";
	assert_text(fill(&s, nx_fill_execution, NX_SCHEMA_ExecutionInfo),
		    NX_COL_ExecutionInfo_neff_name, "compiled");
	nx_table_memory_release(&s.memory);
}

static void queues_are_listed_by_name_for_each_core(void **state)
{
	struct nx_queue queues[] = {
		{.engine_idx = 64, .queue_idx = 1, .type = 2, .name = "q", .display_name = "qA"},
		{.engine_idx = 65,
		 .queue_idx = 2,
		 .type = 3,
		 .name = "q",
		 .display_name = "qA",
		 .axi_port = 6,
		 .dram_channel = 7},
	};
	struct stated s;
	const struct nx_row *row;

	(void)state;
	make(&s);
	s.graphs[1].queues = queues;
	s.graphs[1].queue_count = 2;
	row = fill(&s, nx_fill_queues, NX_SCHEMA_DmaQueuesInfo);
	assert_int_equal(nx_table_memory_count(&s.memory, NX_SCHEMA_DmaQueuesInfo), 1);
	assert_text(row, NX_COL_DmaQueuesInfo_name, "qA");
	assert_text(row, NX_COL_DmaQueuesInfo_type, "input");
	assert_i64(row, NX_COL_DmaQueuesInfo_pcore_idx, 1);
	assert_i64(row, NX_COL_DmaQueuesInfo_idx, 2);
	assert_i64(row, NX_COL_DmaQueuesInfo_engine_idx, 65);
	assert_i64(row, NX_COL_DmaQueuesInfo_axi_port, 6);
	assert_i64(row, NX_COL_DmaQueuesInfo_dram_channel, 7);
	nx_table_memory_release(&s.memory);
}

static void memory_of_each_core_ends_with_its_total(void **state)
{
	struct nx_memory_usage memory[] = {{"IO", 8}, {"Weights", 34}};
	const struct {
		int64_t core;
		const char *usage_type;
		int64_t bytes;
	} expected[] = {{4, "Total", 0}, {5, "IO", 8}, {5, "Weights", 34}, {5, "Total", 42}};
	struct stated s;

	(void)state;
	make(&s);
	s.graphs[1].memory = memory;
	s.graphs[1].memory_count = 2;
	fill(&s, nx_fill_memory, NX_SCHEMA_HbmUsageSummaryByType);
	assert_int_equal(nx_table_memory_count(&s.memory, NX_SCHEMA_HbmUsageSummaryByType), 4);
	for (size_t i = 0; i < COUNT(expected); i++) {
		const struct nx_row *row =
			nx_table_memory_row(&s.memory, NX_SCHEMA_HbmUsageSummaryByType, i);

		assert_i64(row, NX_COL_HbmUsageSummaryByType_neuron_device_idx, 3);
		assert_i64(row, NX_COL_HbmUsageSummaryByType_neuroncore_idx, expected[i].core);
		assert_text(row, NX_COL_HbmUsageSummaryByType_usage_type, expected[i].usage_type);
		assert_i64(row, NX_COL_HbmUsageSummaryByType_usage_bytes, expected[i].bytes);
	}
	nx_table_memory_release(&s.memory);
}

/* Through the decoders: every one of them has its row. */
static void a_made_capture_states_them_all(void **state)
{
	struct nx_table_fixture f;

	(void)state;
	nx_table_fixture_make(&f, &nx_synthetic_tiny, true);
	assert_int_equal(nx_table_memory_count(&f.memory, NX_SCHEMA_Metadata), 1);
	assert_int_equal(nx_table_memory_count(&f.memory, NX_SCHEMA_NeffHeader), 1);
	assert_int_equal(nx_table_memory_count(&f.memory, NX_SCHEMA_ExecutionInfo), 1);
	assert_true(nx_table_memory_count(&f.memory, NX_SCHEMA_DmaQueuesInfo) > 0);
	assert_true(nx_table_memory_count(&f.memory, NX_SCHEMA_HbmUsageSummaryByType) > 0);
	assert_text(nx_table_memory_row(&f.memory, NX_SCHEMA_Metadata, 0),
		    NX_COL_Metadata_profile_name, "made");
	nx_table_fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_has_the_window_and_the_machine),
		cmocka_unit_test(metadata_has_what_only_some_captures_tell),
		cmocka_unit_test(a_header_s_numbers_are_numbers),
		cmocka_unit_test(without_a_neff_there_is_no_header),
		cmocka_unit_test(an_execution_has_the_marks_that_were_found),
		cmocka_unit_test(an_execution_without_marks_and_name),
		cmocka_unit_test(the_neff_knows_its_name_better),
		cmocka_unit_test(queues_are_listed_by_name_for_each_core),
		cmocka_unit_test(memory_of_each_core_ends_with_its_total),
		cmocka_unit_test(a_made_capture_states_them_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
