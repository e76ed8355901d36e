/* SPDX-License-Identifier: Apache-2.0 */
#include "format/neff_plan_internal.h"

#include <assert.h>

#include "base/md5.h"

#define COMPILER_VERSION "2.23.0.0+open"
#define NODE_SLOTS 64
#define FEATURE_VIRTUAL_CORE 0xc00

void nx_plan_add_member(struct nx_plan_members *m, const char *name, struct nx_bytes *bytes)
{
	struct nx_neff_member member = {
		nx_slice_text(nx_arena_copy_text(&m->arena, name)),
		nx_slice_of(nx_arena_copy(&m->arena, nx_slice_of(bytes->items, bytes->len)),
			    bytes->len)};

	nx_vec_push(&m->items, member);
	nx_vec_release(bytes);
}

void nx_plan_members_release(struct nx_plan_members *m)
{
	nx_vec_release(&m->items);
	nx_arena_release(&m->arena);
}

const char *nx_plan_path(struct nx_plan_members *m, size_t graph, const char *name)
{
	return nx_arena_printf(&m->arena, "sg%02zu/%s", graph, name);
}

struct nx_json_writer *nx_plan_open_json(struct nx_plan_members *m)
{
	assert(!m->json.len);
	nx_json_init_bytes(&m->writer, &m->json, false);
	nx_json_begin_object(&m->writer);
	return &m->writer;
}

void nx_plan_close_json(struct nx_plan_members *m, const char *name)
{
	nx_json_end_object(&m->writer);
	assert(m->writer.depth == 0);
	nx_plan_add_member(m, name, &m->json);
}

/* --- neff.json ------------------------------------------------------------------- */

static bool is_of(const struct nx_plan_variable *v, const char *type)
{
	return !strcmp(v->type, type);
}

static size_t count_of(const struct nx_plan_graph *graph, const char *type)
{
	size_t count = 0;

	for (size_t i = 0; i < graph->variable_count; i++)
		count += is_of(&graph->variables[i], type);
	return count;
}

static void put_node_place(struct nx_json_writer *w, size_t node, size_t output)
{
	nx_json_begin_array(w);
	nx_json_u64(w, node);
	nx_json_u64(w, output);
	nx_json_u64(w, 0);
	nx_json_end_array(w);
}

static void put_input_node(struct nx_json_writer *w, const char *name)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "op", "null");
	nx_json_key_text(w, "name", name);
	nx_plan_put_texts(w, "inputs", NULL, 0);
	nx_plan_put_texts(w, "output_names", &name, 1);
	nx_json_key_text(w, "is_param", "0");
	nx_json_end_object(w);
}

/* The node that runs the graphs; each graph lists the outputs once more. */
static void put_executor(struct nx_plan_members *m, struct nx_json_writer *w,
			 const struct nx_neff_plan *plan)
{
	const struct nx_plan_graph *graph = &plan->graphs[0];
	size_t inputs = count_of(graph, "input");
	size_t outputs = count_of(graph, "output") * plan->graph_count;

	nx_json_begin_object(w);
	nx_json_key_text(w, "op", "tvm_op");
	nx_json_key_text(w, "name", "sg_coreV10");
	nx_plan_begin_object(w, "attrs");
	nx_json_key_text(w, "func_name", "__kelf");
	nx_json_key_text(w, "flatten_data", "0");
	nx_json_key_text(w, "kelf", "kelf-0.json");
	nx_json_key_text(w, "num_inputs", nx_arena_printf(&m->arena, "%zu", inputs));
	nx_json_key_text(w, "num_outputs", nx_arena_printf(&m->arena, "%zu", outputs));
	nx_json_end_object(w);
	nx_plan_begin_list(w, "inputs");
	for (size_t i = 0; i < inputs; i++)
		put_node_place(w, i, 0);
	nx_json_end_array(w);
	nx_plan_begin_list(w, "output_names");
	for (size_t g = 0; g < plan->graph_count; g++)
		for (size_t i = 0; i < graph->variable_count; i++)
			if (is_of(&graph->variables[i], "output"))
				nx_json_text(w, graph->variables[i].name);
	nx_json_end_array(w);
	nx_json_end_object(w);
}

static void put_signature(struct nx_json_writer *w, const struct nx_plan_graph *graph)
{
	static const char *const levels[] = {"metadata", "signatures", "default", "inputs"};
	uint64_t id = 0;

	for (unsigned i = 0; i < 4; i++)
		nx_plan_begin_object(w, levels[i]);
	for (size_t i = 0; i < graph->variable_count; i++) {
		const struct nx_plan_variable *v = &graph->variables[i];

		if (!is_of(v, "input"))
			continue;
		nx_plan_begin_object(w, v->name);
		nx_json_key_u64(w, "id", id++);
		nx_json_key_text(w, "dtype", v->dtype ? v->dtype : "");
		nx_plan_put_numbers(w, "shape", v->shape, v->dims);
		nx_json_end_object(w);
	}
	for (unsigned i = 0; i < 4; i++)
		nx_json_end_object(w);
}

