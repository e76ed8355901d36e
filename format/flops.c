/* SPDX-License-Identifier: Apache-2.0 */
#include "format/flops.h"

/* Time of an operation in quarters of a bf16 one's. */
static unsigned quarters(unsigned dtype, unsigned arch)
{
	if (dtype == NX_DTYPE_FP32)
		return 16;
	if (dtype == NX_DTYPE_UINT8)
		return 2;
	if (dtype >= NX_DTYPE_FP8E3 && dtype <= NX_DTYPE_FP8E5)
		return arch > NX_ARCH_V2 ? 2 : 4;
	return 4;
}

static uint64_t times(uint64_t count, unsigned factor)
{
	uint64_t product;

	return __builtin_mul_overflow(count, factor, &product) ? UINT64_MAX : product;
}

struct nx_flops nx_instruction_flops(const uint8_t slot[NX_SLOT_BYTES], unsigned arch)
{
	const struct nx_array_word *w = &nx_word_of(slot)->array;
	bool is_pass = w->dtype == NX_DTYPE_FP32 && w->fp32_mode & NX_FP32_MODE_MASK;
	unsigned each = is_pass ? 1 : 2;
	struct nx_instruction_effect e;
	struct nx_flops flops = {0};

	if (w->header.opcode != NX_OP_MATMUL)
		return flops;
	nx_instruction_effect(slot, arch, &e);
	flops.raw_count = times(e.elements, each);
	flops.adjusted_count = times(e.elements, each * quarters(w->dtype, arch) / 4);
	return flops;
}
