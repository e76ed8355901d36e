/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the cost of a traced event: off, filtered out, recorded by 1 to 64 threads, and
 * of spans of the profiler library, compared with the clocks alone and with LTTng-UST; then how
 * much slower a program with an event per microsecond of work becomes. A round measures each row
 * once, so that other load affects all of them; prints the median and the best of the rounds. The
 * time of several threads is that of the processor, so that more threads than processors do not
 * count as a cost. Fails if a limit given is missed.
 *
 * usage: bench_trace [--max-beyond NS] [--max-off NS] [--max-span NS] [--max-slowdown PERCENT]
 *		[--lttng LIBRARY]
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nx/profiler.h>

#include "runtime/trace/tracer.h"
#include "tests/bench/trace_lttng.h"

#define ROUNDS 11
#define EVENTS 1000000 /* of all threads of a row together */
#define MAX_THREADS 64
#define CORES 4
/* The work of a million events, in slices that take turns traced and untraced. */
#define SLICES 1000
#define SLICE_EVENTS 1000
#define WORK_NS 1000.0
#define PROFILER "profiler" /* instead of a filter: a session of the library */

struct result {
	double median, best;
};

struct row {
	const char *name;
	void (*run)(uint32_t core);
	const char *types; /* filter of ours while it is measured; NULL: off */
	unsigned thread_count;
	bool shares_core;
	int reference; /* row its ratio is against, or -1 */
	struct result result;
};

/* Keeps what is measured from being optimised away. */
static volatile uint64_t sink;
static char profiler_folder[] = "/dev/shm/nx-bench-XXXXXX";
static void (*lttng_run)(enum trace_lttng_kind kind, uint64_t count);

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static struct result result_of(double *values, size_t count)
{
	qsort(values, count, sizeof(values[0]), by_value);
	return (struct result){values[count / 2], values[0]};
}

/* --- what is measured ------------------------------------------------------------ */

/* Events of each thread of the row at hand. */
static uint64_t event_count = EVENTS;

static void run_events(uint32_t core)
{
	uint64_t last = 0;

	for (uint64_t i = 0; i < event_count; i++) {
		last += nx_trace_start(core, NX_TRACE_TENSOR_WRITE, i, 64, 0, 0);
		__asm__ volatile("" ::: "memory"); /* the test is made each time */
	}
	sink = last;
}

static void run_counter(uint32_t core)
{
	uint64_t sum = core;

	for (uint64_t i = 0; i < EVENTS; i++)
		sum += nx_trace_clock_ticks();
	sink = sum;
}

static void run_clock(uint32_t core)
{
	struct timespec now;

	(void)core;
	for (uint64_t i = 0; i < EVENTS; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sink = (uint64_t)now.tv_nsec;
	}
}

/* --- spans of the profiler library --- */

static nx_name span_name, span_keys[2];

static void run_spans(uint32_t core)
{
	(void)core;
	for (uint64_t i = 0; i < event_count; i++) {
		nx_profiler_end(nx_profiler_begin(span_name));
		__asm__ volatile("" ::: "memory"); /* the test is made each time */
	}
}

/* A name made at run time and two attributes; making the name is the program's cost. */
static void run_text_spans(uint32_t core)
{
	char name[24] = "aten::matmul 00000000";

	(void)core;
	for (uint64_t i = 0; i < event_count; i++) {
		const nx_attribute attributes[2] = {
			nx_attribute_u64(span_keys[0], i),
			nx_attribute_f64(span_keys[1], 0.5),
		};

		name[13] = (char)('0' + i % 10);
		nx_profiler_end(
			nx_profiler_begin_text_with(NX_PROFILER_OPERATOR, name, 21, attributes, 2));
	}
}

static void run_lttng_silent(uint32_t core)
{
	(void)core;
	lttng_run(TRACE_LTTNG_SILENT, EVENTS);
}

