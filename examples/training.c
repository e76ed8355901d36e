/* SPDX-License-Identifier: Apache-2.0 */
/*
 * training: what a training loop looks like to a profiler. Four processes, one per core, load data,
 * compute and sum their results, step by step. Two things are wrong with it on purpose:
 *
 *	step 12 takes much longer than the others to load its data;
 *	rank 2 is late in every step, so that the others wait for it in the sum.
 *
 *	cc -Iinclude examples/training.c build/lib/libnrt.so.1 build/lib/libnxprofiler.so.1 -o
 *training neuron-explorer neff --assemble examples/rank_sum.nasm -o rank_sum.neff
 *	LD_LIBRARY_PATH=build/lib ./training rank_sum.neff output
 *	neuron-explorer view -d output --output-format summary-text
 *
 * The program profiles itself: its steps and spans, the calls of the runtime and the work of the
 * cores are in one profile. training.py does the same in Python.
 */
#include <nrt/nrt.h>
#include <nx/profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RANKS 4
#define STEPS 20
#define ELEMENTS ((size_t)128 * 64)

#define LOAD_NS 3000000L
#define SLOW_STEP 12
#define SLOW_NS 400000000L
#define LATE_RANK 2
#define LATE_NS 20000000L

static float x[ELEMENTS], y[ELEMENTS];

static void check(NRT_STATUS status, const char *call)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "training: %s: status %d\n", call, (int)status);
	exit(1);
}

/* --- one rank ----------------------------------------------------------------------------------
 */

static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes;
	long length;

	if (!file) {
		perror(path);
		exit(1);
	}
	fseek(file, 0, SEEK_END);
	length = ftell(file);
	rewind(file);
	bytes = malloc((size_t)length);
	if (!bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	fclose(file);
	*size = (size_t)length;
	return bytes;
}

static nrt_tensor_set_t *make_set(const char *name, nrt_tensor_t **tensor)
{
	nrt_tensor_set_t *set = NULL;

	check(nrt_allocate_tensor_set(&set), "nrt_allocate_tensor_set");
	check(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, sizeof(x), name, tensor),
	      "nrt_tensor_allocate");
	check(nrt_add_tensor_to_tensor_set(set, name, *tensor), "nrt_add_tensor_to_tensor_set");
	return set;
}

/* Stands for reading and decoding a batch. */
static void take_time(long ns)
{
	struct timespec pause = {ns / 1000000000L, ns % 1000000000L};

	while (nanosleep(&pause, &pause))
		;
}

static void load_data(int rank, int step)
{
	nx_span span = nx_profiler_begin(nx_profiler_name("load data"));

	take_time(step == SLOW_STEP ? SLOW_NS : LOAD_NS);
	for (size_t i = 0; i < ELEMENTS; i++)
		x[i] = (float)(rank + step);
	nx_profiler_end(span);
	if (rank != LATE_RANK)
		return;
	span = nx_profiler_begin(nx_profiler_name("augment data"));
	take_time(LATE_NS);
	nx_profiler_end(span);
}

static void start_profile(const char *output)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;

	options.output_dir = output;
	options.with_device = true;
	if (nx_profiler_start(&options)) {
		fprintf(stderr, "training: %s\n", nx_profiler_error());
		exit(1);
	}
}

static int run_rank(int rank, const char *path, const char *output)
{
	nrt_tensor_t *in = NULL, *out = NULL;
	nrt_tensor_set_t *inputs, *outputs;
	nrt_model_t *model = NULL;
	int wrong = 0;
	size_t size;
	void *neff = read_file(path, &size);

	dprintf(STDOUT_FILENO, "rank %d is process %d\n", rank, (int)getpid());
	start_profile(output);
	check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	check(nrt_load_collectives(neff, size, 0, 1, (uint32_t)rank, RANKS, &model),
	      "nrt_load_collectives");
	inputs = make_set("x", &in);
	outputs = make_set("y", &out);
	for (int step = 0; step < STEPS; step++) {
		nx_span whole = nx_profiler_step_begin(nx_profiler_name("train"), step), part;

		load_data(rank, step);
		part = nx_profiler_begin(nx_profiler_name("forward"));
		check(nrt_tensor_write(in, x, 0, sizeof(x)), "nrt_tensor_write");
		check(nrt_execute(model, inputs, outputs), "nrt_execute");
		check(nrt_tensor_read(out, y, 0, sizeof(y)), "nrt_tensor_read");
		nx_profiler_end(part);
		/* twice each rank's value, summed over ranks 0 to 3 */
		wrong += y[0] != (float)(2 * (0 + 1 + 2 + 3 + RANKS * step));
		nx_profiler_step_end(whole);
	}
	nrt_destroy_tensor_set(&inputs);
	nrt_destroy_tensor_set(&outputs);
	nrt_tensor_free(&in);
	nrt_tensor_free(&out);
	check(nrt_unload(model), "nrt_unload");
	if (nx_profiler_stop())
		fprintf(stderr, "training: %s\n", nx_profiler_error());
	nrt_close();
	free(neff);
	if (wrong)
		fprintf(stderr, "training: rank %d has %d wrong sums\n", rank, wrong);
	return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
	pid_t ranks[RANKS];
	int failed = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: training rank_sum.neff OUTPUT_FOLDER\n");
		return 2;
	}
	for (int rank = 0; rank < RANKS; rank++) {
		char core[16], root[32];

		/* ranks meet at a port; the number makes a clash with other runs unlikely */
		snprintf(root, sizeof(root), "127.0.0.1:%d", 20000 + (int)getpid() % 20000);
		snprintf(core, sizeof(core), "%d", rank);
		ranks[rank] = fork();
		if (ranks[rank] == 0) {
			setenv("NEURON_RT_ROOT_COMM_ID", root, 0);
			setenv("NEURON_RT_VISIBLE_CORES", core, 1);
			return run_rank(rank, argv[1], argv[2]);
		}
		if (ranks[rank] < 0) {
			perror("fork");
			return 1;
		}
	}
	for (int rank = 0; rank < RANKS; rank++) {
		int status = 0;

		waitpid(ranks[rank], &status, 0);
		failed += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	printf("training: %d ranks, %d steps, %d failed\n", RANKS, STEPS, failed);
	return failed ? 1 : 0;
}
