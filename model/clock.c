/* SPDX-License-Identifier: Apache-2.0 */
#include "model/clock.h"

static int64_t clamp(__int128 v)
{
	if (v > INT64_MAX)
		return INT64_MAX;
	if (v < INT64_MIN)
		return INT64_MIN;
	return (int64_t)v;
}

int64_t nx_clock_ps(const struct nx_clock *clock, uint64_t ticks)
{
	__int128 elapsed, scaled, ps;

	if (!clock->actual)
		return clamp((__int128)ticks);
	elapsed = (__int128)ticks - (__int128)clock->init;
	if (clock->actual == clock->expected)
		return clamp(elapsed);
	/* |elapsed| < 2^64 and expected is bounded below, so the product fits 128 bits */
	scaled = elapsed * (__int128)(clock->expected & INT64_MAX);
	ps = scaled / (__int128)clock->actual;
	if (scaled < 0 && ps * (__int128)clock->actual != scaled)
		ps--; /* C truncates towards zero; the rule is floor */
	return clamp(ps);
}
