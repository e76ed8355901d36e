/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/rank_frame.h"

#include "base/bare/bits.h"
#include "runtime/nrt/ranks/rank_world.h"

void nx_rank_frame_put(const struct nx_rank_frame *frame, uint8_t out[NX_RANK_FRAME_BYTES])
{
	nx_store32(out, NX_RANK_FRAME_MAGIC);
	nx_store32(out + 4, frame->kind);
	nx_store32(out + 8, frame->from);
	nx_store32(out + 12, frame->to);
	nx_store64(out + 16, frame->tag);
	nx_store64(out + 24, frame->len);
}

enum nx_status nx_rank_frame_get(const uint8_t bytes[NX_RANK_FRAME_BYTES], uint32_t rank_count,
				 struct nx_rank_frame *out, struct nx_error *err)
{
	*out = (struct nx_rank_frame){nx_load32(bytes + 4), nx_load32(bytes + 8),
				      nx_load32(bytes + 12), nx_load64(bytes + 16),
				      nx_load64(bytes + 24)};
	if (nx_load32(bytes) != NX_RANK_FRAME_MAGIC)
		return nx_fail(err, NX_FORMAT,
			       "a program that is no rank of this version answers at the root; "
			       "choose another port in NEURON_RT_ROOT_COMM_ID");
	if (out->kind < NX_RANK_HELLO || out->kind > NX_RANK_DATA)
		return nx_fail(err, NX_FORMAT, "a rank sent a frame of unknown kind %u", out->kind);
	if (out->kind == NX_RANK_HELLO && out->tag != rank_count)
		return nx_fail(err, NX_MISMATCH,
			       "a process counts %llu ranks, this one %u; start all with the same "
			       "number",
			       (unsigned long long)out->tag, rank_count);
	if (out->from >= rank_count || out->to >= rank_count)
		return nx_fail(err, NX_FORMAT, "a frame goes from rank %u to rank %u, of %u",
			       out->from, out->to, rank_count);
	if (out->len > (out->kind == NX_RANK_DATA ? NX_RANK_MESSAGE_MAX : 0))
		return nx_fail(err, NX_FORMAT, "a rank sent a frame of %llu bytes",
			       (unsigned long long)out->len);
	return NX_OK;
}
