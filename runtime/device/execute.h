/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute: what each instruction computes; NX_EXECUTE_MAP lists them.
 *
 * Operands are checked (nx_core_accepts), read into rows of fp32, computed, and rounded
 * once when they are written. Lane p of each source feeds lane p of the target.
 */
#ifndef NX_RUNTIME_EXECUTE_H
#define NX_RUNTIME_EXECUTE_H

#include "runtime/device/device_core.h"

/* X(opcode, function): a row per instruction that the software device can execute. */
#define NX_EXECUTE_MAP(X)                                                                          \
	/* tensor engine */                                                                        \
	X(0x01, load_weights)                                                                      \
	X(0x02, matmul)                                                                            \
	/* scalar engine */                                                                        \
	X(0x21, activate)                                                                          \
	X(0x23, table_load)                                                                        \
	/* vector engine; some of them on scalar and GpSimd engine as well */                      \
	X(0x41, tensor_tensor)                                                                     \
	X(0x42, tensor_reduce)                                                                     \
	X(0x43, tensor_scalar)                                                                     \
	X(0x46, copy)                                                                              \
	X(0x47, copy)                                                                              \
	X(0x48, reciprocal)                                                                        \
	X(0x49, memset)                                                                            \
	X(0x69, load_mask)                                                                         \
	X(0x6a, shuffle)                                                                           \
	X(0x6b, transpose)                                                                         \
	X(0x6c, max8)                                                                              \
	X(0x6d, match_load)                                                                        \
	X(0x6e, find_index8)                                                                       \
	X(0x72, copy_predicated)                                                                   \
	X(0x8c, tensor_reduce)                                                                     \
	X(0xe8, scalar_predicated)                                                                 \
	/* GpSimd engine */                                                                        \
	X(0x67, gather_load)                                                                       \
	X(0x68, gather)                                                                            \
	X(0x92, affine_select)                                                                     \
	/* sequencer of any engine; NOP, DRAIN and their like only wait and update */              \
	X(0xa0, event_semaphore)                                                                   \
	X(0xa2, nothing)                                                                           \
	X(0xa4, nothing)                                                                           \
	X(0xa6, nothing)                                                                           \
	X(0xa7, move)                                                                              \
	X(0xa8, alu)                                                                               \
	X(0xb0, range_clear)                                                                       \
	X(0xb1, nothing)                                                                           \
	X(0xcc, nothing)                                                                           \
	X(0xce, tensor_load)                                                                       \
	X(0xd8, nothing)                                                                           \
	/* transfers */                                                                            \
	X(0xc1, dma_trigger)                                                                       \
	X(0xd4, dma_direct2d)                                                                      \
	X(0xda, nothing)                                                                           \
	/* ranks */                                                                                \
	X(0xc8, collective)                                                                        \
	X(0xd9, collective)

/* core->engine executes the word. */
#define NX_EXECUTE(name) void nx_execute_##name(struct nx_core *core, const union nx_word *word)

#define NX_EXECUTE_DECLARE(opcode, name) NX_EXECUTE(name);
NX_EXECUTE_MAP(NX_EXECUTE_DECLARE)
#undef NX_EXECUTE_DECLARE

/* The step-th lane to work on, so that no lane of an overlapping source is overwritten unread. */
static inline unsigned nx_execute_lane(const struct nx_device_operand *from,
				       const struct nx_device_operand *to, unsigned step)
{
	return to->address > from->address ? to->lanes - 1 - step : step;
}

#endif
