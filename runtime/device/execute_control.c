/* SPDX-License-Identifier: Apache-2.0 */
/* execute_control: the sequencer's own instructions, on semaphores and registers. */
#include "base/bare/bits.h"
#include "runtime/device/alu.h"
#include "runtime/device/execute.h"

NX_EXECUTE(nothing)
{
	(void)core;
	(void)word;
}

/* Both waits were fulfilled before it came here. */
NX_EXECUTE(event_semaphore)
{
	nx_core_update_semaphore(core, word->event_semaphore.update,
				 word->event_semaphore.update_value);
}

NX_EXECUTE(range_clear)
{
	for (unsigned i = word->range_clear.first; i <= word->range_clear.last; i++)
		core->semaphores[i] = 0;
}

static uint32_t *register_at(struct nx_core *core, uint32_t number)
{
	if (number >= NX_REGISTER_COUNT)
		nx_core_fault(core, NX_FAULT_OPERAND, "there is no register %u", number);
	return &core->registers[core->engine][number % NX_REGISTER_COUNT];
}

NX_EXECUTE(move)
{
	const struct nx_move_word *w = &word->move;
	uint32_t value = w->is_immediate & 1 ? w->source : *register_at(core, w->source);

	*register_at(core, w->target_register) = value;
}

NX_EXECUTE(alu)
{
	const struct nx_alu_word *w = &word->alu;
	uint32_t left = *register_at(core, w->left_register);
	uint32_t right = w->is_right_immediate & 1 ? w->right : *register_at(core, w->right);
	uint32_t *target = register_at(core, w->target_register);

	switch (w->op) {
	case NX_ALU_OP_ADD:
		*target = left + right;
		break;
	case NX_ALU_OP_SUBTRACT:
		*target = left - right;
		break;
	case NX_ALU_OP_MULTIPLY:
		*target = left * right;
		break;
	default:
		nx_core_fault(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x on registers", w->op);
	}
}

NX_EXECUTE(tensor_load)
{
	const struct nx_register_transfer_word *w = &word->registers;
	uint32_t index;
	struct nx_dma_region region;

	if (!nx_core_program_variable(core->program, w->variable, &index)) {
		nx_core_fault(core, NX_FAULT_DMA_BOUNDS, "there is no variable %u", w->variable);
		return;
	}
	if (w->counts[0] != 1 || w->counts[1] != 1) {
		nx_core_fault(core, NX_FAULT_UNKNOWN, "a load of %u x %u registers", w->counts[0],
			      w->counts[1]);
		return;
	}
	region = nx_core_region(core, index);
	if (region.size_bytes < 4 || w->offset > region.size_bytes - 4) {
		nx_core_fault(core, NX_FAULT_DMA_BOUNDS,
			      "offset %u lies outside of a variable of %llu bytes", w->offset,
			      (unsigned long long)region.size_bytes);
		return;
	}
	*register_at(core, w->registers[0]) = nx_load32(region.bytes + w->offset);
}
