/* SPDX-License-Identifier: Apache-2.0 */
#include "format/gzip_stream.h"

#include <assert.h>

#include "format/zlib_stream.h"

static bool is_gzip(struct nx_slice bytes)
{
	return bytes.len >= 2 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b;
}

static struct nx_slice rest(const struct nx_gzip_stream *stream)
{
	size_t used = (size_t)(stream->z->next_in - stream->packed.data);

	return nx_slice_part(stream->packed, used, stream->packed.len);
}

void nx_gzip_stream_open(struct nx_gzip_stream *stream, struct nx_slice packed)
{
	*stream = (struct nx_gzip_stream){.packed = packed};
	if (!is_gzip(packed))
		return;
	stream->z = nx_heap_alloc(sizeof(*stream->z));
	*stream->z = nx_zlib_stream();
	stream->z->next_in = (z_const Bytef *)packed.data;
	stream->piece = nx_heap_alloc(NX_GZIP_PIECE_BYTES);
	stream->is_damaged = inflateInit2(stream->z, NX_ZLIB_GZIP_BITS) != Z_OK;
	stream->is_over = stream->is_damaged;
}

static void unpack_step(struct nx_gzip_stream *stream)
{
	size_t left = rest(stream).len;
	int result;

	stream->z->avail_in = (uInt)(left < NX_ZLIB_MAX_STEP ? left : NX_ZLIB_MAX_STEP);
	result = inflate(stream->z, Z_NO_FLUSH);
	if (result == Z_STREAM_END) {
		/* The rest is padding, as for gunzip. */
		stream->is_over = !is_gzip(rest(stream)) || inflateReset(stream->z) != Z_OK;
	} else if (result == Z_BUF_ERROR) {
		/* No progress despite room for output: the input is used up. */
		stream->is_over = stream->is_cut = true;
	} else if (result != Z_OK) {
		stream->is_over = stream->is_damaged = true;
		stream->damage = stream->z->msg;
	}
}

bool nx_gzip_stream_next(struct nx_gzip_stream *stream, struct nx_slice *piece)
{
	assert(!stream->z || stream->piece);
	*piece = (struct nx_slice){0};
	if (stream->is_over)
		return false;
	if (stream->z) {
		stream->z->next_out = stream->piece;
		stream->z->avail_out = (uInt)NX_GZIP_PIECE_BYTES;
		while (!stream->is_over && stream->z->avail_out)
			unpack_step(stream);
		*piece = nx_slice_of(stream->piece, NX_GZIP_PIECE_BYTES - stream->z->avail_out);
	} else {
		*piece = stream->packed;
		stream->is_over = true;
	}
	return piece->len > 0;
}

void nx_gzip_stream_close(struct nx_gzip_stream *stream)
{
	if (stream->z)
		inflateEnd(stream->z);
	nx_heap_free(stream->z);
	nx_heap_free(stream->piece);
	*stream = (struct nx_gzip_stream){0};
}
