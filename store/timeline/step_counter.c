/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/step_counter.h"

#include <assert.h>
#include <math.h>

/* --- active intervals, a heap ordered by end --------------------------------- */

static void push(struct nx_step_counter *s, struct nx_counter_step step)
{
	size_t at = s->running.len;

	nx_vec_push(&s->running, step);
	while (at && s->running.items[(at - 1) / 2].end_ns > step.end_ns) {
		s->running.items[at] = s->running.items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	s->running.items[at] = step;
}

static struct nx_counter_step pop(struct nx_step_counter *s)
{
	struct nx_counter_step *heap = s->running.items;
	struct nx_counter_step first = heap[0], moved = heap[--s->running.len];
	size_t at = 0, next;

	while ((next = 2 * at + 1) < s->running.len) {
		if (next + 1 < s->running.len && heap[next + 1].end_ns < heap[next].end_ns)
			next++;
		if (moved.end_ns <= heap[next].end_ns)
			break;
		heap[at] = heap[next];
		at = next;
	}
	heap[at] = moved;
	return first;
}

/* --- samples --------------------------------------------------------------- */

static enum nx_status write_last(struct nx_step_counter *s, struct nx_error *err)
{
	if (s->last.value == s->written)
		return NX_OK;
	s->written = s->last.value;
	return nx_timeline_writer_add_sample(s->writer, s->track, &s->last, err);
}

static enum nx_status note(struct nx_step_counter *s, uint64_t time_ns, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (!s->is_begun) {
		s->is_begun = true;
		s->written = (double)NAN;
	} else if (time_ns != s->last.time_ns) {
		st = write_last(s, err);
	}
	s->last = (struct nx_sample){time_ns, s->sum};
	return st;
}

static enum nx_status end_until(struct nx_step_counter *s, uint64_t time_ns, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	while (!st && s->running.len && s->running.items[0].end_ns <= time_ns) {
		struct nx_counter_step ended = pop(s);

		s->sum = s->running.len ? s->sum - ended.value : 0;
		st = note(s, ended.end_ns, err);
	}
	return st;
}

enum nx_status nx_step_counter_add(struct nx_step_counter *s, uint64_t start_ns, uint64_t end_ns,
				   double value, struct nx_error *err)
{
	enum nx_status st = end_until(s, start_ns, err);

	assert(s->writer);
	if (st || end_ns <= start_ns)
		return st;
	if (!isfinite(value) || s->running.len >= NX_STEPS_AT_ONCE) {
		nx_timeline_writer_lose(s->writer, s->track);
		return NX_OK;
	}
	/* A value of 0 need not be kept, but makes the sum known from here on. */
	if (value != 0) {
		s->sum += value;
		push(s, (struct nx_counter_step){end_ns, value});
	}
	return note(s, start_ns, err);
}

enum nx_status nx_step_counter_finish(struct nx_step_counter *s, struct nx_error *err)
{
	enum nx_status st = end_until(s, UINT64_MAX, err);

	assert(s->writer);
	if (!st && s->is_begun)
		st = write_last(s, err);
	return st;
}

void nx_step_counter_release(struct nx_step_counter *s)
{
	nx_vec_release(&s->running);
}
