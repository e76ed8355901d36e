/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_utilisation: HFU and MFU of one core over time.
 *
 * A MATMUL spreads its flops evenly over its time; at every start and end the
 * sum over those in flight, divided by the core's peak, is written. HFU counts
 * all of them, MFU leaves out those that only transpose. The mean of the curve
 * over the profile is the summary's number for a profile of one core.
 */
#ifndef NX_EXPORT_PERFETTO_UTILISATION_H
#define NX_EXPORT_PERFETTO_UTILISATION_H

#include "base/vec.h"
#include "export/perfetto_device.h"

struct nx_work { /* a MATMUL in flight */
	uint64_t end_ns;
	double hardware, model; /* its share of the peak */
};

struct nx_utilisation_step { /* a counter that is written when it has changed */
	uint32_t track;
	uint64_t time_ns;
	double value, written;
};

struct nx_utilisation {
	struct nx_perfetto *p;
	double peak_flops;
	struct nx_works NX_VEC_BODY(struct nx_work) open; /* the first to end lies last */
	struct nx_utilisation_step hfu, mfu;
};

void nx_utilisation_begin(struct nx_utilisation *u, const struct nx_device_trace *trace,
			  uint32_t graph);
void nx_utilisation_add(struct nx_utilisation *u, const struct nx_instruction *row,
			const struct nx_slot *slot);
void nx_utilisation_finish(struct nx_utilisation *u);

#endif
