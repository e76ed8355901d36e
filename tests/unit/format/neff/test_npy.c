/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/bare/bits.h"
#include "format/npy.h"

static uint8_t file[1024];

/* A version 1 file around a header text; returns its length. */
static struct nx_slice with_header(const char *header, const char *payload)
{
	size_t len = strlen(header);

	memcpy(file, "\x93NUMPY\x01\x00", 8);
	nx_store16(file + 8, (uint16_t)len);
	memcpy(file + 10, header, len);
	memcpy(file + 10 + len, payload, strlen(payload));
	return nx_slice_of(file, 10 + len + strlen(payload));
}

static void test_reads_header(void **state)
{
	struct nx_npy array;

	(void)state;
	assert_true(nx_npy_read(
		with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (128, 3, 1), }  \n",
			    "abcd"),
		&array));
	assert_string_equal(array.dtype, "<f4");
	assert_false(array.is_fortran_order);
	assert_int_equal(array.dims, 3);
	assert_int_equal(array.shape[0], 128);
	assert_int_equal(array.shape[1], 3);
	assert_int_equal(array.shape[2], 1);
	assert_true(nx_slice_is(array.payload, "abcd"));
}

static void test_other_spellings(void **state)
{
	struct nx_npy array;

	(void)state;
	assert_true(nx_npy_read(
		with_header("{\"shape\":(7L,),\"fortran_order\":True,\"descr\":\"|V2\"}", ""),
		&array));
	assert_string_equal(array.dtype, "|V2");
	assert_true(array.is_fortran_order);
	assert_int_equal(array.dims, 1);
	assert_int_equal(array.shape[0], 7);
	assert_true(nx_npy_read(
		with_header("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': ()}", ""),
		&array));
	assert_string_equal(array.dtype, "");
	assert_int_equal(array.dims, 0);
}

static void test_version_2_has_a_long_length(void **state)
{
	const char *header = "{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}";
	struct nx_npy array;

	(void)state;
	memcpy(file, "\x93NUMPY\x02\x00", 8);
	nx_store32(file + 8, (uint32_t)strlen(header));
	memcpy(file + 12, header, strlen(header));
	assert_true(nx_npy_read(nx_slice_of(file, 12 + strlen(header)), &array));
	assert_string_equal(array.dtype, "<f2");
	assert_int_equal(array.shape[0], 2);
	nx_store32(file + 8, UINT32_MAX);
	assert_false(nx_npy_read(nx_slice_of(file, 12 + strlen(header)), &array));
	file[6] = 4;
	assert_false(nx_npy_read(nx_slice_of(file, 12 + strlen(header)), &array));
}

static void test_refuses_nonsense(void **state)
{
	static const char *const bad[] = {
		"",
		"{'descr': '<f4', 'fortran_order': False}",
		"{'descr': '<f4', 'shape': (1,)}",
		"{'fortran_order': False, 'shape': (1,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
		"{'descr':'<f4','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
		"{'descr': '0123456789abcdef', 'fortran_order': False, 'shape': (1,)}",
		"{'descr': '<f4",
		"{'shape'",
	};
	struct nx_npy array;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(nx_npy_read(with_header(bad[i], ""), &array));
	assert_false(nx_npy_read(nx_slice_text("\x93NUMPY"), &array));
	assert_false(nx_npy_read((struct nx_slice){NULL, 0}, &array));
	assert_false(nx_npy_read(nx_slice_text("PK\x03\x04 something else"), &array));
}

static void test_writes_what_it_reads(void **state)
{
	static const unsigned dims[] = {0, 1, 4, NX_NPY_MAX_DIMS};

	(void)state;
	for (size_t i = 0; i < sizeof(dims) / sizeof(dims[0]); i++) {
		struct nx_npy in = {.dtype = "<f4", .dims = dims[i]}, out;
		struct nx_bytes bytes = {0};

		for (unsigned d = 0; d < dims[i]; d++)
			in.shape[d] = UINT64_MAX / 20 - d;
		in.payload = nx_slice_text("payload");
		nx_npy_write(&in, &bytes);
		assert_int_equal((bytes.len - in.payload.len) % 64, 0);
		assert_true(nx_npy_read(nx_slice_of(bytes.items, bytes.len), &out));
		assert_string_equal(out.dtype, "<f4");
		assert_int_equal(out.dims, dims[i]);
		assert_memory_equal(out.shape, in.shape, sizeof(in.shape));
		assert_true(nx_slice_is(out.payload, "payload"));
		nx_vec_release(&bytes);
	}
}

static void test_header_is_numpys(void **state)
{
	struct nx_npy in = {.dtype = "<f4", .dims = 1, .shape = {3}};
	struct nx_bytes bytes = {0};
	const char *expected = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";

	(void)state;
	nx_npy_write(&in, &bytes);
	assert_int_equal(bytes.len, 128);
	assert_memory_equal(bytes.items, "\x93NUMPY\x01\x00\x76\x00", 10);
	assert_memory_equal(bytes.items + 10, expected, strlen(expected));
	assert_int_equal(bytes.items[126], ' ');
	assert_int_equal(bytes.items[127], '\n');
	nx_vec_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_header),
		cmocka_unit_test(test_other_spellings),
		cmocka_unit_test(test_version_2_has_a_long_length),
		cmocka_unit_test(test_refuses_nonsense),
		cmocka_unit_test(test_writes_what_it_reads),
		cmocka_unit_test(test_header_is_numpys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
