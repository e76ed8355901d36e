/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/scale/scale_rows.h"

#include <stdio.h>
#include <unistd.h>

#include "store/track_columns.h"

static const char *const engines[] = {"pe", "act", "pool", "dve", "sp"};
static const char *const opcodes[] = {"MATMUL", "ACTIVATE", "TENSOR_TENSOR", "it's \\ a\ttab\n",
				      "caf\xc3\xa9"};

static uint64_t spread(uint64_t x)
{
	x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
	return x ^ (x >> 29);
}

/* Five rows have the same start, one on each engine; every tenth has the same engine again. */
static void put_instruction(struct nx_table_sink *sink, struct nx_row *row, uint64_t i)
{
	int64_t start_ns = (int64_t)(i / 10 * 100);
	char operands[64];

	snprintf(operands, sizeof(operands), "src=0x%llx dst=0x%llx",
		 (unsigned long long)spread(i) % 4096, (unsigned long long)i % 512);
	nx_row_put_i64(row, NX_COL_Instruction_start_ts, start_ns);
	nx_row_put_i64(row, NX_COL_Instruction_end_ts, start_ns + (int64_t)(i % 97));
	nx_row_put_i64(row, NX_COL_Instruction_duration_ns, (int64_t)(i % 97));
	nx_row_put_text(row, NX_COL_Instruction_engine, engines[i % 5]);
	nx_row_put_text(row, NX_COL_Instruction_opcode, opcodes[spread(i) % 5]);
	nx_row_put_text(row, NX_COL_Instruction_operands, operands);
	nx_row_put_i64(row, NX_COL_Instruction_id, (int64_t)i);
	if (i % 3)
		nx_row_put_i64(row, NX_COL_Instruction_pcore_idx, (int64_t)(i % 2));
	nx_table_sink_put(sink, row);
}

static void put_packet(struct nx_table_sink *sink, struct nx_row *row, uint64_t i)
{
	static const char *const queues[] = {"qSyncIO0", "qSpIo 1", "q=,x"};
	int64_t start_ns = (int64_t)(i / 4 * 250);

	nx_row_put_i64(row, NX_COL_DmaPacket_start_ts, start_ns);
	nx_row_put_i64(row, NX_COL_DmaPacket_end_ts, start_ns + 40);
	nx_row_put_i64(row, NX_COL_DmaPacket_duration_ns, 40);
	nx_row_put_i64(row, NX_COL_DmaPacket_id, (int64_t)spread(i));
	nx_row_put_i64(row, NX_COL_DmaPacket_packet_idx, (int64_t)(i % 1000));
	nx_row_put_i64(row, NX_COL_DmaPacket_packet_aggregation_id, (int64_t)(i / 16));
	nx_row_put_i64(row, NX_COL_DmaPacket_read_bytes, (int64_t)(i % 4096));
	nx_row_put_i64(row, NX_COL_DmaPacket_write_bytes, (int64_t)(i % 4096));
	nx_row_put_i64(row, NX_COL_DmaPacket_transfer_bytes, (int64_t)(i % 4096));
	nx_row_put_f64(row, NX_COL_DmaPacket_throughput, (double)(i % 4096) / 40e-9);
	nx_row_put_enum(row, NX_COL_DmaPacket_queue_type, NX_SCHEMA_DmaQueueType,
			(unsigned)(i % NX_VALUE_COUNT_DmaQueueType));
	nx_row_put_text(row, NX_COL_DmaPacket_queue_name, i % 4 ? queues[i % 3] : NULL);
	nx_row_put_i64(row, NX_COL_DmaPacket_crc, 0);
	nx_table_sink_put(sink, row);
}

