/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a traced event costs: off, filtered out, recorded by one thread and by
 * several, beside the clocks alone. Medians of rounds; prints a table and fails
 * when the limits given are missed.
 *
 * usage: bench_trace [--max-on NS] [--max-off NS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/trace/tracer.h"

#define ROUNDS 11
#define EVENTS 2000000
#define MAX_THREADS 8
#define OTHER_CORE 1

/* Keeps what is measured from being optimised away. */
static volatile uint64_t sink;

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

struct result {
	double median, best;
};

static struct result measure(void (*run)(uint32_t core), uint32_t core)
{
	double rounds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_ns();

		run(core);
		rounds[i] = (now_ns() - start) / EVENTS;
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
	return (struct result){rounds[ROUNDS / 2], rounds[0]};
}

static void run_events(uint32_t core)
{
	uint64_t last = 0;

	for (uint64_t i = 0; i < EVENTS; i++) {
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

static bool share_core;

static void *run_thread(void *argument)
{
	run_events(share_core ? 0 : *(uint32_t *)argument);
	return NULL;
}

/* Time of one event on one of the threads, while all of them write. */
static struct result measure_threads(unsigned count, bool is_shared)
{
	double rounds[ROUNDS];

	share_core = is_shared;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t threads[MAX_THREADS];
		uint32_t cores[MAX_THREADS];
		double start = now_ns();

		for (unsigned t = 0; t < count; t++) {
			cores[t] = t;
			pthread_create(&threads[t], NULL, run_thread, &cores[t]);
		}
		for (unsigned t = 0; t < count; t++)
			pthread_join(threads[t], NULL);
		rounds[i] = (now_ns() - start) / EVENTS;
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
	return (struct result){rounds[ROUNDS / 2], rounds[0]};
}

static struct result print(const char *what, struct result result)
{
	printf("%-44s %8.1f %8.1f\n", what, result.median, result.best);
	return result;
}

static void begin(const char *types, uint32_t core_count)
{
	struct nx_tracer_options options = {.core_count = core_count,
					    .max_events = NX_TRACE_DEFAULT_EVENTS};
	struct nx_error err;

	nx_trace_filter_set_all(&options.filter);
	if ((types && nx_trace_filter_parse_types(&options.filter, types, &err)) ||
	    nx_tracer_begin(&options, &err)) {
		fprintf(stderr, "bench_trace: %s\n", err.message);
		exit(1);
	}
}

static double option(int argc, char **argv, const char *name, double fallback)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return strtod(argv[i + 1], NULL);
	return fallback;
}

int main(int argc, char **argv)
{
	double max_on = option(argc, argv, "--max-on", 1e9);
	double max_off = option(argc, argv, "--max-off", 1e9);
	struct result off, filtered, on, counter;

	printf("%-44s %8s %8s\n", "ns per event", "median", "best");
	counter = print("time stamp counter alone", measure(run_counter, 0));
	print("clock_gettime alone", measure(run_clock, 0));
	off = print("off", measure(run_events, 0));
	begin("hardware", 2);
	filtered = print("on, this type filtered out", measure(run_events, 0));
	nx_tracer_end();
	begin(NULL, MAX_THREADS);
	run_events(0); /* the ring's pages are there from now on */
	on = print("on, one thread, oldest overwritten", measure(run_events, 0));
	print("on, two threads, a core each", measure_threads(2, false));
	print("on, two threads, one core", measure_threads(2, true));
	print("on, four threads, one core", measure_threads(4, true));
	nx_tracer_end();
	printf("beyond the counter: %.1f ns\n", on.best - counter.best);
	if (on.best <= max_on && off.best <= max_off && filtered.best <= max_off)
		return 0;
	printf("missed: at most %.1f ns on, %.1f ns off\n", max_on, max_off);
	return 1;
}
