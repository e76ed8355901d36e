/* SPDX-License-Identifier: Apache-2.0 */
#include "model/naming.h"

#include <assert.h>
#include <stdio.h>

const char *nx_semaphore_text(const struct nx_profile *profile, uint32_t graph, uint32_t semaphore,
			      char out[NX_SEMAPHORE_TEXT_MAX])
{
	const char *const *names = profile->program.semaphore_names[graph];

	assert(graph < profile->capture.graph_count);
	if (names && semaphore < NX_SEMAPHORE_COUNT && names[semaphore])
		snprintf(out, NX_SEMAPHORE_TEXT_MAX, "S[%u] (%s)", semaphore, names[semaphore]);
	else
		snprintf(out, NX_SEMAPHORE_TEXT_MAX, "%u", semaphore);
	return out;
}

const char *nx_debug_id_text(uint64_t id, char out[NX_DEBUG_ID_TEXT_MAX])
{
	snprintf(out, NX_DEBUG_ID_TEXT_MAX, "sg%04u:%u", (unsigned)(id >> 48), (unsigned)id);
	return out;
}

const char *nx_throttle_type_text(unsigned type, char out[NX_THROTTLE_TYPE_TEXT_MAX])
{
	if (type == NX_THROTTLE_UNKNOWN)
		snprintf(out, NX_THROTTLE_TYPE_TEXT_MAX, "unknown");
	else
		snprintf(out, NX_THROTTLE_TYPE_TEXT_MAX, "activity_%u", type & 255);
	return out;
}
