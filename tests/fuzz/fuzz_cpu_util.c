/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as cpu_util.pb: every record is a row or is counted. */
#include "tests/fuzz/host_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void take_row(void *context, const void *data)
{
	const struct nx_cpu_sample *row = data;

	expect(row->time_ns != 0 && row->util_percent >= 0);
	++*(uint64_t *)context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_ntrace_files files = {.cpu = nx_slice_of(data, len)};

	expect_samples(&files, files.cpu, nx_ntrace_decode_cpu, take_row);
	return 0;
}
