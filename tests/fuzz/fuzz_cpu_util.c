/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as cpu_util.pb: every record is a row or is counted. */
#include <stdlib.h>

#include "decode/ntrace/ntrace_decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void take_row(void *context, const void *data)
{
	const struct nx_cpu_sample *row = data;

	if (row->time_ns == 0 || !(row->util_percent >= 0))
		abort();
	++*(uint64_t *)context;
}

static uint64_t count_records(struct nx_slice file)
{
	struct nx_ntrace_stream stream = {.file = file};
	struct nx_slice record;
	uint64_t count = 0;

	while (nx_ntrace_next(&stream, &record))
		count++;
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_ntrace_files files = {.cpu = nx_slice_of(data, len)};
	struct nx_system_process process;
	struct nx_ntrace_decoder decoder;
	struct nx_arena arena = {0};
	uint64_t row_count = 0;

	if (nx_ntrace_decoder_open(&decoder, &files, "i-0_pid_1", 0, &arena, &process, NULL) ==
	    NX_OK) {
		nx_ntrace_decode_cpu(&decoder, take_row, &row_count);
		if (row_count + decoder.loss.unreadable_count != count_records(files.cpu))
			abort();
		if (decoder.loss.torn_cpu_bytes > len)
			abort();
	}
	nx_ntrace_decoder_release(&decoder);
	nx_arena_release(&arena);
	return 0;
}
