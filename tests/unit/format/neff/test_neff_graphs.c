/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "format/neff.h"

/* Members as pairs of name and text, up to a NULL; what is read lives in the arena. */
static struct nx_arena arena;
static struct nx_bytes file;
static struct nx_neff neff;
static struct nx_error err;

static void add(struct nx_neff_member *members, size_t *count, const char *name, const char *text)
{
	members[(*count)++] = (struct nx_neff_member){nx_slice_text(name), nx_slice_text(text)};
}

static void read_members(const char *const *pairs)
{
	struct nx_neff_header header = {.package_version = 1, .core_count = 1};
	struct nx_neff_member members[16];
	size_t count = 0;

	for (; pairs[0]; pairs += 2)
		add(members, &count, pairs[0], pairs[1]);
	nx_vec_clear(&file);
	nx_neff_write(&header, members, count, &file);
	assert_int_equal(nx_neff_read(nx_slice_of(file.items, file.len), &arena, &neff, &err),
			 NX_OK);
}

#define READ(...) read_members((const char *const[]){__VA_ARGS__, NULL})
#define KELF "kelf-0.json", "{\"graphs\":[{\"name\":\"sg00\",\"definition\":\"sg00/def.json\"}]}"
#define ONE_GRAPH(...) READ(KELF, "sg00/def.json", __VA_ARGS__)

static int end(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	nx_vec_release(&file);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, NULL, end)

static const char *problem_of(const char *path)
{
	for (size_t i = 0; i < neff.problem_count; i++)
		if (!strcmp(neff.problems[i].path, path))
			return neff.problems[i].text;
	return "";
}

/* --- finding the graphs ------------------------------------------------------------- */

static void test_nodes_name_the_graphs(void **state)
{
	(void)state;
	READ("neff.json",
	     "{\"nodes\":[{},{\"attrs\":{\"func_name\":\"__kelf\",\"kelf\":\"./kelf-7.json\"}}]}",
	     KELF, "kelf-7.json",
	     "{\"target\":\"sunda\",\"graphs\":[{\"name\":\"x\",\"definition\":\"./a/b.json\"}]}",
	     "a/b.json", "{\"var\":{}}", "sg00/def.json", "{\"var\":{}}");
	assert_int_equal(neff.kelf_node, 1);
	assert_string_equal(neff.target, "sunda");
	assert_int_equal(neff.graph_count, 1);
	assert_string_equal(neff.graphs[0].name, "x");
	assert_string_equal(neff.graphs[0].path, "a/b.json");
	assert_string_equal(neff.graphs[0].folder, "a/");
	assert_int_equal(nx_neff_check_program(&neff, &err), NX_OK);
}

static void test_graphs_without_nodes(void **state)
{
	(void)state;
	ONE_GRAPH("{\"var\":{}}");
	assert_int_equal(neff.graph_count, 1);
	assert_non_null(strstr(problem_of("neff.json"), "is missing"));
	assert_non_null(strstr(problem_of("sg00/tensor_map.json"), "shapes"));
	assert_int_equal(nx_neff_check_program(&neff, &err), NX_OK);
}

static void expect_no_program(const char *part)
{
	assert_int_equal(nx_neff_check_program(&neff, &err), NX_FORMAT);
	if (!strstr(err.message, part))
		print_message("# %s\n", err.message);
	assert_non_null(strstr(err.message, part));
}

static void test_what_cannot_run(void **state)
{
	(void)state;
	READ("readme", "nothing");
	expect_no_program("kelf-0.json names no graph");
	READ("kelf-0.json", "{");
	expect_no_program("kelf-0.json is damaged");
	READ("kelf-0.json", "{\"graphs\":[7,{},{\"definition\":8}]}");
	expect_no_program("kelf-0.json names no graph");
	READ(KELF, "readme", "");
	expect_no_program("sg00/def.json is missing");
	ONE_GRAPH("{\"var\":");
	expect_no_program("sg00/def.json is damaged");
	ONE_GRAPH("[1]");
	expect_no_program("sg00/def.json is not a JSON object");
	assert_int_equal(neff.graph_count, 0);
	ONE_GRAPH("{\"var\":3}");
	expect_no_program("sg00/def.json declares no variables");
	assert_int_equal(neff.graph_count, 1); /* its instructions may still be looked at */
}

