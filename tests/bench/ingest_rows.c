/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures how fast rows of the published tables are written: through the timeline only, and
 * through everything that `view --ingest-only` does with a row. Times are of all threads.
 *
 * usage: ingest_rows FOLDER [ROWS]
 *
 * FOLDER is created and keeps the files. Exit code 1 if a core writes fewer than 2 million rows a
 * second into the timeline.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"
#include "store/ingest.h"
#include "store/timeline/timeline_sink.h"

#define ENGINES 16
#define QUEUES 24
#define OPCODES 40
#define LEAST_ROWS_PER_S 2e6

static char opcodes[OPCODES][24], queues[QUEUES][32], semaphores[64][24];
static const char *const tracks[] = {"Tensor", "Vector", "Scalar", "GpSimd", "Sync"};

static void __attribute__((noreturn)) die(const struct nx_error *err)
{
	fprintf(stderr, "ingest_rows: %s\n", err->message);
	exit(2);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void make_texts(void)
{
	for (unsigned i = 0; i < OPCODES; i++)
		snprintf(opcodes[i], sizeof(opcodes[i]), "Opcode%u", i);
	for (unsigned i = 0; i < QUEUES; i++)
		snprintf(queues[i], sizeof(queues[i]), "qSyIoInputWeight%u_queue", i);
	for (unsigned i = 0; i < 64; i++)
		snprintf(semaphores[i], sizeof(semaphores[i]), "S[%u]", i);
}

/* --- rows as a device has them: those of all tracks mixed ------------------ */

static void put_instruction(struct nx_row *row, uint64_t i)
{
	nx_row_put_u64(row, NX_COL_Instruction_start_ts, i * 20);
	nx_row_put_u64(row, NX_COL_Instruction_end_ts, i * 20 + 15 + i % 90);
	nx_row_put_text(row, NX_COL_Instruction_timeline_track, tracks[i % 5]);
	nx_row_put_u64(row, NX_COL_Instruction_pcore_idx, i / 5 % 2);
	nx_row_put_text(row, NX_COL_Instruction_opcode, opcodes[i * 7 % OPCODES]);
	nx_row_put_u64(row, NX_COL_Instruction_id, i);
}

static void put_packet(struct nx_row *row, uint64_t i)
{
	nx_row_put_u64(row, NX_COL_DmaPacket_start_ts, i * 3);
	nx_row_put_u64(row, NX_COL_DmaPacket_end_ts, i * 3 + 200 + i % 50);
	nx_row_put_u64(row, NX_COL_DmaPacket_pcore_idx, i / 7 % 2);
	nx_row_put_u64(row, NX_COL_DmaPacket_id, i);
	nx_row_put_u64(row, NX_COL_DmaPacket_engine_idx, i % ENGINES);
	nx_row_put_enum(row, NX_COL_DmaPacket_queue_type, NX_SCHEMA_DmaQueueType,
			(unsigned)(i % 3));
	nx_row_put_text(row, NX_COL_DmaPacket_queue_name, queues[i / 5 % QUEUES]);
}

static void put_semaphore(struct nx_row *row, uint64_t i)
{
	nx_row_put_u64(row, NX_COL_SemaphoreUpdate_timestamp, i * 9);
	nx_row_put_text(row, NX_COL_SemaphoreUpdate_id, semaphores[i * 5 % 64]);
	nx_row_put_u64(row, NX_COL_SemaphoreUpdate_value, i % 11);
	nx_row_put_u64(row, NX_COL_SemaphoreUpdate_pcore_idx, i / 3 % 2);
}

static const struct {
	enum nx_schema_table_id table;
	void (*put)(struct nx_row *row, uint64_t i);
} kinds[] = {
	{NX_SCHEMA_Instruction, put_instruction},
	{NX_SCHEMA_DmaPacket, put_packet},
	{NX_SCHEMA_SemaphoreUpdate, put_semaphore},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* Columns that a table requires and the timeline does not read. */
static void put_rest(struct nx_row *row, const struct nx_schema_table *table)
{
	for (unsigned i = 0; i < table->column_count; i++) {
		const struct nx_schema_column *column = &table->columns[i];

		if (!column->is_required || row->kinds[i] != NX_CELL_NULL)
			continue;
		if (column->type == NX_SCHEMA_INT32 || column->type == NX_SCHEMA_INT64)
			nx_row_put_i64(row, i, 5);
		else if (column->type == NX_SCHEMA_FLOAT || column->type == NX_SCHEMA_DOUBLE)
			nx_row_put_f64(row, i, 0.5);
		else if (column->type == NX_SCHEMA_BOOLEAN)
			nx_row_put_bool(row, i, true);
		else if (column->type == NX_SCHEMA_TEXT)
			nx_row_put_text(row, i, "text");
		else if (column->type == NX_SCHEMA_ENUM)
			nx_row_put_enum(row, i, (enum nx_schema_enum_id)column->target, 0);
		else if (column->type == NX_SCHEMA_LIST_INT64)
			nx_row_put_list_i64(row, i, NULL, 0);
		else
			nx_row_put_list_text(row, i, NULL, 0);
	}
}

static void put_rows(struct nx_table_sink *sink, uint64_t row_count)
{
	for (unsigned k = 0; k < KIND_COUNT; k++) {
		const struct nx_schema_table *table = &nx_schema_tables[kinds[k].table];
		struct nx_row row;

		nx_row_init(&row, kinds[k].table);
		nx_table_sink_begin(sink, kinds[k].table);
		for (uint64_t i = 0; i < row_count / KIND_COUNT; i++) {
			kinds[k].put(&row, i);
			put_rest(&row, table);
			nx_table_sink_put(sink, &row);
		}
		nx_table_sink_end(sink, kinds[k].table);
	}
}

/* --- where they go --------------------------------------------------------- */

static void drop_table(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	(void)sink, (void)table;
}

static void drop_row(struct nx_table_sink *sink, const struct nx_row *row)
{
	(void)sink, (void)row;
}

static const struct nx_table_sink_ops drop_ops = {drop_table, drop_row, drop_table};

static double into_nothing(uint64_t row_count)
{
	struct nx_table_sink nothing = {.ops = &drop_ops};
	double begin = cpu_seconds();

	put_rows(&nothing, row_count);
	return cpu_seconds() - begin;
}

static double into_timeline(const char *folder, uint64_t row_count)
{
	struct nx_table_sink nothing = {.ops = &drop_ops};
	struct nx_timeline_sink *timeline;
	struct nx_arena arena = {0};
	struct nx_error err = {0};
	const char *path = nx_arena_printf(&arena, "%s/alone.nxl", folder);
	double begin = cpu_seconds(), put;

	if (nx_timeline_sink_open(&timeline, path, &nothing, &err))
		die(&err);
	put_rows(nx_timeline_sink_borrow(timeline), row_count);
	put = cpu_seconds() - begin;
	if (nx_timeline_sink_close(timeline, &err))
		die(&err);
	nx_arena_release(&arena);
	printf("timeline, rows alone: %6.2f million rows/s\n", (double)row_count / put / 1e6);
	return cpu_seconds() - begin;
}

static double into_files(const char *folder, uint64_t row_count)
{
	struct nx_ingest_target target = {.folder = folder};
	struct nx_ingest *ingest;
	struct nx_error err = {0};
	double begin = cpu_seconds();

	if (nx_ingest_begin(&ingest, &target, &err))
		die(&err);
	put_rows(nx_ingest_sink(ingest), row_count);
	if (nx_ingest_end(ingest, NX_OK, NULL, &err))
		die(&err);
	return cpu_seconds() - begin;
}

int main(int argc, char **argv)
{
	uint64_t row_count = argc > 2 ? strtoull(argv[2], NULL, 10) : 6000000;
	struct nx_error err = {0};
	double making, timeline, files, rate;

	if (argc < 2 || row_count < KIND_COUNT) {
		fputs("usage: ingest_rows FOLDER [ROWS]\n", stderr);
		return 2;
	}
	make_texts();
	if (nx_make_directories(argv[1], &err))
		die(&err);
	making = into_nothing(row_count);
	timeline = into_timeline(argv[1], row_count) - making;
	files = into_files(argv[1], row_count) - making;
	rate = (double)row_count / timeline;
	printf("timeline, committed:  %6.2f million rows/s a core\n", rate / 1e6);
	printf("tables and timeline:  %6.2f million rows/s a core\n",
	       (double)row_count / files / 1e6);
	return rate < LEAST_ROWS_PER_S;
}
