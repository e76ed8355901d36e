/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/memory_holders.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"

struct naming {
	struct nx_profile *profile;
	struct nx_memory_report *report;
	struct holders NX_VEC_BODY(struct nx_memory_holder) holders;
	struct nx_text_map by_name; /* of one graph: "kind name" -> holder */
	uint8_t graph;
};

static uint32_t add_holder(struct naming *n, const char *kind, const char *name)
{
	nx_vec_push(&n->holders,
		    ((struct nx_memory_holder){.name = name, .kind = kind, .graph = n->graph}));
	return (uint32_t)n->holders.len - 1;
}

/* Holders that several slots share. The name is formatted into the arena. */
static uint32_t share_holder(struct naming *n, const char *kind, const char *name)
{
	const char *key = nx_arena_printf(&n->profile->arena, "%s %s", kind, name);
	uint64_t index;

	if (nx_text_map_get(&n->by_name, nx_slice_text(key), &index))
		return (uint32_t)index;
	index = add_holder(n, kind, key + strlen(kind) + 1);
	nx_text_map_put(&n->by_name, nx_slice_text(key), index);
	return (uint32_t)index;
}

/* --- what instructions compute ---------------------------------------------- */

/* "%dot.1 = f32[8]{0} dot(...)" -> "dot.1" */
static const char *hlo_result(struct nx_arena *arena, const char *text)
{
	const char *equals = strstr(text, " = ");

	if (*text == '%')
		text++;
	return equals > text ? nx_arena_printf(arena, "%.*s", (int)(equals - text), text) : text;
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint32_t name_bir(struct naming *n, const struct nx_bir *bir)
{
	const struct nx_profile *p = n->profile;
	struct nx_arena *arena = &n->profile->arena;
	const struct nx_origin *origin =
		bir->origin < p->binary.origin_count ? &p->binary.origins[bir->origin] : NULL;

	if (bir->kernel_file && *bir->kernel_file && bir->kernel_line)
		return share_holder(n, "kernel",
				    nx_arena_printf(arena, "%s:%u", file_of(bir->kernel_file),
						    bir->kernel_line));
	if (origin && origin->has_hlo && *origin->hlo_name)
		return share_holder(n, "hlo", hlo_result(arena, origin->hlo_name));
	return share_holder(n, "instruction", bir->name);
}

static void name_slots(struct naming *n, unsigned engine)
{
	const struct nx_program *program = &n->profile->program;
	const struct nx_binary_graph *graph = program->binary_graphs[n->graph];
	const struct nx_slot *slots = program->slots[n->graph][engine];
	uint32_t count = n->profile->capture.graphs[n->graph].engines[engine].slot_count;
	uint32_t *of_slot = NX_NEW_ARRAY(&n->profile->arena, uint32_t, (size_t)count + 1);
	uint32_t *of_bir = NULL; /* a BIR instruction has many slots */

	if (graph && graph->bir_count) {
		of_bir = nx_heap_alloc(graph->bir_count * sizeof(*of_bir));
		memset(of_bir, 0xff, graph->bir_count * sizeof(*of_bir));
	}
	for (uint32_t i = 0; slots && i < count; i++) {
		uint32_t bir = slots[i].bir;

		if (!slots[i].operand_count) {
			of_slot[i] = NX_NONE;
		} else if (of_bir && bir < graph->bir_count && graph->birs[bir].name) {
			if (of_bir[bir] == NX_NONE)
				of_bir[bir] = name_bir(n, &graph->birs[bir]);
			of_slot[i] = of_bir[bir];
		} else {
			of_slot[i] = share_holder(n, "engine", nx_engines[engine].label);
		}
	}
	nx_heap_free(of_bir);
	n->report->of_slot[n->graph][engine] = of_slot;
}

/* --- what the NEFF declares and the runtime allocates ----------------------- */

static void name_variables(struct naming *n, const struct nx_binary_graph *graph)
{
	static const struct {
		const char *type, *kind;
	} kinds[] = {{"input", "input"},
		     {"output", "output"},
		     {"file", "weight"},
		     {"virtual", "scratchpad"}};
	uint32_t *of = NX_NEW_ARRAY(&n->profile->arena, uint32_t, graph->variable_count + 1);
	uint64_t *reserved = &n->report->peaks[n->graph][NX_MEMORY_SCRATCHPAD].capacity_bytes;

	for (size_t v = 0; v < graph->variable_count; v++) {
		const struct nx_variable *variable = &graph->variables[v];
		struct nx_memory_holder *holder;

		of[v] = NX_NONE;
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			if (!strcmp(variable->type, kinds[k].type))
				of[v] = add_holder(n, kinds[k].kind, variable->name);
		if (of[v] == NX_NONE)
			continue;
		holder = &n->holders.items[of[v]];
		holder->size_bytes = variable->size_bytes;
		if (strcmp(variable->type, "virtual") != 0 ||
		    variable->backing_offset > UINT64_MAX - variable->size_bytes)
			continue;
		holder->offset_bytes = variable->backing_offset;
		if (holder->offset_bytes + holder->size_bytes > *reserved)
			*reserved = holder->offset_bytes + holder->size_bytes;
	}
	n->report->of_variable[n->graph] = of;
}

/* Takes tensors of these kinds out of what was allocated for them. */
static uint64_t take_tensors(struct naming *n, size_t first, uint64_t left_bytes,
			     const char *const kinds[2])
{
	for (size_t i = first; i < n->holders.len; i++) {
		struct nx_memory_holder *h = &n->holders.items[i];

		if ((strcmp(h->kind, kinds[0]) != 0 && strcmp(h->kind, kinds[1]) != 0) ||
		    h->hbm_bytes || h->size_bytes > left_bytes)
			continue;
		h->hbm_bytes = h->size_bytes;
		left_bytes -= h->size_bytes;
	}
	return left_bytes;
}

/* The graph's variables are the holders from first on. */
static void name_allocations(struct naming *n, size_t first)
{
	static const char *const io[] = {"input", "output"}, *const weights[] = {"weight", ""};
	const struct nx_graph *graph = &n->profile->capture.graphs[n->graph];

	for (size_t i = 0; i < graph->memory_count; i++) {
		const struct nx_memory_usage *usage = &graph->memory[i];
		uint64_t left = usage->amount_bytes;

		if (!strcmp(usage->usage_type, "Tensors") || !strcmp(usage->usage_type, "IO"))
			left = take_tensors(n, first, left, io);
		else if (!strcmp(usage->usage_type, "Weights"))
			left = take_tensors(n, first, left, weights);
		if (left) {
			uint32_t rest = add_holder(n, "runtime", usage->usage_type);

			n->holders.items[rest].hbm_bytes = left;
		}
	}
}

static void set_capacities(const struct nx_profile *p, struct nx_memory_peak peaks[NX_MEMORY_COUNT])
{
	const struct nx_hardware *hardware = p->capture.hardware;

	if (!hardware)
		return;
	peaks[NX_MEMORY_SBUF].capacity_bytes = hardware->sbuf_partition_bytes;
	peaks[NX_MEMORY_PSUM].capacity_bytes = hardware->psum_partition_bytes;
	peaks[NX_MEMORY_HBM].capacity_bytes = hardware->hbm_bytes;
}

void nx_memory_holders_find(struct nx_profile *profile)
{
	struct naming n = {.profile = profile,
			   .report = NX_NEW_ARRAY(&profile->arena, struct nx_memory_report, 1)};

	for (uint32_t g = 0; g < profile->capture.graph_count; g++) {
		size_t first = n.holders.len;

		n.graph = (uint8_t)g;
		set_capacities(profile, n.report->peaks[g]);
		if (profile->program.binary_graphs[g])
			name_variables(&n, profile->program.binary_graphs[g]);
		name_allocations(&n, first);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			name_slots(&n, e);
		nx_text_map_release(&n.by_name);
		n.by_name = (struct nx_text_map){0};
	}
	n.report->holder_count = n.holders.len;
	n.report->holders =
		NX_NEW_ARRAY(&profile->arena, struct nx_memory_holder, n.holders.len + 1);
	if (n.holders.len)
		memcpy(n.report->holders, n.holders.items,
		       n.holders.len * sizeof(n.holders.items[0]));
	nx_vec_release(&n.holders);
	profile->memory = n.report;
}
