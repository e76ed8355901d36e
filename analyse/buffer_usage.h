/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer_usage: how full the on-chip memories were, from what instructions
 * wrote and read.
 *
 * A byte is live from the start of the instruction that writes it to the end of
 * the last instruction that reads it before the next write (or of the writer,
 * if nobody does). When it dies is known only later, so changes are spooled and
 * read back in order of time: memory does not grow with the trace.
 *
 * Feed instructions in order of their start, per graph.
 */
#ifndef NX_ANALYSE_BUFFER_USAGE_H
#define NX_ANALYSE_BUFFER_USAGE_H

#include "base/spool.h"
#include "model/profile.h"

struct nx_buffer_analysis;

struct nx_buffer_analysis *nx_buffer_new(const struct nx_profile *profile);
void nx_buffer_free(struct nx_buffer_analysis *a);
void nx_buffer_add(struct nx_buffer_analysis *a, const struct nx_instruction *row,
		   const struct nx_slot *slot);
/* A static DMA that writes the state buffer, at its place in the order of start. slot is that
 * of its trigger, whose operands are the DMA's. */
void nx_buffer_add_transfer(struct nx_buffer_analysis *a, const struct nx_transfer *transfer,
			    const struct nx_slot *slot);
/* Ends all lives and streams struct nx_buffer_usage rows in order of time. */
NX_MUST_CHECK enum nx_status nx_buffer_finish(struct nx_buffer_analysis *a, nx_row_fn fn,
					      void *context, struct nx_error *err);

#endif
