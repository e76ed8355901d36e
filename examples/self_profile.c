/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self_profile: a loop that profiles itself: a worker prepares batches, the main thread runs them.
 *
 *	cc -Iinclude examples/self_profile.c build/runtime/profiler/libnxprofiler.so.1 \
 *		build/lib/libnrt.so.1 -lpthread -o self_profile
 *	neuron-explorer neff --assemble examples/relu.nasm -o relu.neff
 *	./self_profile relu.neff profile
 *	neuron-explorer view -d profile
 *
 * Each step is on the timeline with its parts, the batch it got from the worker (an arrow), the
 * calls of the runtime and the work of the core.
 */
#include <nrt/nrt.h>
#include <nx/profiler.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS (128 * 512)
#define STEPS 4

struct batch {
	float values[ELEMENTS];
	uint64_t flow; /* from the worker to the step */
	int number;
};

static struct names {
	nx_name step, prepare, run, rows, batch, sum;
} names;

static void check(NRT_STATUS status, const char *call)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "%s: status %d\n", call, (int)status);
	exit(1);
}

static void *prepare(void *argument)
{
	const nx_attribute attributes[] = {nx_attribute_i64(names.rows, ELEMENTS)};
	struct batch *batch = argument;
	nx_span span;

	nx_profiler_thread_name("loader");
	span = nx_profiler_begin_with(names.prepare, attributes, 1);
	for (int i = 0; i < ELEMENTS; i++)
		batch->values[i] = (float)((i + batch->number) % 9 - 4) / 4;
	batch->flow = nx_profiler_new_flow();
	nx_profiler_flow_out(batch->flow);
	nx_profiler_end(span);
	return NULL;
}

static nrt_model_t *load(const char *path)
{
	FILE *file = fopen(path, "rb");
	nrt_model_t *model = NULL;
	char *bytes = NULL;
	long size = 0;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) <= 0 ||
	    !(bytes = malloc((size_t)size))) {
		perror(path);
		exit(1);
	}
	rewind(file);
	if (fread(bytes, 1, (size_t)size, file) != (size_t)size) {
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
	check(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, ELEMENTS * sizeof(float), name,
				  tensor),
	      "nrt_tensor_allocate");
	check(nrt_add_tensor_to_tensor_set(set, name, *tensor), "nrt_add_tensor_to_tensor_set");
	return set;
}

int main(int argc, char **argv)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;
	static struct batch batch;
	nrt_tensor_set_t *inputs, *outputs;
	nrt_tensor_t *in = NULL, *out = NULL;
	nrt_model_t *model;
	uint64_t recorded, lost;

	if (argc != 3) {
		fprintf(stderr, "usage: self_profile relu.neff FOLDER\n");
		return 2;
	}
	names = (struct names){
		.step = nx_profiler_name("train"),
		.prepare = nx_profiler_source("prepare", __FILE__, __LINE__),
		.run = nx_profiler_name("run"),
		.rows = nx_profiler_name("rows"),
		.batch = nx_profiler_name("batch"),
		.sum = nx_profiler_name("sum of results"),
	};
	options.output_dir = argv[2];
	if (nx_profiler_start(&options)) {
		fprintf(stderr, "%s\n", nx_profiler_error());
		return 1;
	}
	/* The runtime joins the session when it starts. */
	check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	model = load(argv[1]);
	inputs = make_set("x", &in);
	outputs = make_set("y", &out);

	for (int i = 0; i < STEPS; i++) {
		nx_span step = nx_profiler_step_begin(names.step, i), span;
		char text[32];
		pthread_t worker;
		double sum = 0;

		batch.number = i;
		if (pthread_create(&worker, NULL, prepare, &batch))
			return 1;
		pthread_join(worker, NULL);
		span = nx_profiler_begin_text(text,
					      (size_t)snprintf(text, sizeof(text), "batch %d", i));
		nx_profiler_flow_in(batch.flow);
		check(nrt_tensor_write(in, batch.values, 0, sizeof(batch.values)),
		      "nrt_tensor_write");
		check(nrt_execute(model, inputs, outputs), "nrt_execute");
		check(nrt_tensor_read(out, batch.values, 0, sizeof(batch.values)),
		      "nrt_tensor_read");
		nx_profiler_end(span);
		for (int k = 0; k < ELEMENTS; k++)
			sum += (double)batch.values[k];
		nx_profiler_counter(names.sum, sum);
		nx_profiler_step_end(step);
	}
	nrt_destroy_tensor_set(&inputs);
	nrt_destroy_tensor_set(&outputs);
	nrt_tensor_free(&in);
	nrt_tensor_free(&out);
	check(nrt_unload(model), "nrt_unload");
	nx_profiler_stop();
	nx_profiler_counts(&recorded, &lost);
	printf("%llu events, %llu lost, in %s\n", (unsigned long long)recorded,
	       (unsigned long long)lost, nx_profiler_directory());
	nrt_close();
	return 0;
}
