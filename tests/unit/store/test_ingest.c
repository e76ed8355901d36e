/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/parquet/parquet_reader.h"
#include "store/ingest.h"
#include "store/timeline/timeline.h"
#include "store/timeline/timeline_sink.h"
#include "tests/unit/store/row_fixture.h"
#include "tests/unit/store/workspace_fixture.h"

#define PROFILE "ws/profiles/global/a@latest/"

static struct nx_ingest *begin(const struct nx_ingest_target *target)
{
	struct nx_ingest *ingest;
	struct nx_error err = {0};

	if (nx_ingest_begin(&ingest, target, &err))
		fail_msg("%s", err.message);
	return ingest;
}

static struct nx_ingest *begin_named(struct nx_workspace *ws, bool force)
{
	return begin(&(struct nx_ingest_target){.workspace = ws, .name = "a", .force = force});
}

static struct nx_ingest *begin_folder(void)
{
	return begin(&(struct nx_ingest_target){.folder = "out"});
}

/* rows of PendingDma, and CcOp without any */
static void write_tables(struct nx_ingest *ingest, unsigned rows)
{
	struct nx_table_sink *sink = nx_ingest_sink(ingest);
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_PendingDma);
	nx_table_sink_begin(sink, NX_SCHEMA_PendingDma);
	for (unsigned i = 0; i < rows; i++) {
		nx_row_put_i64(&row, NX_COL_PendingDma_timestamp, 10 * i);
		nx_row_put_i64(&row, NX_COL_PendingDma_value, i);
		put_whole_row(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_PendingDma);
	nx_table_sink_begin(sink, NX_SCHEMA_CcOp);
	nx_table_sink_end(sink, NX_SCHEMA_CcOp);
}

static void write_bad_row(struct nx_ingest *ingest)
{
	struct nx_table_sink *sink = nx_ingest_sink(ingest);
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_DmaUsage);
	nx_table_sink_begin(sink, NX_SCHEMA_DmaUsage);
	nx_table_sink_put(sink, &row); /* without a time, which is required */
	nx_table_sink_end(sink, NX_SCHEMA_DmaUsage);
}

static void must_end(struct nx_ingest *ingest)
{
	struct nx_error err = {0};

	if (nx_ingest_end(ingest, NX_OK, NULL, &err))
		fail_msg("%s", err.message);
}

static uint64_t rows_in(const char *path)
{
	struct nx_parquet_reader *reader;
	struct nx_error err = {0};
	uint64_t rows;

	if (nx_parquet_reader_open(&reader, path, &err))
		fail_msg("%s", err.message);
	rows = nx_parquet_reader_row_count(reader);
	nx_parquet_reader_close(reader);
	return rows;
}

static uint64_t samples_in(const char *path)
{
	struct nx_timeline *timeline;
	struct nx_track track = {0};

	assert_int_equal(nx_timeline_open(&timeline, path, NULL), NX_OK);
	nx_timeline_track(timeline, 0, &track);
	nx_timeline_close(timeline);
	return track.row_count;
}

