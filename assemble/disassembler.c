/* SPDX-License-Identifier: Apache-2.0 */
#include "assemble/disassembler.h"

#include "base/number.h"
#include "format/instruction_source.h"
#include "format/npy.h"
#include "machine/hardware.h"

/* --- text ------------------------------------------------------------------------ */

static void put(struct nx_output *out, const char *text)
{
	nx_output_write(out, text, strlen(text));
}

static void put_u64(struct nx_output *out, uint64_t value)
{
	char digits[NX_NUMBER_MAX];

	nx_output_write(out, digits, nx_format_u64(digits, value));
}

static void put_i64(struct nx_output *out, int64_t value)
{
	char digits[NX_NUMBER_MAX];

	nx_output_write(out, digits, nx_format_i64(digits, value));
}

static bool is_plain(struct nx_slice text)
{
	struct nx_cursor c = {.text = text};

	return text.len && nx_cursor_take_name(&c).len == text.len;
}

/* A quote or a control character in a name cannot be written; '?' stands for it. */
static void put_slice(struct nx_output *out, struct nx_slice text)
{
	bool needs_quotes = !is_plain(text);

	put(out, needs_quotes ? "\"" : "");
	for (size_t i = 0; i < text.len; i++)
		nx_output_write(out,
				text.data[i] < ' ' || text.data[i] == '"' ? (const uint8_t *)"?"
									  : &text.data[i],
				1);
	put(out, needs_quotes ? "\"" : "");
}

void nx_disassembly_write_word(const char *directive, const char *text, struct nx_output *out)
{
	put(out, directive);
	if (*text) {
		put(out, " ");
		put_slice(out, nx_slice_text(text));
	}
	put(out, "\n");
}

static void put_key(struct nx_output *out, const char *key, const struct nx_json *value)
{
	if (!value)
		return;
	put(out, " ");
	put(out, key);
	put(out, "=");
	put_u64(out, nx_json_as_u64(value, 0));
}

static void put_list(struct nx_output *out, const struct nx_json *list)
{
	put(out, "[");
	for (size_t i = 0; list && list->kind == NX_JSON_ARRAY && i < list->count; i++) {
		put(out, i ? "," : "");
		put_i64(out, nx_json_as_i64(&list->children[i], 0));
	}
	put(out, "]");
}

/* --- the NEFF ---------------------------------------------------------------------- */

static const struct nx_json *parse(const struct nx_disassembly *d, struct nx_slice path)
{
	struct nx_slice bytes = nx_neff_member(d->neff, path);
	struct nx_json *root;

	if (bytes.len == 0 || nx_json_parse(bytes, d->arena, &root, NULL))
		return NULL;
	return root;
}

void nx_disassembly_init(struct nx_disassembly *d, const struct nx_neff *neff,
			 struct nx_arena *arena)
{
	const struct nx_json *root;

	*d = (struct nx_disassembly){.arena = arena, .neff = neff, .target = ""};
	root = parse(d, nx_slice_text("kelf-0.json"));
	d->graph_list = nx_json_get(root, "graphs");
	if (d->graph_list && d->graph_list->kind != NX_JSON_ARRAY)
		d->graph_list = NULL;
	d->target = nx_json_as_text(nx_json_get(root, "target"), arena, "");
}

static struct nx_slice definition_path(const struct nx_disassembly *d, size_t graph)
{
	if (!d->graph_list || graph >= d->graph_list->count)
		return (struct nx_slice){0};
	return nx_json_as_slice(nx_json_get(&d->graph_list->children[graph], "definition"));
}

/* The folder of def.json, with its slash. */
static struct nx_slice folder_of(const struct nx_disassembly *d, size_t graph)
{
	struct nx_slice path = definition_path(d, graph);

	while (path.len && path.data[path.len - 1] != '/')
		path.len--;
	return path;
}

static struct nx_slice beside(const struct nx_disassembly *d, size_t graph, struct nx_slice name)
{
	struct nx_slice folder = folder_of(d, graph);

	return nx_slice_text(nx_arena_printf(d->arena, "%.*s%.*s", (int)folder.len,
					     (const char *)folder.data, (int)name.len,
					     (const char *)name.data));
}

