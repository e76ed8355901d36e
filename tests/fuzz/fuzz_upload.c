/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the description of an upload. Memory stays proportional to the input, every path
 * stays below its folder, and what was read reads back the same once it is written.
 */
#include "store/relative_path.h"
#include "store/upload.h"
#include "tests/fuzz/expect.h"

#define BYTES_PER_INPUT_BYTE 512
#define BYTES_FIXED 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_paths(const struct nx_upload *u)
{
	for (size_t i = 0; i < u->files.len; i++) {
		struct nx_slice path = nx_slice_text(u->files.items[i].path);

		expect(!nx_relative_path_check(path, NULL));
		expect(path.data[0] != '/' && !nx_slice_starts(path, "../"));
	}
}

static void write_twice(const struct nx_upload *u)
{
	struct nx_arena arena = {0};
	struct nx_bytes once = {0}, twice = {0};
	struct nx_upload again;

	nx_upload_write(u, &once);
	expect(!nx_upload_read(nx_slice_of(once.items, once.len), &arena, &again, NULL));
	expect(again.state == u->state && again.files.len == u->files.len);
	expect(nx_upload_size(&again) == nx_upload_size(u));
	nx_upload_write(&again, &twice);
	expect_same_bytes(&once, &twice);
	nx_upload_release(&again);
	nx_vec_release(&once);
	nx_vec_release(&twice);
	nx_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_arena arena = {0};
	struct nx_upload u;
	struct nx_error err = {0};
	enum nx_status st = nx_upload_read(nx_slice_of(data, size), &arena, &u, &err);

	expect(arena.used_bytes <= size * BYTES_PER_INPUT_BYTE + BYTES_FIXED);
	expect(!st || (err.status == st && err.message[0]));
	check_paths(&u);
	if (!st)
		write_twice(&u);
	nx_upload_release(&u);
	nx_arena_release(&arena);
	return 0;
}
