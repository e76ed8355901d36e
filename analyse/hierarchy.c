/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/hierarchy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct interval_record { /* sorted by its key */
	uint64_t key;	 /* level, then node: the order in which nodes are handed out */
	struct nx_interval interval;
};

void nx_hierarchy_init(struct nx_hierarchy *h, const struct nx_profile *profile)
{
	memset(h, 0, sizeof(*h));
	h->profile = profile;
	h->model_count = profile->capture.model_count ? profile->capture.model_count : 1;
	h->by_id = nx_arena_alloc(&h->arena, h->model_count * sizeof(*h->by_id));
	memset(h->by_id, 0, h->model_count * sizeof(*h->by_id));
	nx_sorted_rows_init(&h->intervals, sizeof(struct interval_record));
}

void nx_hierarchy_release(struct nx_hierarchy *h)
{
	nx_vec_release(&h->nodes);
	nx_vec_release(&h->modules);
	for (uint32_t m = 0; m < h->model_count; m++)
		for (unsigned i = 0; i < NX_LEVEL_COUNT; i++)
			nx_map_release(&h->by_id[m][i]);
	nx_text_map_release(&h->module_of_path);
	nx_spool_free(h->intervals.spool);
	nx_arena_release(&h->arena);
}

/* --- intervals -------------------------------------------------------------- */

static void join_intervals(struct nx_interval *earlier, const struct nx_interval *later)
{
	if (later->end_ps > earlier->end_ps)
		earlier->end_ps = later->end_ps;
	nx_interval_sum(&earlier->element_count, later->element_count);
	nx_interval_sum(&earlier->transpose_element_count, later->transpose_element_count);
	nx_interval_sum(&earlier->hbm_bytes, later->hbm_bytes);
}

