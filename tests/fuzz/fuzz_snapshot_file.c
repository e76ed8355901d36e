/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as snapshot.json: what was read and is written again reads the same. */
#include <string.h>

#include "format/snapshot_file.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_arena arena = {0};
	struct nx_snapshot_file first, second;
	struct nx_bytes once = {0}, twice = {0};
	struct nx_error err;

	if (nx_snapshot_file_decode(nx_slice_of(data, size), &arena, &first, &err) == NX_OK) {
		nx_snapshot_file_encode(&first, &once);
		expect(nx_snapshot_file_decode(nx_slice_of(once.items, once.len), &arena, &second,
					       &err) == NX_OK);
		nx_snapshot_file_encode(&second, &twice);
		expect_same_bytes(&once, &twice);
	}
	nx_vec_release(&once);
	nx_vec_release(&twice);
	nx_arena_release(&arena);
	return 0;
}
