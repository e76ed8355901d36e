/* SPDX-License-Identifier: Apache-2.0 */
/* throughput: the rate of all packets in flight over time, and of those from or to HBM; at most one
 * point per 10 ns and graph. */
#include <assert.h>

#include "analyse/analyses.h"
#include "analyse/packet_transfers.h"
#include "base/earliest.h"
#include "model/measure.h"

#define POINT_GAP_PS 10000

struct rate_end { /* when a packet stops adding to the rate */
	uint64_t end_ps;
	float bytes_per_s;
};

struct rate_ends NX_VEC_BODY(struct rate_end); /* the earliest first */

struct graph_throughput {
	struct rate_ends ends;
	uint64_t now_ps;
	uint64_t total_bytes;
	double bytes_per_s;
	uint64_t last_point_ps;
	bool has_now, has_point;
};

struct throughput {
	struct nx_derivation out;
	struct graph_throughput graphs[NX_MAX_GRAPHS];
};

/* All changes at one picosecond make one point, written when time moves on. */
static void close_moment(struct throughput *a, uint8_t graph)
{
	struct graph_throughput *g = &a->graphs[graph];
	struct nx_throughput point;

	while (g->ends.len && g->ends.items[0].end_ps <= g->now_ps) {
		g->bytes_per_s -= (double)g->ends.items[0].bytes_per_s;
		nx_earliest_drop(&g->ends);
	}
	if (g->has_point && g->now_ps - g->last_point_ps < POINT_GAP_PS)
		return;
	point = (struct nx_throughput){g->now_ps, g->total_bytes, (float)g->bytes_per_s, graph};
	a->out.fn(a->out.context, &point);
	g->last_point_ps = g->now_ps;
	g->has_point = true;
}

static void advance(struct throughput *a, uint8_t graph, uint64_t to_ps)
{
	struct graph_throughput *g = &a->graphs[graph];

	if (g->has_now && g->now_ps == to_ps)
		return;
	if (g->has_now)
		close_moment(a, graph);
	while (g->ends.len && g->ends.items[0].end_ps < to_ps) {
		g->now_ps = g->ends.items[0].end_ps;
		close_moment(a, graph);
	}
	g->now_ps = to_ps;
	g->has_now = true;
}

static void add(void *state, const void *opaque)
{
	struct throughput *a = state;
	const struct nx_packet *row = opaque;
	struct graph_throughput *g = &a->graphs[row->graph];
	struct rate_end end = {row->end_ps, nx_rate(row->size_bytes, row->end_ps - row->start_ps)};

	advance(a, row->graph, row->start_ps);
	g->total_bytes += row->size_bytes;
	g->bytes_per_s += (double)end.bytes_per_s;
	nx_earliest_push(&g->ends, end);
}

/* Only a NEFF knows the source and destination of packets, and only those of transfers. */
static void add_hbm(void *state, const void *row)
{
	const struct nx_profile *p = ((struct throughput *)state)->out.profile;
	const struct nx_packet *packet = row;
	const struct nx_transfer *t;
	uint32_t at = nx_profile_find_transfer(p, packet);

	if (at == NX_NONE || packet->size_bytes <= NX_SEMAPHORE_WRITE_BYTES)
		return;
	t = &p->transfers.items[at];
	if (p->program.slots[t->graph][t->engine][t->slot].flags &
	    (NX_SLOT_HBM_READ | NX_SLOT_HBM_WRITE))
		add(state, packet);
}

static enum nx_status finish(void *state, struct nx_error *err)
{
	struct throughput *a = state;

	(void)err;
	for (unsigned i = 0; i < NX_MAX_GRAPHS; i++) {
		struct graph_throughput *g = &a->graphs[i];

		if (g->has_now)
			close_moment(a, (uint8_t)i);
		while (g->ends.len) {
			g->now_ps = g->ends.items[0].end_ps;
			close_moment(a, (uint8_t)i);
		}
	}
	return NX_OK;
}

static void release(void *state)
{
	for (unsigned i = 0; i < NX_MAX_GRAPHS; i++)
		nx_vec_release(&((struct throughput *)state)->graphs[i].ends);
}

const struct nx_analysis nx_analysis_throughput = {
	.reads = NX_TABLE_PACKET,
	.makes = NX_TABLE_THROUGHPUT,
	.row_size = sizeof(struct nx_throughput),
	.state_size = sizeof(struct throughput),
	.add = add,
	.finish = finish,
	.release = release,
};

const struct nx_analysis nx_analysis_hbm_throughput = {
	.reads = NX_TABLE_PACKET,
	.makes = NX_TABLE_COUNT,
	.needs_transfers = true,
	.row_size = sizeof(struct nx_throughput),
	.state_size = sizeof(struct throughput),
	.add = add_hbm,
	.finish = finish,
	.release = release,
};
