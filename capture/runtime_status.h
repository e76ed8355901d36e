/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_status: what a status of the Neuron runtime means to a person, and what to do next. */
#ifndef NX_CAPTURE_RUNTIME_STATUS_H
#define NX_CAPTURE_RUNTIME_STATUS_H

#include "capture/runtime_library.h"

/*
 * Makes a sentence "WHAT failed with NRT_TIMEOUT: meaning; next step" and
 * returns the status of ours that fits. A number we do not know is named by the
 * library. lib may be NULL.
 */
enum nx_status nx_runtime_fail(const struct nx_runtime_library *lib, NRT_STATUS status,
			       struct nx_error *err, const char *fmt, ...) NX_PRINTF(4, 5);

/* "NRT_TIMEOUT"; never NULL. */
const char *nx_runtime_status_name(const struct nx_runtime_library *lib, NRT_STATUS status);

#endif