void nx_disassembly_write_head(const struct nx_disassembly *d, struct nx_output *out)
{
	const struct nx_chip *chip = nx_chip_find(nx_slice_text(d->target));

	nx_disassembly_write_word(".name", d->neff->header.name, out);
	if (chip)
		nx_disassembly_write_word(".arch", chip->name, out);
}

/* --- variables ---------------------------------------------------------------------- */

static bool is_of(const struct nx_json *entry, const char *type)
{
	return nx_slice_is(nx_json_as_slice(nx_json_get(entry, "type")), type);
}

/* Whether element type and shape say as much as the size does. */
static bool has_shape(const struct nx_json *tensor, uint64_t size_bytes, uint8_t *dtype)
{
	const struct nx_json *shape = nx_json_get(tensor, "sim_shape");
	uint64_t bytes;

	*dtype = (uint8_t)nx_dtype_find(nx_json_as_slice(nx_json_get(tensor, "dtype")));
	if (!*dtype || !shape || shape->kind != NX_JSON_ARRAY || shape->count == 0 ||
	    shape->count > NX_NPY_MAX_DIMS)
		return false;
	bytes = nx_dtype_bytes(*dtype);
	for (size_t i = 0; i < shape->count; i++)
		if (__builtin_mul_overflow(bytes, nx_json_as_u64(&shape->children[i], 0), &bytes))
			return false;
	return bytes == size_bytes;
}

static void put_tensor(const struct nx_json *entry, const struct nx_json *tensor, uint8_t dtype,
		       struct nx_output *out)
{
	put(out, is_of(entry, "input") ? ".input " : ".output ");
	put_slice(out, entry->key);
	put(out, " ");
	put(out, nx_dtype_name(dtype));
	put(out, " ");
	put_list(out, nx_json_get(tensor, "sim_shape"));
}

static void put_constant(const struct nx_disassembly *d, size_t graph, const struct nx_json *entry,
			 struct nx_output *out)
{
	struct nx_slice file = nx_json_as_slice(nx_json_get(entry, "file_name"));

	put(out, ".constant ");
	put_slice(out, entry->key);
	put(out, " file=");
	put_slice(out, beside(d, graph, file));
	put(out, " as=");
	put_slice(out, file);
}

/* The variable of that number; the table's list names them by it. */
static const struct nx_json *variable_of(const struct nx_json *variables, uint64_t id)
{
	for (size_t i = 0; i < variables->count; i++)
		if (nx_json_as_u64(nx_json_get(&variables->children[i], "var_id"), UINT64_MAX) ==
		    id)
			return &variables->children[i];
	return NULL;
}

static void put_table(const struct nx_json *variables, const struct nx_json *entry,
		      struct nx_output *out)
{
	const struct nx_json *list = nx_json_get(entry, "list");
	const char *comma = " = ";

	put(out, ".table ");
	put_slice(out, entry->key);
	for (size_t i = 0; list && list->kind == NX_JSON_ARRAY && i < list->count; i++) {
		const struct nx_json *v =
			variable_of(variables, nx_json_as_u64(&list->children[i], UINT64_MAX));

		if (!v)
			continue;
		put(out, comma);
		put_slice(out, v->key);
		comma = ", ";
	}
}

static void put_variable(const struct nx_disassembly *d, size_t graph,
			 const struct nx_json *variables, const struct nx_json *shapes,
			 const struct nx_json *entry, struct nx_output *out)
{
	const char *name = nx_arena_copy(d->arena, entry->key);
	const struct nx_json *tensor = nx_json_get(shapes, name);
	uint64_t size_bytes = nx_json_as_u64(nx_json_get(entry, "size"), 0);
	bool is_tensor = is_of(entry, "input") || is_of(entry, "output");
	uint8_t dtype;

	if (is_of(entry, "state-buffer") && nx_slice_is(entry->key, "SB"))
		return;
	if (is_tensor && has_shape(tensor, size_bytes, &dtype)) {
		put_tensor(entry, tensor, dtype, out);
	} else if (is_of(entry, "file")) {
		put_constant(d, graph, entry, out);
	} else if (is_of(entry, "dge-table")) {
		put_table(variables, entry, out);
	} else {
		put(out, ".variable ");
		put_slice(out, entry->key);
		put(out, " type=");
		put_slice(out, nx_json_as_slice(nx_json_get(entry, "type")));
		put_key(out, "size", nx_json_get(entry, "size"));
		put_key(out, "offset", nx_json_get(entry, "backing_variable_off"));
	}
	put(out, "\n");
}

