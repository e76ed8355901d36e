/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tools/timed_neff.h"

#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "runtime/timing/simulate.h"

static struct nx_error last_error;

static int compare_words(const void *a, const void *b)
{
	const struct nx_timed_instruction *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	if (x->engine != y->engine)
		return x->engine < y->engine ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static void copy_words(const struct nx_loaded_code *code, struct nx_timed_run *run,
		       struct timed_neff *out)
{
	if (run->instructions.len == 0)
		return;
	qsort(run->instructions.items, run->instructions.len, sizeof(*run->instructions.items),
	      compare_words);
	out->word_count = run->instructions.len;
	out->words = nx_heap_alloc(out->word_count * sizeof(*out->words));
	for (size_t i = 0; i < out->word_count; i++) {
		const struct nx_timed_instruction *from = &run->instructions.items[i];
		const struct nx_loaded_slot *slot =
			&code->cores[from->core].streams[from->engine].slots[from->slot];

		out->words[i] = (struct timed_word){.start_ps = from->start_ps,
						    .end_ps = from->end_ps,
						    .compiler_pc = slot->kind == NX_LOADED_INSERTED
									   ? TIMED_NOT_COMPILED
									   : slot->compiler_pc,
						    .core = from->core,
						    .engine = from->engine,
						    .opcode = slot->word.bytes[0]};
	}
}

static void count_packets(const struct nx_timed_run *run, struct timed_neff *out)
{
	for (size_t i = 0; i < run->packets.len; i++) {
		const struct nx_timed_packet *p = &run->packets.items[i];
		struct timed_ring *ring =
			&out->rings[p->core % 2][p->dma_engine % 16][p->queue_index % 16];

		ring->packet_count++;
		ring->byte_count += p->bytes;
	}
}

static enum nx_status run_program(const struct nx_device_program *program, uint64_t seed,
				  bool has_descriptors, struct timed_neff *out)
{
	struct nx_simulate_options options = {.seed = seed, .has_descriptors = has_descriptors};
	struct nx_loaded_code code = {0};
	struct nx_timed_run run = {0};
	struct timespec before, after;
	enum nx_status status;

	clock_gettime(CLOCK_MONOTONIC, &before);
	status = nx_loaded_code_make(&code, program, &last_error);
	if (!status)
		status = nx_simulate(&code, &options, &run, &last_error);
	clock_gettime(CLOCK_MONOTONIC, &after);
	out->seconds = (double)(after.tv_sec - before.tv_sec) +
		       (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
	out->total_ps = run.end_ps;
	out->assumed_count = run.assumed_count;
	copy_words(&code, &run, out);
	count_packets(&run, out);
	nx_timed_run_release(&run);
	nx_loaded_code_release(&code);
	return status;
}

const char *timed_neff_run(const char *path, uint64_t seed, bool has_descriptors,
			   struct timed_neff *out)
{
	struct nx_device_program program = {0};
	struct nx_file file = {0};
	struct nx_arena arena = {0};
	struct nx_neff neff;
	enum nx_status status = nx_file_map(&file, path, &last_error);

	memset(out, 0, sizeof(*out));
	if (status)
		return last_error.message;
	status = nx_neff_read(file.bytes, &arena, &neff, &last_error);
	if (!status)
		status = nx_device_program_init(&program, &neff, &last_error);
	if (!status)
		status = run_program(&program, seed, has_descriptors, out);
	nx_device_program_release(&program);
	nx_arena_release(&arena);
	nx_file_unmap(&file);
	return status ? last_error.message : NULL;
}

void timed_neff_release(struct timed_neff *t)
{
	nx_heap_free(t->words);
	*t = (struct timed_neff){0};
}
