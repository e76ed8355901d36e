/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/hierarchy.h"

/*
 * Net/Linear is made of BIR 0 (penguin 8) and BIR 1 (penguin 9), Net/Relu of BIR 2. BIR 3 ends at
 * its penguin, BIR 4 before it. Each engine's slot n comes from BIR n.
 */
static struct nx_origin origins[] = {
	{.penguin_id = 8,
	 .penguin_name = "%a",
	 .has_hlo = true,
	 .hlo_id = 28,
	 .hlo_name = "%dot",
	 .has_framework = true,
	 .framework_id = 4,
	 .framework_name = "Net/Linear"},
	{.penguin_id = 9,
	 .penguin_name = "%b",
	 .has_hlo = true,
	 .hlo_id = 28,
	 .hlo_name = "%dot",
	 .has_framework = true,
	 .framework_id = 4,
	 .framework_name = "Net/Linear"},
	{.penguin_id = 10,
	 .penguin_name = "%c",
	 .has_hlo = true,
	 .hlo_id = 29,
	 .hlo_name = "%max",
	 .has_framework = true,
	 .framework_id = 5,
	 .framework_name = "Net/Relu"},
	{.penguin_id = 11, .penguin_name = "%d"},
};
static struct nx_bir birs[] = {
	{.id = 100, .name = "i0", .has_penguin = true, .penguin_id = 8, .origin = 0},
	{.id = 101, .name = "i1", .has_penguin = true, .penguin_id = 9, .origin = 1},
	{.id = 102, .name = "i2", .has_penguin = true, .penguin_id = 10, .origin = 2},
	{.id = 103, .name = "i3", .has_penguin = true, .penguin_id = 11, .origin = 3},
	{.id = 104, .name = "i4", .origin = NX_NONE},
};
static struct nx_binary_graph graph = {.birs = birs, .bir_count = 5};

struct kept { /* a copy of what was handed out */
	struct nx_hierarchy_node node;
	struct nx_interval intervals[8];
	size_t interval_count;
};

struct fixture {
	struct nx_profile profile;
	struct nx_slot slots[6]; /* the last comes from no BIR */
	struct nx_operand operand;
	struct nx_hierarchy h;
	NX_VEC(struct kept) out;
};

static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->profile.binary.origins = origins;
	f->profile.binary.origin_count = 4;
	f->profile.capture.graph_count = 2;
	f->profile.program.operands = &f->operand;
	for (uint32_t i = 0; i < 6; i++)
		f->slots[i].bir = i < 5 ? i : NX_NONE;
	for (unsigned g = 0; g < 2; g++) {
		f->profile.program.binary_graphs[g] = &graph;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			f->profile.program.slots[g][e] = f->slots;
	}
	nx_hierarchy_init(&f->h, &f->profile);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_hierarchy_release(&f->h);
	nx_vec_release(&f->out);
	nx_heap_free(f);
	return 0;
}

static void run_on(struct fixture *f, uint8_t core, enum nx_engine engine, uint32_t slot,
		   uint64_t start_ns, uint64_t end_ns)
{
	struct nx_instruction row = {.start_ps = start_ns * 1000,
				     .end_ps = end_ns * 1000,
				     .slot = slot,
				     .graph = core,
				     .engine = (uint8_t)engine};

	nx_hierarchy_add(&f->h, &row);
}

static void keep(void *context, const struct nx_hierarchy_node *node,
		 const struct nx_intervals *intervals)
{
	struct fixture *f = context;
	struct kept kept = {.node = *node, .interval_count = intervals->len};

	assert_true(intervals->len <= 8);
	memcpy(kept.intervals, intervals->items, intervals->len * sizeof(*intervals->items));
	nx_vec_push(&f->out, kept);
}

static void finish(struct fixture *f)
{
	struct nx_error err;

	assert_int_equal(nx_hierarchy_finish(&f->h, keep, f, &err), NX_OK);
}

/* The nth node of a level; NULL when there are fewer. */
static const struct kept *node_at(const struct fixture *f, enum nx_hierarchy_level level,
				  unsigned nth)
{
	for (size_t i = 0; i < f->out.len; i++)
		if (f->out.items[i].node.level == level && nth-- == 0)
			return &f->out.items[i];
	return NULL;
}

static void assert_interval(const struct kept *kept, size_t at, uint64_t start_ns, uint64_t end_ns)
{
	assert_true(at < kept->interval_count);
	assert_int_equal(kept->intervals[at].start_ps, start_ns * 1000);
	assert_int_equal(kept->intervals[at].end_ps, end_ns * 1000);
}