static void test_a_definition_named_too_often(void **state)
{
	struct nx_bytes kelf = {0};

	(void)state;
	nx_bytes_append(&kelf, "{\"graphs\":[", 11);
	for (int i = 0; i < 1000; i++)
		nx_bytes_append(&kelf, "{\"definition\":\"d.json\"},", 24);
	nx_bytes_append(&kelf, "0]}", 4);
	READ("kelf-0.json", (const char *)kelf.items, "d.json", "{\"var\":{}}");
	assert_int_equal(neff.graph_count, 8);
	assert_non_null(strstr(problem_of("d.json"), "more than 8 times"));
	assert_int_equal(neff.problem_count, 257);
	expect_no_program("d.json is named more than 8 times");
	nx_vec_release(&kelf);
}

/* --- variables ------------------------------------------------------------------------ */

static void expect_shape(const struct nx_neff_shape *shape, int64_t first, int64_t second)
{
	assert_int_equal(shape->dims, 2);
	assert_int_equal(shape->sizes[0], first);
	assert_int_equal(shape->sizes[1], second);
}

static void test_variables(void **state)
{
	const struct nx_neff_variable *v;

	(void)state;
	ONE_GRAPH("{\"var\":{"
		  "\"b\":{\"type\":\"virtual\",\"var_id\":3,\"size\":32,"
		  "\"backing_variable_off\":64},"
		  "\"a\":{\"type\":\"input\",\"var_id\":1,\"size\":100},"
		  "\"none\":7,"
		  "\"c\":{\"type\":\"file\",\"var_id\":2,\"size\":16,\"#file-name\":\"c.npy\"},"
		  "\"d\":{\"type\":\"file\",\"file_name\":\"d.npy\"},"
		  "\"t\":{\"type\":\"dge-table\",\"list\":[3,-1]},"
		  "\"o\":{\"type\":\"new\"}}}",
		  "sg00/tensor_map.json",
		  "{\"a\":{\"dtype\":\"float32\",\"sim_shape\":[2,3],\"tf_shape\":[4,5],"
		  "\"tf_format\":\"NC\"},"
		  "\"else\":{\"tf_file\":\"c.npy\",\"sim_shape\":[],\"tf_shape\":[6,7],"
		  "\"sim_format\":\"CRSM\"},\"d\":{\"dtype\":\"int8\"}}");
	v = neff.graphs[0].variables;
	assert_int_equal(neff.graphs[0].variable_count, 6);
	assert_string_equal(v[0].name, "b");
	assert_int_equal(v[0].kind, NX_VARIABLE_VIRTUAL);
	assert_int_equal(v[0].scratch_offset, 64);
	assert_int_equal(neff.graphs[0].scratch_bytes, 96);
	assert_int_equal(v[1].id, 1);
	assert_int_equal(v[1].tensor, 0);
	assert_ptr_equal(neff.tensors[0], &v[1]);
	expect_shape(&v[1].shape, 2, 3);
	expect_shape(&v[1].framework_shape, 4, 5);
	assert_string_equal(v[1].format, "NC");
	assert_string_equal(v[2].file_name, "c.npy"); /* the older spelling */
	expect_shape(&v[2].shape, 6, 7);	      /* an empty shape says nothing */
	assert_string_equal(v[2].format, "CRSM");
	assert_string_equal(v[3].dtype, ""); /* constants are known by file, not by name */
	assert_int_equal(v[4].list_count, 2);
	assert_int_equal(v[4].list[0], 3);
	assert_int_equal(v[4].list[1], NX_NO_INDEX);
	assert_int_equal(v[5].kind, NX_VARIABLE_OTHER);
	assert_int_equal(v[5].id, UINT64_MAX);
	assert_string_equal(v[5].type, "new");
}

