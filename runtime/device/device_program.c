/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/device_program.h"

#include <assert.h>

#include "format/instruction.h"
#include "format/npy.h"
#include "machine/dtype.h"
#include "machine/hardware.h"
#include "runtime/device/device_ranks.h"

struct making {
	struct nx_device_program *program;
	const struct nx_neff *neff;
	const struct nx_neff_graph *graph;
	struct nx_core_program *core;
};

static struct nx_slice member_beside(const struct making *m, const char *stem, const char *suffix)
{
	const char *path =
		nx_arena_printf(&m->program->arena, "%s%s%s", m->graph->folder, stem, suffix);

	return nx_neff_member(m->neff, nx_slice_text(path));
}

/* --- variables ------------------------------------------------------------------- */

/* "SB{1}" is the state buffer of core 1. */
static uint32_t remote_core(const char *name)
{
	const char *brace = strchr(name, '{');
	struct nx_slice digits = nx_slice_text(brace ? brace + 1 : "");
	uint64_t core;

	if (!nx_slice_ends(digits, "}"))
		return NX_NO_INDEX;
	digits.len--;
	return nx_slice_to_u64(digits, &core) && core < NX_DEVICE_MAX_CORES ? (uint32_t)core
									    : NX_NO_INDEX;
}

static enum nx_status read_constant(const struct making *m, const struct nx_neff_variable *from,
				    struct nx_device_variable *v, struct nx_error *err)
{
	struct nx_npy array;

	if (!nx_npy_read(member_beside(m, from->file_name, ""), &array))
		return nx_fail(err, NX_FORMAT, "constant %s of the NEFF is missing or not a .npy",
			       from->file_name);
	if (array.payload.len != v->size_bytes)
		return nx_fail(err, NX_FORMAT,
			       "constant %s of the NEFF has %zu bytes where its graph says %llu",
			       from->file_name, array.payload.len,
			       (unsigned long long)v->size_bytes);
	v->payload = array.payload;
	return NX_OK;
}

static enum nx_status check_tensor(const struct making *m, const struct nx_neff_variable *from,
				   struct nx_error *err)
{
	const struct nx_neff_variable *first = m->neff->tensors[from->tensor];

	if (first->size_bytes == from->size_bytes && first->kind == from->kind)
		return NX_OK;
	return nx_fail(err, NX_FORMAT, "the graphs of the NEFF disagree about tensor %s",
		       from->name);
}

static enum nx_status make_variable(const struct making *m, const struct nx_neff_variable *from,
				    struct nx_device_variable *v, struct nx_error *err)
{
	*v = (struct nx_device_variable){.kind = from->kind,
					 .size_bytes = from->size_bytes,
					 .scratch_offset = from->scratch_offset,
					 .index = from->tensor};
	switch (from->kind) {
	case NX_VARIABLE_REMOTE:
		v->index = remote_core(from->name);
		return NX_OK;
	case NX_VARIABLE_INPUT:
	case NX_VARIABLE_OUTPUT:
		return check_tensor(m, from, err);
	case NX_VARIABLE_FILE:
		return read_constant(m, from, v, err);
	case NX_VARIABLE_TABLE:
		if (m->core->table_count == 0) {
			m->core->table = from->list;
			m->core->table_count = from->list_count;
		}
		return NX_OK;
	default:
		return NX_OK;
	}
}

static enum nx_status make_variables(const struct making *m, struct nx_error *err)
{
	const struct nx_neff_graph *graph = m->graph;
	struct nx_core_program *core = m->core;
	enum nx_status st = NX_OK;

	core->variable_count = graph->variable_count;
	core->variables =
		NX_NEW_ARRAY(&m->program->arena, struct nx_device_variable, graph->variable_count);
	for (size_t i = 0; i < graph->variable_count && !st; i++) {
		st = make_variable(m, &graph->variables[i], &core->variables[i], err);
		if (graph->variables[i].id < UINT32_MAX)
			nx_map_put(&core->variable_by_id, graph->variables[i].id, i);
	}
	core->scratch_bytes = graph->scratch_bytes;
	if (!st && core->scratch_bytes == UINT64_MAX)
		st = nx_fail(err, NX_FORMAT, "a variable of %s ends beyond any memory",
			     graph->path);
	return st;
}

