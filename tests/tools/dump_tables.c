/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_tables: the rows of one published table as JSON lines, to look at and to compare.
 *
 *	dump_tables NTFF [NEFF] TABLE
 *	dump_tables DIRECTORY TABLE
 *
 * Every row is checked against the schema; null cells are left out.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "base/json_writer.h"
#include "pipeline/device_session.h"
#include "pipeline/system_profile.h"
#include "tables/tables.h"
#include "tests/unit/checked_sink.h"

struct dump {
	struct nx_table_sink sink;
	enum nx_schema_table_id table;
	struct nx_bytes line;
};

static void ignore(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	(void)sink, (void)table;
}

static void write_list(struct nx_json_writer *w, const union nx_cell *cell, bool is_text)
{
	size_t count = is_text ? cell->list_text.count : cell->list_i64.count;

	nx_json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		if (is_text)
			nx_json_slice(w, cell->list_text.items[i]);
		else
			nx_json_i64(w, cell->list_i64.items[i]);
	}
	nx_json_end_array(w);
}

static void write_cell(struct nx_json_writer *w, uint8_t kind, uint8_t type,
		       const union nx_cell *cell)
{
	switch (kind) {
	case NX_CELL_I64:
		nx_json_i64(w, cell->i64);
		break;
	case NX_CELL_F64:
		if (type == NX_SCHEMA_FLOAT)
			nx_json_f32(w, (float)cell->f64);
		else
			nx_json_f64(w, cell->f64);
		break;
	case NX_CELL_BOOL:
		nx_json_bool(w, cell->boolean);
		break;
	case NX_CELL_TEXT:
		nx_json_slice(w, cell->text);
		break;
	default:
		write_list(w, cell, kind == NX_CELL_LIST_TEXT);
	}
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct dump *d = (struct dump *)sink;
	const struct nx_schema_table *table = &nx_schema_tables[row->table];
	struct nx_json_writer w;

	if (row->table != d->table)
		return;
	nx_vec_clear(&d->line);
	nx_json_init_bytes(&w, &d->line, false);
	nx_json_begin_object(&w);
	for (unsigned i = 0; i < row->column_count; i++) {
		if (row->kinds[i] == NX_CELL_NULL)
			continue;
		nx_json_key(&w, table->columns[i].name);
		write_cell(&w, row->kinds[i], table->columns[i].type, &row->cells[i]);
	}
	nx_json_end_object(&w);
	nx_vec_push(&d->line, '\n');
	fwrite(d->line.items, 1, d->line.len, stdout);
}

static enum nx_status write_device(const char *ntff, const char *neff, struct nx_table_sink *sink,
				   struct nx_error *err)
{
	struct nx_device_session_options options = {.session_path = ntff, .neff_path = neff};
	struct nx_tables_options tables = {0};
	struct nx_device_session *opened;
	enum nx_status st = nx_device_session_open(&opened, &options, err);

	if (st)
		return st;
	st = nx_device_tables_write(nx_device_session_borrow(opened), &tables, sink, err);
	nx_device_session_close(opened);
	return st;
}

static enum nx_status write_system(const char *path, struct nx_table_sink *sink,
				   struct nx_error *err)
{
	struct nx_system_options options = {.directory = path};
	struct nx_tables_options tables = {0};
	struct nx_system_run *run;
	enum nx_status st = nx_system_run_open(&run, &options, err);

	if (st)
		return st;
	st = nx_system_tables_write(nx_system_run_borrow(run), &tables, sink, err);
	nx_system_run_close(run);
	return st;
}

static enum nx_status write_tables(struct dump *d, char **paths, int path_count,
				   struct nx_error *err)
{
	struct nx_checked_sink checked;
	struct stat about;
	enum nx_status st;

	nx_checked_sink_init(&checked, &d->sink);
	if (!stat(paths[0], &about) && S_ISDIR(about.st_mode))
		st = write_system(paths[0], &checked.sink, err);
	else
		st = write_device(paths[0], path_count > 1 ? paths[1] : NULL, &checked.sink, err);
	return st ? st : nx_checked_sink_finish(&checked, err);
}

int main(int argc, char **argv)
{
	static const struct nx_table_sink_ops ops = {ignore, put, ignore};
	struct dump d = {.sink = {.ops = &ops}};
	const struct nx_schema_table *table;
	struct nx_error err = {0};

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: dump_tables NTFF [NEFF] TABLE | DIRECTORY TABLE\n");
		return 2;
	}
	table = nx_schema_find_table(nx_slice_text(argv[argc - 1]));
	if (!table) {
		fprintf(stderr, "dump_tables: no table is called %s\n", argv[argc - 1]);
		return 2;
	}
	d.table = (enum nx_schema_table_id)(table - nx_schema_tables);
	if (write_tables(&d, argv + 1, argc - 2, &err))
		fprintf(stderr, "dump_tables: %s\n", err.message);
	nx_vec_release(&d.line);
	return err.status ? 1 : 0;
}
