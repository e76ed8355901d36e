/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real NEFFs against plain loops in double for what their kernels are to compute.
 * The captures are not part of the repository; without them there is nothing
 * to check. All memory starts as NaN, so whatever is read too early shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "format/neff.h"
#include "runtime/device/device.h"
#include "runtime/device/device_program.h"
#include "runtime/device/element.h"

struct run {
	struct nx_file file;
	struct nx_arena arena;
	struct nx_neff neff;
	struct nx_device *device;
	struct nx_device_report report;
	struct nx_error err;
};

static void open_run(struct run *r, const char *name, struct nx_device_options options)
{
	char path[512];

	memset(r, 0, sizeof(*r));
	options.is_poisoned = true;
	options.is_strict = true;
	snprintf(path, sizeof(path), "%s/%s", NX_TEST_DATA, name);
	assert_int_equal(nx_file_map(&r->file, path, &r->err), NX_OK);
	assert_int_equal(nx_neff_read(r->file.bytes, &r->arena, &r->neff, &r->err), NX_OK);
	assert_int_equal(nx_device_open(&r->neff, &options, &r->device, &r->err), NX_OK);
}

static void close_run(struct run *r)
{
	nx_device_close(r->device);
	nx_arena_release(&r->arena);
	nx_file_unmap(&r->file);
}

static void execute(struct run *r, uint64_t executed_count)
{
	assert_int_equal(nx_device_run(r->device, &r->report, &r->err), NX_OK);
	assert_int_equal(r->report.executed_count, executed_count);
	assert_int_equal(r->report.fault_count, 0);
	assert_int_equal(r->report.nan_count, 0);
}

/* --- tensors ------------------------------------------------------------------- */

static uint64_t random_state;

/* The sum of three is bell-shaped enough; about the spread of a standard normal. */
static float next_value(void)
{
	float sum = 0;

	for (int i = 0; i < 3; i++) {
		random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
		sum += (float)(random_state >> 40) * 0x1p-23f - 1;
	}
	return sum;
}

/* Fills values with what the tensor holds after rounding to its type. */
static void put(struct run *r, const char *name, float *values, size_t first, size_t count)
{
	size_t tensor = nx_device_find(r->device, name);
	const struct nx_device_tensor *t = nx_device_tensor_borrow(r->device, tensor);
	unsigned size = t->dtype == NX_DTYPE_BF16 ? 2 : 4;
	uint8_t *bytes = malloc(count * size);

	assert_non_null(bytes);
	nx_element_store(t->dtype, values, count, bytes, size);
	nx_element_load(t->dtype, bytes, size, count, values);
	assert_int_equal(nx_device_write(r->device, tensor, first * size,
					 nx_slice_of(bytes, count * size), &r->err),
			 NX_OK);
	free(bytes);
}

static float *get(struct run *r, const char *name, size_t count)
{
	size_t tensor = nx_device_find(r->device, name);
	const struct nx_device_tensor *t = nx_device_tensor_borrow(r->device, tensor);
	unsigned size = t->dtype == NX_DTYPE_BF16 ? 2 : 4;
	uint8_t *bytes = malloc(count * size);
	float *values = malloc(count * sizeof(*values));

	assert_true(bytes && values);
	assert_int_equal(t->size_bytes, count * size);
	assert_int_equal(nx_device_read(r->device, tensor, 0, bytes, count * size, &r->err), NX_OK);
	nx_element_load(t->dtype, bytes, size, count, values);
	free(bytes);
	return values;
}

static float *made_up(size_t count, float scale)
{
	float *values = malloc(count * sizeof(*values));

	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
		values[i] = scale * next_value();
	return values;
}

/* --- attention ----------------------------------------------------------------- */

#define HEAD 128

struct attention {
	const char *name;
	size_t length;
	uint64_t executed_count;
	double tolerance; /* of the largest value */
};

/* One row: softmax of q.k over all keys, then the mean of the values so weighted. */
static void attend(const float *q, const float *k, const float *v, size_t length, size_t row,
		   double *out)
{
	double scores[1024], most = -INFINITY, total = 0;

	for (size_t j = 0; j < length; j++) {
		scores[j] = 0;
		for (size_t d = 0; d < HEAD; d++)
			scores[j] += (double)q[d * length + row] * (double)k[d * length + j];
		most = fmax(most, scores[j]);
	}
	for (size_t j = 0; j < length; j++)
		total += scores[j] = exp(scores[j] - most);
	for (size_t d = 0; d < HEAD; d++) {
		out[d] = 0;
		for (size_t j = 0; j < length; j++)
			out[d] += scores[j] / total * (double)v[d * length + j];
	}
}

static double worst_error(const float *out, const float *q, const float *k, const float *v,
			  size_t length)
{
	double worst = 0, largest = 0, row[HEAD];

	for (size_t i = 0; i < length; i++) {
		attend(q, k, v, length, i, row);
		for (size_t d = 0; d < HEAD; d++) {
			double error = fabs((double)out[i * HEAD + d] - row[d]);

			/* a NaN must not pass as "not larger" */
			worst = error <= worst ? worst : error;
			largest = fmax(largest, fabs(row[d]));
		}
	}
	return worst / largest;
}

static void check_attention(const struct attention *a, struct nx_device_options options)
{
	float *q = made_up(HEAD * a->length, 1), *k = made_up(HEAD * a->length, 1);
	float *v = made_up(HEAD * a->length, 1), *out;
	double error;
	struct run r;

	open_run(&r, a->name, options);
	put(&r, "q_ref", q, 0, HEAD * a->length);
	put(&r, "k_ref", k, 0, HEAD * a->length);
	put(&r, "v_ref", v, 0, HEAD * a->length);
	execute(&r, a->executed_count);
	out = get(&r, "kernel_out", HEAD * a->length);
	error = worst_error(out, q, k, v, a->length);
	if (!(error < a->tolerance))
		print_message("# %s: error %g\n", a->name, error);
	assert_true(error < a->tolerance);
	free(q);
	free(k);
	free(v);
	free(out);
	close_run(&r);
}

