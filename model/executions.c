/* SPDX-License-Identifier: Apache-2.0 */
#include "model/executions.h"

#include <assert.h>
#include <string.h>

struct build {
	struct nx_executions *x;
	uint64_t id;
};

static struct nx_execution_list *list_of(const struct nx_executions *x,
					 const struct nx_instruction *row)
{
	const struct nx_slot *slot = nx_profile_slot(x->profile, row);
	const struct nx_binary_graph *graph = x->profile->program.binary_graphs[row->graph];
	uint64_t at;

	if (slot->bir == NX_NONE ||
	    !nx_map_get(&x->index[row->graph], graph->birs[slot->bir].id, &at))
		return NULL;
	return &x->lists.items[at];
}

static void count_row(void *context, const void *row)
{
	struct nx_execution_list *list = list_of(((struct build *)context)->x, row);

	if (list)
		list->total++;
}

static void place_row(void *context, const void *opaque)
{
	const struct nx_instruction *row = opaque;
	struct build *b = context;
	struct nx_execution_list *list = list_of(b->x, row);

	b->id++;
	if (list && list->total <= NX_EXECUTIONS_LISTED)
		b->x->pool[list->first + list->listed++] =
			(struct nx_execution){b->id, row->end_ps};
}

static void index_graphs(struct nx_executions *x)
{
	for (uint32_t g = 0; g < x->profile->capture.graph_count; g++) {
		const struct nx_binary_graph *graph = x->profile->program.binary_graphs[g];

		/* id 0 is the module itself, not an instruction */
		for (size_t i = 0; graph && i < graph->bir_count; i++)
			if (graph->birs[i].id &&
			    !nx_map_get(&x->index[g], graph->birs[i].id, NULL)) {
				nx_map_put(&x->index[g], graph->birs[i].id, x->lists.len);
				nx_vec_push(&x->lists, ((struct nx_execution_list){0}));
			}
	}
}

enum nx_status nx_executions_build(struct nx_executions *x, const struct nx_profile *profile,
				   struct nx_error *err)
{
	struct build b = {.x = x};
	uint32_t pooled = 0;
	enum nx_status st;

	assert(profile->capture.graph_count <= NX_MAX_GRAPHS);
	memset(x, 0, sizeof(*x));
	x->profile = profile;
	index_graphs(x);
	if (!x->lists.len)
		return NX_OK;
	st = nx_profile_scan(profile, NX_TABLE_INSTRUCTION, count_row, &b, err);
	for (size_t i = 0; i < x->lists.len; i++) {
		struct nx_execution_list *list = &x->lists.items[i];

		list->first = pooled;
		if (list->total <= NX_EXECUTIONS_LISTED)
			pooled += list->total;
		else
			x->shortened_count++;
	}
	x->pool = nx_heap_alloc(sizeof(*x->pool) * ((size_t)pooled + 1));
	return st ? st : nx_profile_scan(profile, NX_TABLE_INSTRUCTION, place_row, &b, err);
}

void nx_executions_release(struct nx_executions *x)
{
	for (uint32_t g = 0; g < NX_MAX_GRAPHS; g++)
		nx_map_release(&x->index[g]);
	nx_vec_release(&x->lists);
	nx_heap_free(x->pool);
	x->pool = NULL;
}

size_t nx_executions_of(const struct nx_executions *x, uint32_t graph, uint64_t bir_id,
			const struct nx_execution **list)
{
	const struct nx_execution_list *found;
	uint64_t at;

	assert(graph < NX_MAX_GRAPHS);
	if (!nx_map_get(&x->index[graph], bir_id, &at))
		return 0;
	found = &x->lists.items[at];
	if (found->total <= NX_EXECUTIONS_LISTED) {
		*list = x->pool + found->first;
		return found->listed;
	}
	*list = &found->latest;
	return found->latest.id ? 1 : 0;
}

void nx_executions_pass(struct nx_executions *x, const struct nx_instruction *row, uint64_t id)
{
	struct nx_execution_list *list = list_of(x, row);

	if (list)
		list->latest = (struct nx_execution){id, row->end_ps};
}

/* Compilers name a few dozen; a list beyond this is damage, and would make output quadratic. */
#define MAX_PREDECESSORS 1024

struct nx_predecessor_walk nx_predecessors_of(const struct nx_executions *x,
					      const struct nx_instruction *row)
{
	const struct nx_slot *slot = nx_profile_slot(x->profile, row);
	const struct nx_binary_graph *graph = x->profile->program.binary_graphs[row->graph];

	return (struct nx_predecessor_walk){
		.from = x,
		.bir = slot->bir == NX_NONE ? NULL : &graph->birs[slot->bir],
		.graph = row->graph,
	};
}

bool nx_predecessor_walk_next(struct nx_predecessor_walk *walk)
{
	const struct nx_bir *bir = walk->bir;

	while (bir && walk->at < bir->predecessor_count && walk->at < MAX_PREDECESSORS) {
		const struct nx_predecessor *list = bir->predecessors, *p = &list[walk->at++];

		walk->type = p->type;
		walk->count =
			nx_executions_of(walk->from, walk->graph, p->bir_id, &walk->executions);
		while (list < p && (list->bir_id != p->bir_id || list->type != p->type))
			list++;
		if (walk->count && list == p) /* not a repetition */
			return true;
	}
	return false;
}
