/* SPDX-License-Identifier: Apache-2.0 */
#include "query/column_codes.h"

#include <assert.h>

#include "base/bare/bits.h"
#include "base/map.h"
#include "base/number.h"

/*
 * A u32 code per row; a u32 end per value; the texts; at the end, where the numbers are known,
 * u64 rows, u32 values, u32 bytes of texts, "NXCODES1". The version is in the magic: a file of
 * another one is made anew.
 */
#define MAGIC "NXCODES1"
#define TAIL_BYTES ((size_t)24)
static_assert(sizeof(MAGIC) - 1 + 16 == TAIL_BYTES, "the magic ends the tail");
#define TEXTS_MAX ((size_t)256 << 20)

/* --- reading ------------------------------------------------------------------------- */

static bool find_parts(struct nx_column_codes *c)
{
	struct nx_slice file = c->file.bytes;
	const uint8_t *tail;
	uint64_t left, text_bytes;

	if (file.len < TAIL_BYTES)
		return false;
	tail = file.data + file.len - TAIL_BYTES;
	if (memcmp(tail + 16, MAGIC, sizeof(MAGIC) - 1) != 0)
		return false;
	c->row_count = nx_load64(tail);
	c->value_count = nx_load32(tail + 8);
	text_bytes = nx_load32(tail + 12);
	left = file.len - TAIL_BYTES;
	if (c->row_count > left / 4)
		return false;
	left -= c->row_count * 4;
	if (c->value_count > left / 4 || left - (uint64_t)c->value_count * 4 != text_bytes)
		return false;
	c->codes = file.data;
	c->ends = c->codes + c->row_count * 4;
	c->texts = nx_slice_of(c->ends + (size_t)c->value_count * 4, text_bytes);
	return true;
}

enum nx_status nx_column_codes_open(struct nx_column_codes *c, const char *path,
				    struct nx_error *err)
{
	enum nx_status st;

	*c = (struct nx_column_codes){0};
	st = nx_file_map(&c->file, path, err);
	if (st || find_parts(c))
		return st;
	nx_column_codes_close(c);
	return nx_fail(err, NX_FORMAT, "%s is damaged; delete it, and it is made again", path);
}

void nx_column_codes_close(struct nx_column_codes *c)
{
	if (c->file.bytes.data)
		nx_file_unmap(&c->file);
	*c = (struct nx_column_codes){0};
}

struct nx_slice nx_column_codes_value(const struct nx_column_codes *c, uint32_t code)
{
	uint32_t begin, end;

	if (code >= c->value_count)
		return (struct nx_slice){0};
	begin = code ? nx_load32(c->ends + ((size_t)code - 1) * 4) : 0;
	end = nx_load32(c->ends + (size_t)code * 4);
	return nx_slice_part(c->texts, begin, end > begin ? end - begin : 0);
}

/* --- making -------------------------------------------------------------------------- */

struct making {
	const char *name; /* of the column */
	struct nx_output out;
	struct nx_arena arena;
	struct nx_text_map codes; /* of texts in the arena */
	struct nx_map number_codes;
	struct nx_code_texts NX_VEC_BODY(struct nx_slice) values;
	uint64_t row_count, text_bytes;
};

static enum nx_status add_value(struct making *m, struct nx_slice text, uint64_t *code,
				struct nx_error *err)
{
	if (m->values.len == NX_CODE_VALUES_MAX || m->text_bytes + text.len > TEXTS_MAX)
		return nx_fail(err, NX_LIMIT,
			       "the column %s has too many different values to colour by it",
			       m->name);
	*code = m->values.len;
	m->text_bytes += text.len;
	text.data = (const uint8_t *)nx_arena_copy(&m->arena, text);
	nx_vec_push(&m->values, text);
	return NX_OK;
}

static enum nx_status code_of_text(struct making *m, struct nx_slice text, uint64_t *code,
				   struct nx_error *err)
{
	enum nx_status st;

	if (nx_text_map_get(&m->codes, text, code))
		return NX_OK;
	st = add_value(m, text, code, err);
	if (!st)
		nx_text_map_put(&m->codes, m->values.items[*code], *code);
	return st;
}

static enum nx_status code_of_number(struct making *m, int64_t number, uint64_t *code,
				     struct nx_error *err)
{
	char digits[NX_NUMBER_MAX];
	enum nx_status st;