static const struct attention attentions[] = {
	{"neuron-device/fused_attention/fused.neff", 512, 174, 1e-5},
	{"neuron-device/baseline_fp32_s512/baseline.neff", 512, 192, 1e-5},
	{"neuron-device/baseline_bf16_s512/baseline.neff", 512, 186, 6e-3},
	{"neuron-device/fused_bf16_s512/fused.neff", 512, 168, 6e-3},
	{"neuron-device/fused_bf16_s1024/fused.neff", 1024, 560, 6e-3},
};

static void test_attention(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(attentions) / sizeof(attentions[0]); i++)
		check_attention(&attentions[i], (struct nx_device_options){0});
}

static void test_attention_in_any_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++)
		check_attention(&attentions[0], (struct nx_device_options){
							.seed = seed, .has_exact_functions = true});
}

/* --- a mixture of experts ------------------------------------------------------ */

#define HIDDEN 2048
#define INNER 256
#define EXPERTS 8

static const int32_t chosen[EXPERTS] = {3, 7, 100, 5, 9, 127, 0, 64};

/* Adds weight * (silu(x W_gate) * (x W_up)) W_down. */
static void add_expert(const float *x, const float *up, const float *down, double weight,
		       double *out)
{
	double sums[2 * INNER] = {0};

	for (size_t h = 0; h < HIDDEN; h++)
		for (size_t i = 0; i < 2 * INNER; i++)
			sums[i] += (double)x[h] * (double)up[h * 2 * INNER + i];
	for (size_t i = 0; i < INNER; i++) {
		double gate = sums[i] / (1 + exp(-sums[i])) * sums[INNER + i];

		for (size_t h = 0; h < HIDDEN; h++)
			out[h] += weight * gate * (double)down[i * HIDDEN + h];
	}
}

static void test_mixture_of_experts(void **state)
{
	static double expected[HIDDEN];
	float *x = made_up(HIDDEN, 1), *weights = made_up(EXPERTS, 1), *out;
	double worst = 0, largest = 0;
	struct run r;

	(void)state;
	open_run(&r, "neuron-raw/v6b.neff", (struct nx_device_options){0});
	put(&r, "input4", x, 0, HIDDEN);
	put(&r, "input0", weights, 0, EXPERTS);
	assert_int_equal(nx_device_write(r.device, nx_device_find(r.device, "input1"), 0,
					 nx_slice_of(chosen, sizeof(chosen)), &r.err),
			 NX_OK);
	for (size_t e = 0; e < EXPERTS; e++) {
		float *up = made_up(HIDDEN * 2 * INNER, 0.05f);
		float *down = made_up(INNER * HIDDEN, 0.05f);

		put(&r, "input3", up, (size_t)chosen[e] * HIDDEN * 2 * INNER, HIDDEN * 2 * INNER);
		put(&r, "input2", down, (size_t)chosen[e] * INNER * HIDDEN, INNER * HIDDEN);
		add_expert(x, up, down, (double)weights[e], expected);
		free(up);
		free(down);
	}
	execute(&r, 3279);
	out = get(&r, "output0", HIDDEN);
	for (size_t h = 0; h < HIDDEN; h++) {
		double error = fabs((double)out[h] - expected[h]);

		worst = error <= worst ? worst : error;
		largest = fmax(largest, fabs(expected[h]));
	}
	assert_true(worst / largest < 6e-3);
	free(x);
	free(weights);
	free(out);
	close_run(&r);
}

/* --- any order gives the same bits --------------------------------------------- */

static float *decode_step(uint64_t seed)
{
	struct run r;
	float *out;

	open_run(&r, "neuron-raw/attn_v6.neff", (struct nx_device_options){.seed = seed});
	random_state = 5;
	for (size_t i = 0; i < nx_device_program_borrow(r.device)->tensor_count; i++) {
		const struct nx_device_tensor *t = nx_device_tensor_borrow(r.device, i);
		int32_t position = 17;
		float *values;

		if (t->kind != NX_DEVICE_INPUT)
			continue;
		if (t->dtype == NX_DTYPE_INT32) {
			assert_int_equal(nx_device_write(r.device, i, 0, nx_slice_of(&position, 4),
							 &r.err),
					 NX_OK);
			continue;
		}
		values = made_up((size_t)t->size_bytes / 2, 0.2f);
		put(&r, t->name, values, 0, (size_t)t->size_bytes / 2);
		free(values);
	}
	execute(&r, 1971);
	out = get(&r, "output0", 1024);
	close_run(&r);
	return out;
}

static void test_order_of_engines_does_not_matter(void **state)
{
	float *expected = decode_step(0);

	(void)state;
	assert_true(expected[0] != 0 && isfinite(expected[0]));
	for (uint64_t seed = 1; seed <= 4; seed++) {
		float *out = decode_step(seed);

		assert_memory_equal(out, expected, 1024 * sizeof(*out));
		free(out);
	}
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attention),
		cmocka_unit_test(test_attention_in_any_order),
		cmocka_unit_test(test_mixture_of_experts),
		cmocka_unit_test(test_order_of_engines_does_not_matter),
	};

	if (access(NX_TEST_DATA, R_OK) != 0) {
		puts("1..0 # SKIP the real captures are not here");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
