/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define QUIET_NS NS_PER_SECOND
#define REDRAW_NS (NS_PER_SECOND / 10)
#define BAR_CELLS 20u

static int told_fd = -1;

/* A long step without progress must not outlive its reader. */
static void watch_reader(void *unused)
{
	struct pollfd reader = {.fd = told_fd};

	(void)unused;
	while (poll(&reader, 1, -1) < 0 && errno == EINTR)
		continue;
	if (reader.revents & POLLERR)
		kill(getpid(), SIGTERM);
}

void nx_progress_tell(int fd)
{
	static struct nx_thread watcher;

	told_fd = fd;
	/* without it, the next report notices */
	if (fd >= 0 && !watcher.is_running &&
	    !nx_thread_start(&watcher, "nx-progress", watch_reader, NULL, NULL))
		pthread_detach(watcher.id);
}

uint64_t nx_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

static void format_left(char *text, size_t size, const struct nx_progress *p, double part,
			uint64_t now)
{
	double elapsed_s = (double)(now - p->started_ns) / (double)NS_PER_SECOND;
	double left_s = part > 0 ? elapsed_s * (1 - part) / part : 0;

	if (part <= 0 || left_s >= 360000) {
		snprintf(text, size, "--:--");
		return;
	}
	snprintf(text, size, "%02u:%02u", (unsigned)left_s / 60, (unsigned)left_s % 60);
}

static void draw(struct nx_progress *p, uint64_t now)
{
	uint64_t done = p->done < p->total ? p->done : p->total;
	double part = (double)done / (double)p->total;
	unsigned filled = (unsigned)(part * BAR_CELLS);
	const char *no_colour = getenv("NO_COLOR");
	bool colour = !no_colour || !*no_colour;
	char left[24];
	char line[256];
	int len;

	format_left(left, sizeof(left), p, part, now);
	len = snprintf(line, sizeof(line), "\r%.40s  [%s%.*s%s%.*s]  %u %%  %s left\033[K", p->what,
		       colour ? "\033[32m" : "", (int)filled, "####################",
		       colour ? "\033[0m" : "", (int)(BAR_CELLS - filled), "....................",
		       (unsigned)(part * 100), left);
	if (len > 0 && (size_t)len < sizeof(line))
		(void)!write(STDERR_FILENO, line, (size_t)len);
	p->shown = true;
	p->last_drawn_ns = now;
}

static void tell(struct nx_progress *p, uint64_t now)
{
	uint64_t done = p->done < p->total ? p->done : p->total;
	char line[128];
	int len = snprintf(line, sizeof(line), "%.4f %.100s\n", (double)done / (double)p->total,
			   p->what);

	p->last_told_ns = now;
	if (len <= 0 || write(told_fd, line, (size_t)len) >= 0)
		return;
	/* the reader is gone: end as by ctrl-c, which tidies up */
	if (errno == EPIPE)
		raise(SIGTERM);
	p->is_told = false;
}

void nx_progress_begin(struct nx_progress *p, const char *what, uint64_t total, bool enabled)
{
	const char *term = getenv("TERM");

	if (!p)
		return;
	*p = (struct nx_progress){
		.enabled = enabled && total > 0 && isatty(STDERR_FILENO) && term && *term &&
			   strcmp(term, "dumb") != 0,
		.is_told = enabled && total > 0 && told_fd >= 0,
		.what = what ? what : "",
		.total = total,
		.started_ns = nx_now_ns(),
	};
	if (p->is_told)
		tell(p, p->started_ns);
}

void nx_progress_add(struct nx_progress *p, uint64_t done)
{
	uint64_t now;

	if (!p)
		return;
	p->done += done;
	if (!p->enabled && !p->is_told)
		return;
	now = nx_now_ns();
	if (p->is_told && now - p->last_told_ns >= REDRAW_NS)
		tell(p, now);
	if (!p->enabled || now - p->started_ns < QUIET_NS || now - p->last_drawn_ns < REDRAW_NS)
		return;
	draw(p, now);
}

void nx_progress_end(struct nx_progress *p)
{
	static const char erase[] = "\r\033[K";

	if (!p || !p->shown)
		return;
	(void)!write(STDERR_FILENO, erase, sizeof(erase) - 1);
	p->shown = false;
}
