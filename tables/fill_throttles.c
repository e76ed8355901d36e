/* SPDX-License-Identifier: Apache-2.0 */
/* Limits on the tensor engine's activity, and their cost per core. */
#include <string.h>

#include "analyse/summary.h"
#include "model/naming.h"
#include "model/sorted_rows.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"

struct throttle_fill {
	struct nx_table_sink *sink;
	struct nx_throttle_sums *sums; /* of each graph */
	struct nx_row row;
};

static void put_throttle(void *context, const void *opaque)
{
	struct throttle_fill *x = context;
	const struct nx_throttle *throttle = opaque;
	char type[NX_THROTTLE_TYPE_TEXT_MAX];
	struct nx_row *row = &x->row;

	nx_throttle_sums_add(&x->sums[throttle->graph], throttle);
	nx_row_put_i64(row, NX_COL_Throttle_timestamp, nx_ps_to_ns(throttle->start_ps));
	nx_row_put_i64(row, NX_COL_Throttle_duration,
		       nx_ps_to_ns(throttle->end_ps - throttle->start_ps));
	nx_row_put_i64(row, NX_COL_Throttle_k, throttle->k);
	nx_row_put_i64(row, NX_COL_Throttle_n, throttle->n);
	nx_row_put_text(row, NX_COL_Throttle_type, nx_throttle_type_text(throttle->type, type));
	nx_row_put_i64(row, NX_COL_Throttle_pcore_idx, throttle->graph);
	nx_table_sink_put(x->sink, row);
}

static void put_cost(struct throttle_fill *x, uint32_t graph, const char *type,
		     struct nx_throttle_cost cost)
{
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_ThrottleSummary_nc_idx, graph);
	nx_row_put_text(row, NX_COL_ThrottleSummary_throttle_type, type);
	nx_row_put_u64(row, NX_COL_ThrottleSummary_throttle_active_time_ns, cost.active_ns);
	nx_row_put_f64(row, NX_COL_ThrottleSummary_throttle_active_time_percent, cost.active_frac);
	nx_row_put_f64(row, NX_COL_ThrottleSummary_max_achievable_util_with_throttling_percent,
		       cost.limit_frac < 1 ? cost.limit_frac : 1);
	nx_table_sink_put(x->sink, row);
}

static void put_summary(struct throttle_fill *x, uint32_t graph, uint64_t last_ns)
{
	const struct nx_throttle_sums *sums = &x->sums[graph];
	char text[NX_THROTTLE_TYPE_TEXT_MAX];

	if (!sums->row_count)
		return;
	for (unsigned type = 0; type < NX_THROTTLE_TYPES; type++)
		if (sums->types[type].row_count)
			put_cost(x, graph, nx_throttle_type_text(type, text),
				 nx_throttle_cost_of_type(sums, type, last_ns));
	put_cost(x, graph, "all", nx_throttle_cost_of_all(sums, last_ns));
}

enum nx_status nx_fill_throttles(struct nx_device_fill *fill)
{
	const struct nx_profile *p = fill->profile;
	size_t size = sizeof(struct nx_throttle_sums) * (p->capture.graph_count + 1);
	struct throttle_fill x = {.sink = fill->sink, .sums = nx_heap_alloc(size)};
	enum nx_status st;

	memset(x.sums, 0, size);
	nx_begin_table(fill->sink, &x.row, NX_SCHEMA_Throttle);
	st = nx_sorted_rows_scan(p, NX_TABLE_THROTTLE, sizeof(struct nx_throttle), put_throttle, &x,
				 fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_Throttle);
	nx_begin_table(fill->sink, &x.row, NX_SCHEMA_ThrottleSummary);
	for (uint32_t g = 0; g < p->capture.graph_count && !st; g++)
		put_summary(&x, g, p->last_end_ps / 1000);
	nx_table_sink_end(fill->sink, NX_SCHEMA_ThrottleSummary);
	nx_heap_free(x.sums);
	return st;
}
