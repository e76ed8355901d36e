/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_thrift: the compact protocol of Thrift, in which Parquet writes its
 * footer and its page headers; both directions, without a generator.
 *
 * Writing: fields of a struct in ascending order of their ids.
 *
 *	nx_thrift_begin(&w);
 *	nx_thrift_i64(&w, 3, row_count);
 *	nx_thrift_end(&w);
 *
 * Reading: a loop over the fields in any order. A value that is damaged or has an unexpected type
 * sets is_broken; from then on every call returns zero and every loop ends, so one check at the end
 * suffices.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_THRIFT_H
#define NX_FORMAT_PARQUET_PARQUET_THRIFT_H

#include "base/bare/slice.h"
#include "base/vec.h"

#define NX_THRIFT_DEPTH 16

enum nx_thrift_type {
	NX_THRIFT_STOP = 0,
	NX_THRIFT_TRUE = 1,
	NX_THRIFT_FALSE = 2,
	NX_THRIFT_BYTE = 3,
	NX_THRIFT_I16 = 4,
	NX_THRIFT_I32 = 5,
	NX_THRIFT_I64 = 6,
	NX_THRIFT_DOUBLE = 7,
	NX_THRIFT_BINARY = 8,
	NX_THRIFT_LIST = 9,
	NX_THRIFT_SET = 10,
	NX_THRIFT_MAP = 11,
	NX_THRIFT_STRUCT = 12,
};

/* --- writing ------------------------------------------------------------------ */

struct nx_thrift_writer {
	struct nx_bytes *out;
	unsigned depth;
	int last_id[NX_THRIFT_DEPTH];
};

/* The outermost struct and the structs of a list; every begin needs its end. */
void nx_thrift_begin(struct nx_thrift_writer *w);
void nx_thrift_begin_field(struct nx_thrift_writer *w, int id);
void nx_thrift_end(struct nx_thrift_writer *w);

void nx_thrift_bool(struct nx_thrift_writer *w, int id, bool value);
void nx_thrift_byte(struct nx_thrift_writer *w, int id, int8_t value);
void nx_thrift_i16(struct nx_thrift_writer *w, int id, int16_t value);
void nx_thrift_i32(struct nx_thrift_writer *w, int id, int32_t value);
void nx_thrift_i64(struct nx_thrift_writer *w, int id, int64_t value);
void nx_thrift_bytes(struct nx_thrift_writer *w, int id, struct nx_slice bytes);

/* count items of that type must follow. */
void nx_thrift_list(struct nx_thrift_writer *w, int id, enum nx_thrift_type type, size_t count);
void nx_thrift_item_int(struct nx_thrift_writer *w, int64_t value);
void nx_thrift_item_bytes(struct nx_thrift_writer *w, struct nx_slice bytes);

/* --- reading ------------------------------------------------------------------ */

struct nx_thrift_reader {
	const uint8_t *at, *end;
	bool is_broken;
	unsigned depth;
};

struct nx_thrift_field {
	int id; /* 0 before the first one */
	enum nx_thrift_type type;
};

/* Moves to the next field of the current struct; false after the last one. */
bool nx_thrift_next(struct nx_thrift_reader *r, struct nx_thrift_field *field);

/* The value of a field. Read or skip each before the next. */
bool nx_thrift_take_bool(struct nx_thrift_reader *r, struct nx_thrift_field field);
/* Any integer type; broken if it is out of range. */
int64_t nx_thrift_take_int(struct nx_thrift_reader *r, struct nx_thrift_field field, int64_t low,
			   int64_t high);
struct nx_slice nx_thrift_take_bytes(struct nx_thrift_reader *r, struct nx_thrift_field field);
/* Enters a struct; read on with nx_thrift_next on a new field. */
void nx_thrift_take_struct(struct nx_thrift_reader *r, struct nx_thrift_field field);
/* Enters a list of items of that type; never more items than bytes are left. */
size_t nx_thrift_take_list(struct nx_thrift_reader *r, struct nx_thrift_field field,
			   enum nx_thrift_type type);
void nx_thrift_skip(struct nx_thrift_reader *r, struct nx_thrift_field field);

#endif
