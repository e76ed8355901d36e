/* SPDX-License-Identifier: Apache-2.0 */
/* One event of LTTng-UST with the payload of ours, for tests/bench/trace.sh. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER nx_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./trace_lttng.h"

#if !defined(NX_TESTS_TRACE_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define NX_TESTS_TRACE_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(nx_bench, event, LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
						       lttng_ust_field_integer(uint64_t, b, b)))

#endif

#include <lttng/tracepoint-event.h>
