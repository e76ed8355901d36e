/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "tests/unit/tables/made_rows.h"
#include "tests/unit/tables/table_fixture.h"

/* One MATMUL of 100 elements and one DMA, both of Net/Linear, on an array of 10 x 5 at 1 GHz:
 * 50 elements per ns and core. */
static const struct nx_hardware hardware = {
	.tensor_clock_ghz = 1, .array_rows = 10, .array_columns = 5, .hbm_bytes_per_s = 1000000000};
static struct nx_origin origins[] = {{.penguin_id = 8,
				      .penguin_name = "%a",
				      .has_hlo = true,
				      .hlo_id = 28,
				      .hlo_name = "%dot",
				      .has_framework = true,
				      .framework_id = 4,
				      .framework_name = "Net/\"Linear\""}};
static struct nx_bir birs[] = {
	{.id = UINT64_C(1) << 48 | 3, .name = "i0", .has_penguin = true, .penguin_id = 8}};
static struct nx_binary_graph graph = {.birs = birs, .bir_count = 1};
static struct nx_slot slots[] = {
	{.flags = NX_SLOT_MATMUL, .elements = 100, .operand_count = 1},
	{.flags = NX_SLOT_HBM_READ | NX_SLOT_HBM_WRITE, .hbm_read_bytes = 30, .hbm_write_bytes = 3},
	{.flags = NX_SLOT_MATMUL, .elements = 20, .instruction_type = NX_TYPE_TRANSPOSE},
};
static struct nx_operand operand = {.partition_count = 64};
static const struct nx_instruction rows[] = {
	{.start_ps = 1000, .end_ps = 3000, .slot = 0, .engine = NX_ENGINE_TENSOR},
	{.start_ps = 5000, .end_ps = 11000, .slot = 1, .engine = NX_ENGINE_SYNC},
	{.start_ps = 6000, .end_ps = 9000, .slot = 2, .engine = NX_ENGINE_TENSOR, .graph = 1},
};

static void make(struct nx_made_rows *made)
{
	struct nx_profile *p = &made->profile;

	*made = (struct nx_made_rows){.instructions = rows, .instruction_count = 3};
	p->has_binary = true;
	p->binary.origins = origins;
	p->binary.origin_count = 1;
	p->capture.hardware = &hardware;
	p->capture.graph_count = 2;
	p->program.operands = &operand;
	for (unsigned g = 0; g < 2; g++) {
		p->program.binary_graphs[g] = &graph;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			p->program.slots[g][e] = slots;
	}
}

static void assert_text(const struct nx_row *row, unsigned column, const char *want)
{
	assert_non_null(nx_table_memory_text(row, column));
	assert_string_equal(nx_table_memory_text(row, column), want);
}

static int64_t number(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_I64);
	return row->cells[column].i64;
}

static void assert_list(const struct nx_row *row, unsigned column, const int64_t *want,
			size_t count)
{
	assert_int_equal(row->kinds[column], NX_CELL_LIST_I64);
	assert_int_equal(row->cells[column].list_i64.count, count);
	assert_memory_equal(row->cells[column].list_i64.items, want, count * sizeof(*want));
}

static void levels_have_their_ids_names_and_lists(void **state)
{
	struct nx_made_rows made;
	struct nx_table_memory m;
	struct nx_error err;
	const struct nx_row *row;

	(void)state;
	make(&made);
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_hierarchy, &m, &err), NX_OK);
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_BirInstruction), 2); /* cores */
	row = nx_table_memory_row(&m, NX_SCHEMA_BirInstruction, 0);
	assert_int_equal(number(row, NX_COL_BirInstruction_raw_bir_id), (INT64_C(1) << 48) + 3);
	assert_int_equal(number(row, NX_COL_BirInstruction_raw_framework_id), 4);
	assert_int_equal(number(row, NX_COL_BirInstruction_pcore_idx), 0);
	assert_text(row, NX_COL_BirInstruction_bir_name, "i0");
	assert_text(row, NX_COL_BirInstruction_time_intervals, "[[1,3],[5,11]]");
	assert_int_equal(number(row, NX_COL_BirInstruction_start_ts), 1);
	assert_int_equal(number(row, NX_COL_BirInstruction_end_ts), 11);
	assert_list(row, NX_COL_BirInstruction_element_count_per_interval,
		    (const int64_t[]){100, 0}, 2);
	assert_list(row, NX_COL_BirInstruction_hbm_transfer_size_per_interval,
		    (const int64_t[]){0, 33}, 2);
	assert_int_equal(row->kinds[NX_COL_BirInstruction_sbuf_read_bytes], NX_CELL_NULL);
	assert_int_equal(row->kinds[NX_COL_BirInstruction_load_weight_bytes], NX_CELL_NULL);
	row = nx_table_memory_row(&m, NX_SCHEMA_BirInstruction, 1);
	assert_int_equal(number(row, NX_COL_BirInstruction_id), 2);
	assert_int_equal(number(row, NX_COL_BirInstruction_pcore_idx), 1);
	row = nx_table_memory_row(&m, NX_SCHEMA_PenguinInstruction, 0);
	assert_text(row, NX_COL_PenguinInstruction_penguin_name, "%a");
	assert_int_equal(number(row, NX_COL_PenguinInstruction_raw_bir_id), 0);
	assert_list(row, NX_COL_PenguinInstruction_transpose_element_count_per_interval,
		    (const int64_t[]){0, 20}, 2);
	row = nx_table_memory_row(&m, NX_SCHEMA_HloInstruction, 0);
	assert_text(row, NX_COL_HloInstruction_hlo_name, "%dot");
	row = nx_table_memory_row(&m, NX_SCHEMA_FrameworkInstruction, 0);
	assert_text(row, NX_COL_FrameworkInstruction_framework_name, "Net/\"Linear\"");
	assert_int_equal(number(row, NX_COL_FrameworkInstruction_tensor_engine_instruction_count),
			 2);
	assert_int_equal(number(row, NX_COL_FrameworkInstruction_sync_engine_instruction_count), 1);
	nx_table_memory_release(&m);
}