/* In the order of their numbers: the assembler counts them again. */
static void put_variables(const struct nx_disassembly *d, size_t graph,
			  const struct nx_json *definition, struct nx_output *out)
{
	const struct nx_json *variables = nx_json_get(definition, "var");
	const struct nx_json *shapes = parse(d, beside(d, graph, nx_slice_text("tensor_map.json")));
	const struct nx_json **by_id;

	if (!variables || variables->kind != NX_JSON_OBJECT)
		return;
	by_id = NX_NEW_ARRAY(d->arena, const struct nx_json *, variables->count);
	for (size_t i = 0; i < variables->count; i++) {
		uint64_t id =
			nx_json_as_u64(nx_json_get(&variables->children[i], "var_id"), UINT64_MAX);

		if (id < variables->count)
			by_id[id] = &variables->children[i];
	}
	for (size_t i = 0; i < variables->count; i++)
		if (by_id[i])
			put_variable(d, graph, variables, shapes, by_id[i], out);
}

/* --- queues and sets ------------------------------------------------------------------ */

static void put_queue(const struct nx_json *queue, struct nx_output *out)
{
	const struct nx_json *dynamic = nx_json_get(queue, "dynamic_dma");

	put(out, ".queue ");
	put_slice(out, queue->key);
	put(out, " owner=");
	put_slice(out, nx_json_as_slice(nx_json_get(queue, "owner")));
	put(out, " type=");
	put_slice(out, nx_json_as_slice(nx_json_get(queue, "type")));
	put_key(out, "rings", nx_json_get(queue, "num_queues"));
	put(out, " semaphores=");
	put_list(out, nx_json_get(queue, "semaphore_set"));
	if (dynamic) {
		put(out, " scratch=[");
		put_u64(out,
			nx_json_as_u64(nx_json_get(dynamic, "SB_scratch_partition_offset"), 0));
		put(out, ",");
		put_u64(out, nx_json_as_u64(nx_json_get(dynamic, "SB_scratch_partition_size"), 0));
		put(out, "]");
	}
	put(out, "\n");
}

static const struct nx_json *engine_file(const struct nx_disassembly *d, size_t graph,
					 unsigned engine, const struct nx_json *definition)
{
	static const char *const keys[NX_ENGINE_COUNT] = {
		[NX_ENGINE_TENSOR] = "pe",  [NX_ENGINE_SCALAR] = "act", [NX_ENGINE_GPSIMD] = "pool",
		[NX_ENGINE_VECTOR] = "dve", [NX_ENGINE_SYNC] = "sp",
	};

	return parse(d, beside(d, graph, nx_json_as_slice(nx_json_get(definition, keys[engine]))));
}

static void put_sets(const struct nx_disassembly *d, size_t graph, const struct nx_json *definition,
		     struct nx_output *out)
{
	const struct nx_json *scalar = engine_file(d, graph, NX_ENGINE_SCALAR, definition);
	const struct nx_json *sets = nx_json_get(scalar, "activation_function_sets");

	for (size_t i = 0; sets && sets->kind == NX_JSON_ARRAY && i < sets->count; i++) {
		struct nx_slice name = nx_json_as_slice(&sets->children[i]);

		put(out, ".activation_set ");
		put_slice(out, name);
		put(out, " file=");
		put_slice(out, beside(d, graph, name));
		put(out, "\n");
	}
}

/* Lists of numbers, or lists of such lists, each a line. */
static void put_ranks(const struct nx_json *lists, const char *directive, struct nx_output *out)
{
	for (size_t i = 0; lists && lists->kind == NX_JSON_ARRAY && i < lists->count; i++) {
		const struct nx_json *list = &lists->children[i];
		bool is_nested = list->kind == NX_JSON_ARRAY && list->count &&
				 list->children[0].kind == NX_JSON_ARRAY;

		put(out, directive);
		if (!is_nested)
			put_list(out, list);
		for (size_t k = 0; is_nested && k < list->count; k++) {
			put(out, k ? "," : "[");
			put_list(out, &list->children[k]);
		}
		put(out, is_nested ? "]\n" : "\n");
	}
}