	if (nx_map_get(&m->number_codes, (uint64_t)number, code))
		return NX_OK;
	st = add_value(m, nx_slice_of(digits, nx_format_i64(digits, number)), code, err);
	if (!st)
		nx_map_put(&m->number_codes, (uint64_t)number, *code);
	return st;
}

static enum nx_status code_of(struct making *m, const struct nx_parquet_values *v, size_t row,
			      uint64_t *code, struct nx_error *err)
{
	*code = NX_CODE_NONE;
	if (v->is_null && v->is_null[row])
		return NX_OK;
	if (v->texts)
		return code_of_text(m, v->texts[row], code, err);
	if (v->flags)
		return code_of_text(m, nx_slice_text(v->flags[row] ? "true" : "false"), code, err);
	return code_of_number(m, v->i64[row], code, err);
}

static enum nx_status put_group(struct making *m, const struct nx_parquet_values *v,
				struct nx_error *err)
{
	struct nx_slice last = {0};
	uint64_t code = NX_CODE_NONE;
	enum nx_status st = NX_OK;

	for (size_t row = 0; row < v->row_count && !st; row++) {
		uint32_t stored;
		bool is_same = v->texts && last.data && v->texts[row].data == last.data &&
			       v->texts[row].len == last.len;

		/* texts of a dictionary are one text, which is most of the time saved */
		if (!is_same)
			st = code_of(m, v, row, &code, err);
		last = v->texts ? v->texts[row] : (struct nx_slice){0};
		stored = (uint32_t)code;
		nx_output_write(&m->out, &stored, sizeof(stored));
	}
	m->row_count += v->row_count;
	return st;
}

static enum nx_status put_part(struct making *m, const struct nx_stored_part *part, size_t field,
			       nx_go_on_fn go_on, void *context, struct nx_error *err)
{
	struct nx_parquet_cursor *cursor;
	size_t row_count;
	enum nx_status st =
		nx_parquet_cursor_open(&cursor, part->reader, &part->columns[field], 1, NULL, err);

	while (!st) {
		if (go_on && !go_on(context))
			st = nx_fail(err, NX_CANCELLED, "the request for colours was cancelled");
		if (!st)
			st = nx_parquet_cursor_next(cursor, &row_count, err);
		if (st || !row_count)
			break;
		st = put_group(m, nx_parquet_cursor_values(cursor, 0), err);
	}
	nx_parquet_cursor_close(cursor);
	return st;
}

static void put_values(struct making *m)
{
	uint32_t end = 0;

	for (size_t i = 0; i < m->values.len; i++) {
		end += (uint32_t)m->values.items[i].len;
		nx_output_write(&m->out, &end, sizeof(end));
	}
	for (size_t i = 0; i < m->values.len; i++)
		nx_output_write(&m->out, m->values.items[i].data, m->values.items[i].len);
}

static void put_tail(struct making *m)
{
	uint8_t tail[TAIL_BYTES];

	nx_store64(tail, m->row_count);
	nx_store32(tail + 8, (uint32_t)m->values.len);
	nx_store32(tail + 12, (uint32_t)m->text_bytes);
	memcpy(tail + 16, MAGIC, 8);
	nx_output_write(&m->out, tail, sizeof(tail));
}

static enum nx_status check_field(const struct nx_stored_table *table, size_t field,
				  struct nx_error *err)
{
	const struct nx_parquet_field *f = &table->fields[field];

	if (!f->is_list && f->type != NX_PARQUET_F32 && f->type != NX_PARQUET_F64)
		return NX_OK;
	return nx_fail(err, NX_USAGE,
		       "the column %s has lists or fractions, by which nothing can be coloured; "
		       "choose one of texts or whole numbers",
		       f->name);
}

enum nx_status nx_column_codes_make(const struct nx_stored_table *table, size_t field,
				    const char *path, nx_go_on_fn go_on, void *context,
				    struct nx_error *err)
{
	struct making m = {.name = table->fields[field].name};
	enum nx_status st = check_field(table, field, err);

	assert(field < table->field_count);
	if (!st)
		st = nx_output_open(&m.out, path, err);
	if (st)
		return st;
	for (size_t i = 0; i < table->part_count && !st; i++)
		st = put_part(&m, &table->parts[i], field, go_on, context, err);
	put_values(&m);
	put_tail(&m);
	if (st)
		nx_output_abort(&m.out);
	else
		st = nx_output_commit(&m.out, err);
	nx_text_map_release(&m.codes);
	nx_map_release(&m.number_codes);
	nx_vec_release(&m.values);
	nx_arena_release(&m.arena);
	return st;
}
