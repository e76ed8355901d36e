/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "format/parquet/parquet_reader.h"
#include "store/parquet_folder.h"
#include "tests/unit/store/row_fixture.h"
#include "tests/unit/store/workspace_fixture.h"

#define C(table, column) NX_COL_##table##_##column

static bool is_disk_full;

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (!is_disk_full)
		return __real_write(fd, data, len);
	errno = ENOSPC;
	return -1;
}

static struct nx_parquet_folder *open_folder(void)
{
	struct nx_parquet_folder *folder;
	struct nx_error err = {0};

	if (nx_parquet_folder_open(&folder, "out", &err))
		fail_msg("%s", err.message);
	return folder;
}

static void begin_table(struct nx_table_sink *sink, struct nx_row *row,
			enum nx_schema_table_id table)
{
	nx_row_init(row, table);
	nx_table_sink_begin(sink, table);
}

/* A column of a table that was written, decoded: all its rows are in one group. */
struct column {
	struct nx_parquet_reader *reader;
	struct nx_parquet_cursor *cursor;
	const struct nx_parquet_values *values;
};

static void open_column(struct column *c, const char *path, size_t at, size_t row_count)
{
	struct nx_error err = {0};
	size_t rows = 0;

	if (nx_parquet_reader_open(&c->reader, path, &err))
		fail_msg("%s", err.message);
	assert_int_equal(nx_parquet_reader_row_count(c->reader), row_count);
	assert_int_equal(nx_parquet_cursor_open(&c->cursor, c->reader, &at, 1, NULL, NULL), NX_OK);
	assert_int_equal(nx_parquet_cursor_next(c->cursor, &rows, NULL), NX_OK);
	assert_int_equal(rows, row_count);
	c->values = nx_parquet_cursor_values(c->cursor, 0);
}

static void close_column(struct column *c)
{
	nx_parquet_cursor_close(c->cursor);
	nx_parquet_reader_close(c->reader);
}

static void check_text(struct nx_slice text, const char *want)
{
	assert_true(nx_slice_is(text, want));
}

/* --- values ---------------------------------------------------------------- */

static void write_packets(struct nx_table_sink *sink)
{
	struct nx_row row;

	begin_table(sink, &row, NX_SCHEMA_DmaPacket);
	nx_row_put_i64(&row, C(DmaPacket, start_ts), INT64_MIN);
	nx_row_put_i64(&row, C(DmaPacket, packet_idx), INT32_MIN);
	nx_row_put_f64(&row, C(DmaPacket, throughput), 0.1);
	nx_row_put_enum(&row, C(DmaPacket, queue_type), NX_SCHEMA_DmaQueueType, 1);
	nx_row_put_text(&row, C(DmaPacket, queue_name), "queue \xe2\x82\xac");
	put_whole_row(sink, &row);
	nx_row_put_i64(&row, C(DmaPacket, start_ts), INT64_MAX);
	nx_row_put_i64(&row, C(DmaPacket, packet_idx), INT32_MAX);
	nx_row_put_i64(&row, C(DmaPacket, engine_idx), 7);
	nx_row_put_text(&row, C(DmaPacket, queue_name), "");
	put_whole_row(sink, &row);
	put_whole_row(sink, &row);
	nx_table_sink_end(sink, NX_SCHEMA_DmaPacket);
}

#define PACKETS "out/DmaPacket.parquet"

static void check_packet_numbers(void)
{
	struct column c;

	open_column(&c, PACKETS, C(DmaPacket, start_ts), 3);
	assert_true(c.values->i64[0] == INT64_MIN && c.values->i64[1] == INT64_MAX);
	close_column(&c);
	open_column(&c, PACKETS, C(DmaPacket, packet_idx), 3);
	assert_true(c.values->i64[0] == INT32_MIN && c.values->i64[1] == INT32_MAX);
	close_column(&c);
	open_column(&c, PACKETS, C(DmaPacket, throughput), 3);
	assert_true(c.values->f64[0] == (double)0.1f && c.values->f64[1] == 0);
	close_column(&c);
	open_column(&c, PACKETS, C(DmaPacket, engine_idx), 3);
	assert_non_null(c.values->is_null);
	assert_true(c.values->is_null[0] && !c.values->is_null[1] && c.values->is_null[2]);
	assert_int_equal(c.values->i64[1], 7);
	close_column(&c);
}