static void run_lttng_filtered(uint32_t core)
{
	(void)core;
	lttng_run(TRACE_LTTNG_FILTERED, EVENTS);
}

static void run_lttng_events(uint32_t core)
{
	(void)core;
	lttng_run(TRACE_LTTNG_RECORDED, event_count);
}

enum {
	COUNTER,
	CLOCK,
	OFF,
	FILTERED,
	ON,
	ON_SHARED_4 = ON + 3,
	ON_SHARED_64 = ON + 7,
	SPAN_OFF,
	SPAN,
	TEXT_SPAN,
	FIRST_LTTNG,
};

static struct row rows[] = {
	[COUNTER] = {"time stamp counter alone", run_counter, NULL, 1, false, -1, {0}},
	[CLOCK] = {"clock_gettime alone", run_clock, NULL, 1, false, -1, {0}},
	[OFF] = {"off", run_events, NULL, 1, false, -1, {0}},
	[FILTERED] = {"on, this type filtered out", run_events, "hardware", 1, false, -1, {0}},
	[ON] = {"recorded, one thread", run_events, "software", 1, true, -1, {0}},
	{"recorded, 2 threads, a core each", run_events, "software", 2, false, -1, {0}},
	{"recorded, 2 threads, one core", run_events, "software", 2, true, -1, {0}},
	{"recorded, 4 threads, one core", run_events, "software", 4, true, -1, {0}},
	{"recorded, 8 threads, one core", run_events, "software", 8, true, -1, {0}},
	{"recorded, 16 threads, one core", run_events, "software", 16, true, -1, {0}},
	{"recorded, 32 threads, one core", run_events, "software", 32, true, -1, {0}},
	[ON_SHARED_64] =
		{"recorded, 64 threads, one core", run_events, "software", 64, true, -1, {0}},
	[SPAN_OFF] = {"span, off", run_spans, NULL, 1, false, -1, {0}},
	[SPAN] = {"span (2 events)", run_spans, PROFILER, 1, false, -1, {0}},
	[TEXT_SPAN] = {"span, text and 2 attributes", run_text_spans, PROFILER, 1, false, -1, {0}},
	[FIRST_LTTNG] = {"LTTng-UST off", run_lttng_silent, NULL, 1, false, OFF, {0}},
	{"LTTng-UST on, its filter says no", run_lttng_filtered, NULL, 1, false, FILTERED, {0}},
	{"LTTng-UST recorded, one thread", run_lttng_events, NULL, 1, false, ON, {0}},
	{"LTTng-UST recorded, 2 threads", run_lttng_events, NULL, 2, false, ON + 1, {0}},
	{"LTTng-UST recorded, 4 threads", run_lttng_events, NULL, 4, false, ON_SHARED_4, {0}},
	{"LTTng-UST recorded, 64 threads", run_lttng_events, NULL, 64, false, ON_SHARED_64, {0}},
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

/* --- rounds ---------------------------------------------------------------------- */

static void begin(const char *types)
{
	struct nx_tracer_options options = {.core_count = CORES,
					    .max_events = NX_TRACE_DEFAULT_EVENTS};
	struct nx_error err;

	nx_trace_filter_set_all(&options.filter);
	if (nx_trace_filter_parse_types(&options.filter, types, &err) ||
	    nx_tracer_begin(&options, &err)) {
		fprintf(stderr, "bench_trace: %s\n", err.message);
		exit(1);
	}
}

/* The library has rings of its own, which are read by a thread that writes to memory. */
static void begin_profiler(void)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;

	options.output_dir = profiler_folder;
	if (nx_profiler_start(&options)) {
		fprintf(stderr, "bench_trace: %s\n", nx_profiler_error());
		exit(1);
	}
}

static double processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct runner {
	pthread_t thread;
	pthread_barrier_t *start;
	void (*run)(uint32_t core);
	uint32_t core;
	double ns;
};