static void an_instruction_counts_at_every_level(void **state)
{
	static const char *const names[] = {"i0", "%a", "%dot", "Net/Linear", "Net", "Net/Linear"};
	static const uint64_t ids[][4] = {{100, 8, 28, 4}, {0, 8, 28, 4}, {0, 0, 28, 4},
					  {0, 0, 0, 4},	   {0, 0, 0, 0},  {0, 0, 0, 0}};
	struct fixture *f = *state;

	run_on(f, 1, NX_ENGINE_TENSOR, 0, 10, 20);
	finish(f);
	assert_int_equal(f->out.len, 6);
	for (unsigned i = 0; i < 6; i++) {
		const struct nx_hierarchy_node *node = &f->out.items[i].node;

		assert_int_equal(node->level, i < 5 ? i : NX_LEVEL_MODULE);
		assert_true(nx_slice_is(node->name, names[i]));
		assert_int_equal(node->bir_id, ids[i][0]);
		assert_int_equal(node->penguin_id, ids[i][1]);
		assert_int_equal(node->hlo_id, ids[i][2]);
		assert_int_equal(node->framework_id, ids[i][3]);
		assert_int_equal(node->id, i < 5 ? 1 : 2);
		assert_int_equal(node->start_ps, 10000);
		assert_int_equal(node->end_ps, 20000);
		assert_int_equal(f->out.items[i].interval_count, 1);
	}
	assert_int_equal(f->out.items[0].node.graph, 1);
}

static void chains_end_where_their_records_end(void **state)
{
	struct fixture *f = *state;

	run_on(f, 0, NX_ENGINE_SYNC, 5, 1, 2);
	run_on(f, 0, NX_ENGINE_SYNC, 3, 3, 4);
	run_on(f, 0, NX_ENGINE_SYNC, 4, 5, 6);
	finish(f);
	assert_int_equal(f->out.len, 3);
	assert_int_equal(node_at(f, NX_LEVEL_BIR, 0)->node.bir_id, 103);
	assert_int_equal(node_at(f, NX_LEVEL_BIR, 0)->node.penguin_id, 11);
	assert_int_equal(node_at(f, NX_LEVEL_BIR, 0)->node.hlo_id, 0);
	assert_int_equal(node_at(f, NX_LEVEL_BIR, 1)->node.bir_id, 104);
	assert_int_equal(node_at(f, NX_LEVEL_BIR, 1)->node.penguin_id, 0);
	assert_int_equal(node_at(f, NX_LEVEL_PENGUIN, 0)->node.penguin_id, 11);
	assert_null(node_at(f, NX_LEVEL_PENGUIN, 1));
}

/* Compilers number from the same start in each model. */
static void models_with_the_same_ids_stay_apart(void **state)
{
	struct nx_graph graphs[2] = {{.model_idx = 0}, {.model_idx = 1}};
	struct fixture *f = *state;

	nx_hierarchy_release(&f->h);
	f->profile.capture.graphs = graphs;
	f->profile.capture.model_count = 2;
	nx_hierarchy_init(&f->h, &f->profile);
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 10, 20);
	run_on(f, 1, NX_ENGINE_TENSOR, 0, 15, 30);
	finish(f);
	for (unsigned level = NX_LEVEL_BIR; level <= NX_LEVEL_FRAMEWORK; level++) {
		assert_int_equal(node_at(f, level, 0)->interval_count, 1);
		assert_interval(node_at(f, level, 1), 0, 15, 30);
	}
}

/* Core 0 runs BIR 0 twice, core 1 once: three nodes of BIRs would be wrong, one too. */
static void levels_above_gather_cores_and_executions(void **state)
{
	struct fixture *f = *state;
	const struct kept *bir, *penguin;

	run_on(f, 0, NX_ENGINE_TENSOR, 0, 10, 20);
	run_on(f, 1, NX_ENGINE_TENSOR, 0, 15, 30);
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 50, 60);
	finish(f);
	bir = node_at(f, NX_LEVEL_BIR, 0);
	assert_int_equal(bir->interval_count, 2);
	assert_interval(bir, 0, 10, 20);
	assert_interval(bir, 1, 50, 60);
	bir = node_at(f, NX_LEVEL_BIR, 1);
	assert_int_equal(bir->node.graph, 1);
	assert_int_equal(bir->interval_count, 1);
	assert_null(node_at(f, NX_LEVEL_BIR, 2));
	penguin = node_at(f, NX_LEVEL_PENGUIN, 0);
	assert_int_equal(penguin->interval_count, 2);
	assert_interval(penguin, 0, 10, 30);
	assert_interval(penguin, 1, 50, 60);
}

