/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_frame: what processes of a job write to each other before each piece of data.
 *
 * 32 bytes, little-endian: magic u32, kind u32, from u32, to u32, tag u64, len u64;
 * then len bytes. Processes of one version talk to each other only: the magic
 * changes with the layout.
 */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_FRAME_H
#define NX_RUNTIME_NRT_RANKS_RANK_FRAME_H

#include <stdint.h>

#include "base/error.h"

#define NX_RANK_FRAME_BYTES 32u
#define NX_RANK_FRAME_MAGIC 0x314b4e52u /* "RNK1" */

enum nx_rank_frame_kind {
	NX_RANK_HELLO = 1, /* first of a process; tag is the number of ranks */
	NX_RANK_JOIN,	   /* rank `from` is there */
	NX_RANK_LEAVE,	   /* it left */
	NX_RANK_GONE,	   /* its process died */
	NX_RANK_DATA,
};

struct nx_rank_frame {
	uint32_t kind, from, to;
	uint64_t tag, len;
};

void nx_rank_frame_put(const struct nx_rank_frame *frame, uint8_t out[NX_RANK_FRAME_BYTES]);
/* FORMAT when it is no frame of a world of rank_count ranks. */
NX_MUST_CHECK enum nx_status nx_rank_frame_get(const uint8_t bytes[NX_RANK_FRAME_BYTES],
					       uint32_t rank_count, struct nx_rank_frame *out,
					       struct nx_error *err);

#endif