static void check_packet_texts(void)
{
	struct column c;

	open_column(&c, PACKETS, C(DmaPacket, queue_type), 3);
	check_text(c.values->texts[0], nx_schema_enums[NX_SCHEMA_DmaQueueType].values[1].text);
	check_text(c.values->texts[1], nx_schema_enums[NX_SCHEMA_DmaQueueType].values[0].text);
	close_column(&c);
	open_column(&c, PACKETS, C(DmaPacket, queue_name), 3);
	assert_true(!c.values->is_null[0] && !c.values->is_null[1] && c.values->is_null[2]);
	check_text(c.values->texts[0], "queue \xe2\x82\xac");
	check_text(c.values->texts[1], "");
	close_column(&c);
}

static void write_lists(struct nx_table_sink *sink)
{
	const int64_t numbers[] = {5, -6, INT64_MAX};
	const struct nx_slice texts[] = {nx_slice_text("a"), nx_slice_text("")};
	struct nx_row row;

	begin_table(sink, &row, NX_SCHEMA_BirInstruction);
	nx_row_put_list_i64(&row, C(BirInstruction, element_count_per_interval), numbers, 3);
	put_whole_row(sink, &row);
	put_whole_row(sink, &row);
	nx_table_sink_end(sink, NX_SCHEMA_BirInstruction);
	begin_table(sink, &row, NX_SCHEMA_SystemProfileEvents);
	put_whole_row(sink, &row);
	nx_row_put_list_text(&row, C(SystemProfileEvents, flow_id), texts, 2);
	put_whole_row(sink, &row);
	nx_table_sink_end(sink, NX_SCHEMA_SystemProfileEvents);
}

static void check_lists(void)
{
	struct column c;

	open_column(&c, "out/BirInstruction.parquet", C(BirInstruction, element_count_per_interval),
		    2);
	assert_int_equal(c.values->starts[1], 3);
	assert_int_equal(c.values->starts[2], 3);
	assert_int_equal(c.values->i64[1], -6);
	assert_true(c.values->i64[2] == INT64_MAX);
	assert_true(!c.values->is_null || !c.values->is_null[1]);
	close_column(&c);
	open_column(&c, "out/SystemProfileEvents.parquet", C(SystemProfileEvents, flow_id), 2);
	assert_true(c.values->is_null[0] && !c.values->is_null[1]);
	assert_int_equal(c.values->starts[2] - c.values->starts[1], 2);
	check_text(c.values->texts[c.values->starts[1]], "a");
	check_text(c.values->texts[c.values->starts[1] + 1], "");
	close_column(&c);
}

static void write_flags(struct nx_table_sink *sink)
{
	struct nx_row row;

	begin_table(sink, &row, NX_SCHEMA_SemaphoreUpdate);
	for (int i = 0; i < 3; i++) {
		if (i < 2)
			nx_row_put_bool(&row, C(SemaphoreUpdate, double_set_or_clear), i == 1);
		put_whole_row(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_SemaphoreUpdate);
	begin_table(sink, &row, NX_SCHEMA_DmaUsageSummary);
	nx_row_put_f64(&row, C(DmaUsageSummary, sum_current_throughput), 0.1);
	put_whole_row(sink, &row);
	nx_table_sink_end(sink, NX_SCHEMA_DmaUsageSummary);
}

static void check_flags(void)
{
	struct column c;

	open_column(&c, "out/SemaphoreUpdate.parquet", C(SemaphoreUpdate, double_set_or_clear), 3);
	assert_true(!c.values->flags[0] && c.values->flags[1] && c.values->is_null[2]);
	close_column(&c);
	open_column(&c, "out/DmaUsageSummary.parquet", C(DmaUsageSummary, sum_current_throughput),
		    1);
	assert_true(c.values->f64[0] == 0.1);
	close_column(&c);
}

static void every_type_comes_back_as_it_was_put(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);

	(void)state;
	write_packets(sink);
	write_lists(sink);
	write_flags(sink);
	assert_int_equal(nx_parquet_folder_row_count(folder, NX_SCHEMA_DmaPacket), 3);
	assert_int_equal(nx_parquet_folder_row_count(folder, NX_SCHEMA_BirInstruction), 2);
	assert_int_equal(nx_parquet_folder_row_count(folder, NX_SCHEMA_Instruction), 0);
	assert_int_equal(nx_parquet_folder_close(folder, NULL), NX_OK);
	assert_int_equal(count_in("out"), 5);
	check_packet_numbers();
	check_packet_texts();
	check_lists();
	check_flags();
}

