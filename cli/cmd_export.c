/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/table.h"
#include "cli/workspace_view.h"
#include "export/row_sink.h"
#include "query/table_rows.h"

#define FORMATS "csv json jsonl parquet"
#define ALL_TABLES "all"

struct export
{
	const char *profile, *data_path, *table, *format, *from, *to, *columns, *output_file;
};

#define FIELD(member) NX_FIELD(struct export, member)

static const struct nx_option options[] = {
	NX_ROW_PROFILE(struct export),
	NX_ROW_DATA_PATH(struct export),
	{"table", 't', NX_TEXT("TABLE"), FIELD(table),
	 "The table to write (default: all, which lists the tables and writes no rows)."},
	NX_ROW_ROWS_FORMAT(struct export, FORMATS, "",
			   " (default: the extension of the output file, else csv)."),
	{"from", 0, NX_TEXT("TIME"), FIELD(from),
	 "Leave out rows that end before this time: nanoseconds, or a number with a unit such as "
	 "20us, 1.5ms or 3s, on the clock of the table."},
	{"to", 0, NX_TEXT("TIME"), FIELD(to), "Leave out rows that begin at this time or later."},
	{"columns", 'c', NX_TEXT("NAMES"), FIELD(columns),
	 "Which columns to write, separated by commas, in this order (default: all)."},
	NX_ROW_ROWS_FILE(struct export, ""),
	{0},
};

/* --- options --------------------------------------------------------------- */

static bool is_listing(const struct export *o)
{
	return !o->table || !strcmp(o->table, ALL_TABLES);
}

static enum nx_status check(struct export *o, struct nx_error *err)
{
	bool is_standard = !o->output_file || !strcmp(o->output_file, "-");
	const char *point = o->output_file ? strrchr(o->output_file, '.') : NULL;

	if (is_listing(o) && (o->format || o->from || o->to || o->columns || o->output_file))
		return nx_fail(err, NX_USAGE,
			       "to write rows, name one table with --table; with -d alone the "
			       "tables are listed");
	/* a file called .parquet must not be CSV */
	if (!o->format && point && (nx_row_format_find(point + 1) || !strcmp(point + 1, "parquet")))
		o->format = point + 1;
	o->format = o->format ? o->format : "csv";
	if (!strcmp(o->format, "parquet") && is_standard && isatty(STDOUT_FILENO) == 1)
		return nx_fail(err, NX_USAGE,
			       "a terminal cannot show a Parquet file: add --output-file FILE");
	return NX_OK;
}

static enum nx_status parse_range(const struct export *o, struct nx_time_range *range,
				  struct nx_error *err)
{
	*range = (struct nx_time_range){.has_from = o->from != NULL, .has_to = o->to != NULL};
	if (o->from && nx_time_parse(o->from, &range->from_ns, err))
		return nx_context(err, "--from");
	if (o->to && nx_time_parse(o->to, &range->to_ns, err))
		return nx_context(err, "--to");
	if (o->from && o->to && range->from_ns >= range->to_ns)
		return nx_fail(err, NX_USAGE, "--from %.100s is not before --to %.100s", o->from,
			       o->to);
	return NX_OK;
}

/* --- what was meant -------------------------------------------------------- */

struct fields NX_VEC_BODY(size_t);

static enum nx_status add_column(const struct nx_stored_table *table, const char *name,
				 struct fields *fields, struct nx_error *err)
{
	char hint[NX_HINT_MAX];
	size_t field;

	if (!*name)
		return nx_fail(err, NX_USAGE, "--columns has an empty name");
	if (!nx_stored_table_find(table, name, &field))
		return nx_fail(
			err, NX_NOT_FOUND, "there is no column '%.100s'%s", name,
			nx_hint(nx_suggest_member(table->fields, table->field_count, name, name),
				"; a run without --columns shows them", hint));
	for (size_t i = 0; i < fields->len; i++)
		if (fields->items[i] == field)
			return nx_fail(err, NX_USAGE, "--columns names %.100s twice",
				       table->fields[field].name);
	nx_vec_push(fields, field);
	return NX_OK;
}

/* "a,b"; without a list every field. */
static enum nx_status choose_columns(const struct nx_stored_table *table, const char *list,
				     struct fields *fields, struct nx_error *err)
{
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	for (size_t i = 0; !list && i < table->field_count; i++)
		nx_vec_push(fields, i);
	while (list && !st) {
		size_t len = strcspn(list, ",");

		st = add_column(table, nx_arena_copy(&arena, nx_slice_of(list, len)), fields, err);
		list = list[len] ? list + len + 1 : NULL;
	}
	nx_arena_release(&arena);
	return st;
}

/* --- rows ------------------------------------------------------------------ */

