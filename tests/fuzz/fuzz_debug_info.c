/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as debug info; what was read must survive being written and read again. */
#include <stdlib.h>

#include "format/debug_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_again(const struct nx_debug_info *info, struct nx_arena *arena)
{
	struct nx_bytes first = {0}, second = {0};
	struct nx_wire_loss loss = {0};
	struct nx_debug_info again;
	enum nx_status st;

	nx_wire_encode(&nx_debug_info_message, info, &first);
	st = nx_wire_decode(&nx_debug_info_message, nx_slice_of(first.items, first.len), &again,
			    arena, &loss, NULL);
	if (st == NX_OK) {
		nx_wire_encode(&nx_debug_info_message, &again, &second);
		if (!nx_slice_equal(nx_slice_of(first.items, first.len),
				    nx_slice_of(second.items, second.len)))
			abort();
		if (loss.unknown_field_count || loss.wrong_type_count || loss.truncated_count)
			abort();
	} else if (st != NX_LIMIT) {
		/* LIMIT is fair: what was skipped had paid for some of the memory. */
		abort();
	}
	nx_vec_release(&first);
	nx_vec_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_arena arena = {0};
	struct nx_debug_info info;
	struct nx_error err;

	if (nx_wire_decode(&nx_debug_info_message, nx_slice_of(data, len), &info, &arena, NULL,
			   &err) == NX_OK)
		check_again(&info, &arena);
	else if (err.message[0] == 0)
		abort();
	nx_arena_release(&arena);
	return 0;
}
