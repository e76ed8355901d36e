/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_tracker: which holders (model/memory_use.h) have how many bytes of which memory, over
 * time.
 *
 * SBUF and PSUM: the bytes that buffer_lives.h finds live, by what wrote them; they add up to what
 * buffer_usage finds. Scratchpad: a tensor holds its bytes from the start of the first known DMA
 * that reads or writes it to the end of the last one; tensors may share addresses, which the total
 * counts once. HBM: what the runtime allocated, from the beginning to the end.
 *
 * A row is made for each holder that has changed at a moment. Memory grows with the program, not
 * with the trace.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analyses.h"
#include "analyse/buffer_lives.h"
#include "analyse/range_cover.h"
#include "model/sorted_rows.h"
#include "model/transfer.h"

struct step { /* by time */
	uint64_t time_ps;
	int32_t change; /* on chip: grains; scratchpad: 1 begins, -1 ends */
	uint32_t place; /* holder * NX_MEMORY_COUNT + memory */
};
static_assert(sizeof(struct step) == 16, "no bytes that nobody sets reach the spool");

struct span {
	uint64_t start_ps, end_ps; /* end_ps is 0 if it was never used */
};

struct tracker {
	struct nx_derivation out;
	struct nx_buffer_lives lives;
	struct nx_sorted_rows steps;
};

static const struct nx_memory_report *report_of(const struct tracker *a)
{
	return a->out.profile->memory;
}

/* --- on chip ---------------------------------------------------------------- */

static uint32_t owner_of_instruction(void *context, const struct nx_instruction *row)
{
	return report_of(context)->of_slot[row->graph][row->engine][row->slot];
}

/* What the DMA brings: its first variable outside of the state buffer. */
static uint32_t owner_of_transfer(void *context, const struct nx_transfer *t)
{
	const struct tracker *a = context;
	const struct nx_memory_report *report = report_of(a);
	const struct nx_dma_block *block = nx_transfer_block(a->out.profile, t);
	const uint32_t *of_variable = report->of_variable[t->graph];

	for (size_t i = 0; block && of_variable && i < block->descriptor_count; i++) {
		const struct nx_dma_descriptor *d = &block->descriptors[i];

		if (d->from_count && d->from[0] != NX_NONE && of_variable[d->from[0]] != NX_NONE)
			return of_variable[d->from[0]];
	}
	return report->of_slot[t->graph][t->engine][t->slot];
}

static void add_steps(struct tracker *a, uint64_t start_ps, uint64_t end_ps, struct step step)
{
	step.time_ps = start_ps;
	nx_sorted_rows_add(&a->steps, &step);
	step.time_ps = end_ps;
	step.change = -step.change;
	nx_sorted_rows_add(&a->steps, &step);
}

static void add_life(void *context, const struct nx_life *life)
{
	add_steps(context, life->start_ps, life->end_ps,
		  (struct step){.change = (int32_t)life->grain_count,
				.place = life->owner * NX_MEMORY_COUNT + life->buffer});
}

static const struct nx_buffer_lives_ops ops = {
	.owner_of_instruction = owner_of_instruction,
	.owner_of_transfer = owner_of_transfer,
	.ended = add_life,
};

static void begin(void *state)
{
	struct tracker *a = state;

	assert(report_of(a));
	nx_sorted_rows_init(&a->steps, sizeof(struct step));
	nx_buffer_lives_begin(&a->lives, a->out.profile, &ops, a);
}

static void add(void *state, const void *row)
{
	nx_buffer_lives_add(&((struct tracker *)state)->lives, row);
}

/* --- the scratchpad --------------------------------------------------------- */

static void use_variable(const struct tracker *a, struct span *spans, const struct nx_transfer *t,
			 uint32_t variable)
{
	const struct nx_binary_graph *graph = a->out.profile->program.binary_graphs[t->graph];
	struct span *span;

	if (!nx_variable_is(graph, variable, "virtual"))
		return;
	span = &spans[report_of(a)->of_variable[t->graph][variable]];
	if (!span->end_ps || t->start_ps < span->start_ps)
		span->start_ps = t->start_ps;
	if (t->end_ps > span->end_ps)
		span->end_ps = t->end_ps;
}

static void add_scratchpad(struct tracker *a)
{
	const struct nx_profile *p = a->out.profile;
	size_t count = report_of(a)->holder_count, size = (count + 1) * sizeof(struct span);
	struct span *spans = nx_heap_alloc(size);

	memset(spans, 0, size);
	for (size_t i = 0; i < p->transfers.len; i++) {
		const struct nx_transfer *t = &p->transfers.items[i];
		const struct nx_dma_block *block = nx_transfer_block(p, t);

		if (!block || !report_of(a)->of_variable[t->graph])
			continue;
		for (size_t k = 0; k < block->descriptor_count; k++) {
			const struct nx_dma_descriptor *d = &block->descriptors[k];

			use_variable(a, spans, t, d->to);
			for (size_t f = 0; f < d->from_count; f++)
				use_variable(a, spans, t, d->from[f]);
		}
	}
	for (size_t i = 0; i < count; i++)
		if (spans[i].end_ps)
			add_steps(a, spans[i].start_ps, spans[i].end_ps,
				  (struct step){.change = 1,
						.place = (uint32_t)i * NX_MEMORY_COUNT +
							 NX_MEMORY_SCRATCHPAD});
	nx_heap_free(spans);
}

