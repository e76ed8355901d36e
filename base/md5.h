/* SPDX-License-Identifier: Apache-2.0 */
/* md5: RFC 1321. A checksum, not a protection against forgery. */
#ifndef NX_BASE_MD5_H
#define NX_BASE_MD5_H

#include "base/bare/slice.h"

#define NX_MD5_BYTES 16

void nx_md5_digest(struct nx_slice bytes, uint8_t digest[NX_MD5_BYTES]);

#endif
