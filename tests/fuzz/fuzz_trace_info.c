/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as trace_info.pb; what was read must survive being written and read again. */
#include <stdlib.h>

#include "decode/ntrace/ntrace_decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_again(const struct nx_ntrace_info *info, struct nx_arena *arena)
{
	struct nx_bytes first = {0}, second = {0};
	struct nx_wire_loss loss = {0};
	struct nx_ntrace_info again;
	enum nx_status st;

	nx_wire_encode(&nx_ntrace_info_message, info, &first);
	st = nx_wire_decode(&nx_ntrace_info_message, nx_slice_of(first.items, first.len), &again,
			    arena, &loss, NULL);
	if (st == NX_OK) {
		nx_wire_encode(&nx_ntrace_info_message, &again, &second);
		if (!nx_slice_equal(nx_slice_of(first.items, first.len),
				    nx_slice_of(second.items, second.len)))
			abort();
		if (loss.unknown_field_count || loss.wrong_type_count || loss.truncated_count)
			abort();
	} else if (st != NX_LIMIT) {
		/* LIMIT is fair: what was skipped had paid for some of the memory. */
		abort();
	}
	nx_vec_release(&first);
	nx_vec_release(&second);
}

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
			if (nx_map_get(&decoder->type_names, entry->id, &index) &&
			    index >= decoder->process->name_count)
				abort();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_ntrace_files files = {.info = nx_slice_of(data, len)};
	struct nx_system_process process;
	struct nx_ntrace_decoder decoder;
	struct nx_arena arena = {0};
	struct nx_error err;

	if (nx_ntrace_decoder_open(&decoder, &files, "i-0_pid_1", 0, &arena, &process, &err) ==
	    NX_OK) {
		check_tables(&decoder);
		check_again(&decoder.info, &arena);
	} else if (len || err.message[0] == 0) {
		abort();
	}
	nx_ntrace_decoder_release(&decoder);
	nx_arena_release(&arena);
	return 0;
}
