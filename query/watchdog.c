/* SPDX-License-Identifier: Apache-2.0 */
#include "query/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#define REPEAT_MS 20

enum reason { NOTHING, ASKED, TOO_LONG };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int time_left_ms(int64_t end_ms)
{
	int64_t left_ms = end_ms - now_ms();

	if (left_ms < 0)
		return 0;
	return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

/* Waits until the query is over (NOTHING) or has to be stopped. */
static enum reason wait_for_reason(const struct nx_watchdog *dog)
{
	int64_t end_ms = now_ms() + dog->watch.timeout_ms;
	struct pollfd fds[] = {{.fd = dog->over[0], .events = POLLIN},
			       {.fd = dog->watch.stop_fd, .events = POLLIN}};

	for (;;) {
		int ready = poll(fds, 2, dog->watch.timeout_ms ? time_left_ms(end_ms) : -1);

		if (ready > 0 && fds[0].revents)
			return NOTHING;
		if (ready > 0 && fds[1].revents)
			return ASKED;
		if (ready == 0 && now_ms() >= end_ms)
			return TOO_LONG;
	}
}

static void *keep_watch(void *argument)
{
	struct nx_watchdog *dog = argument;
	struct pollfd over = {.fd = dog->over[0], .events = POLLIN};
	enum reason reason = wait_for_reason(dog);

	if (reason == NOTHING)
		return NULL;
	atomic_store(&dog->reason, reason);
	do
		dog->watch.stop(dog->watch.context);
	while (poll(&over, 1, REPEAT_MS) <= 0);
	return NULL;
}

/* Signals are for the thread that runs the query. */
static int start_thread(struct nx_watchdog *dog)
{
	sigset_t all, old;
	int failure;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	failure = pthread_create(&dog->thread, NULL, keep_watch, dog);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failure;
}

enum nx_status nx_watchdog_begin(struct nx_watchdog *dog, const struct nx_watch *watch,
				 struct nx_error *err)
{
	int failure;

	*dog = (struct nx_watchdog){.watch = *watch};
	if (pipe2(dog->over, O_CLOEXEC) < 0)
		return nx_fail_errno(err, errno, "cannot watch over the query");
	failure = start_thread(dog);
	if (!failure)
		return NX_OK;
	close(dog->over[0]);
	close(dog->over[1]);
	return nx_fail_errno(err, failure, "cannot watch over the query");
}

enum nx_status nx_watchdog_end(struct nx_watchdog *dog, enum nx_status st, struct nx_error *err)
{
	close(dog->over[1]);
	pthread_join(dog->thread, NULL);
	close(dog->over[0]);
	if (st != NX_CANCELLED || atomic_load(&dog->reason) != TOO_LONG)
		return st;
	return nx_fail(err, NX_LIMIT,
		       "the query was stopped after %g s, the time limit; ask for less, or raise "
		       "it with --timeout",
		       dog->watch.timeout_ms / 1000.0);
}
