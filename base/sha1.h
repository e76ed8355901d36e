/* SPDX-License-Identifier: Apache-2.0 */
/* sha1: FIPS 180-4. The ids of profiles are made with it; it is no protection against forgery. */
#ifndef NX_BASE_SHA1_H
#define NX_BASE_SHA1_H

#include "base/bare/slice.h"

#define NX_SHA1_BYTES 20

void nx_sha1_digest(struct nx_slice bytes, uint8_t digest[NX_SHA1_BYTES]);

#endif
