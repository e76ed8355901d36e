/* SPDX-License-Identifier: Apache-2.0 */
#include "model/insight.h"

const char *const nx_finding_names[NX_FINDING_KIND_COUNT] = {
	[NX_FINDING_ERRORS] = "errors",
	[NX_FINDING_FLOPS] = "flops",
	[NX_FINDING_THROTTLED] = "throttling",
	[NX_FINDING_SPILL] = "spills",
	[NX_FINDING_RELOAD] = "reloads",
	[NX_FINDING_TRANSPOSE] = "transposes",
	[NX_FINDING_STARTUP] = "dma_startup",
	[NX_FINDING_DESCRIPTORS] = "dma_descriptors",
	[NX_FINDING_COLLECTIVE] = "slow_collective",
	[NX_FINDING_GAPS] = "growing_gaps",
	[NX_FINDING_LATE] = "late_rank",
	[NX_FINDING_STEP] = "slow_step",
	[NX_FINDING_HOST] = "host_bound",
	[NX_FINDING_SMALL_DMA] = "small_dma",
	[NX_FINDING_NKI_TENSOR] = "nki_tensor",
	[NX_FINDING_NKI_VECTOR] = "nki_vector",
	[NX_FINDING_NKI_SCALAR] = "nki_scalar",
};

const char *const nx_confidence_names[] = {"low", "medium", "high"};
