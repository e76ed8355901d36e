/* SPDX-License-Identifier: Apache-2.0 */
/*
 * training: what a training loop looks like to a profiler. Four processes, one per core, load data,
 * compute and sum their results, step by step. Two things are wrong with it on purpose:
 *
 *	step 12 takes much longer than the others to load its data;
 *	rank 2 is late in every step, so that the others wait for it in the sum.
 *
 *	cc -Iinclude examples/training.c build/lib/libnrt.so.1 -o training
 *	neuron-explorer neff --assemble examples/rank_sum.nasm -o rank_sum.neff
 *	neuron-explorer inspect -o output ./training rank_sum.neff
 *	neuron-explorer view -d output --output-format summary-text
 *
 * training.py does the same with the package neuron_explorer. Here the program writes the trace of
 * its own steps: trace.json, in the form that frameworks use, into the folder of its process.
 */
#include <glob.h>
#include <nrt/nrt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* --- the program's own trace ------------------------------------------------------------------ */

struct span {
	char name[32];
	int step; /* -1: not a step */
	long long start_ns, end_ns;
};

static struct span spans[8 * STEPS];
static size_t span_count;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static size_t begin(const char *name, int step)
{
	struct span *span = &spans[span_count];

	snprintf(span->name, sizeof(span->name), "%s", name);
	span->step = step;
	span->start_ns = now_ns();
	return span_count++;
}

static void end(size_t span)
{
	spans[span].end_ns = now_ns();
}

/* Times are microseconds since 1970; thousandths are nanoseconds. */
static void write_trace(const char *folder)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/trace.json", folder);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	fputs("{\"traceEvents\":[", file);
	for (size_t i = 0; i < span_count; i++) {
		long long duration_ns = spans[i].end_ns - spans[i].start_ns;

		fprintf(file,
			"%s\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"ts\":%lld.%"
			"03lld,"
			"\"dur\":%lld.%03lld",
			i ? "," : "", (int)getpid(), (int)getpid(), spans[i].name,
			spans[i].start_ns / 1000, spans[i].start_ns % 1000, duration_ns / 1000,
			duration_ns % 1000);
		if (spans[i].step >= 0)
			fprintf(file, ",\"args\":{\"step_num\":%d}", spans[i].step);
		fputs("}", file);
	}
	fputs("\n]}\n", file);
	if (fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* The runtime wrote <output>/<instance>_pid_<pid>/, and newer ones a folder in it, if this process
 * was inspected. */
static void leave_trace(void)
{
	const char *output = getenv("NEURON_RT_INSPECT_OUTPUT_DIR");
	bool is_left = false;

	for (int i = 0; i < 2 && output && !is_left; i++) {
		char pattern[4096];
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/*_pid_%d%s/trace_info.pb", output,
			 (int)getpid(), i ? "/*" : "");
		is_left = !glob(pattern, 0, NULL, &found);
		if (is_left) {
			*strrchr(found.gl_pathv[0], '/') = 0;
			write_trace(found.gl_pathv[0]);
		}
		globfree(&found);
	}
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
	size_t span = begin("load data", -1);

	take_time(step == SLOW_STEP ? SLOW_NS : LOAD_NS);
	for (size_t i = 0; i < ELEMENTS; i++)
		x[i] = (float)(rank + step);
	end(span);
	if (rank != LATE_RANK)
		return;
	span = begin("augment data", -1);
	take_time(LATE_NS);
	end(span);
}

static int run_rank(int rank, const char *path)
{
	nrt_tensor_t *in = NULL, *out = NULL;
	nrt_tensor_set_t *inputs, *outputs;
	nrt_model_t *model = NULL;
	int wrong = 0;
	size_t size;
	void *neff = read_file(path, &size);

	dprintf(STDOUT_FILENO, "rank %d is process %d\n", rank, (int)getpid());
	check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	check(nrt_load_collectives(neff, size, 0, 1, (uint32_t)rank, RANKS, &model),
	      "nrt_load_collectives");
	inputs = make_set("x", &in);
	outputs = make_set("y", &out);
	for (int step = 0; step < STEPS; step++) {
		size_t whole = begin("train", step), part;

		load_data(rank, step);
		part = begin("forward", -1);
		check(nrt_tensor_write(in, x, 0, sizeof(x)), "nrt_tensor_write");
		check(nrt_execute(model, inputs, outputs), "nrt_execute");
		check(nrt_tensor_read(out, y, 0, sizeof(y)), "nrt_tensor_read");
		end(part);
		/* twice each rank's value, summed over ranks 0 to 3 */
		wrong += y[0] != (float)(2 * (0 + 1 + 2 + 3 + RANKS * step));
		end(whole);
	}
	nrt_destroy_tensor_set(&inputs);
	nrt_destroy_tensor_set(&outputs);
	nrt_tensor_free(&in);
	nrt_tensor_free(&out);
	check(nrt_unload(model), "nrt_unload");
	nrt_close();
	free(neff);
	leave_trace();
	if (wrong)
		fprintf(stderr, "training: rank %d has %d wrong sums\n", rank, wrong);
	return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
	pid_t ranks[RANKS];
	int failed = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: training rank_sum.neff\n");
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
			return run_rank(rank, argv[1]);
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
