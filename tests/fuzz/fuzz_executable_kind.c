/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as the beginning of a program. */
#include <stdlib.h>

#include "capture/executable_kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	enum nx_executable_kind kind = nx_executable_kind_of_bytes(nx_slice_of(data, len));

	/* What is shorter than a header is no program. */
	if (len < 64 && kind != NX_EXECUTABLE_OTHER)
		abort();
	return 0;
}
