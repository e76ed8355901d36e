/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/throttle_summary.h"

#include <assert.h>

static_assert(NX_THROTTLE_TYPES > UINT8_MAX, "a place for each type of a row");

void nx_throttle_sums_add(struct nx_throttle_sums *sums, const struct nx_throttle *row)
{
	uint64_t ns = (row->end_ps - row->start_ps) / 1000;
	double weighted = (double)ns * row->k / row->n;

	sums->row_count++;
	if (row->k < row->n)
		sums->limited_ns += ns;
	sums->weighted_ns += weighted;
	sums->types[row->type].row_count++;
	sums->types[row->type].duration_ns += ns;
	sums->types[row->type].weighted_ns += weighted;
}

static double ratio(double part, double whole)
{
	return whole != 0 ? part / whole : 0;
}

struct nx_throttle_cost nx_throttle_cost_of_type(const struct nx_throttle_sums *sums, unsigned type,
						 uint64_t last_ns)
{
	const struct nx_throttle_type_sum *sum = &sums->types[type];

	assert(type < NX_THROTTLE_TYPES);
	return (struct nx_throttle_cost){
		.active_ns = sum->duration_ns,
		.active_frac = ratio((double)sum->duration_ns, (double)last_ns),
		.limit_frac = ratio(sum->weighted_ns, (double)sum->duration_ns),
	};
}

struct nx_throttle_cost nx_throttle_cost_of_all(const struct nx_throttle_sums *sums,
						uint64_t last_ns)
{
	return (struct nx_throttle_cost){
		.active_ns = sums->limited_ns,
		.active_frac = ratio((double)sums->limited_ns, (double)last_ns),
		.limit_frac = ratio(sums->weighted_ns, (double)last_ns),
	};
}
