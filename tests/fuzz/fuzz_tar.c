/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a tar: every member must lie inside them, and the walk must end. */
#include <stdlib.h>

#include "format/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_arena arena = {0};
	struct nx_tar_reader tar = {.archive = nx_slice_of(data, size), .arena = &arena};
	struct nx_tar_member member;
	struct nx_error err;
	bool found;

	while (nx_tar_next(&tar, &member, &found, &err) == NX_OK && found)
		if (member.bytes.data < data || member.bytes.data + member.bytes.len > data + size)
			abort();
	nx_arena_release(&arena);
	return 0;
}
