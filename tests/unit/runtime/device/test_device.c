/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "runtime/device/device.h"
#include "runtime/device/device_program.h"
#include "tests/unit/runtime/device/core_fixture.h"
#include "tests/unit/runtime/device/exactly.h"
#include "tests/unit/runtime/device/made_neff.h"

static struct made_neff neff;
static struct nx_device *device;
static struct nx_device_report report;
static struct nx_error err;

static int begin(void **state)
{
	(void)state;
	memset(&neff, 0, sizeof(neff));
	device = NULL;
	return 0;
}

static int end(void **state)
{
	(void)state;
	nx_device_close(device);
	made_neff_release(&neff);
	return 0;
}

#define NO_LAYOUT 0xee /* an opcode that no table knows */
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

static enum nx_status open_with(struct nx_device_options options)
{
	nx_device_close(device);
	return nx_device_open(made_neff_read(&neff), &options, &device, &err);
}

static void set(const char *name, const float *values, size_t count)
{
	assert_int_equal(nx_device_write(device, nx_device_find(device, name), 0,
					 nx_slice_of(values, count * sizeof(*values)), &err),
			 NX_OK);
}

static void get(const char *name, float *values, size_t count)
{
	assert_int_equal(nx_device_read(device, nx_device_find(device, name), 0, values,
					count * sizeof(*values), &err),
			 NX_OK);
}

static uint32_t random_state;

static float minus_one_to_one(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return (float)((random_state >> 16) % 3) - 1;
}

/* --- end to end ---------------------------------------------------------------------- */

#define COLUMNS 37

static void test_sum_of_two_vectors(void **state)
{
	static float a[128 * COLUMNS], b[128 * COLUMNS], out[128 * COLUMNS];

	(void)state;
	made_neff_sum(&neff, COLUMNS, 1);
	assert_int_equal(
		open_with((struct nx_device_options){.is_poisoned = true, .is_strict = true}),
		NX_OK);
	for (size_t i = 0; i < 128 * COLUMNS; i++) {
		a[i] = (float)i;
		b[i] = 0.5f * (float)i;
	}
	set("a", a, 128 * COLUMNS);
	set("b", b, 128 * COLUMNS);
	assert_int_equal(nx_device_run(device, &report, &err), NX_OK);
	get("out", out, 128 * COLUMNS);
	for (size_t i = 0; i < 128 * COLUMNS; i++)
		assert_exactly(out[i], 1.5f * (float)i);
	assert_int_equal(report.executed_count, 6);
	assert_int_equal(report.dma_count, 3);
	assert_int_equal(report.dma_bytes, 3 * 4 * 128 * COLUMNS);
	assert_int_equal(report.fault_count, 0);
}

static void test_describes_its_tensors(void **state)
{
	const struct nx_device_tensor *a;

	(void)state;
	made_neff_sum(&neff, COLUMNS, 2);
	assert_int_equal(open_with((struct nx_device_options){0}), NX_OK);
	assert_int_equal(nx_device_program_borrow(device)->core_count, 2);
	assert_int_equal(nx_device_program_borrow(device)->arch, NX_DEVICE_TRN2);
	assert_int_equal(nx_device_program_borrow(device)->tensor_count, 3);
	a = nx_device_tensor_borrow(device, nx_device_find(device, "a"));
	assert_string_equal(a->name, "a");
	assert_int_equal(a->kind, NX_DEVICE_INPUT);
	assert_string_equal(a->dtype_name, "float32");
	assert_int_equal(a->dims, 2);
	assert_int_equal(a->shape[1], COLUMNS);
	assert_int_equal(a->size_bytes, 128 * COLUMNS * 4);
	assert_int_equal(nx_device_find(device, "c"), NX_DEVICE_NO_TENSOR);
	assert_null(nx_device_tensor_borrow(device, 3));
}

static void test_two_cores_of_which_one_rests(void **state)
{
	static float a[128 * COLUMNS], out[128 * COLUMNS];

	(void)state;
	made_neff_sum(&neff, COLUMNS, 2);
	assert_int_equal(open_with((struct nx_device_options){0}), NX_OK);
	a[5] = 3;
	set("a", a, 128 * COLUMNS);
	set("b", a, 128 * COLUMNS);
	assert_int_equal(nx_device_run(device, &report, &err), NX_OK);
	get("out", out, 128 * COLUMNS);
	assert_exactly(out[5], 6);
	/* and again, with another input */
	a[5] = 4;
	set("a", a, 128 * COLUMNS);
	assert_int_equal(nx_device_run(device, &report, &err), NX_OK);
	get("out", out, 128 * COLUMNS);
	assert_exactly(out[5], 7);
}

