/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains a made run of many instructions: five engines that hand work on in a loop, a transfer in
 * each round. Prints the seconds, the megabytes resident and what is unexplained.
 * usage: bench_why [INSTRUCTIONS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "analyse/why/why.h"
#include "base/progress.h"

#define SLOTS 6
#define ROUND_NS 4006u
#define LOADED 50
#define MULTIPLIED 40
#define COPIED 41
#define ACTIVATED 42
#define CLEARED 43

static const struct step {
	enum nx_engine engine;
	uint32_t slot, start_ns, end_ns;
} steps[] = {
	{NX_ENGINE_SYNC, 1, 0, 58},	   {NX_ENGINE_SYNC, 2, 83, 120},
	{NX_ENGINE_TENSOR, 1, 1928, 2000}, {NX_ENGINE_TENSOR, 2, 1990, 2300},
	{NX_ENGINE_TENSOR, 4, 1991, 2010}, {NX_ENGINE_TENSOR, 3, 2137, 2600},
	{NX_ENGINE_VECTOR, 1, 2635, 3000}, {NX_ENGINE_VECTOR, 2, 2642, 2700},
	{NX_ENGINE_SCALAR, 1, 3034, 3400}, {NX_ENGINE_SCALAR, 2, 3041, 3100},
	{NX_ENGINE_GPSIMD, 1, 3435, 3800}, {NX_ENGINE_GPSIMD, 2, 3838, 3978},
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

static const struct {
	uint32_t time_ns, value;
	uint8_t semaphore, source;
} changes[] = {
	{130, 0, CLEARED, NX_ENGINE_SYNC},	 {1885, 1, LOADED, NX_ENGINE_COUNT},
	{1886, 2, LOADED, NX_ENGINE_COUNT},	 {2611, 1, MULTIPLIED, NX_ENGINE_TENSOR},
	{3011, 1, COPIED, NX_ENGINE_VECTOR},	 {3411, 1, ACTIVATED, NX_ENGINE_SCALAR},
	{3801, 0, MULTIPLIED, NX_ENGINE_GPSIMD}, {3801, 0, COPIED, NX_ENGINE_GPSIMD},
	{3801, 0, ACTIVATED, NX_ENGINE_GPSIMD},	 {3801, 0, LOADED, NX_ENGINE_GPSIMD},
	{3989, 1, CLEARED, NX_ENGINE_GPSIMD},
};

struct made_run {
	struct nx_profile p;
	struct nx_graph graph;
	struct nx_queue queues[2];
	struct nx_slot slots[NX_ENGINE_COUNT][SLOTS];
	struct nx_slot_signals signals[9];
	struct nx_binary_graph neff;
	struct nx_dma_block block;
	const char *queue_name;
	uint64_t round_count;
};

static void each_instruction(const struct made_run *run, uint64_t at_ns, nx_row_fn fn,
			     void *context)
{
	(void)run;
	for (size_t i = 0; i < STEPS; i++)
		fn(context, &(struct nx_instruction){.start_ps = (at_ns + steps[i].start_ns) * 1000,
						     .end_ps = (at_ns + steps[i].end_ns) * 1000,
						     .slot = steps[i].slot,
						     .engine = (uint8_t)steps[i].engine});
}

static void each_packet(uint64_t at_ns, uint64_t round, nx_row_fn fn, void *context)
{
	static const uint32_t times_ns[][2] = {{700, 1500}, {1500, 1540}};

	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t ring = 0; ring < 2; ring++)
			fn(context, &(struct nx_packet){.start_ps = (at_ns + times_ns[k][0]) * 1000,
							.end_ps = (at_ns + times_ns[k][1]) * 1000,
							.size_bytes = k ? 4 : 16384,
							.packet_idx = (uint32_t)(2 * round + k),
							.dma_engine = (uint16_t)ring,
							.dma_queue = 1,
							.queue_class = NX_QUEUE_DATA});
}

static enum nx_status scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			   struct nx_error *err)
{
	const struct made_run *run = context;

	(void)err;
	for (uint64_t round = 0; round < run->round_count; round++) {
		uint64_t at_ns = round * ROUND_NS;

		if (table == NX_TABLE_INSTRUCTION)
			each_instruction(run, at_ns, fn, fn_context);
		else if (table == NX_TABLE_PACKET)
			each_packet(at_ns, round, fn, fn_context);
		for (size_t i = 0;
		     table == NX_TABLE_EVENT && i < sizeof(changes) / sizeof(changes[0]); i++)
			fn(fn_context,
			   &(struct nx_event){.time_ps = (at_ns + changes[i].time_ns) * 1000,
					      .value = changes[i].value,
					      .id = changes[i].semaphore,
					      .is_semaphore = true,
					      .source = changes[i].source});
	}
	return NX_OK;
}

static void set(struct made_run *run, enum nx_engine engine, uint32_t slot, uint32_t signals,
		uint8_t waits_for, uint32_t value, uint8_t counts)
{
	run->slots[engine][slot].signals = signals;
	if (waits_for)
		run->signals[signals].before =
			(struct nx_signal){NX_TEST_AT_LEAST, waits_for, value};
	if (counts)
		run->signals[signals].changes[0] = (struct nx_signal){NX_STEP_INCREMENT, counts, 1};
}

