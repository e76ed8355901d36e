/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real NEFFs against what the vendor's profiler says about them. The captures
 * are not part of the repository; without them there is nothing to check.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/map.h"
#include "base/md5.h"
#include "decode/neff/neff_decoder.h"

struct capture {
	const char *path;
	struct nx_arena arena;
	struct nx_file file;
	struct nx_neff neff;
	struct nx_binary binary;
	struct nx_error err;
};

static void open_capture(struct capture *c, const char *path)
{
	*c = (struct capture){.path = path};
	assert_int_equal(nx_file_map(&c->file, path, &c->err), NX_OK);
	assert_int_equal(nx_neff_read(c->file.bytes, &c->arena, &c->neff, &c->err), NX_OK);
	assert_int_equal(nx_neff_decode(&c->neff, NULL, &c->arena, &c->binary, &c->err), NX_OK);
}

static void close_capture(struct capture *c)
{
	nx_file_unmap(&c->file);
	nx_arena_release(&c->arena);
}

/* Calls check for every NEFF that matches. */
static void for_each(const char *pattern, void (*check)(struct capture *c))
{
	char full[512];
	glob_t found;

	snprintf(full, sizeof(full), "%s/%s", NX_TEST_DATA, pattern);
	assert_int_equal(glob(full, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct capture c;

		open_capture(&c, found.gl_pathv[i]);
		check(&c);
		close_capture(&c);
	}
	globfree(&found);
}

static const struct nx_json *golden_of(struct capture *c, struct nx_file *file)
{
	const char *slash = strrchr(c->path, '/');
	struct nx_json *root;
	char path[512];

	snprintf(path, sizeof(path), "%.*s/golden.json", (int)(slash - c->path), c->path);
	assert_int_equal(nx_file_map(file, path, &c->err), NX_OK);
	assert_int_equal(nx_json_parse(file->bytes, &c->arena, &root, &c->err), NX_OK);
	return root;
}

static void check_text(const struct nx_json *row, const char *key, const char *expected)
{
	const struct nx_json *value = nx_json_get(row, key);

	if (!value || !nx_slice_is(nx_json_as_slice(value), expected))
		print_message("# %s: tool says \"%.*s\", we say \"%s\"\n", key,
			      value ? (int)value->text.len : 0,
			      value ? (const char *)value->text.data : "", expected);
	assert_non_null(value);
	assert_true(nx_slice_is(nx_json_as_slice(value), expected));
}

static void check_header(struct capture *c)
{
	struct nx_file golden;
	const struct nx_json *header = nx_json_get(golden_of(c, &golden), "neff_header");

	assert_int_equal(header->count, 1);
	assert_int_equal(header->children[0].count, c->binary.header_count);
	for (size_t i = 0; i < c->binary.header_count; i++)
		check_text(&header->children[0], c->binary.header[i].name,
			   c->binary.header[i].value);
	nx_file_unmap(&golden);
}

static void test_header_rows(void **state)
{
	(void)state;
	for_each("neuron-device/*/*.neff", check_header);
}

static void check_tensor(struct capture *c, const struct nx_json *row,
			 const struct nx_tensor *tensor)
{
	static const char *const kinds[] = {"IN", "OUT", "WEIGHT"};

	(void)c;
	check_text(row, "variable_name", tensor->name);
	check_text(row, "type", kinds[tensor->kind]);
	check_text(row, "format", tensor->format);
	check_text(row, "shape", tensor->shape);
	check_text(row, "size",
		   nx_arena_printf(&c->arena, "%llu", (unsigned long long)tensor->size_bytes));
}

/* A row per graph, and behind it a row per tensor that no earlier graph declared. */
static void check_nodes(struct capture *c)
{
	struct nx_file golden;
	const struct nx_json *nodes = nx_json_get(golden_of(c, &golden), "neff_node");
	size_t at = 0;

	assert_int_equal(nodes->count, c->binary.graph_count + c->binary.tensor_count);
	for (size_t g = 0; g < c->binary.graph_count; g++) {
		check_text(&nodes->children[at], "sg_name", c->binary.graphs[g].name);
		check_text(&nodes->children[at], "node",
			   nx_arena_printf(&c->arena, "%u", c->binary.kelf_node));
		at++;
		for (size_t t = 0; t < c->binary.tensor_count; t++)
			if (c->binary.tensors[t].graph == g)
				check_tensor(c, &nodes->children[at++], &c->binary.tensors[t]);
	}
	nx_file_unmap(&golden);
}

static void test_node_rows(void **state)
{
	(void)state;
	for_each("neuron-device/*/*.neff", check_nodes);
}

static const struct nx_binary_graph *graph_named(const struct capture *c, struct nx_slice name)
{
	for (size_t g = 0; g < c->binary.graph_count; g++)
		if (nx_slice_is(name, c->binary.graphs[g].name))
			return &c->binary.graphs[g];
	fail();
	return NULL;
}

static const struct nx_engine_program *engine_labelled(const struct nx_binary_graph *graph,
						       struct nx_slice label)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		if (nx_slice_is(label, nx_engines[e].label))
			return &graph->engines[e];
	fail();
	return NULL;
}

