/* SPDX-License-Identifier: Apache-2.0 */
/*
 * throughput: the rate of all packets in flight, over time. Feed packets in
 * order of their start; points go to fn, at most one per 10 ns and graph.
 */
#ifndef NX_ANALYSE_THROUGHPUT_H
#define NX_ANALYSE_THROUGHPUT_H

#include "base/vec.h"
#include "model/profile.h"

struct nx_rate_end { /* when a packet stops adding to the rate */
	uint64_t end_ps;
	float bytes_per_s;
};

struct nx_graph_throughput {
	struct nx_rate_heap NX_VEC_BODY(struct nx_rate_end) ends; /* smallest end first */
	uint64_t now_ps;
	uint64_t total_bytes;
	double bytes_per_s;
	uint64_t last_point_ps;
	bool has_now, has_point;
};

struct nx_throughput_analysis {
	nx_row_fn fn;
	void *context;
	struct nx_graph_throughput graphs[NX_MAX_GRAPHS];
};

void nx_throughput_add(struct nx_throughput_analysis *a, const struct nx_packet *row);
void nx_throughput_finish(struct nx_throughput_analysis *a);

#endif
