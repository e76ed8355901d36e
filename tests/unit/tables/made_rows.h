/* SPDX-License-Identifier: Apache-2.0 */
/* made_rows: a profile whose rows a test wrote down, and one filler's tables of it in memory. */
#ifndef NX_TESTS_MADE_ROWS_H
#define NX_TESTS_MADE_ROWS_H

#include "tables/fillers.h"
#include "tests/unit/checked_sink.h"
#include "tests/unit/table_memory.h"

struct nx_made_rows {
	struct nx_profile profile;
	const struct nx_instruction *instructions;
	size_t instruction_count;
	const struct nx_buffer_usage *usages;
	size_t usage_count;
	enum nx_status scan_status; /* what a scan fails with, OK: it does not */
};

static inline enum nx_status nx_made_rows_scan(void *context, enum nx_table table, nx_row_fn fn,
					       void *fn_context, struct nx_error *err)
{
	const struct nx_made_rows *made = context;

	for (size_t i = 0; table == NX_TABLE_INSTRUCTION && i < made->instruction_count; i++)
		fn(fn_context, &made->instructions[i]);
	for (size_t i = 0; table == NX_TABLE_BUFFER_USAGE && i < made->usage_count; i++)
		fn(fn_context, &made->usages[i]);
	return made->scan_status ? nx_fail(err, made->scan_status, "the disk is full") : NX_OK;
}

/* Runs the filler; every row is checked against the schema. */
static inline enum nx_status nx_made_rows_fill(struct nx_made_rows *made, nx_device_filler filler,
					       struct nx_table_memory *memory, struct nx_error *err)
{
	struct nx_tables_options options = {0};
	struct nx_checked_sink checked;
	struct nx_device_fill fill = {
		.profile = &made->profile, .options = &options, .sink = &checked.sink, .err = err};
	enum nx_status st;

	made->profile.source = (struct nx_row_source){nx_made_rows_scan, NULL, made};
	nx_table_memory_init(memory);
	nx_checked_sink_init(&checked, &memory->sink);
	st = filler(&fill);
	return st ? st : nx_checked_sink_finish(&checked, err);
}

#endif