/* The tool names executed instructions; each must come from a predecessor we read. */
static void check_predecessors(const struct nx_json *rows, const struct nx_map *row_of_id,
			       const struct nx_json *row, const struct nx_bir *bir)
{
	const struct nx_json *list = nx_json_get(row, "predecessors");

	for (size_t i = 0; list && i < list->count; i++) {
		const struct nx_json *edge = &list->children[i];
		struct nx_slice type = nx_json_as_slice(nx_json_get(edge, "type"));
		uint64_t index, bir_id, hits = 0;

		assert_true(
			nx_map_get(row_of_id, nx_json_as_u64(nx_json_get(edge, "id"), 0), &index));
		bir_id = nx_json_as_u64(nx_json_get(&rows->children[index], "raw_bir_id"), 0);
		for (size_t p = 0; p < bir->predecessor_count; p++)
			hits += bir->predecessors[p].bir_id == bir_id &&
				nx_slice_is(type, nx_edge_name(bir->predecessors[p].type));
		assert_true(hits > 0);
	}
}

static void check_instruction(const struct capture *c, const struct nx_json *rows,
			      const struct nx_map *row_of_id, const struct nx_json *row)
{
	const struct nx_binary_graph *graph =
		graph_named(c, nx_json_as_slice(nx_json_get(row, "subgraph")));
	const struct nx_engine_program *program =
		engine_labelled(graph, nx_json_as_slice(nx_json_get(row, "subgroup")));
	uint64_t slot = nx_json_as_u64(nx_json_get(row, "compiler_pc"), UINT64_MAX);
	uint64_t bir_id = nx_json_as_u64(nx_json_get(row, "raw_bir_id"), UINT64_MAX);
	const struct nx_bir *bir;

	if (slot == UINT64_MAX)
		return;
	assert_true(slot < program->slot_count);
	if (program->slot_bir[slot] == NX_NONE) {
		assert_int_equal(bir_id, 0);
		return;
	}
	bir = &graph->birs[program->slot_bir[slot]];
	assert_int_equal(bir->id, bir_id);
	check_text(row, "bir_instruction_name", bir->name);
	check_text(row, "instruction_type", nx_instruction_type_name(bir->instruction_type));
	assert_int_equal(nx_json_as_u64(nx_json_get(row, "raw_penguin_id"), 0),
			 bir->has_penguin ? bir->penguin_id : 0);
	check_predecessors(rows, row_of_id, row, bir);
	if (bir->origin != NX_NONE) {
		check_text(row, "layer", c->binary.origins[bir->origin].layer);
		check_text(row, "hlo_attrs", c->binary.origins[bir->origin].hlo_attributes);
	}
}

static void check_instructions(struct capture *c)
{
	struct nx_file golden;
	const struct nx_json *rows = nx_json_get(golden_of(c, &golden), "instruction");
	struct nx_map row_of_id = {0};

	assert_true(rows->count > 400);
	for (size_t i = 0; i < rows->count; i++)
		nx_map_put(&row_of_id,
			   nx_json_as_u64(nx_json_get(&rows->children[i], "id"), UINT64_MAX), i);
	for (size_t i = 0; i < rows->count; i++)
		check_instruction(c, rows, &row_of_id, &rows->children[i]);
	nx_map_release(&row_of_id);
	nx_file_unmap(&golden);
}

static void test_instructions(void **state)
{
	(void)state;
	for_each("neuron-device/*/*.neff", check_instructions);
}

static void check_statistics(struct capture *c)
{
	struct nx_file golden;
	const struct nx_json *warnings = nx_json_get(golden_of(c, &golden), "warnings");
	bool lacks_metrics = false, lacks_hlo = false;

	for (size_t i = 0; i < warnings->count; i++) {
		struct nx_slice text =
			nx_json_as_slice(nx_json_get(&warnings->children[i], "message"));

		lacks_metrics |= nx_slice_starts(text, "Current NEFF is missing compiler metrics");
		lacks_hlo |= nx_slice_starts(text, "Missing HLO stats");
	}
	assert_int_equal(c->binary.has_compiler_metrics, !lacks_metrics);
	assert_int_equal(c->binary.has_hlo_statistics, !lacks_hlo);
	nx_file_unmap(&golden);
}

static void test_statistics(void **state)
{
	(void)state;
	for_each("neuron-device/*/*.neff", check_statistics);
}

