/* SPDX-License-Identifier: Apache-2.0 */
#include "model/binary.h"

const char *nx_tensor_kind_name(enum nx_tensor_kind kind)
{
	static const char *const names[] = {"IN", "OUT", "WEIGHT"};

	return names[kind];
}
