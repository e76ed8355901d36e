/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/range_cover.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void nx_range_cover_declare(struct nx_range_cover *cover, uint64_t first, uint64_t end)
{
	assert(!cover->nodes);
	nx_vec_push(&cover->edges, first);
	nx_vec_push(&cover->edges, end);
}

static int compare_edges(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

void nx_range_cover_prepare(struct nx_range_cover *cover)
{
	uint64_t *edges = cover->edges.items;
	size_t count = 0, size;

	if (!cover->edges.len)
		return;
	qsort(edges, cover->edges.len, sizeof(*edges), compare_edges);
	for (size_t i = 0; i < cover->edges.len; i++)
		if (!count || edges[i] != edges[count - 1])
			edges[count++] = edges[i];
	cover->edges.len = count;
	size = 4 * count * sizeof(*cover->nodes); /* enough for any shape of the tree */
	cover->nodes = nx_heap_alloc(size);
	memset(cover->nodes, 0, size);
}

struct change {
	struct nx_range_cover *cover;
	uint64_t first, end;
	int32_t by;
};

/* The node covers the pieces from edge low to edge high. */
static void add_to_node(const struct change *c, size_t at, size_t low, size_t high)
{
	const uint64_t *edges = c->cover->edges.items;
	struct nx_cover_node *nodes = c->cover->nodes, *node = &nodes[at];

	if (c->end <= edges[low] || c->first >= edges[high])
		return;
	if (c->first <= edges[low] && c->end >= edges[high]) {
		node->count += c->by;
	} else {
		size_t middle = (low + high) / 2;

		add_to_node(c, 2 * at, low, middle);
		add_to_node(c, 2 * at + 1, middle, high);
	}
	if (node->count)
		node->covered_bytes = edges[high] - edges[low];
	else if (high - low == 1)
		node->covered_bytes = 0;
	else
		node->covered_bytes = nodes[2 * at].covered_bytes + nodes[2 * at + 1].covered_bytes;
}

void nx_range_cover_add(struct nx_range_cover *cover, uint64_t first, uint64_t end, int32_t change)
{
	struct change c = {cover, first, end, change};

	assert(first <= end);
	if (cover->edges.len < 2)
		return; /* ranges of no bytes */
	assert(cover->nodes);
	add_to_node(&c, 1, 0, cover->edges.len - 1);
	cover->covered_bytes = cover->nodes[1].covered_bytes;
}

void nx_range_cover_release(struct nx_range_cover *cover)
{
	nx_vec_release(&cover->edges);
	nx_heap_free(cover->nodes);
	*cover = (struct nx_range_cover){0};
}
