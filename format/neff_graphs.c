/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_graphs: what kelf-*.json, def.json and tensor_map.json declare.
 *
 * A file may name the same member a million times. Each is read a few times at most, to keep work
 * and memory proportional to the file.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "format/instruction.h"
#include "format/neff_internal.h"

#define KELF_FUNCTION "__kelf"
#define KELF_PREFIX "kelf"
#define MAX_USES 8
#define MAX_PROBLEMS 256
/* If the definition does not say. */
#define DEFAULT_RUNTIME_SEMAPHORE_COUNT 3
/* More ranks mean a damaged file. */
#define MAX_WORLD_SIZE 65536

struct reading {
	struct nx_neff *neff;
	struct nx_arena *arena;
	struct nx_text_pool pool;
	uint8_t *uses; /* of each member */
	NX_VEC(struct nx_neff_problem) problems;
	size_t unlisted_count; /* problems beyond the list's limit */
	NX_VEC(struct nx_neff_graph) graphs;
	NX_VEC(const struct nx_neff_variable *) tensors;
	struct nx_text_map tensor_by_name;
};

/* --- members -------------------------------------------------------------------------- */

static void NX_PRINTF(3, 4) note_problem(struct reading *r, const char *path, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (r->problems.len == MAX_PROBLEMS) {
		r->unlisted_count++;
		return;
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	nx_vec_push(&r->problems, ((struct nx_neff_problem){nx_arena_copy_text(r->arena, path),
							    nx_arena_copy_text(r->arena, text)}));
}

/* The member as a tree in scratch; NULL, and a problem, if it is missing or damaged. */
static const struct nx_json *read_json(struct reading *r, const char *path, const char *cost,
				       struct nx_arena *scratch)
{
	const struct nx_neff_member *member = nx_neff_find(r->neff, nx_slice_text(path));
	struct nx_json *root;
	struct nx_error why;

	if (!member) {
		note_problem(r, path, "is missing from the NEFF; %s", cost);
		return NULL;
	}
	if (r->uses[member - r->neff->members]++ == MAX_USES) {
		r->uses[member - r->neff->members]--;
		note_problem(r, path, "is named more than %d times; ignored", MAX_USES);
		return NULL;
	}
	if (nx_json_parse(member->bytes, scratch, &root, &why) == NX_OK)
		return root;
	note_problem(r, path, "is damaged (%.200s); %s", why.message, cost);
	return NULL;
}

static struct nx_slice plain_path(const struct nx_json *value)
{
	struct nx_slice path = nx_json_as_slice(value);

	while (nx_slice_starts(path, "./"))
		path = nx_slice_part(path, 2, path.len);
	return path;
}

/* "sg00/" + "PE.bin"; "" if the value is not a text. */
static const char *path_beside(struct reading *r, const struct nx_neff_graph *graph,
			       const struct nx_json *file_name)
{
	struct nx_slice name = plain_path(file_name);

	if (name.len == 0 || name.len > INT32_MAX)
		return "";
	return nx_arena_printf(r->arena, "%s%.*s", graph->folder, (int)name.len,
			       (const char *)name.data);
}

/* The value is one file name or a list of them. */
static struct nx_neff_paths paths_beside(struct reading *r, const struct nx_neff_graph *graph,
					 const struct nx_json *value)
{
	bool is_one = value && value->kind == NX_JSON_TEXT;
	struct nx_neff_paths paths = {.count = is_one ? 1 : nx_neff_count(value)};

	paths.items = NX_NEW_ARRAY(r->arena, const char *, paths.count);
	for (size_t i = 0; i < paths.count; i++)
		paths.items[i] = path_beside(r, graph, is_one ? value : &value->children[i]);
	return paths;
}

/* --- variables ------------------------------------------------------------------------ */

static enum nx_variable_kind kind_named(const char *type)
{
	static const char *const types[] = {
		[NX_VARIABLE_STATE_BUFFER] = "state-buffer",
		[NX_VARIABLE_REMOTE] = "remote",
		[NX_VARIABLE_INPUT] = "input",
		[NX_VARIABLE_OUTPUT] = "output",
		[NX_VARIABLE_FILE] = "file",
		[NX_VARIABLE_VIRTUAL] = "virtual",
		[NX_VARIABLE_TABLE] = "dge-table",
	};

	static_assert(sizeof(types) / sizeof(types[0]) == NX_VARIABLE_TABLE + 1, "one per kind");
	for (unsigned kind = 1; kind < sizeof(types) / sizeof(types[0]); kind++)
		if (!strcmp(type, types[kind]))
			return (enum nx_variable_kind)kind;
	return NX_VARIABLE_OTHER;
}

static uint32_t *read_numbers(struct reading *r, const struct nx_json *list, size_t *count)
{
	uint32_t *numbers;

	*count = nx_neff_count(list);
	numbers = NX_NEW_ARRAY(r->arena, uint32_t, *count + 1);
	for (size_t i = 0; i < *count; i++)
		numbers[i] = nx_neff_number(&list->children[i]);
	return numbers;
}

static void read_variable(struct reading *r, const struct nx_json *entry,
			  struct nx_neff_variable *v)
{
	v->name = nx_arena_copy(r->arena, entry->key);
	v->type = nx_neff_text(&r->pool, entry, "type");
	v->kind = kind_named(v->type);
	v->id = nx_json_as_u64(nx_json_get(entry, "var_id"), UINT64_MAX);
	v->size_bytes = nx_json_as_u64(nx_json_get(entry, "size"), 0);
	v->scratch_offset = nx_json_as_u64(nx_json_get(entry, "backing_variable_off"), 0);
	v->file_name = nx_neff_text(&r->pool, entry, "file_name");
	if (!v->file_name[0])
		v->file_name = nx_neff_text(&r->pool, entry, "#file-name"); /* older spelling */
	v->list = read_numbers(r, nx_json_get(entry, "list"), &v->list_count);
	v->dtype = v->format = "";
	v->tensor = NX_NO_INDEX;
}

/* The graphs of a logical core name the same tensors; the first declaration counts. */
static void add_tensor(struct reading *r, struct nx_neff_variable *v)
{
	uint64_t index = r->tensors.len;

	if (!nx_text_map_get(&r->tensor_by_name, nx_slice_text(v->name), &index)) {
		nx_text_map_put(&r->tensor_by_name, nx_slice_text(v->name), index);
		nx_vec_push(&r->tensors, v);
	}
	v->tensor = (uint32_t)index;
}

static void note_broken(struct reading *r, const char *path)
{
	if (!r->neff->broken_path)
		r->neff->broken_path = path;
}

static void read_variables(struct reading *r, const struct nx_json *definition,
			   struct nx_neff_graph *graph)
{
	const struct nx_json *all = nx_json_get(definition, "var");

	if (!all || all->kind != NX_JSON_OBJECT) {
		note_problem(r, graph->path, "declares no variables");
		note_broken(r, graph->path);
		return;
	}
	graph->variables = NX_NEW_ARRAY(r->arena, struct nx_neff_variable, all->count);
	for (size_t i = 0; i < all->count; i++) {
		struct nx_neff_variable *v = &graph->variables[graph->variable_count];
		uint64_t end = 0;

		if (all->children[i].kind != NX_JSON_OBJECT)
			continue;
		graph->variable_count++;
		read_variable(r, &all->children[i], v);
		if (v->kind == NX_VARIABLE_INPUT || v->kind == NX_VARIABLE_OUTPUT)
			add_tensor(r, v);
		else if (v->kind == NX_VARIABLE_VIRTUAL &&
			 __builtin_add_overflow(v->scratch_offset, v->size_bytes, &end))
			end = UINT64_MAX;
		if (end > graph->scratch_bytes)
			graph->scratch_bytes = end;
	}
}

/* --- tensor_map.json ------------------------------------------------------------------ */

static struct nx_neff_shape read_shape(struct reading *r, const struct nx_json *entry,
				       const char *key, const char *other)
{
	const struct nx_json *list = nx_json_get(entry, key);
	struct nx_neff_shape shape;
	int64_t *sizes;

	if (!nx_neff_count(list))
		list = nx_json_get(entry, other);
	shape.dims = nx_neff_count(list);
	shape.sizes = sizes = NX_NEW_ARRAY(r->arena, int64_t, shape.dims);
	for (size_t i = 0; i < shape.dims; i++)
		sizes[i] = nx_json_as_i64(&list->children[i], 0);
	return shape;
}

static void describe(struct reading *r, const struct nx_json *entry, struct nx_neff_variable *v)
{
	v->dtype = nx_neff_text(&r->pool, entry, "dtype");
	v->format = nx_neff_text(&r->pool, entry, "tf_format");
	if (!v->format[0])
		v->format = nx_neff_text(&r->pool, entry, "sim_format");
	v->shape = read_shape(r, entry, "sim_shape", "tf_shape");
	v->framework_shape = read_shape(r, entry, "tf_shape", "sim_shape");
}

static void read_tensor_map(struct reading *r, struct nx_neff_graph *graph)
{
	const char *path = nx_arena_printf(r->arena, "%stensor_map.json", graph->folder);
	struct nx_arena scratch = {0};
	const struct nx_json *root =
		read_json(r, path, "formats, shapes and types of tensors are unknown", &scratch);
	struct nx_text_map by_name = {0}, by_file = {0};

	for (size_t i = 0; root && i < root->count; i++) {
		const struct nx_json *entry = &root->children[i];
		struct nx_slice file = nx_json_as_slice(nx_json_get(entry, "tf_file"));

		nx_text_map_put(&by_name, entry->key, i);
		if (file.len)
			nx_text_map_put(&by_file, file, i);
	}
	for (size_t i = 0; root && i < graph->variable_count; i++) {
		struct nx_neff_variable *v = &graph->variables[i];
		bool is_file = v->kind == NX_VARIABLE_FILE;
		uint64_t index;

		/* constants are joined by their file */
		if ((is_file || v->tensor != NX_NO_INDEX) &&
		    nx_text_map_get(is_file ? &by_file : &by_name,
				    nx_slice_text(is_file ? v->file_name : v->name), &index))
			describe(r, &root->children[index], v);
	}
	nx_text_map_release(&by_name);
	nx_text_map_release(&by_file);
	nx_arena_release(&scratch);
}

/* --- queues, engines and ranks ---------------------------------------------------------- */

static void read_queues(struct reading *r, const struct nx_json *definition,
			struct nx_neff_graph *graph)
{
	const struct nx_json *all = nx_json_get(definition, "dma_queue");

	if (!all || all->kind != NX_JSON_OBJECT)
		return;
	graph->queue_count = all->count;
	graph->queues = NX_NEW_ARRAY(r->arena, struct nx_neff_queue, all->count);
	for (size_t i = 0; i < all->count; i++) {
		const struct nx_json *entry = &all->children[i];
		const struct nx_json *single = nx_json_get(entry, "semaphore");
		const struct nx_json *dynamic = nx_json_get(entry, "dynamic_dma");
		struct nx_neff_queue *queue = &graph->queues[i];
		uint32_t *semaphores = read_numbers(r, nx_json_get(entry, "semaphore_set"),
						    &queue->semaphore_count);

		if (single)
			semaphores[queue->semaphore_count++] = nx_neff_number(single);
		queue->semaphores = semaphores;
		queue->name = nx_text_pool_copy(&r->pool, entry->key);
		queue->owner = nx_neff_text(&r->pool, entry, "owner");
		queue->type = nx_neff_text(&r->pool, entry, "type");
		queue->ring_count = nx_neff_number(nx_json_get(entry, "num_queues"));
		queue->has_scratch = dynamic != NULL;
		queue->scratch_offset =
			nx_json_as_u64(nx_json_get(dynamic, "SB_scratch_partition_offset"), 0);
		queue->scratch_bytes =
			nx_json_as_u64(nx_json_get(dynamic, "SB_scratch_partition_size"), 0);
	}
}

/* Old definitions name the stream only in the engine's own file. */
static const char *stream_in_table(struct reading *r, const struct nx_neff_graph *graph,
				   const char *table)
{
	struct nx_arena scratch = {0};
	const struct nx_json *root = NULL;
	const char *path;

	if (table[0])
		root = read_json(r, table, "its engine's instructions are unknown", &scratch);
	path = path_beside(r, graph, nx_json_get(root, "instr"));
	nx_arena_release(&scratch);
	return path;
}

static const struct nx_json *get_suffixed(const struct nx_json *definition, const char *key,
					  const char *suffix)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%s", key, suffix);
	return nx_json_get(definition, name);
}

