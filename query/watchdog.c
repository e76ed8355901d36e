/* SPDX-License-Identifier: Apache-2.0 */
#include "query/watchdog.h"

#include <assert.h>

#include "base/progress.h"

#define LOOK_MS 20

static void look(void *opaque)
{
	struct nx_watchdog *dog = opaque;
	const struct nx_watch *w = &dog->watch;

	if (!dog->is_stopping && w->timeout_ms && nx_now_ns() >= dog->end_ns) {
		dog->is_stopping = true;
		dog->is_late = true;
	}
	if (!dog->is_stopping && w->is_wanted && !w->is_wanted(w->wanted_context))
		dog->is_stopping = true;
	if (dog->is_stopping)
		w->stop(w->context);
	nx_timer_set(dog->timer, &dog->alarm, LOOK_MS);
}

void nx_watchdog_begin(struct nx_watchdog *dog, struct nx_timer *timer,
		       const struct nx_watch *watch)
{
	assert(timer && watch->stop);
	*dog = (struct nx_watchdog){.watch = *watch, .timer = timer};
	dog->alarm = (struct nx_alarm){.ring = look, .context = dog};
	dog->end_ns = nx_now_ns() + (uint64_t)watch->timeout_ms * 1000000;
	nx_timer_set(timer, &dog->alarm,
		     watch->timeout_ms && watch->timeout_ms < LOOK_MS ? watch->timeout_ms
								      : LOOK_MS);
}

enum nx_status nx_watchdog_end(struct nx_watchdog *dog, enum nx_status st, struct nx_error *err)
{
	nx_timer_clear(dog->timer, &dog->alarm);
	if (st != NX_CANCELLED || !dog->is_late)
		return st;
	return nx_fail(err, NX_LIMIT,
		       "the query was stopped after %g s, the time limit; ask for less, or raise "
		       "it with --timeout",
		       dog->watch.timeout_ms / 1000.0);
}
