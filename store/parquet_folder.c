/* SPDX-License-Identifier: Apache-2.0 */
#include "store/parquet_folder.h"

#include <assert.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "format/parquet/parquet.h"
#include "store/durable.h"

/* DuckDB reads groups of this size in one go, and one group fits the caches. */
#define GROUP_ROWS 122880

struct table_file {
	struct nx_parquet_writer *writer; /* NULL unless open */
	struct nx_output out;
	uint64_t row_count;
};

struct nx_parquet_folder {
	struct nx_table_sink sink;
	struct nx_arena arena;
	const char *path;
	struct table_file files[NX_SCHEMA_TABLE_COUNT];
};

static const struct {
	enum nx_parquet_type type;
	bool is_list;
} types[NX_SCHEMA_TYPE_COUNT] = {
	[NX_SCHEMA_BOOLEAN] = {NX_PARQUET_BOOL, false},
	[NX_SCHEMA_INT32] = {NX_PARQUET_I32, false},
	[NX_SCHEMA_INT64] = {NX_PARQUET_I64, false},
	[NX_SCHEMA_FLOAT] = {NX_PARQUET_F32, false},
	[NX_SCHEMA_DOUBLE] = {NX_PARQUET_F64, false},
	[NX_SCHEMA_TEXT] = {NX_PARQUET_TEXT, false},
	[NX_SCHEMA_ENUM] = {NX_PARQUET_TEXT, false},
	[NX_SCHEMA_LIST_INT64] = {NX_PARQUET_I64, true},
	[NX_SCHEMA_LIST_TEXT] = {NX_PARQUET_TEXT, true},
	[NX_SCHEMA_LIST_ROWS] = {NX_PARQUET_TEXT, false},
};

static enum nx_status open_file(struct nx_parquet_folder *f, enum nx_schema_table_id id,
				struct nx_error *err)
{
	const struct nx_schema_table *table = &nx_schema_tables[id];
	struct nx_parquet_field fields[NX_SCHEMA_COLUMNS_MAX];
	struct nx_parquet_options options = {.group_rows = GROUP_ROWS};
	struct table_file *file = &f->files[id];
	enum nx_status st;

	for (size_t i = 0; i < table->column_count; i++)
		fields[i] = (struct nx_parquet_field){
			.name = table->columns[i].name,
			.type = types[table->columns[i].type].type,
			.is_list = types[table->columns[i].type].is_list,
			.is_optional = !table->columns[i].is_required,
		};
	st = nx_output_open(&file->out,
			    nx_arena_printf(&f->arena, "%s/%s.parquet", f->path, table->name), err);
	file->out.place_option = NX_TABLES_PLACE_OPTION;
	if (st)
		return st;
	st = nx_parquet_open(&file->writer, nx_parquet_to_output(&file->out), fields,
			     table->column_count, &options, err);
	if (st) {
		nx_output_abort(&file->out);
		return st;
	}
	nx_parquet_add_metadata(file->writer, "neuron_profile_schema_version", NX_SCHEMA_VERSION);
	nx_parquet_add_metadata(file->writer, "neuron_profile_table", table->name);
	return NX_OK;
}

/* --- the sink -------------------------------------------------------------- */

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_error err = {0};

	if (open_file((struct nx_parquet_folder *)sink, table, &err))
		nx_table_sink_fail(sink, &err);
}

/* Errors of the disk name the file; errors of a row only its column. */
static void fail_table(struct nx_parquet_folder *f, enum nx_schema_table_id id,
		       struct nx_error *err)
{
	if (!f->files[id].out.status)
		nx_context(err, "table %s", nx_schema_tables[id].name);
	nx_table_sink_fail(&f->sink, err);
}

static inline void put_cell(struct nx_parquet_writer *w, enum nx_schema_type type, unsigned column,
			    enum nx_cell_kind kind, const union nx_cell *cell)
{
	switch (kind) {
	case NX_CELL_NULL:
		break;
	case NX_CELL_I64:
		if (type == NX_SCHEMA_INT32)
			nx_parquet_put_i32(w, column, (int32_t)cell->i64);
		else
			nx_parquet_put_i64(w, column, cell->i64);
		break;
	case NX_CELL_F64:
		if (type == NX_SCHEMA_FLOAT)
			nx_parquet_put_f32(w, column, (float)cell->f64);
		else
			nx_parquet_put_f64(w, column, cell->f64);
		break;
	case NX_CELL_BOOL:
		nx_parquet_put_bool(w, column, cell->boolean);
		break;
	case NX_CELL_TEXT:
		nx_parquet_put_slice(w, column, cell->text);
		break;
	case NX_CELL_LIST_I64:
		nx_parquet_put_list_i64(w, column, cell->list_i64.items, cell->list_i64.count);
		break;
	case NX_CELL_LIST_TEXT:
		nx_parquet_put_list_text(w, column, cell->list_text.items, cell->list_text.count);
		break;
	}
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_parquet_folder *f = (struct nx_parquet_folder *)sink;
	struct table_file *file = &f->files[row->table];
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;
	struct nx_error err; /* a kilobyte: clearing it would cost more than a short row */

	assert(file->writer && row->column_count == nx_schema_tables[row->table].column_count);
	for (unsigned i = 0; i < row->column_count; i++)
		put_cell(file->writer, (enum nx_schema_type)columns[i].type, i,
			 (enum nx_cell_kind)row->kinds[i], &row->cells[i]);
	file->row_count++;
	if (nx_parquet_end_row(file->writer, &err))
		fail_table(f, row->table, &err);
}

static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_parquet_folder *f = (struct nx_parquet_folder *)sink;
	struct table_file *file = &f->files[table];
	struct nx_error err = {0};
	enum nx_status st = nx_parquet_close(file->writer, &err);

	file->writer = NULL;
	if (st) {
		fail_table(f, table, &err);
		nx_output_abort(&file->out);
	} else if (nx_output_commit(&file->out, &err)) {
		nx_table_sink_fail(sink, &err);
	}
}

/* --- life ------------------------------------------------------------------ */

enum nx_status nx_parquet_folder_open(struct nx_parquet_folder **folder, const char *path,
				      struct nx_error *err)
{
	static const struct nx_table_sink_ops ops = {begin, put, end};
	struct nx_parquet_folder *f;
	struct stat there;

	if (mkdir(path, 0777) && errno != EEXIST)
		return nx_fail_errno(err, errno, "cannot make the folder %s", path);
	if (stat(path, &there) || !S_ISDIR(there.st_mode))
		return nx_fail_errno(err, ENOTDIR, "cannot make the folder %s", path);
	f = nx_heap_alloc(sizeof(*f));
	memset(f, 0, sizeof(*f));
	f->sink.ops = &ops;
	f->path = nx_arena_copy_text(&f->arena, path);
	*folder = f;
	return NX_OK;
}

struct nx_table_sink *nx_parquet_folder_sink(struct nx_parquet_folder *folder)
{
	return &folder->sink;
}

uint64_t nx_parquet_folder_row_count(const struct nx_parquet_folder *folder,
				     enum nx_schema_table_id table)
{
	return folder->files[table].row_count;
}

enum nx_status nx_parquet_folder_close(struct nx_parquet_folder *folder, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&folder->sink, err);

	for (size_t i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		if (!folder->files[i].writer)
			continue;
		nx_parquet_abandon(folder->files[i].writer);
		nx_output_abort(&folder->files[i].out);
	}
	nx_arena_release(&folder->arena);
	nx_heap_free(folder);
	return st;
}
