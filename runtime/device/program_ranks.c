/* SPDX-License-Identifier: Apache-2.0 */
/* program_ranks: who takes part in the collectives of a core. */
#include "format/instruction.h"
#include "runtime/device/device_program_internal.h"
#include "runtime/device/device_ranks.h"

static struct nx_rank_list read_list(struct nx_core_source *source, const struct nx_json *list)
{
	struct nx_rank_list out = {.count = (uint32_t)nx_core_source_count(list)};

	out.items = NX_NEW_ARRAY(&source->program->arena, uint32_t, out.count);
	for (uint32_t i = 0; i < out.count; i++) {
		uint64_t number = nx_json_as_u64(&list->children[i], NX_NO_INDEX);

		out.items[i] = number < NX_NO_INDEX ? (uint32_t)number : NX_NO_INDEX;
	}
	return out;
}

static struct nx_rank_lists read_lists(struct nx_core_source *source, const struct nx_json *lists)
{
	struct nx_rank_lists out = {.count = nx_core_source_count(lists)};

	out.items = NX_NEW_ARRAY(&source->program->arena, struct nx_rank_list, out.count);
	for (size_t i = 0; i < out.count; i++)
		out.items[i] = read_list(source, &lists->children[i]);
	return out;
}

static struct nx_rank_lists *read_all(struct nx_core_source *source, const char *key, size_t *count)
{
	const struct nx_json *all = nx_json_get(source->definition, key);
	struct nx_rank_lists *out;

	*count = nx_core_source_count(all);
	out = NX_NEW_ARRAY(&source->program->arena, struct nx_rank_lists, *count);
	for (size_t i = 0; i < *count; i++)
		out[i] = read_lists(source, &all->children[i]);
	return out;
}

static bool has_collectives(const struct nx_core_program *core)
{
	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
		for (size_t at = 0; at < core->code[engine].len; at += NX_SLOT_BYTES) {
			uint8_t opcode = nx_word_opcode(core->code[engine].data + at);

			if (opcode == NX_OP_PSEUDO_TRIGGER_COLLECTIVE ||
			    opcode == NX_OP_PSEUDO_TRIGGER_COLLECTIVE_2)
				return true;
		}
	return false;
}

void nx_core_source_read_ranks(struct nx_core_source *source)
{
	struct nx_core_program *core = source->core;

	core->replica_groups = read_all(source, "replica_groups", &core->replica_group_count);
	core->source_target_pairs =
		read_all(source, "src_target_pairs", &core->source_target_pair_count);
	core->element_counts =
		read_lists(source, nx_json_get(source->definition, "cc_element_counts"));
	core->has_collectives = has_collectives(core);
}

bool nx_device_program_has_collectives(const struct nx_device_program *program)
{
	for (size_t i = 0; i < program->core_count; i++)
		if (program->cores[i].has_collectives)
			return true;
	return false;
}

void nx_device_collective_set_ranks(struct nx_device_collective *call,
				    const struct nx_core_program *program)
{
	if (call->word.group < program->replica_group_count)
		call->groups = program->replica_groups[call->word.group];
	if (call->word.group < program->source_target_pair_count)
		call->pairs = program->source_target_pairs[call->word.group];
	if (call->word.counts < program->element_counts.count)
		call->counts = program->element_counts.items[call->word.counts];
}
