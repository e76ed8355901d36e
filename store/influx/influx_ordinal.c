/* SPDX-License-Identifier: Apache-2.0 */
#include "store/influx/influx_ordinal.h"

/* Two series of the same hash share their ordinals: needless numbers, never equal points. */
static struct nx_influx_series *series_of(struct nx_influx_ordinals *ordinals, uint64_t hash,
					  bool *is_new)
{
	uint64_t at;

	*is_new = !nx_map_get(&ordinals->idx_of_hash, hash, &at);
	if (*is_new) {
		at = ordinals->series.len;
		nx_vec_push(&ordinals->series, ((struct nx_influx_series){0}));
		nx_map_put(&ordinals->idx_of_hash, hash, at);
	}
	return &ordinals->series.items[at];
}

uint64_t nx_influx_ordinals_next(struct nx_influx_ordinals *ordinals, uint64_t series_hash,
				 int64_t time_ns)
{
	bool is_new;
	struct nx_influx_series *series = series_of(ordinals, series_hash, &is_new);

	if (is_new || time_ns > series->latest_ns) {
		series->latest_ns = time_ns;
		series->base = 0;
		series->next = 0;
	} else if (time_ns < series->last_ns) {
		series->base = series->highest + 1;
		series->next = series->base;
	} else if (time_ns > series->last_ns) {
		series->next = series->base;
	}
	series->last_ns = time_ns;
	if (series->next > series->highest)
		series->highest = series->next;
	return series->next++;
}

void nx_influx_ordinals_release(struct nx_influx_ordinals *ordinals)
{
	nx_map_release(&ordinals->idx_of_hash);
	nx_vec_release(&ordinals->series);
}