static void test_scratch_beyond_memory(void **state)
{
	(void)state;
	ONE_GRAPH(("{\"var\":{\"v\":{\"type\":\"virtual\",\"size\":18446744073709551615,"
		   "\"backing_variable_off\":2}}}"));
	assert_int_equal(neff.graphs[0].scratch_bytes, UINT64_MAX);
}

static void test_graphs_share_tensors(void **state)
{
	(void)state;
	READ("kelf-0.json", "{\"graphs\":[{\"definition\":\"a/d\"},{\"definition\":\"b/d\"}]}",
	     "a/d", "{\"var\":{\"x\":{\"type\":\"input\",\"size\":1}}}", "b/d",
	     "{\"var\":{\"y\":{\"type\":\"output\"},\"x\":{\"type\":\"input\",\"size\":2}}}");
	assert_int_equal(neff.tensor_count, 2);
	assert_int_equal(neff.tensors[0]->size_bytes, 1);
	assert_string_equal(neff.tensors[1]->name, "y");
	assert_int_equal(neff.graphs[1].variables[1].tensor, 0);
}

/* --- engines, queues and ranks ------------------------------------------------------- */

static void test_engines(void **state)
{
	const struct nx_neff_engine *engines;

	(void)state;
	ONE_GRAPH(("{\"var\":{},\"pe\":\"PE.json\",\"pe_instr\":\"./PE.bin\",\"act\":\"old.json\","
		   "\"pe_dbg\":\"one.dbg\",\"pe_asm_dbg\":[\"x\",\"y\"],\"dma_dbg\":[\"z\"],"
		   "\"sp_instr\":\"gone.bin\",\"runtime_semaphore_count\":5}"),
		  "sg00/PE.bin", "pe code", "sg00/old.json", "{\"instr\":\"old.bin\"}",
		  "sg00/old.bin", "act code");
	engines = neff.graphs[0].engines;
	assert_string_equal(engines[NX_ENGINE_TENSOR].table, "sg00/PE.json");
	assert_true(nx_slice_is(engines[NX_ENGINE_TENSOR].code, "pe code"));
	assert_int_equal(engines[NX_ENGINE_TENSOR].backend_debug.count, 1);
	assert_string_equal(engines[NX_ENGINE_TENSOR].backend_debug.items[0], "sg00/one.dbg");
	assert_string_equal(engines[NX_ENGINE_TENSOR].asm_debug.items[1], "sg00/y");
	assert_string_equal(neff.graphs[0].dma_debug.items[0], "sg00/z");
	/* old definitions name the stream in the engine's own file */
	assert_string_equal(engines[NX_ENGINE_SCALAR].stream, "sg00/old.bin");
	assert_true(nx_slice_is(engines[NX_ENGINE_SCALAR].code, "act code"));
	assert_string_equal(engines[NX_ENGINE_SYNC].stream, "sg00/gone.bin");
	assert_int_equal(engines[NX_ENGINE_SYNC].code.len, 0);
	assert_string_equal(engines[NX_ENGINE_VECTOR].stream, "");
	assert_int_equal(neff.graphs[0].runtime_semaphore_count, 5);
}

