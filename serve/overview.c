/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/overview.h"

/* Keeps the sums below in range; 53 days, where real captures are seconds. */
#define SPAN_MAX_PS (UINT64_C(1) << 62)

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void choose_columns(struct nx_overview *o, const struct nx_profile *profile)
{
	uint64_t span_ps = profile->capture.total_time_ps;

	if (span_ps < profile->last_end_ps)
		span_ps = profile->last_end_ps;
	o->span_ps = smaller(span_ps ? span_ps : 1, SPAN_MAX_PS);
	o->column_ps = (o->span_ps + NX_OVERVIEW_COLUMNS - 1) / NX_OVERVIEW_COLUMNS;
	o->column_count = (unsigned)((o->span_ps + o->column_ps - 1) / o->column_ps);
}

/*
 * Spans come in order of their start, so what is covered already is cut off at
 * the front. That also keeps the work linear: no column is filled twice.
 */
static void fill(struct nx_overview *o, uint32_t core, unsigned lane_id, uint64_t start_ps,
		 uint64_t end_ps, double share)
{
	struct nx_lane *lane = &o->cores[core].lanes[lane_id];

	if (start_ps < lane->covered_ps)
		start_ps = lane->covered_ps;
	end_ps = smaller(end_ps, o->span_ps);
	while (start_ps < end_ps) {
		uint64_t column = start_ps / o->column_ps;
		uint64_t stop_ps = smaller(end_ps, (column + 1) * o->column_ps);
		uint64_t busy_ps = (uint64_t)((double)(stop_ps - start_ps) * share);

		lane->busy_ps[column] += busy_ps;
		lane->total_ps += busy_ps;
		lane->covered_ps = start_ps = stop_ps;
	}
}

static void add_active(void *context, const void *opaque)
{
	const struct nx_active *row = opaque;

	fill(context, row->graph, row->engine, row->start_ps, row->end_ps, 1);
}

static void add_packet(void *context, const void *opaque)
{
	const struct nx_packet *row = opaque;

	fill(context, row->graph, NX_LANE_DMA, row->start_ps, row->end_ps, 1);
}

static void add_throttle(void *context, const void *opaque)
{
	const struct nx_throttle *row = opaque;

	if (row->k < row->n)
		fill(context, row->graph, NX_LANE_THROTTLE, row->start_ps, row->end_ps,
		     (double)(row->n - row->k) / row->n);
}

enum nx_status nx_overview_build(struct nx_overview *overview, const struct nx_profile *profile,
				 struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st;

	*overview = (struct nx_overview){.core_count = profile->capture.graph_count};
	choose_columns(overview, profile);
	overview->cores = NX_NEW_ARRAY(arena, struct nx_overview_core, overview->core_count);
	st = nx_profile_scan(profile, NX_TABLE_ACTIVE, add_active, overview, err);
	if (!st)
		st = nx_profile_scan(profile, NX_TABLE_PACKET, add_packet, overview, err);
	if (!st)
		st = nx_profile_scan(profile, NX_TABLE_THROTTLE, add_throttle, overview, err);
	return st;
}

uint64_t nx_overview_column_ps(const struct nx_overview *overview, unsigned column)
{
	return smaller(overview->column_ps, overview->span_ps - column * overview->column_ps);
}

unsigned nx_overview_level(const struct nx_overview *overview, const struct nx_lane *lane,
			   unsigned column)
{
	double frac =
		(double)lane->busy_ps[column] / (double)nx_overview_column_ps(overview, column);

	return (unsigned)(frac * 10000 + 0.5);
}
