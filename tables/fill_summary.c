/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The summary: a column holds the metric of its name, null when the profile has none (as with
 * amounts of a kind of DMA that did not occur), so that it agrees with the exported summaries.
 */
#include <string.h>

#include "tables/fillers.h"

/* Metrics are sorted by name. */
static const struct nx_metric *find_metric(const struct nx_profile *profile, const char *name)
{
	size_t low = 0, high = profile->metrics.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, profile->metrics.items[middle].name);

		if (!order)
			return &profile->metrics.items[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static void put_metric(struct nx_row *row, unsigned column, const struct nx_metric *metric)
{
	bool is_integer = nx_schema_tables[row->table].columns[column].type == NX_SCHEMA_INT64;

	if (metric->kind == NX_METRIC_COUNT && is_integer)
		nx_row_put_u64(row, column, metric->count);
	else if (metric->kind == NX_METRIC_COUNT)
		nx_row_put_f64(row, column, (double)metric->count);
	else if (metric->kind == NX_METRIC_NUMBER && !is_integer)
		nx_row_put_f64(row, column, metric->number);
}

/* What the JSON of AWS's profiler does not have is no metric. */
static void put_unnamed(struct nx_row *row, const struct nx_device_fill *fill)
{
	const struct nx_profile *p = fill->profile;

	nx_row_put_f64(row, NX_COL_Summary_total_exec_time, (double)p->exec_time_ps / 1e12);
	nx_row_put_u64(row, NX_COL_Summary_adjusted_hardware_flops, p->adjusted_flop_count);
	nx_row_put_u64(row, NX_COL_Summary_adjusted_transpose_flops,
		       p->adjusted_transpose_flop_count);
	nx_row_put_u64(row, NX_COL_Summary_total_row_count, fill->row_count);
}

enum nx_status nx_fill_summary(struct nx_device_fill *fill)
{
	const struct nx_schema_table *table = &nx_schema_tables[NX_SCHEMA_Summary];
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_Summary);
	for (unsigned i = 0; i < table->column_count; i++) {
		const struct nx_metric *metric = find_metric(fill->profile, table->columns[i].name);

		if (metric)
			put_metric(&row, i, metric);
	}
	put_unnamed(&row, fill);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_Summary);
	nx_table_sink_put(fill->sink, &row);
	nx_table_sink_end(fill->sink, NX_SCHEMA_Summary);
	return NX_OK;
}