static enum nx_status write_fields(const struct export *o, const struct nx_stored_table *table,
				   const struct nx_table_choice *choice, struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_parquet_field *fields =
		NX_NEW_ARRAY(&arena, struct nx_parquet_field, choice->field_count);
	struct nx_rows_parquet_shape shape = {fields, choice->field_count, table->parts[0].reader};
	const struct nx_row_format *format = nx_row_format_find(o->format);
	struct nx_row_stream *rows;
	struct nx_row_sink *sink;
	struct nx_output out;
	enum nx_status st = nx_table_rows_open(&rows, table, choice, err);

	for (size_t i = 0; i < choice->field_count; i++)
		fields[i] = table->fields[choice->fields[i]];
	if (!st)
		st = nx_output_open(&out, o->output_file ? o->output_file : "-", err);
	if (!st) {
		sink = format ? format->open(&out) : nx_rows_parquet_open(&out, &shape);
		st = nx_row_sink_pour(sink, rows, err);
		nx_row_sink_close(sink);
		st = nx_print_end(&out, st, err);
	}
	nx_row_stream_close(rows);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status write_table(const struct export *o, const struct nx_profile_folder *folder,
				  const struct nx_time_range *range, struct nx_error *err)
{
	const struct nx_folder_table *found = nx_profile_folder_find(folder, o->table);
	struct nx_stored_table table = {0};
	struct fields fields = {0};
	enum nx_status st;

	if (!found)
		return nx_workspace_view_refuse_table(folder, o->table,
						      "; a run without --table lists them", err);
	st = nx_stored_table_open(&table, found, err);
	if (!st)
		st = choose_columns(&table, o->columns, &fields, err);
	if (!st)
		st = write_fields(o, &table,
				  &(struct nx_table_choice){.fields = fields.items,
							    .field_count = fields.len,
							    .range = *range},
				  err);
	nx_vec_release(&fields);
	nx_stored_table_close(&table);
	return st;
}

/* --- the list of tables ---------------------------------------------------- */

static void add_table(struct nx_table_view *view, const struct nx_stored_table *table)
{
	char rows[NX_COUNT_TEXT_MAX];
	struct nx_stored_times times;
	bool has_time = nx_stored_table_times(table, &times);

	nx_table_add(view, "%s", table->name);
	nx_table_add(view, "%s", nx_count_text(table->row_count, rows));
	nx_table_add(view, "%zu", table->field_count);
	if (has_time && times.end != times.start)
		nx_table_add(view, "%s, %s", table->fields[times.start].name,
			     table->fields[times.end].name);
	else
		nx_table_add(view, "%s", has_time ? table->fields[times.start].name : "-");
}

static enum nx_status list_tables(struct nx_profile_folder *folder, struct nx_error *err)
{
	NX_VEC(const char *) faults = {0};
	struct nx_table_view view;
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	nx_table_begin(&view, &folder->arena, "table|>rows|>columns|time");
	for (size_t i = 0; i < folder->tables.len; i++) {
		struct nx_stored_table table;
		struct nx_error fault = {0};

		if (nx_stored_table_open(&table, &folder->tables.items[i], &fault))
			nx_vec_push(&faults, nx_arena_copy_text(&folder->arena, fault.message));
		else
			add_table(&view, &table);
		nx_stored_table_close(&table);
	}
	nx_table_end(&view, &out, 0);
	for (size_t i = 0; i < faults.len; i++)
		nx_print(&out, "\n%s\n", faults.items[i]);
	nx_vec_release(&faults);
	return nx_output_commit(&out, err);
}

/* --- the command ----------------------------------------------------------- */

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct export *o = values;
	struct nx_profile_folder folder = {0};
	struct nx_time_range range;
	struct nx_arena arena = {0};
	const char *path;
	enum nx_status st = check(o, err);

	(void)call, (void)operands;
	if (!st)
		st = parse_range(o, &range, err);
	if (!st)
		st = nx_workspace_view_resolve(o->data_path, o->profile ? o->profile : ".", &arena,
					       &path, err);
	if (!st)
		st = nx_profile_folder_open(&folder, path, err);
	if (!st)
		st = is_listing(o) ? list_tables(&folder, err)
				   : write_table(o, &folder, &range, err);
	nx_profile_folder_release(&folder);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"Which tables are there, and how many rows do they have?", "export -d profile"},
	{"All instructions, for a spreadsheet:",
	 "export -d profile --table Instruction --output-file instructions.csv"},
	{"What moved in two milliseconds?",
	 "export -d profile --table DmaPacket --from 1.5ms --to 3.5ms --columns "
	 "start_ts,end_ts,transfer_bytes"},
	{"Rows for another program:",
	 "export -d profile --table Instruction --to 20us --format jsonl | jq .opcode"},
	{0},
};

const struct nx_command nx_command_export = {
	.name = "export",
	.summary = "write the rows of one table of a profile",
	.operands = "",
	.operand_hint = "name a table with --table, a profile with -d",
	.description =
		"Writes the rows of one table of a stored profile as CSV, JSON or Parquet, "
		"unchanged and in order. Needs no DuckDB; to join, aggregate or sort, use 'query'. "
		"Without --table it lists the tables, their rows and columns, and which columns "
		"hold times.\n"
		"\n"
		"--from and --to select a time range, --from inclusive, --to exclusive. For a "
		"table with start_ts and end_ts, rows that overlap the range are written; for one "
		"with timestamp, rows inside it. Times are those of the table: since the measured "
		"window began, or since 1970 for tables on the host's clock.\n"
		"\n"
		"Only row groups that overlap the range are read, one at a time, so memory does "
		"not grow with the table. Integers are exact in every format, including JSON, "
		"where some readers round values beyond 2^53.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct export),
	.run = run,
};