/* --- the sweep --------------------------------------------------------------- */

struct level {			 /* of one holder in one memory */
	int64_t units;		 /* as steps count them */
	uint64_t reported_bytes; /* by its last row */
	bool is_touched;
};

struct sweep {
	struct tracker *a;
	const struct nx_memory_report *report;
	uint64_t now_ps;
	struct level *levels; /* by place */
	struct touched NX_VEC_BODY(uint32_t) touched;
	int64_t grains[NX_MAX_GRAPHS][NX_BUFFER_COUNT];
	struct nx_range_cover covers[NX_MAX_GRAPHS]; /* of the scratchpad */
};

static uint64_t place_bytes(const struct sweep *s, uint32_t place)
{
	if (place % NX_MEMORY_COUNT < NX_BUFFER_COUNT)
		return (uint64_t)s->levels[place].units * NX_GRAIN_BYTES;
	return s->levels[place].units ? s->report->holders[place / NX_MEMORY_COUNT].size_bytes : 0;
}

static void emit_moment(struct sweep *s)
{
	for (size_t i = 0; i < s->touched.len; i++) {
		uint32_t place = s->touched.items[i];
		struct level *level = &s->levels[place];
		struct nx_memory_use row = {.time_ps = s->now_ps,
					    .holder = place / NX_MEMORY_COUNT,
					    .memory = (uint8_t)(place % NX_MEMORY_COUNT)};

		level->is_touched = false;
		row.live_bytes = place_bytes(s, place);
		if (row.live_bytes == level->reported_bytes)
			continue;
		level->reported_bytes = row.live_bytes;
		row.graph = s->report->holders[row.holder].graph;
		row.total_bytes =
			row.memory == NX_MEMORY_SCRATCHPAD
				? s->covers[row.graph].covered_bytes
				: (uint64_t)s->grains[row.graph][row.memory] * NX_GRAIN_BYTES;
		s->a->out.fn(s->a->out.context, &row);
	}
	nx_vec_clear(&s->touched);
}

static void take_step(void *context, const void *opaque)
{
	struct sweep *s = context;
	const struct step *step = opaque;
	const struct nx_memory_holder *holder = &s->report->holders[step->place / NX_MEMORY_COUNT];
	unsigned memory = step->place % NX_MEMORY_COUNT;
	struct level *level = &s->levels[step->place];

	if (step->time_ps != s->now_ps)
		emit_moment(s);
	s->now_ps = step->time_ps;
	level->units += step->change;
	if (!level->is_touched)
		nx_vec_push(&s->touched, step->place);
	level->is_touched = true;
	if (memory == NX_MEMORY_SCRATCHPAD)
		nx_range_cover_add(&s->covers[holder->graph], holder->offset_bytes,
				   holder->offset_bytes + holder->size_bytes, step->change);
	else
		s->grains[holder->graph][memory] += step->change;
}

static void prepare_covers(struct sweep *s)
{
	for (size_t i = 0; i < s->report->holder_count; i++) {
		const struct nx_memory_holder *h = &s->report->holders[i];

		if (!strcmp(h->kind, "scratchpad"))
			nx_range_cover_declare(&s->covers[h->graph], h->offset_bytes,
					       h->offset_bytes + h->size_bytes);
	}
	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++)
		nx_range_cover_prepare(&s->covers[g]);
}

static void emit_hbm(const struct tracker *a)
{
	const struct nx_memory_report *report = report_of(a);
	uint64_t totals[NX_MAX_GRAPHS] = {0};

	for (size_t i = 0; i < report->holder_count; i++)
		totals[report->holders[i].graph] += report->holders[i].hbm_bytes;
	for (size_t i = 0; i < report->holder_count; i++) {
		const struct nx_memory_holder *h = &report->holders[i];
		struct nx_memory_use row = {.live_bytes = h->hbm_bytes,
					    .total_bytes = totals[h->graph],
					    .holder = (uint32_t)i,
					    .memory = NX_MEMORY_HBM,
					    .graph = h->graph};

		if (h->hbm_bytes)
			a->out.fn(a->out.context, &row);
	}
}

static enum nx_status finish(void *state, struct nx_error *err)
{
	struct tracker *a = state;
	struct sweep s = {.a = a, .report = report_of(a)};
	size_t size = (s.report->holder_count + 1) * NX_MEMORY_COUNT * sizeof(*s.levels);
	enum nx_status st;

	nx_buffer_lives_finish(&a->lives);
	add_scratchpad(a);
	emit_hbm(a);
	s.levels = nx_heap_alloc(size);
	memset(s.levels, 0, size);
	prepare_covers(&s);
	st = nx_sorted_rows_finish(&a->steps, take_step, &s, err);
	if (!st)
		emit_moment(&s);
	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++)
		nx_range_cover_release(&s.covers[g]);
	nx_vec_release(&s.touched);
	nx_heap_free(s.levels);
	return st;
}

static void release(void *state)
{
	struct tracker *a = state;

	nx_buffer_lives_release(&a->lives);
	nx_spool_free(a->steps.spool);
}

const struct nx_analysis nx_analysis_memory_tracker = {
	.reads = NX_TABLE_INSTRUCTION,
	.makes = NX_TABLE_MEMORY_USE,
	.row_size = sizeof(struct nx_memory_use),
	.state_size = sizeof(struct tracker),
	.begin = begin,
	.add = add,
	.finish = finish,
	.release = release,
};
