/* SPDX-License-Identifier: Apache-2.0 */
/* execute_dma: instructions that start transfers, and the transfers. */
#include <assert.h>

#include "runtime/device/dma_stream.h"
#include "runtime/device/element.h"
#include "runtime/device/execute.h"

#define CHUNK_BYTES 4096u
#define MAX_TILE_BYTES (64u << 20)
#define MAX_SOURCES 16u

struct nx_dma_region nx_core_region(struct nx_core *core, uint32_t variable)
{
	struct nx_machine *machine = core->machine;
	const struct nx_device_variable *v;
	struct nx_device_memory *memory;

	if (variable >= core->program->variable_count)
		return (struct nx_dma_region){0};
	v = &core->program->variables[variable];
	switch (v->kind) {
	case NX_VARIABLE_STATE_BUFFER:
		return (struct nx_dma_region){core->on_chip.bytes, NX_ON_CHIP_BYTES, true, false};
	case NX_VARIABLE_REMOTE:
		if (v->index >= machine->core_count)
			return (struct nx_dma_region){0};
		return (struct nx_dma_region){machine->cores[v->index].on_chip.bytes,
					      NX_ON_CHIP_BYTES, true, false};
	case NX_VARIABLE_INPUT:
	case NX_VARIABLE_OUTPUT:
		memory = &machine->tensors[v->index];
		return (struct nx_dma_region){memory->bytes, memory->size_bytes, false, false};
	case NX_VARIABLE_FILE:
		/* Borrowed from the NEFF; is_constant keeps everybody from writing. */
		return (struct nx_dma_region){(uint8_t *)(uintptr_t)v->payload.data, v->payload.len,
					      false, true};
	case NX_VARIABLE_VIRTUAL:
		if (!core->scratch.bytes)
			return (struct nx_dma_region){0};
		return (struct nx_dma_region){core->scratch.bytes + v->scratch_offset,
					      v->size_bytes, false, false};
	default:
		return (struct nx_dma_region){0};
	}
}

/* --- starting ------------------------------------------------------------------------------ */

NX_EXECUTE(dma_trigger)
{
	struct nx_dma_job job = {.word = word, .pc = core->pc, .engine = (uint8_t)core->engine};
	const struct nx_device_queue *queue;
	struct nx_dma_trigger trigger;
	size_t index;

	(void)nx_instruction_dma_trigger(word->bytes, &trigger);
	queue = nx_core_program_queue(core->program, core->engine, nx_slice_text(trigger.queue),
				      &index);
	job.block = queue ? nx_queue_block(queue, trigger.block_id) : NULL;
	if (job.block)
		nx_vec_push(&core->queues[index], job);
	else
		nx_core_fault(core, NX_FAULT_OPERAND, "there is no block %u on queue %s",
			      trigger.block_id, trigger.queue);
}

/* Registers are read now, not when the transfer runs. */
static bool resolve_place(struct nx_core *core, const struct nx_word_dma_side *side,
			  struct nx_dma_place *place)
{
	const struct nx_core_program *program = core->program;
	uint32_t index = nx_dma_side_index(side), id = index;

	place->offset = side->offset;
	place->limit = UINT64_MAX;
	if (side->kind != NX_PLACE_VARIABLE && side->kind != NX_PLACE_TABLE &&
	    side->kind != NX_PLACE_TABLE_REGISTER) {
		nx_core_fault(core, NX_FAULT_UNKNOWN, "a place of kind 0x%02x", side->kind);
		return false;
	}
	if (side->kind != NX_PLACE_VARIABLE)
		id = index < program->table_count ? program->table[index] : NX_NO_INDEX;
	if (side->kind == NX_PLACE_TABLE_REGISTER)
		place->offset = core->registers[core->engine][side->offset % NX_REGISTER_COUNT];
	if (nx_core_program_variable(program, id, &place->variable))
		return true;
	nx_core_fault(core, NX_FAULT_OPERAND, "there is no variable %u", id);
	return false;
}

