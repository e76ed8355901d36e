/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view_source.h"

#include "base/map.h"
#include "cli/terminal.h"
#include "store/source_copy.h"

struct collecting {
	struct nx_text_map seen;
	struct nx_source_names *names;
};

static void add(struct collecting *c, const char *name)
{
	uint64_t ignored;

	if (!name || !*name || nx_text_map_get(&c->seen, nx_slice_text(name), &ignored))
		return;
	nx_text_map_put(&c->seen, nx_slice_text(name), 1);
	nx_vec_push(c->names, name);
}

static void add_graph(struct collecting *c, const struct nx_binary_graph *graph)
{
	for (size_t i = 0; i < graph->bir_count; i++)
		add(c, graph->birs[i].kernel_file);
}

void nx_view_source_names(const struct nx_binary *b, struct nx_source_names *names)
{
	struct collecting c = {.names = names};

	for (size_t i = 0; i < b->stack.file_name_count; i++)
		add(&c, b->stack.file_names[i]);
	for (size_t i = 0; i < b->origin_count; i++)
		add(&c, b->origins[i].source_file);
	for (size_t i = 0; i < b->kernel_frame_count; i++)
		add(&c, b->kernel_frames[i].file);
	for (size_t i = 0; i < b->kernel_iteration_count; i++)
		add(&c, b->kernel_iterations[i].file);
	for (size_t i = 0; i < b->kernel_instruction_count; i++)
		add(&c, b->kernel_instructions[i].file);
	for (size_t i = 0; i < b->graph_count; i++)
		add_graph(&c, &b->graphs[i]);
	nx_text_map_release(&c.seen);
}

enum nx_status nx_view_source_keep(const struct nx_binary *binary, const char *const *roots,
				   const char *folder, bool says, struct nx_error *err)
{
	struct nx_source_names names = {0};
	struct nx_source_copied copied = {0};
	const char *given[NX_SOURCE_ROOTS_MAX];
	size_t given_count = 0;
	enum nx_status st;

	for (size_t i = 0; i < NX_SOURCE_ROOTS_MAX; i++)
		if (roots[i])
			given[given_count++] = roots[i];
	if (!given_count)
		return NX_OK;
	nx_view_source_names(binary, &names);
	st = nx_source_copy(folder, given, given_count, names.items, names.len, &copied, err);
	if (!st && says)
		nx_say("kept %zu of the %zu source files that the capture names%s",
		       copied.found_count, names.len,
		       copied.missing_count ? "; the others are not below the folders given" : "");
	nx_vec_release(&names);
	return st;
}