static void read_engines(struct reading *r, const struct nx_json *definition,
			 struct nx_neff_graph *graph)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		struct nx_neff_engine *engine = &graph->engines[e];
		const char *key = nx_engines[e].neff_key;

		engine->table = path_beside(r, graph, nx_json_get(definition, key));
		engine->stream = path_beside(r, graph, get_suffixed(definition, key, "_instr"));
		if (!engine->stream[0])
			engine->stream = stream_in_table(r, graph, engine->table);
		engine->code = nx_neff_member(r->neff, nx_slice_text(engine->stream));
		engine->backend_debug =
			paths_beside(r, graph, get_suffixed(definition, key, "_dbg"));
		engine->asm_debug =
			paths_beside(r, graph, get_suffixed(definition, key, "_asm_dbg"));
	}
	graph->dma_debug = paths_beside(r, graph, nx_json_get(definition, "dma_dbg"));
}

static struct nx_rank_lists read_lists(struct reading *r, const struct nx_json *lists)
{
	size_t count = nx_neff_count(lists);
	struct nx_rank_list *items = NX_NEW_ARRAY(r->arena, struct nx_rank_list, count);

	for (size_t i = 0; i < count; i++) {
		size_t length;

		items[i].items = read_numbers(r, &lists->children[i], &length);
		items[i].count = (uint32_t)length;
	}
	return (struct nx_rank_lists){items, count};
}

