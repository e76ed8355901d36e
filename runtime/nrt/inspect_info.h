/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_info: trace_info.pb, which describes the other files of a capture. */
#ifndef NX_RUNTIME_NRT_INSPECT_INFO_H
#define NX_RUNTIME_NRT_INSPECT_INFO_H

#include "base/error.h"
#include "runtime/nrt/host_samples.h"
#include "runtime/nrt/instance.h"

struct nx_inspect_facts {
	const struct nx_instance *instance;
	const struct nx_host_facts *host;
	const char *folder;
	uint64_t session_id;
	uint64_t init_ns, close_ns; /* close: 0 until the session is complete */
	bool has_events, has_cpu, has_memory;
	uint64_t stored_event_count, total_event_count;
	uint64_t cpu_ticks, memory_ticks;
};

/* Replaces the file. LIMIT if memory runs out. */
NX_MUST_CHECK enum nx_status nx_inspect_info_write(const struct nx_inspect_facts *facts,
						   struct nx_error *err);

#endif
