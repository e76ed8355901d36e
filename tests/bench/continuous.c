/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What continuous recording costs, and a program under load for the soak test.
 * usage: bench_continuous NEFF cost ROUNDS         steps with and without it, in turn
 *        bench_continuous NEFF horizon FOLDER      how far back it reaches, and its memory
 *        bench_continuous NEFF load SECONDS FOLDER snapshots and sessions while steps run; prints
 *                                                  a line for each, and one with the costs
 */
#include <linux/perf_event.h>
#include <nrt/nrt.h>
#include <nrt/nrt_experimental.h>
#include <nx/profiler.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEPS_PER_ROUND 3000 /* about a second: starting it is not part of the cost */
#define MOST_ROUNDS 101
#define SPANS_PER_STEP 4

static nrt_model_t *model;
static nrt_tensor_set_t *sets[2];
static nx_name step_name, span_name, index_name;
static int64_t step_count;
static int instructions_fd = -1;

static void require(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "bench_continuous: %s: %d %s\n", what, status, nx_profiler_error());
	exit(1);
}

static void load_model(const char *path)
{
	nrt_tensor_info_array_t *list;
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(1 << 24);
	size_t len = file && bytes ? fread(bytes, 1, 1 << 24, file) : 0;

	require(!file, path);
	fclose(file);
	require(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	require(nrt_load(bytes, len, 0, -1, &model), "nrt_load");
	free(bytes);
	require(nrt_allocate_tensor_set(&sets[0]), "nrt_allocate_tensor_set");
	require(nrt_allocate_tensor_set(&sets[1]), "nrt_allocate_tensor_set");
	require(nrt_get_model_tensor_info(model, &list), "nrt_get_model_tensor_info");
	for (uint64_t i = 0; i < list->tensor_count; i++) {
		nrt_tensor_info_t *info = &list->tensor_array[i];
		nrt_tensor_t *tensor;

		require(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, info->size, info->name,
					    &tensor),
			"nrt_tensor_allocate");
		require(nrt_add_tensor_to_tensor_set(sets[info->usage], info->name, tensor),
			"nrt_add_tensor_to_tensor_set");
	}
	nrt_free_model_tensor_info(list);
}