static void *run_thread(void *argument)
{
	struct runner *runner = argument;
	double start;

	pthread_barrier_wait(runner->start);
	start = processor_ns();
	runner->run(runner->core);
	runner->ns = processor_ns() - start;
	return NULL;
}

/* Processor time of one event on one of the threads, while all of them write. */
static double measure_threads(const struct row *row)
{
	struct runner runners[MAX_THREADS];
	pthread_barrier_t start_line;
	double ns = 0;

	event_count = EVENTS / row->thread_count;
	pthread_barrier_init(&start_line, NULL, row->thread_count);
	for (unsigned t = 0; t < row->thread_count; t++) {
		runners[t] = (struct runner){.start = &start_line,
					     .run = row->run,
					     .core = row->shares_core ? 0 : t % CORES};
		pthread_create(&runners[t].thread, NULL, run_thread, &runners[t]);
	}
	for (unsigned t = 0; t < row->thread_count; t++) {
		pthread_join(runners[t].thread, NULL);
		ns += runners[t].ns;
	}
	pthread_barrier_destroy(&start_line);
	ns /= (double)event_count * row->thread_count;
	event_count = EVENTS;
	return ns;
}

static double measure(const struct row *row)
{
	double start, each;

	if (row->types && !strcmp(row->types, PROFILER)) {
		begin_profiler();
		row->run(0); /* a long session, whose buffer has its pages */
	} else if (row->types) {
		begin(row->types);
	}
	if (row->thread_count == 1) {
		start = processor_ns();
		row->run(0);
		each = (processor_ns() - start) / EVENTS;
	} else {
		each = measure_threads(row);
	}
	if (nx_profiler_is_on())
		nx_profiler_stop();
	nx_tracer_end();
	return each;
}

static void measure_all(size_t count)
{
	static double rounds[ROW_COUNT][ROUNDS];

	for (size_t row = 0; row < count; row++)
		measure(&rows[row]); /* the pages of the rings are there from now on */
	for (int round = 0; round < ROUNDS; round++)
		for (size_t row = 0; row < count; row++)
			rounds[row][round] = measure(&rows[row]);
	for (size_t row = 0; row < count; row++)
		rows[row].result = result_of(rounds[row], ROUNDS);
}

/* An event without reading the counter, which machines do at very different speed. */
static double beyond(unsigned row)
{
	return rows[row].result.best - rows[COUNTER].result.best;
}

static void print_all(size_t count)
{
	printf("%-38s %8s %8s %10s %8s\n", "ns per event", "median", "best", "million/s", "ratio");
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];

		printf("%-38s %8.1f %8.1f %10.1f", row->name, row->result.median, row->result.best,
		       1e3 / row->result.median);
		if (row->reference >= 0)
			printf(" %8.1f", row->result.median / rows[row->reference].result.median);
		printf("\n");
	}
	printf("beyond the counter, best: %.1f ns one thread, %.1f ns 64 threads\n", beyond(ON),
	       beyond(ON_SHARED_64));
}

/* --- slowdown of a program ------------------------------------------------------- */

static uint64_t work_steps = 1000;

/* A chain in which each step needs the one before, in the cache; one copy, or layouts would
 * compete. */
static __attribute__((noinline)) uint64_t work(uint64_t seed)
{
	static uint64_t table[2048];

	for (uint64_t i = 0; i < work_steps; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		table[seed >> 53] ^= seed;
	}
	return seed ^ table[0];
}

static double time_slice(bool is_lttng)
{
	uint64_t seed = 1;
	double start = now_ns();

	for (uint64_t i = 0; i < SLICE_EVENTS; i++) {
		seed = work(seed);
		if (is_lttng)
			lttng_run(TRACE_LTTNG_RECORDED, 1);
		else
			nx_trace_start(0, NX_TRACE_TENSOR_WRITE, i, 64, 0, 0);
	}
	sink = seed;
	return (now_ns() - start) / SLICE_EVENTS;
}

