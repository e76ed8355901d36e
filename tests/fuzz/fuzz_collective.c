/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as our records of collectives, and as a frame between ranks. */
#include <stdlib.h>

#include "format/collective.h"
#include "runtime/nrt/ranks/rank_world_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_arena arena = {0};
	struct nx_collective_trace trace;
	struct nx_rank_frame frame;
	struct nx_error err;

	if (nx_collective_trace_get(nx_slice_of(data, size), &arena, &trace) &&
	    trace.record_count * 32 > size)
		abort();
	if (arena.used_bytes > 64 * size + 4096)
		abort();
	if (size >= NX_RANK_FRAME_BYTES && !nx_rank_frame_get(data, 4, &frame, &err) &&
	    (frame.from >= 4 || frame.to >= 4))
		abort();
	nx_arena_release(&arena);
	return 0;
}
