/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/buffer_lives.h"

#include <assert.h>
#include <string.h>

#include "analyse/operand_runs.h"
#include "model/transfer.h"

#define GRAINS_PER_BANK (NX_PSUM_BANK_BYTES / NX_GRAIN_BYTES)
#define SBUF_GRAINS (NX_PARTITION_STRIDE / NX_GRAIN_BYTES)
#define PSUM_GRAINS (NX_PSUM_BANKS * NX_PSUM_BANK_BYTES / NX_GRAIN_BYTES)
#define NEVER UINT64_MAX /* the start of a grain that is not live */

static_assert(GRAINS_PER_BANK % 64 == 0, "a bank begins a word of bits");
static_assert(NX_PSUM_BANKS <= 8, "a bit for each bank");

static const uint32_t grain_counts[NX_BUFFER_COUNT] = {SBUF_GRAINS, PSUM_GRAINS};

/* --- runs of grains --------------------------------------------------------- */

static void mark_first(struct nx_grain_lives *l, uint32_t grain)
{
	l->is_first[grain / 64] |= UINT64_C(1) << grain % 64;
}

static void make_lives(struct nx_grain_lives *l, uint32_t count)
{
	l->count = count;
	l->of = nx_heap_alloc(count * sizeof(*l->of));
	l->is_first = nx_heap_alloc(count / 64 * sizeof(*l->is_first));
	memset(l->is_first, 0, count / 64 * sizeof(*l->is_first));
	for (uint32_t i = 0; i < count; i += GRAINS_PER_BANK) {
		l->of[i] = (struct nx_grain_life){NEVER, 0, 0};
		mark_first(l, i);
	}
}

/* The first grain of the run that has the grain. */
static uint32_t run_start(const struct nx_grain_lives *l, uint32_t grain)
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
static uint32_t run_end(const struct nx_grain_lives *l, uint32_t grain, uint32_t end)
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
static void split_run(struct nx_grain_lives *l, uint32_t grain)
{
	if (grain >= l->count)
		return;
	l->of[grain] = l->of[run_start(l, grain)];
	mark_first(l, grain);
}

static bool is_same_life(const struct nx_grain_life *a, const struct nx_grain_life *b)
{
	return a->start_ps == b->start_ps && a->end_ps == b->end_ps && a->owner == b->owner;
}

/* --- lives that ended ------------------------------------------------------- */

static void flush_run(struct nx_buffer_lives *a)
{
	if (!a->run.grain_count)
		return;
	a->ops->ended(a->context, &a->run);
	a->run.grain_count = 0;
}

static uint8_t bank_of(uint8_t buffer, uint32_t grain)
{
	return buffer == NX_BUFFER_PSUM ? (uint8_t)(grain / GRAINS_PER_BANK) : 0;
}

struct place { /* count neighbouring grains of one bank */
	uint32_t grain, count;
	uint8_t graph, buffer;
};

static void end_lives(struct nx_buffer_lives *a, struct place at, const struct nx_grain_life *life)
{
	struct nx_life ended = {life->start_ps,
				life->end_ps,
				life->owner,
				at.count,
				at.graph,
				at.buffer,
				bank_of(at.buffer, at.grain)};
	const struct nx_life *run = &a->run;

	if (run->grain_count && (run->start_ps != ended.start_ps || run->end_ps != ended.end_ps ||
				 run->owner != ended.owner || run->buffer != ended.buffer ||
				 run->bank != ended.bank || run->graph != ended.graph))
		flush_run(a);
	ended.grain_count += a->run.grain_count;
	a->run = ended;
}

/* --- what an operand touches ------------------------------------------------ */

struct touch { /* one operand of one instruction or DMA */
	struct nx_buffer_lives *a;
	const struct nx_operand *operand;
	struct nx_grain_lives *lives;
	uint64_t start_ps, end_ps;
	uint32_t owner;
	uint8_t graph;
};

static void write_run(const struct touch *t, struct nx_grain_life *life, struct place at)
{
	struct nx_grain_life ended = *life;
	uint64_t end_ps = t->end_ps;

	if (at.buffer == NX_BUFFER_PSUM)
		t->a->graphs[t->graph].banks_ever |= (uint8_t)(1u << bank_of(at.buffer, at.grain));
	if (life->start_ps != NEVER && t->start_ps <= life->end_ps) {
		/* written again while still live */
		if (life->end_ps > end_ps)
			end_ps = life->end_ps;
		if (life->owner == t->owner) {
			life->end_ps = end_ps; /* one longer life */
			return;
		}
		ended.end_ps = t->start_ps;
	}
	if (life->start_ps != NEVER)
		end_lives(t->a, at, &ended);
	*life = (struct nx_grain_life){t->start_ps, end_ps, t->owner};
}

static void write_grains(const struct touch *t, uint32_t first, uint32_t end)
{
	struct nx_grain_lives *lives = t->lives;
	uint32_t before = first;

	assert(first < end && end <= lives->count);
	split_run(lives, first);
	split_run(lives, end);
	for (uint32_t i = first, next; i < end; i = next) {
		next = run_end(lives, i, end);
		write_run(t, &lives->of[i],
			  (struct place){i, next - i, t->graph, t->operand->buffer});
		if (i == first || i % GRAINS_PER_BANK == 0 ||
		    !is_same_life(&lives->of[before], &lives->of[i]))
			before = i;
		else /* the two become one run */
			lives->is_first[i / 64] &= ~(UINT64_C(1) << i % 64);
	}
}