static uint64_t bytes_in(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/* The sentence that lists show for the name. */
static void check_reason(struct nx_workspace *ws, const char *name, const char *want)
{
	const struct nx_profile_record *r;
	struct nx_catalogue catalogue;

	assert_int_equal(nx_catalogue_load(&catalogue, ws, NULL), NX_OK);
	r = nx_catalogue_find(&catalogue, name);
	assert_non_null(r);
	assert_int_equal(r->state, NX_PROFILE_FAILED);
	if (!strstr(r->reason, want))
		fail_msg("the reason is '%s'", r->reason);
	assert_int_equal(r->tables.len, 0);
	nx_catalogue_release(&catalogue);
}

/* The staging folder holds the record of the failed one and nothing else. */
static void check_thrown_away(void)
{
	DIR *staging = opendir("ws/staging");
	struct dirent *entry;

	assert_non_null(staging);
	while ((entry = readdir(staging))) {
		char path[300];

		if (entry->d_name[0] == '.' || strstr(entry->d_name, ".lock"))
			continue;
		snprintf(path, sizeof(path), "ws/staging/%.200s", entry->d_name);
		assert_int_equal(count_in(path), 1);
	}
	closedir(staging);
}

/* --- a workspace ----------------------------------------------------------- */

static void check_record(struct nx_workspace *ws)
{
	struct nx_arena arena = {0};
	struct nx_profile_record r;

	assert_int_equal(nx_workspace_load(ws, "a", &arena, &r, NULL), NX_OK);
	assert_int_equal(r.kind, NX_PROFILE_SYSTEM);
	assert_string_equal(r.key, "0123");
	assert_string_equal(r.schema_version, "7.4.0");
	assert_int_equal(r.sources.len, 1);
	assert_int_equal(r.sources.items[0].size_bytes, 5);
	assert_int_equal(r.tables.len, 1);
	assert_true(r.is_simulated);
	assert_string_equal(r.tables.items[0].name, "PendingDma");
	assert_int_equal(r.tables.items[0].row_count, 7);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
}

static void a_profile_is_in_the_workspace_at_the_end_and_not_before(void **state)
{
	struct nx_workspace *ws = open_workspace();
	const char *const sources[] = {"source"};
	struct nx_ingest_target target = {.workspace = ws,
					  .name = "a",
					  .kind = NX_PROFILE_SYSTEM,
					  .is_simulated = true,
					  .key = "0123",
					  .sources = sources,
					  .source_count = 1};
	struct nx_ingest_counts counts;
	struct nx_ingest *ingest;

	(void)state;
	put_file("source", "bytes");
	ingest = begin(&target);
	write_tables(ingest, 7);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_PROCESSING);
	assert_false(is_there(PROFILE));
	assert_int_equal(nx_ingest_end(ingest, NX_OK, &counts, NULL), NX_OK);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	check_record(ws);
	assert_int_equal(counts.row_count, 7);
	assert_true(counts.file_bytes >= bytes_in(PROFILE "PendingDma.parquet") +
						 bytes_in(PROFILE "CcOp.parquet") +
						 bytes_in(PROFILE NX_TIMELINE_FILE));
	assert_int_equal(rows_in(PROFILE "PendingDma.parquet"), 7);
	assert_int_equal(rows_in(PROFILE "CcOp.parquet"), 0);
	assert_int_equal(samples_in(PROFILE NX_TIMELINE_FILE), 7);
	assert_int_equal(count_in(PROFILE), 4);
	assert_int_equal(count_in("ws/staging"), 0);
	nx_workspace_close(ws);
}

static void a_failure_of_the_tables_is_kept_as_the_reason(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_ingest_counts counts = {1, 2};
	struct nx_ingest *ingest = begin_named(ws, false);
	struct nx_error err = {0};

	(void)state;
	write_tables(ingest, 7);
	(void)!nx_fail(&err, NX_LIMIT, "too many cores");
	assert_int_equal(nx_ingest_end(ingest, NX_LIMIT, &counts, &err), NX_LIMIT);
	assert_string_equal(err.message, "too many cores");
	check_reason(ws, "a", "too many cores");
	check_thrown_away();
	assert_false(is_there(PROFILE));
	assert_int_equal(counts.row_count, 1);
	nx_workspace_close(ws);
}

static void a_row_that_fails_is_a_failure_even_if_nobody_noticed(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct nx_ingest *ingest = begin_named(ws, false);

		write_tables(ingest, 7);
		write_bad_row(ingest);
		assert_int_not_equal(nx_ingest_end(ingest, NX_OK, NULL, i ? &err : NULL), NX_OK);
		check_reason(ws, "a", "table DmaUsage: column timestamp must have a value");
		check_thrown_away();
	}
	assert_non_null(strstr(err.message, "table DmaUsage: column timestamp must have a value"));
	assert_false(is_there(PROFILE));
	nx_workspace_close(ws);
}

