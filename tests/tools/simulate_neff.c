/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_neff: when a NEFF's program would happen, as one line of JSON.
 *
 *	simulate_neff FILE.neff [--seed N] [--first] [--descriptors]
 *
 * --descriptors: while DGE notifications are on. Times are in nanoseconds. "total" is a profile's,
 *"core" reaches from the first NOTIFY of a begin to the last of an end, which is what a runtime
 *sees of an execution. Of an engine, "active" is what its computing instructions cover, overlaps
 *once; "sum" adds their durations, as the profiler's instruction time does. Of transfers, "active"
 *is what data packets cover and "packets" the sum of their durations; bytes are those that touch
 *device memory. The exit code is that of the status.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "format/instruction.h"
#include "runtime/timing/simulate.h"

#define SEMAPHORE_BYTES 4

struct span {
	uint64_t start_ps, end_ps;
};

struct span_list NX_VEC_BODY(struct span);

struct totals {
	uint64_t count, sum_ps, active_ps, first_ps, last_ps;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

static struct totals total_of(struct span_list *spans)
{
	struct totals t = {.count = spans->len};
	uint64_t covered_ps = 0;

	if (spans->len == 0)
		return t;
	qsort(spans->items, spans->len, sizeof(*spans->items), compare_spans);
	t.first_ps = spans->items[0].start_ps;
	for (size_t i = 0; i < spans->len; i++) {
		struct span s = spans->items[i];

		t.sum_ps += s.end_ps - s.start_ps;
		if (s.start_ps < covered_ps)
			s.start_ps = covered_ps;
		if (s.end_ps <= s.start_ps)
			continue;
		t.active_ps += s.end_ps - s.start_ps;
		covered_ps = s.end_ps;
	}
	t.last_ps = covered_ps;
	return t;
}

/* Waits, branches and transfers are the sequencer's. */
static bool is_computing(uint8_t opcode)
{
	return opcode < 0xa0 || opcode > 0xdf;
}

static void print_totals(const char *name, struct totals t)
{
	printf(", \"%s\": {\"count\": %llu, \"sum\": %.1f, \"active\": %.1f, \"first\": %.1f, "
	       "\"last\": %.1f}",
	       name, (unsigned long long)t.count, (double)t.sum_ps / 1e3, (double)t.active_ps / 1e3,
	       (double)t.first_ps / 1e3, (double)t.last_ps / 1e3);
}

static double core_ns(const struct nx_loaded_code *code, const struct nx_timed_run *run)
{
	uint64_t first_ps = UINT64_MAX, last_ps = 0;

	for (size_t i = 0; i < run->instructions.len; i++) {
		const struct nx_timed_instruction *at = &run->instructions.items[i];
		const struct nx_loaded_stream *stream = &code->cores[at->core].streams[at->engine];

		if (at->core != 0 || stream->slots[at->slot].word.bytes[0] != NX_OP_NOTIFY)
			continue;
		if (at->start_ps < first_ps)
			first_ps = at->start_ps;
		if (at->end_ps > last_ps)
			last_ps = at->end_ps;
	}
	return last_ps > first_ps ? (double)(last_ps - first_ps) / 1e3 : 0;
}

static void print_engine(const struct nx_loaded_code *code, const struct nx_timed_run *run,
			 unsigned engine, const char *name)
{
	struct span_list spans = {0};

	for (size_t i = 0; i < run->instructions.len; i++) {
		const struct nx_timed_instruction *at = &run->instructions.items[i];
		const struct nx_loaded_stream *stream = &code->cores[at->core].streams[at->engine];

		if (at->core == 0 && at->engine == engine &&
		    is_computing(stream->slots[at->slot].word.bytes[0]))
			nx_vec_push(&spans, ((struct span){at->start_ps, at->end_ps}));
	}
	print_totals(name, total_of(&spans));
	nx_vec_release(&spans);
}

static uint64_t memory_bytes(const struct nx_loaded_core *core)
{
	uint64_t bytes = 0;

	for (size_t q = 0; q < core->queue_count; q++) {
		for (size_t b = 0; b < core->queues[q].block_count; b++) {
			const struct nx_loaded_block *block = &core->queues[q].blocks[b];

			for (uint32_t i = 0; i < block->first[NX_LOADED_RINGS]; i++) {
				const struct nx_loaded_packet *p = &block->packets[i];

				if (!p->is_semaphore && (p->is_from_hbm || p->is_to_hbm))
					bytes += p->bytes;
			}
		}
	}
	return bytes;
}

static void print_transfers(const struct nx_loaded_code *code, const struct nx_timed_run *run)
{
	struct span_list spans = {0};

	for (size_t i = 0; i < run->packets.len; i++) {
		const struct nx_timed_packet *p = &run->packets.items[i];

		if (p->core == 0 && p->bytes > SEMAPHORE_BYTES)
			nx_vec_push(&spans, ((struct span){p->start_ps, p->end_ps}));
	}
	print_totals("dma", total_of(&spans));
	printf(", \"bytes\": %llu", (unsigned long long)memory_bytes(&code->cores[0]));
	nx_vec_release(&spans);
}

static void print_run(const struct nx_loaded_code *code, const struct nx_timed_run *run,
		      double seconds)
{
	static const char *const names[NX_ENGINE_COUNT] = {
		[NX_ENGINE_TENSOR] = "tensor", [NX_ENGINE_SCALAR] = "scalar",
		[NX_ENGINE_GPSIMD] = "gpsimd", [NX_ENGINE_VECTOR] = "vector",
		[NX_ENGINE_SYNC] = "sync",
	};

	printf("{\"total\": %.1f, \"core\": %.1f, \"instructions\": %zu, \"assumed\": %llu, "
	       "\"throttles\": %zu",
	       (double)run->end_ps / 1e3, core_ns(code, run), run->instructions.len,
	       (unsigned long long)run->assumed_count, run->throttles.len);
	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
		print_engine(code, run, engine, names[engine]);
	print_transfers(code, run);
	printf(", \"seconds\": %.3f}\n", seconds);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum nx_status simulate(struct nx_slice file, const struct nx_simulate_options *options,
			       struct nx_error *err)
{
	struct nx_device_program program = {0};
	struct nx_loaded_code code = {0};
	struct nx_timed_run run = {0};
	struct nx_arena arena = {0};
	struct nx_neff neff;
	double start = now_s();
	enum nx_status status = nx_neff_read(file, &arena, &neff, err);

	if (!status)
		status = nx_device_program_init(&program, &neff, err);
	if (!status)
		status = nx_loaded_code_make(&code, &program, err);
	if (!status)
		status = nx_simulate(&code, options, &run, err);
	if (!status)
		print_run(&code, &run, now_s() - start);
	nx_timed_run_release(&run);
	nx_loaded_code_release(&code);
	nx_device_program_release(&program);
	nx_arena_release(&arena);
	return status;
}

static bool parse(int argc, char **argv, struct nx_simulate_options *options)
{
	static const struct option names[] = {
		{"seed", required_argument, NULL, 's'},
		{"first", no_argument, NULL, 'f'},
		{"descriptors", no_argument, NULL, 'd'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == 's')
			options->seed = strtoull(optarg, NULL, 10);
		else if (option == 'f')
			options->is_first_execution = true;
		else if (option == 'd')
			options->has_descriptors = true;
		else
			return false;
	}
	return optind == argc - 1;
}

int main(int argc, char **argv)
{
	struct nx_simulate_options options = {0};
	struct nx_file file = {0};
	struct nx_error err = {0};
	enum nx_status status;

	if (!parse(argc, argv, &options)) {
		fprintf(stderr,
			"usage: simulate_neff FILE.neff [--seed N] [--first] [--descriptors]\n");
		return nx_status_exit_code(NX_USAGE);
	}
	status = nx_file_map(&file, argv[optind], &err);
	if (!status)
		status = simulate(file.bytes, &options, &err);
	if (status)
		fprintf(stderr, "simulate_neff: %s\n", err.message);
	nx_file_unmap(&file);
	return nx_status_exit_code(status);
}
