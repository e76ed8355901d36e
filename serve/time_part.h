/* SPDX-License-Identifier: Apache-2.0 */
/* time_part: the time range and the tracks of a request, from parameters that many routes share. */
#ifndef NX_SERVE_TIME_PART_H
#define NX_SERVE_TIME_PART_H

#include "query/time_range.h"
#include "serve/request.h"
#include "store/timeline/timeline.h"

struct nx_time_part {
	uint64_t from_ns, to_ns; /* from is before to */
};

/* from= and to=; they default to the timeline's start and end. */
NX_MUST_CHECK enum nx_status nx_request_time_part(const struct nx_request *request,
						  const struct nx_timeline *timeline,
						  struct nx_time_part *part, struct nx_error *err);
/* The same as a range that may be open. */
NX_MUST_CHECK enum nx_status nx_request_time_range(const struct nx_request *request,
						   struct nx_time_range *range,
						   struct nx_error *err);
/* tracks=3,4 as numbers in the request's arena; count 0 when it is missing. */
NX_MUST_CHECK enum nx_status nx_request_tracks(struct nx_request *request, size_t most,
					       uint32_t **tracks, size_t *count,
					       struct nx_error *err);

#endif
