/* SPDX-License-Identifier: Apache-2.0 */
/* expect: what a fuzz target holds to be true of any input; a crash tells when it is not. */
#ifndef NX_TESTS_FUZZ_EXPECT_H
#define NX_TESTS_FUZZ_EXPECT_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"

static inline void expect(bool is_true)
{
	if (!is_true)
		abort();
}

static inline void expect_same_bytes(const struct nx_bytes *left, const struct nx_bytes *right)
{
	expect(nx_slice_equal(nx_slice_of(left->items, left->len),
			      nx_slice_of(right->items, right->len)));
}

#endif