/* All sums are exact, so the result equals that of the plain loop whatever the order. */
static void check_product(unsigned rows, unsigned columns, unsigned count, uint64_t seed)
{
	static float w[128 * 128], x[128 * 512], out[128 * 512];

	random_state = rows + columns + count;
	for (unsigned i = 0; i < rows * columns; i++)
		w[i] = minus_one_to_one();
	for (unsigned i = 0; i < rows * count; i++)
		x[i] = minus_one_to_one();
	assert_int_equal(open_with((struct nx_device_options){
				 .is_poisoned = true, .is_strict = true, .seed = seed}),
			 NX_OK);
	set("w", w, rows * columns);
	set("x", x, rows * count);
	assert_int_equal(nx_device_run(device, &report, &err), NX_OK);
	get("out", out, columns * count);
	for (unsigned m = 0; m < columns; m++)
		for (unsigned n = 0; n < count; n++) {
			float sum = 0;

			for (unsigned k = 0; k < rows; k++)
				sum += w[k * columns + m] * x[k * count + n];
			assert_exactly(out[m * count + n], sum);
		}
	assert_int_equal(report.fault_count, 0);
}

static void test_product_equals_the_plain_loop(void **state)
{
	static const unsigned sizes[][3] = {
		{128, 128, 512}, {1, 1, 1}, {128, 1, 1}, {3, 128, 17}, {77, 33, 100}};

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		made_neff_release(&neff);
		memset(&neff, 0, sizeof(neff));
		made_neff_product(&neff, sizes[i][0], sizes[i][1], sizes[i][2]);
		check_product(sizes[i][0], sizes[i][1], sizes[i][2], 0);
	}
}

static void test_order_does_not_matter(void **state)
{
	(void)state;
	made_neff_product(&neff, 16, 24, 40);
	for (uint64_t seed = 1; seed <= 20; seed++)
		check_product(16, 24, 40, seed);
}

/* --- what goes wrong ----------------------------------------------------------- */

static void test_input_that_was_not_set_is_noticed(void **state)
{
	static float a[128];

	(void)state;
	made_neff_sum(&neff, 1, 1);
	assert_int_equal(open_with((struct nx_device_options){.is_poisoned = true}), NX_OK);
	set("a", a, 128);
	assert_int_equal(nx_device_run(device, &report, &err), NX_OK);
	assert_int_equal(report.nan_count, 128);
	assert_int_equal(report.fault_counts[NX_FAULT_NUMERICAL], 1);
	assert_int_equal(report.faults[0].engine, NX_ENGINE_VECTOR);
	assert_string_equal(nx_fault_kind_text(report.faults[0].kind), "numerical error");
}

/* The sum is written all the same; which of it the opcode would have changed, nobody knows. */
static void test_opcode_without_a_layout_loses_the_outputs(void **state)
{
	static float ones[128], out[128];
	uint8_t word[NX_SLOT_BYTES];

	(void)state;
	for (unsigned i = 0; i < 128; i++)
		ones[i] = 1;
	made_neff_sum(&neff, 1, 1);
	word_clear(word, NO_LAYOUT);
	made_neff_add(&neff, "sg00/Pool.bin", word, sizeof(word));
	assert_int_equal(open_with((struct nx_device_options){0}), NX_OK);
	set("a", ones, 128);
	set("b", ones, 128);
	assert_int_equal(nx_device_run(device, &report, &err), NX_OK);
	assert_int_equal(report.fault_counts[NX_FAULT_UNKNOWN], 1);
	assert_non_null(strstr(report.faults[0].text, "all outputs are NaN"));
	get("out", out, 128);
	for (unsigned i = 0; i < 128; i++)
		assert_true(isnan(out[i]));
	get("a", out, 128);
	assert_exactly(out[127], 1);
	assert_int_equal(open_with((struct nx_device_options){.is_strict = true}), NX_OK);
	assert_int_equal(nx_device_run(device, &report, &err), NX_UNSUPPORTED);
}

