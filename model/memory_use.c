/* SPDX-License-Identifier: Apache-2.0 */
#include "model/memory_use.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *nx_memory_name(enum nx_memory memory)
{
	static const char *const names[NX_MEMORY_COUNT] = {
#define NAME(name, text) [NX_MEMORY_##name] = (text),
		NX_MEMORY_MAP(NAME)
#undef NAME
	};

	assert(memory < NX_MEMORY_COUNT);
	return names[memory];
}

struct ranking {
	const struct nx_memory_report *report;
	enum nx_memory memory;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_holders(const void *a, const void *b, void *context)
{
	const struct ranking *r = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct nx_memory_share *x = &r->report->holders[left].shares[r->memory];
	const struct nx_memory_share *y = &r->report->holders[right].shares[r->memory];
	int order = compare_numbers(y->bytes_at_peak, x->bytes_at_peak);

	if (!order)
		order = compare_numbers(y->max_bytes, x->max_bytes);
	return order ? order : compare_numbers(left, right);
}

void nx_memory_order_find(struct nx_memory_order *order, const struct nx_memory_report *report,
			  uint32_t graph, enum nx_memory memory)
{
	struct ranking ranking = {report, memory};

	nx_vec_clear(order);
	for (size_t i = 0; i < report->holder_count; i++)
		if (report->holders[i].graph == graph &&
		    report->holders[i].shares[memory].max_bytes)
			nx_vec_push(order, (uint32_t)i);
	if (order->len)
		qsort_r(order->items, order->len, sizeof(order->items[0]), compare_holders,
			&ranking);
}
