/* SPDX-License-Identifier: Apache-2.0 */
/* execute_collective: collectives, which device_ranks.h runs. */
#include "runtime/device/device_ranks.h"
#include "runtime/device/execute.h"

static bool find_region(struct nx_core *core, uint32_t id, const char *side,
			struct nx_dma_region *out)
{
	uint32_t index;

	if (!nx_core_program_variable(core->program, id, &index)) {
		nx_core_fault(core, NX_FAULT_DMA_BOUNDS, "there is no variable %u for the %s", id,
			      side);
		return false;
	}
	*out = nx_core_region(core, index);
	if (out->bytes && !out->is_on_chip)
		return true;
	nx_core_fault(core, NX_FAULT_OPERAND, "variable %u cannot be the %s of a collective", id,
		      side);
	return false;
}

/* Returns when this rank is done, so other engines wait too. */
NX_EXECUTE(collective)
{
	const struct nx_device_ranks *ranks = core->machine->options->ranks;
	struct nx_device_collective call = {
		.core = core->index, .engine = core->engine, .pc = core->pc};
	struct nx_dma_region from, to;

	nx_collective_word_get(word->bytes, &call.word);
	if (!ranks) {
		nx_core_fault(core, NX_FAULT_UNKNOWN, "a collective, and no other ranks");
		return;
	}
	if (!find_region(core, call.word.input_id, "input", &from) ||
	    !find_region(core, call.word.output_id, "output", &to))
		return;
	if (to.is_constant) {
		nx_core_fault(core, NX_FAULT_OPERAND, "a collective writes into a constant");
		return;
	}
	call.input = nx_slice_of(from.bytes, (size_t)from.size_bytes);
	call.output = to.bytes;
	call.output_len = (size_t)to.size_bytes;
	nx_device_collective_set_ranks(&call, core->program);
	core->machine->status = ranks->run(ranks->context, &call, &core->machine->error);
}