static void test_reads_and_writes_are_bounded(void **state)
{
	float value = 1;
	struct nx_slice bytes = nx_slice_of(&value, 4);
	size_t a;

	(void)state;
	made_neff_sum(&neff, 1, 1);
	assert_int_equal(open_with((struct nx_device_options){0}), NX_OK);
	a = nx_device_find(device, "a");
	assert_int_equal(nx_device_write(device, a, 508, bytes, &err), NX_OK);
	assert_int_equal(nx_device_write(device, a, 509, bytes, &err), NX_LIMIT);
	assert_int_equal(nx_device_write(device, a, UINT64_MAX, bytes, NULL), NX_LIMIT);
	assert_int_equal(nx_device_write(device, 3, 0, bytes, &err), NX_NOT_FOUND);
	assert_int_equal(nx_device_read(device, a, 508, &value, 4, &err), NX_OK);
	assert_int_equal(nx_device_read(device, a, 512, &value, 4, &err), NX_LIMIT);
	assert_int_equal(nx_device_read(device, NX_DEVICE_NO_TENSOR, 0, &value, 4, &err),
			 NX_NOT_FOUND);
}

static void test_refuses_another_architecture(void **state)
{
	(void)state;
	made_neff_sum(&neff, 1, 1);
	assert_int_equal(open_with((struct nx_device_options){.arch = NX_DEVICE_TRN1}),
			 NX_MISMATCH);
	assert_null(device);
	assert_int_equal(open_with((struct nx_device_options){.arch = NX_DEVICE_TRN2}), NX_OK);
	made_neff_replace(&neff, "kelf-0.json",
			  "{\"graphs\":[{\"definition\":\"sg00/def.json\"}],\"target\":\"sunda\"}");
	assert_int_equal(open_with((struct nx_device_options){.arch = NX_DEVICE_INF2}), NX_OK);
	assert_int_equal(nx_device_program_borrow(device)->arch, NX_DEVICE_INF2);
}

static void test_refuses_more_memory_than_there_is(void **state)
{
	(void)state;
	made_neff_sum(&neff, 1, 1);
	assert_int_equal(open_with((struct nx_device_options){.memory_limit_bytes = 3 * 512 - 1}),
			 NX_LIMIT);
	assert_int_equal(open_with((struct nx_device_options){.memory_limit_bytes = 3 * 512}),
			 NX_OK);
}

static void test_nobody_starts_the_transfer(void **state)
{
	(void)state;
	made_neff_sum(&neff, 1, 1);
	made_neff_replace(&neff, "sg00/SP.bin", "");
	assert_int_equal(open_with((struct nx_device_options){0}), NX_OK);
	assert_int_equal(nx_device_run(device, &report, &err), NX_FORMAT);
	assert_non_null(strstr(err.message, "S[8] >= 16, which is 0"));
}

/* --- threads ------------------------------------------------------------------- */

static void *run_often(void *context)
{
	struct nx_device_report own;
	float sum;

	for (int i = 0; i < 20; i++) {
		if (nx_device_run(device, &own, NULL) || own.executed_count != 6)
			return context;
		if (nx_device_read(device, nx_device_find(device, "out"), 0, &sum, 4, NULL) ||
		    sum != 3)
			return context;
	}
	return NULL;
}

static void test_several_threads_share_a_device(void **state)
{
	float ones[128], twos[128];
	pthread_t threads[3];

	(void)state;
	for (unsigned i = 0; i < 128; i++) {
		ones[i] = 1;
		twos[i] = 2;
	}
	made_neff_sum(&neff, 1, 1);
	assert_int_equal(open_with((struct nx_device_options){0}), NX_OK);
	set("a", ones, 128);
	set("b", twos, 128);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_often, device), 0);
	for (unsigned i = 0; i < 3; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_sum_of_two_vectors),
		CASE(test_describes_its_tensors),
		CASE(test_two_cores_of_which_one_rests),
		CASE(test_product_equals_the_plain_loop),
		CASE(test_order_does_not_matter),
		CASE(test_input_that_was_not_set_is_noticed),
		CASE(test_opcode_without_a_layout_loses_the_outputs),
		CASE(test_reads_and_writes_are_bounded),
		CASE(test_refuses_another_architecture),
		CASE(test_refuses_more_memory_than_there_is),
		CASE(test_nobody_starts_the_transfer),
		CASE(test_several_threads_share_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
