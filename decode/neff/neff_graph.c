/* SPDX-License-Identifier: Apache-2.0 */
/* neff_graph: the variables and queues that a def.json declares. */
#include <stdlib.h>

#include "decode/neff/neff_source.h"

/* Semaphores that the runtime keeps when a definition does not say how many. */
#define DEFAULT_RUNTIME_SEMAPHORE_COUNT 3

/* Compilers number variables densely, so that in this order index and id agree. */
static int by_var_id(const void *left, const void *right)
{
	const struct nx_variable *a = left, *b = right;

	if (a->var_id != b->var_id)
		return a->var_id < b->var_id ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct nx_variable variable_of(struct nx_neff_source *source, const struct nx_json *entry)
{
	const struct nx_json *file_name = nx_json_get(entry, "file_name");

	if (!file_name)
		file_name = nx_json_get(entry, "#file-name"); /* older spelling */
	return (struct nx_variable){
		.name = nx_neff_source_intern(source, entry->key),
		.type = nx_neff_source_text(source, nx_json_get(entry, "type")),
		.var_id = nx_json_as_u64(nx_json_get(entry, "var_id"), UINT64_MAX),
		.size_bytes = nx_json_as_u64(nx_json_get(entry, "size"), 0),
		.file_name = nx_neff_source_text(source, file_name),
		.backing_offset = nx_json_as_u64(nx_json_get(entry, "backing_variable_off"), 0),
	};
}

static size_t object_count(const struct nx_json *object)
{
	return object && object->kind == NX_JSON_OBJECT ? object->count : 0;
}

static void read_variables(struct nx_neff_graph *graph)
{
	const struct nx_json *var = nx_json_get(graph->definition, "var");
	struct nx_binary_graph *out = graph->out;
	size_t count = object_count(var);

	out->variables = NX_NEW_ARRAY(graph->source->arena, struct nx_variable, count);
	for (size_t i = 0; i < count; i++)
		if (var->children[i].kind == NX_JSON_OBJECT)
			out->variables[out->variable_count++] =
				variable_of(graph->source, &var->children[i]);
	if (out->variable_count)
		qsort(out->variables, out->variable_count, sizeof(*out->variables), by_var_id);
	for (size_t i = 0; i < out->variable_count; i++)
		nx_text_map_put(&graph->variable_index, nx_slice_text(out->variables[i].name), i);
}

static void read_semaphores(struct nx_neff_source *source, const struct nx_json *entry,
			    struct nx_queue_declaration *queue)
{
	const struct nx_json *set = nx_json_get(entry, "semaphore_set");
	const struct nx_json *single = nx_json_get(entry, "semaphore");
	size_t count = set && set->kind == NX_JSON_ARRAY ? set->count : 0;

	queue->semaphores = NX_NEW_ARRAY(source->arena, uint32_t, count + 1);
	for (size_t i = 0; i < count; i++)
		queue->semaphores[i] = nx_neff_u32(&set->children[i], NX_NONE);
	if (single)
		queue->semaphores[count++] = nx_neff_u32(single, NX_NONE);
	queue->semaphore_count = count;
}

static void read_queues(struct nx_neff_graph *graph)
{
	const struct nx_json *queues = nx_json_get(graph->definition, "dma_queue");
	struct nx_binary_graph *out = graph->out;
	size_t count = object_count(queues);

	out->queues = NX_NEW_ARRAY(graph->source->arena, struct nx_queue_declaration, count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_json *entry = &queues->children[i];
		struct nx_queue_declaration *queue = &out->queues[out->queue_count++];

		queue->name = nx_neff_source_intern(graph->source, entry->key);
		queue->owner = nx_neff_source_text(graph->source, nx_json_get(entry, "owner"));
		queue->type = nx_neff_source_text(graph->source, nx_json_get(entry, "type"));
		read_semaphores(graph->source, entry, queue);
	}
}

void nx_neff_graph_read(struct nx_neff_graph *graph)
{
	const struct nx_json *reserved = nx_json_get(graph->definition, "runtime_semaphore_count");

	read_variables(graph);
	read_queues(graph);
	graph->out->runtime_semaphore_count =
		nx_neff_u32(reserved, DEFAULT_RUNTIME_SEMAPHORE_COUNT);
}
