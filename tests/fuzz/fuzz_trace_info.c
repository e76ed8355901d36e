/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as trace_info.pb; what was read must survive being written and read again. */
#include "decode/ntrace/ntrace_decoder.h"
#include "tests/fuzz/wire_again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Whatever the tables say, names have an index and ids have a text. */
static void check_tables(struct nx_ntrace_decoder *decoder)
{
	const struct nx_ntrace_info *info = &decoder->info;

	for (size_t i = 0; i < info->interned.count; i++)
		for (size_t j = 0; j < info->interned.items[i].texts.count; j++) {
			const struct nx_ntrace_text *entry =
				&info->interned.items[i].texts.items[j];
			uint64_t index = 0;

			(void)nx_ntrace_interned_text(decoder, entry->id);
			if (nx_map_get(&decoder->type_names, entry->id, &index))
				expect(index < decoder->process->name_count);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_ntrace_files files = {.info = nx_slice_of(data, len)};
	struct nx_system_process process;
	struct nx_ntrace_decoder decoder;
	struct nx_arena arena = {0};
	struct nx_ntrace_info again;
	struct nx_error err;

	if (nx_ntrace_decoder_open(&decoder, &files, "i-0_pid_1", 0, &arena, &process, &err) ==
	    NX_OK) {
		check_tables(&decoder);
		expect_wire_again(&nx_ntrace_info_message, &decoder.info, &again, &arena);
	} else {
		expect(!len && err.message[0] != 0);
	}
	nx_ntrace_decoder_release(&decoder);
	nx_arena_release(&arena);
	return 0;
}
