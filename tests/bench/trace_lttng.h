/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_lttng: events of LTTng-UST with the payload of ours, in a library of its
 * own, so that bench_trace builds where LTTng-UST is not installed and measures
 * both in the same rounds where it is. tests/bench/trace.sh builds it.
 */
#ifndef NX_TESTS_BENCH_TRACE_LTTNG_H
#define NX_TESTS_BENCH_TRACE_LTTNG_H

#include <stdbool.h>
#include <stdint.h>

enum trace_lttng_kind {
	TRACE_LTTNG_SILENT,   /* an event that the session does not name */
	TRACE_LTTNG_FILTERED, /* one it names with a filter that is never true */
	TRACE_LTTNG_RECORDED,
};

void trace_lttng_run(enum trace_lttng_kind kind, uint64_t count);
/* Whether a session records events at all. */
bool trace_lttng_is_on(void);

#endif
