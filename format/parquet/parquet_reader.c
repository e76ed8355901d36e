/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_reader.h"

#include "base/arena.h"
#include "base/bare/bits.h"
#include "format/parquet/parquet_footer.h"
#include "format/parquet/parquet_plain.h"

#define DEFAULT_LIMIT_BYTES ((size_t)1 << 30)
/* Magic, length of the footer, magic. */
#define TAIL_BYTES (sizeof(uint32_t) + NX_PARQUET_MAGIC_BYTES)
#define RANGES_MAX 2
#define FEW 8 /* a part of a group of which copies cost less than keeping all */

struct nx_parquet_reader {
	struct nx_file file; /* empty when the bytes are borrowed */
	struct nx_slice bytes;
	const char *name;
	struct nx_arena arena;
	struct nx_parquet_footer footer;
};

struct nx_parquet_cursor {
	const struct nx_parquet_reader *reader;
	size_t *columns;
	size_t column_count;
	struct nx_parquet_range ranges[RANGES_MAX]; /* a group has to match all */
	size_t range_count;
	size_t limit_bytes;
	uint64_t wanted_first, wanted_end; /* rows of the file */
	size_t group, next_group;
	uint64_t first_row, next_row;
	struct nx_arena arena; /* of the group */
	struct nx_parquet_values *values;
};

/* --- the file --------------------------------------------------------------------- */

static enum nx_status find_footer(struct nx_slice file, struct nx_slice *message,
				  struct nx_error *err)
{
	size_t least = NX_PARQUET_MAGIC_BYTES + TAIL_BYTES;
	const uint8_t *tail = file.data;
	uint32_t len;

	if (file.len < NX_PARQUET_MAGIC_BYTES ||
	    memcmp(file.data, NX_PARQUET_MAGIC, NX_PARQUET_MAGIC_BYTES) != 0)
		return nx_fail(err, NX_FORMAT, "it is no Parquet file");
	if (file.len >= least)
		tail = file.data + file.len - TAIL_BYTES;
	if (file.len < least ||
	    memcmp(tail + sizeof(len), NX_PARQUET_MAGIC, NX_PARQUET_MAGIC_BYTES) != 0)
		return nx_fail(err, NX_FORMAT, "its end is missing; write or copy it again");
	len = nx_load32(tail);
	if (len > file.len - least)
		return nx_fail(err, NX_FORMAT, "its footer is longer than the file");
	*message = nx_slice_of(tail - len, len);
	return NX_OK;
}

static enum nx_status open_reader(struct nx_parquet_reader *r, struct nx_error *err)
{
	struct nx_slice message = {0};
	enum nx_status status = find_footer(r->bytes, &message, err);

	if (status)
		return status;
	return nx_parquet_footer_read(message, (uint64_t)(message.data - r->bytes.data), &r->arena,
				      &r->footer, err);
}

/* Takes the mapping over; an empty one leaves the bytes to whoever lent them. */
static enum nx_status open_mapped(struct nx_parquet_reader **reader, struct nx_file file,
				  struct nx_slice bytes, const char *name, struct nx_error *err)
{
	struct nx_parquet_reader *r = nx_heap_alloc(sizeof(*r));
	enum nx_status status;

	*r = (struct nx_parquet_reader){.file = file, .bytes = bytes};
	r->name = nx_arena_copy_text(&r->arena, name);
	status = open_reader(r, err);
	*reader = status ? NULL : r;
	if (!status)
		return NX_OK;
	nx_parquet_reader_close(r);
	return nx_context(err, "cannot read %s", name);
}

enum nx_status nx_parquet_reader_open_bytes(struct nx_parquet_reader **reader,
					    struct nx_slice bytes, const char *name,
					    struct nx_error *err)
{
	return open_mapped(reader, (struct nx_file){0}, bytes, name, err);
}

enum nx_status nx_parquet_reader_open(struct nx_parquet_reader **reader, const char *path,
				      struct nx_error *err)
{
	struct nx_file file;
	enum nx_status status = nx_file_map(&file, path, err);

	*reader = NULL;
	return status ? status : open_mapped(reader, file, file.bytes, path, err);
}

bool nx_parquet_reader_is_damaged(const struct nx_parquet_reader *r)
{
	return nx_file_is_damaged(&r->file);
}

