/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/decode/neff/neff_fixture.h"

#define LIST_FILE "kernel_debug_info.json"

static const char list_json[] = "{\"debug_info_files\":[{\"file_name\":\"k.klir.debuginfo.json\","
				"\"kernel_name\":\"main.k\",\"parent_tensorizer_id\":8}]}";

/* inst.2 is in the second iteration of an inner loop, in a function the kernel calls. */
static const char tree_json[] =
	"[{\"lnc\":1,\"info\":["
	"{\"inst\":{\"name\":\"jmp.3\",\"line\":0}},"
	"{\"func\":{\"name\":\"main.k\",\"line\":45,\"file\":\"k.py\",\"children\":["
	" {\"inst\":{\"name\":\"inst.1\",\"line\":106}},"
	" {\"iter\":{\"var\":\"i\",\"val\":\"0\",\"line\":140,\"children\":["
	"  {\"func\":{\"name\":\"tile\",\"line\":9,\"file\":\"t.py\",\"children\":["
	"   {\"iter\":{\"var\":\"j\",\"val\":\"-1\",\"line\":11,\"children\":["
	"    {\"inst\":{\"name\":\"inst.2\",\"line\":12}}]}}]}}]}}]}}]}]";

static void decode(struct nx_neff_fixture *f, const char *tree)
{
	nx_neff_fixture_add_text(f, LIST_FILE, list_json);
	if (tree)
		nx_neff_fixture_add_text(f, "k.klir.debuginfo.json", tree);
	if (nx_neff_fixture_decode(f))
		fail_msg("%s", f->err.message);
}

static void calls_and_loops_are_kept_with_what_is_around_them(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_binary *b = &f->binary;

	decode(f, tree_json);
	assert_int_equal(b->kernel_frame_count, 2);
	assert_string_equal(b->kernel_frames[0].function, "main.k");
	assert_int_equal(b->kernel_frames[0].line, 45);
	assert_int_equal(b->kernel_frames[0].parent, NX_NONE);
	assert_int_equal(b->kernel_frames[0].depth, 1);
	assert_string_equal(b->kernel_frames[1].file, "t.py");
	assert_int_equal(b->kernel_frames[1].parent, 0);
	assert_int_equal(b->kernel_frames[1].depth, 2);
	assert_int_equal(b->kernel_iteration_count, 2);
	assert_string_equal(b->kernel_iterations[0].variable, "i");
	assert_string_equal(b->kernel_iterations[0].file, "k.py");
	assert_int_equal(b->kernel_iterations[0].parent, NX_NONE);
	/* a loop in a function is inside the loop that calls it */
	assert_int_equal(b->kernel_iterations[1].parent, 0);
	assert_int_equal(b->kernel_iterations[1].depth, 2);
	assert_true(b->kernel_iterations[1].has_value);
	assert_int_equal(b->kernel_iterations[1].value, -1);
	assert_string_equal(b->kernel_iterations[1].file, "t.py");
}

static void instructions_know_their_place(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_kernel_instruction *in;

	decode(f, tree_json);
	in = f->binary.kernel_instructions;
	assert_int_equal(f->binary.kernel_instruction_count, 3);
	assert_string_equal(in[0].name, "jmp.3");
	assert_int_equal(in[0].frame, NX_NONE);
	assert_string_equal(in[0].file, "");
	assert_int_equal(in[1].frame, 0);
	assert_int_equal(in[1].iteration, NX_NONE);
	assert_int_equal(in[1].line, 106);
	assert_int_equal(in[2].frame, 1);
	assert_int_equal(in[2].iteration, 1);
	assert_string_equal(in[2].file, "t.py");
}

static void backend_instructions_find_the_one_they_were_made_from(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_binary_graph *graph;
	unsigned seen = 0;

	decode(f, tree_json);
	graph = &f->binary.graphs[0];
	for (size_t i = 0; i < graph->bir_count; i++) {
		const struct nx_bir *bir = &graph->birs[i];

		if (!strcmp(bir->name, "inst.1-trig") || !strcmp(bir->name, "inst.1-block-1")) {
			assert_int_equal(bir->kernel_instruction, 1);
			seen |= 1;
		} else if (!strcmp(bir->name, "inst.2")) {
			assert_int_equal(bir->kernel_instruction, 2);
			seen |= 2;
		} else {
			assert_int_equal(bir->kernel_instruction, NX_NONE);
			seen |= 4;
		}
	}
	assert_int_equal(seen, 7);
}

static void values_that_are_no_numbers_are_not_known(void **state)
{
	static const char *const values[] = {"\"x\"",	"\"\"", "\"-\"", "\"9223372036854775808\"",
					     "\"1.5\"", "null", "{}",	 "\"--1\""};
	struct nx_neff_fixture *f = *state;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "[{\"info\":[{\"iter\":{\"var\":\"i\",\"val\":%s}}]}]",
			 values[i]);
		nx_neff_fixture_drop(f, "k.klir.debuginfo.json");
		decode(f, text);
		assert_int_equal(f->binary.kernel_iteration_count, 1);
		assert_false(f->binary.kernel_iterations[0].has_value);
	}
	nx_neff_fixture_drop(f, "k.klir.debuginfo.json");
	decode(f, "[{\"info\":[{\"iter\":{\"val\":7}}]}]");
	assert_true(f->binary.kernel_iterations[0].has_value);
	assert_int_equal(f->binary.kernel_iterations[0].value, 7);
}

static void other_shapes_are_passed_over(void **state)
{
	static const char *const trees[] = {
		"{}",
		"[1,[],{\"info\":3},{\"info\":[null,1,\"x\",[],{},{\"inst\":null}]}]",
		"[{\"info\":[{\"inst\":{\"name\":\"\"}},{\"inst\":{\"name\":5}}]}]",
		"[{\"info\":[{\"inst\":{\"line\":1}}]}]",
	};
	struct nx_neff_fixture *f = *state;

	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		nx_neff_fixture_drop(f, "k.klir.debuginfo.json");
		decode(f, trees[i]);
		assert_int_equal(f->binary.kernel_instruction_count, 0);
		assert_int_equal(f->binary.kernel_frame_count, 0);
		assert_int_equal(f->binary.kernel_iteration_count, 0);
	}
}

static void a_missing_or_damaged_tree_is_told(void **state)
{
	struct nx_neff_fixture *f = *state;

	decode(f, NULL);
	assert_non_null(nx_neff_fixture_missing(f, "k.klir.debuginfo.json"));
	decode(f, "[{\"info\":[{\"inst\"");
	assert_non_null(nx_neff_fixture_missing(f, "k.klir.debuginfo.json"));
}

static void models_without_kernels_are_normal(void **state)
{
	struct nx_neff_fixture *f = *state;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.kernel_instruction_count, 0);
	assert_null(nx_neff_fixture_missing(f, LIST_FILE));
	assert_int_equal(f->binary.graphs[0].birs[0].kernel_instruction, NX_NONE);
}

#define WITH_MODEL(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, nx_neff_fixture_setup, nx_neff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MODEL(calls_and_loops_are_kept_with_what_is_around_them),
		WITH_MODEL(instructions_know_their_place),
		WITH_MODEL(backend_instructions_find_the_one_they_were_made_from),
		WITH_MODEL(values_that_are_no_numbers_are_not_known),
		WITH_MODEL(other_shapes_are_passed_over),
		WITH_MODEL(a_missing_or_damaged_tree_is_told),
		WITH_MODEL(models_without_kernels_are_normal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