static void a_failed_replacement_leaves_the_older_profile(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_ingest *ingest = begin_named(ws, false);

	(void)state;
	write_tables(ingest, 7);
	must_end(ingest);
	ingest = begin_named(ws, true);
	write_tables(ingest, 3);
	assert_int_equal(rows_in(PROFILE "PendingDma.parquet"), 7);
	assert_int_equal(nx_ingest_end(ingest, NX_FORMAT, NULL, NULL), NX_FORMAT);
	assert_int_equal(rows_in(PROFILE "PendingDma.parquet"), 7);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	ingest = begin_named(ws, true);
	write_tables(ingest, 3);
	must_end(ingest);
	assert_int_equal(rows_in(PROFILE "PendingDma.parquet"), 3);
	assert_int_equal(count_in("ws/profiles/global"), 1);
	nx_workspace_close(ws);
}

static void what_cannot_begin_leaves_nothing(void **state)
{
	struct nx_workspace *ws = open_workspace();
	const char *const sources[] = {"missing.ntff"};
	struct nx_ingest_target taken = {.workspace = ws, .name = "a"},
				missing = {.workspace = ws,
					   .name = "b",
					   .sources = sources,
					   .source_count = 1};
	struct nx_ingest *ingest = begin_named(ws, false);
	struct nx_error err;

	(void)state;
	must_end(ingest);
	assert_int_equal(nx_ingest_begin(&ingest, &taken, &err), NX_USAGE);
	assert_non_null(strstr(err.message, "there is a profile 'a' already"));
	assert_int_equal(nx_ingest_begin(&ingest, &missing, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "missing.ntff"));
	assert_int_equal(nx_ingest_begin(&ingest, &missing, NULL), NX_NOT_FOUND);
	assert_int_equal(count_in("ws/staging"), 0);
	assert_int_equal(count_in("ws/profiles/global"), 1);
	nx_workspace_close(ws);
}

/* --- a folder -------------------------------------------------------------- */

static void older_files_of_a_folder_are_replaced_at_the_end(void **state)
{
	struct nx_ingest_counts counts;
	struct nx_ingest *ingest;

	(void)state;
	assert_int_equal(mkdir("out", 0777), 0);
	put_file("out/PendingDma.parquet", "older");
	put_file("out/notes.txt", "mine");
	ingest = begin_folder();
	write_tables(ingest, 5);
	assert_true(has_text("out/PendingDma.parquet", "older"));
	assert_int_equal(count_in("out"), 3); /* and where the new ones are made */
	assert_int_equal(nx_ingest_end(ingest, NX_OK, &counts, NULL), NX_OK);
	assert_int_equal(rows_in("out/PendingDma.parquet"), 5);
	assert_int_equal(samples_in("out/" NX_TIMELINE_FILE), 5);
	assert_true(has_text("out/notes.txt", "mine"));
	assert_int_equal(count_in("out"), 4);
	assert_int_equal(counts.row_count, 5);
	assert_int_equal(counts.file_bytes, bytes_in("out/PendingDma.parquet") +
						    bytes_in("out/CcOp.parquet") +
						    bytes_in("out/" NX_TIMELINE_FILE));
}

static void a_failure_leaves_a_folder_as_it_was(void **state)
{
	struct nx_ingest *ingest;

	(void)state;
	assert_int_equal(mkdir("out", 0777), 0);
	put_file("out/PendingDma.parquet", "older");
	ingest = begin_folder();
	write_tables(ingest, 5);
	assert_int_equal(nx_ingest_end(ingest, NX_CANCELLED, NULL, NULL), NX_CANCELLED);
	assert_true(has_text("out/PendingDma.parquet", "older"));
	assert_int_equal(count_in("out"), 1);
	ingest = begin_folder();
	write_tables(ingest, 5);
	write_bad_row(ingest);
	assert_int_not_equal(nx_ingest_end(ingest, NX_OK, NULL, NULL), NX_OK);
	assert_true(has_text("out/PendingDma.parquet", "older"));
	assert_int_equal(count_in("out"), 1);
}

