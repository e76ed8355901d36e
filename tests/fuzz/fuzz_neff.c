/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a NEFF, through container and decoder. Half of the inputs get a
 * header that passes, so that mutations reach what lies behind it. Whatever
 * comes, a decoded model holds a graph, and it is not much larger than its file.
 */
#include "base/bare/bits.h"
#include "decode/neff/neff_decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An empty DMA descriptor costs most: some 250 bytes for two, in up to eight uses of a member. */
#define MAX_GROWTH 4096
#define FREE_BYTES ((size_t)1 << 20)

static size_t unpacked_bytes(const struct nx_neff *neff)
{
	size_t total = 0;

	for (size_t i = 0; i < neff->member_count; i++)
		total += neff->members[i].name.len + neff->members[i].bytes.len;
	return total;
}

static void check(const struct nx_neff *neff, const struct nx_binary *binary, size_t used_before,
		  size_t used_after)
{
	if (binary->graph_count == 0)
		__builtin_trap();
	if (used_after - used_before > FREE_BYTES + MAX_GROWTH * unpacked_bytes(neff))
		__builtin_trap();
}

static void decode(struct nx_slice file)
{
	struct nx_arena arena = {0};
	struct nx_binary binary;
	struct nx_neff neff;
	struct nx_error err;

	if (nx_neff_read(file, &arena, &neff, &err) == NX_OK) {
		size_t used = arena.used_bytes;

		if (nx_neff_decode(&neff, NULL, &arena, &binary, &err) == NX_OK)
			check(&neff, &binary, used, arena.used_bytes);
	}
	nx_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_bytes file = {0};

	if (size > 0 && data[0] & 1) {
		nx_bytes_append_zeros(&file, NX_NEFF_HEADER_BYTES);
		nx_store64(file.items, 2);
		nx_store64(file.items + 8, NX_NEFF_HEADER_BYTES);
		nx_store64(file.items + 16, size - 1);
		nx_bytes_append(&file, data + 1, size - 1);
		decode(nx_slice_of(file.items, file.len));
		nx_vec_release(&file);
	} else {
		decode(nx_slice_of(data, size));
	}
	return 0;
}
