/* SPDX-License-Identifier: Apache-2.0 */
/* zlib_stream: settings for zlib: gzip, our heap, steps that fit its 32-bit counters. */
#ifndef NX_FORMAT_ZLIB_STREAM_H
#define NX_FORMAT_ZLIB_STREAM_H

#include <zlib.h>

#include "base/arena.h"

#define NX_ZLIB_GZIP_BITS (15 + 16)
#define NX_ZLIB_MAX_STEP ((size_t)1 << 30)

static inline voidpf nx_zlib_alloc(voidpf unused, uInt items, uInt size)
{
	(void)unused;
	return nx_heap_alloc((size_t)items * size);
}

static inline void nx_zlib_free(voidpf unused, voidpf memory)
{
	(void)unused;
	nx_heap_free(memory);
}

static inline z_stream nx_zlib_stream(void)
{
	return (z_stream){.zalloc = nx_zlib_alloc, .zfree = nx_zlib_free};
}

#endif