void nx_parquet_reader_close(struct nx_parquet_reader *r)
{
	if (!r)
		return;
	nx_file_unmap(&r->file);
	nx_arena_release(&r->arena);
	nx_heap_free(r);
}

/* --- what the footer tells ---------------------------------------------------------- */

const struct nx_parquet_field *nx_parquet_reader_fields(const struct nx_parquet_reader *r,
							size_t *count)
{
	*count = r->footer.field_count;
	return r->footer.fields;
}

bool nx_parquet_reader_find(const struct nx_parquet_reader *r, const char *name, size_t *column)
{
	for (size_t i = 0; i < r->footer.field_count; i++)
		if (strcmp(r->footer.fields[i].name, name) == 0) {
			*column = i;
			return true;
		}
	return false;
}

uint64_t nx_parquet_reader_row_count(const struct nx_parquet_reader *r)
{
	return r->footer.row_count;
}

size_t nx_parquet_reader_group_count(const struct nx_parquet_reader *r)
{
	return r->footer.group_count;
}

uint64_t nx_parquet_reader_group_rows(const struct nx_parquet_reader *r, size_t group)
{
	assert(group < r->footer.group_count);
	return r->footer.groups[group].row_count;
}

const struct nx_parquet_stats *nx_parquet_reader_stats(const struct nx_parquet_reader *r,
						       size_t group, size_t column)
{
	assert(group < r->footer.group_count && column < r->footer.field_count);
	return &r->footer.groups[group].chunks[column].stats;
}

bool nx_parquet_reader_metadata(const struct nx_parquet_reader *r, size_t idx, struct nx_slice *key,
				struct nx_slice *value)
{
	if (idx >= r->footer.pair_count)
		return false;
	*key = r->footer.pairs[idx].key;
	*value = r->footer.pairs[idx].value;
	return true;
}

/* --- rows ------------------------------------------------------------------------- */

static enum nx_status check_range(const struct nx_parquet_reader *r,
				  const struct nx_parquet_range *range, struct nx_error *err)
{
	if (range->column >= r->footer.field_count ||
	    !nx_parquet_is_integer(r->footer.fields[range->column].type) ||
	    r->footer.fields[range->column].is_list)
		return nx_fail(err, NX_USAGE, "%s: a range needs a column of integers", r->name);
	return NX_OK;
}

static enum nx_status check_columns(const struct nx_parquet_reader *r, const size_t *columns,
				    size_t count, const struct nx_parquet_range *range,
				    struct nx_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i] >= r->footer.field_count)
			return nx_fail(err, NX_USAGE, "%s has no column number %zu", r->name,
				       columns[i]);
	return range ? check_range(r, range, err) : NX_OK;
}

enum nx_status nx_parquet_cursor_open(struct nx_parquet_cursor **cursor,
				      const struct nx_parquet_reader *reader, const size_t *columns,
				      size_t column_count, const struct nx_parquet_range *range,
				      struct nx_error *err)
{
	enum nx_status status = check_columns(reader, columns, column_count, range, err);
	struct nx_parquet_cursor *c;

	*cursor = NULL;
	if (status)
		return status;
	c = nx_heap_alloc(sizeof(*c));
	*c = (struct nx_parquet_cursor){
		.reader = reader,
		.column_count = column_count,
		.columns = nx_heap_alloc(column_count * sizeof(*c->columns)),
		.values = nx_heap_alloc(column_count * sizeof(*c->values)),
		.limit_bytes = DEFAULT_LIMIT_BYTES,
		.wanted_end = UINT64_MAX,
	};
	if (range)
		c->ranges[c->range_count++] = *range;
	if (column_count)
		memcpy(c->columns, columns, column_count * sizeof(*columns));
	*cursor = c;
	return NX_OK;
}

void nx_parquet_cursor_close(struct nx_parquet_cursor *c)
{
	if (!c)
		return;
	nx_arena_release(&c->arena);
	nx_heap_free(c->columns);
	nx_heap_free(c->values);
	nx_heap_free(c);
}

