/* SPDX-License-Identifier: Apache-2.0 */
/* The events of trace_lttng.c; LTTng-UST reads this page several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER nx_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./trace_lttng_events.h"

#if !defined(NX_TESTS_BENCH_TRACE_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define NX_TESTS_BENCH_TRACE_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT_CLASS(
	nx_bench, words, LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c, uint64_t, d),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
				    lttng_ust_field_integer(uint64_t, b, b)
					    lttng_ust_field_integer(uint64_t, c, c)
						    lttng_ust_field_integer(uint64_t, d, d)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(nx_bench, words, nx_bench, silent,
				    LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c,
						      uint64_t, d))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(nx_bench, words, nx_bench, filtered,
				    LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c,
						      uint64_t, d))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(nx_bench, words, nx_bench, recorded,
				    LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c,
						      uint64_t, d))

#endif

#include <lttng/tracepoint-event.h>
