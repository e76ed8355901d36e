/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/capture_inputs.h"

static struct nx_arena arena;
static char path[64];

static int set_up(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/nx-inputs-XXXXXX");
	fd = mkstemp(path);
	close(fd);
	return fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	nx_arena_release(&arena);
	return 0;
}

static void put(const void *bytes, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static enum nx_status read_text(const char *text, struct nx_capture_inputs *workers, size_t count,
				struct nx_error *err)
{
	put(text, strlen(text));
	return nx_capture_inputs_read(workers, count, path, &arena, err);
}

static void test_words(void **state)
{
	char a[] = "a", b[] = "b", x[] = "x.npy", y[] = "y.npy";
	char *words[] = {a, x, b, y, a, y};
	struct nx_capture_inputs inputs;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_capture_inputs_parse(&inputs, words, 0, &arena, &err), NX_OK);
	assert_int_equal(inputs.count, 0);
	assert_int_equal(nx_capture_inputs_parse(&inputs, words, 4, &arena, &err), NX_OK);
	assert_string_equal(nx_capture_inputs_find(&inputs, "b"), "y.npy");
	assert_null(nx_capture_inputs_find(&inputs, "c"));
	assert_int_equal(nx_capture_inputs_parse(&inputs, words, 3, &arena, &err), NX_USAGE);
	assert_non_null(strstr(err.message, "'b' has no partner"));
	assert_int_equal(nx_capture_inputs_parse(&inputs, words, 6, &arena, &err), NX_USAGE);
	assert_string_equal(err.message, "input a is given twice");
}

static void test_lines(void **state)
{
	struct nx_capture_inputs workers[3] = {{0}};
	struct nx_error err;

	(void)state;
	assert_int_equal(read_text("a 1.npy\r\n\n\ta  2.npy b 3.npy \n\n \n", workers, 3, &err),
			 NX_OK);
	assert_string_equal(nx_capture_inputs_find(&workers[0], "a"), "1.npy");
	assert_int_equal(workers[1].count, 0); /* an empty line gives a worker nothing */
	assert_string_equal(nx_capture_inputs_find(&workers[2], "a"), "2.npy");
	assert_string_equal(nx_capture_inputs_find(&workers[2], "b"), "3.npy");
	assert_int_equal(read_text("a 1.npy\n", workers, 2, &err), NX_MISMATCH);
	assert_non_null(strstr(err.message, "there are 1 lines for 2 workers"));
	assert_int_equal(read_text("a 1.npy\na 1.npy\nx", workers, 2, &err), NX_MISMATCH);
	assert_int_equal(read_text("a 1.npy\na\n", workers, 2, &err), NX_USAGE);
	assert_non_null(strstr(err.message, ": line 2: "));
	assert_int_equal(read_text("", workers, 1, &err), NX_MISMATCH);
	put("a\0b c", 5);
	assert_int_equal(nx_capture_inputs_read(workers, 1, path, &arena, &err), NX_FORMAT);
	assert_int_equal(nx_capture_inputs_read(workers, 1, "/nothing", &arena, &err),
			 NX_NOT_FOUND);
}

static void put_array(const char *dtype, unsigned dims, const uint64_t *shape, size_t payload,
		      bool is_fortran)
{
	static uint8_t zeros[1024];
	struct nx_npy array = {.dims = dims,
			       .is_fortran_order = is_fortran,
			       .payload = nx_slice_of(zeros, payload)};
	struct nx_bytes file = {0};

	snprintf(array.dtype, sizeof(array.dtype), "%s", dtype);
	memcpy(array.shape, shape, dims * sizeof(*shape));
	nx_npy_write(&array, &file);
	put(file.items, file.len);
	nx_vec_release(&file);
}

static enum nx_status map_as(const struct nx_capture_tensor *tensor)
{
	struct nx_slice payload;
	struct nx_error err;
	struct nx_file file;
	enum nx_status st = nx_capture_input_map(path, tensor, &file, &payload, &err);

	if (st)
		return st;
	assert_int_equal(payload.len, tensor->size_bytes);
	nx_file_unmap(&file);
	return st;
}

