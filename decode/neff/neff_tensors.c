/* SPDX-License-Identifier: Apache-2.0 */
/* neff_tensors: the variables a user can name: inputs, outputs and weights. */
#include <stdlib.h>

#include "base/number.h"
#include "decode/neff/neff_source.h"
#include "format/npy.h"

static const char *joined_shape(struct nx_neff_source *source, const struct nx_neff_shape *shape)
{
	struct nx_bytes text = {0};
	const char *copy;

	nx_bytes_append(&text, "[", 1);
	for (size_t i = 0; i < shape->dims; i++) {
		char digits[NX_NUMBER_MAX];

		if (i)
			nx_bytes_append(&text, " ", 1);
		nx_bytes_append(&text, digits, nx_format_i64(digits, shape->sizes[i]));
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

static void describe_weight(const struct nx_graph_source *g,
			    const struct nx_neff_variable *variable, struct nx_tensor *tensor)
{
	struct nx_neff_source *source = g->source;
	/* "CRSM" of value_sg0000_identity_56_CRSM.npy */
	const char *mark = strrchr(variable->file_name, '_');
	const char *end = mark ? strchr(mark, '.') : NULL;
	struct nx_slice bytes;
	struct nx_npy array;
	const char *path;

	if (end && end > mark + 1)
		tensor->format = nx_neff_source_intern(
			source, nx_slice_of(mark + 1, (size_t)(end - mark - 1)));
	if (!variable->file_name[0])
		return;
	path = nx_arena_printf(source->arena, "%s%s", g->graph->folder, variable->file_name);
	if (!nx_neff_source_take(source, path, "its shape is taken from the map of tensors",
				 &bytes))
		return;
	if (nx_npy_read(bytes, &array))
		tensor->shape = npy_shape(source, &array);
	else
		nx_neff_source_note(
			source, path,
			"is not a .npy file; its shape is taken from the map of tensors");
}

static int by_name(const void *left, const void *right)
{
	const struct nx_neff_variable *a = *(const struct nx_neff_variable *const *)left;
	const struct nx_neff_variable *b = *(const struct nx_neff_variable *const *)right;

	return strcmp(a->name, b->name);
}

static void add_kind(const struct nx_graph_source *g, uint32_t graph_index,
		     enum nx_variable_kind variable_kind, enum nx_tensor_kind kind,
		     struct nx_neff_tensors *tensors)
{
	NX_VEC(const struct nx_neff_variable *) chosen = {0};

	for (size_t i = 0; i < g->graph->variable_count; i++)
		if (g->graph->variables[i].kind == variable_kind)
			nx_vec_push(&chosen, &g->graph->variables[i]);
	if (chosen.len)
		qsort(chosen.items, chosen.len, sizeof(*chosen.items), by_name);
	for (size_t i = 0; i < chosen.len; i++) {
		const struct nx_neff_variable *variable = chosen.items[i];
		struct nx_slice name = nx_slice_text(variable->name);
		struct nx_tensor tensor = {
			.name = variable->name,
			.kind = kind,
			.format = variable->format,
			.shape = joined_shape(g->source, &variable->framework_shape),
			.dtype = variable->dtype,
			.size_bytes = variable->size_bytes,
			.graph = graph_index,
		};

		if (nx_text_map_get(&tensors->seen, name, NULL))
			continue;
		nx_text_map_put(&tensors->seen, name, 1);
		if (kind == NX_TENSOR_WEIGHT)
			describe_weight(g, variable, &tensor);
		nx_vec_push(&tensors->rows, tensor);
	}
	nx_vec_release(&chosen);
}

void nx_neff_tensors_read(const struct nx_graph_source *g, uint32_t graph_index,
			  struct nx_neff_tensors *tensors)
{
	add_kind(g, graph_index, NX_VARIABLE_INPUT, NX_TENSOR_INPUT, tensors);
	add_kind(g, graph_index, NX_VARIABLE_OUTPUT, NX_TENSOR_OUTPUT, tensors);
	add_kind(g, graph_index, NX_VARIABLE_FILE, NX_TENSOR_WEIGHT, tensors);
}
