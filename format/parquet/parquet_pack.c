/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_pack: joins the pages of a chunk, compressed if that saves space. */
#include <zstd.h>

#include "base/arena.h"
#include "format/parquet/parquet_chunk.h"

#define ZSTD_LEVEL 1

void nx_parquet_scratch_release(struct nx_parquet_scratch *s)
{
	nx_vec_release(&s->plain);
	nx_vec_release(&s->packed);
	nx_vec_release(&s->pages);
	nx_vec_release(&s->ids);
	nx_vec_release(&s->levels);
	nx_vec_release(&s->repetitions);
	nx_parquet_numbers_release(&s->numbers);
	ZSTD_freeCCtx(s->zstd);
	*s = (struct nx_parquet_scratch){0};
}

/* The body of a page; used counts the bytes of plain that earlier pages have taken. */
static const uint8_t *body_of(const struct nx_parquet_scratch *s, size_t page, size_t *used)
{
	size_t from = *used;

	if (!page && s->dictionary.len)
		return s->dictionary.data;
	*used += s->pages.items[page].plain_bytes;
	return s->plain.items + from;
}

/* Compresses all pages; false if the system has no memory for it. */
static bool compress_pages(struct nx_parquet_scratch *s)
{
	size_t used = 0;

	nx_vec_clear(&s->packed);
	if (!s->zstd)
		s->zstd = ZSTD_createCCtx();
	if (!s->zstd)
		return false;
	for (size_t i = 0; i < s->pages.len; i++) {
		struct nx_parquet_page *page = &s->pages.items[i];
		size_t room = ZSTD_compressBound(page->plain_bytes), len;
		const uint8_t *body = body_of(s, i, &used);

		nx_vec_reserve(&s->packed, s->packed.len + room);
		len = ZSTD_compressCCtx(s->zstd, s->packed.items + s->packed.len, room, body,
					page->plain_bytes, ZSTD_LEVEL);
		if (ZSTD_isError(len))
			return false;
		page->stored_bytes = (uint32_t)len;
		s->packed.len += len;
	}
	return true;
}

static void put_pages(const struct nx_parquet_scratch *s, struct nx_parquet_encoded *out)
{
	bool is_packed = out->chunk.codec == NX_PARQUET_ZSTD;
	const uint8_t *packed = s->packed.items;
	size_t used = 0;

	nx_vec_clear(&out->bytes);
	out->chunk.plain_bytes = s->dictionary.len + s->plain.len;
	for (size_t i = 0; i < s->pages.len; i++) {
		const struct nx_parquet_page *page = &s->pages.items[i];
		const uint8_t *body = is_packed ? packed : body_of(s, i, &used);
		size_t start = out->bytes.len;

		nx_parquet_page_write(page, &out->bytes);
		out->chunk.plain_bytes += out->bytes.len - start;
		nx_bytes_append(&out->bytes, body, page->stored_bytes);
		if (is_packed)
			packed += page->stored_bytes;
		if (page->kind == NX_PARQUET_DICTIONARY_PAGE)
			out->chunk.dictionary_bytes = out->bytes.len;
	}
	out->chunk.stored_bytes = out->bytes.len;
}

void nx_parquet_chunk_pack(struct nx_parquet_scratch *s, struct nx_parquet_encoded *out)
{
	if (compress_pages(s) && s->packed.len < s->dictionary.len + s->plain.len) {
		out->chunk.codec = NX_PARQUET_ZSTD;
		put_pages(s, out);
		return;
	}
	out->chunk.codec = NX_PARQUET_STORED;
	for (size_t i = 0; i < s->pages.len; i++)
		s->pages.items[i].stored_bytes = s->pages.items[i].plain_bytes;
	put_pages(s, out);
}