static void put_places(struct nx_json_writer *w, const struct nx_neff_plan *plan)
{
	size_t inputs = count_of(&plan->graphs[0], "input");
	size_t outputs = count_of(&plan->graphs[0], "output") * plan->graph_count;

	nx_plan_begin_list(w, "arg_nodes");
	for (size_t i = 0; i < inputs; i++)
		nx_json_u64(w, i);
	nx_json_end_array(w);
	nx_plan_begin_list(w, "heads");
	for (size_t i = 0; i < outputs; i++)
		put_node_place(w, inputs, i);
	nx_json_end_array(w);
	nx_plan_begin_list(w, "node_row_ptr");
	for (size_t i = 0; i <= inputs; i++)
		nx_json_u64(w, i);
	nx_json_u64(w, inputs + outputs);
	nx_json_end_array(w);
}

static void add_nodes(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	const struct nx_plan_graph *graph = &plan->graphs[0];
	struct nx_json_writer *w = nx_plan_open_json(m);

	nx_plan_begin_list(w, "nodes");
	for (size_t i = 0; i < graph->variable_count; i++)
		if (is_of(&graph->variables[i], "input"))
			put_input_node(w, graph->variables[i].name);
	put_executor(m, w, plan);
	nx_json_end_array(w);
	put_places(w, plan);
	put_signature(w, graph);
	nx_plan_close_json(m, "neff.json");
}

/* --- the other files at the top ---------------------------------------------------- */

static void add_graph_list(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	struct nx_json_writer *w = nx_plan_open_json(m);

	nx_json_key_text(w, "version", "0.5");
	nx_json_key_text(w, "target", plan->target);
	nx_plan_begin_list(w, "graphs");
	for (size_t g = 0; g < plan->graph_count; g++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", nx_arena_printf(&m->arena, "sg%02zu", g));
		nx_json_key_text(w, "definition", nx_plan_path(m, g, "def.json"));
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_plan_close_json(m, "kelf-0.json");
}

static void add_facts(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	static const uint64_t cores_per_node[NODE_SLOTS] = {1};
	struct nx_json_writer *w = nx_plan_open_json(m);

	nx_json_key_text(w, "tool_version",
			 plan->compiler_version ? plan->compiler_version : COMPILER_VERSION);
	nx_json_key_text(w, "kelp_version", "Dynamic");
	nx_json_key_text(w, "name", plan->name);
	nx_json_key_u64(w, "num_tpb", 1);
	nx_json_key_u64(w, "num_tpb_requested", 1);
	nx_plan_put_numbers(w, "num_tpb_per_node", cores_per_node, NODE_SLOTS);
	nx_plan_close_json(m, "info.json");
}

/* --- the whole --------------------------------------------------------------------- */

/* The same plan gives the same file: the UUID (version 4 by its bits) is a hash of the content. */
static void make_uuid(const struct nx_plan_members *m, uint8_t uuid[16])
{
	struct nx_bytes all = {0};

	for (size_t i = 0; i < m->items.len; i++) {
		nx_bytes_append(&all, m->items.items[i].name.data, m->items.items[i].name.len);
		if (m->items.items[i].bytes.len)
			nx_bytes_append(&all, m->items.items[i].bytes.data,
					m->items.items[i].bytes.len);
	}
	nx_md5_digest(nx_slice_of(all.items, all.len), uuid);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
	nx_vec_release(&all);
}

static struct nx_neff_header header_of(const struct nx_neff_plan *plan,
				       const struct nx_plan_members *m)
{
	bool is_v2 = nx_target_generation(plan->target) == NX_ARCH_V2;
	struct nx_neff_header header = {
		.package_version = 2,
		.header_size = NX_NEFF_HEADER_BYTES,
		.major_version = is_v2 ? 1 : 2,
		.core_count = 1,
		.requested_core_count = 1,
		.cores_per_node = {1},
		.feature_bits = is_v2 ? 0 : FEATURE_VIRTUAL_CORE,
		.logical_core_size = (uint32_t)plan->graph_count,
	};
	size_t len = strlen(plan->name);

	memcpy(header.name, plan->name, len < sizeof(header.name) ? len : sizeof(header.name) - 1);
	make_uuid(m, header.uuid);
	return header;
}

void nx_plan_add_program(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	assert(plan->graph_count);
	add_nodes(m, plan);
	add_graph_list(m, plan);
	add_facts(m, plan);
	for (size_t g = 0; g < plan->graph_count; g++)
		nx_plan_add_graph(m, plan, g);
	if (plan->debug_info == NX_PLAN_DEBUG_ORIGINS)
		nx_plan_add_debug_info(m, plan);
	for (size_t i = 0; i < plan->member_count; i++)
		nx_vec_push(&m->items, plan->members[i]);
}

void nx_neff_plan_write(const struct nx_neff_plan *plan, struct nx_bytes *out)
{
	struct nx_plan_members m = {0};
	struct nx_neff_header header;

	nx_plan_add_program(&m, plan);
	header = header_of(plan, &m);
	nx_neff_write(&header, m.items.items, m.items.len, out);
	nx_plan_members_release(&m);
}
