/* SPDX-License-Identifier: Apache-2.0 */
/* neff_plan_graph: the definition of a graph, its tensors, its streams and their static DMA. */
#include <stdio.h>

#include "format/neff_plan_internal.h"

#define RUNTIME_EVENTS 12
#define RUNTIME_SEMAPHORES 3
#define FILE_ALIGNMENT 32768

/* --- def.json ---------------------------------------------------------------------- */

static void put_engine_files(struct nx_plan_members *m, struct nx_json_writer *w,
			     bool has_debug_info)
{
	struct nx_arena *a = &m->arena;

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const char *key = nx_engines[e].neff_key, *stem = nx_engines[e].stem;
		const char *assembly = nx_arena_printf(a, NX_PLAN_ASSEMBLY_DEBUG, stem);
		const char *backend = nx_arena_printf(a, NX_PLAN_BACKEND_DEBUG, stem);

		nx_json_key_text(w, key, nx_arena_printf(a, "%s.json", stem));
		nx_json_key_text(w, nx_arena_printf(a, "%s_instr", key),
				 nx_arena_printf(a, "%s.bin", stem));
		if (!has_debug_info)
			continue;
		nx_plan_put_texts(w, nx_arena_printf(a, "%s_asm_dbg", key), &assembly, 1);
		nx_plan_put_texts(w, nx_arena_printf(a, "%s_dbg", key), &backend, 1);
	}
}

static void put_queue(struct nx_json_writer *w, const struct nx_plan_queue *queue)
{
	nx_plan_begin_object(w, queue->name);
	nx_json_key_text(w, "owner", queue->owner);
	nx_json_key_text(w, "type", queue->type);
	nx_json_key_text(w, "fabric_path", "main");
	nx_json_key_u64(w, "num_queues", queue->ring_count);
	nx_plan_begin_list(w, "semaphore_set");
	for (size_t i = 0; i < queue->semaphore_count; i++)
		nx_json_u64(w, queue->semaphores[i]);
	nx_json_end_array(w);
	if (queue->scratch_bytes) {
		nx_plan_begin_object(w, "dynamic_dma");
		nx_json_key_u64(w, "SB_scratch_partition_offset", queue->scratch_offset);
		nx_json_key_u64(w, "SB_scratch_partition_size", queue->scratch_bytes);
		nx_json_end_object(w);
	}
	nx_json_end_object(w);
}

static void put_variable(struct nx_json_writer *w, const struct nx_plan_variable *v, size_t id)
{
	nx_plan_begin_object(w, v->name);
	nx_json_key_text(w, "type", v->type);
	nx_json_key_u64(w, "var_id", id);
	if (v->size_bytes) {
		nx_json_key_u64(w, "size", v->size_bytes);
		nx_plan_put_texts(w, "ops", NULL, 0);
	}
	if (!strcmp(v->type, "virtual"))
		nx_json_key_u64(w, "backing_variable_off", v->scratch_offset);
	if (v->file_name) {
		nx_json_key_u64(w, "alignment", FILE_ALIGNMENT);
		nx_json_key_text(w, "fabric_path", "main");
		nx_json_key_text(w, "file_name", v->file_name);
	}
	if (!strcmp(v->type, "dge-table")) {
		nx_plan_begin_list(w, "list");
		for (size_t i = 0; i < v->list_count; i++)
			nx_json_u64(w, v->list[i]);
		nx_json_end_array(w);
	}
	nx_json_end_object(w);
}

/* The text is ours: brackets, numbers and commas. */
static void put_numbers(struct nx_json_writer *w, const char *text)
{
	while (*text) {
		uint64_t number = 0;

		if (*text == '[')
			nx_json_begin_array(w);
		else if (*text == ']')
			nx_json_end_array(w);
		if (*text < '0' || *text > '9') {
			text++;
			continue;
		}
		for (; *text >= '0' && *text <= '9'; text++)
			number = number * 10 + (uint64_t)(*text - '0');
		nx_json_u64(w, number);
	}
}