static void test_queues(void **state)
{
	const struct nx_neff_queue *queues;

	(void)state;
	ONE_GRAPH("{\"var\":{},\"dma_queue\":{"
		  "\"q\":{\"owner\":\"sp\",\"type\":\"in\",\"num_queues\":16,"
		  "\"semaphore_set\":[4,5],\"semaphore\":9},"
		  "\"r\":{\"dynamic_dma\":{\"SB_scratch_partition_offset\":1,"
		  "\"SB_scratch_partition_size\":2}}}}");
	queues = neff.graphs[0].queues;
	assert_int_equal(neff.graphs[0].queue_count, 2);
	assert_int_equal(queues[0].ring_count, 16);
	assert_int_equal(queues[0].semaphore_count, 3);
	assert_int_equal(queues[0].semaphores[2], 9);
	assert_false(queues[0].has_scratch);
	assert_true(queues[1].has_scratch);
	assert_int_equal(queues[1].scratch_bytes, 2);
	assert_int_equal(queues[1].ring_count, NX_NO_INDEX);
	assert_int_equal(neff.graphs[0].runtime_semaphore_count, 3);
}

static void test_ranks(void **state)
{
	const struct nx_neff_graph *graph;

	(void)state;
	ONE_GRAPH(("{\"var\":{},\"#rank_world_size\":2,\"replica_groups\":[[[0,1],[2]],[[5]]],"
		   "\"src_target_pairs\":[[0,1],[1,0]],\"cc_element_counts\":[[3,-1],[]]}"));
	graph = &neff.graphs[0];
	assert_int_equal(neff.world_size, 6);
	assert_int_equal(graph->replica_groups.count, 2);
	assert_int_equal(graph->replica_groups.items[0].count, 2);
	assert_int_equal(graph->replica_groups.items[0].items[0].items[1], 1);
	/* a flat list is one choice */
	assert_int_equal(graph->source_target_pairs.count, 1);
	assert_int_equal(graph->source_target_pairs.items[0].count, 2);
	assert_int_equal(graph->source_target_pairs.items[0].items[1].items[0], 1);
	assert_int_equal(graph->element_counts.count, 2);
	assert_int_equal(graph->element_counts.items[0].items[1], NX_NO_INDEX);
	ONE_GRAPH("{\"var\":{},\"#rank_world_size\":65537}");
	assert_int_equal(neff.world_size, 0);
}

static void test_collectives(void **state)
{
	char code[2 * 64 + 1];

	(void)state;
	memset(code, 1, sizeof(code));
	code[64] = (char)0xd9;
	code[128] = '\0';
	ONE_GRAPH("{\"var\":{},\"sp_instr\":\"SP.bin\"}", "sg00/table_bkt.bin", code);
	assert_false(nx_neff_graph_has_collectives(&neff.graphs[0]));
	ONE_GRAPH("{\"var\":{},\"sp_instr\":\"SP.bin\"}", "sg00/SP.bin", code);
	assert_true(nx_neff_graph_has_collectives(&neff.graphs[0]));
}

/* --- static DMA ------------------------------------------------------------------------ */

static void read_table(const char *text, struct nx_neff_table *table)
{
	ONE_GRAPH("{\"var\":{\"a\":{\"type\":\"input\"},\"b\":{\"type\":\"output\"}}}");
	assert_int_equal(nx_neff_table_read(&neff.graphs[0], nx_slice_text(text), &arena, table,
					    &err),
			 NX_OK);
}

