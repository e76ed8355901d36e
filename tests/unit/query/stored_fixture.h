/* SPDX-License-Identifier: Apache-2.0 */
/* stored_fixture: a folder of Parquet files that a test writes and opens as a table. */
#ifndef NX_TESTS_UNIT_QUERY_STORED_FIXTURE_H
#define NX_TESTS_UNIT_QUERY_STORED_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "format/parquet/parquet.h"
#include "query/stored_table.h"

struct stored_fixture {
	char path[64];
	struct nx_output out;
	struct nx_parquet_writer *writer;
	struct nx_profile_folder folder;
	struct nx_stored_table table;
	struct nx_error err;
};

static inline int stored_set_up(void **state)
{
	struct stored_fixture *f = nx_heap_alloc(sizeof(*f));

	*f = (struct stored_fixture){.path = "/tmp/nx-stored-XXXXXX"};
	*state = f;
	return mkdtemp(f->path) ? 0 : 1;
}

static inline int stored_tear_down(void **state)
{
	struct stored_fixture *f = *state;
	char command[128];

	nx_stored_table_close(&f->table);
	nx_profile_folder_release(&f->folder);
	snprintf(command, sizeof(command), "rm -rf %s", f->path);
	nx_heap_free(f);
	return system(command); /* NOLINT: a path of our own */
}

/* A file whose rows the test puts with f->writer; group_rows 0: the usual. */
static inline void stored_begin(struct stored_fixture *f, const char *name,
				const struct nx_parquet_field *fields, size_t count,
				size_t group_rows)
{
	struct nx_parquet_options options = {.group_rows = group_rows, .threads = 1};
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	assert_int_equal(nx_output_open(&f->out, path, NULL), NX_OK);
	assert_int_equal(nx_parquet_open(&f->writer, nx_parquet_to_output(&f->out), fields, count,
					 &options, NULL),
			 NX_OK);
}

static inline void stored_end(struct stored_fixture *f)
{
	assert_int_equal(nx_parquet_close(f->writer, NULL), NX_OK);
	assert_int_equal(nx_output_commit(&f->out, NULL), NX_OK);
}

static inline enum nx_status stored_open(struct stored_fixture *f, const char *name)
{
	const struct nx_folder_table *table;

	assert_int_equal(nx_profile_folder_open(&f->folder, f->path, NULL), NX_OK);
	table = nx_profile_folder_find(&f->folder, name);
	assert_non_null(table);
	return nx_stored_table_open(&f->table, table, &f->err);
}

#endif
