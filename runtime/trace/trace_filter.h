/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_filter: which cores and which event types are traced, as bits.
 *
 *	"0"  "0,2,4"  "0-3"  "0-3,8"			cores
 *	"nrt_execute,nrt_load"				these events
 *	"hardware"  "software"				these groups
 *	"hardware,^cc_running"  "^dmem_buf_copyin"	all of a group, or all, but these
 *
 * Names are those of event types, or the shorter ones of AWS's examples
 * (model_load, tensor_read, device_exec...). An error message suggests the
 * nearest valid name.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_FILTER_H
#define NX_RUNTIME_TRACE_TRACE_FILTER_H

#include "format/ntrace.h"
#include "runtime/trace/trace_writer.h"

#define NX_TRACE_DEFAULT_EVENTS UINT64_C(1000000)

struct nx_trace_filter {
	uint64_t cores[NX_TRACE_MAX_CORES / 64];
	uint64_t types; /* bit: number of the event type */
};

void nx_trace_filter_set_all(struct nx_trace_filter *filter);

static inline bool nx_trace_filter_has_core(const struct nx_trace_filter *filter, uint32_t core)
{
	return core < NX_TRACE_MAX_CORES && (filter->cores[core / 64] >> (core % 64) & 1);
}

/* False for a core number beyond the maximum. */
bool nx_trace_filter_set_core(struct nx_trace_filter *filter, uint32_t core, bool is_on);

/* Read a list of cores or of event types; USAGE if it is not one, and the filter is unchanged. */
NX_MUST_CHECK enum nx_status nx_trace_filter_parse_cores(struct nx_trace_filter *filter,
							 const char *text, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_trace_filter_parse_types(struct nx_trace_filter *filter,
							 const char *text, struct nx_error *err);

/* Turns one event type or group on or off; USAGE for an unknown name. */
NX_MUST_CHECK enum nx_status nx_trace_filter_set_type(struct nx_trace_filter *filter,
						      const char *name, bool is_on,
						      struct nx_error *err);
/* The candidate that differs least from name; NULL if none is near. */
const char *nx_trace_filter_nearest_of(struct nx_slice name, const char *const *candidates,
				       size_t count);
uint64_t nx_trace_filter_all_types(void);

#endif
