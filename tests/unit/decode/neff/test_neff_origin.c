/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/decode/neff/neff_fixture.h"

#define HLO "debug_info/debug_info_hlo.dbg_sg000000"
#define PENGUIN "debug_info/debug_info_penguin.dbg_sg000000"
#define FRAMEWORK "debug_info/debug_info_pttf.dbg_sg000000"

static const struct nx_origin *decoded(struct nx_neff_fixture *f)
{
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	return f->binary.origins;
}

static void test_whole_chain(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_origin *o = decoded(f);

	assert_int_equal(f->binary.origin_count, 3);
	assert_int_equal(o->penguin_id, 8);
	assert_string_equal(o->penguin_name, "%out");
	assert_true(o->has_hlo);
	assert_int_equal(o->hlo_id, 28);
	assert_string_equal(o->hlo_name, "%dot.3 = dot(%p0, %p1)");
	assert_string_equal(o->hlo_attributes,
			    "[{\"op_type\":\"aten__\\\"dot\\\"\",\"source_file\":\"model.py\","
			    "\"source_line\":\"421\"}]");
	assert_int_equal(o->framework_id_count, 2);
	assert_int_equal(o->framework_ids[0], 3);
	assert_int_equal(o->framework_ids[1], 4);
	/* record 3 has no name, so the next one gives the layer */
	assert_string_equal(o->layer, "Net/Linear[1]");
	assert_true(o->has_framework);
	assert_int_equal(o->framework_id, 4);
	assert_string_equal(o->framework_name, "Net/Linear[1]");
	assert_int_equal(o->stack_frame, 0);
	assert_string_equal(o->source_file, "model.py");
	assert_int_equal(o->source_line, 421);
}

static void test_chain_that_ends_early(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_origin *o = decoded(f);

	assert_int_equal(o[1].penguin_id, 10);
	assert_false(o[1].has_hlo);
	assert_string_equal(o[1].hlo_name, "");
	assert_string_equal(o[1].hlo_attributes, "[]");
	assert_string_equal(o[1].layer, "Unknown");
	assert_int_equal(o[1].framework_id_count, 0);
	assert_false(o[1].has_framework);
	assert_string_equal(o[1].framework_name, "");
	assert_string_equal(o[1].source_file, "registry.py");
	assert_int_equal(o[1].source_line, 44);
	assert_string_equal(o[2].source_file, "");
	assert_int_equal(o[2].source_line, 0);
}

static void test_birs_are_linked(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_bir *birs;

	decoded(f);
	birs = f->binary.graphs[0].birs;
	assert_int_equal(birs[0].origin, NX_NONE); /* no penguin id */
	assert_int_equal(birs[1].origin, 0);
	assert_int_equal(birs[2].origin, NX_NONE); /* an id nobody has */
}

static void test_without_hlo(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_origin *o;

	nx_neff_fixture_drop(f, HLO);
	o = decoded(f);
	assert_false(o->has_hlo);
	assert_string_equal(o->layer, "Unknown");
	assert_string_equal(o->hlo_attributes, "[]");
	assert_int_equal(f->binary.missing_count, 0);
}

static void test_without_framework(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_origin *o;

	nx_neff_fixture_drop(f, FRAMEWORK);
	o = decoded(f);
	assert_true(o->has_hlo);
	assert_string_equal(o->layer, "Unknown");
}

static void test_without_penguin(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, PENGUIN);
	decoded(f);
	assert_int_equal(f->binary.origin_count, 0);
	assert_int_equal(f->binary.graphs[0].birs[1].origin, NX_NONE);
	assert_true(f->binary.graphs[0].birs[1].has_penguin);
}

static void add_hlo_with_frame(struct nx_neff_fixture *f, uint64_t frame)
{
	struct nx_debug_record record = {.id = 28, .stack_frame_id = frame};
	struct nx_debug_info info = {.records = {&record, 1}};

	nx_neff_fixture_add_debug(f, "other/debug_info_hlo.dbg", &info);
}

