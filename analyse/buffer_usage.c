/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer_usage: how full the on-chip memories were, from writes and reads of instructions and
 * static DMAs.
 *
 * A byte is live from the start of the instruction that writes it to the end of the last
 * instruction that reads it before the next write (or of the writer, if none does). The end is
 * known only later, so changes are spooled and read back in order of time: memory does not grow
 * with the trace.
 */
#include <assert.h>
#include <string.h>

#include "analyse/analyses.h"
#include "analyse/operand_runs.h"
#include "model/sorted_rows.h"
#include "model/transfer.h"

/* We track memory in grains of two bytes, the size of the smallest operand. */
#define GRAIN_BYTES 2
#define GRAINS_PER_BANK (NX_PSUM_BANK_BYTES / GRAIN_BYTES)
#define SBUF_GRAINS (NX_PARTITION_STRIDE / GRAIN_BYTES)
#define PSUM_GRAINS (NX_PSUM_BANKS * NX_PSUM_BANK_BYTES / GRAIN_BYTES)

struct life {
	uint64_t start_ps, end_ps;
};

#define NEVER UINT64_MAX /* the start of a grain that is not live */

/*
 * Neighbouring grains mostly share a life, so it is kept once for a run of them: at the run's first
 * grain, which a bit marks. No run crosses a bank.
 */
struct lives {
	struct life *of; /* valid at the first grain of a run */
	uint64_t *is_first;
	uint32_t count;
};

struct graph_lives {
	struct lives buffers[NX_BUFFER_COUNT]; /* made when first touched */
	uint8_t banks_ever;
};

struct step { /* a change in the number of live grains; by time */
	uint64_t time_ps;
	int32_t grains;
	uint8_t buffer, bank, graph, padding;
};
static_assert(sizeof(struct step) == 16, "no bytes that nobody sets reach the spool");
static_assert(GRAINS_PER_BANK % 64 == 0, "a bank begins a word of bits");
static_assert(NX_PSUM_BANKS <= 8, "a bit for each bank");

struct buffer_usage {
	struct nx_derivation out;
	uint32_t *transfers; /* by start */
	size_t next_transfer;
	struct graph_lives graphs[NX_MAX_GRAPHS];
	struct nx_sorted_rows steps;
	/* lives that ended together, collected to become one step */
	struct life run;
	int32_t run_grains;
	uint8_t run_buffer, run_bank, run_graph;
};

static const uint32_t grain_counts[NX_BUFFER_COUNT] = {SBUF_GRAINS, PSUM_GRAINS};

/* --- runs of grains --------------------------------------------------------- */

static void mark_first(struct lives *l, uint32_t grain)
{
	l->is_first[grain / 64] |= UINT64_C(1) << grain % 64;
}

static void make_lives(struct lives *l, uint32_t count)
{
	l->count = count;
	l->of = nx_heap_alloc(count * sizeof(*l->of));
	l->is_first = nx_heap_alloc(count / 64 * sizeof(*l->is_first));
	memset(l->is_first, 0, count / 64 * sizeof(*l->is_first));
	for (uint32_t i = 0; i < count; i += GRAINS_PER_BANK) {
		l->of[i] = (struct life){NEVER, 0};
		mark_first(l, i);
	}
}

/* The first grain of the run that has the grain. */
static uint32_t run_start(const struct lives *l, uint32_t grain)
{
	uint32_t word = grain / 64;
	uint64_t bits = l->is_first[word] << (63 - grain % 64);

	if (bits)
		return grain - (uint32_t)__builtin_clzll(bits);
	while (!l->is_first[--word])
		;
	return word * 64 + 63 - (uint32_t)__builtin_clzll(l->is_first[word]);
}

/* Where the run of the grain ends, but not after end. */
static uint32_t run_end(const struct lives *l, uint32_t grain, uint32_t end)
{
	uint32_t next = grain + 1;

	while (next < end) {
		uint64_t bits = l->is_first[next / 64] >> next % 64;

		if (bits) {
			next += (uint32_t)__builtin_ctzll(bits);
			break;
		}
		next = (next / 64 + 1) * 64;
	}
	return next < end ? next : end;
}

/* Makes the grain the first of a run. */
static void split_run(struct lives *l, uint32_t grain)
{
	if (grain >= l->count)
		return;
	l->of[grain] = l->of[run_start(l, grain)];
	mark_first(l, grain);
}

/* --- steps ------------------------------------------------------------------ */

static void flush_run(struct buffer_usage *a)
{
	struct step step = {a->run.start_ps, a->run_grains, a->run_buffer,
			    a->run_bank,     a->run_graph,  0};

	if (!a->run_grains)
		return;
	nx_sorted_rows_add(&a->steps, &step);
	step.time_ps = a->run.end_ps;
	step.grains = -a->run_grains;
	nx_sorted_rows_add(&a->steps, &step);
	a->run_grains = 0;
}

