/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any 64 bytes are an instruction: its names, text and effect must stay inside
 * their buffers. The first two bytes choose architecture, semaphore names and
 * the room for the text; the rest are slots.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/instruction.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exactly as large as promised, so that one byte too far is seen. */
static void try_text(const uint8_t *slot, const struct nx_instruction_context *context, size_t cap)
{
	char *out = malloc(cap ? cap : 1);
	bool is_known = false;
	size_t len;

	expect(out != NULL);
	len = nx_instruction_text(slot, context, out, cap, &is_known);
	expect(cap == 0 ? len == 0 : len < cap && strlen(out) == len);
	if (cap >= NX_INSTRUCTION_TEXT_MAX)
		expect(len < NX_INSTRUCTION_TEXT_MAX - 1);
	free(out);
}

static void try_effect(const uint8_t *slot, unsigned arch)
{
	struct nx_instruction_effect effect;

	nx_instruction_effect(slot, arch, &effect);
	expect(effect.access_count <= 3);
	for (unsigned i = 0; i < effect.access_count; i++) {
		expect(effect.accesses[i].dims >= 1 && effect.accesses[i].dims <= 4);
		expect(nx_dtype_bytes(effect.accesses[i].dtype) > 0);
	}
	if (!effect.has_elements)
		expect(effect.elements == 0);
	expect((nx_instruction_flops(slot, arch).raw_count != 0) == (effect.elements != 0));
}

static void try_names(const uint8_t *slot)
{
	struct nx_dma_trigger trigger;
	char label[8], number[4], queue[16];

	expect(strlen(nx_opcode_label(slot[0], label)) > 0);
	expect(strlen(nx_activation_name(slot[35], number)) > 0);
	if (nx_instruction_dma_trigger(slot, &trigger))
		expect(strlen(trigger.queue) < sizeof(trigger.queue));
	expect(nx_queue_display_name((const char *)slot, NX_SLOT_BYTES, queue, slot[1] % 17) <
	       sizeof(queue));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *names[NX_SEMAPHORE_COUNT] = {NULL};
	struct nx_instruction_context context = {0, NULL};

	if (size < 2)
		return 0;
	for (unsigned i = 0; i < NX_SEMAPHORE_COUNT; i += 2)
		names[i] = "qGpSimdDynamic";
	context.arch = data[0] & 3;
	if (data[0] & 4)
		context.semaphore_names = names;
	for (size_t at = 2; at < size; at += NX_SLOT_BYTES) {
		uint8_t slot[NX_SLOT_BYTES] = {0};
		size_t left = size - at;

		memcpy(slot, data + at, left < sizeof(slot) ? left : sizeof(slot));
		try_text(slot, &context, NX_INSTRUCTION_TEXT_MAX);
		try_text(slot, &context, data[1]);
		try_effect(slot, context.arch);
		try_names(slot);
	}
	return 0;
}
