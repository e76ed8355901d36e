/* SPDX-License-Identifier: Apache-2.0 */
/* ntff_code: the instruction words each engine ran, and which compiled word each came from. */
#ifndef NX_DECODE_NTFF_NTFF_CODE_H
#define NX_DECODE_NTFF_NTFF_CODE_H

#include "decode/ntff/ntff_decoder.h"

/*
 * Blobs of real captures lie side by side. Many that point at the same bytes
 * would let a small file ask for any amount of memory and time, so together
 * they get only a few times the length of the file.
 */
#define NX_BLOB_SHARE 4

/* The part of a blob that the budget still pays for; the rest is counted as a loss. */
struct nx_slice nx_ntff_within_budget(struct nx_ntff_decoder *decoder, struct nx_slice blob,
				      uint64_t *budget_bytes);

void nx_ntff_load_code(struct nx_ntff_decoder *decoder, const struct nx_ntff_graph *from,
		       struct nx_arena *arena, struct nx_graph *graph);

#endif