static void a_name_that_cannot_be_replaced_is_told(void **state)
{
	struct nx_ingest *ingest;
	struct nx_error err;

	(void)state;
	assert_int_equal(mkdir("out", 0777), 0);
	assert_int_equal(mkdir("out/PendingDma.parquet", 0777), 0);
	ingest = begin_folder();
	write_tables(ingest, 5);
	assert_int_not_equal(nx_ingest_end(ingest, NX_OK, NULL, &err), NX_OK);
	assert_non_null(strstr(err.message, "cannot put out/PendingDma.parquet in place"));
	assert_int_equal(count_in("out/PendingDma.parquet"), 0);
	/* Files before it may have been replaced; what is hidden is gone. */
	assert_int_equal(count_in("out"),
			 1 + is_there("out/CcOp.parquet") + is_there("out/" NX_TIMELINE_FILE));
}

static void a_folder_that_cannot_be_is_told(void **state)
{
	struct nx_ingest_target target = {.folder = "none/out"};
	struct nx_ingest *ingest;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_ingest_begin(&ingest, &target, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "none/out"));
	put_file("file", "");
	target.folder = "file";
	assert_int_not_equal(nx_ingest_begin(&ingest, &target, &err), NX_OK);
	assert_non_null(strstr(err.message, "file"));
	assert_true(has_text("file", ""));
	assert_int_equal(count_in("."), 1);
}

static void leftovers_go_and_what_is_in_use_stays(void **state)
{
	struct nx_ingest *first, *second;

	(void)state;
	assert_int_equal(mkdir("out", 0777), 0);
	assert_int_equal(mkdir("out/.neuron-explorer-killed", 0777), 0);
	put_file("out/.neuron-explorer-killed/CcOp.parquet", "half");
	put_file("out/.neuron-explorer-killed/.CcOp.parquet.tmp", "half");
	put_file("out/.neuron-explorer-notes", "a file of the user's");
	first = begin_folder();
	assert_false(is_there("out/.neuron-explorer-killed"));
	assert_int_equal(count_in("out"), 2);
	second = begin_folder();
	assert_int_equal(count_in("out"), 3);
	write_tables(first, 4);
	write_tables(second, 6);
	must_end(second);
	assert_int_equal(rows_in("out/PendingDma.parquet"), 6);
	must_end(first);
	assert_int_equal(rows_in("out/PendingDma.parquet"), 4);
	assert_int_equal(count_in("out"), 4);
	assert_true(has_text("out/.neuron-explorer-notes", "a file of the user's"));
}

/* A link to elsewhere is not followed. */
static void a_link_is_no_leftover(void **state)
{
	struct nx_ingest *ingest;

	(void)state;
	assert_int_equal(mkdir("out", 0777), 0);
	assert_int_equal(mkdir("precious", 0777), 0);
	put_file("precious/file", "kept");
	assert_int_equal(symlink("../precious", "out/.neuron-explorer-link"), 0);
	ingest = begin_folder();
	must_end(ingest);
	assert_true(has_text("precious/file", "kept"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_profile_is_in_the_workspace_at_the_end_and_not_before),
		CASE(a_failure_of_the_tables_is_kept_as_the_reason),
		CASE(a_row_that_fails_is_a_failure_even_if_nobody_noticed),
		CASE(a_failed_replacement_leaves_the_older_profile),
		CASE(what_cannot_begin_leaves_nothing),
		CASE(older_files_of_a_folder_are_replaced_at_the_end),
		CASE(a_failure_leaves_a_folder_as_it_was),
		CASE(a_name_that_cannot_be_replaced_is_told),
		CASE(a_folder_that_cannot_be_is_told),
		CASE(leftovers_go_and_what_is_in_use_stays),
		CASE(a_link_is_no_leftover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
