/* SPDX-License-Identifier: Apache-2.0 */
#include "model/binary.h"

#include <assert.h>

const char *nx_tensor_kind_name(enum nx_tensor_kind kind)
{
	static const char *const names[] = {"IN", "OUT", "WEIGHT"};

	assert((size_t)kind < sizeof(names) / sizeof(names[0]));
	return names[kind];
}

const char *nx_edge_name(unsigned type)
{
	static const char *const names[] = {"INVALID", "ORDERED", "ANTI_DEPENDENCE",
					    "OUTPUT_DEPENDENCE", "FLOW_DEPENDENCE"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "INVALID";
}

const char *nx_instruction_type_name(unsigned type)
{
	static const char *const names[] = {"", "REGULAR", "SPILL", "TRANSPOSE"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "";
}