/* 120 elements in 10 ns of 2 x 50: 0.12; the second interval has 20 in 6 ns, all transposed. */
static void modules_add_up_what_is_below(void **state)
{
	struct nx_made_rows made;
	struct nx_table_memory m;
	struct nx_error err;
	const struct nx_row *row;

	(void)state;
	make(&made);
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_hierarchy, &m, &err), NX_OK);
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_FrameworkNode), 2);
	row = nx_table_memory_row(&m, NX_SCHEMA_FrameworkNode, 0);
	assert_text(row, NX_COL_FrameworkNode_node_name, "Net");
	assert_text(row, NX_COL_FrameworkNode_parent_name, "");
	assert_text(row, NX_COL_FrameworkNode_children_names, "[\"Net/\\\"Linear\\\"\"]");
	assert_text(row, NX_COL_FrameworkNode_children_ids, "[1]");
	assert_text(row, NX_COL_FrameworkNode_time_intervals, "[[1,3],[5,11]]");
	assert_text(row, NX_COL_FrameworkNode_element_count_per_interval, "[100,20]");
	assert_text(row, NX_COL_FrameworkNode_transpose_element_count_per_interval, "[0,20]");
	assert_text(row, NX_COL_FrameworkNode_hbm_transfer_size_per_interval, "[0,33]");
	assert_float_equal(row->cells[NX_COL_FrameworkNode_hfu].f64, 0.12, 1e-12);
	assert_float_equal(row->cells[NX_COL_FrameworkNode_mfu].f64, 0.1, 1e-12);
	assert_text(row, NX_COL_FrameworkNode_mfu_per_interval, "[0.5,0]");
	assert_text(row, NX_COL_FrameworkNode_mbu_per_interval, "[0,5.5]");
	assert_text(row, NX_COL_FrameworkNode_total_time_tensor, "5");
	assert_text(row, NX_COL_FrameworkNode_total_time_sync, "6");
	assert_null(nx_table_memory_text(row, NX_COL_FrameworkNode_total_time_vector));
	assert_int_equal(number(row, NX_COL_FrameworkNode_vector_engine_instruction_count), 0);
	assert_int_equal(number(row, NX_COL_FrameworkNode_hbm_write_bytes), 3);
	row = nx_table_memory_row(&m, NX_SCHEMA_FrameworkNode, 1);
	assert_text(row, NX_COL_FrameworkNode_parent_name, "Net");
	assert_text(row, NX_COL_FrameworkNode_children_names, "[]");
	assert_text(row, NX_COL_FrameworkNode_children_ids, "[1]");
	nx_table_memory_release(&m);
}

static void a_failing_scan_is_told_and_no_neff_is_empty(void **state)
{
	struct nx_made_rows made;
	struct nx_table_memory m;
	struct nx_error err;

	(void)state;
	make(&made);
	made.scan_status = NX_IO;
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_hierarchy, &m, &err), NX_IO);
	nx_table_memory_release(&m);
	made.profile.has_binary = false;
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_hierarchy, &m, &err), NX_OK);
	assert_int_equal(m.taken_count, 0);
	assert_int_equal(m.end_counts[NX_SCHEMA_FrameworkNode], 1);
	nx_table_memory_release(&m);
}

/* --- a whole capture ---------------------------------------------------------- */

