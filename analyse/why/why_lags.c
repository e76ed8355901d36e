/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/why/why_lags.h"

#define FIVE(tensor, scalar, gpsimd, vector, sync)                                                 \
	{                                                                                          \
		(tensor) * NX_WHY_NS, (scalar)*NX_WHY_NS, (gpsimd)*NX_WHY_NS, (vector)*NX_WHY_NS,  \
			(sync)*NX_WHY_NS                                                           \
	}
#define NS(value) ((value)*NX_WHY_NS)

/* Medians of captures; docs/design/why.md says how well they hold. */
static const struct nx_why_lags trn2 = {
	.wake = FIVE(42, 23, 24, 24, 17),
	.control_wake = FIVE(28, 21, 24, 28, 17),
	.body = FIVE(36, 28, 32, 37, 26),
	.overlap = FIVE(163, 109, 67, 93, 0),
	.queue_depth = {33, 12, 12, 12, 12},
	.gap = {[NX_CONTROL_NONE] = FIVE(78, 62, 40, 53, 42),
		[NX_CONTROL_OTHER] = FIVE(78, 62, 40, 53, 42),
		[NX_CONTROL_DRAIN] = FIVE(77, 68, 44, 55, 55),
		[NX_CONTROL_SEMAPHORE] = FIVE(74, 62, 42, 53, 42),
		[NX_CONTROL_NOTIFY] = FIVE(80, 64, 47, 59, 55),
		[NX_CONTROL_ORDERING] = FIVE(100, 73, 52, 69, 56),
		[NX_CONTROL_BRANCH] = FIVE(90, 66, 222, 266, 218),
		[NX_CONTROL_WRITE] = FIVE(74, 52, 36, 51, 25),
		[NX_CONTROL_LOAD] = FIVE(83, 66, 48, 60, 55),
		[NX_CONTROL_CLEAR] = FIVE(123, 56, 38, 48, 39),
		[NX_CONTROL_DMA] = FIVE(78, 62, 40, 53, 42)},
	.signal = NS(11),
	.ring_signal = NS(345),
	.startup = {[NX_QUEUE_DATA] = NS(640),
		    [NX_QUEUE_SOFTWARE_DYNAMIC] = NS(761),
		    [NX_QUEUE_HARDWARE_DYNAMIC] = NS(1190)},
	.matmul = NS(165),
	.soft_record = NS(1172),
	.soft_wake = NS(850),
	.soft_step = NS(582),
	.soft_ahead = NS(562),
};

static const struct nx_why_lags trn1 = {
	.wake = FIVE(81, 71, 70, 69, 70),
	.control_wake = FIVE(70, 71, 70, 69, 70),
	.body = FIVE(75, 76, 76, 74, 70),
	.overlap = FIVE(158, 143, 67, 143, 0),
	.queue_depth = {33, 12, 12, 12, 12},
	.gap = {[NX_CONTROL_NONE] = FIVE(60, 47, 47, 47, 47),
		[NX_CONTROL_OTHER] = FIVE(60, 47, 47, 47, 47),
		[NX_CONTROL_DRAIN] = FIVE(51, 47, 61, 57, 49),
		[NX_CONTROL_SEMAPHORE] = FIVE(40, 34, 35, 44, 23),
		[NX_CONTROL_NOTIFY] = FIVE(45, 39, 39, 50, 46),
		[NX_CONTROL_ORDERING] = FIVE(53, 47, 64, 61, 37),
		[NX_CONTROL_BRANCH] = FIVE(125, 116, 116, 152, 112),
		[NX_CONTROL_WRITE] = FIVE(40, 35, 40, 35, 35),
		[NX_CONTROL_LOAD] = FIVE(50, 53, 50, 62, 57),
		[NX_CONTROL_CLEAR] = FIVE(90, 39, 39, 50, 44),
		[NX_CONTROL_DMA] = FIVE(60, 47, 47, 47, 47)},
	.signal = NS(-40),
	.ring_signal = NS(165),
	.startup = {[NX_QUEUE_DATA] = NS(279),
		    [NX_QUEUE_SOFTWARE_DYNAMIC] = NS(193),
		    [NX_QUEUE_HARDWARE_DYNAMIC] = NS(1190)},
	.matmul = NS(160),
	.soft_record = NS(1172),
	.soft_wake = NS(698),
	.soft_step = NS(648),
	.soft_ahead = NS(562),
};

const struct nx_why_lags *nx_why_lags_of(unsigned arch)
{
	return arch <= NX_ARCH_V2 ? &trn1 : &trn2;
}