static int by_u64(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static uint64_t pause_before(const struct nx_intervals *list, size_t i)
{
	uint64_t end_ps = list->items[i - 1].end_ps, start_ps = list->items[i].start_ps;

	return start_ps > end_ps ? start_ps - end_ps : 0;
}

/* The longest pause to be joined, and how many of exactly that length. */
static uint64_t longest_joined(const struct nx_intervals *list, size_t join_count, size_t *equal)
{
	uint64_t *pauses = nx_heap_alloc(list->len * sizeof(*pauses)), longest;

	assert(join_count > 0 && join_count < list->len);
	for (size_t i = 1; i < list->len; i++)
		pauses[i - 1] = pause_before(list, i);
	qsort(pauses, list->len - 1, sizeof(*pauses), by_u64);
	longest = pauses[join_count - 1];
	for (*equal = 0; *equal < join_count && pauses[join_count - 1 - *equal] == longest;)
		++*equal;
	nx_heap_free(pauses);
	return longest;
}

void nx_intervals_reduce(struct nx_intervals *list, size_t limit)
{
	size_t kept = 0, equal;
	uint64_t longest;

	if (list->len <= limit)
		return;
	longest = longest_joined(list, list->len - limit, &equal);
	for (size_t i = 1; i < list->len; i++) {
		uint64_t pause = pause_before(list, i);
		bool joins = pause < longest || (pause == longest && equal > 0);

		if (joins && pause == longest)
			equal--;
		if (joins)
			join_intervals(&list->items[kept], &list->items[i]);
		else
			list->items[++kept] = list->items[i];
	}
	list->len = kept + 1;
}

void nx_intervals_add(struct nx_intervals *list, const struct nx_interval *interval)
{
	nx_vec_push(list, *interval);
	if (list->len >= 2 * (size_t)NX_INTERVALS_MAX)
		nx_intervals_reduce(list, NX_INTERVALS_MAX);
}

/* --- nodes ------------------------------------------------------------------ */

static uint32_t add_node(struct nx_hierarchy *h, enum nx_hierarchy_level level, const char *name,
			 const struct nx_instruction *row)
{
	struct nx_hierarchy_node node = {.level = (uint8_t)level,
					 .graph = row->graph,
					 .id = ++h->counts[level],
					 .module = NX_NONE,
					 .next_operation = NX_NONE,
					 .above = {NX_NONE, NX_NONE, NX_NONE},
					 .name = nx_slice_text(name),
					 .start_ps = row->start_ps,
					 .end_ps = row->end_ps};

	node.open.start_ps = row->start_ps;
	node.open.end_ps = row->start_ps;
	if (level >= NX_LEVEL_FRAMEWORK)
		node.engines = NX_NEW(&h->arena, struct nx_engine_costs);
	nx_vec_push(&h->nodes, node);
	return (uint32_t)h->nodes.len - 1;
}

static uint32_t find_or_add(struct nx_hierarchy *h, enum nx_hierarchy_level level, uint64_t id,
			    const char *name, const struct nx_instruction *row)
{
	uint32_t model_idx =
		h->model_count > 1 ? h->profile->capture.graphs[row->graph].model_idx : 0;
	struct nx_map *by_id = &h->by_id[model_idx][level];
	uint64_t index;

	if (nx_map_get(by_id, id, &index))
		return (uint32_t)index;
	index = add_node(h, level, name, row);
	nx_map_put(by_id, id, index);
	return (uint32_t)index;
}

static uint32_t add_module(struct nx_hierarchy *h, struct nx_slice path, uint32_t parent,
			   const struct nx_instruction *row)
{
	struct nx_module module = {.node = add_node(h, NX_LEVEL_MODULE, "", row),
				   .parent = parent,
				   .next_sibling = NX_NONE,
				   .first_child = NX_NONE,
				   .last_child = NX_NONE,
				   .first_operation = NX_NONE};
	uint32_t index = (uint32_t)h->modules.len;

	h->nodes.items[module.node].name = path;
	h->nodes.items[module.node].module = index;
	nx_vec_push(&h->modules, module);
	nx_text_map_put(&h->module_of_path, path, index);
	if (parent == NX_NONE)
		return index;
	if (h->modules.items[parent].last_child == NX_NONE)
		h->modules.items[parent].first_child = index;
	else
		h->modules.items[h->modules.items[parent].last_child].next_sibling = index;
	h->modules.items[parent].last_child = index;
	return index;
}

/* The innermost module of a path; those around it are made on the way. */
static uint32_t module_of(struct nx_hierarchy *h, struct nx_slice path,
			  const struct nx_instruction *row)
{
	uint32_t module = NX_NONE;
	unsigned depth = 0;

	for (size_t i = 1; i <= path.len; i++) {
		struct nx_slice part = nx_slice_part(path, 0, i);
		uint64_t known;

		if (i < path.len && (path.data[i] != '/' || path.data[i - 1] == '/' ||
				     depth == NX_MODULE_DEPTH_MAX - 1))
			continue;
		depth++;
		module = nx_text_map_get(&h->module_of_path, part, &known)
				 ? (uint32_t)known
				 : add_module(h, part, module, row);
	}
	return module;
}

static uint32_t framework_of(struct nx_hierarchy *h, const struct nx_origin *origin,
			     const struct nx_instruction *row)
{
	uint32_t count = h->counts[NX_LEVEL_FRAMEWORK], module;
	uint32_t index = find_or_add(h, NX_LEVEL_FRAMEWORK, origin->framework_id,
				     origin->framework_name, row);
	struct nx_hierarchy_node *node = &h->nodes.items[index];

	if (count == h->counts[NX_LEVEL_FRAMEWORK])
		return index;
	node->framework_id = origin->framework_id;
	module = module_of(h, node->name, row);
	if (module == NX_NONE)
		return index;
	node = &h->nodes.items[index];
	node->module = module;
	node->next_operation = h->modules.items[module].first_operation;
	h->modules.items[module].first_operation = index;
	return index;
}

static uint32_t penguin_of(struct nx_hierarchy *h, const struct nx_bir *bir,
			   const struct nx_origin *origin, const struct nx_instruction *row)
{
	uint32_t index = find_or_add(h, NX_LEVEL_PENGUIN, bir->penguin_id,
				     origin ? origin->penguin_name : "", row);
	struct nx_hierarchy_node *node = &h->nodes.items[index];

	node->penguin_id = bir->penguin_id;
	if (origin && origin->has_hlo) {
		node->hlo_id = origin->hlo_id;
		node->framework_id = origin->framework_id;
	}
	return index;
}

/* A BIR instruction runs for the first time: find the nodes above it. */
static uint32_t add_bir(struct nx_hierarchy *h, const struct nx_bir *bir,
			const struct nx_instruction *row)
{
	const struct nx_binary *binary = &h->profile->binary;
	const struct nx_origin *origin =
		bir->origin < binary->origin_count ? &binary->origins[bir->origin] : NULL;
	bool has_hlo = origin && origin->has_hlo;
	uint32_t index = add_node(h, NX_LEVEL_BIR, bir->name, row);
	uint32_t above[3] = {NX_NONE, NX_NONE, NX_NONE};
	struct nx_hierarchy_node *node;

	if (bir->has_penguin)
		above[0] = penguin_of(h, bir, origin, row);
	if (has_hlo) {
		above[1] = find_or_add(h, NX_LEVEL_HLO, origin->hlo_id, origin->hlo_name, row);
		h->nodes.items[above[1]].hlo_id = origin->hlo_id;
		h->nodes.items[above[1]].framework_id = origin->framework_id;
	}
	if (has_hlo && origin->has_framework)
		above[2] = framework_of(h, origin, row);
	node = &h->nodes.items[index];
	memcpy(node->above, above, sizeof(above));
	node->bir_id = bir->id;
	node->penguin_id = bir->has_penguin ? bir->penguin_id : 0;
	node->hlo_id = has_hlo ? origin->hlo_id : 0;
	node->framework_id = has_hlo ? origin->framework_id : 0;
	return index;
}

static uint32_t bir_node(struct nx_hierarchy *h, const struct nx_instruction *row, uint32_t bir)
{
	const struct nx_binary_graph *graph = h->profile->program.binary_graphs[row->graph];
	uint32_t **nodes = &h->bir_nodes[row->graph];

	if (!*nodes) {
		*nodes = nx_arena_alloc(&h->arena, graph->bir_count * sizeof(**nodes));
		memset(*nodes, 0xff, graph->bir_count * sizeof(**nodes)); /* NX_NONE */
	}
	if ((*nodes)[bir] == NX_NONE)
		(*nodes)[bir] = add_bir(h, &graph->birs[bir], row);
	return (*nodes)[bir];
}

/* --- costs ------------------------------------------------------------------ */

static void keep_interval(struct nx_hierarchy *h, uint32_t index)
{
	const struct nx_hierarchy_node *node = &h->nodes.items[index];
	struct interval_record record = {(uint64_t)node->level << 32 | index, node->open};

	assert(node->level < NX_LEVEL_COUNT);
	nx_sorted_rows_add(&h->intervals, &record);
}

/* Readers see nanoseconds: intervals that touch there become one. */
static void grow_interval(struct nx_hierarchy *h, uint32_t index, const struct nx_interval *more)
{
	struct nx_hierarchy_node *node = &h->nodes.items[index];

	if (more->start_ps / 1000 <= node->open.end_ps / 1000) {
		join_intervals(&node->open, more);
		return;
	}
	keep_interval(h, index);
	node->open = *more;
}

static void add_bytes(struct nx_hierarchy_node *node, const struct nx_slot *slot)
{
	node->has_sbuf_read |= (slot->flags & NX_SLOT_SBUF_READ) != 0;
	node->has_sbuf_write |= (slot->flags & NX_SLOT_SBUF_WRITE) != 0;
	node->has_dma |= (slot->flags & (NX_SLOT_HBM_READ | NX_SLOT_HBM_WRITE)) != 0;
	nx_interval_sum(&node->sbuf_read_bytes, slot->sbuf_read_bytes);
	nx_interval_sum(&node->sbuf_write_bytes, slot->sbuf_write_bytes);
	nx_interval_sum(&node->hbm_read_bytes, slot->hbm_read_bytes);
	nx_interval_sum(&node->hbm_write_bytes, slot->hbm_write_bytes);
	if (slot->flags & NX_SLOT_LOAD_WEIGHTS) {
		node->has_weights = true;
		nx_interval_sum(&node->weight_bytes, slot->sbuf_read_bytes);
	}
}

static unsigned channel_count(const struct nx_program *program, const struct nx_slot *slot)
{
	unsigned most = 0;

	for (unsigned i = 0; i < slot->operand_count; i++) {
		unsigned count = program->operands[slot->operand + i].partition_count;

		most = count > most ? count : most;
	}
	return most < NX_PARTITION_COUNT ? most : NX_PARTITION_COUNT;
}

static void add_to(struct nx_hierarchy *h, uint32_t index, const struct nx_instruction *row,
		   const struct nx_slot *slot)
{
	struct nx_hierarchy_node *node = &h->nodes.items[index];
	struct nx_interval more = {.start_ps = row->start_ps, .end_ps = row->end_ps};

	nx_interval_sum(&more.hbm_bytes, slot->hbm_read_bytes);
	nx_interval_sum(&more.hbm_bytes, slot->hbm_write_bytes);
	if (slot->flags & NX_SLOT_MATMUL) {
		node->has_matmul = true;
		nx_interval_sum(&more.element_count, slot->elements);
		if (slot->instruction_type == NX_TYPE_TRANSPOSE)
			more.transpose_element_count = more.element_count;
	}
	nx_interval_sum(&node->element_count, more.element_count);
	nx_interval_sum(&node->transpose_element_count, more.transpose_element_count);
	node->end_ps = row->end_ps > node->end_ps ? row->end_ps : node->end_ps;
	add_bytes(node, slot);
	if (node->engines) {
		node->engines->instruction_count[row->engine]++;
		if (!(slot->flags & NX_SLOT_TRIGGER))
			node->engines->channel_count[row->engine] +=
				channel_count(&h->profile->program, slot);
		if (!(slot->flags & NX_SLOT_WAITS_ONLY))
			nx_span_union_cover(&node->engines->busy[row->engine], row->start_ps,
					    row->end_ps);
	}
	grow_interval(h, index, &more);
}

void nx_hierarchy_add(struct nx_hierarchy *h, const struct nx_instruction *row)
{
	const struct nx_slot *slot = nx_profile_slot(h->profile, row);
	uint32_t bir, framework, module;

	if (slot->bir == NX_NONE)
		return;
	bir = bir_node(h, row, slot->bir);
	add_to(h, bir, row, slot);
	for (unsigned i = 0; i < 3; i++)
		if (h->nodes.items[bir].above[i] != NX_NONE)
			add_to(h, h->nodes.items[bir].above[i], row, slot);
	framework = h->nodes.items[bir].above[2];
	module = framework == NX_NONE ? NX_NONE : h->nodes.items[framework].module;
	for (; module != NX_NONE; module = h->modules.items[module].parent)
		add_to(h, h->modules.items[module].node, row, slot);
}

/* --- the end ---------------------------------------------------------------- */

struct handing_out {
	const struct nx_hierarchy *h;
	struct nx_intervals intervals; /* of the node at hand */
	uint64_t key;
	nx_hierarchy_fn fn;
	void *context;
};

static void hand_out(struct handing_out *out)
{
	if (!out->intervals.len)
		return;
	nx_intervals_reduce(&out->intervals, NX_INTERVALS_MAX);
	out->fn(out->context, &out->h->nodes.items[(uint32_t)out->key], &out->intervals);
	nx_vec_clear(&out->intervals);
}

static void take_interval(void *context, const void *row)
{
	struct handing_out *out = context;
	const struct interval_record *record = row;

	if (record->key != out->key)
		hand_out(out);
	out->key = record->key;
	nx_intervals_add(&out->intervals, &record->interval);
}

enum nx_status nx_hierarchy_finish(struct nx_hierarchy *h, nx_hierarchy_fn fn, void *context,
				   struct nx_error *err)
{
	struct handing_out out = {.h = h, .fn = fn, .context = context};
	enum nx_status st;

	for (uint32_t i = 0; i < h->nodes.len; i++)
		keep_interval(h, i);
	st = nx_sorted_rows_finish(&h->intervals, take_interval, &out, err);
	if (!st)
		hand_out(&out);
	nx_vec_release(&out.intervals);
	return st;
}

static int by_u32(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static uint32_t next_module(const struct nx_hierarchy *h, uint32_t module, uint32_t top)
{
	const struct nx_module *all = h->modules.items;

	if (all[module].first_child != NX_NONE)
		return all[module].first_child;
	while (module != top && all[module].next_sibling == NX_NONE)
		module = all[module].parent;
	return module == top ? NX_NONE : all[module].next_sibling;
}

void nx_hierarchy_operations(const struct nx_hierarchy *h, uint32_t module, struct nx_ids *ids)
{
	size_t first = ids->len;

	assert(module < h->modules.len);
	for (uint32_t m = module; m != NX_NONE; m = next_module(h, m, module))
		for (uint32_t n = h->modules.items[m].first_operation; n != NX_NONE;
		     n = h->nodes.items[n].next_operation)
			nx_vec_push(ids, h->nodes.items[n].id);
	if (ids->len > first)
		qsort(ids->items + first, ids->len - first, sizeof(*ids->items), by_u32);
}
