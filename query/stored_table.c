/* SPDX-License-Identifier: Apache-2.0 */
#include "query/stored_table.h"

#include <assert.h>
#include <strings.h>

/* The same place first: a file may have a name twice. */
static bool find_column(const struct nx_parquet_reader *reader, const char *name, size_t likely,
			size_t *column)
{
	size_t count;
	const struct nx_parquet_field *fields = nx_parquet_reader_fields(reader, &count);

	*column = likely;
	if (likely < count && !strcmp(fields[likely].name, name))
		return true;
	return nx_parquet_reader_find(reader, name, column);
}

static enum nx_status match_field(struct nx_parquet_field *field, const struct nx_stored_part *part,
				  size_t column, const char *path, struct nx_error *err)
{
	size_t count;
	const struct nx_parquet_field *found = nx_parquet_reader_fields(part->reader, &count);

	assert(column < count);
	found += column;
	if (found->type != field->type || found->is_list != field->is_list)
		return nx_fail(err, NX_FORMAT,
			       "the column %.100s of %s has another type than in the first part; "
			       "store the profile again",
			       field->name, path);
	field->is_optional = field->is_optional || found->is_optional;
	return NX_OK;
}

static enum nx_status match_part(struct nx_stored_table *s, struct nx_parquet_field *fields,
				 struct nx_stored_part *part, const char *path,
				 struct nx_error *err)
{
	size_t *columns = NX_NEW_ARRAY(&s->arena, size_t, s->field_count);
	enum nx_status st = NX_OK;

	part->columns = columns;
	for (size_t i = 0; i < s->field_count && !st; i++) {
		if (!find_column(part->reader, fields[i].name, i, &columns[i]))
			return nx_fail(err, NX_FORMAT,
				       "%s has no column %.100s, which the first part has; store "
				       "the profile again",
				       path, fields[i].name);
		st = match_field(&fields[i], part, columns[i], path, err);
	}
	return st;
}

static struct nx_parquet_field *copy_fields(struct nx_stored_table *s)
{
	size_t count;
	const struct nx_parquet_field *fields =
		nx_parquet_reader_fields(s->parts[0].reader, &count);
	struct nx_parquet_field *copies = NX_NEW_ARRAY(&s->arena, struct nx_parquet_field, count);

	memcpy(copies, fields, count * sizeof(*fields));
	s->fields = copies;
	s->field_count = count;
	return copies;
}

enum nx_status nx_stored_table_open(struct nx_stored_table *s, const struct nx_folder_table *table,
				    struct nx_error *err)
{
	struct nx_parquet_field *fields = NULL;
	enum nx_status st = NX_OK;

	*s = (struct nx_stored_table){.name = table->name};
	if (table->fault)
		return nx_fail(err, NX_FORMAT, "the table %s cannot be read: %s", table->name,
			       table->fault);
	assert(table->file_count);
	s->parts = NX_NEW_ARRAY(&s->arena, struct nx_stored_part, table->file_count);
	for (size_t i = 0; i < table->file_count && !st; i++) {
		struct nx_stored_part *part = &s->parts[i];

		st = nx_parquet_reader_open(&part->reader, table->files[i], err);
		if (st)
			break;
		s->part_count++;
		s->row_count += nx_parquet_reader_row_count(part->reader);
		fields = i ? fields : copy_fields(s);
		st = match_part(s, fields, part, table->files[i], err);
	}
	return st;
}

bool nx_stored_table_is_damaged(const struct nx_stored_table *s)
{
	for (size_t i = 0; i < s->part_count; i++)
		if (nx_parquet_reader_is_damaged(s->parts[i].reader))
			return true;
	return false;
}

void nx_stored_table_close(struct nx_stored_table *s)
{
	for (size_t i = 0; i < s->part_count; i++)
		nx_parquet_reader_close(s->parts[i].reader);
	nx_arena_release(&s->arena);
	*s = (struct nx_stored_table){0};
}

bool nx_stored_table_find(const struct nx_stored_table *s, const char *name, size_t *field)
{
	for (*field = 0; *field < s->field_count; ++*field)
		if (!strcmp(s->fields[*field].name, name))
			return true;
	for (*field = 0; *field < s->field_count; ++*field)
		if (!strcasecmp(s->fields[*field].name, name))
			return true;
	return false;
}

static bool find_time(const struct nx_stored_table *s, const char *name, size_t *field)
{
	const struct nx_parquet_field *f;

	if (!nx_stored_table_find(s, name, field))
		return false;
	f = &s->fields[*field];
	return !f->is_list && (f->type == NX_PARQUET_I64 || f->type == NX_PARQUET_I32);
}

bool nx_stored_table_times(const struct nx_stored_table *s, struct nx_stored_times *times)
{
	if (find_time(s, "start_ts", &times->start) && find_time(s, "end_ts", &times->end))
		return true;
	if (!find_time(s, "timestamp", &times->start))
		return false;
	times->end = times->start;
	return true;
}
