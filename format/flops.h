/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flops: how much arithmetic a MATMUL is, plain and in bf16 equivalents.
 *
 * An fp32 product is computed in two passes, a MATMUL each; a pass counts half, so that the two
 * together are the product. Adjusted counts say what the same time would do in bf16: fp32 takes
 * four times as long, fp8 half on Trn2 and later, uint8 half. A transpose in fp32 is one pass.
 */
#ifndef NX_FORMAT_FLOPS_H
#define NX_FORMAT_FLOPS_H

#include "format/instruction.h"

struct nx_flops {
	uint64_t raw_count;
	uint64_t adjusted_count;
};

/* Zeros for anything but a MATMUL. A count beyond 64 bits is UINT64_MAX. */
struct nx_flops nx_instruction_flops(const uint8_t slot[NX_SLOT_BYTES], unsigned arch);

#endif
