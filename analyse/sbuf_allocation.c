/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sbuf_allocation: what was where in the state buffer, and for how long.
 *
 * A write fills a range, which lasts until the last read of any of its bytes; the part that a later
 * write covers ends there. Ranges are tracked in the partitions 0, 32, 64 and 96, one for each
 * quarter, for instructions and transfers. A write with gaps fills a range for each piece, or a
 * single one if there are more than PIECES_MAX.
 *
 * Ends are known only later, so ranges are spooled and handed out in order of start. Memory is a
 * few megabytes per core.
 */
#include <assert.h>

#include "analyse/analyses.h"
#include "analyse/operand_runs.h"
#include "base/bare/bits.h"
#include "model/sorted_rows.h"
#include "model/transfer.h"

#define GRAIN_BYTES 2 /* the size of the smallest operand that occurs */
#define GRAINS (NX_PARTITION_STRIDE / GRAIN_BYTES)
#define PIECES_MAX 8
#define QUARTERS 4
#define QUARTER_PARTITIONS (NX_PARTITION_COUNT / QUARTERS)
static_assert(NX_PARTITION_COUNT % QUARTERS == 0, "quarters are equal");
#define MAX_DESCRIPTORS 64 /* of one DMA: more rows repeat what these cover */

struct range { /* one that is still in use; positions are in grains */
	uint64_t start_ps, end_ps;
	uint32_t first, end;
	uint32_t source;
	uint8_t engine;
	bool is_dma;
	uint32_t next_free;
};

struct quarter {
	uint32_t *owner; /* of each grain: into ranges, NX_NONE; made when first written */
	struct ranges NX_VEC_BODY(struct range) ranges;
	uint32_t free; /* chain of unused ranges, NX_NONE */
};

struct sbuf_allocation {
	struct nx_derivation out;
	struct quarter quarters[NX_MAX_GRAPHS][QUARTERS];
	uint32_t *transfers; /* by start */
	size_t next_transfer;
	struct nx_sorted_rows rows;
};

/* --- ranges of one partition ------------------------------------------------ */

static void set_owner(struct quarter *quarter, uint32_t first, uint32_t end, uint32_t owner)
{
	for (uint32_t i = first; i < end; i++)
		quarter->owner[i] = owner;
}

static void add_range(struct quarter *quarter, const struct range *range)
{
	uint32_t index = quarter->free;

	assert(range->first < range->end && range->end <= GRAINS);
	if (index == NX_NONE) {
		index = (uint32_t)quarter->ranges.len;
		nx_vec_push(&quarter->ranges, *range);
	} else {
		quarter->free = quarter->ranges.items[index].next_free;
		quarter->ranges.items[index] = *range;
	}
	set_owner(quarter, range->first, range->end, index);
}

struct access { /* one operand of an instruction or a DMA */
	struct sbuf_allocation *a;
	struct quarter *quarter;
	struct range range; /* of a write: what it would leave */
	uint8_t graph, partition;
};

static void emit(const struct access *x, const struct range *range, uint32_t first, uint32_t end)
{
	struct nx_sbuf_allocation row = {.start_ps = range->start_ps,
					 .end_ps = range->end_ps,
					 .first_byte = first * GRAIN_BYTES,
					 .end_byte = end * GRAIN_BYTES,
					 .source = range->source,
					 .graph = x->graph,
					 .engine = range->engine,
					 .partition = x->partition,
					 .is_dma = range->is_dma};

	nx_sorted_rows_add(&x->a->rows, &row);
}

/* The part of a range that is written again ends; the rest of it continues. */
static void cut(const struct access *x, uint32_t index, uint32_t first, uint32_t end)
{
	struct quarter *quarter = x->quarter;
	struct range *range = &quarter->ranges.items[index], right = *range;

	emit(x, range, first, end);
	set_owner(quarter, first, end, NX_NONE);
	if (range->first == first && range->end == end) {
		range->next_free = quarter->free;
		quarter->free = index;
	} else if (range->first == first) {
		range->first = end;
	} else {
		range->end = first;
		right.first = end;
		if (right.first < right.end)
			add_range(quarter, &right);
	}
}

/* The first grain from i on that has an owner; end when there is none. */
static uint32_t next_owned(const uint32_t *owner, uint32_t i, uint32_t end)
{
	while (i < end && end - i >= 8 &&
	       (nx_load64(owner + i) & nx_load64(owner + i + 2) & nx_load64(owner + i + 4) &
		nx_load64(owner + i + 6)) == UINT64_MAX)
		i += 8;
	while (i < end && owner[i] == NX_NONE)
		i++;
	return i;
}

