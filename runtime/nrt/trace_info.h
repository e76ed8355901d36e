/* SPDX-License-Identifier: Apache-2.0 */
/* trace_info: trace_info.pb, which describes the process and the other files of its folder. */
#ifndef NX_RUNTIME_NRT_TRACE_INFO_H
#define NX_RUNTIME_NRT_TRACE_INFO_H

#include "base/error.h"
#include "runtime/nrt/host_samples.h"

struct nx_trace_info {
	const char *folder; /* as the file names it */
	uint64_t session_id;
	uint64_t init_ns, close_ns; /* epoch; close_ns 0: it has not ended */
	bool has_events;
	uint64_t total_count, stored_count; /* of events */
	const struct nx_host_facts *host;
	bool has_cpu, has_memory;
	uint64_t cpu_ticks, memory_ticks;
};

/* Writes it to a folder, completely or not at all. */
NX_MUST_CHECK enum nx_status nx_trace_info_write(const struct nx_trace_info *info,
						 const char *folder, struct nx_error *err);

#endif
