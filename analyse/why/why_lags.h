/* SPDX-License-Identifier: Apache-2.0 */
/* why_lags: the usual time between a cause and its effect, by generation, as captures show it. */
#ifndef NX_ANALYSE_WHY_LAGS_H
#define NX_ANALYSE_WHY_LAGS_H

#include <stdint.h>

#include "model/capture.h"
#include "model/program.h"

#define NX_WHY_NS INT64_C(1000)

struct nx_why_lags {			       /* all in picoseconds */
	int64_t wake[NX_ENGINE_COUNT];	       /* semaphore to the start of a computation */
	int64_t control_wake[NX_ENGINE_COUNT]; /* and of what the sequencer executes */
	int64_t body[NX_ENGINE_COUNT];	       /* semaphore to the end of an EVENT_SEMAPHORE */
	int64_t overlap[NX_ENGINE_COUNT]; /* how long before its predecessor's end one starts */
	uint32_t queue_depth[NX_ENGINE_COUNT];		/* computations that wait to start */
	int64_t gap[NX_CONTROL_COUNT][NX_ENGINE_COUNT]; /* end of a control word to the next */
	int64_t signal;					/* end to semaphore, of an engine */
	int64_t ring_signal;				/* and of a DMA engine */
	int64_t startup[NX_QUEUE_CLASS_COUNT];		/* trigger's start to the first packet */
	int64_t matmul; /* what a MATMUL takes besides its columns */
	/* GpSimd's descriptors: word to record, semaphore to record, record to record, and how
	 * long before its record the sequencer goes on */
	int64_t soft_record, soft_wake, soft_step, soft_ahead;
};

const struct nx_why_lags *nx_why_lags_of(unsigned arch);

/* How far a start may miss its usual time and still count as explained. */
#define NX_WHY_SLOP_PS (20 * NX_WHY_NS)
#define NX_WHY_DESCRIPTOR_SLOP_PS (350 * NX_WHY_NS)
#define NX_WHY_DMA_SLOP_PS (1500 * NX_WHY_NS) /* start-up, and a ring that passes on */
/* A record takes that long when the buffers of the trace are full. */
#define NX_WHY_TICK_PS (700 * NX_WHY_NS)
#define NX_WHY_TICK_SPREAD_PS (16 * NX_WHY_NS)	/* 15, in whole nanoseconds */
#define NX_WHY_LATE_SIGNAL_PS (100 * NX_WHY_NS) /* later than that the trace is the brake */
#define NX_WHY_WEIGHTS_OVERLAP_PS (400 * NX_WHY_NS)
#define NX_WHY_FRONT_STEP_PS (7 * NX_WHY_NS) /* from queueing a computation to the next word */
/* A DMA engine moves 27.2 bytes in a nanosecond and takes 4.7 ns more for each packet. */
#define NX_WHY_LINK_PS(bytes, packets)                                                             \
	((int64_t)((uint64_t)(bytes)*10000 / 272) + (int64_t)(packets)*4700)

#endif
