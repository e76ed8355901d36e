/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_footer.h"

#include "format/parquet/parquet_footer_internal.h"
#include "format/parquet/parquet_thrift.h"

#define FILE_VERSION 2
/* Some readers trust statistics only if they can parse the name of the writer. */
#define CREATED_BY "open-neuron-explorer version 1.0.0"

/* --- the schema ----------------------------------------------------------------- */

/* A union whose member is an empty struct. */
static void put_choice(struct nx_thrift_writer *w, int id, int member)
{
	nx_thrift_begin_field(w, id);
	nx_thrift_begin_field(w, member);
	nx_thrift_end(w);
	nx_thrift_end(w);
}

static void put_annotation(struct nx_thrift_writer *w, enum nx_parquet_type type)
{
	if (type == NX_PARQUET_TEXT) {
		nx_thrift_i32(w, NX_ELEMENT_CONVERTED, NX_CONVERTED_UTF8);
		put_choice(w, NX_ELEMENT_LOGICAL, NX_LOGICAL_STRING);
	} else if (type == NX_PARQUET_I32) {
		nx_thrift_i32(w, NX_ELEMENT_CONVERTED, NX_CONVERTED_INT32);
		nx_thrift_begin_field(w, NX_ELEMENT_LOGICAL);
		nx_thrift_begin_field(w, NX_LOGICAL_INTEGER);
		nx_thrift_byte(w, NX_INTEGER_BITS, 32);
		nx_thrift_bool(w, NX_INTEGER_SIGNED, true);
		nx_thrift_end(w);
		nx_thrift_end(w);
	}
}

static void put_leaf(struct nx_thrift_writer *w, const char *name, enum nx_parquet_type type,
		     enum nx_parquet_repetition repetition)
{
	nx_thrift_begin(w);
	nx_thrift_i32(w, NX_ELEMENT_TYPE, nx_parquet_physical_of(type));
	nx_thrift_i32(w, NX_ELEMENT_REPETITION, repetition);
	nx_thrift_bytes(w, NX_ELEMENT_NAME, nx_slice_text(name));
	put_annotation(w, type);
	nx_thrift_end(w);
}

static void put_list(struct nx_thrift_writer *w, const struct nx_parquet_field *field)
{
	nx_thrift_begin(w);
	nx_thrift_i32(w, NX_ELEMENT_REPETITION, field->is_optional ? NX_OPTIONAL : NX_REQUIRED);
	nx_thrift_bytes(w, NX_ELEMENT_NAME, nx_slice_text(field->name));
	nx_thrift_i32(w, NX_ELEMENT_CHILDREN, 1);
	nx_thrift_i32(w, NX_ELEMENT_CONVERTED, NX_CONVERTED_LIST);
	put_choice(w, NX_ELEMENT_LOGICAL, NX_LOGICAL_LIST);
	nx_thrift_end(w);
	nx_thrift_begin(w);
	nx_thrift_i32(w, NX_ELEMENT_REPETITION, NX_REPEATED);
	nx_thrift_bytes(w, NX_ELEMENT_NAME, nx_slice_text("list"));
	nx_thrift_i32(w, NX_ELEMENT_CHILDREN, 1);
	nx_thrift_end(w);
	put_leaf(w, "element", field->type, NX_REQUIRED);
}

static void put_schema(struct nx_thrift_writer *w, const struct nx_parquet_footer *f)
{
	size_t count = 1;

	for (size_t i = 0; i < f->field_count; i++)
		count += f->fields[i].is_list ? 3 : 1;
	nx_thrift_list(w, NX_FILE_SCHEMA, NX_THRIFT_STRUCT, count);
	nx_thrift_begin(w);
	nx_thrift_bytes(w, NX_ELEMENT_NAME, nx_slice_text("schema"));
	nx_thrift_i32(w, NX_ELEMENT_CHILDREN, (int32_t)f->field_count);
	nx_thrift_end(w);
	for (size_t i = 0; i < f->field_count; i++) {
		const struct nx_parquet_field *field = &f->fields[i];

		if (field->is_list)
			put_list(w, field);
		else
			put_leaf(w, field->name, field->type,
				 field->is_optional ? NX_OPTIONAL : NX_REQUIRED);
	}
}