static void put_event(struct nx_table_sink *sink, struct nx_row *row, uint64_t i)
{
	struct nx_slice flows[] = {nx_slice_text("a'b\"c\\"), nx_slice_text(""),
				   nx_slice_text("f 3")};
	int64_t start_ns = INT64_C(1700000000000000000) + (int64_t)(i * 1000);

	nx_row_put_i64(row, NX_COL_SystemProfileEvents_id, (int64_t)i);
	nx_row_put_text(row, NX_COL_SystemProfileEvents_name, "nrt_execute");
	nx_row_put_i64(row, NX_COL_SystemProfileEvents_start_ts, start_ns);
	nx_row_put_i64(row, NX_COL_SystemProfileEvents_end_ts, start_ns + 7);
	nx_row_put_i64(row, NX_COL_SystemProfileEvents_duration_ns, 7);
	nx_row_put_text(row, NX_COL_SystemProfileEvents_trace_event_source, "neuron_rt");
	nx_row_put_text(row, NX_COL_SystemProfileEvents_instance_id, "i-0");
	nx_row_put_i64(row, NX_COL_SystemProfileEvents_process_id, (int64_t)(100 + i % 3));
	nx_row_put_i64(row, NX_COL_SystemProfileEvents_thread_id, (int64_t)(100 + i % 7));
	nx_row_put_list_text(row, NX_COL_SystemProfileEvents_flow_id, flows, i % 4);
	nx_table_sink_put(sink, row);
}

static void write_table(struct nx_table_sink *sink, enum nx_schema_table_id table, uint64_t count,
			unsigned pause_us)
{
	struct nx_row row;

	nx_row_init(&row, table);
	nx_table_sink_begin(sink, table);
	for (uint64_t i = 0; i < count; i++) {
		if (table == NX_SCHEMA_Instruction)
			put_instruction(sink, &row, i);
		else if (table == NX_SCHEMA_DmaPacket)
			put_packet(sink, &row, i);
		else
			put_event(sink, &row, i);
		if (pause_us && i % 1000 == 999)
			usleep(pause_us);
	}
	nx_table_sink_end(sink, table);
}

static void write_warnings(struct nx_table_sink *sink)
{
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_Warning);
	nx_table_sink_begin(sink, NX_SCHEMA_Warning);
	for (unsigned i = 0; i < 3; i++) {
		nx_row_put_text(&row, NX_COL_Warning_message, i ? "lost 'some'" : "");
		nx_row_put_text(&row, NX_COL_Warning_category, "loss");
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_Warning);
}

static bool has_rows(unsigned table)
{
	return table == NX_SCHEMA_Instruction || table == NX_SCHEMA_DmaPacket ||
	       table == NX_SCHEMA_SystemProfileEvents || table == NX_SCHEMA_Warning;
}

/* Begun and ended without a row, as many tables of a real profile are. */
static void write_empty(struct nx_table_sink *sink)
{
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		if (!nx_schema_is_stored(i) || has_rows(i))
			continue;
		nx_table_sink_begin(sink, i);
		nx_table_sink_end(sink, i);
	}
}

void nx_scale_rows_write(struct nx_table_sink *sink, uint64_t count, unsigned pause_us)
{
	write_warnings(sink);
	write_empty(sink);
	write_table(sink, NX_SCHEMA_Instruction, count, pause_us);
	write_table(sink, NX_SCHEMA_DmaPacket, count / 2, pause_us);
	write_table(sink, NX_SCHEMA_SystemProfileEvents, count / 10, pause_us);
}

static void sums_begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	(void)sink;
	(void)table;
}

static void sums_put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_scale_sums *sums = (struct nx_scale_sums *)sink;
	const struct nx_schema_table *table = &nx_schema_tables[row->table];
	struct nx_track_columns track = nx_track_columns_of(row->table);

	sums->tables[row->table].row_count++;
	if (track.time >= 0)
		sums->tables[row->table].time_sum += row->cells[track.time].i64 % 1000003;
	for (unsigned i = 0; i < row->column_count; i++) {
		if (row->kinds[i] == NX_CELL_TEXT)
			sums->tables[row->table].text_bytes += row->cells[i].text.len;
		if (row->kinds[i] == NX_CELL_I64 && !strcmp(table->columns[i].name, "duration_ns"))
			sums->tables[row->table].duration_sum += row->cells[i].i64;
	}
}

void nx_scale_sums_init(struct nx_scale_sums *sums)
{
	static const struct nx_table_sink_ops ops = {sums_begin, sums_put, sums_begin};

	memset(sums, 0, sizeof(*sums));
	sums->sink.ops = &ops;
}
