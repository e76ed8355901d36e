/* SPDX-License-Identifier: Apache-2.0 */
/* md5: RFC 1321, the checksum in a NEFF's header. No protection against anybody. */
#ifndef NX_FORMAT_MD5_H
#define NX_FORMAT_MD5_H

#include "base/bare/slice.h"

#define NX_MD5_BYTES 16

void nx_md5_digest(struct nx_slice bytes, uint8_t digest[NX_MD5_BYTES]);

#endif
