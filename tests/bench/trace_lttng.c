/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_lttng.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "trace_lttng_events.h"

void trace_lttng_run(enum trace_lttng_kind kind, uint64_t count)
{
	if (kind == TRACE_LTTNG_SILENT)
		for (uint64_t i = 0; i < count; i++)
			lttng_ust_tracepoint(nx_bench, silent, i, 64, 0, 0);
	else if (kind == TRACE_LTTNG_FILTERED)
		for (uint64_t i = 0; i < count; i++)
			lttng_ust_tracepoint(nx_bench, filtered, i, 64, 0, 0);
	else
		for (uint64_t i = 0; i < count; i++)
			lttng_ust_tracepoint(nx_bench, recorded, i, 64, 0, 0);
}

bool trace_lttng_is_on(void)
{
	return lttng_ust_tracepoint_enabled(nx_bench, recorded) &&
	       !lttng_ust_tracepoint_enabled(nx_bench, silent);
}
