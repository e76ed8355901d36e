/* SPDX-License-Identifier: Apache-2.0 */
/* gzip_pack: bytes as one gzip member, in one call; format/gzip_stream.h reads them. */
#ifndef NX_FORMAT_GZIP_PACK_H
#define NX_FORMAT_GZIP_PACK_H

#include "base/bare/slice.h"
#include "base/vec.h"

/* Replaces the contents of packed. False, and packed is empty, if there is no memory for it. */
NX_MUST_CHECK bool nx_gzip_pack(struct nx_slice plain, struct nx_bytes *packed);

#endif