/* --- row groups ------------------------------------------------------------------- */

static void put_stats(struct nx_thrift_writer *w, const struct nx_parquet_stats *s)
{
	nx_thrift_begin_field(w, NX_CHUNK_STATS);
	if (s->has_null_count)
		nx_thrift_i64(w, NX_STATS_NULLS, (int64_t)s->null_count);
	if (s->has_distinct_count)
		nx_thrift_i64(w, NX_STATS_DISTINCT, (int64_t)s->distinct_count);
	if (s->has_range) {
		nx_thrift_bytes(w, NX_STATS_MAX, s->max);
		nx_thrift_bytes(w, NX_STATS_MIN, s->min);
		nx_thrift_bool(w, NX_STATS_MAX_EXACT, s->is_max_exact);
		nx_thrift_bool(w, NX_STATS_MIN_EXACT, s->is_min_exact);
	}
	nx_thrift_end(w);
}

static void put_encodings(struct nx_thrift_writer *w, const struct nx_parquet_chunk *chunk)
{
	bool has_dictionary = chunk->dictionary_bytes > 0;
	bool has_rle = chunk->has_levels && chunk->encoding != NX_PARQUET_RLE;

	nx_thrift_list(w, NX_CHUNK_ENCODINGS, NX_THRIFT_I32,
		       1 + (size_t)has_dictionary + (size_t)has_rle);
	nx_thrift_item_int(w, chunk->encoding);
	if (has_dictionary)
		nx_thrift_item_int(w, NX_PARQUET_PLAIN);
	if (has_rle)
		nx_thrift_item_int(w, NX_PARQUET_RLE);
}

static void put_chunk(struct nx_thrift_writer *w, const struct nx_parquet_field *field,
		      const struct nx_parquet_chunk *chunk)
{
	nx_thrift_begin(w);
	nx_thrift_i64(w, NX_COLUMN_OFFSET, (int64_t)chunk->offset);
	nx_thrift_begin_field(w, NX_COLUMN_CHUNK);
	nx_thrift_i32(w, NX_CHUNK_TYPE, nx_parquet_physical_of(field->type));
	put_encodings(w, chunk);
	nx_thrift_list(w, NX_CHUNK_PATH, NX_THRIFT_BINARY, field->is_list ? 3 : 1);
	nx_thrift_item_bytes(w, nx_slice_text(field->name));
	if (field->is_list) {
		nx_thrift_item_bytes(w, nx_slice_text("list"));
		nx_thrift_item_bytes(w, nx_slice_text("element"));
	}
	nx_thrift_i32(w, NX_CHUNK_CODEC, chunk->codec);
	nx_thrift_i64(w, NX_CHUNK_LEVELS, (int64_t)chunk->level_count);
	nx_thrift_i64(w, NX_CHUNK_PLAIN_BYTES, (int64_t)chunk->plain_bytes);
	nx_thrift_i64(w, NX_CHUNK_STORED_BYTES, (int64_t)chunk->stored_bytes);
	nx_thrift_i64(w, NX_CHUNK_DATA_OFFSET, (int64_t)(chunk->offset + chunk->dictionary_bytes));
	if (chunk->dictionary_bytes)
		nx_thrift_i64(w, NX_CHUNK_DICTIONARY_OFFSET, (int64_t)chunk->offset);
	put_stats(w, &chunk->stats);
	nx_thrift_end(w);
	nx_thrift_end(w);
}

