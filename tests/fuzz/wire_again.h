/* SPDX-License-Identifier: Apache-2.0 */
/* wire_again: a message that was read survives being written and read again. */
#ifndef NX_TESTS_FUZZ_WIRE_AGAIN_H
#define NX_TESTS_FUZZ_WIRE_AGAIN_H

#include "format/wire.h"
#include "tests/fuzz/expect.h"

/* again has room for the message's struct. */
static inline void expect_wire_again(const struct nx_wire_message *message, const void *read,
				     void *again, struct nx_arena *arena)
{
	struct nx_bytes first = {0}, second = {0};
	struct nx_wire_loss loss = {0};
	enum nx_status st;

	nx_wire_encode(message, read, &first);
	st = nx_wire_decode(message, nx_slice_of(first.items, first.len), again, arena, &loss,
			    NULL);
	/* LIMIT is fair: what was skipped had paid for some of the memory. */
	expect(st == NX_OK || st == NX_LIMIT);
	if (st == NX_OK) {
		nx_wire_encode(message, again, &second);
		expect_same_bytes(&first, &second);
		expect(!loss.unknown_field_count && !loss.wrong_type_count &&
		       !loss.truncated_count);
	}
	nx_vec_release(&first);
	nx_vec_release(&second);
}

#endif