/* Shapes are for people; a program runs without them. */
static void describe_tensor(const struct nx_neff_variable *v, struct nx_device_tensor *tensor)
{
	*tensor = (struct nx_device_tensor){
		.name = v->name,
		.kind = v->kind == NX_VARIABLE_INPUT ? NX_DEVICE_INPUT : NX_DEVICE_OUTPUT,
		.dtype = nx_dtype_find(nx_slice_text(v->dtype)),
		.dtype_name = v->dtype,
		.size_bytes = v->size_bytes,
	};
	if (v->shape.dims > NX_DEVICE_MAX_DIMS)
		return;
	for (size_t i = 0; i < v->shape.dims; i++)
		tensor->shape[tensor->dims++] =
			v->shape.sizes[i] > 0 ? (uint64_t)v->shape.sizes[i] : 0;
}

/* --- engines ---------------------------------------------------------------------- */

static enum nx_status read_set(const struct making *m, const char *stem,
			       struct nx_activation_set *set, struct nx_error *err)
{
	enum nx_status st;

	set->name = nx_slice_text(stem);
	set->buckets = member_beside(m, stem, "_bkt.bin");
	set->controls = member_beside(m, stem, "_ctrl.bin");
	st = nx_activation_set_read(member_beside(m, stem, ".json"), &m->program->arena, set, err);
	return st ? nx_context(err, "activation table %s.json of the NEFF", stem) : NX_OK;
}

static enum nx_status read_sets(const struct making *m, const struct nx_neff_table *table,
				struct nx_error *err)
{
	struct nx_core_program *core = m->core;
	enum nx_status st = NX_OK;

	core->set_count = table->activation_set_count;
	core->sets = NX_NEW_ARRAY(&m->program->arena, struct nx_activation_set, core->set_count);
	for (size_t i = 0; i < core->set_count && !st; i++)
		st = read_set(m, table->activation_sets[i], &core->sets[i], err);
	return st;
}

/* The queue of that name, made when it is new. */
static struct nx_device_queue *take_queue(struct nx_core_program *core, unsigned engine,
					  const char *name)
{
	uint64_t at = core->queue_count;

	if (!nx_text_map_get(&core->queue_by_name[engine], nx_slice_text(name), &at)) {
		core->queues[core->queue_count++] =
			(struct nx_device_queue){.name = nx_slice_text(name), .engine = engine};
		nx_text_map_put(&core->queue_by_name[engine], nx_slice_text(name), at);
	}
	return &core->queues[at];
}

/* Adds the blocks that an engine starts to the core's queues. */
static void add_blocks(const struct making *m, unsigned engine, const struct nx_neff_table *table)
{
	struct nx_core_program *core = m->core;
	struct nx_arena *arena = &m->program->arena;
	struct nx_device_queue *old = core->queues;
	size_t first = core->queue_count;

	core->queues = NX_NEW_ARRAY(arena, struct nx_device_queue, first + table->block_count);
	if (first)
		memcpy(core->queues, old, first * sizeof(*old));
	for (size_t i = 0; i < table->block_count; i++)
		take_queue(core, engine, table->blocks[i].queue)->block_count++;
	for (size_t q = first; q < core->queue_count; q++) {
		core->queues[q].blocks =
			NX_NEW_ARRAY(arena, struct nx_neff_block, core->queues[q].block_count);
		core->queues[q].block_count = 0;
	}
	for (size_t i = 0; i < table->block_count; i++) {
		struct nx_device_queue *queue = take_queue(core, engine, table->blocks[i].queue);
		struct nx_neff_block *block = &queue->blocks[queue->block_count];

		*block = table->blocks[i];
		if (block->semaphore >= NX_SEMAPHORE_COUNT)
			block->semaphore = NX_NO_INDEX;
		nx_map_put(&queue->by_id, block->id, queue->block_count++);
	}
}

static enum nx_status make_engine(const struct making *m, unsigned engine, struct nx_error *err)
{
	const struct nx_neff_engine *from = &m->graph->engines[engine];
	struct nx_slice bytes = nx_neff_member(m->neff, nx_slice_text(from->table));
	struct nx_neff_table table;

	m->core->code[engine] = from->code;
	if (from->code.len % NX_SLOT_BYTES)
		return nx_fail(err, NX_FORMAT,
			       "the stream %s ends inside its slot %zu; the NEFF is cut",
			       from->stream, from->code.len / NX_SLOT_BYTES);
	if (bytes.len == 0)
		return NX_OK;
	if (nx_neff_table_read(m->graph, bytes, &m->program->arena, &table, err))
		return nx_context(err, "%s of the NEFF", from->table);
	add_blocks(m, engine, &table);
	return engine == NX_ENGINE_SCALAR ? read_sets(m, &table, err) : NX_OK;
}

