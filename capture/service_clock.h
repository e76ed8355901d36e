/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_clock: how far the clock of a profiler service is from ours.
 *
 * A call has four times: we ask, it receives, it sends, we are answered. If both ways took equally
 * long, the offset follows; since they may not have, it is uncertain by half of the time the call
 * spent on its way. Of several calls the fastest counts.
 */
#ifndef NX_CAPTURE_SERVICE_CLOCK_H
#define NX_CAPTURE_SERVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct nx_service_clock {
	bool is_known;
	int64_t offset_ns;	 /* its clock minus ours */
	uint64_t uncertainty_ns; /* the offset is right to within this */
};

struct nx_clock_sample { /* nanoseconds since 1970; asked and answered are ours */
	uint64_t asked_ns, received_ns, sent_ns, answered_ns;
};

/* Times that cannot be true, because somebody set a clock meanwhile or lies, are ignored. */
void nx_service_clock_add(struct nx_service_clock *clock, const struct nx_clock_sample *sample);

#endif