static void what_touches_in_nanoseconds_is_one_interval(void **state)
{
	struct nx_instruction rows[] = {{.start_ps = 1000, .end_ps = 2100},
					{.start_ps = 2900, .end_ps = 3000},
					{.start_ps = 4000, .end_ps = 5000}};
	struct fixture *f = *state;

	for (unsigned i = 0; i < 3; i++)
		nx_hierarchy_add(&f->h, &rows[i]);
	finish(f);
	assert_int_equal(f->out.items[0].interval_count, 2);
	assert_int_equal(f->out.items[0].intervals[0].end_ps, 3000);
}

static void costs_fall_into_their_interval(void **state)
{
	struct fixture *f = *state;
	const struct kept *k;

	f->slots[0] = (struct nx_slot){.bir = 0, .flags = NX_SLOT_MATMUL, .elements = 100};
	f->slots[1] = (struct nx_slot){.bir = 1,
				       .flags = NX_SLOT_MATMUL,
				       .elements = 7,
				       .instruction_type = NX_TYPE_TRANSPOSE};
	f->slots[2] = (struct nx_slot){.bir = 2,
				       .flags = NX_SLOT_HBM_READ | NX_SLOT_SBUF_WRITE,
				       .hbm_read_bytes = 64,
				       .sbuf_write_bytes = 64};
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 10, 20);
	run_on(f, 0, NX_ENGINE_TENSOR, 1, 12, 25);
	run_on(f, 0, NX_ENGINE_SYNC, 2, 26, 30);
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 26, 35);
	finish(f);
	k = node_at(f, NX_LEVEL_MODULE, 0); /* Net */
	assert_int_equal(k->interval_count, 2);
	assert_int_equal(k->intervals[0].element_count, 107);
	assert_int_equal(k->intervals[0].transpose_element_count, 7);
	assert_int_equal(k->intervals[0].hbm_bytes, 0);
	assert_int_equal(k->intervals[1].element_count, 100);
	assert_int_equal(k->intervals[1].hbm_bytes, 64);
	assert_int_equal(k->node.element_count, 207);
	assert_int_equal(k->node.transpose_element_count, 7);
	assert_int_equal(k->node.hbm_read_bytes, 64);
	assert_true(k->node.has_sbuf_write && k->node.has_dma && k->node.has_matmul);
	assert_false(k->node.has_sbuf_read || k->node.has_weights);
	k = node_at(f, NX_LEVEL_FRAMEWORK, 1); /* Net/Relu */
	assert_false(k->node.has_matmul);
	assert_int_equal(k->node.hbm_read_bytes, 64);
}

static void engines_are_told_apart_above_hlo(void **state)
{
	struct fixture *f = *state;
	const struct nx_engine_costs *costs;

	f->operand.partition_count = 96;
	f->slots[0] = (struct nx_slot){.bir = 0, .operand_count = 1};
	f->slots[1] = (struct nx_slot){.bir = 1, .flags = NX_SLOT_WAITS_ONLY};
	run_on(f, 0, NX_ENGINE_VECTOR, 0, 10, 20);
	run_on(f, 0, NX_ENGINE_VECTOR, 0, 15, 22);
	run_on(f, 0, NX_ENGINE_VECTOR, 1, 40, 90);
	run_on(f, 0, NX_ENGINE_SCALAR, 1, 40, 90);
	f->operand.partition_count = 255; /* a lie */
	run_on(f, 0, NX_ENGINE_SCALAR, 0, 95, 96);
	finish(f);
	assert_null(node_at(f, NX_LEVEL_HLO, 0)->node.engines);
	costs = node_at(f, NX_LEVEL_FRAMEWORK, 0)->node.engines;
	assert_int_equal(costs->instruction_count[NX_ENGINE_VECTOR], 3);
	assert_int_equal(costs->instruction_count[NX_ENGINE_SCALAR], 2);
	assert_int_equal(costs->instruction_count[NX_ENGINE_SYNC], 0);
	assert_int_equal(costs->channel_count[NX_ENGINE_VECTOR], 192);
	assert_int_equal(costs->channel_count[NX_ENGINE_SCALAR], NX_PARTITION_COUNT);
	assert_int_equal(nx_span_union_length(&costs->busy[NX_ENGINE_VECTOR]), 12000);
	assert_int_equal(nx_span_union_length(&costs->busy[NX_ENGINE_SCALAR]), 1000);
}