static void grow_world(struct nx_neff *neff, uint64_t size)
{
	if (size > neff->world_size && size <= MAX_WORLD_SIZE)
		neff->world_size = (uint32_t)size;
}

/* [[[0,1],[2,3]]], or [[0,1],[2,3]] if there is only one choice. */
static struct nx_rank_choices read_choices(struct reading *r, const struct nx_json *choices)
{
	size_t count = nx_neff_count(choices);
	const struct nx_json *first = count ? &choices->children[0] : NULL;
	bool is_flat = first && nx_neff_count(first) && first->children[0].kind == NX_JSON_NUMBER;
	struct nx_rank_lists *items;

	if (is_flat)
		count = 1;
	items = NX_NEW_ARRAY(r->arena, struct nx_rank_lists, count);
	for (size_t i = 0; i < count; i++) {
		items[i] = read_lists(r, is_flat ? choices : &choices->children[i]);
		for (size_t k = 0; k < items[i].count; k++)
			for (uint32_t n = 0; n < items[i].items[k].count; n++)
				grow_world(r->neff, (uint64_t)items[i].items[k].items[n] + 1);
	}
	return (struct nx_rank_choices){items, count};
}

/* --- graphs ------------------------------------------------------------------------------- */

static void read_graph(struct reading *r, const struct nx_json *entry)
{
	struct nx_slice path = plain_path(nx_json_get(entry, "definition"));
	size_t folder_len = path.len;
	struct nx_neff_graph graph = {
		.name = nx_neff_text(&r->pool, entry, "name"),
		.path = nx_text_pool_copy(&r->pool, path),
	};
	struct nx_arena scratch = {0};
	const struct nx_json *definition, *reserved;

	if (path.len == 0)
		return;
	while (folder_len && path.data[folder_len - 1] != '/')
		folder_len--;
	graph.folder = nx_text_pool_copy(&r->pool, nx_slice_part(path, 0, folder_len));
	definition = read_json(r, graph.path, "this graph's program is unknown", &scratch);
	if (!definition || definition->kind != NX_JSON_OBJECT) {
		if (definition)
			note_problem(r, graph.path, "is not a JSON object; ignored");
		note_broken(r, graph.path);
		goto out;
	}
	read_variables(r, definition, &graph);
	read_tensor_map(r, &graph);
	read_queues(r, definition, &graph);
	read_engines(r, definition, &graph);
	reserved = nx_json_get(definition, "runtime_semaphore_count");
	graph.runtime_semaphore_count = nx_neff_number(reserved);
	if (graph.runtime_semaphore_count == NX_NO_INDEX)
		graph.runtime_semaphore_count = DEFAULT_RUNTIME_SEMAPHORE_COUNT;
	grow_world(r->neff, nx_json_as_u64(nx_json_get(definition, "#rank_world_size"), 0));
	graph.replica_groups = read_choices(r, nx_json_get(definition, "replica_groups"));
	graph.source_target_pairs = read_choices(r, nx_json_get(definition, "src_target_pairs"));
	graph.element_counts = read_lists(r, nx_json_get(definition, "cc_element_counts"));
	nx_vec_push(&r->graphs, graph);
out:
	nx_arena_release(&scratch);
}

