/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/throughput.h"

#include "model/measure.h"

#define POINT_GAP_PS 10000

static void push_end(struct nx_rate_heap *h, struct nx_rate_end end)
{
	size_t i = h->len;

	nx_vec_push(h, end);
	while (i && h->items[(i - 1) / 2].end_ps > end.end_ps) {
		h->items[i] = h->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->items[i] = end;
}

static struct nx_rate_end pop_end(struct nx_rate_heap *h)
{
	struct nx_rate_end top = h->items[0], last = h->items[--h->len];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->len)
			break;
		if (child + 1 < h->len && h->items[child + 1].end_ps < h->items[child].end_ps)
			child++;
		if (h->items[child].end_ps >= last.end_ps)
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	h->items[i] = last;
	return top;
}

/* Everything of one picosecond belongs to one point: it closes when time moves on. */
static void close_moment(struct nx_throughput_analysis *a, uint8_t graph)
{
	struct nx_graph_throughput *g = &a->graphs[graph];
	struct nx_throughput point;

	while (g->ends.len && g->ends.items[0].end_ps <= g->now_ps)
		g->bytes_per_s -= (double)pop_end(&g->ends).bytes_per_s;
	if (g->has_point && g->now_ps - g->last_point_ps < POINT_GAP_PS)
		return;
	point = (struct nx_throughput){g->now_ps, g->total_bytes, (float)g->bytes_per_s, graph};
	a->fn(a->context, &point);
	g->last_point_ps = g->now_ps;
	g->has_point = true;
}

static void advance(struct nx_throughput_analysis *a, uint8_t graph, uint64_t to_ps)
{
	struct nx_graph_throughput *g = &a->graphs[graph];

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

void nx_throughput_add(struct nx_throughput_analysis *a, const struct nx_packet *row)
{
	struct nx_graph_throughput *g = &a->graphs[row->graph];
	struct nx_rate_end end = {row->end_ps,
				  nx_rate(row->size_bytes, row->end_ps - row->start_ps)};

	advance(a, row->graph, row->start_ps);
	g->total_bytes += row->size_bytes;
	g->bytes_per_s += (double)end.bytes_per_s;
	push_end(&g->ends, end);
}

void nx_throughput_finish(struct nx_throughput_analysis *a)
{
	for (unsigned i = 0; i < NX_MAX_GRAPHS; i++) {
		struct nx_graph_throughput *g = &a->graphs[i];

		if (g->has_now)
			close_moment(a, (uint8_t)i);
		while (g->ends.len) {
			g->now_ps = g->ends.items[0].end_ps;
			close_moment(a, (uint8_t)i);
		}
		nx_vec_release(&g->ends);
	}
}