static void tables_may_be_open_together(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);
	struct nx_row pending, usage;
	struct column c;

	(void)state;
	begin_table(sink, &pending, NX_SCHEMA_PendingDma);
	begin_table(sink, &usage, NX_SCHEMA_DmaUsage);
	for (int i = 0; i < 4; i++) {
		nx_row_put_i64(&pending, C(PendingDma, value), i);
		put_whole_row(sink, &pending);
		nx_row_put_i64(&usage, C(DmaUsage, timestamp), 10 * i);
		put_whole_row(sink, &usage);
	}
	nx_table_sink_end(sink, NX_SCHEMA_PendingDma);
	assert_true(is_there("out/PendingDma.parquet"));
	assert_false(is_there("out/DmaUsage.parquet"));
	nx_table_sink_end(sink, NX_SCHEMA_DmaUsage);
	assert_int_equal(nx_parquet_folder_close(folder, NULL), NX_OK);
	open_column(&c, "out/PendingDma.parquet", C(PendingDma, value), 4);
	assert_int_equal(c.values->i64[3], 3);
	close_column(&c);
	open_column(&c, "out/DmaUsage.parquet", C(DmaUsage, timestamp), 4);
	assert_int_equal(c.values->i64[3], 30);
	close_column(&c);
}

/* --- the published form ---------------------------------------------------- */

static enum nx_parquet_type expected_type(unsigned type)
{
	static const enum nx_parquet_type types[NX_SCHEMA_TYPE_COUNT] = {
		[NX_SCHEMA_BOOLEAN] = NX_PARQUET_BOOL,	 [NX_SCHEMA_INT32] = NX_PARQUET_I32,
		[NX_SCHEMA_INT64] = NX_PARQUET_I64,	 [NX_SCHEMA_FLOAT] = NX_PARQUET_F32,
		[NX_SCHEMA_DOUBLE] = NX_PARQUET_F64,	 [NX_SCHEMA_TEXT] = NX_PARQUET_TEXT,
		[NX_SCHEMA_ENUM] = NX_PARQUET_TEXT,	 [NX_SCHEMA_LIST_INT64] = NX_PARQUET_I64,
		[NX_SCHEMA_LIST_TEXT] = NX_PARQUET_TEXT,
	};

	return types[type];
}

static void check_metadata(const struct nx_parquet_reader *reader, const char *table)
{
	const char *const want[][2] = {{"neuron_profile_schema_version", "7.4.0"},
				       {"neuron_profile_table", table}};
	struct nx_slice key, value;

	for (size_t i = 0; i < 2; i++) {
		assert_true(nx_parquet_reader_metadata(reader, i, &key, &value));
		check_text(key, want[i][0]);
		check_text(value, want[i][1]);
	}
}

static void check_empty_file(const struct nx_schema_table *table)
{
	const struct nx_parquet_field *fields;
	struct nx_parquet_reader *reader;
	char path[128];
	size_t count;

	snprintf(path, sizeof(path), "out/%s.parquet", table->name);
	assert_int_equal(nx_parquet_reader_open(&reader, path, NULL), NX_OK);
	assert_int_equal(nx_parquet_reader_row_count(reader), 0);
	check_metadata(reader, table->name);
	fields = nx_parquet_reader_fields(reader, &count);
	assert_int_equal(count, table->column_count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_schema_column *column = &table->columns[i];

		assert_string_equal(fields[i].name, column->name);
		assert_int_equal(fields[i].type, expected_type(column->type));
		assert_int_equal(fields[i].is_optional, !column->is_required);
		assert_int_equal(fields[i].is_list, nx_schema_is_list(column->type));
	}
	nx_parquet_reader_close(reader);
}

static void empty_tables_are_whole_files_of_the_published_form(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);
	size_t stored = 0;

	(void)state;
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		if (nx_schema_tables[i].scope == NX_SCOPE_ANSWER)
			continue;
		nx_table_sink_begin(sink, i);
		nx_table_sink_end(sink, i);
		stored++;
	}
	assert_int_equal(nx_parquet_folder_close(folder, NULL), NX_OK);
	assert_int_equal(count_in("out"), stored);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (nx_schema_tables[i].scope != NX_SCOPE_ANSWER)
			check_empty_file(&nx_schema_tables[i]);
}

/* --- failures -------------------------------------------------------------- */

static void write_pending(struct nx_table_sink *sink)
{
	struct nx_row row;

	begin_table(sink, &row, NX_SCHEMA_PendingDma);
	put_whole_row(sink, &row);
	nx_table_sink_end(sink, NX_SCHEMA_PendingDma);
}

