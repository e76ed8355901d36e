/* SPDX-License-Identifier: Apache-2.0 */
/* neff_tensors: the variables a user can name, with format and shape from where they are told. */
#include <stdlib.h>

#include "base/number.h"
#include "decode/neff/neff_source.h"
#include "format/npy.h"

struct tensor_map {
	const struct nx_json *root;
	struct nx_text_map by_name;
	struct nx_text_map by_file; /* constants are joined by their file */
};

static void index_tensor_map(struct tensor_map *map)
{
	for (size_t i = 0; map->root && i < map->root->count; i++) {
		const struct nx_json *entry = &map->root->children[i];
		struct nx_slice file = nx_json_as_slice(nx_json_get(entry, "tf_file"));

		nx_text_map_put(&map->by_name, entry->key, i);
		if (file.len)
			nx_text_map_put(&map->by_file, file, i);
	}
}

static const struct nx_json *find_entry(const struct tensor_map *map,
					const struct nx_variable *variable,
					enum nx_tensor_kind kind)
{
	bool by_file = kind == NX_TENSOR_WEIGHT;
	const char *key = by_file ? variable->file_name : variable->name;
	uint64_t index;

	if (!nx_text_map_get(by_file ? &map->by_file : &map->by_name, nx_slice_text(key), &index))
		return NULL;
	return &map->root->children[index];
}

static const char *joined_shape(struct nx_neff_source *source, const struct nx_json *shape)
{
	struct nx_bytes text = {0};
	const char *copy;

	nx_bytes_append(&text, "[", 1);
	for (size_t i = 0; shape && shape->kind == NX_JSON_ARRAY && i < shape->count; i++) {
		const struct nx_json *dimension = &shape->children[i];

		if (i)
			nx_bytes_append(&text, " ", 1);
		if (dimension->kind == NX_JSON_NUMBER)
			nx_bytes_append(&text, dimension->text.data, dimension->text.len);
	}
	nx_bytes_append(&text, "]", 1);
	copy = nx_neff_source_intern(source, nx_slice_of(text.items, text.len));
	nx_vec_release(&text);
	return copy;
}

static const char *npy_shape(struct nx_neff_source *source, const struct nx_npy *array)
{
	char text[NX_NPY_MAX_DIMS * NX_NUMBER_MAX + 2];
	size_t at = 0;

	text[at++] = '[';
	for (unsigned i = 0; i < array->dims; i++) {
		if (i)
			text[at++] = ' ';
		at += nx_format_u64(text + at, array->shape[i]);
	}
	text[at++] = ']';
	return nx_neff_source_intern(source, nx_slice_of(text, at));
}

/* "CRSM" of value_sg0000_identity_56_CRSM.npy */
static const char *format_in_file_name(struct nx_neff_source *source, const char *file_name)
{
	const char *mark = strrchr(file_name, '_');
	const char *end = mark ? strchr(mark, '.') : NULL;

	if (!mark || !end)
		return "";
	return nx_neff_source_intern(source, nx_slice_of(mark + 1, (size_t)(end - mark - 1)));
}

static const struct nx_json *first_of(const struct nx_json *entry, const char *key,
				      const char *other)
{
	const struct nx_json *value = nx_json_get(entry, key);

	return value ? value : nx_json_get(entry, other);
}

static void describe(const struct nx_neff_graph *graph, const struct nx_variable *variable,
		     const struct nx_json *entry, struct nx_tensor *tensor)
{
	struct nx_neff_source *source = graph->source;

	tensor->dtype = nx_neff_source_text(source, nx_json_get(entry, "dtype"));
	tensor->format = nx_neff_source_text(source, first_of(entry, "tf_format", "sim_format"));
	tensor->shape = joined_shape(source, first_of(entry, "tf_shape", "sim_shape"));
	tensor->size_bytes = variable->size_bytes;
}

static void describe_weight(const struct nx_neff_graph *graph, const struct nx_variable *variable,
			    struct nx_tensor *tensor)
{
	struct nx_neff_source *source = graph->source;
	const char *format = format_in_file_name(source, variable->file_name);
	struct nx_slice bytes;
	struct nx_npy array;
	const char *path;

	if (format[0])
		tensor->format = format;
	if (!variable->file_name[0])
		return;
	path = nx_arena_printf(source->arena, "%s%s", graph->directory, variable->file_name);
	if (!nx_neff_source_take(source, path, "its shape is taken from tensor_map.json", &bytes))
		return;
	if (nx_npy_read(bytes, &array))
		tensor->shape = npy_shape(source, &array);
	else
		nx_neff_source_note(source, path,
				    "is no .npy file; its shape is taken from tensor_map.json");
}

static int by_name(const void *left, const void *right)
{
	const struct nx_variable *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

static void add_kind(const struct nx_neff_graph *graph, uint32_t graph_index,
		     const struct tensor_map *map, enum nx_tensor_kind kind,
		     struct nx_neff_tensors *tensors)
{
	static const char *const types[] = {"input", "output", "file"};
	NX_VEC(const struct nx_variable *) chosen = {0};
	uint64_t seen;

	for (size_t i = 0; i < graph->out->variable_count; i++)
		if (strcmp(graph->out->variables[i].type, types[kind]) == 0)
			nx_vec_push(&chosen, &graph->out->variables[i]);
	if (chosen.len)
		qsort(chosen.items, chosen.len, sizeof(*chosen.items), by_name);
	for (size_t i = 0; i < chosen.len; i++) {
		const struct nx_variable *variable = chosen.items[i];
		struct nx_slice name = nx_slice_text(variable->name);
		struct nx_tensor tensor = {.name = variable->name, .kind = kind};

		if (nx_text_map_get(&tensors->seen, name, &seen))
			continue;
		nx_text_map_put(&tensors->seen, name, 1);
		tensor.graph = graph_index;
		describe(graph, variable, find_entry(map, variable, kind), &tensor);
		if (kind == NX_TENSOR_WEIGHT)
			describe_weight(graph, variable, &tensor);
		nx_vec_push(&tensors->rows, tensor);
	}
	nx_vec_release(&chosen);
}

void nx_neff_tensors_read(const struct nx_neff_graph *graph, uint32_t graph_index,
			  struct nx_neff_tensors *tensors)
{
	const char *path =
		nx_arena_printf(graph->source->arena, "%stensor_map.json", graph->directory);
	struct nx_arena scratch = {0};
	struct tensor_map map = {0};

	map.root = nx_neff_source_json(
		graph->source, path, "formats, shapes and types of tensors are unknown", &scratch);
	index_tensor_map(&map);
	add_kind(graph, graph_index, &map, NX_TENSOR_INPUT, tensors);
	add_kind(graph, graph_index, &map, NX_TENSOR_OUTPUT, tensors);
	add_kind(graph, graph_index, &map, NX_TENSOR_WEIGHT, tensors);
	nx_text_map_release(&map.by_name);
	nx_text_map_release(&map.by_file);
	nx_arena_release(&scratch);
}
