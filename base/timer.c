/* SPDX-License-Identifier: Apache-2.0 */
#include "base/timer.h"

#include <assert.h>
#include <time.h>

#include "base/arena.h"
#include "base/progress.h"
#include "base/thread.h"

struct nx_timer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct nx_alarm *first;	  /* that is due next */
	struct nx_alarm *ringing; /* not NULL while its function runs */
	bool is_ending;
	struct nx_thread thread;
};

/* Under the lock, as is the next one. */
static void take_out(struct nx_timer *t, struct nx_alarm *alarm)
{
	struct nx_alarm **at = &t->first;

	if (!alarm->is_set)
		return;
	while (*at != alarm)
		at = &(*at)->next;
	*at = alarm->next;
	alarm->is_set = false;
}

static void ring(struct nx_timer *t, struct nx_alarm *alarm)
{
	take_out(t, alarm);
	t->ringing = alarm;
	pthread_mutex_unlock(&t->lock);
	alarm->ring(alarm->context);
	pthread_mutex_lock(&t->lock);
	t->ringing = NULL;
	pthread_cond_broadcast(&t->changed);
}

static void keep_time(void *opaque)
{
	struct nx_timer *t = opaque;

	pthread_mutex_lock(&t->lock);
	while (!t->is_ending) {
		if (!t->first) {
			pthread_cond_wait(&t->changed, &t->lock);
		} else if (t->first->due_ns > nx_now_ns()) {
			struct timespec due = {.tv_sec = (time_t)(t->first->due_ns / 1000000000),
					       .tv_nsec = (long)(t->first->due_ns % 1000000000)};

			pthread_cond_timedwait(&t->changed, &t->lock, &due);
		} else {
			ring(t, t->first);
		}
	}
	pthread_mutex_unlock(&t->lock);
}

enum nx_status nx_timer_new(struct nx_timer **timer, struct nx_error *err)
{
	struct nx_timer *t = nx_heap_alloc(sizeof(*t));
	pthread_condattr_t clock;
	enum nx_status st;

	*t = (struct nx_timer){0};
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&t->changed, &clock);
	pthread_condattr_destroy(&clock);
	st = nx_thread_start(&t->thread, "nx-timer", keep_time, t, err);
	if (st) {
		nx_timer_free(t);
		t = NULL;
	}
	*timer = t;
	return st;
}

void nx_timer_free(struct nx_timer *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	assert(!t->first);
	t->is_ending = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	nx_thread_join(&t->thread);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	nx_heap_free(t);
}

void nx_timer_set(struct nx_timer *t, struct nx_alarm *alarm, uint64_t delay_ms)
{
	struct nx_alarm **at = &t->first;

	assert(alarm->ring);
	pthread_mutex_lock(&t->lock);
	take_out(t, alarm);
	alarm->due_ns = nx_now_ns() + delay_ms * 1000000;
	while (*at && (*at)->due_ns <= alarm->due_ns)
		at = &(*at)->next;
	alarm->next = *at;
	*at = alarm;
	alarm->is_set = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
}

/* Ring may set the alarm again, so it is taken out after it as well. */
void nx_timer_clear(struct nx_timer *t, struct nx_alarm *alarm)
{
	pthread_mutex_lock(&t->lock);
	while (t->ringing == alarm)
		pthread_cond_wait(&t->changed, &t->lock);
	take_out(t, alarm);
	pthread_mutex_unlock(&t->lock);
}
