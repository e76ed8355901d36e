/* SPDX-License-Identifier: Apache-2.0 */
#include "model/engine.h"

const struct nx_engine_names nx_engines[NX_ENGINE_COUNT] = {
	[NX_ENGINE_TENSOR] = {"Tensor", "tensor", "pe", "PE"},
	[NX_ENGINE_SCALAR] = {"Scalar", "scalar", "act", "Activation"},
	[NX_ENGINE_GPSIMD] = {"GpSimd", "gpsimd", "pool", "Pool"},
	[NX_ENGINE_VECTOR] = {"Vector", "vector", "dve", "DVE"},
	[NX_ENGINE_SYNC] = {"Sync", "sync", "sp", "SP"},
};

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