static void weights_are_what_their_loads_read(void **state)
{
	struct fixture *f = *state;

	f->slots[0] = (struct nx_slot){.bir = 0,
				       .flags = NX_SLOT_LOAD_WEIGHTS | NX_SLOT_SBUF_READ,
				       .sbuf_read_bytes = 256};
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 1, 2);
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 3, 4);
	finish(f);
	assert_true(f->out.items[0].node.has_weights);
	assert_int_equal(f->out.items[0].node.weight_bytes, 512);
	assert_int_equal(f->out.items[0].node.sbuf_read_bytes, 512);
}

static void paths_make_a_tree(void **state)
{
	struct fixture *f = *state;
	const struct nx_module *modules;
	struct nx_ids ids = {0};

	run_on(f, 0, NX_ENGINE_TENSOR, 2, 1, 2); /* Net/Relu first */
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 3, 4);
	finish(f);
	modules = f->h.modules.items;
	assert_int_equal(f->h.modules.len, 3); /* Net, Net/Relu, Net/Linear */
	assert_int_equal(modules[0].parent, NX_NONE);
	assert_int_equal(modules[0].first_child, 1);
	assert_int_equal(modules[1].next_sibling, 2);
	assert_int_equal(modules[2].next_sibling, NX_NONE);
	assert_int_equal(modules[2].parent, 0);
	nx_hierarchy_operations(&f->h, 0, &ids);
	assert_int_equal(ids.len, 2);
	assert_int_equal(ids.items[0], 1);
	assert_int_equal(ids.items[1], 2);
	nx_vec_clear(&ids);
	nx_hierarchy_operations(&f->h, 1, &ids);
	assert_int_equal(ids.len, 1); /* not those of its sibling */
	assert_int_equal(ids.items[0], 1);
	nx_vec_release(&ids);
}

/* Runs BIR 0 with a framework operation of the name; returns the number of modules. */
static size_t module_count_of(struct fixture *f, const char *name)
{
	size_t count;

	origins[0].framework_name = name;
	run_on(f, 0, NX_ENGINE_TENSOR, 0, 1, 2);
	origins[0].framework_name = "Net/Linear";
	finish(f);
	count = f->h.modules.len;
	return count;
}

static void slashes_at_the_ends_make_no_modules(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(module_count_of(f, "/model//layer"), 2);
	assert_true(nx_slice_is(node_at(f, NX_LEVEL_MODULE, 0)->node.name, "/model"));
	assert_true(nx_slice_is(node_at(f, NX_LEVEL_MODULE, 1)->node.name, "/model//layer"));
}

static void an_operation_without_a_name_is_in_no_module(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(module_count_of(f, ""), 0);
	assert_int_equal(node_at(f, NX_LEVEL_FRAMEWORK, 0)->node.framework_id, 4);
}

static void the_depth_of_a_tree_is_bounded(void **state)
{
	struct fixture *f = *state;
	char name[2001] = {0};

	for (size_t i = 0; i < 2000; i++)
		name[i] = i % 2 ? '/' : 'a';
	assert_int_equal(module_count_of(f, name), NX_MODULE_DEPTH_MAX);
	assert_int_equal(node_at(f, NX_LEVEL_MODULE, NX_MODULE_DEPTH_MAX - 1)->node.name.len, 2000);
}

static void nothing_executed_is_nothing(void **state)
{
	struct fixture *f = *state;

	finish(f);
	assert_int_equal(f->out.len, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_instruction_counts_at_every_level),
		TEST(chains_end_where_their_records_end),
		TEST(models_with_the_same_ids_stay_apart),
		TEST(levels_above_gather_cores_and_executions),
		TEST(what_touches_in_nanoseconds_is_one_interval),
		TEST(costs_fall_into_their_interval),
		TEST(engines_are_told_apart_above_hlo),
		TEST(weights_are_what_their_loads_read),
		TEST(paths_make_a_tree),
		TEST(slashes_at_the_ends_make_no_modules),
		TEST(an_operation_without_a_name_is_in_no_module),
		TEST(the_depth_of_a_tree_is_bounded),
		TEST(nothing_executed_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
