/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a capture and its NEFF, through the whole pipeline to JSON and to tables. The input
 * is the length of the NEFF (four bytes), the NEFF, then the NTFF. Files that do not belong
 * together are joined all the same, or nearly every mutation would end there. A refusal must have
 * a sentence, every export must succeed, and every row of a table must be as the schema says.
 */
#define _GNU_SOURCE 1 /* memfd_create */
#include "base/bare/bits.h"
#include "export/exporters.h"
#include "pipeline/device_session.h"
#include "tables/tables.h"
#include "tests/data/memory_file.h"
#include "tests/fuzz/expect.h"
#include "tests/unit/checked_sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void export_one(const struct nx_profile *profile, const char *format)
{
	const struct nx_exporter *exporter = nx_exporter_find(format);
	struct nx_export_options options = {0};
	struct nx_error err = {0};
	struct nx_output out;

	expect(exporter != NULL);
	expect(nx_output_open(&out, "/dev/null", &err) == NX_OK);
	expect(exporter->write(profile, &options, &out, &err) == NX_OK);
	expect(nx_output_commit(&out, &err) == NX_OK);
}

static void ignore_table(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	(void)sink, (void)table;
}

static void ignore_row(struct nx_table_sink *sink, const struct nx_row *row)
{
	(void)sink, (void)row;
}

static void write_tables(const struct nx_profile *profile)
{
	static const struct nx_table_sink_ops ops = {ignore_table, ignore_row, ignore_table};
	struct nx_table_sink nowhere = {.ops = &ops};
	struct nx_tables_options options = {0};
	struct nx_checked_sink checked;
	struct nx_error err = {0};

	nx_checked_sink_init(&checked, &nowhere);
	expect(nx_device_tables_write(profile, &options, &checked.sink, &err) == NX_OK);
	expect(nx_checked_sink_finish(&checked, &err) == NX_OK);
}

static void try_pair(const char *neff_path, const char *ntff_path)
{
	struct nx_device_session_options options = {
		.session_path = ntff_path, .neff_path = neff_path, .force = true};
	struct nx_device_session *opened;
	struct nx_error err = {0};
	enum nx_status st = nx_device_session_open(&opened, &options, &err);

	if (st) {
		expect(err.status == st && err.message[0]);
		return;
	}
	export_one(nx_device_session_borrow(opened), "json");
	export_one(nx_device_session_borrow(opened), "summary-json");
	write_tables(nx_device_session_borrow(opened));
	nx_device_session_close(opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_slice input = nx_slice_of(data, size), neff, ntff;
	struct nx_memory_file neff_file, ntff_file;

	if (size < 4)
		return 0;
	neff = nx_slice_part(input, 4, nx_load32(data));
	ntff = nx_slice_part(input, 4 + (uint64_t)neff.len, size);
	expect(nx_memory_file_open(&neff_file, neff));
	expect(nx_memory_file_open(&ntff_file, ntff));
	try_pair(neff.len ? neff_file.path : NULL, ntff_file.path);
	nx_memory_file_close(&neff_file);
	nx_memory_file_close(&ntff_file);
	return 0;
}
