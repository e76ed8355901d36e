/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_kernels: where in kernels (NKI) instructions come from. kernel_debug_info.json names one
 * file per kernel: its unrolled calls and loops as a tree of {func}, {iter} and {inst}.
 */
#include "decode/neff/neff_source.h"

#define LIST_FILE "kernel_debug_info.json"

struct kernel_tree {
	struct nx_neff_source *source;
	NX_VEC(struct nx_kernel_frame) frames;
	NX_VEC(struct nx_kernel_iteration) iterations;
	NX_VEC(struct nx_kernel_instruction) instructions;
};

struct place { /* what is around a node */
	uint32_t frame, iteration;
};

static const struct place top_level = {NX_NONE, NX_NONE};

static const char *file_of(const struct kernel_tree *t, struct place around)
{
	return around.frame == NX_NONE ? "" : t->frames.items[around.frame].file;
}

static bool parse_i64(struct nx_slice text, int64_t *value)
{
	bool is_negative = text.len && text.data[0] == '-';
	uint64_t number;

	if (!nx_slice_to_u64(nx_slice_part(text, is_negative, text.len), &number) ||
	    number > INT64_MAX)
		return false;
	*value = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

static void add_instruction(struct kernel_tree *t, const struct nx_json *inst, struct place around)
{
	struct nx_kernel_instruction row = {
		.name = nx_neff_source_text(t->source, nx_json_get(inst, "name")),
		.file = file_of(t, around),
		.line = nx_neff_u32(nx_json_get(inst, "line"), 0),
		.frame = around.frame,
		.iteration = around.iteration,
	};

	if (row.name[0])
		nx_vec_push(&t->instructions, row);
}

static uint32_t add_frame(struct kernel_tree *t, const struct nx_json *func, struct place around)
{
	struct nx_kernel_frame row = {
		.function = nx_neff_source_text(t->source, nx_json_get(func, "name")),
		.file = nx_neff_source_text(t->source, nx_json_get(func, "file")),
		.line = nx_neff_u32(nx_json_get(func, "line"), 0),
		.parent = around.frame,
		.depth = 1,
	};

	if (around.frame != NX_NONE)
		row.depth += t->frames.items[around.frame].depth;
	nx_vec_push(&t->frames, row);
	return (uint32_t)t->frames.len - 1;
}

static uint32_t add_iteration(struct kernel_tree *t, const struct nx_json *iter,
			      struct place around)
{
	const struct nx_json *value = nx_json_get(iter, "val");
	struct nx_kernel_iteration row = {
		.variable = nx_neff_source_text(t->source, nx_json_get(iter, "var")),
		.file = file_of(t, around),
		.line = nx_neff_u32(nx_json_get(iter, "line"), 0),
		.parent = around.iteration,
		.depth = 1,
	};

	/* compilers write it as a text */
	if (value && (value->kind == NX_JSON_TEXT || value->kind == NX_JSON_NUMBER))
		row.has_value = parse_i64(value->text, &row.value);
	if (around.iteration != NX_NONE)
		row.depth += t->iterations.items[around.iteration].depth;
	nx_vec_push(&t->iterations, row);
	return (uint32_t)t->iterations.len - 1;
}

/* As deep as the JSON reader lets a text be. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void add_nodes(struct kernel_tree *t, const struct nx_json *nodes, struct place around)
{
	for (size_t i = 0; nodes && nodes->kind == NX_JSON_ARRAY && i < nodes->count; i++) {
		const struct nx_json *node = &nodes->children[i];
		const struct nx_json *func = nx_json_get(node, "func");
		const struct nx_json *iter = nx_json_get(node, "iter");
		struct place inside = around;

		if (func) {
			inside.frame = add_frame(t, func, around);
			add_nodes(t, nx_json_get(func, "children"), inside);
		} else if (iter) {
			inside.iteration = add_iteration(t, iter, around);
			add_nodes(t, nx_json_get(iter, "children"), inside);
		} else {
			add_instruction(t, nx_json_get(node, "inst"), around);
		}
	}
}

static void add_kernel(struct kernel_tree *t, const char *member)
{
	struct nx_arena scratch = {0};
	const struct nx_json *root = nx_neff_source_json(
		t->source, member, "calls and loops of its kernel are unknown", &scratch);

	/* one entry per program of the kernel's launch grid */
	for (size_t i = 0; root && root->kind == NX_JSON_ARRAY && i < root->count; i++)
		add_nodes(t, nx_json_get(&root->children[i], "info"), top_level);
	nx_arena_release(&scratch);
}

static void keep_tree(struct kernel_tree *t, struct nx_binary *out)
{
	struct nx_arena *arena = t->source->arena;

	out->kernel_frame_count = t->frames.len;
	out->kernel_frames = NX_COPY_ARRAY(arena, t->frames.items, t->frames.len);
	out->kernel_iteration_count = t->iterations.len;
	out->kernel_iterations = NX_COPY_ARRAY(arena, t->iterations.items, t->iterations.len);
	out->kernel_instruction_count = t->instructions.len;
	out->kernel_instructions = NX_COPY_ARRAY(arena, t->instructions.items, t->instructions.len);
	nx_vec_release(&t->frames);
	nx_vec_release(&t->iterations);
	nx_vec_release(&t->instructions);
}

/* inst.50-trig, inst.50-block-1 and others were made from inst.50. */
static uint32_t find_instruction(const struct nx_text_map *names, const char *bir_name)
{
	struct nx_slice name = nx_slice_text(bir_name);
	const char *dash = strchr(bir_name, '-');
	uint64_t index;

	if (nx_text_map_get(names, name, &index))
		return (uint32_t)index;
	if (dash &&
	    nx_text_map_get(names, nx_slice_part(name, 0, (size_t)(dash - bir_name)), &index))
		return (uint32_t)index;
	return NX_NONE;
}

static void link_birs(struct nx_binary *out)
{
	struct nx_text_map names = {0};

	for (size_t i = out->kernel_instruction_count; i > 0; i--)
		nx_text_map_put(&names, nx_slice_text(out->kernel_instructions[i - 1].name), i - 1);
	for (size_t g = 0; g < out->graph_count; g++)
		for (size_t i = 0; i < out->graphs[g].bir_count; i++) {
			struct nx_bir *bir = &out->graphs[g].birs[i];

			bir->kernel_instruction = find_instruction(&names, bir->name);
		}
	nx_text_map_release(&names);
}

void nx_neff_kernels_read(struct nx_neff_source *source, struct nx_binary *out)
{
	struct kernel_tree tree = {.source = source};
	struct nx_arena scratch = {0};
	const struct nx_json *root = nx_neff_source_json(source, LIST_FILE, NULL, &scratch);
	const struct nx_json *files = nx_json_get(root, "debug_info_files");

	for (size_t i = 0; files && files->kind == NX_JSON_ARRAY && i < files->count; i++) {
		struct nx_slice name =
			nx_json_as_slice(nx_json_get(&files->children[i], "file_name"));

		if (name.len)
			add_kernel(&tree, nx_neff_source_intern(source, name));
	}
	keep_tree(&tree, out);
	link_birs(out);
	nx_arena_release(&scratch);
}