/* Each static DMA block has its record in the debug files, found by its comment. */
static void check_blocks(const struct nx_binary_graph *graph)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		for (size_t b = 0; b < graph->engines[e].block_count; b++) {
			const struct nx_dma_block *block = &graph->engines[e].blocks[b];
			size_t hits = 0;

			for (size_t i = 0; i < graph->bir_count; i++)
				hits += strcmp(graph->birs[i].name, block->comment) == 0;
			assert_int_equal(hits, 1);
			assert_true(block->descriptor_count > 0);
			assert_int_equal(block->descriptors[0].from_bytes,
					 block->descriptors[0].to_bytes);
			assert_true(block->descriptors[0].from[0] < graph->variable_count);
			assert_true(block->descriptors[0].to < graph->variable_count);
		}
}

/* What holds for every NEFF that a compiler wrote. */
static void check_whole(struct capture *c)
{
	struct nx_slice archive = nx_slice_part(c->file.bytes, 1024, c->file.bytes.len);
	uint8_t digest[NX_MD5_BYTES];

	assert_false(c->neff.is_truncated);
	assert_int_equal(c->binary.missing_count, 0);
	assert_int_equal(c->binary.graph_count, c->neff.header.logical_core_size);
	nx_md5_digest(archive, digest);
	for (size_t i = 0; i < NX_MD5_BYTES; i++)
		assert_int_equal(c->neff.header.hash[i], digest[i / 4 * 4 + 3 - i % 4]);
	assert_true(c->binary.packed_at_s > 1600000000);
	assert_string_equal(c->binary.target, "cayman");
	for (size_t g = 0; g < c->binary.graph_count; g++) {
		const struct nx_binary_graph *graph = &c->binary.graphs[g];

		for (size_t v = 0; v < graph->variable_count; v++)
			assert_int_equal(graph->variables[v].var_id, v);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			assert_true(graph->engines[e].slot_count >= 2);
		check_blocks(graph);
	}
}

static void test_whole_files(void **state)
{
	(void)state;
	for_each("neuron-device/*/*.neff", check_whole);
	for_each("neuron-raw/*.neff", check_whole);
	for_each("neuron-system/*/*.neff", check_whole);
}

/* These came through XLA, with a framework and kernel sources. */
static void check_origins(struct capture *c)
{
	const struct nx_binary_graph *graph = &c->binary.graphs[0];
	size_t traced = 0;

	for (size_t i = 0; i < graph->bir_count; i++) {
		const struct nx_bir *bir = &graph->birs[i];

		if (bir->origin == NX_NONE)
			continue;
		traced++;
		assert_true(c->binary.origins[bir->origin].has_hlo);
		assert_string_not_equal(c->binary.origins[bir->origin].layer, "Unknown");
	}
	assert_true(traced * 2 > graph->bir_count);
	assert_true(c->binary.has_hlo_statistics);
}

static void check_place(struct capture *c)
{
	const struct nx_origin *origin = &c->binary.origins[0];
	const struct nx_bir *bir = &c->binary.graphs[0].birs[0];

	assert_string_equal(origin->hlo_name, "%custom-call.1 = custom-call(%p4.5, %p3.4, %p2.3, "
					      "%p1.2, %p0.1, %constant.1)");
	assert_true(nx_slice_ends(nx_slice_text(origin->source_file), "/xla_op_registry.py"));
	assert_int_equal(origin->source_line, 44);
	assert_true(nx_slice_ends(nx_slice_text(bir->kernel_file), "/v6b_1_coalesce_down_dma.py"));
	assert_string_equal(bir->kernel_name, "__main__.nki_moe_v6b");
	assert_true(bir->kernel_line > 0);
}

static void test_origins(void **state)
{
	(void)state;
	for_each("neuron-raw/v6b.neff", check_place);
	for_each("neuron-raw/*.neff", check_origins);
	for_each("neuron-system/*/*.neff", check_origins);
}

/* The writer packs what the reader found, and the reader finds it again. */
static void check_rewrite(struct capture *c)
{
	struct nx_bytes again = {0};
	struct nx_neff neff;

	nx_neff_write(&c->neff.header, c->neff.members, c->neff.member_count, &again);
	assert_int_equal(nx_neff_read(nx_slice_of(again.items, again.len), &c->arena, &neff,
				      &c->err),
			 NX_OK);
	assert_int_equal(neff.member_count, c->neff.member_count);
	for (size_t i = 0; i < neff.member_count; i++) {
		assert_true(nx_slice_equal(neff.members[i].name, c->neff.members[i].name));
		assert_true(nx_slice_equal(neff.members[i].bytes, c->neff.members[i].bytes));
	}
	assert_string_equal(neff.header.name, c->neff.header.name);
	nx_vec_release(&again);
}

static void test_rewriting(void **state)
{
	(void)state;
	for_each("neuron-device/*/*.neff", check_rewrite);
	for_each("neuron-raw/*.neff", check_rewrite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_rows),  cmocka_unit_test(test_node_rows),
		cmocka_unit_test(test_instructions), cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_whole_files),  cmocka_unit_test(test_origins),
		cmocka_unit_test(test_rewriting),
	};

	if (access(NX_TEST_DATA, R_OK) != 0) {
		puts("1..0 # SKIP the real captures are not here");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
