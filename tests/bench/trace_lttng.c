/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what one event of LTTng-UST costs; built by tests/bench/trace.sh where it is installed. */
#include <stdio.h>
#include <time.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "trace_lttng.h"

#define EVENTS 5000000

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	double best = 1e9;

	for (int round = 0; round < 5; round++) {
		double start = now_ns(), each;

		for (uint64_t i = 0; i < EVENTS; i++)
			lttng_ust_tracepoint(nx_bench, event, i, 64);
		each = (now_ns() - start) / EVENTS;
		best = each < best ? each : best;
	}
	printf("LTTng-UST %-34s %17.1f\n", argc > 1 ? argv[1] : "", best);
	return 0;
}
