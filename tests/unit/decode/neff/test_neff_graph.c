/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/decode/neff/neff_fixture.h"

static void check_variable(const struct nx_variable *v, const char *name, const char *type,
			   uint64_t var_id, uint64_t size_bytes)
{
	assert_string_equal(v->name, name);
	assert_string_equal(v->type, type);
	assert_int_equal(v->var_id, var_id);
	assert_int_equal(v->size_bytes, size_bytes);
}

/* In the order of their ids, whatever the order in the file. */
static void test_variables(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_variable *v;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graphs[0].variable_count, 7);
	v = f->binary.graphs[0].variables;
	check_variable(&v[0], "SB", "state-buffer", 0, 0);
	check_variable(&v[1], "in_b", "input", 1, 262144);
	check_variable(&v[2], "in_a", "input", 2, 32);
	check_variable(&v[3], "out", "output", 3, 4096);
	check_variable(&v[4], "eye", "file", 4, 24);
	assert_string_equal(v[4].file_name, "value_eye_CRSM.npy");
	check_variable(&v[5], "spill", "virtual", 5, 64);
	assert_int_equal(v[5].backing_offset, 4096);
	assert_string_equal(v[5].file_name, "");
	check_variable(&v[6], "table", "dge-table", 6, 0);
	assert_int_equal(f->binary.graphs[1].variable_count, 3);
}

static void test_queues(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_queue_declaration *q;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graphs[0].queue_count, 2);
	q = f->binary.graphs[0].queues;
	assert_string_equal(q[0].name, "qSPIO0");
	assert_string_equal(q[0].owner, "sp");
	assert_string_equal(q[0].type, "in");
	assert_int_equal(q[0].semaphore_count, 2);
	assert_int_equal(q[0].semaphores[0], 24);
	assert_int_equal(q[0].semaphores[1], 25);
	assert_string_equal(q[1].name, "qPoolDynamic");
	assert_int_equal(q[1].semaphore_count, 1);
	assert_int_equal(q[1].semaphores[0], 8);
	assert_int_equal(f->binary.graphs[1].queue_count, 0);
}

static void test_runtime_semaphores(void **state)
{
	struct nx_neff_fixture *f = *state;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graphs[0].runtime_semaphore_count, 4);
	/* not told: what runtimes have always kept */
	assert_int_equal(f->binary.graphs[1].runtime_semaphore_count, 3);
}

static void test_values_of_wrong_kinds(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_binary_graph *g;

	nx_neff_fixture_add_text(
		f, "sg00/def.json",
		"{\"var\":{\"a\":7,\"b\":{\"type\":1,\"var_id\":\"x\",\"size\":-1},"
		"\"c\":{\"var_id\":18446744073709551615,\"#file-name\":\"w.npy\"}},"
		"\"dma_queue\":{\"q\":[],\"r\":{\"semaphore_set\":[-1,99999999999]}},"
		"\"runtime_semaphore_count\":1e30,\"pe\":5,\"pe_dbg\":{}}");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	g = &f->binary.graphs[0];
	assert_int_equal(g->variable_count, 2);
	check_variable(&g->variables[0], "b", "", UINT64_MAX, 0);
	check_variable(&g->variables[1], "c", "", UINT64_MAX, 0);
	assert_string_equal(g->variables[1].file_name, "w.npy");
	assert_int_equal(g->queue_count, 2);
	assert_int_equal(g->queues[0].semaphore_count, 0);
	assert_int_equal(g->queues[1].semaphores[0], NX_NONE);
	assert_int_equal(g->queues[1].semaphores[1], NX_NONE);
	assert_int_equal(g->runtime_semaphore_count, 3);
	nx_neff_fixture_add_text(f, "sg00/def.json", "{\"var\":[1,2],\"dma_queue\":\"none\"}");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graphs[0].variable_count, 0);
	assert_int_equal(f->binary.graphs[0].queue_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_variables, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
		cmocka_unit_test_setup_teardown(test_queues, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
		cmocka_unit_test_setup_teardown(test_runtime_semaphores, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
		cmocka_unit_test_setup_teardown(test_values_of_wrong_kinds, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
