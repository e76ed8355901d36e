/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every instruction row of real captures against what AWS's profiler wrote for
 * it: opcode, operand text to the character, and the byte counts. Semaphore
 * names belong to the NEFF's def.json; here they are taken from the texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "format/instruction.h"
#include "format/neff.h"
#include "format/ntff.h"

#define GRAPH_MAX 4

struct capture {
	struct nx_arena arena;
	struct nx_file golden_file, ntff_file, neff_file;
	struct nx_ntff ntff;
	struct nx_neff neff;
	const struct nx_json *rows;
	const struct nx_ntff_graph *graphs[GRAPH_MAX];
	const char *names[GRAPH_MAX][NX_SEMAPHORE_COUNT];
	size_t graph_count;
};

static const char *data_root(void)
{
	static char path[4096];
	const char *root = getenv("NX_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/../shared/data/neuron-device", root ? root : ".");
	return path;
}

static void map_first(struct nx_file *file, const char *directory, const char *wanted)
{
	char pattern[8192];
	struct nx_error err;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/%s", directory, wanted);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(nx_file_map(file, found.gl_pathv[0], &err), NX_OK);
	globfree(&found);
}

static void find_graphs(struct capture *c)
{
	for (size_t n = 0; n < c->ntff.info.nodes.count; n++) {
		const struct nx_ntff_node *node = &c->ntff.info.nodes.items[n];

		for (size_t g = 0; g < node->device.graphs.count; g++) {
			assert_true(c->graph_count < GRAPH_MAX);
			c->graphs[c->graph_count++] = &node->device.graphs.items[g];
		}
	}
}

static size_t graph_of(const struct capture *c, const struct nx_json *row)
{
	struct nx_slice name = nx_json_as_slice(nx_json_get(row, "subgraph"));

	for (size_t g = 0; g < c->graph_count; g++)
		if (nx_slice_equal(c->graphs[g]->name, name))
			return g;
	fail_msg("row of an unknown graph");
	return 0;
}

/* Remembers each "S[8] (qGpSimdDynamic)" of a text. */
static void learn_names(struct capture *c, size_t graph, const char *text)
{
	for (const char *p = text; p && (p = strstr(p, "S[")) != NULL; p++) {
		char *end;
		unsigned long index = strtoul(p + 2, &end, 10);
		size_t len = strcspn(end, ")");

		if (strncmp(end, "] (", 3) != 0 || index >= NX_SEMAPHORE_COUNT)
			continue;
		c->names[graph][index] = nx_arena_copy(&c->arena, nx_slice_of(end + 3, len - 3));
	}
}

static const char *text_of(struct capture *c, const struct nx_json *row, const char *key)
{
	return nx_json_as_text(nx_json_get(row, key), &c->arena, NULL);
}

static void open_capture(struct capture *c, const char *directory)
{
	struct nx_json *root;
	struct nx_error err;

	memset(c, 0, sizeof(*c));
	map_first(&c->golden_file, directory, "golden.json");
	map_first(&c->ntff_file, directory, "*.ntff");
	map_first(&c->neff_file, directory, "*.neff");
	assert_int_equal(nx_json_parse(c->golden_file.bytes, &c->arena, &root, &err), NX_OK);
	assert_int_equal(nx_ntff_read(c->ntff_file.bytes, &c->arena, &c->ntff, &err), NX_OK);
	assert_int_equal(nx_neff_read(c->neff_file.bytes, &c->arena, &c->neff, &err), NX_OK);
	c->rows = nx_json_get(root, "instruction");
	assert_non_null(c->rows);
	find_graphs(c);
	for (size_t i = 0; i < c->rows->count; i++) {
		const struct nx_json *row = &c->rows->children[i];

		learn_names(c, graph_of(c, row), text_of(c, row, "operands"));
		learn_names(c, graph_of(c, row), text_of(c, row, "compiler_operands"));
	}
}

static void close_capture(struct capture *c)
{
	nx_arena_release(&c->arena);
	nx_file_unmap(&c->golden_file);
	nx_file_unmap(&c->ntff_file);
	nx_file_unmap(&c->neff_file);
}

static const struct {
	const char *subgroup, *stem;
} engines[] = {{"Tensor", "PE"},
	       {"Scalar", "Activation"},
	       {"GpSimd", "Pool"},
	       {"Vector", "DVE"},
	       {"Sync", "SP"}};

static unsigned engine_of(const struct nx_json *row)
{
	for (unsigned e = 0; e < 5; e++)
		if (nx_slice_is(nx_json_as_slice(nx_json_get(row, "subgroup")),
				engines[e].subgroup))
			return e;
	fail_msg("row of an unknown engine");
	return 0;
}

static const uint8_t *device_slot(const struct capture *c, const struct nx_json *row)
{
	const struct nx_ntff_graph *graph = c->graphs[graph_of(c, row)];
	uint64_t at = nx_json_as_u64(nx_json_get(row, "pc"), UINT32_MAX) * NX_SLOT_BYTES;

	for (size_t i = 0; i < graph->code.count; i++) {
		const struct nx_ntff_code *code = &graph->code.items[i];
		struct nx_slice part =
			nx_slice_part(nx_ntff_code_bytes(&c->ntff, code), at, NX_SLOT_BYTES);

		if (code->engine == engine_of(row) && !code->is_function_section &&
		    part.len == NX_SLOT_BYTES)
			return part.data;
	}
	fail_msg("no code for a row");
	return NULL;
}

