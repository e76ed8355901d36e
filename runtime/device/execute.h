/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute: what each instruction computes; opcode_table.c has a row for each.
 *
 * Operands are taken from the word, bounded (nx_core_accepts), read into rows
 * of fp32, computed and written back with one rounding to the target's type.
 * Lane p of every source feeds lane p of the target, wherever each begins.
 */
#ifndef NX_RUNTIME_EXECUTE_H
#define NX_RUNTIME_EXECUTE_H

#include "runtime/device/device_core.h"

#define NX_EXECUTE(name)                                                                           \
	void nx_execute_##name(struct nx_core *core, unsigned engine, const union nx_word *word)

NX_EXECUTE(load_weights);
NX_EXECUTE(matmul);
NX_EXECUTE(activate);
NX_EXECUTE(table_load);
NX_EXECUTE(tensor_tensor);
NX_EXECUTE(tensor_reduce);
NX_EXECUTE(tensor_scalar);
NX_EXECUTE(copy);
NX_EXECUTE(cast);
NX_EXECUTE(reciprocal);
NX_EXECUTE(memset);
NX_EXECUTE(load_mask);
NX_EXECUTE(shuffle);
NX_EXECUTE(transpose);
NX_EXECUTE(max8);
NX_EXECUTE(match_load);
NX_EXECUTE(find_index8);
NX_EXECUTE(copy_predicated);
NX_EXECUTE(scalar_predicated);
NX_EXECUTE(gather_load);
NX_EXECUTE(gather);
NX_EXECUTE(affine_select);
NX_EXECUTE(event_semaphore);
NX_EXECUTE(nothing);
NX_EXECUTE(move);
NX_EXECUTE(alu);
NX_EXECUTE(range_clear);
NX_EXECUTE(tensor_load);
NX_EXECUTE(dma_trigger);
NX_EXECUTE(dma_direct2d);
NX_EXECUTE(collective);

/*
 * The order in which lanes are worked on so that no lane of a source is overwritten before it
 * was read: the target may be the source, moved by some partitions.
 */
static inline unsigned nx_execute_lane(const struct nx_device_operand *from,
				       const struct nx_device_operand *to, unsigned step)
{
	return to->address > from->address ? to->lanes - 1 - step : step;
}

#endif