static void test_arrays(void **state)
{
	struct nx_capture_tensor tensor = {.name = "x",
					   .size_bytes = 24,
					   .dtype = NRT_DTYPE_FLOAT32,
					   .dtype_name = "float32",
					   .dims = 2,
					   .shape = {2, 3}};
	const uint64_t same[] = {2, 3}, ones[] = {1, 2, 1, 3}, turned[] = {3, 2}, flat[] = {6};

	(void)state;
	put_array("<f4", 2, same, 24, false);
	assert_int_equal(map_as(&tensor), NX_OK);
	put_array("<f4", 4, ones, 24, false);
	assert_int_equal(map_as(&tensor), NX_OK);
	put_array("<f4", 2, turned, 24, false);
	assert_int_equal(map_as(&tensor), NX_MISMATCH);
	put_array("<f4", 1, flat, 24, false);
	assert_int_equal(map_as(&tensor), NX_MISMATCH);
	put_array("<i4", 2, same, 24, false);
	assert_int_equal(map_as(&tensor), NX_MISMATCH);
	put_array("<f4", 2, same, 23, false);
	assert_int_equal(map_as(&tensor), NX_MISMATCH);
	put_array("<f4", 2, same, 24, true);
	assert_int_equal(map_as(&tensor), NX_UNSUPPORTED);
	tensor.dims = 0; /* nobody says its shape: the size decides */
	put_array("<f4", 1, flat, 24, true);
	assert_int_equal(map_as(&tensor), NX_OK);
	put("\x93NUMPY", 6);
	assert_int_equal(map_as(&tensor), NX_FORMAT);
}

static void test_raw_bytes(void **state)
{
	struct nx_capture_tensor tensor = {.name = "x",
					   .size_bytes = 6,
					   .dtype = NRT_DTYPE_BFLOAT16,
					   .dtype_name = "bfloat16",
					   .dims = 1,
					   .shape = {3}};
	struct nx_slice payload;
	struct nx_error err;
	struct nx_file file;

	(void)state;
	put("abcdef", 6);
	assert_int_equal(nx_capture_input_map(path, &tensor, &file, &payload, &err), NX_OK);
	assert_memory_equal(payload.data, "abcdef", 6);
	nx_file_unmap(&file);
	put("abcde", 5);
	assert_int_equal(map_as(&tensor), NX_MISMATCH);
	put("", 0);
	assert_int_equal(map_as(&tensor), NX_MISMATCH);
	/* the magic alone decides, so a tensor of its size is not raw */
	put("\x93NUMPY", 6);
	assert_int_equal(map_as(&tensor), NX_FORMAT);
}

static void test_names(void **state)
{
	struct nx_capture_tensor tensors[] = {{.name = "x", .size_bytes = 4},
					      {.name = "y", .is_output = true}};
	struct nx_capture_model model = {.tensors = tensors, .tensor_count = 2};
	char y[] = "y", *words[] = {y, path};
	struct nx_capture_inputs inputs;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_capture_inputs_parse(&inputs, words, 2, &arena, &err), NX_OK);
	/* an output is no input */
	assert_int_equal(nx_capture_inputs_check(&inputs, &model, &err), NX_NOT_FOUND);
	assert_string_equal(err.message, "the model has no input y; it has: x");
}

static void test_accepted_types(void **state)
{
	(void)state;
	assert_true(nx_capture_input_accepts(NRT_DTYPE_BFLOAT16, "<u2"));
	assert_true(nx_capture_input_accepts(NRT_DTYPE_BFLOAT16, "|V2"));
	assert_false(nx_capture_input_accepts(NRT_DTYPE_BFLOAT16, "<f2"));
	assert_true(nx_capture_input_accepts(NRT_DTYPE_UINT8, "|b1"));
	assert_false(nx_capture_input_accepts(NRT_DTYPE_FLOAT32, ">f4"));
	assert_false(nx_capture_input_accepts(NRT_DTYPE_FLOAT32, "<f8"));
	/* parts of a word are not words */
	assert_false(nx_capture_input_accepts(NRT_DTYPE_BFLOAT16, "u2"));
	assert_false(nx_capture_input_accepts(NRT_DTYPE_FLOAT32, ""));
	assert_true(nx_capture_input_accepts(NRT_DTYPE_UNKNOWN, "<c8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted_types), cmocka_unit_test(test_words),
		cmocka_unit_test(test_lines),	       cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_raw_bytes),      cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
