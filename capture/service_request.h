/* SPDX-License-Identifier: Apache-2.0 */
/* service_request: what to record, as a request to a profiler service. */
#ifndef NX_CAPTURE_SERVICE_REQUEST_H
#define NX_CAPTURE_SERVICE_REQUEST_H

#include "format/profiler_service.h"

struct nx_service_recording {
	struct nx_service_options options; /* levels and flags; the rest is set for each host */
	const char *const *advanced;	   /* "key=value" */
	size_t advanced_count;
	uint32_t duration_ms;
};

/* USAGE if one of the advanced options is not KEY=VALUE, or a key repeats. */
NX_MUST_CHECK enum nx_status nx_service_recording_check(const struct nx_service_recording *r,
							struct nx_error *err);

struct nx_service_target { /* what differs between hosts and attempts */
	const char *repository_root;
	const char *session;
	const char *address;
	uint64_t start_ns; /* on its clock; 0: at once */
};

/* Appends a ProfileRequest. */
void nx_service_request_encode(const struct nx_service_recording *recording,
			       const struct nx_service_target *target, struct nx_bytes *out);

#endif
