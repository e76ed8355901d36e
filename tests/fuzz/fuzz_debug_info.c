/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as debug info; what was read must survive being written and read again. */
#include "format/debug_info.h"
#include "tests/fuzz/wire_again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_arena arena = {0};
	struct nx_debug_info info, again;
	struct nx_error err;

	if (nx_wire_decode(&nx_debug_info_message, nx_slice_of(data, len), &info, &arena, NULL,
			   &err) == NX_OK)
		expect_wire_again(&nx_debug_info_message, &info, &again, &arena);
	else
		expect(err.message[0] != 0);
	nx_arena_release(&arena);
	return 0;
}
