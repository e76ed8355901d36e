/* SPDX-License-Identifier: Apache-2.0 */
/* opcode_table: a row per instruction that the software device can execute. */
#include "runtime/device/execute.h"

static const nx_execute_fn functions[256] = {
	/* tensor engine */
	[0x01] = nx_execute_load_weights,
	[0x02] = nx_execute_matmul,
	/* scalar engine */
	[0x21] = nx_execute_activate,
	[0x23] = nx_execute_table_load,
	/* vector engine; some of them on scalar and GpSimd engine as well */
	[0x41] = nx_execute_tensor_tensor,
	[0x42] = nx_execute_tensor_reduce,
	[0x43] = nx_execute_tensor_scalar,
	[0x46] = nx_execute_copy,
	[0x47] = nx_execute_cast,
	[0x48] = nx_execute_reciprocal,
	[0x49] = nx_execute_memset,
	[0x69] = nx_execute_load_mask,
	[0x6a] = nx_execute_shuffle,
	[0x6b] = nx_execute_transpose,
	[0x6c] = nx_execute_max8,
	[0x6d] = nx_execute_match_load,
	[0x6e] = nx_execute_find_index8,
	[0x72] = nx_execute_copy_predicated,
	[0xe8] = nx_execute_scalar_predicated,
	/* GpSimd engine */
	[0x67] = nx_execute_gather_load,
	[0x68] = nx_execute_gather,
	[0x92] = nx_execute_affine_select,
	/* sequencer of any engine; NOP, DRAIN and their like only wait and update */
	[0xa0] = nx_execute_event_semaphore,
	[0xa2] = nx_execute_nothing,
	[0xa4] = nx_execute_nothing,
	[0xa6] = nx_execute_nothing,
	[0xa7] = nx_execute_move,
	[0xa8] = nx_execute_alu,
	[0xb0] = nx_execute_range_clear,
	[0xb1] = nx_execute_nothing,
	[0xcc] = nx_execute_nothing,
	[0xce] = nx_execute_tensor_load,
	[0xd8] = nx_execute_nothing,
	/* transfers */
	[0xc1] = nx_execute_dma_trigger,
	[0xd4] = nx_execute_dma_direct2d,
	[0xda] = nx_execute_nothing,
	/* ranks */
	[0xc8] = nx_execute_collective,
	[0xd9] = nx_execute_collective,
};

nx_execute_fn nx_opcode_execute(uint8_t opcode)
{
	return functions[opcode];
}