/* Frame 2 is at location 1: line 508 of file 2. All ids count from one. */
static void add_stack(struct nx_neff_fixture *f)
{
	struct nx_slice files[] = {nx_slice_text("a.py"), nx_slice_text("b.py")};
	struct nx_debug_location locations[] = {{2, 1, 508}, {3, 1, 1}};
	struct nx_slice functions[] = {nx_slice_text("forward")};
	struct nx_debug_frame frames[] = {{9, 0}, {1, 1}, {2, 4}, {0, 3}};
	struct nx_debug_info info = {.has_stack_index = true,
				     .stack_index = {.file_names = {files, 2},
						     .function_names = {functions, 1},
						     .locations = {locations, 2},
						     .frames = {frames, 4}}};

	nx_neff_fixture_add_debug(f, "debug_info/debug_info_stack_frame_index.dbg", &info);
}

static void test_place_from_stack(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_origin *o;

	nx_neff_fixture_drop(f, HLO);
	add_hlo_with_frame(f, 2);
	add_stack(f);
	o = decoded(f);
	assert_true(o->has_hlo);
	assert_string_equal(o->hlo_attributes, "[]");
	assert_string_equal(o->source_file, "b.py");
	assert_int_equal(o->source_line, 508);
	assert_int_equal(o->stack_frame, 2);
}

/* What points nowhere is 0, and a caller that comes later would be a circle. */
static void test_stack_is_kept(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_stack *stack;

	add_stack(f);
	decoded(f);
	stack = &f->binary.stack;
	assert_int_equal(stack->file_name_count, 2);
	assert_string_equal(stack->file_names[1], "b.py");
	assert_int_equal(stack->function_name_count, 1);
	assert_string_equal(stack->function_names[0], "forward");
	assert_int_equal(stack->location_count, 2);
	assert_int_equal(stack->locations[0].file_name, 2);
	assert_int_equal(stack->locations[0].function_name, 1);
	assert_int_equal(stack->locations[0].line, 508);
	assert_int_equal(stack->locations[1].file_name, 0);
	assert_int_equal(stack->frame_count, 4);
	assert_int_equal(stack->frames[0].location, 0);
	assert_int_equal(stack->frames[1].location, 1);
	assert_int_equal(stack->frames[1].parent, 1);
	assert_int_equal(stack->frames[2].parent, 0);
	assert_int_equal(stack->frames[3].parent, 3);
}

/* No such frame, location or file; and no frame at all. */
static void test_stack_ids_out_of_range(void **state)
{
	static const uint64_t frames[] = {0, 1, 3, 4, 5, UINT64_MAX};
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, HLO);
	add_stack(f);
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		nx_neff_fixture_drop(f, "other/debug_info_hlo.dbg");
		add_hlo_with_frame(f, frames[i]);
		assert_string_equal(decoded(f)->source_file, "");
		assert_int_equal(f->binary.origins->stack_frame, frames[i] <= 4 ? frames[i] : 0);
	}
}

static void test_damaged_layer(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, HLO);
	nx_neff_fixture_add_text(f, HLO, "\xff\xff\xff");
	assert_false(decoded(f)->has_hlo);
	assert_non_null(nx_neff_fixture_missing(f, HLO));
}

#define WITH_MODEL(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, nx_neff_fixture_setup, nx_neff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MODEL(test_whole_chain),	    WITH_MODEL(test_chain_that_ends_early),
		WITH_MODEL(test_birs_are_linked),   WITH_MODEL(test_without_hlo),
		WITH_MODEL(test_without_framework), WITH_MODEL(test_without_penguin),
		WITH_MODEL(test_place_from_stack),  WITH_MODEL(test_stack_ids_out_of_range),
		WITH_MODEL(test_damaged_layer),	    WITH_MODEL(test_stack_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
