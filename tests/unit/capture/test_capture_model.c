/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/capture_model.h"
#include "tests/unit/runtime/device/made_neff.h"

static enum nx_status read_model(struct made_neff *n, struct nx_arena *arena,
				 struct nx_capture_model *model)
{
	struct nx_error err;

	return nx_capture_model_read(made_neff_pack(n), arena, model, &err);
}

static void test_tensors(void **state)
{
	struct nx_capture_model model;
	struct nx_arena arena = {0};
	struct made_neff n = {0};
	size_t x;

	(void)state;
	made_neff_begin(&n, 2, "cayman",
			"\"x\":{\"type\":\"input\",\"size\":96,\"var_id\":1},"
			"\"w\":{\"type\":\"file\",\"size\":4,\"var_id\":2},"
			"\"y\":{\"type\":\"output\",\"size\":8,\"var_id\":3}");
	made_neff_add_text(&n, "sg00/tensor_map.json",
			   "{\"x\":{\"dtype\":\"bfloat16\",\"sim_shape\":[6,8]},"
			   "\"y\":{\"dtype\":\"odd\",\"tf_shape\":[2]}}");
	assert_int_equal(read_model(&n, &arena, &model), NX_OK);
	assert_int_equal(model.tensor_count, 2); /* both graphs name them; a file is none */
	assert_false(model.has_collectives);
	assert_int_equal(model.worker_count, 0);
	x = nx_capture_model_find(&model, "x", false);
	assert_int_not_equal(x, NX_CAPTURE_NO_TENSOR);
	assert_int_equal(model.tensors[x].size_bytes, 96);
	assert_int_equal(model.tensors[x].dtype, NRT_DTYPE_BFLOAT16);
	assert_int_equal(model.tensors[x].dims, 2);
	assert_int_equal(model.tensors[x].shape[1], 8);
	assert_int_equal(nx_capture_model_find(&model, "x", true), NX_CAPTURE_NO_TENSOR);
	assert_int_equal(nx_capture_model_find(&model, "w", false), NX_CAPTURE_NO_TENSOR);
	x = nx_capture_model_find(&model, "y", true);
	assert_int_equal(model.tensors[x].dtype, NRT_DTYPE_UNKNOWN);
	assert_string_equal(model.tensors[x].dtype_name, "odd");
	assert_int_equal(model.tensors[x].dims, 1);
	nx_arena_release(&arena);
	made_neff_release(&n);
}

static void test_workers(void **state)
{
	static const struct {
		const char *definition;
		uint32_t count;
		bool has_collectives;
	} cases[] = {
		{"{\"var\":{},\"#rank_world_size\":0}", 0, false},
		{"{\"var\":{},\"#rank_world_size\":1}", 1, false},
		{"{\"var\":{},\"#rank_world_size\":32}", 32, true},
		{"{\"var\":{},\"replica_groups\":[[0,1],[2,3]]}", 4, true},
		{"{\"var\":{},\"replica_groups\":[[[0,5]]]}", 6, true},
		{"{\"var\":{},\"src_target_pairs\":[[[0,1],[1,2]]]}", 3, true},
		{"{\"var\":{},\"replica_groups\":[[18446744073709551615,-1,\"7\"]]}", 0, false},
		{"{\"var\":{},\"#rank_world_size\":99999999}", 0, false},
		{"{\"var\":{},\"replica_groups\":[[[[[[9]]]]]]}", 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_capture_model model;
		struct nx_arena arena = {0};
		struct made_neff n = {0};

		made_neff_begin(&n, 1, "cayman", "");
		made_neff_replace(&n, "sg00/def.json", cases[i].definition);
		assert_int_equal(read_model(&n, &arena, &model), NX_OK);
		assert_int_equal(model.worker_count, cases[i].count);
		assert_int_equal(model.has_collectives, cases[i].has_collectives);
		nx_arena_release(&arena);
		made_neff_release(&n);
	}
}

/* The instruction alone says it too: older compilers say no number. */
static void test_collective_words(void **state)
{
	static const char *const streams[] = {"sg00/DVE.bin", "sg00/few_bkt.bin"};
	uint8_t code[2 * 64] = {[64] = 0xd9};
	struct nx_capture_model model;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct nx_arena arena = {0};
		struct made_neff n = {0};

		made_neff_begin(&n, 1, "cayman", "");
		made_neff_add(&n, streams[i], code, sizeof(code));
		assert_int_equal(read_model(&n, &arena, &model), NX_OK);
		/* the second is an activation table, in which the byte means something else */
		assert_int_equal(model.has_collectives, i == 0);
		assert_int_equal(model.worker_count, 0);
		nx_arena_release(&arena);
		made_neff_release(&n);
	}
}

static void test_damage(void **state)
{
	static const char *const kelfs[] = {"",
					    "{",
					    "{\"graphs\":[]}",
					    "{\"graphs\":{\"a\":1}}",
					    "{\"graphs\":[{\"definition\":\"no.json\"}]}",
					    "{\"graphs\":[7]}"};
	struct nx_capture_model model;
	struct nx_arena arena = {0};
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_capture_model_read(nx_slice_text("no"), &arena, &model, &err),
			 NX_FORMAT);
	for (size_t i = 0; i < sizeof(kelfs) / sizeof(kelfs[0]); i++) {
		struct made_neff n = {0};

		made_neff_begin(&n, 1, "cayman", "");
		made_neff_replace(&n, "kelf-0.json", kelfs[i]);
		assert_int_equal(read_model(&n, &arena, &model), NX_FORMAT);
		made_neff_release(&n);
	}
	nx_arena_release(&arena);
}

static void test_the_runtimes_word(void **state)
{
	struct nx_capture_model model = {0};
	struct nx_runtime_library lib;
	struct nx_arena arena = {0};
	struct nx_error err;
	char names[64];

	(void)state;
	assert_int_equal(nx_runtime_library_open(&lib, getenv("FAKE_NRT"), &err), NX_OK);
	assert_int_equal(nx_capture_model_ask(&model, &lib, NULL, &arena, &err), NX_OK);
	assert_int_equal(model.tensor_count, 2);
	assert_string_equal(nx_capture_model_names(&model, true, names, sizeof(names)), "told_out");
	assert_int_equal(model.tensors[0].dtype, NRT_DTYPE_UINT8);
	assert_int_equal(model.tensors[0].shape[0], 4);
	lib.nrt_free_model_tensor_info = NULL;
	assert_int_equal(nx_capture_model_ask(&model, &lib, NULL, &arena, &err), NX_UNSUPPORTED);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tensors),		  cmocka_unit_test(test_workers),
		cmocka_unit_test(test_collective_words),  cmocka_unit_test(test_damage),
		cmocka_unit_test(test_the_runtimes_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
