/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer_usage: how full the on-chip memories were, from writes and reads of instructions and
 * static DMAs (buffer_lives.h says when a byte is live).
 *
 * The end of a life is known only later, so changes are spooled and read back in order of time:
 * memory does not grow with the trace.
 */
#include <assert.h>

#include "analyse/analyses.h"
#include "analyse/buffer_lives.h"
#include "model/sorted_rows.h"

struct step { /* a change in the number of live grains; by time */
	uint64_t time_ps;
	int32_t grains;
	uint8_t buffer, bank, graph, padding;
};
static_assert(sizeof(struct step) == 16, "no bytes that nobody sets reach the spool");

struct buffer_usage {
	struct nx_derivation out;
	struct nx_buffer_lives lives;
	struct nx_sorted_rows steps;
};

static void add_life(void *context, const struct nx_life *life)
{
	struct buffer_usage *a = context;
	struct step step = {life->start_ps, (int32_t)life->grain_count,
			    life->buffer,   life->bank,
			    life->graph,    0};

	nx_sorted_rows_add(&a->steps, &step);
	step.time_ps = life->end_ps;
	step.grains = -step.grains;
	nx_sorted_rows_add(&a->steps, &step);
}

/* Every write is a point, even one that changes nothing. */
static void add_point(void *context, uint64_t time_ps, uint8_t graph, uint8_t buffer)
{
	struct buffer_usage *a = context;
	struct step write = {time_ps, 0, buffer, 0, graph, 0};

	nx_sorted_rows_add(&a->steps, &write);
}

static const struct nx_buffer_lives_ops ops = {.wrote = add_point, .ended = add_life};

static void begin(void *state)
{
	struct buffer_usage *a = state;

	nx_sorted_rows_init(&a->steps, sizeof(struct step));
	nx_buffer_lives_begin(&a->lives, a->out.profile, &ops, a);
}

static void add(void *state, const void *row)
{
	nx_buffer_lives_add(&((struct buffer_usage *)state)->lives, row);
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
			row.banks_ever = nx_buffer_lives_banks(&s->a->lives, g);
			row.live_bytes = (uint64_t)level->grains[0] * NX_GRAIN_BYTES;
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

	nx_buffer_lives_finish(&a->lives);
	st = nx_sorted_rows_finish(&a->steps, take_step, &sweep, err);
	if (!st)
		emit_moment(&sweep);
	return st;
}

static void release(void *state)
{
	struct buffer_usage *a = state;

	nx_buffer_lives_release(&a->lives);
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