static void read_grains(const struct touch *t, uint32_t first, uint32_t end)
{
	struct nx_grain_lives *lives = t->lives;

	for (uint32_t i = run_start(lives, first), next; i < end; i = next) {
		next = run_end(lives, i, lives->count);
		if (lives->of[i].start_ps == NEVER || lives->of[i].end_ps >= t->end_ps)
			continue;
		if (next > end)
			split_run(lives, end);
		if (i < first)
			split_run(lives, first);
		lives->of[i < first ? first : i].end_ps = t->end_ps;
	}
}

static void touch_run(void *context, uint32_t first_byte, uint32_t end_byte)
{
	const struct touch *t = context;
	uint32_t first = first_byte / NX_GRAIN_BYTES;
	uint32_t end = (end_byte + NX_GRAIN_BYTES - 1) / NX_GRAIN_BYTES;

	if (t->operand->is_write)
		write_grains(t, first, end);
	else
		read_grains(t, first, end);
}

static void touch_operands(struct touch *t, const struct nx_slot *slot)
{
	struct nx_buffer_lives *a = t->a;
	const struct nx_operand *operands = a->profile->program.operands + slot->operand;

	/* an instruction reads before it writes, even if both touch the same bytes */
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < slot->operand_count; i++) {
			uint8_t buffer = operands[i].buffer;

			if (operands[i].is_write != (pass == 1) || !operands[i].element_bytes)
				continue;
			t->operand = &operands[i];
			t->lives = &a->graphs[t->graph].buffers[buffer];
			if (!t->lives->of)
				make_lives(t->lives, grain_counts[buffer]);
			nx_operand_runs(t->operand, grain_counts[buffer] * NX_GRAIN_BYTES,
					touch_run, t);
			flush_run(a);
			if (pass == 1 && a->ops->wrote)
				a->ops->wrote(a->context, t->start_ps, t->graph, buffer);
		}
}

/* A static DMA writes what the operands of its trigger name. */
static void add_transfers_until(struct nx_buffer_lives *a, uint64_t start_ps)
{
	const struct nx_profile *p = a->profile;

	for (; a->next_transfer < p->transfers.len; a->next_transfer++) {
		const struct nx_transfer *t = &p->transfers.items[a->transfers[a->next_transfer]];
		struct touch touch = {
			.a = a, .start_ps = t->start_ps, .end_ps = t->end_ps, .graph = t->graph};

		if (t->start_ps > start_ps)
			break;
		if (a->ops->owner_of_transfer)
			touch.owner = a->ops->owner_of_transfer(a->context, t);
		touch_operands(&touch, &p->program.slots[t->graph][t->engine][t->slot]);
	}
}

void nx_buffer_lives_begin(struct nx_buffer_lives *a, const struct nx_profile *profile,
			   const struct nx_buffer_lives_ops *ops, void *context)
{
	assert(profile && ops && ops->ended);
	*a = (struct nx_buffer_lives){.profile = profile, .ops = ops, .context = context};
	a->transfers = nx_transfers_by_start(&a->profile->transfers);
}

void nx_buffer_lives_add(struct nx_buffer_lives *a, const struct nx_instruction *row)
{
	const struct nx_slot *slot = nx_profile_slot(a->profile, row);
	struct touch touch = {
		.a = a, .start_ps = row->start_ps, .end_ps = row->end_ps, .graph = row->graph};

	add_transfers_until(a, row->start_ps);
	/* the operands of a trigger are written by its DMA, later */
	if (slot->flags & NX_SLOT_TRIGGER || !slot->operand_count)
		return;
	if (a->ops->owner_of_instruction)
		touch.owner = a->ops->owner_of_instruction(a->context, row);
	touch_operands(&touch, slot);
}

void nx_buffer_lives_finish(struct nx_buffer_lives *a)
{
	add_transfers_until(a, UINT64_MAX);
	for (uint32_t g = 0; g < a->profile->capture.graph_count; g++)
		for (uint8_t b = 0; b < NX_BUFFER_COUNT; b++) {
			const struct nx_grain_lives *lives = &a->graphs[g].buffers[b];

			for (uint32_t i = 0, next; i < lives->count; i = next) {
				next = run_end(lives, i, lives->count);
				if (lives->of[i].start_ps != NEVER)
					end_lives(a, (struct place){i, next - i, (uint8_t)g, b},
						  &lives->of[i]);
			}
			flush_run(a);
		}
}

void nx_buffer_lives_release(struct nx_buffer_lives *a)
{
	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++)
		for (unsigned b = 0; b < NX_BUFFER_COUNT; b++) {
			nx_heap_free(a->graphs[g].buffers[b].of);
			nx_heap_free(a->graphs[g].buffers[b].is_first);
		}
	nx_heap_free(a->transfers);
}
