/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/timed_program.h"

#include <stdlib.h>

enum nx_status nx_timed_program_init(struct nx_timed_program *timed,
				     const struct nx_device_program *program, uint64_t seed,
				     bool is_strict, struct nx_error *err)
{
	timed->hardware = nx_device_hardware_of(program->arch ? program->arch : NX_DEVICE_TRN2);
	timed->options = (struct nx_simulate_options){
		.hardware = timed->hardware, .seed = seed, .is_strict = is_strict};
	return nx_loaded_code_make(&timed->code, program, err);
}

void nx_timed_program_release(struct nx_timed_program *timed)
{
	nx_timed_run_release(&timed->first.run);
	nx_timed_run_release(&timed->later.run);
	nx_loaded_code_release(&timed->code);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* An execution that hangs has no end of its own: it is cut behind the last that happened. */
static void close_run(struct nx_timed_run *run)
{
	for (size_t i = 0; i < run->instructions.len; i++)
		run->end_ps = later(run->end_ps, run->instructions.items[i].end_ps);
	for (size_t i = 0; i < run->packets.len; i++)
		run->end_ps = later(run->end_ps, run->packets.items[i].completion_ps);
	for (size_t i = 0; i < run->collectives.len; i++)
		run->end_ps = later(run->end_ps, run->collectives.items[i].end_ps);
	for (size_t i = 0; i < run->semaphores.len; i++)
		run->end_ps = later(run->end_ps, run->semaphores.items[i].time_ps);
}

/* As engines of all cores begin them; those that begin together in the device's order. */
static int by_trigger(const void *left, const void *right)
{
	const struct nx_timed_collective *a = left, *b = right;

	if (a->trigger_ps != b->trigger_ps)
		return a->trigger_ps < b->trigger_ps ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->engine != b->engine)
		return a->engine < b->engine ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

const struct nx_timed_outcome *nx_timed_program_run(struct nx_timed_program *timed, uint64_t index)
{
	bool is_first = index == 0 || !timed->hardware->frame.gpsimd_library_ps;
	struct nx_timed_outcome *outcome = is_first ? &timed->first : &timed->later;

	if (outcome->is_made)
		return outcome;
	timed->options.is_first_execution = is_first;
	outcome->st = nx_simulate(&timed->code, &timed->options, &outcome->run, &outcome->err);
	if (outcome->st)
		close_run(&outcome->run);
	if (outcome->run.collectives.len)
		qsort(outcome->run.collectives.items, outcome->run.collectives.len,
		      sizeof(*outcome->run.collectives.items), by_trigger);
	outcome->is_made = true;
	return outcome;
}

static bool is_row_of(const struct nx_timed_program *timed, const struct nx_timed_collective *row,
		      const struct nx_device_collective *call)
{
	return row->core == call->core && row->engine == call->engine &&
	       timed->code.cores[row->core].streams[row->engine].slots[row->slot].compiler_pc ==
		       call->pc;
}

struct nx_device_moment nx_timed_program_collective(const struct nx_timed_program *timed,
						    const struct nx_timed_outcome *outcome,
						    const struct nx_device_collective *call,
						    size_t *next)
{
	size_t count = outcome->run.collectives.len;

	for (size_t i = 0; i < count; i++) {
		size_t at = (*next + i) % count;
		const struct nx_timed_collective *row = &outcome->run.collectives.items[at];

		if (!is_row_of(timed, row, call))
			continue;
		*next = at + 1;
		return (struct nx_device_moment){true, row->trigger_ps, row->start_ps, row->end_ps};
	}
	return (struct nx_device_moment){0};
}

enum nx_status nx_timed_program_tell(const struct nx_timed_program *timed,
				     const struct nx_timed_outcome *outcome,
				     const struct nx_device_ranks *ranks, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < outcome->run.collectives.len && !st; i++) {
		const struct nx_timed_collective *row = &outcome->run.collectives.items[i];
		const struct nx_loaded_slot *slot =
			&timed->code.cores[row->core].streams[row->engine].slots[row->slot];
		struct nx_device_collective call = {
			.core = row->core,
			.engine = row->engine,
			.pc = slot->compiler_pc,
			.when = {true, row->trigger_ps, row->start_ps, row->end_ps},
		};

		nx_collective_word_get(slot->word.bytes, &call.word);
		nx_device_collective_set_ranks(&call, &timed->code.program->cores[row->core]);
		st = ranks->run(ranks->context, &call, err);
	}
	return st;
}