static void write_range(const struct access *x)
{
	const uint32_t *owner = x->quarter->owner;

	for (uint32_t i = x->range.first;
	     (i = next_owned(owner, i, x->range.end)) < x->range.end;) {
		uint32_t index = owner[i], end;

		end = x->quarter->ranges.items[index].end;
		end = end < x->range.end ? end : x->range.end;
		cut(x, index, i, end);
		i = end;
	}
	add_range(x->quarter, &x->range);
}

static void read_run(void *context, uint32_t first_byte, uint32_t end_byte)
{
	const struct access *x = context;
	const uint32_t *owner = x->quarter->owner;
	uint32_t end = (end_byte + GRAIN_BYTES - 1) / GRAIN_BYTES;

	for (uint32_t i = first_byte / GRAIN_BYTES; (i = next_owned(owner, i, end)) < end;) {
		struct range *range = &x->quarter->ranges.items[owner[i]];

		if (x->range.end_ps > range->end_ps)
			range->end_ps = x->range.end_ps;
		i = range->end;
	}
}

/* --- what an operand touches ------------------------------------------------ */

struct pieces { /* ascending once closed */
	struct {
		uint32_t first, end;
	} items[PIECES_MAX];
	unsigned count;
	bool is_one; /* too many: the whole from the first byte to the last */
};

static void join_piece(struct pieces *p, unsigned at, uint32_t first, uint32_t end)
{
	if (first < p->items[at].first)
		p->items[at].first = first;
	if (end > p->items[at].end)
		p->items[at].end = end;
}

static void add_piece(void *context, uint32_t first_byte, uint32_t end_byte)
{
	struct pieces *p = context;
	uint32_t first = first_byte / GRAIN_BYTES;
	uint32_t end = (end_byte + GRAIN_BYTES - 1) / GRAIN_BYTES;

	for (unsigned i = p->count; i-- > 0;)
		if (p->is_one || (first <= p->items[i].end && end >= p->items[i].first)) {
			join_piece(p, i, first, end);
			return;
		}
	if (p->count < PIECES_MAX) {
		p->items[p->count].first = first;
		p->items[p->count++].end = end;
		return;
	}
	for (unsigned i = 1; i < p->count; i++)
		join_piece(p, 0, p->items[i].first, p->items[i].end);
	join_piece(p, 0, first, end);
	p->count = 1;
	p->is_one = true;
}

/* Pieces that have grown into each other would end each other's ranges. */
static void close_pieces(struct pieces *p)
{
	for (unsigned i = 0; i < p->count; i++)
		for (unsigned k = i + 1; k < p->count;) {
			if (p->items[k].first > p->items[i].end ||
			    p->items[k].end < p->items[i].first) {
				k++;
				continue;
			}
			join_piece(p, i, p->items[k].first, p->items[k].end);
			p->items[k] = p->items[--p->count];
			k = i + 1;
		}
}

static struct quarter *prepare_quarter(struct sbuf_allocation *a, uint8_t graph, unsigned q)
{
	struct quarter *quarter = &a->quarters[graph][q];

	if (!quarter->owner) {
		quarter->owner = nx_heap_alloc(GRAINS * sizeof(*quarter->owner));
		set_owner(quarter, 0, GRAINS, NX_NONE);
		quarter->free = NX_NONE;
	}
	return quarter;
}

static void touch(struct access *x, const struct nx_operand *o)
{
	unsigned first = o->address / NX_PARTITION_STRIDE;
	struct pieces pieces = {.count = 0};

	if (o->buffer != NX_BUFFER_SBUF || !o->element_bytes)
		return;
	if (o->is_write) {
		nx_operand_runs(o, NX_PARTITION_STRIDE, add_piece, &pieces);
		close_pieces(&pieces);
	}
	for (unsigned q = 0; q < QUARTERS; q++) {
		x->partition = (uint8_t)(q * QUARTER_PARTITIONS);
		if (x->partition < first || x->partition >= first + o->partition_count)
			continue;
		x->quarter = prepare_quarter(x->a, x->graph, q);
		if (!o->is_write)
			nx_operand_runs(o, NX_PARTITION_STRIDE, read_run, x);
		for (unsigned i = 0; i < pieces.count; i++) {
			x->range.first = pieces.items[i].first;
			x->range.end = pieces.items[i].end;
			write_range(x);
		}
	}
}

static void touch_operands(struct access *x, const struct nx_slot *slot, bool is_write)
{
	const struct nx_operand *operands = x->a->out.profile->program.operands + slot->operand;

	for (unsigned i = 0; i < slot->operand_count; i++)
		if (operands[i].is_write == is_write)
			touch(x, &operands[i]);
}

