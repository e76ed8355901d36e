/* SPDX-License-Identifier: Apache-2.0 */
/* How fast DMAs moved data: the curve of all packets, its buckets, and that of HBM alone. */
#include <string.h>

#include "analyse/dma_buckets.h"
#include "analyse/static_dma.h"
#include "analyse/throughput.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"
#include "tables/sorted_rows.h"

struct usage_fill {
	struct nx_table_sink *sink;
	struct nx_dma_buckets buckets;
	struct nx_sorted_rows summaries;
	struct nx_row row;
};

static void put_usage(void *context, const void *opaque)
{
	struct usage_fill *x = context;
	const struct nx_throughput *point = opaque;
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_DmaUsage_timestamp, nx_ps_to_ns(point->time_ps));
	nx_row_put_f64(row, NX_COL_DmaUsage_current_throughput, (double)point->bytes_per_s);
	nx_row_put_i64(row, NX_COL_DmaUsage_total_transfer_bytes, nx_to_i64(point->total_bytes));
	nx_row_put_i64(row, NX_COL_DmaUsage_pcore_idx, point->graph);
	nx_table_sink_put(x->sink, row);
	nx_dma_buckets_add(&x->buckets, point);
}

static void put_bucket(void *context, const void *opaque)
{
	struct usage_fill *x = context;
	const struct nx_dma_bucket *bucket = opaque;
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_DmaUsageSummary_timestamp, nx_to_i64(bucket->start_ns));
	nx_row_put_i64(row, NX_COL_DmaUsageSummary_pcore_idx, bucket->graph);
	nx_row_put_f64(row, NX_COL_DmaUsageSummary_sum_current_throughput, bucket->sum_bytes_per_s);
	nx_row_put_i64(row, NX_COL_DmaUsageSummary_sum_total_transfer_bytes,
		       nx_to_i64(bucket->sum_total_bytes));
	nx_row_put_i64(row, NX_COL_DmaUsageSummary_max_total_transfer_bytes,
		       nx_to_i64(bucket->max_total_bytes));
	nx_row_put_i64(row, NX_COL_DmaUsageSummary_count, nx_to_i64(bucket->point_count));
	nx_row_put_i64(row, NX_COL_DmaUsageSummary_bucket_resolution_ns,
		       nx_to_i64(bucket->width_ns));
	nx_table_sink_put(x->sink, row);
}

static enum nx_status fill_curve(struct nx_device_fill *fill, struct usage_fill *x)
{
	enum nx_status st;

	nx_row_init(&x->row, NX_SCHEMA_DmaUsage);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_DmaUsage);
	st = nx_sorted_rows_scan(fill->profile, NX_TABLE_THROUGHPUT, sizeof(struct nx_throughput),
				 put_usage, x, fill->err);
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
	nx_row_init(&x->row, NX_SCHEMA_DmaUsageSummary);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_DmaUsageSummary);
	finished = nx_sorted_rows_finish(&x->summaries, put_bucket, x, st ? NULL : fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_DmaUsageSummary);
	nx_heap_free(x);
	return st ? st : finished;
}

/* --- HBM ------------------------------------------------------------------- */

struct hbm_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_throughput_analysis analysis;
	struct nx_sorted_rows points;
	struct nx_row row;
};

/* Only a NEFF tells where a packet's bytes come from or go to, and only of static transfers. */
static void add_packet(void *context, const void *opaque)
{
	struct hbm_fill *x = context;
	const struct nx_packet *packet = opaque;
	uint32_t at = nx_profile_find_transfer(x->profile, packet);
	const struct nx_transfer *t;

	if (at == NX_NONE || packet->size_bytes <= NX_SEMAPHORE_WRITE_BYTES)
		return;
	t = &x->profile->transfers.items[at];
	if (x->profile->program.slots[t->graph][t->engine][t->slot].flags &
	    (NX_SLOT_HBM_READ | NX_SLOT_HBM_WRITE))
		nx_throughput_add(&x->analysis, packet);
}

static void put_hbm(void *context, const void *opaque)
{
	struct hbm_fill *x = context;
	const struct nx_throughput *point = opaque;
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_HbmUsage_timestamp, nx_ps_to_ns(point->time_ps));
	nx_row_put_f64(row, NX_COL_HbmUsage_current_throughput, (double)point->bytes_per_s);
	nx_row_put_i64(row, NX_COL_HbmUsage_total_transfer_bytes, nx_to_i64(point->total_bytes));
	nx_row_put_i64(row, NX_COL_HbmUsage_pcore_idx, point->graph);
	nx_table_sink_put(x->sink, row);
}

enum nx_status nx_fill_hbm_usage(struct nx_device_fill *fill)
{
	struct hbm_fill *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st = NX_OK, finished;

	memset(x, 0, sizeof(*x));
	x->profile = fill->profile;
	x->sink = fill->sink;
	x->analysis.fn = nx_sorted_rows_add;
	x->analysis.context = &x->points;
	nx_sorted_rows_init(&x->points, sizeof(struct nx_throughput));
	nx_row_init(&x->row, NX_SCHEMA_HbmUsage);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_HbmUsage);
	if (fill->profile->transfers.len)
		st = nx_profile_scan(fill->profile, NX_TABLE_PACKET, add_packet, x, fill->err);
	nx_throughput_finish(&x->analysis);
	finished = nx_sorted_rows_finish(&x->points, put_hbm, x, st ? NULL : fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_HbmUsage);
	nx_heap_free(x);
	return st ? st : finished;
}