static int64_t sum_of(const struct nx_table_memory *m, enum nx_schema_table_id table,
		      unsigned column)
{
	int64_t sum = 0;

	for (size_t i = 0; i < nx_table_memory_count(m, table); i++) {
		const struct nx_row *row = nx_table_memory_row(m, table, i);

		for (size_t k = 0; k < row->cells[column].list_i64.count; k++)
			sum += row->cells[column].list_i64.items[k];
	}
	return sum;
}

static void assert_order(const struct nx_table_memory *m, enum nx_schema_table_id table,
			 unsigned id_column, unsigned start_column)
{
	int64_t last = 0;

	for (size_t i = 0; i < nx_table_memory_count(m, table); i++) {
		const struct nx_row *row = nx_table_memory_row(m, table, i);

		assert_int_equal(number(row, id_column), i + 1);
		assert_true(number(row, start_column) >= last);
		last = number(row, start_column);
	}
}

/* In a made capture every chain is whole, so each level adds up to the same. */
static void levels_of_a_capture_agree(void **state)
{
	struct nx_table_fixture f;
	int64_t elements, moved;

	(void)state;
	nx_table_fixture_make(&f, &nx_synthetic_tiny, true);
	elements = sum_of(&f.memory, NX_SCHEMA_BirInstruction,
			  NX_COL_BirInstruction_element_count_per_interval);
	moved = sum_of(&f.memory, NX_SCHEMA_BirInstruction,
		       NX_COL_BirInstruction_hbm_transfer_size_per_interval);
	assert_true(elements > 0 && moved > 0);
	assert_int_equal(sum_of(&f.memory, NX_SCHEMA_PenguinInstruction,
				NX_COL_PenguinInstruction_element_count_per_interval),
			 elements);
	assert_int_equal(sum_of(&f.memory, NX_SCHEMA_HloInstruction,
				NX_COL_HloInstruction_element_count_per_interval),
			 elements);
	assert_int_equal(sum_of(&f.memory, NX_SCHEMA_FrameworkInstruction,
				NX_COL_FrameworkInstruction_hbm_transfer_size_per_interval),
			 moved);
	assert_order(&f.memory, NX_SCHEMA_BirInstruction, NX_COL_BirInstruction_id,
		     NX_COL_BirInstruction_start_ts);
	assert_order(&f.memory, NX_SCHEMA_FrameworkInstruction, NX_COL_FrameworkInstruction_id,
		     NX_COL_FrameworkInstruction_start_ts);
	nx_table_fixture_release(&f);
}

static const struct nx_row *find_module(const struct nx_table_memory *m, const char *name)
{
	for (size_t i = 0; i < nx_table_memory_count(m, NX_SCHEMA_FrameworkNode); i++) {
		const struct nx_row *row = nx_table_memory_row(m, NX_SCHEMA_FrameworkNode, i);

		if (!strcmp(nx_table_memory_text(row, NX_COL_FrameworkNode_node_name), name))
			return row;
	}
	return NULL;
}

static void the_tree_of_a_capture_is_whole(void **state)
{
	struct nx_table_fixture f;
	struct nx_arena arena = {0};
	struct nx_json *ids;

	(void)state;
	nx_table_fixture_make(&f, &nx_synthetic_tiny, true);
	assert_true(nx_table_memory_count(&f.memory, NX_SCHEMA_FrameworkNode) > 2);
	for (size_t i = 0; i < nx_table_memory_count(&f.memory, NX_SCHEMA_FrameworkNode); i++) {
		const struct nx_row *row =
			nx_table_memory_row(&f.memory, NX_SCHEMA_FrameworkNode, i);
		const char *parent = nx_table_memory_text(row, NX_COL_FrameworkNode_parent_name);

		assert_true(!parent[0] || find_module(&f.memory, parent));
	}
	/* all operations are below the one model */
	assert_non_null(find_module(&f.memory, "Llama"));
	assert_int_equal(nx_json_parse(nx_slice_text(nx_table_memory_text(
					       find_module(&f.memory, "Llama"),
					       NX_COL_FrameworkNode_children_ids)),
				       &arena, &ids, &f.err),
			 NX_OK);
	assert_int_equal(ids->count,
			 nx_table_memory_count(&f.memory, NX_SCHEMA_FrameworkInstruction));
	nx_arena_release(&arena);
	nx_table_fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_have_their_ids_names_and_lists),
		cmocka_unit_test(modules_add_up_what_is_below),
		cmocka_unit_test(a_failing_scan_is_told_and_no_neff_is_empty),
		cmocka_unit_test(levels_of_a_capture_agree),
		cmocka_unit_test(the_tree_of_a_capture_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
