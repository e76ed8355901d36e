/* SPDX-License-Identifier: Apache-2.0 */
/* binary_merge: the NEFFs of a capture of several models as one binary. */
#ifndef NX_PIPELINE_BINARY_MERGE_H
#define NX_PIPELINE_BINARY_MERGE_H

#include "base/arena.h"
#include "model/binary.h"
#include "model/capture.h"

/*
 * Rows of all parts in their order, with indices into the whole; graphs are named as in the
 * capture, "model1/sg00". Each part's model_idx is set. The parts stay as `parts` of the whole,
 * for their headers: their rows share arrays with it.
 */
void nx_binary_merge(struct nx_binary *whole, struct nx_binary *parts, size_t count,
		     const struct nx_capture *capture, struct nx_arena *arena);

#endif