/* The next word has the size of the tensor that a register points into. */
static void apply_bound(struct nx_core *core, const struct nx_dma_word *w, struct nx_dma_job *job)
{
	const uint8_t *next = nx_instruction_word(core->program->code[core->engine], core->pc + 1);
	uint32_t size;

	if (!next || nx_word_opcode(next) != NX_OP_PSEUDO_EXTENSION)
		return;
	size = nx_word_of(next)->extension.tensor_bytes;
	if (size == 0)
		return;
	if (w->source.kind == NX_PLACE_TABLE_REGISTER)
		job->from.limit = size;
	if (w->target.kind == NX_PLACE_TABLE_REGISTER)
		job->to.limit = size;
}

NX_EXECUTE(dma_direct2d)
{
	const struct nx_dma_word *w = &word->dma;
	struct nx_dma_job job = {.word = word, .pc = core->pc, .engine = (uint8_t)core->engine};

	if (!resolve_place(core, &w->source, &job.from) ||
	    !resolve_place(core, &w->target, &job.to))
		return;
	apply_bound(core, w, &job);
	/* A queue per engine follows those of the program. */
	nx_vec_push(&core->queues[core->program->queue_count + core->engine], job);
}

/* --- moving -------------------------------------------------------------------------------- */

struct transfer {
	struct nx_dma_stream from[MAX_SOURCES], to;
	unsigned from_count;
	unsigned from_dtype[MAX_SOURCES], to_dtype;
};

static void copy_stream(struct transfer *t)
{
	uint8_t chunk[CHUNK_BYTES];

	for (uint64_t left = t->to.total_bytes; left;) {
		size_t part = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;

		nx_dma_stream_read(&t->from[0], chunk, part);
		nx_dma_stream_write(&t->to, chunk, part);
		left -= part;
	}
}

#define CHUNK_ELEMENTS (CHUNK_BYTES / 8)

/* Casts one source, or adds up several, through fp32. */
static void convert_streams(struct transfer *t)
{
	size_t to_size = nx_dtype_bytes(t->to_dtype);
	uint8_t chunk[CHUNK_BYTES];
	float sum[CHUNK_ELEMENTS], part[CHUNK_ELEMENTS];

	for (uint64_t left = t->to.total_bytes / to_size; left;) {
		size_t count = left < CHUNK_ELEMENTS ? (size_t)left : CHUNK_ELEMENTS;

		for (unsigned s = 0; s < t->from_count; s++) {
			size_t size = nx_dtype_bytes(t->from_dtype[s]);

			nx_dma_stream_read(&t->from[s], chunk, count * size);
			nx_element_load(t->from_dtype[s], chunk, (ptrdiff_t)size, count,
					s ? part : sum);
			for (size_t i = 0; s && i < count; i++)
				sum[i] += part[i];
		}
		nx_element_store(t->to_dtype, sum, count, chunk, (ptrdiff_t)to_size);
		nx_dma_stream_write(&t->to, chunk, count * to_size);
		left -= count;
	}
}

/* The two fastest dimensions are a tile, whose rows become columns. */
static const char *transpose_stream(struct transfer *t, const struct nx_neff_descriptor *d)
{
	const struct nx_neff_side *from = &d->from[0];
	uint64_t tile_bytes, rows = from->dims > 1 ? from->sizes[1] : 1;
	size_t size = d->element_bytes, columns;
	uint8_t *tile, *turned;

	if (d->element_bytes != 1 && d->element_bytes != 2 && d->element_bytes != 4)
		return "has elements of a size that cannot be transposed";
	if (__builtin_mul_overflow(from->sizes[0], rows, &tile_bytes) ||
	    tile_bytes > MAX_TILE_BYTES || from->sizes[0] % d->element_bytes ||
	    t->to.total_bytes % tile_bytes)
		return "has a tile that cannot be transposed";
	columns = (size_t)from->sizes[0] / size;
	tile = nx_heap_alloc(2 * (size_t)tile_bytes);
	turned = tile + tile_bytes;
	for (uint64_t left = t->to.total_bytes; left; left -= tile_bytes) {
		nx_dma_stream_read(&t->from[0], tile, (size_t)tile_bytes);
		for (size_t r = 0; r < rows; r++)
			for (size_t c = 0; c < columns; c++)
				memcpy(turned + (c * rows + r) * size,
				       tile + (r * columns + c) * size, size);
		nx_dma_stream_write(&t->to, turned, (size_t)tile_bytes);
	}
	nx_heap_free(tile);
	return NULL;
}

