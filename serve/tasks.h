/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks: longer work that a page asks for, each in child processes of this program: capturing a
 * running job, fetching an archived profile, and hourly the workspace's own retention rules.
 *
 * A capture is saved in the workspace, captures/<job>/plugins/profile/<session>/, and becomes the
 * profile <job>_<session>. Pages get every change as an event "task". Tasks live as long as the
 * server; ended ones are kept until there are too many. Safe from any thread.
 */
#ifndef NX_SERVE_TASKS_H
#define NX_SERVE_TASKS_H

#include "base/json_writer.h"
#include "serve/events.h"

#define NX_CAPTURE_HOSTS_MAX 256u
#define NX_CAPTURE_DURATION_MS_MAX 600000u

struct nx_tasks;

struct nx_tasks_options {
	struct nx_workspace *workspace;
	struct nx_events *events;
	struct nx_timer *timer;
	const char *program; /* NULL: this executable */
};

NX_MUST_CHECK enum nx_status nx_tasks_new(struct nx_tasks **out,
					  const struct nx_tasks_options *options,
					  struct nx_error *err);
/* Kills the children and waits; tasks may be NULL. */
void nx_tasks_free(struct nx_tasks *tasks);

struct nx_capture_wish {
	const char *job;	      /* names the run; any text */
	const char *const *addresses; /* checked with nx_job_address_is_valid */
	size_t address_count;
	uint32_t duration_ms;
	uint32_t host_level, device_level, python_level;
};

/* CANCELLED if too many wait. Texts are copied. */
NX_MUST_CHECK enum nx_status nx_tasks_capture(struct nx_tasks *tasks,
					      const struct nx_capture_wish *wish, uint64_t *id,
					      struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_tasks_fetch(struct nx_tasks *tasks, const char *profile,
					    uint64_t *id, struct nx_error *err);

/* All tasks, newest first, as items of a list. */
void nx_tasks_put(struct nx_tasks *tasks, struct nx_json_writer *w);
/* Kills a task that waits or runs; false if there is none of that number. */
bool nx_tasks_cancel(struct nx_tasks *tasks, uint64_t id);

#endif
