/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_continuous: starts and stops continuous recording in running programs. What it keeps is
 * fetched by a capture of kind SNAPSHOT (service_capture.h).
 */
#ifndef NX_CAPTURE_SERVICE_CONTINUOUS_H
#define NX_CAPTURE_SERVICE_CONTINUOUS_H

#include "capture/service_capture.h"

/*
 * Asks all hosts of the wishes at once; logdir, name and kind do not matter. Calls the listener's
 * warn with a sentence for each host that refuses, and then returns the first failure.
 */
NX_MUST_CHECK enum nx_status nx_service_continuous_start(const struct nx_service_wishes *wishes,
							 struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_service_continuous_stop(const struct nx_service_wishes *wishes,
							struct nx_error *err);

#endif
