/* SPDX-License-Identifier: Apache-2.0 */
/* execute_control: the sequencer's own instructions, on semaphores and registers. */
#include "base/bare/bits.h"
#include "runtime/device/alu.h"
#include "runtime/device/execute.h"

NX_EXECUTE(nothing)
{
	(void)core;
	(void)engine;
	(void)slot;
}

/* Both waits were fulfilled before it came here. */
NX_EXECUTE(event_semaphore)
{
	(void)engine;
	nx_core_update_semaphore(core, slot[34], slot[35], nx_load32(slot + 40));
}

NX_EXECUTE(range_clear)
{
	(void)engine;
	for (unsigned i = slot[13]; i <= slot[14]; i++)
		core->semaphores[i] = 0;
}

static uint32_t *register_at(struct nx_core *core, unsigned engine, uint32_t number)
{
	if (number >= NX_REGISTER_COUNT)
		nx_core_fault(core, NX_FAULT_OPERAND, "there is no register %u", number);
	return &core->registers[engine][number % NX_REGISTER_COUNT];
}

/* A number in the word, or the register of that number. */
static uint32_t value_at(struct nx_core *core, unsigned engine, const uint8_t *slot, unsigned at)
{
	uint32_t value = nx_load32(slot + at);

	return slot[14] & 1 ? value : *register_at(core, engine, value);
}

NX_EXECUTE(move)
{
	*register_at(core, engine, nx_load32(slot + 24)) = value_at(core, engine, slot, 32);
}

NX_EXECUTE(alu)
{
	uint32_t left = *register_at(core, engine, nx_load32(slot + 16));
	uint32_t right = value_at(core, engine, slot, 24);
	uint32_t *target = register_at(core, engine, nx_load32(slot + 20));

	switch (slot[12]) {
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
		nx_core_fault(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x on registers",
			      slot[12]);
	}
}

NX_EXECUTE(tensor_load)
{
	uint32_t id = nx_load32(slot + 16), offset = nx_load32(slot + 20), index;
	struct nx_dma_region region;

	if (!nx_core_program_variable(core->program, id, &index)) {
		nx_core_fault(core, NX_FAULT_DMA_BOUNDS, "there is no variable %u", id);
		return;
	}
	if (slot[14] != 1 || slot[15] != 1) {
		nx_core_fault(core, NX_FAULT_UNKNOWN, "a load of %u x %u registers", slot[14],
			      slot[15]);
		return;
	}
	region = nx_core_region(core, index);
	if (region.size_bytes < 4 || offset > region.size_bytes - 4) {
		nx_core_fault(core, NX_FAULT_DMA_BOUNDS,
			      "offset %u lies outside of a variable of %llu bytes", offset,
			      (unsigned long long)region.size_bytes);
		return;
	}
	*register_at(core, engine, slot[32]) = nx_load32(region.bytes + offset);
}
