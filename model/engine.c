/* SPDX-License-Identifier: Apache-2.0 */
#include "model/engine.h"

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
