/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/made_rows.h"

static int64_t number(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_I64);
	return row->cells[column].i64;
}

static void tensors_are_told_with_their_loads(void **state)
{
	struct nx_binary_graph graphs[] = {{.name = "sg00"}, {.name = "sg01"}, {.name = "sg02"}};
	struct nx_tensor tensors[] = {
		{"x", NX_TENSOR_INPUT, "NC", "[128 512]", "bfloat16", 1000, 1},
		{"w", NX_TENSOR_WEIGHT, "", "", "", 0, 2},
		{"y", NX_TENSOR_OUTPUT, "N", "[4]", "", 16, 0},
	};
	struct nx_tensor_load loads[] = {{4, 2502}, {1, 10}, {0, 0}};
	struct nx_made_rows made = {0};
	struct nx_table_memory m;
	struct nx_error err;
	const struct nx_row *row;

	(void)state;
	made.profile.binary = (struct nx_binary){.tensors = tensors,
						 .tensor_count = 3,
						 .graphs = graphs,
						 .graph_count = 3,
						 .kelf_node = 5};
	made.profile.tensor_loads = loads;
	made.profile.capture.graph_count = 2; /* in the other order */
	made.profile.program.binary_graphs[0] = &graphs[1];
	made.profile.program.binary_graphs[1] = &graphs[0];
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_tensors, &m, &err), NX_OK);
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_TensorInfo), 3);
	row = nx_table_memory_row(&m, NX_SCHEMA_TensorInfo, 0);
	assert_string_equal(nx_table_memory_text(row, NX_COL_TensorInfo_variable_name), "x");
	assert_string_equal(nx_table_memory_text(row, NX_COL_TensorInfo_type), "IN");
	assert_string_equal(nx_table_memory_text(row, NX_COL_TensorInfo_format), "NC");
	assert_string_equal(nx_table_memory_text(row, NX_COL_TensorInfo_shape), "[128 512]");
	assert_int_equal(number(row, NX_COL_TensorInfo_size), 1000);
	assert_int_equal(number(row, NX_COL_TensorInfo_node), 5);
	assert_int_equal(number(row, NX_COL_TensorInfo_pcore_idx), 0);
	assert_int_equal(number(row, NX_COL_TensorInfo_load_to_sbuf_dma_count), 4);
	assert_int_equal(number(row, NX_COL_TensorInfo_load_to_sbuf_total_size_bytes), 2502);
	assert_int_equal(number(row, NX_COL_TensorInfo_load_to_sbuf_avg_size_bytes), 625);
	assert_float_equal(row->cells[NX_COL_TensorInfo_load_to_sbuf_repeat_factor].f64, 2.502,
			   1e-12);
	row = nx_table_memory_row(&m, NX_SCHEMA_TensorInfo, 1); /* of no core, of no size */
	assert_string_equal(nx_table_memory_text(row, NX_COL_TensorInfo_type), "WEIGHT");
	assert_int_equal(row->kinds[NX_COL_TensorInfo_pcore_idx], NX_CELL_NULL);
	assert_int_equal(row->kinds[NX_COL_TensorInfo_load_to_sbuf_repeat_factor], NX_CELL_NULL);
	row = nx_table_memory_row(&m, NX_SCHEMA_TensorInfo, 2); /* never loaded */
	assert_int_equal(number(row, NX_COL_TensorInfo_pcore_idx), 1);
	assert_int_equal(row->kinds[NX_COL_TensorInfo_load_to_sbuf_dma_count], NX_CELL_NULL);
	nx_table_memory_release(&m);
}

static void without_a_neff_there_are_none(void **state)
{
	struct nx_made_rows made = {0};
	struct nx_table_memory m;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_tensors, &m, &err), NX_OK);
	assert_int_equal(m.end_counts[NX_SCHEMA_TensorInfo], 1);
	assert_int_equal(m.taken_count, 0);
	nx_table_memory_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tensors_are_told_with_their_loads),
		cmocka_unit_test(without_a_neff_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