static void put_lists(struct nx_json_writer *w, const char *key, const struct nx_plan_lists *lists)
{
	if (!lists->count)
		return;
	nx_plan_begin_list(w, key);
	for (size_t i = 0; i < lists->count; i++)
		put_numbers(w, lists->items[i]);
	nx_json_end_array(w);
}

static void add_definition(struct nx_plan_members *m, const struct nx_neff_plan *plan, size_t index)
{
	const struct nx_plan_graph *graph = &plan->graphs[index];
	struct nx_json_writer *w = nx_plan_open_json(m);

	nx_json_key_text(w, "name", "definition");
	nx_json_key_text(w, "version", "0.6");
	nx_json_key_u64(w, "runtime_event_count", RUNTIME_EVENTS);
	nx_json_key_u64(w, "runtime_semaphore_count", RUNTIME_SEMAPHORES);
	nx_plan_put_texts(w, "neff_features", NULL, 0);
	put_engine_files(m, w, plan->debug_info != NX_PLAN_DEBUG_NONE);
	put_lists(w, "replica_groups", &graph->replica_groups);
	put_lists(w, "src_target_pairs", &graph->source_target_pairs);
	put_lists(w, "cc_element_counts", &graph->element_counts);
	nx_plan_begin_object(w, "dma_queue");
	for (size_t i = 0; i < graph->queue_count; i++)
		put_queue(w, &graph->queues[i]);
	nx_json_end_object(w);
	nx_plan_begin_object(w, "var");
	for (size_t i = 0; i < graph->variable_count; i++)
		put_variable(w, &graph->variables[i], i);
	nx_json_end_object(w);
	nx_plan_close_json(m, nx_plan_path(m, index, "def.json"));
}

/* --- tensors ----------------------------------------------------------------------- */

static void put_tensor(struct nx_plan_members *m, struct nx_json_writer *w,
		       const struct nx_plan_variable *v)
{
	static const char *const formats[] = {"", "N", "NC", "NHC", "NCHW"};
	const char *format = v->file_name ? "CRSM" : v->dims < 5 ? formats[v->dims] : "";
	const char *file = v->file_name;

	if (!file)
		file = nx_arena_printf(&m->arena, "value_%s.npy", v->name);
	nx_plan_begin_object(w, v->name);
	nx_json_key_text(w, "dtype", v->dtype);
	if (!v->file_name)
		nx_json_key_text(w, "kind", v->type);
	nx_json_key_bool(w, "is_const", v->file_name != NULL);
	nx_json_key_text(w, "layer_name", v->name);
	nx_plan_put_numbers(w, "sim_shape", v->shape, v->dims);
	nx_json_key_text(w, "sim_format", format);
	nx_plan_put_numbers(w, "tf_shape", v->shape, v->dims);
	nx_json_key_text(w, "tf_format", format);
	nx_json_key_text(w, "tf_file", file);
	nx_json_end_object(w);
}

static void add_tensors(struct nx_plan_members *m, const struct nx_plan_graph *graph, size_t index)
{
	struct nx_json_writer *w = nx_plan_open_json(m);
	struct nx_bytes bytes = {0};

	for (size_t i = 0; i < graph->variable_count; i++) {
		const struct nx_plan_variable *v = &graph->variables[i];

		if (v->dtype &&
		    (v->file_name || !strcmp(v->type, "input") || !strcmp(v->type, "output")))
			put_tensor(m, w, v);
	}
	nx_plan_close_json(m, nx_plan_path(m, index, "tensor_map.json"));
	for (size_t i = 0; i < graph->variable_count; i++) {
		const struct nx_plan_variable *v = &graph->variables[i];

		if (!v->file_name)
			continue;
		nx_bytes_append(&bytes, v->file.data, v->file.len);
		nx_plan_add_member(m, nx_plan_path(m, index, v->file_name), &bytes);
	}
}

/* --- an engine's file -------------------------------------------------------------- */