static void make_program(struct made_run *run)
{
	for (unsigned i = 0; i < 9; i++)
		run->signals[i] = (struct nx_slot_signals){.barrier = NX_NONE, .dma_semaphore = -1};
	set(run, NX_ENGINE_TENSOR, 1, 1, LOADED, 2, 0);
	set(run, NX_ENGINE_TENSOR, 3, 2, 0, 0, MULTIPLIED);
	set(run, NX_ENGINE_VECTOR, 1, 3, MULTIPLIED, 1, COPIED);
	set(run, NX_ENGINE_SCALAR, 1, 4, COPIED, 1, ACTIVATED);
	set(run, NX_ENGINE_GPSIMD, 1, 5, ACTIVATED, 1, 0);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		uint32_t last = e == NX_ENGINE_TENSOR ? 4 : 2;

		run->slots[e][last].control = NX_CONTROL_BRANCH;
		run->slots[e][last].signals = 6;
		run->p.program.slots[0][e] = run->slots[e];
		run->p.graphs[0].instruction_count[e] = last * run->round_count;
	}
	run->signals[6].branch_slots = -1;
	set(run, NX_ENGINE_SYNC, 1, 7, CLEARED, 1, 0);
	set(run, NX_ENGINE_GPSIMD, 2, 8, 0, 0, CLEARED);
	run->signals[8].branch_slots = -1;
	run->slots[NX_ENGINE_TENSOR][1].flags = NX_SLOT_LOAD_WEIGHTS;
	run->slots[NX_ENGINE_TENSOR][2].flags = NX_SLOT_MATMUL;
	run->slots[NX_ENGINE_TENSOR][3].flags = NX_SLOT_MATMUL;
	run->slots[NX_ENGINE_GPSIMD][1].control = NX_CONTROL_CLEAR;
	run->slots[NX_ENGINE_SYNC][1].control = NX_CONTROL_WRITE;
	run->slots[NX_ENGINE_SYNC][1].flags = NX_SLOT_TRIGGER;
}

static void make_run(struct made_run *run, uint64_t instruction_count)
{
	memset(run, 0, sizeof(*run));
	run->round_count = instruction_count / STEPS;
	run->queue_name = "qSPIO0";
	run->block.semaphore = LOADED;
	run->neff.engines[NX_ENGINE_SYNC].blocks = &run->block;
	run->neff.engines[NX_ENGINE_SYNC].block_count = 1;
	for (uint32_t i = 0; i < 2; i++)
		run->queues[i] = (struct nx_queue){.engine_idx = i,
						   .queue_idx = 1,
						   .name = run->queue_name,
						   .display_name = "qSyncIO0"};
	run->graph = (struct nx_graph){.name = "sg00", .queues = run->queues, .queue_count = 2};
	run->p.capture.graphs = &run->graph;
	run->p.capture.graph_count = 1;
	run->p.capture.arch = NX_ARCH_V3;
	run->p.capture.has_window_end = true;
	run->p.capture.total_time_ps = run->round_count * ROUND_NS * 1000;
	run->p.program.signals = run->signals;
	run->p.program.signal_count = 9;
	run->p.program.queue_names = &run->queue_name;
	run->p.program.queue_name_count = 1;
	run->p.program.binary_graphs[0] = &run->neff;
	run->p.source = (struct nx_row_source){.scan = scan, .context = run};
	make_program(run);
}

static void add_time(void *context, const struct nx_engine_time *row)
{
	*(int64_t *)context += row->time_ps;
}

static void add_piece(void *context, const struct nx_why_piece *piece)
{
	*(int64_t *)context += piece->end_ps - piece->start_ps;
}

static double seconds_of(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	static struct made_run run;
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000, start_ns;
	int64_t engines_ps = 0, path_ps = 0;
	struct nx_why_counts counts;
	struct rusage usage;
	struct nx_error err;
	struct nx_why *why;

	make_run(&run, count);
	start_ns = nx_now_ns();
	if (nx_why_build(&why, &run.p, false, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	nx_why_engine_times(why, add_time, &engines_ps);
	nx_why_path(why, add_piece, &path_ps);
	counts = nx_why_counts(why);
	getrusage(RUSAGE_SELF, &usage);
	printf("%llu instructions: %.2f s of processor time, %.2f s, %ld MB, %llu of %llu waits "
	       "matched, %.2f %% of the path "
	       "unexplained\n",
	       (unsigned long long)run.round_count * STEPS, seconds_of(&usage),
	       (double)(nx_now_ns() - start_ns) / 1e9, usage.ru_maxrss * 1024 / 1000000,
	       (unsigned long long)counts.matched_count, (unsigned long long)counts.wait_count,
	       100.0 * (double)counts.path_unexplained_ps / (double)counts.span_ps);
	nx_why_free(why);
	/* numbers that do not add up are no measurement */
	return path_ps != counts.span_ps || engines_ps != 5 * counts.span_ps;
}
