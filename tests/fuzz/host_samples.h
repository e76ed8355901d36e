/* SPDX-License-Identifier: Apache-2.0 */
/* host_samples: a file of samples of a host, of which every record is a row or is counted. */
#ifndef NX_TESTS_FUZZ_HOST_SAMPLES_H
#define NX_TESTS_FUZZ_HOST_SAMPLES_H

#include "decode/ntrace/ntrace_decoder.h"
#include "tests/fuzz/expect.h"

static inline uint64_t count_records(struct nx_slice file)
{
	struct nx_ntrace_stream stream = {.file = file};
	struct nx_slice record;
	uint64_t count = 0;

	while (nx_ntrace_next(&stream, &record))
		count++;
	return count;
}

/* files has nothing but file; take_row looks at a row and adds 1 to the uint64_t it is given. */
static inline void expect_samples(const struct nx_ntrace_files *files, struct nx_slice file,
				  void (*decode)(struct nx_ntrace_decoder *, nx_row_fn, void *),
				  nx_row_fn take_row)
{
	struct nx_system_process process;
	struct nx_ntrace_decoder decoder;
	struct nx_arena arena = {0};
	uint64_t row_count = 0;

	if (nx_ntrace_decoder_open(&decoder, files, "i-0_pid_1", 0, &arena, &process, NULL) ==
	    NX_OK) {
		decode(&decoder, take_row, &row_count);
		expect(row_count + decoder.loss.unreadable_count == count_records(file));
		expect(decoder.loss.torn_cpu_bytes <= file.len);
		expect(decoder.loss.torn_memory_bytes <= file.len);
	}
	nx_ntrace_decoder_release(&decoder);
	nx_arena_release(&arena);
}

#endif