static const char *begin_side(struct nx_core *core, uint32_t variable,
			      const struct nx_dma_walk *walk, bool is_write,
			      struct nx_dma_stream *stream)
{
	struct nx_dma_region region = nx_core_region(core, variable);
	const char *wrong;

	if (region.size_bytes == 0)
		return "is not a variable with bytes";
	if (is_write && region.is_constant)
		return "is a constant";
	wrong = nx_dma_stream_begin(stream, &region, core->machine->sbuf_partition_bytes, walk);
	/* Limits the work that a damaged file can cause. */
	if (!wrong && is_write && stream->total_bytes > region.size_bytes)
		wrong = "is written more than once";
	return wrong;
}

/* If elements are converted, both sides must have as many elements, else as many bytes. */
static const char *check_lengths(const struct transfer *t, bool is_converted)
{
	uint64_t to_size = is_converted ? nx_dtype_bytes(t->to_dtype) : 1;

	if (to_size == 0 || t->to.total_bytes % to_size)
		return "has no element type that can be converted";
	for (unsigned i = 0; i < t->from_count; i++) {
		uint64_t size = is_converted ? nx_dtype_bytes(t->from_dtype[i]) : 1;

		if (size == 0 || t->from[i].total_bytes % size ||
		    t->from[i].total_bytes / size != t->to.total_bytes / to_size)
			return "differs in length from its target";
	}
	return NULL;
}

static void report_transfer(struct nx_core *core, const char *side, const char *wrong)
{
	nx_core_fault(core, NX_FAULT_DMA_BOUNDS, "the %s %s", side, wrong);
}

static bool begin_descriptor(struct nx_core *core, const struct nx_neff_descriptor *d,
			     struct transfer *t)
{
	struct nx_dma_walk to = {d->to.offset, UINT64_MAX, d->to.dims, d->to.sizes, d->to.steps};
	const char *wrong = begin_side(core, d->to.variable, &to, true, &t->to);

	if (wrong) {
		report_transfer(core, "target of a descriptor", wrong);
		return false;
	}
	t->to_dtype = d->to.dtype;
	t->from_count = (unsigned)d->from_count;
	for (unsigned i = 0; i < t->from_count && !wrong; i++) {
		const struct nx_neff_side *side = &d->from[i];
		struct nx_dma_walk from = {side->offset, UINT64_MAX, side->dims, side->sizes,
					   side->steps};

		t->from_dtype[i] = side->dtype;
		wrong = begin_side(core, side->variable, &from, false, &t->from[i]);
	}
	if (!wrong)
		wrong = check_lengths(t, d->op == NX_DMA_CAST || d->op == NX_DMA_ADD);
	if (wrong)
		report_transfer(core, "source of a descriptor", wrong);
	return !wrong;
}