static void read_kelf(struct reading *r, const char *path)
{
	struct nx_arena scratch = {0};
	const struct nx_json *root = read_json(r, path, "its graphs are unknown", &scratch);
	const struct nx_json *graphs = nx_json_get(root, "graphs");

	if (!r->neff->target[0])
		r->neff->target = nx_neff_text(&r->pool, root, "target");
	for (size_t i = 0; i < nx_neff_count(graphs); i++)
		read_graph(r, &graphs->children[i]);
	nx_arena_release(&scratch);
}

static void read_nodes(struct reading *r)
{
	struct nx_arena scratch = {0};
	const struct nx_json *root =
		read_json(r, "neff.json", "the number of the executor node is unknown", &scratch);
	const struct nx_json *nodes = nx_json_get(root, "nodes");
	size_t executor_count = 0;

	for (size_t i = 0; i < nx_neff_count(nodes); i++) {
		const struct nx_json *attributes = nx_json_get(&nodes->children[i], "attrs");
		struct nx_slice function = nx_json_as_slice(nx_json_get(attributes, "func_name"));

		if (!nx_slice_is(function, KELF_FUNCTION))
			continue;
		if (executor_count++ == 0)
			r->neff->kelf_node = (uint32_t)i;
		read_kelf(r,
			  nx_text_pool_copy(&r->pool, plain_path(nx_json_get(attributes, "kelf"))));
	}
	/* Without neff.json, recognize the kelf files by their names. */
	for (size_t i = 0; executor_count == 0 && i < r->neff->member_count; i++) {
		struct nx_slice name = r->neff->members[i].name;

		if (nx_slice_starts(name, KELF_PREFIX) && nx_slice_ends(name, ".json"))
			read_kelf(r, nx_text_pool_copy(&r->pool, name));
	}
	nx_arena_release(&scratch);
}

