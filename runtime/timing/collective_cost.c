/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/timing/collective_cost.h"

#include <assert.h>
#include <string.h>

#include "format/instruction.h"

#define MESH_BELOW_BYTES (UINT64_C(1) << 20) /* published: Mesh below 1 MB */
#define RDH_UP_TO_BYTES (UINT64_C(56) << 20) /* published: RDH up to 56 MB, KangaRing above */

/* --- constants, each with its evidence (enum nx_evidence) ----------------------------------- */

struct links {
	double bytes_per_ns;	    /* of a rank to its neighbours */
	double memory_bytes_per_ns; /* of a rank's DMA engines */
};

/* Derived: 384 GB/s of a chip over 4 links, each shared by its 2 cores; 16 engines of 18.1 B/ns. */
static const struct links trn1_links = {48, 290};
/* Derived: 192 GB/s over 2 links, 2 cores. */
static const struct links inf2_links = {48, 290};
/* Derived: 1024 GB/s over 4 links, 4 logical cores; saturation of 16 engines, digitised. */
static const struct links trn2_links = {64, 368};

#define START_NS 2000.0	       /* derived: from the trigger of a DMA to its semaphore */
#define HOP_NS 1500.0	       /* published: 1 to 2 us within a machine */
#define NODE_HOP_NS 15000.0    /* published: between machines */
#define NODE_BYTES_PER_NS 6.25 /* published: 50 Gbit/s per rank */

static const struct links *links_of(enum nx_device_arch arch)
{
	switch (arch) {
	case NX_DEVICE_TRN1:
		return &trn1_links;
	case NX_DEVICE_INF2:
		return &inf2_links;
	default:
		return &trn2_links;
	}
}

/* --- shapes ------------------------------------------------------------------- */

#define MOST_ELEMENTS (UINT64_C(1) << 38)

static uint64_t at_most(uint64_t count, uint64_t most)
{
	return count < most ? count : most;
}

static uint64_t sum_of(const struct nx_rank_list *counts)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < counts->count; i++)
		sum += counts->items[i];
	return sum;
}

uint32_t nx_collective_node_count(const struct nx_collective_place *place,
				  const struct nx_rank_list *ranks)
{
	uint32_t nodes = place->node_count ? place->node_count : 1, found = 0;
	uint32_t ranks_of_node = place->rank_count / nodes;
	bool *has_rank;

	if (nodes == 1 || !ranks_of_node || !ranks || !ranks->count)
		return nodes;
	has_rank = nx_heap_alloc(nodes * sizeof(*has_rank));
	memset(has_rank, 0, nodes * sizeof(*has_rank));
	for (uint32_t i = 0; i < ranks->count; i++) {
		uint32_t node = ranks->items[i] / ranks_of_node;

		if (node < nodes && !has_rank[node])
			has_rank[node] = true, found++;
	}
	nx_heap_free(has_rank);
	return found ? found : 1;
}

struct nx_collective_shape nx_collective_shape_of(const struct nx_collective_word *word,
						  const struct nx_rank_list *counts,
						  uint32_t rank_count, uint32_t node_count)
{
	uint32_t ranks = rank_count ? rank_count : 1;
	uint64_t in = at_most(word->element_count, MOST_ELEMENTS);
	uint64_t out = nx_collective_output_count(word->kind, in, ranks);

	if (word->kind == NX_COLLECTIVE_ALL_GATHER_V && counts->count)
		out = sum_of(counts);
	if (word->kind == NX_COLLECTIVE_ALL_TO_ALL_V)
		out = (counts->count ? sum_of(counts) : out) / ranks;
	return (struct nx_collective_shape){
		.kind = word->kind,
		.rank_count = ranks,
		.node_count = (uint32_t)at_most(node_count ? node_count : 1, ranks),
		.bytes = at_most(in > out ? in : out, MOST_ELEMENTS) * nx_dtype_bytes(word->dtype),
	};
}

/* --- algorithms --------------------------------------------------------------------------------
 */

static enum nx_collective_algorithm choose(const struct nx_collective_shape *shape)
{
	bool is_power_of_two;

