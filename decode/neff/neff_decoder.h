/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_decoder: the members of a NEFF as rows of struct nx_binary, which borrow from the NEFF. A
 * missing or damaged member costs only its own content; `missing` says what and why.
 */
#ifndef NX_DECODE_NEFF_NEFF_DECODER_H
#define NX_DECODE_NEFF_NEFF_DECODER_H

#include "base/arena.h"
#include "base/error.h"
#include "format/neff.h"
#include "model/binary.h"

struct nx_neff_options {
	bool skip_debug_info; /* leave out birs and origins */
	bool skip_dma_blocks; /* leave out the static DMA tables */
};

NX_MUST_CHECK enum nx_status nx_neff_decode(const struct nx_neff *neff,
					    const struct nx_neff_options *options,
					    struct nx_arena *arena, struct nx_binary *out,
					    struct nx_error *err);

#endif
