/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text is assembled or refused with a sentence. What is assembled is a NEFF that reads back,
 * and whose instructions are the same when their listing is assembled.
 */
#include "assemble/assembler.h"
#include "format/instruction_source.h"
#include "format/neff.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_slots(struct nx_slice code)
{
	struct nx_instruction_context context = {2, NULL};
	char text[NX_INSTRUCTION_SOURCE_MAX];
	uint8_t again[NX_SLOT_BYTES];
	size_t at;

	for (uint32_t slot = 0; slot < 64 && nx_instruction_word(code, slot); slot++) {
		const uint8_t *word = nx_instruction_word(code, slot);
		size_t len = nx_instruction_source(word, &context, NULL, text);

		expect(len < sizeof(text));
		expect(!nx_instruction_assemble(nx_slice_of(text, len), NULL, again, &at, NULL));
		expect(!memcmp(word, again, sizeof(again)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_assembly_options options = {
		.path = "fuzz", .max_lines = 2000, .max_constant_bytes = 1 << 16};
	struct nx_bytes out = {0};
	struct nx_error err = {0};

	if (nx_assemble(nx_slice_of(data, size), &options, &out, &err)) {
		expect(err.message[0] && out.len == 0);
	} else {
		struct nx_arena arena = {0};
		struct nx_neff neff;

		expect(!nx_neff_read(nx_slice_of(out.items, out.len), &arena, &neff, &err));
		expect(!neff.is_truncated);
		try_slots(nx_neff_member(&neff, nx_slice_text("sg00/SP.bin")));
		try_slots(nx_neff_member(&neff, nx_slice_text("sg00/PE.bin")));
		nx_arena_release(&arena);
	}
	nx_vec_release(&out);
	return 0;
}
