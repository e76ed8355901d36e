/* SPDX-License-Identifier: Apache-2.0 */
#include "format/neff_plan_internal.h"

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

const char *nx_plan_path(struct nx_plan_members *m, size_t graph, const char *name)
{
	return nx_arena_printf(&m->arena, "sg%02zu/%s", graph, name);
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
	nx_json_key(w, "inputs");
	nx_json_begin_array(w);
	nx_json_end_array(w);
	nx_json_key(w, "output_names");
	nx_json_begin_array(w);
	nx_json_text(w, name);
	nx_json_end_array(w);
	nx_json_key_text(w, "is_param", "0");
	nx_json_end_object(w);
}

static void put_executor_attributes(struct nx_plan_members *m, struct nx_json_writer *w,
				    size_t input_count, size_t output_count)
{
	nx_json_key(w, "attrs");
	nx_json_begin_object(w);
	nx_json_key_text(w, "func_name", "__kelf");
	nx_json_key_text(w, "flatten_data", "0");
	nx_json_key_text(w, "kelf", "kelf-0.json");
	nx_json_key_text(w, "num_inputs", nx_arena_printf(&m->arena, "%zu", input_count));
	nx_json_key_text(w, "num_outputs", nx_arena_printf(&m->arena, "%zu", output_count));
	nx_json_end_object(w);
}

/* The node that runs the graphs; each of them lists the outputs once more. */
static void put_executor(struct nx_plan_members *m, struct nx_json_writer *w,
			 const struct nx_neff_plan *plan)
{
	const struct nx_plan_graph *graph = &plan->graphs[0];
	size_t inputs = count_of(graph, "input");

	nx_json_begin_object(w);
	nx_json_key_text(w, "op", "tvm_op");
	nx_json_key_text(w, "name", "sg_coreV10");
	put_executor_attributes(m, w, inputs, count_of(graph, "output") * plan->graph_count);
	nx_json_key(w, "inputs");
	nx_json_begin_array(w);
	for (size_t i = 0; i < inputs; i++)
		put_node_place(w, i, 0);
	nx_json_end_array(w);
	nx_json_key(w, "output_names");
	nx_json_begin_array(w);
	for (size_t g = 0; g < plan->graph_count; g++)
		for (size_t i = 0; i < graph->variable_count; i++)
			if (is_of(&graph->variables[i], "output"))
				nx_json_text(w, graph->variables[i].name);
	nx_json_end_array(w);
	nx_json_end_object(w);
}

static void put_shape(struct nx_json_writer *w, const struct nx_plan_variable *v)
{
	nx_json_begin_array(w);
	for (unsigned i = 0; i < v->dims; i++)
		nx_json_u64(w, v->shape[i]);
	nx_json_end_array(w);
}

static void put_signature(struct nx_json_writer *w, const struct nx_plan_graph *graph)
{
	static const char *const levels[] = {"metadata", "signatures", "default", "inputs"};
	uint64_t id = 0;

	for (unsigned i = 0; i < 4; i++) {
		nx_json_key(w, levels[i]);
		nx_json_begin_object(w);
	}
	for (size_t i = 0; i < graph->variable_count; i++) {
		const struct nx_plan_variable *v = &graph->variables[i];

		if (!is_of(v, "input"))
			continue;
		nx_json_key(w, v->name);
		nx_json_begin_object(w);
		nx_json_key_u64(w, "id", id++);
		nx_json_key_text(w, "dtype", v->dtype ? v->dtype : "");
		nx_json_key(w, "shape");
		put_shape(w, v);
		nx_json_end_object(w);
	}
	for (unsigned i = 0; i < 4; i++)
		nx_json_end_object(w);
}

static void put_places(struct nx_json_writer *w, const struct nx_neff_plan *plan)
{
	size_t inputs = count_of(&plan->graphs[0], "input");
	size_t outputs = count_of(&plan->graphs[0], "output") * plan->graph_count;

	nx_json_key(w, "arg_nodes");
	nx_json_begin_array(w);
	for (size_t i = 0; i < inputs; i++)
		nx_json_u64(w, i);
	nx_json_end_array(w);
	nx_json_key(w, "heads");
	nx_json_begin_array(w);
	for (size_t i = 0; i < outputs; i++)
		put_node_place(w, inputs, i);
	nx_json_end_array(w);
	nx_json_key(w, "node_row_ptr");
	nx_json_begin_array(w);
	for (size_t i = 0; i <= inputs; i++)
		nx_json_u64(w, i);
	nx_json_u64(w, inputs + outputs);
	nx_json_end_array(w);
}

static void add_nodes(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	const struct nx_plan_graph *graph = &plan->graphs[0];
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_key(&w, "nodes");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < graph->variable_count; i++)
		if (is_of(&graph->variables[i], "input"))
			put_input_node(&w, graph->variables[i].name);
	put_executor(m, &w, plan);
	nx_json_end_array(&w);
	put_places(&w, plan);
	put_signature(&w, graph);
	nx_json_end_object(&w);
	nx_plan_add_member(m, "neff.json", &bytes);
}

/* --- the other files at the top ---------------------------------------------------- */

static void add_graph_list(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "version", "0.5");
	nx_json_key_text(&w, "target", plan->target);
	nx_json_key(&w, "graphs");
	nx_json_begin_array(&w);
	for (size_t g = 0; g < plan->graph_count; g++) {
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "name", nx_arena_printf(&m->arena, "sg%02zu", g));
		nx_json_key_text(&w, "definition", nx_plan_path(m, g, "def.json"));
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_plan_add_member(m, "kelf-0.json", &bytes);
}

static void add_facts(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "tool_version", COMPILER_VERSION);
	nx_json_key_text(&w, "kelp_version", "Dynamic");
	nx_json_key_text(&w, "name", plan->name);
	nx_json_key_u64(&w, "num_tpb", 1);
	nx_json_key_u64(&w, "num_tpb_requested", 1);
	nx_json_key(&w, "num_tpb_per_node");
	nx_json_begin_array(&w);
	for (unsigned i = 0; i < NODE_SLOTS; i++)
		nx_json_u64(&w, i == 0);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_plan_add_member(m, "info.json", &bytes);
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

void nx_neff_plan_write(const struct nx_neff_plan *plan, struct nx_bytes *out)
{
	struct nx_plan_members m = {0};
	struct nx_neff_header header;

	add_nodes(&m, plan);
	add_graph_list(&m, plan);
	add_facts(&m, plan);
	for (size_t g = 0; g < plan->graph_count; g++) {
		nx_plan_add_graph(&m, &plan->graphs[g], g);
		for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
			nx_plan_add_engine(&m, &plan->graphs[g], g, engine);
	}
	nx_plan_add_debug_info(&m, plan);
	for (size_t i = 0; i < plan->member_count; i++)
		nx_vec_push(&m.items, plan->members[i]);
	header = header_of(plan, &m);
	nx_neff_write(&header, m.items.items, m.items.len, out);
	nx_vec_release(&m.items);
	nx_arena_release(&m.arena);
}