static uint64_t run_descriptor(struct nx_core *core, const struct nx_neff_descriptor *d)
{
	const char *wrong = NULL;
	struct transfer t;

	if (d->op == NX_DMA_UNKNOWN || d->from_count > MAX_SOURCES ||
	    (d->from_count > 1 && d->op != NX_DMA_ADD)) {
		nx_core_fault(core, NX_FAULT_UNKNOWN, "the operation of a descriptor");
		return 0;
	}
	if (!begin_descriptor(core, d, &t))
		return 0;
	if (d->op == NX_DMA_COPY)
		copy_stream(&t);
	else if (d->op == NX_DMA_TRANSPOSE)
		wrong = transpose_stream(&t, d);
	else
		convert_streams(&t);
	if (wrong)
		report_transfer(core, "source of a descriptor", wrong);
	return wrong ? 0 : t.to.total_bytes;
}

/* --- transfers that an instruction describes ------------------------------------------------- */

struct direct_side {
	uint64_t sizes[3];
	int64_t steps[3];
};

static struct nx_dma_walk walk_of(const struct nx_word_dma_side *from,
				  const struct nx_dma_place *place, struct direct_side *side)
{
	*side = (struct direct_side){.sizes = {nx_dma_side_element_bytes(from), from->inner_count,
					       from->outer_count},
				     .steps = {1, from->inner_step, from->outer_step}};
	return (struct nx_dma_walk){place->offset, place->limit, 3, side->sizes, side->steps};
}

static uint64_t run_direct(struct nx_core *core, const struct nx_dma_job *job)
{
	const struct nx_dma_word *w = &job->word->dma;
	struct direct_side from_side, to_side;
	struct nx_dma_walk from = walk_of(&w->source, &job->from, &from_side);
	struct nx_dma_walk to = walk_of(&w->target, &job->to, &to_side);
	struct transfer t = {
		.from_count = 1, .from_dtype = {w->source_dtype}, .to_dtype = w->target_dtype};
	bool is_cast = w->source_dtype != w->target_dtype;
	const char *wrong = begin_side(core, job->to.variable, &to, true, &t.to);

	if (wrong) {
		report_transfer(core, "target", wrong);
		return 0;
	}
	wrong = begin_side(core, job->from.variable, &from, false, &t.from[0]);
	if (!wrong)
		wrong = check_lengths(&t, is_cast);
	if (wrong) {
		report_transfer(core, "source", wrong);
		return 0;
	}
	if (is_cast)
		convert_streams(&t);
	else
		copy_stream(&t);
	return t.to.total_bytes;
}

/* --- queues -------------------------------------------------------------------------- */

bool nx_core_queue_is_ready(const struct nx_core *core, size_t queue)
{
	return core->queue_heads[queue] < core->queues[queue].len;
}

static uint64_t run_job(struct nx_core *core, const struct nx_dma_job *job)
{
	uint64_t bytes = 0;

	if (!job->block) {
		bytes = run_direct(core, job);
		nx_core_add_semaphore(core, job->word->dma.semaphore, job->word->dma.increment);
		return bytes;
	}
	for (size_t i = 0; i < job->block->descriptor_count; i++)
		bytes += run_descriptor(core, &job->block->descriptors[i]);
	/* Every DMA engine has a ring of the queue, and each ring adds one. */
	nx_core_add_semaphore(core, job->block->semaphore, NX_DMA_ENGINE_COUNT);
	return bytes;
}

void nx_core_transfer(struct nx_core *core, size_t queue)
{
	struct nx_dma_job_queue *jobs = &core->queues[queue];
	struct nx_dma_job job = jobs->items[core->queue_heads[queue]++];
	struct nx_device_report *report = core->machine->report;
	uint64_t bytes;

	assert(queue < core->queue_count);
	if (core->queue_heads[queue] == jobs->len) {
		nx_vec_clear(jobs);
		core->queue_heads[queue] = 0;
	}
	core->engine = job.engine;
	core->pc = job.pc;
	core->word = job.word;
	core->changed_semaphore = NX_NO_INDEX;
	bytes = run_job(core, &job);
	report->dma_count++;
	report->dma_bytes += bytes;
	nx_core_notify_clock(core, (struct nx_actor){(uint8_t)core->index, true, (uint32_t)queue},
			     bytes);
}