static const uint8_t *compiler_slot(const struct capture *c, const struct nx_json *row)
{
	struct nx_slice graph = c->graphs[graph_of(c, row)]->name;
	uint64_t at = nx_json_as_u64(nx_json_get(row, "compiler_pc"), UINT32_MAX) * NX_SLOT_BYTES;
	static const char *const digits[] = {"", "0"};

	for (unsigned i = 0; i < 2; i++) {
		char name[128];
		struct nx_slice part;

		snprintf(name, sizeof(name), "%.*s/%s%s.bin", (int)graph.len,
			 (const char *)graph.data, engines[engine_of(row)].stem, digits[i]);
		part = nx_slice_part(nx_neff_member(&c->neff, nx_slice_text(name)), at,
				     NX_SLOT_BYTES);
		if (part.len == NX_SLOT_BYTES)
			return part.data;
	}
	fail_msg("no compiler code for a row");
	return NULL;
}

static void check_text(struct capture *c, const struct nx_json *row, const uint8_t *slot,
		       const char *opcode, const char *operands)
{
	struct nx_instruction_context context = {(unsigned)c->ntff.info.arch,
						 c->names[graph_of(c, row)]};
	char text[NX_INSTRUCTION_TEXT_MAX], label[8];
	bool is_known = false;

	nx_instruction_text(slot, &context, text, sizeof(text), &is_known);
	assert_string_equal(nx_opcode_label(slot[0], label), opcode);
	assert_string_equal(text, operands);
	assert_true(is_known);
}

static void check_count(const struct nx_json *row, const char *key, bool has, uint64_t value)
{
	const struct nx_json *golden = nx_json_get(row, key);

	assert_int_equal(has, golden != NULL);
	if (golden)
		assert_int_equal(value, nx_json_as_u64(golden, UINT64_MAX));
}

static void check_effect(const struct capture *c, const struct nx_json *row, const uint8_t *slot)
{
	struct nx_instruction_effect e;

	nx_instruction_effect(slot, (unsigned)c->ntff.info.arch, &e);
	check_count(row, "elements", e.has_elements, e.elements);
	check_count(row, "sbuf_read_bytes", e.has_sbuf_read, e.sbuf_read_bytes);
	check_count(row, "sbuf_write_bytes", e.has_sbuf_write, e.sbuf_write_bytes);
	check_count(row, "psum_read_bytes", e.has_psum_read, e.psum_read_bytes);
	check_count(row, "psum_write_bytes", e.has_psum_write, e.psum_write_bytes);
	check_count(row, "hbm_read_bytes", e.has_hbm_read, e.hbm_read_bytes);
	check_count(row, "hbm_write_bytes", e.has_hbm_write, e.hbm_write_bytes);
	check_count(row, "psum_read_sbuf_write_bytes", e.is_psum_read_sbuf_write,
		    e.psum_read_sbuf_write_bytes);
	assert_int_equal(e.is_psum_read_sbuf_write,
			 nx_json_get(row, "is_psum_read_sbuf_write") != NULL);
}

/* The shown name of an ACTIVATE's function is the first word of its operands. */
static void check_activation(struct capture *c, const struct nx_json *row, const uint8_t *slot)
{
	char buf[4];

	assert_string_equal(text_of(c, row, "activation_fn"),
			    slot[0] == NX_OP_ACTIVATE ? nx_activation_name(slot[35], buf) : "");
}

static void check_capture(const char *name, size_t row_count, size_t compiler_count)
{
	struct capture *c = test_malloc(sizeof(*c));
	char directory[4200];
	size_t compiled = 0;

	snprintf(directory, sizeof(directory), "%s/%s", data_root(), name);
	open_capture(c, directory);
	assert_int_equal(c->rows->count, row_count);
	for (size_t i = 0; i < c->rows->count; i++) {
		const struct nx_json *row = &c->rows->children[i];
		const uint8_t *slot = device_slot(c, row);
		const char *compiler_opcode = text_of(c, row, "compiler_opcode");

		check_text(c, row, slot, text_of(c, row, "opcode"), text_of(c, row, "operands"));
		check_effect(c, row, slot);
		check_activation(c, row, slot);
		if (!compiler_opcode)
			continue;
		compiled++;
		check_text(c, row, compiler_slot(c, row), compiler_opcode,
			   text_of(c, row, "compiler_operands"));
	}
	assert_int_equal(compiled, compiler_count);
	close_capture(c);
	test_free(c);
}

static bool has_data(void)
{
	char path[4200];
	FILE *probe;

	snprintf(path, sizeof(path), "%s/fused_attention/golden.json", data_root());
	probe = fopen(path, "rb");
	if (probe)
		fclose(probe);
	return probe != NULL;
}

#define CAPTURE_TEST(name, row_count, compiler_count)                                              \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		check_capture(#name, row_count, compiler_count);                                   \
	}

CAPTURE_TEST(baseline_bf16_s512, 452, 14)
CAPTURE_TEST(baseline_fp32_s512, 458, 13)
CAPTURE_TEST(fused_attention, 442, 5)
CAPTURE_TEST(fused_bf16_s1024, 825, 6)
CAPTURE_TEST(fused_bf16_s512, 436, 6)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_baseline_bf16_s512),
		cmocka_unit_test(test_baseline_fp32_s512),
		cmocka_unit_test(test_fused_attention),
		cmocka_unit_test(test_fused_bf16_s1024),
		cmocka_unit_test(test_fused_bf16_s512),
	};

	if (!has_data()) {
		puts("1..0 # SKIP the real captures are not here");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