enum nx_status nx_parquet_cursor_narrow(struct nx_parquet_cursor *c,
					const struct nx_parquet_range *range, struct nx_error *err)
{
	enum nx_status status = check_range(c->reader, range, err);

	assert(c->range_count < RANGES_MAX && !c->next_group);
	if (!status)
		c->ranges[c->range_count++] = *range;
	return status;
}

void nx_parquet_cursor_choose_rows(struct nx_parquet_cursor *c, uint64_t first, uint64_t count)
{
	assert(!c->next_group);
	c->wanted_first = first;
	c->wanted_end = count > UINT64_MAX - first ? UINT64_MAX : first + count;
}

void nx_parquet_cursor_limit(struct nx_parquet_cursor *c, size_t group_bytes)
{
	c->limit_bytes = group_bytes;
}

static bool may_match_range(const struct nx_parquet_reader *r, const struct nx_parquet_group *group,
			    const struct nx_parquet_range *range)
{
	const struct nx_parquet_stats *s = &group->chunks[range->column].stats;
	enum nx_parquet_type type = r->footer.fields[range->column].type;

	if (s->has_null_count && s->null_count == group->row_count)
		return false;
	return !s->has_range || (nx_parquet_plain_integer(type, s->min) <= range->max &&
				 nx_parquet_plain_integer(type, s->max) >= range->min);
}

static bool may_match(const struct nx_parquet_cursor *c, const struct nx_parquet_group *group)
{
	for (size_t i = 0; i < c->range_count; i++)
		if (!may_match_range(c->reader, group, &c->ranges[i]))
			return false;
	return group->row_count != 0 && c->next_row < c->wanted_end &&
	       c->next_row + group->row_count > c->wanted_first;
}

/* The pages behind the cursor need not stay in memory. */
static void forget_group(const struct nx_parquet_cursor *c, const struct nx_parquet_group *group)
{
	if (!c->reader->file.bytes.len)
		return;
	for (size_t i = 0; i < c->column_count; i++) {
		const struct nx_parquet_chunk *chunk = &group->chunks[c->columns[i]];

		nx_file_forget(nx_slice_part(c->reader->bytes, chunk->offset, chunk->stored_bytes));
	}
}

static void *copy_values(struct nx_arena *arena, const void *values, size_t count, size_t size)
{
	void *copy = nx_arena_alloc(arena, count * size);

	if (count)
		memcpy(copy, values, count * size);
	return copy;
}

static const struct nx_slice *copy_texts(struct nx_arena *arena, const struct nx_slice *texts,
					 size_t count)
{
	struct nx_slice *copies = nx_arena_alloc(arena, count * sizeof(*copies));

	for (size_t i = 0; i < count; i++)
		copies[i] = nx_slice_of(nx_arena_copy(arena, texts[i]), texts[i].len);
	return copies;
}

/* Many rows may share one long text of a dictionary; each has its own in a copy. */
static bool do_texts_fit(const struct nx_slice *texts, size_t count, size_t limit_bytes)
{
	for (size_t i = 0; i < count; i++) {
		if (texts[i].len > limit_bytes)
			return false;
		limit_bytes -= texts[i].len;
	}
	return true;
}

/* What the rows need, apart from all that was unpacked to find them; false: it is too much. */
static bool keep_rows(struct nx_arena *arena, struct nx_parquet_values *v, size_t limit_bytes)
{
	size_t first = v->starts ? v->starts[0] : 0;
	size_t count = v->starts ? v->starts[v->row_count] - first : v->row_count;

	if (v->texts && !do_texts_fit(v->texts + first, count, limit_bytes))
		return false;
	if (v->starts) {
		uint32_t *starts = nx_arena_alloc(arena, (v->row_count + 1) * sizeof(*starts));

		for (size_t i = 0; i <= v->row_count; i++)
			starts[i] = v->starts[i] - (uint32_t)first;
		v->starts = starts;
	}
	if (v->is_null)
		v->is_null = copy_values(arena, v->is_null, v->row_count, 1);
	if (v->flags)
		v->flags = copy_values(arena, v->flags + first, count, 1);
	if (v->i64)
		v->i64 = copy_values(arena, v->i64 + first, count, sizeof(*v->i64));
	if (v->f64)
		v->f64 = copy_values(arena, v->f64 + first, count, sizeof(*v->f64));
	if (v->texts)
		v->texts = copy_texts(arena, v->texts + first, count);
	return true;
}