	switch (shape->kind) {
	case NX_COLLECTIVE_ALL_REDUCE:
	case NX_COLLECTIVE_REDUCE_SCATTER:
	case NX_COLLECTIVE_ALL_GATHER:
		break;
	case NX_COLLECTIVE_BROADCAST:
		return NX_ALGORITHM_RDH;
	default:
		return NX_ALGORITHM_MESH;
	}
	is_power_of_two = !(shape->rank_count & (shape->rank_count - 1));
	if (shape->bytes < MESH_BELOW_BYTES || shape->rank_count <= 2)
		return NX_ALGORITHM_MESH;
	if (shape->bytes <= RDH_UP_TO_BYTES && is_power_of_two)
		return shape->node_count > 1 ? NX_ALGORITHM_RDH_NODES : NX_ALGORITHM_RDH;
	if (shape->bytes > RDH_UP_TO_BYTES && shape->rank_count % 2 == 0 && shape->node_count <= 1)
		return NX_ALGORITHM_KANGARING;
	return NX_ALGORITHM_RING;
}

/* Of one pass over the ranks, which gathers or scatters. */
static uint32_t steps_of(enum nx_collective_algorithm algorithm, uint32_t rank_count)
{
	uint32_t bits = 0;

	switch (algorithm) {
	case NX_ALGORITHM_MESH:
		return 1;
	case NX_ALGORITHM_RDH:
	case NX_ALGORITHM_RDH_NODES:
		while (bits < 31 && (UINT32_C(1) << bits) < rank_count)
			bits++;
		return bits;
	case NX_ALGORITHM_KANGARING:
		return rank_count / 2;
	default:
		return rank_count - 1;
	}
}

/* Published per two ranks and chunk: gathering 4 by ring and 3 by KangaRing, reducing 6 and 4. */
static double touches_of(int64_t kind, enum nx_collective_algorithm algorithm)
{
	bool is_short = algorithm == NX_ALGORITHM_KANGARING;
	double gather = is_short ? 1.5 : 2, reduce = is_short ? 2 : 3;

	if (kind == NX_COLLECTIVE_ALL_REDUCE)
		return (gather + reduce) / 2;
	return kind == NX_COLLECTIVE_REDUCE_SCATTER ? reduce : gather;
}

struct nx_collective_plan nx_collective_plan_make(const struct nx_collective_shape *shape)
{
	struct nx_collective_plan plan = {.algorithm = choose(shape)};
	uint32_t n = shape->rank_count;

	assert(shape->rank_count >= 1 && shape->node_count <= shape->rank_count);
	if (n <= 1)
		return (struct nx_collective_plan){
			.algorithm = NX_ALGORITHM_MESH, .touch_count = 2, .wire_bytes = 0};
	plan.step_count = steps_of(plan.algorithm, n);
	plan.touch_count = touches_of(shape->kind, plan.algorithm);
	switch (shape->kind) {
	case NX_COLLECTIVE_PERMUTE:
	case NX_COLLECTIVE_SEND_RECV:
	case NX_COLLECTIVE_BROADCAST:
		plan.wire_bytes = shape->bytes;
		break;
	default:
		plan.wire_bytes = shape->bytes / n * (n - 1);
	}
	if (shape->kind == NX_COLLECTIVE_ALL_REDUCE) {
		plan.step_count *= 2;
		plan.wire_bytes *= 2;
	}
	return plan;
}

/* --- time ------------------------------------------------------------------------------------ */

uint64_t nx_collective_cost_ps(enum nx_device_arch arch, const struct nx_collective_shape *shape,
			       const struct nx_collective_plan *plan)
{
	const struct links *links = links_of(arch);
	bool is_far = shape->node_count > 1;
	double hop_ns = is_far ? NODE_HOP_NS : HOP_NS;
	double rate = is_far ? NODE_BYTES_PER_NS : links->bytes_per_ns;
	double bytes = plan->wire_bytes ? (double)plan->wire_bytes : (double)shape->bytes;
	double wire_ns = (double)plan->wire_bytes / rate;
	double memory_ns = bytes * plan->touch_count / links->memory_bytes_per_ns;
	double ns =
		START_NS + plan->step_count * hop_ns + (wire_ns > memory_ns ? wire_ns : memory_ns);

	assert(shape->rank_count >= 1);
	return (uint64_t)(ns * 1000);
}
