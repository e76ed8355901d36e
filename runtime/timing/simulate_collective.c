/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_collective: collectives, as one rank sees them.
 *
 * An engine triggers a collective and continues. Collectives of a core run one after the
 * other, and each increments its semaphore at its end. The triggering word costs as much
 * as a control word: what AWS's runtime puts in its place is not published.
 *
 * All ranks run the same words on the same clock, so they trigger a collective at the
 * same time. Groups of different sizes all take as long as the largest.
 */
#include <assert.h>

#include "runtime/timing/simulate_internal.h"

#define LATEST_PS (UINT64_C(1) << 61) /* any number of words of any size end by then */

bool nx_sim_is_collective(const struct nx_loaded_slot *slot)
{
	uint8_t opcode = slot->word.header.opcode;

	return opcode == NX_OP_PSEUDO_TRIGGER_COLLECTIVE ||
	       opcode == NX_OP_PSEUDO_TRIGGER_COLLECTIVE_2;
}

struct group_size {
	uint32_t rank_count, node_count;
};

/* The largest number of ranks, and of machines, of any group. */
static struct group_size largest_group(const struct nx_core_program *program,
				       const struct nx_collective_word *word,
				       const struct nx_collective_place *place)
{
	struct group_size most = {0}, world = {place->rank_count, place->node_count};
	const struct nx_rank_lists *groups;

	if (nx_collective_is_pairwise(word->kind) || word->group >= program->replica_groups.count)
		return world;
	groups = &program->replica_groups.items[word->group];
	for (size_t i = 0; i < groups->count; i++) {
		uint32_t nodes = nx_collective_node_count(place, &groups->items[i]);

		if (groups->items[i].count > most.rank_count)
			most.rank_count = groups->items[i].count;
		if (nodes > most.node_count)
			most.node_count = nodes;
	}
	return most.rank_count ? most : world;
}

static uint64_t cost_ps(const struct nx_simulation *sim, unsigned core,
			const struct nx_collective_word *word)
{
	const struct nx_collective_place *place = &sim->options->place;
	const struct nx_core_program *program = &sim->code->program->cores[core];
	struct nx_rank_list counts = {0};
	struct group_size size = largest_group(program, word, place);
	struct nx_collective_shape shape;
	struct nx_collective_plan plan;

	if (word->counts < program->element_counts.count)
		counts = program->element_counts.items[word->counts];
	shape = nx_collective_shape_of(word, &counts, size.rank_count, size.node_count);
	plan = nx_collective_plan_make(&shape);
	return nx_collective_cost_ps(place->arch ? place->arch : sim->hardware->arch, &shape,
				     &plan);
}

void nx_sim_collective_start(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
			     uint64_t start_ps)
{
	const struct nx_loaded_slot *slot = &nx_sim_stream(sim, core, engine)->slots[pc];
	struct nx_sim_core *on = &sim->cores[core];
	struct nx_timed_collective row = {.trigger_ps = start_ps,
					  .slot = pc,
					  .core = (uint8_t)core,
					  .engine = (uint8_t)engine};
	struct nx_collective_word word;

	assert(nx_sim_is_collective(slot));
	nx_collective_word_get(slot->word.bytes, &word);
	row.group_id = word.group;
	row.start_ps = nx_sim_later(start_ps + NX_COLLECTIVE_TRIGGER_PS, on->stream_free_ps);
	row.end_ps = row.start_ps + cost_ps(sim, core, &word);
	if (row.end_ps > LATEST_PS)
		row.end_ps = nx_sim_later(row.start_ps, LATEST_PS);
	on->stream_free_ps = on->fronts[engine].last_collective_ps = row.end_ps;
	nx_vec_push(&sim->run->collectives, row);
	nx_sim_update_late(sim, core, slot, row.end_ps);
	sim->compiled_end_ps = nx_sim_later(sim->compiled_end_ps, row.end_ps);
}