void nx_disassembly_write_core(const struct nx_disassembly *d, size_t graph, struct nx_output *out)
{
	const struct nx_json *definition = parse(d, definition_path(d, graph));
	const struct nx_json *queues = nx_json_get(definition, "dma_queue");

	put(out, ".core ");
	put_u64(out, graph);
	put(out, "\n");
	put_variables(d, graph, definition, out);
	for (size_t i = 0; queues && queues->kind == NX_JSON_OBJECT && i < queues->count; i++)
		put_queue(&queues->children[i], out);
	put_sets(d, graph, definition, out);
	put_ranks(nx_json_get(definition, "replica_groups"), ".replica_groups ", out);
	put_ranks(nx_json_get(definition, "src_target_pairs"), ".source_target_pairs ", out);
	put_ranks(nx_json_get(definition, "cc_element_counts"), ".element_counts ", out);
}

/* --- blocks --------------------------------------------------------------------------- */

static void put_side(const struct nx_disassembly *d, const struct nx_json *entry, const char *side,
		     struct nx_output *out)
{
	struct nx_slice dtype =
		nx_json_as_slice(nx_json_get(entry, nx_arena_printf(d->arena, "%s_dtype", side)));
	uint64_t offset =
		nx_json_as_u64(nx_json_get(entry, nx_arena_printf(d->arena, "%s_off", side)), 0);

	put(out, " ");
	put(out, side);
	put(out, "=");
	if (is_plain(dtype)) {
		nx_output_write(out, dtype.data, dtype.len);
		put(out, "@");
	}
	put_slice(out, nx_json_as_slice(nx_json_get(entry, side)));
	put(out, "+");
	put_u64(out, offset);
	put_list(out, nx_json_get(entry, nx_arena_printf(d->arena, "%s_steps", side)));
	put_list(out, nx_json_get(entry, nx_arena_printf(d->arena, "%s_sizes", side)));
}

static void put_descriptor(const struct nx_disassembly *d, const struct nx_json *entry,
			   struct nx_output *out)
{
	const struct nx_json *several = nx_json_get(entry, "from_arr");
	struct nx_slice op = nx_json_as_slice(nx_json_get(entry, "op"));
	struct nx_slice transpose = nx_json_as_slice(nx_json_get(entry, "transpose_op"));

	put(out, "  .");
	if (transpose.len) {
		put(out, "transpose");
		put_key(out, "element", nx_json_get(entry, "transpose_element_size"));
		put_key(out, "tiling", nx_json_get(entry, "num_tiling_dimensions"));
		put(out, " op=");
		put_slice(out, transpose);
	} else if (is_plain(op)) {
		nx_output_write(out, op.data, op.len);
	} else {
		put(out, "copy");
	}
	if (!several || several->kind != NX_JSON_ARRAY)
		put_side(d, entry, "from", out);
	for (size_t i = 0; several && several->kind == NX_JSON_ARRAY && i < several->count; i++)
		put_side(d, &several->children[i], "from", out);
	put_side(d, entry, "to", out);
	put(out, "\n");
}

void nx_disassembly_write_blocks(const struct nx_disassembly *d, size_t graph, unsigned engine,
				 struct nx_output *out)
{
	const struct nx_json *definition = parse(d, definition_path(d, graph));
	const struct nx_json *blocks =
		nx_json_get(engine_file(d, graph, engine, definition), "dma");

	for (size_t i = 0; blocks && blocks->kind == NX_JSON_ARRAY && i < blocks->count; i++) {
		const struct nx_json *block = &blocks->children[i];
		const struct nx_json *descriptors = nx_json_get(block, "desc");
		struct nx_slice comment = nx_json_as_slice(nx_json_get(block, "#comment"));

		put(out, ".block ");
		put_slice(out, nx_json_as_slice(nx_json_get(block, "queue")));
		put_key(out, "id", nx_json_get(block, "id"));
		put_key(out, "semaphore", nx_json_get(block, "semaphore"));
		if (comment.len) {
			put(out, " comment=");
			put_slice(out, comment);
		}
		put(out, "\n");
		for (size_t k = 0;
		     descriptors && descriptors->kind == NX_JSON_ARRAY && k < descriptors->count;
		     k++)
			put_descriptor(d, &descriptors->children[k], out);
	}
}