/* --- cores ------------------------------------------------------------------------ */

static enum nx_status make_core(const struct making *m, struct nx_error *err)
{
	const struct nx_neff_graph *graph = m->graph;
	struct nx_core_program *core = m->core;
	enum nx_status st;

	core->name = nx_slice_text(graph->name);
	core->replica_groups = graph->replica_groups;
	core->source_target_pairs = graph->source_target_pairs;
	core->element_counts = graph->element_counts;
	core->has_collectives = nx_neff_graph_has_collectives(graph);
	st = make_variables(m, err);
	for (unsigned engine = 0; engine < NX_ENGINE_COUNT && !st; engine++)
		st = make_engine(m, engine, err);
	return st;
}

static void add_memory(struct nx_device_program *program, uint64_t size_bytes)
{
	if (__builtin_add_overflow(program->memory_bytes, size_bytes, &program->memory_bytes))
		program->memory_bytes = UINT64_MAX;
}

enum nx_status nx_device_program_init(struct nx_device_program *program, const struct nx_neff *neff,
				      struct nx_error *err)
{
	struct nx_arena *arena = &program->arena;
	const struct nx_chip *chip;
	enum nx_status st;

	memset(program, 0, sizeof(*program));
	st = nx_neff_check_program(neff, err);
	if (st)
		return st;
	if (neff->graph_count > NX_DEVICE_MAX_CORES)
		return nx_fail(err, NX_FORMAT, "the NEFF has %zu graphs; a device runs 1 to %d",
			       neff->graph_count, NX_DEVICE_MAX_CORES);
	chip = nx_chip_find(nx_slice_text(neff->target));
	program->arch = chip ? chip->device : NX_DEVICE_ANY;
	program->tensor_count = neff->tensor_count;
	program->tensors = NX_NEW_ARRAY(arena, struct nx_device_tensor, neff->tensor_count);
	for (size_t i = 0; i < neff->tensor_count; i++) {
		describe_tensor(neff->tensors[i], &program->tensors[i]);
		add_memory(program, neff->tensors[i]->size_bytes);
	}
	program->core_count = neff->graph_count;
	program->cores = NX_NEW_ARRAY(arena, struct nx_core_program, neff->graph_count);
	for (size_t i = 0; i < neff->graph_count && !st; i++) {
		st = make_core(
			&(struct making){program, neff, &neff->graphs[i], &program->cores[i]}, err);
		add_memory(program, program->cores[i].scratch_bytes);
	}
	return st;
}

void nx_device_program_release(struct nx_device_program *program)
{
	for (size_t i = 0; i < program->core_count; i++) {
		struct nx_core_program *core = &program->cores[i];

		nx_map_release(&core->variable_by_id);
		for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
			nx_text_map_release(&core->queue_by_name[engine]);
		for (size_t q = 0; q < core->queue_count; q++)
			nx_map_release(&core->queues[q].by_id);
	}
	nx_arena_release(&program->arena);
	memset(program, 0, sizeof(*program));
}

/* --- finding ------------------------------------------------------------------------ */

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
	if (call->word.group < program->replica_groups.count)
		call->groups = program->replica_groups.items[call->word.group];
	if (call->word.group < program->source_target_pairs.count)
		call->pairs = program->source_target_pairs.items[call->word.group];
	if (call->word.counts < program->element_counts.count)
		call->counts = program->element_counts.items[call->word.counts];
}

const struct nx_device_variable *nx_core_program_variable(const struct nx_core_program *core,
							  uint32_t id, uint32_t *index)
{
	uint64_t found;

	if (!nx_map_get(&core->variable_by_id, id, &found))
		return NULL;
	assert(found < core->variable_count);
	*index = (uint32_t)found;
	return &core->variables[found];
}

const struct nx_device_queue *nx_core_program_queue(const struct nx_core_program *core,
						    unsigned engine, struct nx_slice name,
						    size_t *index)
{
	uint64_t found;

	assert(engine < NX_ENGINE_COUNT);
	if (!nx_text_map_get(&core->queue_by_name[engine], name, &found))
		return NULL;
	assert(found < core->queue_count);
	*index = (size_t)found;
	return &core->queues[found];
}

const struct nx_neff_block *nx_queue_block(const struct nx_device_queue *queue, uint32_t id)
{
	uint64_t found;

	return nx_map_get(&queue->by_id, id, &found) ? &queue->blocks[found] : NULL;
}
