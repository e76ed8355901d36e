/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/neff/neff_decoder.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bare/text.h"
#include "decode/neff/neff_source.h"

struct collection {
	struct nx_neff_source source;
	struct nx_neff_tensors tensors;
	NX_VEC(struct nx_binary_graph) graphs;
	const char *penguin_file;
	struct nx_binary *out;
};

/* --- header --------------------------------------------------------------- */

static const char *hex_text(struct nx_arena *arena, const uint8_t *bytes, size_t count)
{
	char *text = nx_arena_zalloc(arena, 2 * count + 1, 1);

	nx_hex_encode(text, nx_slice_of(bytes, count));
	return text;
}

static const char *number_text(struct nx_arena *arena, uint64_t number)
{
	return nx_arena_printf(arena, "%llu", (unsigned long long)number);
}

static void read_header(const struct nx_neff_header *header, struct nx_arena *arena,
			struct nx_binary *out)
{
	char features[1024];
	struct nx_property rows[] = {
		{"network_name", nx_arena_copy_text(arena, header->name)},
		{"uuid", hex_text(arena, header->uuid, sizeof(header->uuid))},
		{"hash", hex_text(arena, header->hash, 16)},
		{"enabled_features", NULL},
		{"header_size", number_text(arena, header->header_size)},
		{"data_size", number_text(arena, header->data_size)},
		{"major_version", number_text(arena, header->major_version)},
		{"minor_version", number_text(arena, header->minor_version)},
		{"package_version", number_text(arena, header->package_version)},
		{"build_version", nx_arena_copy_text(arena, header->build_version)},
		{"number_of_logical_neuroncores", number_text(arena, header->requested_core_count)},
		{"number_of_neuroncores_per_lnc", number_text(arena, header->logical_core_size)},
	};

	nx_neff_features_text(header->feature_bits, features, sizeof(features));
	rows[3].value = nx_arena_copy_text(arena, features);
	memcpy(out->uuid, header->uuid, sizeof(out->uuid));
	out->network_name = rows[0].value;
	out->header_count = sizeof(rows) / sizeof(rows[0]);
	out->header = NX_COPY_ARRAY(arena, rows, out->header_count);
}

/* --- top-level files ------------------------------------------------------ */

static const struct nx_json *number_or_null(const struct nx_json *value)
{
	return value && value->kind == NX_JSON_NUMBER ? value : NULL;
}

/* Either {"<name>": value} at any depth, or a list of {MetricName, Value}. */
static const struct nx_json *find_metric(const struct nx_json *tree, const char *name)
{
	const struct nx_json *found = number_or_null(nx_json_get(tree, name));

	if (!found && tree->kind == NX_JSON_OBJECT &&
	    nx_slice_is(nx_json_as_slice(nx_json_get(tree, "MetricName")), name))
		found = number_or_null(nx_json_get(tree, "Value"));
	if (tree->kind != NX_JSON_OBJECT && tree->kind != NX_JSON_ARRAY)
		return NULL;
	for (size_t i = 0; !found && i < tree->count; i++)
		found = find_metric(&tree->children[i], name);
	return found;
}

static void read_statistics(struct nx_neff_source *source, struct nx_binary *out)
{
	struct nx_arena scratch = {0};
	struct nx_slice bytes;
	const struct nx_json *info = nx_neff_source_json(
		source, "info.json", "the compiler's version is unknown", &scratch);
	const struct nx_json *root = nx_neff_source_json(source, "hlo_stats.json", NULL, &scratch);
	const struct nx_json *count = root ? find_metric(root, "HloMacCount") : NULL;
	double rounded = nx_json_as_f64(count, 0);

	out->compiler_version = nx_neff_source_text(source, nx_json_get(info, "tool_version"));
	out->has_hlo_statistics = count != NULL;
	/* Compilers write -1 for what they did not count. */
	if (rounded > 0)
		out->hlo_mac_count =
			nx_json_as_u64(count, rounded < 0x1p63 ? (uint64_t)rounded : UINT64_MAX);
	out->has_compiler_metrics =
		nx_neff_source_take(source, "metrics.json", NULL, &bytes) ||
		nx_neff_source_take(source, "global_metric_store.json", NULL, &bytes);
	nx_arena_release(&scratch);
}

/* --- graphs --------------------------------------------------------------- */

