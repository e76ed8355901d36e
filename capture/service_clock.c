/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/service_clock.h"

/* Later times, in the year 2116, would overflow a sum of two differences. */
#define LATEST_NS (INT64_MAX / 2)

void nx_service_clock_add(struct nx_service_clock *clock, const struct nx_clock_sample *s)
{
	uint64_t total_ns, there_ns, uncertainty_ns;

	if (!s->asked_ns || s->answered_ns < s->asked_ns || s->sent_ns < s->received_ns ||
	    s->answered_ns > LATEST_NS || s->sent_ns > LATEST_NS)
		return;
	total_ns = s->answered_ns - s->asked_ns;
	there_ns = s->sent_ns - s->received_ns;
	if (there_ns > total_ns)
		return;
	uncertainty_ns = (total_ns - there_ns + 1) / 2;
	if (clock->is_known && clock->uncertainty_ns <= uncertainty_ns)
		return;
	*clock = (struct nx_service_clock){
		.is_known = true,
		.offset_ns = ((int64_t)s->received_ns - (int64_t)s->asked_ns +
			      ((int64_t)s->sent_ns - (int64_t)s->answered_ns)) /
			     2,
		.uncertainty_ns = uncertainty_ns,
	};
}
