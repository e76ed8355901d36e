/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_page: the header before each page, both directions; for this folder. */
#ifndef NX_FORMAT_PARQUET_PARQUET_PAGE_H
#define NX_FORMAT_PARQUET_PARQUET_PAGE_H

#include "format/parquet/parquet_internal.h"

enum nx_parquet_page_kind {
	NX_PARQUET_DATA_PAGE = 0,
	NX_PARQUET_INDEX_PAGE = 1,
	NX_PARQUET_DICTIONARY_PAGE = 2,
	NX_PARQUET_DATA_PAGE_V2 = 3,
};

struct nx_parquet_page {
	enum nx_parquet_page_kind kind;
	enum nx_parquet_encoding encoding;
	uint32_t level_count;  /* values of a dictionary */
	uint32_t plain_bytes;  /* of the body */
	uint32_t stored_bytes; /* of the body as stored in the file */
};

void nx_parquet_page_write(const struct nx_parquet_page *page, struct nx_bytes *out);

/* Reads a header from the front of bytes; false if it is damaged. */
bool nx_parquet_page_read(struct nx_slice *bytes, struct nx_parquet_page *page);

#endif
