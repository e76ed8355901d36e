/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_real_functions: compares functions of the software device with the C library.
 * Without arguments, prints nanoseconds per element of both. With names, compares all 2^32
 * floats with the library's function in double, rounded to float; if the double is so
 * close to the middle of two floats that its own error matters, with
 * the function in long double. Takes a minute or two each.
 * usage: bench_real_functions [exp | log | sin | tanh]...
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bare/bits.h"
#include "runtime/device/real_functions.h"

#define ROW 512
#define ROUNDS 200
#define TAKES 100
#define MOST_SHOWN 20
#define THE_NAN 0x7fc00000u

static const struct {
	const char *name;
	void (*rows)(float *values, size_t count);
	float (*narrow)(float x);
	double (*wide)(double x);
	long double (*widest)(long double x);
	float least, most; /* of what is timed */
} functions[] = {
	{"exp", nx_real_exp, expf, exp, expl, -20, 20},
	{"log", nx_real_log, logf, log, logl, 1e-3f, 1e3f},
	{"sin", nx_real_sin, sinf, sin, sinl, -20, 20},
	{"tanh", nx_real_tanh, tanhf, tanh, tanhl, -5, 5},
};

#define FUNCTION_COUNT (sizeof(functions) / sizeof(functions[0]))

/* --- time ------------------------------------------------------------------- */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill(float *row, float least, float most)
{
	for (int i = 0; i < ROW; i++)
		row[i] = least + (most - least) * (float)((i * 197 + 1) % ROW) / ROW;
}

/* Each round copies the row as well, which is little beside the function. */
static double element_ns(size_t which, bool is_ours)
{
	float from[ROW], row[ROW];
	volatile float sink;
	double best = 1e9;

	fill(from, functions[which].least, functions[which].most);
	for (int take = 0; take < TAKES; take++) {
		double start = now_s(), took;

		for (int i = 0; i < ROUNDS; i++) {
			memcpy(row, from, sizeof(row));
			if (is_ours)
				functions[which].rows(row, ROW);
			else
				for (int k = 0; k < ROW; k++)
					row[k] = functions[which].narrow(row[k]);
			sink = row[i % ROW];
		}
		took = now_s() - start;
		best = took < best ? took : best;
	}
	(void)sink;
	return 1e9 * best / ROUNDS / ROW;
}

/* --- every float ------------------------------------------------------------ */

/* Steps of a float's last place, on a scale that runs through zero. */
static int64_t place_of(float value)
{
	uint32_t bits = nx_load32(&value);

	return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

/* The library's doubles are right to a place or two. */
static bool is_near_middle(double value)
{
	return value == value && (float)(value * (1 - 0x1p-51)) != (float)(value * (1 + 0x1p-51));
}

static float rounded(size_t which, float x)
{
	double wide = functions[which].wide((double)x);

	return is_near_middle(wide) ? (float)functions[which].widest((long double)x) : (float)wide;
}

struct tally {
	uint64_t differing;
	int64_t farthest;
};

static void compare(size_t which, const float *from, const float *row, struct tally *tally)
{
	for (int i = 0; i < ROW; i++) {
		float expected = rounded(which, from[i]);
		int64_t places = llabs(place_of(row[i]) - place_of(expected));
		uint32_t wanted = expected != expected ? THE_NAN : nx_load32(&expected);

		if (nx_load32(&row[i]) == wanted)
			continue;
		if (tally->differing < MOST_SHOWN)
			printf("  %a: %a, not %a\n", (double)from[i], (double)row[i],
			       (double)expected);
		tally->differing++;
		tally->farthest = places > tally->farthest ? places : tally->farthest;
	}
}

static bool compare_all(size_t which)
{
	struct tally tally = {0};
	float from[ROW], row[ROW];

	for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += ROW) {
		for (uint32_t i = 0; i < ROW; i++)
			nx_store32(&from[i], (uint32_t)bits + i);
		memcpy(row, from, sizeof(row));
		functions[which].rows(row, ROW);
		compare(which, from, row, &tally);
	}
	printf("%-5s %llu of 2^32 floats differ, by at most %lld in the last place\n",
	       functions[which].name, (unsigned long long)tally.differing,
	       (long long)tally.farthest);
	return tally.differing == 0;
}

int main(int argc, char **argv)
{
	bool is_good = true;

	if (argc < 2)
		for (size_t i = 0; i < FUNCTION_COUNT; i++)
			printf("%-5s %6.2f ns/element, C library %6.2f\n", functions[i].name,
			       element_ns(i, true), element_ns(i, false));
	for (int a = 1; a < argc; a++)
		for (size_t i = 0; i < FUNCTION_COUNT; i++)
			if (!strcmp(argv[a], functions[i].name))
				is_good &= compare_all(i);
	return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