static void run_step(void)
{
	nx_span step = nx_profiler_step_begin(step_name, step_count++);

	for (int i = 0; i < SPANS_PER_STEP; i++) {
		nx_attribute index = nx_attribute_i64(index_name, i);
		nx_span span = nx_profiler_begin_with(span_name, &index, 1);

		if (i == 0)
			require(nrt_execute(model, sets[0], sets[1]), "nrt_execute");
		nx_profiler_end(span);
	}
	nx_profiler_step_end(step);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* Of all threads: what the thread of the profiler does counts. */
static double processor_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void count_instructions(void)
{
	struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
					     .size = sizeof(attributes),
					     .config = PERF_COUNT_HW_INSTRUCTIONS,
					     .inherit = 1,
					     .exclude_kernel = 1};

	instructions_fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

static double instructions(void)
{
	uint64_t count = 0;

	return instructions_fd >= 0 && read(instructions_fd, &count, sizeof(count)) == sizeof(count)
		       ? (double)count
		       : 0;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long resident_kb(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file && fscanf(file, "%*s %ld", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static nx_profiler_continuous_counts counts(void)
{
	nx_profiler_continuous_counts now = {.struct_size = sizeof(now)};

	nx_profiler_continuous_count(&now);
	return now;
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), by_value);
	return values[count / 2];
}

/* --- cost ------------------------------------------------------------------------------------- */

static void measure_cost(int rounds)
{
	static double seconds[2][MOST_ROUNDS], ratios[MOST_ROUNDS], counted[2][MOST_ROUNDS];
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();

	count_instructions();
	for (int i = 0; i < STEPS_PER_ROUND; i++)
		run_step(); /* the first one simulates, which takes long */
	for (int round = 0; round < rounds && round < MOST_ROUNDS; round++) {
		for (int turn = 0; turn < 2; turn++) {
			bool is_on = turn == (round & 1); /* neither is always first */
			double begin_s, begin_i;

			if (is_on)
				require(nx_profiler_continuous_start(&options), "start");
			begin_s = processor_s();
			begin_i = instructions();
			for (int i = 0; i < STEPS_PER_ROUND; i++)
				run_step();
			seconds[is_on][round] = (processor_s() - begin_s) / STEPS_PER_ROUND;
			counted[is_on][round] = (instructions() - begin_i) / STEPS_PER_ROUND;
			if (is_on)
				require(nx_profiler_continuous_stop(), "stop");
		}
		ratios[round] = seconds[1][round] / seconds[0][round] - 1;
	}
	printf("continuous recording: a step takes %.1f us of processor time without and %.1f us "
	       "with it: %+.2f %% (median of %d rounds in turn)\n",
	       1e6 * median(seconds[0], rounds), 1e6 * median(seconds[1], rounds),
	       100 * median(ratios, rounds), rounds);
	if (instructions_fd >= 0)
		printf("continuous recording: %.0f instructions without and %.0f with it: %+.2f "
		       "%%\n",
		       median(counted[0], rounds), median(counted[1], rounds),
		       100 * (median(counted[1], rounds) / median(counted[0], rounds) - 1));
	else
		printf("continuous recording: instructions are not counted here "
		       "(perf_event_open is not allowed)\n");
}

/* --- horizon and memory ----------------------------------------------------------------------- */

static void measure_horizon(const char *folder)
{
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();
	double end_s;
	long before_kb;

	options.output_dir = folder;
	options.horizon_ms = 2000;
	require(nx_profiler_continuous_start(&options), "start");
	for (end_s = now_s() + 4; now_s() < end_s;)
		run_step();
	printf("continuous recording: a horizon of 2 s keeps %.3f s (%llu of %llu records)\n",
	       1e-9 * (double)counts().kept_ns, (unsigned long long)counts().kept,
	       (unsigned long long)counts().recorded);
	require(nx_profiler_continuous_stop(), "stop");
	options.horizon_ms = 3600000;
	options.budget_bytes = 4 << 20;
	require(nx_profiler_continuous_start(&options), "start");
	while (!counts().overwritten)
		run_step();
	before_kb = resident_kb();
	for (end_s = now_s() + 4; now_s() < end_s;)
		run_step();
	printf("continuous recording: a budget of 4 MiB keeps %.3f s of this program, and %llu "
	       "records later memory has grown by %ld KB\n",
	       1e-9 * (double)counts().kept_ns, (unsigned long long)counts().overwritten,
	       resident_kb() - before_kb);
	require(nx_profiler_continuous_stop(), "stop");
}

/* --- load ------------------------------------------------------------------------------------- */

static _Atomic bool is_over;

static void pause_ms(long ms)
{
	const struct timespec rest = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&rest, NULL);
}

/* Snapshots all the time, and a session between every third and fourth. */
static void *save_snapshots(void *context)
{
	nx_profiler_options session = NX_PROFILER_OPTIONS;

	session.output_dir = context;
	for (int i = 1; !atomic_load(&is_over); i++) {
		char folder[1500];

		pause_ms(2000);
		require(nx_profiler_snapshot(NULL, folder, sizeof(folder)), "snapshot");
		printf("snapshot %ld %s\n", resident_kb(), folder);
		fflush(stdout);
		if (i % 3)
			continue;
		require(nx_profiler_start(&session), "session");
		pause_ms(500);
		require(nx_profiler_stop(), "session");
		printf("session %s\n", nx_profiler_directory());
		fflush(stdout);
	}
	return NULL;
}

/* Half of the time is spent in steps, so that two of these leave room for others. */
static double run_load(double seconds)
{
	double begin_s = processor_s(), end_s = now_s() + seconds;
	int64_t begin = step_count;

	while (now_s() < end_s) {
		run_step();
		pause_ms(1);
	}
	return (processor_s() - begin_s) / (double)(step_count - begin);
}

static void run_under_load(double seconds, char *folder)
{
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();
	double off, on;
	pthread_t thread;

	run_step();
	off = run_load(seconds / 20 > 20 ? 20 : seconds / 20);
	step_count = 0;
	options.output_dir = folder;
	options.budget_bytes = 16 << 20;
	options.horizon_ms = 8000;
	require(nx_profiler_continuous_start(&options), "start");
	pthread_create(&thread, NULL, save_snapshots, folder);
	on = run_load(seconds);
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	printf("cost %.3f %.3f %lld\n", 1e6 * off, 1e6 * on, (long long)step_count);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	step_name = nx_profiler_name("step");
	span_name = nx_profiler_name("work");
	index_name = nx_profiler_name("index");
	load_model(argv[1]);
	if (strcmp(argv[2], "cost") == 0)
		measure_cost(atoi(argv[3]));
	else if (strcmp(argv[2], "horizon") == 0)
		measure_horizon(argv[3]);
	else if (strcmp(argv[2], "load") == 0 && argc == 5)
		run_under_load(atof(argv[3]), argv[4]);
	nrt_close();
	return 0;
}