static uint8_t bank_of(uint8_t buffer, uint32_t grain)
{
	return buffer == NX_BUFFER_PSUM ? (uint8_t)(grain * GRAIN_BYTES / NX_PSUM_BANK_BYTES) : 0;
}

/* count neighbouring grains of one bank lived from life->start_ps to life->end_ps. */
static void end_lives(struct buffer_usage *a, uint8_t graph, uint8_t buffer, uint32_t grain,
		      uint32_t count, const struct life *life)
{
	uint8_t bank = bank_of(buffer, grain);

	if (a->run_grains &&
	    (a->run.start_ps != life->start_ps || a->run.end_ps != life->end_ps ||
	     a->run_buffer != buffer || a->run_bank != bank || a->run_graph != graph))
		flush_run(a);
	a->run = *life;
	a->run_buffer = buffer;
	a->run_bank = bank;
	a->run_graph = graph;
	a->run_grains += (int32_t)count;
}

/* --- what an operand touches ------------------------------------------------ */

static void write_run(struct buffer_usage *a, const struct nx_instruction *row, uint8_t buffer,
		      struct life *life, uint32_t grain, uint32_t count)
{
	if (buffer == NX_BUFFER_PSUM)
		a->graphs[row->graph].banks_ever |= (uint8_t)(1u << bank_of(buffer, grain));
	if (life->start_ps != NEVER && row->start_ps <= life->end_ps) {
		/* written again while still live: one longer life */
		if (row->end_ps > life->end_ps)
			life->end_ps = row->end_ps;
		return;
	}
	if (life->start_ps != NEVER)
		end_lives(a, row->graph, buffer, grain, count, life);
	*life = (struct life){row->start_ps, row->end_ps};
}

static void write_grains(struct buffer_usage *a, const struct nx_instruction *row, uint8_t buffer,
			 struct lives *lives, uint32_t first, uint32_t end)
{
	uint32_t before = first;

	assert(first < end && end <= lives->count);
	split_run(lives, first);
	split_run(lives, end);
	for (uint32_t i = first, next; i < end; i = next) {
		next = run_end(lives, i, end);
		write_run(a, row, buffer, &lives->of[i], i, next - i);
		if (i == first || i % GRAINS_PER_BANK == 0 ||
		    lives->of[before].start_ps != lives->of[i].start_ps ||
		    lives->of[before].end_ps != lives->of[i].end_ps)
			before = i;
		else /* the two become one run */
			lives->is_first[i / 64] &= ~(UINT64_C(1) << i % 64);
	}
}

static void read_grains(const struct nx_instruction *row, struct lives *lives, uint32_t first,
			uint32_t end)
{
	for (uint32_t i = run_start(lives, first), next; i < end; i = next) {
		next = run_end(lives, i, lives->count);
		if (lives->of[i].start_ps == NEVER || lives->of[i].end_ps >= row->end_ps)
			continue;
		if (next > end)
			split_run(lives, end);
		if (i < first)
			split_run(lives, first);
		lives->of[i < first ? first : i].end_ps = row->end_ps;
	}
}

struct touch { /* one operand of one instruction */
	struct buffer_usage *a;
	const struct nx_instruction *row;
	const struct nx_operand *operand;
	struct lives *lives;
};

static void touch_run(void *context, uint32_t first_byte, uint32_t end_byte)
{
	const struct touch *t = context;
	uint32_t first = first_byte / GRAIN_BYTES;
	uint32_t end = (end_byte + GRAIN_BYTES - 1) / GRAIN_BYTES;

	if (t->operand->is_write)
		write_grains(t->a, t->row, t->operand->buffer, t->lives, first, end);
	else
		read_grains(t->row, t->lives, first, end);
}

static void touch(struct buffer_usage *a, const struct nx_instruction *row,
		  const struct nx_operand *o)
{
	struct touch t = {a, row, o, &a->graphs[row->graph].buffers[o->buffer]};

	if (!t.lives->of)
		make_lives(t.lives, grain_counts[o->buffer]);
	nx_operand_runs(o, grain_counts[o->buffer] * GRAIN_BYTES, touch_run, &t);
}

static void touch_operands(struct buffer_usage *a, const struct nx_instruction *row,
			   const struct nx_slot *slot)
{
	const struct nx_operand *operands = a->out.profile->program.operands + slot->operand;

	/* an instruction reads before it writes, even if both touch the same bytes */
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < slot->operand_count; i++) {
			struct step write = {row->start_ps, 0, operands[i].buffer, 0,
					     row->graph,    0};

			if (operands[i].is_write != (pass == 1) || !operands[i].element_bytes)
				continue;
			touch(a, row, &operands[i]);
			flush_run(a);
			/* every write is a point, even one that changes nothing */
			if (pass == 1)
				nx_sorted_rows_add(&a->steps, &write);
		}
}

