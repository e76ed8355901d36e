/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/decode/neff/neff_fixture.h"

static const struct nx_binary_graph *decoded(struct nx_neff_fixture *f)
{
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	return &f->binary.graphs[0];
}

/* The engines' instructions in the engines' order, the DMA's blocks behind them. */
static void test_birs(void **state)
{
	const struct nx_binary_graph *g = decoded(*state);

	assert_int_equal(g->bir_count, 4);
	assert_string_equal(g->birs[0].name, "matmul");
	assert_int_equal(g->birs[0].instruction_type, NX_INSTRUCTION_TRANSPOSE);
	assert_false(g->birs[0].has_penguin);
	assert_string_equal(g->birs[1].name, "inst.1-trig");
	assert_int_equal(g->birs[1].id, 101);
	assert_int_equal(g->birs[1].instruction_type, NX_INSTRUCTION_SPILL);
	assert_true(g->birs[1].has_penguin);
	assert_int_equal(g->birs[1].penguin_id, 8);
	assert_string_equal(g->birs[2].name, "inst.2");
	assert_int_equal(g->birs[2].instruction_type, 0);
	assert_int_equal(g->birs[3].id, 300);
	assert_int_equal(((struct nx_neff_fixture *)*state)->binary.graphs[1].bir_count, 0);
}

/* Dataflow first, then scheduling; a type that is not told is INVALID. */
static void test_predecessors(void **state)
{
	const struct nx_bir *bir = &decoded(*state)->birs[1];

	assert_int_equal(bir->predecessor_count, 3);
	assert_int_equal(bir->predecessors[0].bir_id, 201);
	assert_int_equal(bir->predecessors[0].type, NX_EDGE_FLOW_DEPENDENCE);
	assert_int_equal(bir->predecessors[1].bir_id, 102);
	assert_int_equal(bir->predecessors[1].type, NX_EDGE_OUTPUT_DEPENDENCE);
	assert_int_equal(bir->predecessors[2].bir_id, 300);
	assert_int_equal(bir->predecessors[2].type, NX_EDGE_INVALID);
}

static void test_kernel_place(void **state)
{
	const struct nx_bir *birs = decoded(*state)->birs;

	assert_string_equal(birs[1].kernel_file, "b.py");
	assert_int_equal(birs[1].kernel_line, 87);
	assert_string_equal(birs[1].kernel_name, "kernel");
	/* indices behind the list, and lines that are no numbers */
	assert_string_equal(birs[2].kernel_file, "");
	assert_int_equal(birs[2].kernel_line, 0);
	assert_string_equal(birs[2].kernel_name, "");
}

/* BIR 101 exists on two engines: each slot finds its own engine's. */
static void test_slots(void **state)
{
	const struct nx_binary_graph *g = decoded(*state);
	const uint32_t *sync = g->engines[NX_ENGINE_SYNC].slot_bir;

	assert_int_equal(sync[0], NX_NONE);
	assert_int_equal(sync[1], 1);
	assert_int_equal(sync[2], 2);
	assert_int_equal(sync[3], 1);
	assert_int_equal(g->engines[NX_ENGINE_TENSOR].slot_bir[0], 0);
}

static void test_unpacked_parent_ids(void **state)
{
	/* slot 0: field 3 as a plain varint 102; slot 1: other fields first, then 101 packed */
	static const uint8_t bytes[] = {0x1a, 2, 0x18, 102, 0x1a, 5, 0x30, 1, 0x1a, 1, 101};
	struct nx_neff_fixture *f = *state;
	const struct nx_binary_graph *g;

	nx_neff_fixture_add(f, "sg00/asm_SP.dbg", nx_slice_of(bytes, sizeof(bytes)));
	g = decoded(f);
	assert_int_equal(g->engines[NX_ENGINE_SYNC].slot_bir[0], 2);
	assert_int_equal(g->engines[NX_ENGINE_SYNC].slot_bir[1], 1);
	assert_int_equal(g->engines[NX_ENGINE_SYNC].slot_bir[2], NX_NONE);
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/asm_SP.dbg"),
			       "2 instructions where the stream has 4"));
}

static void test_more_records_than_slots(void **state)
{
	struct nx_neff_fixture *f = *state;
	struct nx_debug_record many[50] = {{0}};
	struct nx_debug_info info = {.records = {many, 50}};

	nx_neff_fixture_add_debug(f, "sg00/asm_SP.dbg", &info);
	assert_int_equal(decoded(f)->engines[NX_ENGINE_SYNC].slot_count, 4);
	assert_non_null(nx_neff_fixture_missing(f, "sg00/asm_SP.dbg"));
}

static void test_damaged_backend(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_binary_graph *g;

	nx_neff_fixture_add_text(f, "sg00/backend_SP.dbg", "\xff\xff\xff");
	g = decoded(f);
	assert_int_equal(g->bir_count, 2);
	assert_int_equal(g->engines[NX_ENGINE_SYNC].slot_bir[1], NX_NONE);
	assert_non_null(nx_neff_fixture_missing(f, "sg00/backend_SP.dbg"));
	nx_neff_fixture_drop(f, "sg00/backend_SP.dbg");
	assert_int_equal(decoded(f)->bir_count, 2);
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/backend_SP.dbg"), "is missing"));
}

static void test_unknown_edge_and_type(void **state)
{
	struct nx_neff_fixture *f = *state;
	uint64_t ids[] = {1, 2}, types[] = {5, UINT64_MAX};
	struct nx_debug_record record = {
		.id = 1,
		.instruction_type = 260,
		.dataflow_predecessors = {ids, 2},
		.dataflow_types = {types, 2},
	};
	struct nx_debug_info info = {.records = {&record, 1}};
	const struct nx_bir *bir;

	nx_neff_fixture_add_debug(f, "sg00/backend_PE.dbg", &info);
	bir = &decoded(f)->birs[0];
	assert_int_equal(bir->instruction_type, 0);
	assert_int_equal(bir->predecessors[0].type, NX_EDGE_INVALID);
	assert_int_equal(bir->predecessors[1].type, NX_EDGE_INVALID);
	assert_string_equal(bir->name, "");
}

static void test_skipped(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_binary_graph *g;

	f->options.skip_debug_info = true;
	g = decoded(f);
	assert_int_equal(g->bir_count, 0);
	assert_int_equal(f->binary.origin_count, 0);
	assert_int_equal(g->engines[NX_ENGINE_SYNC].slot_bir[1], NX_NONE);
}

#define WITH_MODEL(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, nx_neff_fixture_setup, nx_neff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MODEL(test_birs),
		WITH_MODEL(test_predecessors),
		WITH_MODEL(test_kernel_place),
		WITH_MODEL(test_slots),
		WITH_MODEL(test_unpacked_parent_ids),
		WITH_MODEL(test_more_records_than_slots),
		WITH_MODEL(test_damaged_backend),
		WITH_MODEL(test_unknown_edge_and_type),
		WITH_MODEL(test_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
