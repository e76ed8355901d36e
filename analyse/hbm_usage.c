/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/hbm_usage.h"

#define ALL_CATEGORIES UINT32_MAX
#define MAX_CHAINS 2 /* a logical core is made of one or two physical ones */

static struct nx_hbm_totals *chains_of(struct nx_hbm_analysis *a, const struct nx_hbm_sample *row,
				       uint32_t category)
{
	uint64_t h = nx_fnv1a(NX_FNV_SEED, &row->process, sizeof(row->process)), index;

	h = nx_fnv1a(h, &row->nc_idx, sizeof(row->nc_idx));
	h = nx_fnv1a(h, &category, sizeof(category));
	if (!nx_map_get(&a->index, h, &index)) {
		index = a->chains.len;
		nx_map_put(&a->index, h, index);
		nx_vec_push(&a->chains, ((struct nx_hbm_chains){0}));
	}
	return &a->chains.items[index].totals;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t follow(struct nx_hbm_totals *totals, const struct nx_hbm_change *change,
		       uint64_t total)
{
	uint64_t before =
		change->is_release ? total + change->size_bytes : total - change->size_bytes;
	size_t max = change->core_count && change->core_count < MAX_CHAINS ? change->core_count
									   : MAX_CHAINS;
	uint64_t sum = 0;
	size_t nearest = 0;

	for (size_t i = 1; i < totals->len; i++)
		if (distance(totals->items[i], before) < distance(totals->items[nearest], before))
			nearest = i;
	if (totals->len && (totals->items[nearest] == before || totals->len >= max))
		totals->items[nearest] = total;
	else
		nx_vec_push(totals, total);
	for (size_t i = 0; i < totals->len; i++)
		sum += totals->items[i];
	return sum;
}

void nx_hbm_add(struct nx_hbm_analysis *a, const struct nx_hbm_change *change,
		struct nx_hbm_sample *row)
{
	row->total_bytes = follow(chains_of(a, row, ALL_CATEGORIES), change, change->total_bytes);
	row->category_bytes =
		follow(chains_of(a, row, row->category), change, change->category_total_bytes);
}

void nx_hbm_release(struct nx_hbm_analysis *a)
{
	for (size_t i = 0; i < a->chains.len; i++)
		nx_vec_release(&a->chains.items[i].totals);
	nx_vec_release(&a->chains);
	nx_map_release(&a->index);
}
