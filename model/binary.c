/* SPDX-License-Identifier: Apache-2.0 */
#include "model/binary.h"

#include <assert.h>

const char *nx_tensor_kind_name(enum nx_tensor_kind kind)
{
	static const char *const names[] = {"IN", "OUT", "WEIGHT"};

	assert((size_t)kind < sizeof(names) / sizeof(names[0]));
	return names[kind];
}
