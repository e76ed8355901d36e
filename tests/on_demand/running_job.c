/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that runs until its standard input ends: it executes a model, says "ready" after the first
 * time, and goes on. It knows nothing of profilers.
 * usage: running_job MODEL.neff
 */
#include <nrt/nrt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define TENSOR_BYTES ((size_t)128 * 512 * sizeof(float))
#define PAUSE_MS 1

static void check(NRT_STATUS status, const char *call)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "running_job: %s: status %d\n", call, (int)status);
	exit(1);
}

static nrt_model_t *load(const char *path)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "rb");
	size_t len = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	nrt_model_t *model = NULL;

	if (!len) {
		fprintf(stderr, "running_job: %s cannot be read\n", path);
		exit(1);
	}
	fclose(file);
	check(nrt_load(bytes, len, 0, 1, &model), "nrt_load");
	return model;
}

static nrt_tensor_set_t *make_set(const char *name)
{
	nrt_tensor_set_t *set = NULL;
	nrt_tensor_t *tensor = NULL;

	check(nrt_allocate_tensor_set(&set), "nrt_allocate_tensor_set");
	check(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, TENSOR_BYTES, name, &tensor),
	      "nrt_tensor_allocate");
	check(nrt_add_tensor_to_tensor_set(set, name, tensor), "nrt_add_tensor_to_tensor_set");
	return set;
}

int main(int argc, char **argv)
{
	struct pollfd input = {.events = POLLIN};
	nrt_tensor_set_t *inputs, *outputs;
	nrt_model_t *model;

	if (argc != 2)
		return 2;
	check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	model = load(argv[1]);
	inputs = make_set("x");
	outputs = make_set("y");
	check(nrt_execute(model, inputs, outputs), "nrt_execute");
	puts("ready");
	fflush(stdout);
	while (poll(&input, 1, PAUSE_MS) == 0)
		check(nrt_execute(model, inputs, outputs), "nrt_execute");
	nrt_close();
	return 0;
}