/* --- what is added ---------------------------------------------------------- */

static void touch_descriptors(struct access *x, const struct nx_transfer *t, bool is_write)
{
	const struct nx_dma_block *block = nx_transfer_block(x->a->out.profile, t);
	const struct nx_binary_graph *graph = x->a->out.profile->program.binary_graphs[t->graph];
	struct nx_operand o;

	for (size_t i = 0; block && i < block->descriptor_count && i < MAX_DESCRIPTORS; i++) {
		const struct nx_dma_descriptor *d = &block->descriptors[i];

		if (is_write ? nx_variable_is_sbuf(graph, d->to) &&
				       nx_operand_from_dma(&o, d->to_offset, d->to_sizes,
							   d->to_steps, d->to_dims)
			     : d->from_count && nx_variable_is_sbuf(graph, d->from[0]) &&
				       nx_operand_from_dma(&o, d->from_offset, d->from_sizes,
							   d->from_steps, d->from_dims)) {
			o.is_write = is_write;
			touch(x, &o);
		}
	}
}

static void add_transfer(struct sbuf_allocation *a, uint32_t index)
{
	const struct nx_transfer *t = &a->out.profile->transfers.items[index];
	const struct nx_slot *slot = &a->out.profile->program.slots[t->graph][t->engine][t->slot];
	struct access x = {.a = a, .graph = t->graph};

	x.range = (struct range){.start_ps = t->start_ps,
				 .end_ps = t->end_ps,
				 .source = index,
				 .engine = t->engine,
				 .is_dma = true};
	touch_descriptors(&x, t, false);
	/* the operands of a trigger are what its block writes */
	if (t->is_dynamic)
		touch_descriptors(&x, t, true);
	else
		touch_operands(&x, slot, true);
}

static void add_transfers_until(struct sbuf_allocation *a, uint64_t start_ps)
{
	const struct nx_transfers *all = &a->out.profile->transfers;

	for (; a->next_transfer < all->len; a->next_transfer++) {
		uint32_t index = a->transfers[a->next_transfer];

		if (all->items[index].start_ps > start_ps)
			break;
		add_transfer(a, index);
	}
}

static void begin(void *state)
{
	struct sbuf_allocation *a = state;

	nx_sorted_rows_init(&a->rows, sizeof(struct nx_sbuf_allocation));
	a->transfers = nx_transfers_by_start(&a->out.profile->transfers);
}

static void add(void *state, const void *opaque)
{
	struct sbuf_allocation *a = state;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(a->out.profile, row);
	struct access x = {.a = a, .graph = row->graph};

	add_transfers_until(a, row->start_ps);
	/* the operands of a trigger are touched by its DMA, later */
	if (slot->flags & NX_SLOT_TRIGGER)
		return;
	x.range = (struct range){.start_ps = row->start_ps,
				 .end_ps = row->end_ps,
				 .source = row->slot,
				 .engine = row->engine};
	/* an instruction reads before it writes, even if both touch the same bytes */
	touch_operands(&x, slot, false);
	touch_operands(&x, slot, true);
}

static void end_all(struct sbuf_allocation *a)
{
	for (uint32_t g = 0; g < a->out.profile->capture.graph_count; g++)
		for (unsigned q = 0; q < QUARTERS; q++) {
			struct access x = {.a = a, .quarter = &a->quarters[g][q]};

			if (!x.quarter->owner)
				continue;
			x.graph = (uint8_t)g;
			x.partition = (uint8_t)(q * QUARTER_PARTITIONS);
			x.range.end = GRAINS;
			write_range(&x);
		}
}

static enum nx_status finish(void *state, struct nx_error *err)
{
	struct sbuf_allocation *a = state;

	add_transfers_until(a, UINT64_MAX);
	end_all(a);
	return nx_sorted_rows_finish(&a->rows, a->out.fn, a->out.context, err);
}

static void release(void *state)
{
	struct sbuf_allocation *a = state;

	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++)
		for (unsigned q = 0; q < QUARTERS; q++) {
			nx_heap_free(a->quarters[g][q].owner);
			nx_vec_release(&a->quarters[g][q].ranges);
		}
	nx_heap_free(a->transfers);
	nx_spool_free(a->rows.spool);
}

const struct nx_analysis nx_analysis_sbuf_allocation = {
	.reads = NX_TABLE_INSTRUCTION,
	.makes = NX_TABLE_COUNT,
	.row_size = sizeof(struct nx_sbuf_allocation),
	.state_size = sizeof(struct sbuf_allocation),
	.begin = begin,
	.add = add,
	.finish = finish,
	.release = release,
};
