/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relu: load relu.neff, run it a few times and check what it computed.
 *
 *	cc -Iinclude examples/relu.c build/lib/libnrt.so.1 -o relu
 *	neuron-explorer neff --assemble examples/relu.nasm -o relu.neff
 *	neuron-explorer inspect -o output ./relu relu.neff
 *
 * The calls are those of every program that uses the Neuron runtime, so it also runs on a device.
 */
#include <nrt/nrt.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 128
#define COLUMNS 512
#define RUNS 3

static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];

static void check(NRT_STATUS status, const char *call)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "%s: status %d\n", call, (int)status);
	exit(1);
}

static nrt_model_t *load(const char *path)
{
	FILE *file = fopen(path, "rb");
	nrt_model_t *model = NULL;
	char *bytes;
	long size;

	if (!file) {
		perror(path);
		exit(1);
	}
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	bytes = malloc((size_t)size);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	fclose(file);
	check(nrt_load(bytes, (size_t)size, 0, 1, &model), "nrt_load");
	free(bytes);
	return model;
}

/* A tensor on core 0, as the only member of a new set. */
static nrt_tensor_set_t *make_set(const char *name, nrt_tensor_t **tensor)
{
	nrt_tensor_set_t *set = NULL;

	check(nrt_allocate_tensor_set(&set), "nrt_allocate_tensor_set");
	check(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, sizeof(x), name, tensor),
	      "nrt_tensor_allocate");
	check(nrt_add_tensor_to_tensor_set(set, name, *tensor), "nrt_add_tensor_to_tensor_set");
	return set;
}

int main(int argc, char **argv)
{
	nrt_tensor_set_t *inputs, *outputs;
	nrt_tensor_t *in = NULL, *out = NULL;
	nrt_model_t *model;
	int wrong = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: relu relu.neff\n");
		return 2;
	}
	check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	model = load(argv[1]);
	inputs = make_set("x", &in);
	outputs = make_set("y", &out);

	for (int i = 0; i < ROWS * COLUMNS; i++)
		x[i] = (float)(i % 9 - 4) / 4;
	check(nrt_tensor_write(in, x, 0, sizeof(x)), "nrt_tensor_write");
	for (int run = 0; run < RUNS; run++)
		check(nrt_execute(model, inputs, outputs), "nrt_execute");
	check(nrt_tensor_read(out, y, 0, sizeof(y)), "nrt_tensor_read");
	for (int i = 0; i < ROWS * COLUMNS; i++) {
		float expected = 2 * x[i] + 1;

		wrong += y[i] != (expected > 0 ? expected : 0);
	}
	printf("%d runs, %d of %d results wrong\n", RUNS, wrong, ROWS * COLUMNS);

	nrt_destroy_tensor_set(&inputs);
	nrt_destroy_tensor_set(&outputs);
	nrt_tensor_free(&in);
	nrt_tensor_free(&out);
	check(nrt_unload(model), "nrt_unload");
	nrt_close();
	return wrong != 0;
}
