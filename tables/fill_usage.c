/* SPDX-License-Identifier: Apache-2.0 */
/* DMA throughput: of all packets, its buckets, and of packets from or to HBM. */
#include <string.h>

#include "analyse/dma_buckets.h"
#include "model/sorted_rows.h"
#include "tables/ahead_rows.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"

struct usage_fill {
	struct nx_table_sink *sink;
	struct nx_dma_buckets buckets;
	struct nx_sorted_rows summaries;
	struct nx_row row;
};

/* Columns of DmaUsage and HbmUsage: time, rate, bytes so far, core. */
static const unsigned dma_columns[] = {NX_COL_DmaUsage_timestamp,
				       NX_COL_DmaUsage_current_throughput,
				       NX_COL_DmaUsage_total_transfer_bytes,
				       NX_COL_DmaUsage_pcore_idx};
static const unsigned hbm_columns[] = {NX_COL_HbmUsage_timestamp,
				       NX_COL_HbmUsage_current_throughput,
				       NX_COL_HbmUsage_total_transfer_bytes,
				       NX_COL_HbmUsage_pcore_idx};

static void put_point(struct usage_fill *x, const unsigned columns[4],
		      const struct nx_throughput *point)
{
	nx_row_put_i64(&x->row, columns[0], nx_ps_to_ns(point->time_ps));
	nx_row_put_f64(&x->row, columns[1], (double)point->bytes_per_s);
	nx_row_put_u64(&x->row, columns[2], point->total_bytes);
	nx_row_put_i64(&x->row, columns[3], point->graph);
	nx_table_sink_put(x->sink, &x->row);
}

static void put_usage(void *context, const void *point)
{
	put_point(context, dma_columns, point);
	nx_dma_buckets_add(&((struct usage_fill *)context)->buckets, point);
}

static void put_hbm(void *context, const void *point)
{
	put_point(context, hbm_columns, point);
}

static void put_bucket(void *context, const void *opaque)
{
	struct usage_fill *x = context;
	const struct nx_dma_bucket *bucket = opaque;
	struct nx_row *row = &x->row;

	nx_row_put_u64(row, NX_COL_DmaUsageSummary_timestamp, bucket->start_ns);
	nx_row_put_i64(row, NX_COL_DmaUsageSummary_pcore_idx, bucket->graph);
	nx_row_put_f64(row, NX_COL_DmaUsageSummary_sum_current_throughput, bucket->sum_bytes_per_s);
	nx_row_put_u64(row, NX_COL_DmaUsageSummary_sum_total_transfer_bytes,
		       bucket->sum_total_bytes);
	nx_row_put_u64(row, NX_COL_DmaUsageSummary_max_total_transfer_bytes,
		       bucket->max_total_bytes);
	nx_row_put_u64(row, NX_COL_DmaUsageSummary_count, bucket->point_count);
	nx_row_put_u64(row, NX_COL_DmaUsageSummary_bucket_resolution_ns, bucket->width_ns);
	nx_table_sink_put(x->sink, row);
}

static enum nx_status fill_curve(struct nx_device_fill *fill, struct usage_fill *x)
{
	enum nx_status st;

	nx_begin_table(fill->sink, &x->row, NX_SCHEMA_DmaUsage);
	st = nx_ahead_rows_finish(fill, NX_ANALYSIS_THROUGHPUT, put_usage, x);
	nx_dma_buckets_finish(&x->buckets);
	nx_table_sink_end(fill->sink, NX_SCHEMA_DmaUsage);
	return st;
}

enum nx_status nx_fill_dma_usage(struct nx_device_fill *fill)
{
	struct usage_fill *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st, finished;

	memset(x, 0, sizeof(*x));
	x->sink = fill->sink;
	nx_sorted_rows_init(&x->summaries, sizeof(struct nx_dma_bucket));
	nx_dma_buckets_begin(&x->buckets, fill->profile->capture.total_time_ps / 1000,
			     nx_sorted_rows_add, &x->summaries);
	st = fill_curve(fill, x);
	nx_begin_table(fill->sink, &x->row, NX_SCHEMA_DmaUsageSummary);
	finished = nx_sorted_rows_finish(&x->summaries, put_bucket, x, st ? NULL : fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_DmaUsageSummary);
	nx_heap_free(x);
	return st ? st : finished;
}

enum nx_status nx_fill_hbm_usage(struct nx_device_fill *fill)
{
	struct usage_fill *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st;

	x->sink = fill->sink;
	nx_begin_table(fill->sink, &x->row, NX_SCHEMA_HbmUsage);
	st = nx_ahead_rows_finish(fill, NX_ANALYSIS_HBM_THROUGHPUT, put_hbm, x);
	nx_table_sink_end(fill->sink, NX_SCHEMA_HbmUsage);
	nx_heap_free(x);
	return st;
}