static void put_orders(struct nx_thrift_writer *w, const struct nx_parquet_footer *f)
{
	if (!f->order_count)
		return;
	nx_thrift_list(w, NX_GROUP_ORDERS, NX_THRIFT_STRUCT, f->order_count);
	for (size_t i = 0; i < f->order_count; i++) {
		nx_thrift_begin(w);
		nx_thrift_i32(w, NX_ORDER_COLUMN, (int32_t)f->orders[i].column);
		nx_thrift_bool(w, NX_ORDER_DESCENDING, f->orders[i].is_descending);
		nx_thrift_bool(w, NX_ORDER_NULLS, false);
		nx_thrift_end(w);
	}
}

void nx_parquet_footer_put_group(const struct nx_parquet_footer *f,
				 const struct nx_parquet_group *group, size_t ordinal,
				 struct nx_bytes *groups)
{
	struct nx_thrift_writer w = {.out = groups};
	uint64_t plain_bytes = 0, stored_bytes = 0;

	assert(f->field_count && group->chunks);
	for (size_t i = 0; i < f->field_count; i++) {
		plain_bytes += group->chunks[i].plain_bytes;
		stored_bytes += group->chunks[i].stored_bytes;
	}
	nx_thrift_begin(&w);
	nx_thrift_list(&w, NX_GROUP_COLUMNS, NX_THRIFT_STRUCT, f->field_count);
	for (size_t i = 0; i < f->field_count; i++)
		put_chunk(&w, &f->fields[i], &group->chunks[i]);
	nx_thrift_i64(&w, NX_GROUP_PLAIN_BYTES, (int64_t)plain_bytes);
	nx_thrift_i64(&w, NX_GROUP_ROWS, (int64_t)group->row_count);
	put_orders(&w, f);
	nx_thrift_i64(&w, NX_GROUP_OFFSET, (int64_t)group->chunks[0].offset);
	nx_thrift_i64(&w, NX_GROUP_STORED_BYTES, (int64_t)stored_bytes);
	/* Later groups have no ordinal. */
	if (ordinal <= INT16_MAX)
		nx_thrift_i16(&w, NX_GROUP_ORDINAL, (int16_t)ordinal);
	nx_thrift_end(&w);
}

/* --- the message ------------------------------------------------------------------ */

static void put_pairs(struct nx_thrift_writer *w, const struct nx_parquet_footer *f)
{
	if (!f->pair_count)
		return;
	nx_thrift_list(w, NX_FILE_PAIRS, NX_THRIFT_STRUCT, f->pair_count);
	for (size_t i = 0; i < f->pair_count; i++) {
		nx_thrift_begin(w);
		nx_thrift_bytes(w, NX_PAIR_KEY, f->pairs[i].key);
		nx_thrift_bytes(w, NX_PAIR_VALUE, f->pairs[i].value);
		nx_thrift_end(w);
	}
}

/* "By type": without it, readers may not use min and max. */
static void put_column_orders(struct nx_thrift_writer *w, const struct nx_parquet_footer *f)
{
	nx_thrift_list(w, NX_FILE_COLUMN_ORDERS, NX_THRIFT_STRUCT, f->field_count);
	for (size_t i = 0; i < f->field_count; i++) {
		nx_thrift_begin(w);
		nx_thrift_begin_field(w, 1);
		nx_thrift_end(w);
		nx_thrift_end(w);
	}
}

void nx_parquet_footer_write(const struct nx_parquet_footer *f, const struct nx_bytes *groups,
			     struct nx_bytes *out)
{
	struct nx_thrift_writer w = {.out = out};

	nx_thrift_begin(&w);
	nx_thrift_i32(&w, NX_FILE_VERSION, FILE_VERSION);
	put_schema(&w, f);
	nx_thrift_i64(&w, NX_FILE_ROWS, (int64_t)f->row_count);
	nx_thrift_list(&w, NX_FILE_GROUPS, NX_THRIFT_STRUCT, f->group_count);
	nx_bytes_append(out, groups->items, groups->len);
	put_pairs(&w, f);
	nx_thrift_bytes(&w, NX_FILE_CREATED_BY, nx_slice_text(CREATED_BY));
	put_column_orders(&w, f);
	nx_thrift_end(&w);
}
