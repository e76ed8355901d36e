/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet: writes tables of any number of rows as Parquet, row by row, in
 * bounded memory. docs/formats/parquet.md describes the file;
 * format/parquet/parquet_reader.h reads it back.
 *
 *	static const struct nx_parquet_field fields[] = {
 *		{.name = "start_ts", .type = NX_PARQUET_I64},
 *		{.name = "opcode", .type = NX_PARQUET_TEXT, .is_optional = true},
 *	};
 *	st = nx_parquet_open(&w, nx_parquet_to_output(&out), fields, 2, NULL, err);
 *	while (...) {
 *		nx_parquet_put_i64(w, 0, start_ns);
 *		nx_parquet_put_text(w, 1, opcode);
 *		st = nx_parquet_end_row(w, err);
 *	}
 *	st = nx_parquet_close(w, err);
 *
 * A column without a value in a row is null there, at no cost. Rows are collected in a row group; a
 * full one is encoded and compressed by several threads, column by column, and written. The bytes
 * depend on the rows and the options, never on the number of threads.
 *
 * Put never fails; end_row and close report the first failure. Names, options and texts are copied;
 * the caller commits the output.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_H
#define NX_FORMAT_PARQUET_PARQUET_H

#include <assert.h>

#include "base/bare/slice.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "format/parquet/parquet_texts.h"

/* Limits of one column in one row, and of a whole row group. */
#define NX_PARQUET_VALUE_MAX_BYTES ((size_t)64 << 20)
#define NX_PARQUET_GROUP_MAX_BYTES ((size_t)1 << 30)
#define NX_PARQUET_GROUP_MAX_ROWS ((size_t)4 << 20)

enum nx_parquet_type {
	NX_PARQUET_BOOL,
	NX_PARQUET_I32,
	NX_PARQUET_I64,
	NX_PARQUET_F32,
	NX_PARQUET_F64,
	NX_PARQUET_TEXT,
};

struct nx_parquet_field {
	const char *name;
	enum nx_parquet_type type; /* of the elements, in a list */
	bool is_optional;	   /* otherwise a row without a value is a failure */
	bool is_list;		   /* of I64, F64 or TEXT; elements are never null */
};

/* Statistics in the footer: the values of one column in one group. */
struct nx_parquet_stats {
	bool has_null_count, has_distinct_count, has_range;
	bool is_min_exact, is_max_exact; /* otherwise a shorter lower or upper bound */
	uint64_t null_count;
	uint64_t distinct_count;
	struct nx_slice min, max; /* as PLAIN writes one value, a text without its length */
};

/* The order of rows that the caller declares; it is not checked. */
struct nx_parquet_order {
	size_t column;
	bool is_descending;
};

/* A zeroed struct selects the defaults. */
struct nx_parquet_options {
	size_t group_rows;  /* 250,000 */
	size_t group_bytes; /* 64 MB: closes a group early to bound memory */
	size_t page_rows;   /* 65,536; rows of lists count as their elements */
	unsigned threads;   /* processors, at most 4 */
	const struct nx_parquet_order *orders;
	size_t order_count;
};

/* Writes the next bytes of the file. */
typedef enum nx_status (*nx_parquet_sink_fn)(void *context, const void *data, size_t len,
					     struct nx_error *err);
struct nx_parquet_sink {
	nx_parquet_sink_fn fn;
	void *context;
};

struct nx_parquet_writer;

struct nx_parquet_sink nx_parquet_to_output(struct nx_output *out);

NX_MUST_CHECK enum nx_status nx_parquet_open(struct nx_parquet_writer **writer,
					     struct nx_parquet_sink sink,
					     const struct nx_parquet_field *fields,
					     size_t field_count,
					     const struct nx_parquet_options *options,
					     struct nx_error *err);

/* A pair of texts for the footer; any time before close. */
void nx_parquet_add_metadata(struct nx_parquet_writer *writer, const char *key, const char *value);

/* nx_parquet_put_bool, _i32, _i64, _f32, _f64, _text, _slice and end_row are below. */

/* Writes the last group and the footer and frees the writer, even if it fails. */
NX_MUST_CHECK enum nx_status nx_parquet_close(struct nx_parquet_writer *writer,
					      struct nx_error *err);
/* Frees without writing, after a failure elsewhere. NULL is allowed. */
void nx_parquet_abandon(struct nx_parquet_writer *writer);

/* Whole lists; texts that are not UTF-8 are repaired as in nx_parquet_put_text. */
void nx_parquet_put_list_i64(struct nx_parquet_writer *writer, size_t column, const int64_t *values,
			     size_t count);
void nx_parquet_put_list_f64(struct nx_parquet_writer *writer, size_t column, const double *values,
			     size_t count);
void nx_parquet_put_list_text(struct nx_parquet_writer *writer, size_t column,
			      const struct nx_slice *texts, size_t count);

/* --- private to the writer; in the header so that putting a value is inlined ------- */

struct nx_parquet_gap {
	uint32_t row; /* the first without a value, counted in the group */
	uint32_t count;
};

#define NX_PARQUET_NULL_LIST UINT32_MAX