static void test_blocks(void **state)
{
	struct nx_neff_table table;
	const struct nx_neff_descriptor *d;

	(void)state;
	read_table("{\"dma\":[{\"instance_name\":\"q\",\"id\":4,\"desc\":["
		   "{\"from\":\"a\",\"from_off\":8,\"from_dtype\":\"int8\",\"from_sizes\":[64,2],"
		   "\"from_steps\":[1],\"to\":\"nobody\"},"
		   "{\"transpose_op\":\"WZXY\",\"transpose_element_size\":2},"
		   "{\"transpose_op\":\"other\"},{\"op\":\"swap\"},{\"op\":\"cast\"}]}],"
		   "\"activation_function_sets\":[\"few\"]}",
		   &table);
	assert_int_equal(table.block_count, 1);
	assert_string_equal(table.blocks[0].queue, "q");
	assert_int_equal(table.blocks[0].id, 4);
	assert_int_equal(table.blocks[0].semaphore, NX_NO_INDEX);
	assert_int_equal(table.blocks[0].descriptor_count, 5);
	d = table.blocks[0].descriptors;
	assert_int_equal(d[0].op, NX_DMA_COPY); /* when absent */
	assert_string_equal(d[0].op_name, "copy");
	assert_int_equal(d[0].from[0].variable, 0);
	assert_int_equal(d[0].from[0].offset, 8);
	assert_string_equal(d[0].from[0].dtype_name, "int8");
	assert_int_equal(d[0].from[0].dims, 2);
	assert_int_equal(d[0].from[0].sizes[0], 64);
	assert_int_equal(d[0].from[0].steps[1], 0);
	assert_int_equal(d[0].to.variable, NX_NO_INDEX);
	assert_string_equal(d[0].to.name, "nobody");
	assert_int_equal(d[1].op, NX_DMA_TRANSPOSE);
	assert_string_equal(d[1].op_name, "transpose");
	assert_int_equal(d[1].element_bytes, 2);
	assert_int_equal(d[2].op, NX_DMA_UNKNOWN);
	assert_int_equal(d[3].op, NX_DMA_UNKNOWN);
	assert_string_equal(d[3].op_name, "swap");
	assert_int_equal(d[4].op, NX_DMA_CAST);
	assert_int_equal(table.activation_set_count, 1);
	assert_string_equal(table.activation_sets[0], "few");
}

/* Sources are objects, names, or objects that leave their shape to the descriptor. */
static void test_sources_of_a_sum(void **state)
{
	struct nx_neff_table table;
	const struct nx_neff_descriptor *d;

	(void)state;
	read_table(
		"{\"dma\":[{\"queue\":\"q\",\"desc\":[{\"op\":\"add\",\"from_off\":7,"
		"\"from_sizes\":[16],\"from_arr\":["
		"{\"from\":\"b\",\"from_off\":1,\"from_sizes\":[8]},\"a\",{\"from\":\"b\"}]}]}]}",
		&table);
	d = &table.blocks[0].descriptors[0];
	assert_int_equal(d->op, NX_DMA_ADD);
	assert_int_equal(d->from_count, 3);
	assert_int_equal(d->from[0].variable, 1);
	assert_int_equal(d->from[0].offset, 1);
	assert_int_equal(d->from[0].sizes[0], 8);
	assert_int_equal(d->from[1].variable, 0);
	assert_int_equal(d->from[1].offset, 7);
	assert_int_equal(d->from[1].sizes[0], 16);
	assert_int_equal(d->from[2].variable, 1);
	assert_int_equal(d->from[2].sizes[0], 16);
}

static void test_odd_tables(void **state)
{
	struct nx_neff_table table;

	(void)state;
	read_table("{\"dma\":[7,{\"desc\":[null]}],\"activation_function_sets\":3}", &table);
	assert_int_equal(table.block_count, 2);
	assert_int_equal(table.blocks[1].descriptor_count, 1);
	assert_int_equal(table.blocks[1].descriptors[0].from_count, 1);
	assert_int_equal(table.activation_set_count, 0);
	assert_int_equal(nx_neff_table_read(&neff.graphs[0], nx_slice_text("[}"), &arena, &table,
					    &err),
			 NX_FORMAT);
	assert_int_equal(table.block_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_nodes_name_the_graphs),
		CASE(test_graphs_without_nodes),
		CASE(test_what_cannot_run),
		CASE(test_a_definition_named_too_often),
		CASE(test_variables),
		CASE(test_scratch_beyond_memory),
		CASE(test_graphs_share_tensors),
		CASE(test_engines),
		CASE(test_queues),
		CASE(test_ranks),
		CASE(test_collectives),
		CASE(test_blocks),
		CASE(test_sources_of_a_sum),
		CASE(test_odd_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