static void *keep(struct nx_arena *arena, const void *items, size_t size)
{
	return nx_arena_copy(arena, nx_slice_of(items, size));
}

void nx_neff_read_graphs(struct nx_neff *neff, struct nx_arena *arena)
{
	struct reading r = {.neff = neff, .arena = arena, .pool = {.arena = arena}};

	assert(arena && !neff->graphs);
	neff->target = "";
	r.uses = nx_heap_alloc(neff->member_count + 1);
	memset(r.uses, 0, neff->member_count + 1);
	if (neff->is_truncated)
		note_problem(&r, "archive", "%s", neff->damage);
	read_nodes(&r);
	if (r.graphs.len == 0 && !neff->broken_path)
		note_problem(&r, KELF_PREFIX "-0.json", "names no graph");
	if (r.unlisted_count)
		nx_vec_push(&r.problems,
			    ((struct nx_neff_problem){
				    "others",
				    nx_arena_printf(arena, "%zu more parts are missing or damaged",
						    r.unlisted_count)}));
	neff->graph_count = r.graphs.len;
	neff->graphs = keep(arena, r.graphs.items, r.graphs.len * sizeof(*r.graphs.items));
	neff->tensor_count = r.tensors.len;
	neff->tensors = keep(arena, r.tensors.items, r.tensors.len * sizeof(*r.tensors.items));
	neff->problem_count = r.problems.len;
	neff->problems = keep(arena, r.problems.items, r.problems.len * sizeof(*r.problems.items));
	nx_vec_release(&r.problems);
	nx_vec_release(&r.graphs);
	nx_vec_release(&r.tensors);
	nx_text_map_release(&r.tensor_by_name);
	nx_text_pool_release(&r.pool);
	nx_heap_free(r.uses);
}

enum nx_status nx_neff_check_program(const struct nx_neff *neff, struct nx_error *err)
{
	const char *culprit = neff->broken_path ? neff->broken_path : KELF_PREFIX;

	if (neff->is_truncated)
		return nx_fail(err, NX_FORMAT, "the NEFF is damaged: %s; copy it again",
			       neff->damage);
	if (neff->graph_count && !neff->broken_path)
		return NX_OK;
	for (size_t i = 0; i < neff->problem_count; i++)
		if (!strncmp(neff->problems[i].path, culprit, strlen(culprit)))
			return nx_fail(err, NX_FORMAT,
				       "the NEFF holds no program: %.200s %.300s; compile or copy "
				       "it again",
				       neff->problems[i].path, neff->problems[i].text);
	return nx_fail(err, NX_FORMAT,
		       "the NEFF holds no program: %.200s; compile or copy it again", culprit);
}

bool nx_neff_graph_has_collectives(const struct nx_neff_graph *graph)
{
	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++) {
		struct nx_slice code = graph->engines[engine].code;

		for (size_t at = 0; at + NX_SLOT_BYTES <= code.len; at += NX_SLOT_BYTES)
			if (code.data[at] == NX_OP_PSEUDO_TRIGGER_COLLECTIVE ||
			    code.data[at] == NX_OP_PSEUDO_TRIGGER_COLLECTIVE_2)
				return true;
	}
	return false;
}