struct nx_parquet_column {
	enum nx_parquet_type type;
	bool is_optional;
	bool is_list;
	uint32_t row_count; /* rows of the group up to the last value */
	union {
		int64_t *i64; /* and I32 */
		double *f64;  /* and F32 */
		uint8_t *flags;
		uint32_t *ids; /* into texts */
	} values;
	size_t value_count, value_room;
	struct nx_parquet_gaps NX_VEC_BODY(struct nx_parquet_gap) gaps; /* unless a list */
	struct nx_parquet_lengths NX_VEC_BODY(uint32_t) lengths;	/* of a list, per row */
	struct nx_parquet_texts texts;
	const char *name;
};

struct nx_parquet_writer {
	struct nx_parquet_column *columns;
	size_t column_count;
	uint64_t group_first_row;
	uint32_t group_row_count;
	uint32_t next_look; /* rows at which the group is measured */
	uint64_t text_bytes, list_bytes;
	uint64_t group_bytes;
	enum nx_status status; /* the first failure */
	struct nx_error error;
};

/* The slow path of nx_parquet_claim: room, nulls before this row; NULL on failure. */
struct nx_parquet_column *nx_parquet_claim_slowly(struct nx_parquet_writer *w,
						  struct nx_parquet_column *c);
/* A text that differs from row to row, or the first one after such a text. */
void nx_parquet_put_late(struct nx_parquet_writer *w, struct nx_parquet_column *c,
			 struct nx_slice text);
/* Closes the group when it is full. */
enum nx_status nx_parquet_look(struct nx_parquet_writer *w, struct nx_error *err);
void nx_parquet_refuse_text(struct nx_parquet_writer *w, struct nx_parquet_column *c, size_t len);

static inline struct nx_parquet_column *nx_parquet_claim(struct nx_parquet_writer *w, size_t column,
							 enum nx_parquet_type type)
{
	struct nx_parquet_column *c = &w->columns[column];

	assert(column < w->column_count && c->type == type && !c->is_list);
	if (c->row_count != w->group_row_count || c->value_count == c->value_room)
		return nx_parquet_claim_slowly(w, c);
	c->row_count++;
	return c;
}

/* Prefetch: a row has more columns than the processor prefetches by itself. */
#define NX_PARQUET_VALUES_AHEAD 16

static inline void nx_parquet_put_bool(struct nx_parquet_writer *w, size_t column, bool value)
{
	struct nx_parquet_column *c = nx_parquet_claim(w, column, NX_PARQUET_BOOL);

	if (c)
		c->values.flags[c->value_count++] = value;
}

/* value is an int64_t or a double, as the type needs. */
static inline void nx_parquet_put_number(struct nx_parquet_writer *w, size_t column,
					 enum nx_parquet_type type, const void *value)
{
	struct nx_parquet_column *c = nx_parquet_claim(w, column, type);

	if (!c)
		return;
	__builtin_prefetch(&c->values.i64[c->value_count + NX_PARQUET_VALUES_AHEAD], 1);
	memcpy(&c->values.i64[c->value_count++], value, sizeof(int64_t));
}

static inline void nx_parquet_put_i32(struct nx_parquet_writer *w, size_t column, int32_t value)
{
	nx_parquet_put_number(w, column, NX_PARQUET_I32, &(int64_t){value});
}

static inline void nx_parquet_put_i64(struct nx_parquet_writer *w, size_t column, int64_t value)
{
	nx_parquet_put_number(w, column, NX_PARQUET_I64, &value);
}

static inline void nx_parquet_put_f32(struct nx_parquet_writer *w, size_t column, float value)
{
	nx_parquet_put_number(w, column, NX_PARQUET_F32, &(double){(double)value});
}

static inline void nx_parquet_put_f64(struct nx_parquet_writer *w, size_t column, double value)
{
	nx_parquet_put_number(w, column, NX_PARQUET_F64, &value);
}

/* Bytes that are not UTF-8 become U+FFFD. A text that stays at its address is found at once. */
static inline void nx_parquet_put_slice(struct nx_parquet_writer *w, size_t column,
					struct nx_slice text)
{
	struct nx_parquet_column *c = nx_parquet_claim(w, column, NX_PARQUET_TEXT);
	size_t old_bytes;

	if (!c)
		return;
	if (text.len > NX_PARQUET_VALUE_MAX_BYTES) {
		nx_parquet_refuse_text(w, c, text.len);
		return;
	}
	if (text.data == c->texts.reused || c->texts.is_waiting) {
		nx_parquet_put_late(w, c, text);
		return;
	}
	old_bytes = c->texts.plain.len;
	c->values.ids[c->value_count++] = nx_parquet_texts_id(&c->texts, text);
	w->text_bytes += c->texts.plain.len - old_bytes;
}

static inline void nx_parquet_put_text(struct nx_parquet_writer *w, size_t column, const char *text)
{
	nx_parquet_put_slice(w, column, nx_slice_text(text));
}

NX_MUST_CHECK static inline enum nx_status nx_parquet_end_row(struct nx_parquet_writer *w,
							      struct nx_error *err)
{
	w->group_row_count++;
	if (w->group_row_count < w->next_look && w->text_bytes + w->list_bytes < w->group_bytes &&
	    !w->status)
		return NX_OK;
	return nx_parquet_look(w, err);
}

#endif