static enum nx_status decode_column(struct nx_parquet_cursor *c,
				    const struct nx_parquet_group *group, size_t chosen,
				    struct nx_parquet_rows rows, struct nx_parquet_budget *budget,
				    struct nx_error *err)
{
	const struct nx_parquet_chunk *chunk = &group->chunks[c->columns[chosen]];

	return nx_parquet_chunk_decode(&c->reader->footer.fields[c->columns[chosen]], chunk,
				       nx_slice_part(c->reader->bytes, chunk->offset,
						     chunk->stored_bytes),
				       group->row_count, rows, budget, &c->values[chosen], err);
}

/*
 * A row of sixty columns would keep sixty pages in memory. For few rows, each column is unpacked
 * into scratch memory and the rows are copied.
 */
static enum nx_status decode_few(struct nx_parquet_cursor *c, const struct nx_parquet_group *group,
				 struct nx_parquet_rows rows, struct nx_error *err)
{
	enum nx_status status = NX_OK;

	for (size_t i = 0; i < c->column_count && !status; i++) {
		struct nx_arena scratch = {0};
		struct nx_parquet_budget budget = {.arena = &scratch, .left_bytes = c->limit_bytes};

		status = decode_column(c, group, i, rows, &budget, err);
		if (!status && !keep_rows(&c->arena, &c->values[i],
					  c->limit_bytes > c->arena.used_bytes
						  ? c->limit_bytes - c->arena.used_bytes
						  : 0))
			status = nx_fail(err, NX_LIMIT, "the texts of these rows are too long");
		nx_arena_release(&scratch);
	}
	return status;
}

static enum nx_status decode_group(struct nx_parquet_cursor *c,
				   const struct nx_parquet_group *group,
				   struct nx_parquet_rows rows, struct nx_error *err)
{
	struct nx_parquet_budget budget = {.arena = &c->arena, .left_bytes = c->limit_bytes};
	enum nx_status status = NX_OK;

	if (group->row_count > UINT32_MAX)
		return nx_fail(err, NX_LIMIT, "a row group has %llu rows, too many to read at once",
			       (unsigned long long)group->row_count);
	if (rows.count < group->row_count / FEW)
		return decode_few(c, group, rows, err);
	for (size_t i = 0; i < c->column_count && !status; i++)
		status = decode_column(c, group, i, rows, &budget, err);
	return status;
}

enum nx_status nx_parquet_cursor_next(struct nx_parquet_cursor *c, size_t *row_count,
				      struct nx_error *err)
{
	const struct nx_parquet_footer *f = &c->reader->footer;
	const struct nx_parquet_group *group;
	struct nx_parquet_rows rows;
	enum nx_status status;
	uint64_t first, end;

	*row_count = 0;
	if (c->next_group)
		forget_group(c, &f->groups[c->next_group - 1]);
	nx_arena_release(&c->arena);
	for (; c->next_group < f->group_count; c->next_group++) {
		if (may_match(c, &f->groups[c->next_group]))
			break;
		c->next_row += f->groups[c->next_group].row_count;
	}
	if (c->next_group == f->group_count)
		return NX_OK;
	group = &f->groups[c->next_group];
	end = c->next_row + group->row_count;
	end = c->wanted_end < end ? c->wanted_end : end;
	first = c->wanted_first > c->next_row ? c->wanted_first : c->next_row;
	assert(first < end);
	rows = (struct nx_parquet_rows){first - c->next_row, end - first};
	c->group = c->next_group++;
	c->first_row = first;
	c->next_row += group->row_count;
	status = decode_group(c, group, rows, err);
	if (status)
		return nx_context(err, "cannot read %s", c->reader->name);
	*row_count = (size_t)rows.count;
	return NX_OK;
}

size_t nx_parquet_cursor_group(const struct nx_parquet_cursor *c, uint64_t *first_row)
{
	if (first_row)
		*first_row = c->first_row;
	return c->group;
}

const struct nx_parquet_values *nx_parquet_cursor_values(const struct nx_parquet_cursor *c,
							 size_t chosen)
{
	assert(chosen < c->column_count);
	return &c->values[chosen];
}