/* Compilers number variables densely, so that in this order index and id agree. */
static int by_id(const void *left, const void *right)
{
	const struct nx_neff_variable *a = *(const struct nx_neff_variable *const *)left;
	const struct nx_neff_variable *b = *(const struct nx_neff_variable *const *)right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void read_address_table(struct nx_binary_graph *out, struct nx_arena *arena,
			       const struct nx_neff_variable *table)
{
	out->address_table = NX_NEW_ARRAY(arena, uint32_t, table->list_count);
	out->address_table_count = table->list_count;
	for (size_t i = 0; i < table->list_count; i++)
		out->address_table[i] = nx_variable_of_id(out, table->list[i]);
}

static void read_variables(struct nx_graph_source *g)
{
	struct nx_arena *arena = g->source->arena;
	size_t count = g->graph->variable_count;
	const struct nx_neff_variable **sorted =
		NX_NEW_ARRAY(arena, const struct nx_neff_variable *, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = &g->graph->variables[i];
	if (count)
		qsort(sorted, count, sizeof(*sorted), by_id);
	g->rows = NX_NEW_ARRAY(arena, uint32_t, count);
	g->out->variable_count = count;
	g->out->variables = NX_NEW_ARRAY(arena, struct nx_variable, count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_neff_variable *v = sorted[i];

		g->rows[v - g->graph->variables] = (uint32_t)i;
		g->out->variables[i] = (struct nx_variable){
			.name = v->name,
			.type = v->type,
			.var_id = v->id,
			.size_bytes = v->size_bytes,
			.file_name = v->file_name,
			.backing_offset = v->scratch_offset,
		};
	}
	for (size_t i = 0; i < count; i++)
		if (sorted[i]->kind == NX_VARIABLE_TABLE && !g->out->address_table_count)
			read_address_table(g->out, arena, sorted[i]);
}

static void read_graph(struct collection *all, const struct nx_neff_graph *graph)
{
	struct nx_binary_graph out = {.name = graph->name, .definition = graph->path};
	struct nx_graph_source g = {.source = &all->source, .graph = graph, .out = &out};

	read_variables(&g);
	out.runtime_semaphore_count = graph->runtime_semaphore_count;
	out.queue_count = graph->queue_count;
	out.queues =
		NX_NEW_ARRAY(all->source.arena, struct nx_queue_declaration, graph->queue_count);
	for (size_t i = 0; i < graph->queue_count; i++)
		out.queues[i] = (struct nx_queue_declaration){
			.name = graph->queues[i].name,
			.owner = graph->queues[i].owner,
			.type = graph->queues[i].type,
			.semaphores = graph->queues[i].semaphores,
			.semaphore_count = graph->queues[i].semaphore_count,
		};
	nx_neff_tensors_read(&g, (uint32_t)all->graphs.len, &all->tensors);
	nx_neff_streams_read(&g);
	if (!all->source.options.skip_debug_info)
		nx_neff_debug_read(&g, &all->penguin_file);
	nx_vec_push(&all->graphs, out);
}

static enum nx_status finish(struct collection *all, struct nx_error *err)
{
	struct nx_arena *arena = all->source.arena;
	struct nx_binary *out = all->out;

	if (all->graphs.len == 0)
		return nx_neff_check_program(all->source.neff, err);
	out->graph_count = all->graphs.len;
	out->graphs = NX_COPY_ARRAY(arena, all->graphs.items, out->graph_count);
	out->tensor_count = all->tensors.rows.len;
	out->tensors = NX_COPY_ARRAY(arena, all->tensors.rows.items, out->tensor_count);
	if (all->source.options.skip_debug_info)
		return NX_OK;
	nx_neff_origins_read(&all->source, all->penguin_file, out);
	nx_neff_kernels_read(&all->source, out);
	return NX_OK;
}

enum nx_status nx_neff_decode(const struct nx_neff *neff, const struct nx_neff_options *options,
			      struct nx_arena *arena, struct nx_binary *out, struct nx_error *err)
{
	struct collection all = {.penguin_file = "", .out = out};
	enum nx_status st;

	assert(neff && arena && out);
	*out = (struct nx_binary){.target = neff->target,
				  .packed_at_s = neff->packed_at_s,
				  .kelf_node = neff->kelf_node};
	nx_neff_source_init(&all.source, neff, options, arena);
	read_header(&neff->header, arena, out);
	read_statistics(&all.source, out);
	for (size_t i = 0; i < neff->graph_count; i++)
		read_graph(&all, &neff->graphs[i]);
	st = finish(&all, err);
	nx_neff_source_finish(&all.source, out);
	nx_neff_source_release(&all.source);
	nx_vec_release(&all.tensors.rows);
	nx_text_map_release(&all.tensors.seen);
	nx_vec_release(&all.graphs);
	return st;
}
