/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/trace_clock.h"

#include <assert.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define NS_PER_S UINT64_C(1000000000)
#define MIN_TIE_NS UINT64_C(5000000) /* closer ties only measure how long reading takes */

bool nx_trace_clock_has_counter;

static uint64_t read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t nx_trace_clock_epoch_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}

/* An invariant counter has the same rate on all processors, even while they sleep. */
static bool has_invariant_counter(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#elif defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

/* Before constructors without a number, which may begin to record. */
static void __attribute__((constructor(101))) choose_clock(void)
{
	nx_trace_clock_has_counter = has_invariant_counter();
}

/* The fastest of a few readings, as an interrupted one would be inaccurate. */
static struct nx_trace_tie read_tie(uint64_t epoch_offset_ns)
{
	struct nx_trace_tie best = {0};
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = nx_trace_clock_ticks();
		uint64_t ns = read_ns(CLOCK_MONOTONIC);
		uint64_t after = nx_trace_clock_ticks();

		if (after - before >= narrowest)
			continue;
		narrowest = after - before;
		best.ticks = before + narrowest / 2;
		best.epoch_ns = ns + epoch_offset_ns;
	}
	return best;
}

uint64_t nx_trace_clock_epoch_offset_ns(void)
{
	return read_ns(CLOCK_REALTIME) - read_ns(CLOCK_MONOTONIC);
}

void nx_trace_clock_begin(struct nx_trace_clock *clock, uint64_t epoch_offset_ns)
{
	memset(clock, 0, sizeof(*clock));
	clock->epoch_offset_ns = epoch_offset_ns;
	clock->ties[0] = read_tie(clock->epoch_offset_ns);
	clock->tie_count = 1;
}

void nx_trace_clock_add(struct nx_trace_clock *clock, struct nx_trace_tie tie)
{
	if (clock->tie_count == NX_TRACE_TIES) {
		memmove(clock->ties, clock->ties + 1, (NX_TRACE_TIES - 1) * sizeof(clock->ties[0]));
		clock->tie_count--;
	}
	clock->ties[clock->tie_count++] = tie;
}

void nx_trace_clock_tie(struct nx_trace_clock *clock)
{
	struct nx_trace_tie tie = read_tie(clock->epoch_offset_ns);
	const struct nx_trace_tie *last = &clock->ties[clock->tie_count - 1];
	struct timespec rest = {0, (long)MIN_TIE_NS};

	if (clock->tie_count == 1 && tie.epoch_ns - last->epoch_ns < MIN_TIE_NS) {
		nanosleep(&rest, NULL); /* interpolation needs two ties */
		tie = read_tie(clock->epoch_offset_ns);
	} else if (tie.epoch_ns - last->epoch_ns < MIN_TIE_NS) {
		return;
	}
	if (tie.ticks > last->ticks && tie.epoch_ns > last->epoch_ns)
		nx_trace_clock_add(clock, tie);
}

uint64_t nx_trace_clock_convert(const struct nx_trace_clock *clock, uint64_t ticks)
{
	unsigned i = clock->tie_count - 1;
	const struct nx_trace_tie *from, *to;
	__int128 ns;

	assert(clock->tie_count > 0 && clock->tie_count <= NX_TRACE_TIES);
	if (clock->tie_count < 2)
		return clock->ties[0].epoch_ns;
	while (i > 1 && ticks < clock->ties[i - 1].ticks)
		i--;
	from = &clock->ties[i - 1];
	to = &clock->ties[i];
	ns = ((__int128)ticks - from->ticks) * (__int128)(to->epoch_ns - from->epoch_ns);
	ns = ns / (__int128)(to->ticks - from->ticks) + from->epoch_ns;
	return ns > 0 ? (uint64_t)ns : 0;
}
