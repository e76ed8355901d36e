/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as an NTFF; what was read must survive being written and read again. */
#include <stdlib.h>

#include "format/ntff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void touch(struct nx_slice bytes)
{
	if (bytes.len)
		(void)(*(const volatile uint8_t *)bytes.data +
		       *(const volatile uint8_t *)(bytes.data + bytes.len - 1));
}

static void touch_blobs(const struct nx_ntff *ntff)
{
	for (size_t i = 0; i < ntff->info.session_rings.count; i++)
		touch(nx_ntff_ring_bytes(ntff, &ntff->info.session_rings.items[i]));
	for (size_t i = 0; i < ntff->info.nodes.count; i++) {
		const struct nx_ntff_device_node *device = &ntff->info.nodes.items[i].device;

		for (size_t j = 0; j < device->graphs.count; j++) {
			const struct nx_ntff_graph *graph = &device->graphs.items[j];

			for (size_t k = 0; k < graph->code.count; k++)
				touch(nx_ntff_code_bytes(ntff, &graph->code.items[k]));
			for (size_t k = 0; k < graph->rings.count; k++)
				touch(nx_ntff_ring_bytes(ntff, &graph->rings.items[k]));
		}
	}
}

static void check_again(const struct nx_ntff *ntff, struct nx_arena *arena)
{
	struct nx_bytes first = {0}, second = {0};
	struct nx_ntff again;
	enum nx_status st;

	nx_ntff_write_head(ntff->version, &ntff->info, &first);
	st = nx_ntff_read(nx_slice_of(first.items, first.len), arena, &again, NULL);
	if (st == NX_OK) {
		nx_ntff_write_head(again.version, &again.info, &second);
		if (!nx_slice_equal(nx_slice_of(first.items, first.len),
				    nx_slice_of(second.items, second.len)))
			abort();
		if (again.loss.unknown_field_count || again.loss.wrong_type_count ||
		    again.loss.truncated_count)
			abort();
	} else if (st != NX_LIMIT && first.len > NX_NTFF_HEADER_BYTES) {
		/* LIMIT is fair: what was skipped had paid for some of the memory. */
		abort();
	}
	nx_vec_release(&first);
	nx_vec_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_arena arena = {0};
	struct nx_error err;
	struct nx_ntff ntff;

	if (nx_ntff_read(nx_slice_of(data, len), &arena, &ntff, &err) == NX_OK) {
		touch_blobs(&ntff);
		check_again(&ntff, &arena);
	} else if (err.message[0] == 0) {
		abort();
	}
	nx_arena_release(&arena);
	return 0;
}