static void put_side(struct nx_json_writer *w, const char *prefix, const struct nx_plan_side *side)
{
	char key[16];

	nx_json_key_text(w, prefix, side->variable);
	snprintf(key, sizeof(key), "%s_dtype", prefix);
	nx_json_key_text(w, key, side->dtype);
	snprintf(key, sizeof(key), "%s_off", prefix);
	nx_json_key_u64(w, key, side->offset);
	snprintf(key, sizeof(key), "%s_sizes", prefix);
	nx_plan_put_numbers(w, key, side->sizes, side->dims);
	snprintf(key, sizeof(key), "%s_steps", prefix);
	nx_plan_begin_list(w, key);
	for (unsigned i = 0; i < side->dims; i++)
		nx_json_i64(w, side->steps[i]);
	nx_json_end_array(w);
}

static void put_descriptor(struct nx_json_writer *w, const struct nx_plan_descriptor *d)
{
	nx_json_begin_object(w);
	if (d->op)
		nx_json_key_text(w, "op", d->op);
	if (d->transpose_op) {
		nx_json_key_text(w, "transpose_op", d->transpose_op);
		nx_json_key_u64(w, "transpose_element_size", d->transpose_element_bytes);
		nx_json_key_u64(w, "num_tiling_dimensions", d->tiling_dims);
	}
	if (d->op && !strcmp(d->op, "add")) {
		nx_plan_begin_list(w, "from_arr");
		for (size_t i = 0; i < d->from_count; i++) {
			nx_json_begin_object(w);
			put_side(w, "from", &d->from[i]);
			nx_json_end_object(w);
		}
		nx_json_end_array(w);
	} else if (d->from_count) {
		put_side(w, "from", &d->from[0]);
	}
	put_side(w, "to", &d->to);
	nx_json_end_object(w);
}

static void put_block(struct nx_json_writer *w, const struct nx_plan_block *block)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "#comment", block->comment ? block->comment : "");
	nx_plan_begin_list(w, "desc");
	for (size_t i = 0; i < block->descriptor_count; i++)
		put_descriptor(w, &block->descriptors[i]);
	nx_json_end_array(w);
	nx_json_key_u64(w, "id", block->id);
	nx_json_key_text(w, "queue", block->queue);
	nx_json_key_u64(w, "semaphore", block->semaphore);
	nx_json_end_object(w);
}

static void add_engine(struct nx_plan_members *m, const struct nx_plan_graph *graph, size_t index,
		       unsigned engine)
{
	const struct nx_plan_engine *part = &graph->engines[engine];
	const char *code = nx_arena_printf(&m->arena, "%s.bin", nx_engines[engine].stem);
	const char *table = nx_arena_printf(&m->arena, "%s.json", nx_engines[engine].stem);
	struct nx_bytes bytes = {0};
	struct nx_json_writer *w;

	if (part->code.len)
		nx_bytes_append(&bytes, part->code.data, part->code.len);
	nx_plan_add_member(m, nx_plan_path(m, index, code), &bytes);
	w = nx_plan_open_json(m);
	nx_plan_begin_list(w, "dma");
	for (size_t i = 0; i < part->block_count; i++)
		put_block(w, &part->blocks[i]);
	nx_json_end_array(w);
	if (engine == NX_ENGINE_SCALAR) {
		nx_json_key_text(w, "act_info", "act_info.json");
		nx_plan_put_texts(w, "activation_function_sets", graph->activation_sets,
				  graph->activation_set_count);
	}
	nx_json_key_text(w, "instr", code);
	nx_json_key_text(w, "name", table);
	nx_plan_close_json(m, nx_plan_path(m, index, table));
}

void nx_plan_add_graph(struct nx_plan_members *m, const struct nx_neff_plan *plan, size_t index)
{
	add_definition(m, plan, index);
	add_tensors(m, &plan->graphs[index], index);
	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
		add_engine(m, &plan->graphs[index], index, engine);
}
