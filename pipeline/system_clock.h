/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_clock: from a device's clock to its host's.
 *
 * The runtime records sync points: the same moment on both clocks. The offset
 * of the first one of a process serves its captures; over a capture of seconds
 * the clocks drift by less than a microsecond.
 */
#ifndef NX_PIPELINE_SYSTEM_CLOCK_H
#define NX_PIPELINE_SYSTEM_CLOCK_H

#include "model/system.h"

/* offsets and known have process_count entries. */
NX_MUST_CHECK enum nx_status nx_system_clock_offsets(const struct nx_system_profile *profile,
						     int64_t *offsets_ns, bool *known,
						     struct nx_error *err);

#endif