static void fit_work(void)
{
	double best = time_slice(false);

	for (int i = 0; i < 50; i++) {
		double again = time_slice(false);

		best = again < best ? again : best;
	}
	work_steps = (uint64_t)((double)work_steps * WORK_NS / best);
}

/* Percent: median of each slice against the one before it; and the best against the best. */
static struct result measure_slowdown(bool is_lttng)
{
	static double slowdowns[SLICES], untraced[SLICES], traced[SLICES];
	struct result result;

	for (int i = 0; i < SLICES; i++) {
		untraced[i] = time_slice(false);
		if (!is_lttng)
			begin("software");
		traced[i] = time_slice(is_lttng);
		nx_tracer_end();
		slowdowns[i] = 100 * (traced[i] / untraced[i] - 1);
	}
	result = result_of(slowdowns, SLICES);
	result.best = 100 * (result_of(traced, SLICES).best / result_of(untraced, SLICES).best - 1);
	return result;
}

static struct result print_slowdown(const char *name, bool is_lttng)
{
	struct result result = measure_slowdown(is_lttng);

	printf("%-38s %8.2f %8.2f\n", name, result.median, result.best);
	return result;
}

/* --- the program ----------------------------------------------------------------- */

static const char *option(int argc, char **argv, const char *name, const char *fallback)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return argv[i + 1];
	return fallback;
}

/* NULL leaves LTTng-UST out. */
static void load_lttng(const char *path)
{
	bool (*is_on)(void);
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;

	if (!path)
		return;
	if (!library || !(lttng_run = dlsym(library, "trace_lttng_run")) ||
	    !(is_on = dlsym(library, "trace_lttng_is_on")) || !is_on()) {
		fprintf(stderr, "bench_trace: no LTTng-UST session records the events of %s\n",
			path);
		exit(1);
	}
}

static void prepare_profiler(void)
{
	if (!mkdtemp(profiler_folder)) {
		perror(profiler_folder);
		exit(1);
	}
	span_name = nx_profiler_name("span");
	span_keys[0] = nx_profiler_name("rows");
	span_keys[1] = nx_profiler_name("ratio");
}

int main(int argc, char **argv)
{
	double max_beyond = strtod(option(argc, argv, "--max-beyond", "1e9"), NULL);
	double max_off = strtod(option(argc, argv, "--max-off", "1e9"), NULL);
	double max_span = strtod(option(argc, argv, "--max-span", "1e9"), NULL);
	double max_slowdown = strtod(option(argc, argv, "--max-slowdown", "1e9"), NULL);
	struct result slowdown;
	char command[64];
	double span;
	size_t count;

	load_lttng(option(argc, argv, "--lttng", NULL));
	prepare_profiler();
	count = lttng_run ? ROW_COUNT : FIRST_LTTNG;
	measure_all(count);
	print_all(count);
	/* Two readings of the counter are part of a span. */
	span = rows[TEXT_SPAN].result.best - 2 * rows[COUNTER].result.best;
	printf("span with a text and two attributes, beyond two readings of the counter: %.1f ns\n",
	       span);
	fit_work();
	printf("\n%-38s %8s %8s\n", "% slower, 1 us of work per event", "median", "best");
	slowdown = print_slowdown("traced", false);
	if (lttng_run)
		print_slowdown("traced by LTTng-UST", true);
	snprintf(command, sizeof(command), "rm -rf %s", profiler_folder);
	(void)!system(command);
	if (beyond(ON) <= max_beyond && beyond(ON_SHARED_64) <= max_beyond &&
	    rows[OFF].result.best <= max_off && rows[FILTERED].result.best <= max_off &&
	    rows[SPAN_OFF].result.best <= max_off && span <= max_span &&
	    slowdown.best < max_slowdown)
		return 0;
	printf("missed: at most %.1f ns beyond the counter, %.1f ns off, %.1f ns for a span, %.1f "
	       "%% "
	       "of a program\n",
	       max_beyond, max_off, max_span, max_slowdown);
	return 1;
}
