/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_page.h"

#include <assert.h>

#include "format/parquet/parquet_thrift.h"

/* PageHeader */
enum { F_KIND = 1, F_PLAIN_BYTES = 2, F_STORED_BYTES = 3, F_DATA = 5, F_DICTIONARY = 7 };
/* DataPageHeader and DictionaryPageHeader start with the same fields. */
enum { F_COUNT = 1, F_ENCODING = 2, F_DEFINITION_LEVELS = 3, F_REPETITION_LEVELS = 4 };

void nx_parquet_page_write(const struct nx_parquet_page *page, struct nx_bytes *out)
{
	struct nx_thrift_writer w = {.out = out};
	bool is_data = page->kind == NX_PARQUET_DATA_PAGE;

	assert(page->plain_bytes <= INT32_MAX && page->stored_bytes <= INT32_MAX);
	nx_thrift_begin(&w);
	nx_thrift_i32(&w, F_KIND, page->kind);
	nx_thrift_i32(&w, F_PLAIN_BYTES, (int32_t)page->plain_bytes);
	nx_thrift_i32(&w, F_STORED_BYTES, (int32_t)page->stored_bytes);
	nx_thrift_begin_field(&w, is_data ? F_DATA : F_DICTIONARY);
	nx_thrift_i32(&w, F_COUNT, (int32_t)page->level_count);
	nx_thrift_i32(&w, F_ENCODING, page->encoding);
	if (is_data) {
		nx_thrift_i32(&w, F_DEFINITION_LEVELS, NX_PARQUET_RLE);
		nx_thrift_i32(&w, F_REPETITION_LEVELS, NX_PARQUET_RLE);
	}
	nx_thrift_end(&w);
	nx_thrift_end(&w);
}

static void read_detail(struct nx_thrift_reader *r, struct nx_parquet_page *page)
{
	struct nx_thrift_field field = {0};

	while (nx_thrift_next(r, &field)) {
		if (field.id == F_COUNT)
			page->level_count = (uint32_t)nx_thrift_take_int(r, field, 0, INT32_MAX);
		else if (field.id == F_ENCODING)
			page->encoding =
				(enum nx_parquet_encoding)nx_thrift_take_int(r, field, 0, INT8_MAX);
		else
			nx_thrift_skip(r, field);
	}
}

bool nx_parquet_page_read(struct nx_slice *bytes, struct nx_parquet_page *page)
{
	struct nx_thrift_reader r = {.at = bytes->data, .end = bytes->data + bytes->len};
	struct nx_thrift_field field = {0};
	bool has_kind = false;

	*page = (struct nx_parquet_page){0};
	while (nx_thrift_next(&r, &field)) {
		if (field.id == F_KIND) {
			page->kind = (enum nx_parquet_page_kind)nx_thrift_take_int(&r, field, 0,
										   INT8_MAX);
			has_kind = true;
		} else if (field.id == F_PLAIN_BYTES) {
			page->plain_bytes = (uint32_t)nx_thrift_take_int(&r, field, 0, INT32_MAX);
		} else if (field.id == F_STORED_BYTES) {
			page->stored_bytes = (uint32_t)nx_thrift_take_int(&r, field, 0, INT32_MAX);
		} else if (field.id == F_DATA || field.id == F_DICTIONARY) {
			nx_thrift_take_struct(&r, field);
			read_detail(&r, page);
		} else {
			nx_thrift_skip(&r, field);
		}
	}
	if (r.is_broken || !has_kind)
		return false;
	*bytes = nx_slice_part(*bytes, (uint64_t)(r.at - bytes->data), bytes->len);
	return true;
}