static void a_row_that_fails_leaves_no_file_of_its_table(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);
	struct nx_error first, last;
	struct nx_row row;

	(void)state;
	write_pending(sink);
	begin_table(sink, &row, NX_SCHEMA_DmaUsage);
	nx_row_put_i64(&row, C(DmaUsage, timestamp), 1);
	nx_table_sink_put(sink, &row); /* without a throughput, which is required */
	nx_table_sink_end(sink, NX_SCHEMA_DmaUsage);
	assert_int_not_equal(nx_table_sink_status(sink, &first), NX_OK);
	assert_non_null(strstr(first.message, "table DmaUsage: column current_throughput"));
	/* It sticks: nothing more is begun. */
	nx_table_sink_begin(sink, NX_SCHEMA_HbmUsage);
	nx_table_sink_end(sink, NX_SCHEMA_HbmUsage);
	assert_int_equal(nx_parquet_folder_close(folder, &last), first.status);
	assert_string_equal(last.message, first.message);
	assert_int_equal(count_in("out"), 1);
	assert_true(is_there("out/PendingDma.parquet"));
}

static void a_full_disk_leaves_no_file_of_the_table(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);
	struct nx_error err;

	(void)state;
	nx_table_sink_begin(sink, NX_SCHEMA_HbmUsage);
	nx_table_sink_end(sink, NX_SCHEMA_HbmUsage);
	is_disk_full = true;
	write_pending(sink);
	is_disk_full = false;
	nx_table_sink_begin(sink, NX_SCHEMA_CcOp);
	nx_table_sink_end(sink, NX_SCHEMA_CcOp);
	assert_int_equal(nx_parquet_folder_close(folder, &err), NX_NO_SPACE);
	assert_non_null(strstr(err.message, "PendingDma.parquet"));
	assert_null(strstr(err.message, "table "));
	assert_int_equal(count_in("out"), 1);
	assert_true(is_there("out/HbmUsage.parquet"));
}

static void a_disk_full_amid_the_rows_is_told_before_the_end(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);
	struct nx_row row;

	(void)state;
	begin_table(sink, &row, NX_SCHEMA_PendingDma);
	is_disk_full = true;
	/* Numbers that do not pack: each group is more than the output keeps in memory. */
	for (uint64_t i = 0; i < 600000 && !sink->error.status; i++) {
		uint64_t number = i * UINT64_C(0x9e3779b97f4a7c15);

		nx_row_put_i64(&row, C(PendingDma, timestamp), (int64_t)(number ^ number >> 29));
		put_whole_row(sink, &row);
	}
	is_disk_full = false;
	assert_int_equal(nx_table_sink_status(sink, NULL), NX_NO_SPACE);
	assert_int_equal(nx_parquet_folder_close(folder, NULL), NX_NO_SPACE);
	assert_int_equal(count_in("out"), 0);
}

static void a_table_that_is_not_ended_is_not_kept(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);
	struct nx_row row;

	(void)state;
	begin_table(sink, &row, NX_SCHEMA_PendingDma);
	put_whole_row(sink, &row);
	assert_int_equal(nx_parquet_folder_close(folder, NULL), NX_OK);
	assert_int_equal(count_in("out"), 0);
}

static void an_older_file_stays_until_the_new_one_is_whole(void **state)
{
	struct nx_parquet_folder *folder = open_folder();
	struct nx_table_sink *sink = nx_parquet_folder_sink(folder);

	(void)state;
	put_file("out/PendingDma.parquet", "older");
	put_file("out/notes.txt", "mine");
	is_disk_full = true;
	write_pending(sink);
	is_disk_full = false;
	assert_int_equal(nx_parquet_folder_close(folder, NULL), NX_NO_SPACE);
	assert_true(has_text("out/PendingDma.parquet", "older"));
	folder = open_folder();
	write_pending(nx_parquet_folder_sink(folder));
	assert_int_equal(nx_parquet_folder_close(folder, NULL), NX_OK);
	assert_false(has_text("out/PendingDma.parquet", "older"));
	assert_true(has_text("out/notes.txt", "mine"));
	assert_int_equal(count_in("out"), 2);
}

static void a_folder_that_cannot_be_is_told(void **state)
{
	struct nx_parquet_folder *folder;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_parquet_folder_open(&folder, "none/out", &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "none/out"));
	/* In place of a folder a file. */
	put_file("out", "");
	assert_int_not_equal(nx_parquet_folder_open(&folder, "out", &err), NX_OK);
	assert_non_null(strstr(err.message, "out"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_type_comes_back_as_it_was_put),
		CASE(tables_may_be_open_together),
		CASE(empty_tables_are_whole_files_of_the_published_form),
		CASE(a_row_that_fails_leaves_no_file_of_its_table),
		CASE(a_full_disk_leaves_no_file_of_the_table),
		CASE(a_disk_full_amid_the_rows_is_told_before_the_end),
		CASE(a_table_that_is_not_ended_is_not_kept),
		CASE(an_older_file_stays_until_the_new_one_is_whole),
		CASE(a_folder_that_cannot_be_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
