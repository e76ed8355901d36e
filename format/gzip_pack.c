/* SPDX-License-Identifier: Apache-2.0 */
#include "format/gzip_pack.h"

#include <libdeflate.h>

#include "base/arena.h"

/* Traces shrink to a tenth at this level; higher ones take several times as long for a little. */
#define LEVEL 1

bool nx_gzip_pack(struct nx_slice plain, struct nx_bytes *packed)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);

	nx_vec_clear(packed);
	if (!compressor)
		return false;
	nx_vec_reserve(packed, libdeflate_gzip_compress_bound(compressor, plain.len));
	packed->len = libdeflate_gzip_compress(compressor, plain.data, plain.len, packed->items,
					       packed->cap);
	libdeflate_free_compressor(compressor);
	return packed->len > 0;
}