/* A static DMA writes what the operands of its trigger name. */
static void add_transfers_until(struct buffer_usage *a, uint64_t start_ps)
{
	const struct nx_profile *p = a->out.profile;

	for (; a->next_transfer < p->transfers.len; a->next_transfer++) {
		const struct nx_transfer *t = &p->transfers.items[a->transfers[a->next_transfer]];
		struct nx_instruction row = {
			.start_ps = t->start_ps, .end_ps = t->end_ps, .graph = t->graph};

		if (t->start_ps > start_ps)
			break;
		touch_operands(a, &row, &p->program.slots[t->graph][t->engine][t->slot]);
	}
}

static void begin(void *state)
{
	struct buffer_usage *a = state;

	nx_sorted_rows_init(&a->steps, sizeof(struct step));
	a->transfers = nx_transfers_by_start(&a->out.profile->transfers);
}

static void add(void *state, const void *opaque)
{
	struct buffer_usage *a = state;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(a->out.profile, row);

	add_transfers_until(a, row->start_ps);
	/* the operands of a trigger are written by its DMA, later */
	if (!(slot->flags & NX_SLOT_TRIGGER))
		touch_operands(a, row, slot);
}

static void end_all(struct buffer_usage *a)
{
	for (uint32_t g = 0; g < a->out.profile->capture.graph_count; g++)
		for (uint8_t b = 0; b < NX_BUFFER_COUNT; b++) {
			const struct lives *lives = &a->graphs[g].buffers[b];

			for (uint32_t i = 0, next; i < lives->count; i = next) {
				next = run_end(lives, i, lives->count);
				if (lives->of[i].start_ps != NEVER)
					end_lives(a, (uint8_t)g, b, i, next - i, &lives->of[i]);
			}
			flush_run(a);
		}
}

/* --- the sweep --------------------------------------------------------------- */

struct level { /* current state of the sweep */
	int64_t grains[NX_PSUM_BANKS];
	bool is_touched;
};

struct sweep {
	struct buffer_usage *a;
	uint64_t now_ps;
	struct level levels[NX_MAX_GRAPHS][NX_BUFFER_COUNT];
};

static void emit_moment(struct sweep *s)
{
	for (uint32_t g = 0; g < s->a->out.profile->capture.graph_count; g++)
		for (uint8_t b = 0; b < NX_BUFFER_COUNT; b++) {
			struct level *level = &s->levels[g][b];
			struct nx_buffer_usage row = {
				.time_ps = s->now_ps, .buffer = b, .graph = (uint8_t)g};

			if (!level->is_touched)
				continue;
			level->is_touched = false;
			row.banks_ever = s->a->graphs[g].banks_ever;
			row.live_bytes = (uint64_t)level->grains[0] * GRAIN_BYTES;
			for (unsigned k = 0; k < NX_PSUM_BANKS; k++)
				row.banks |= (uint8_t)((level->grains[k] > 0) << k);
			s->a->out.fn(s->a->out.context, &row);
		}
}

static void take_step(void *context, const void *row)
{
	struct sweep *s = context;
	const struct step *step = row;

	if (step->time_ps != s->now_ps)
		emit_moment(s);
	s->now_ps = step->time_ps;
	s->levels[step->graph][step->buffer].grains[step->bank] += step->grains;
	s->levels[step->graph][step->buffer].is_touched = true;
}

static enum nx_status finish(void *state, struct nx_error *err)
{
	struct buffer_usage *a = state;
	struct sweep sweep = {.a = a};
	enum nx_status st;

	add_transfers_until(a, UINT64_MAX);
	end_all(a);
	st = nx_sorted_rows_finish(&a->steps, take_step, &sweep, err);
	if (!st)
		emit_moment(&sweep);
	return st;
}

static void release(void *state)
{
	struct buffer_usage *a = state;

	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++)
		for (unsigned b = 0; b < NX_BUFFER_COUNT; b++) {
			nx_heap_free(a->graphs[g].buffers[b].of);
			nx_heap_free(a->graphs[g].buffers[b].is_first);
		}
	nx_heap_free(a->transfers);
	nx_spool_free(a->steps.spool);
}

const struct nx_analysis nx_analysis_buffer_usage = {
	.reads = NX_TABLE_INSTRUCTION,
	.makes = NX_TABLE_BUFFER_USAGE,
	.row_size = sizeof(struct nx_buffer_usage),
	.state_size = sizeof(struct buffer_usage),
	.begin = begin,
	.add = add,
	.finish = finish,
	.release = release,
};
