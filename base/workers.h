/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers: a few threads that take jobs from one queue, in the order they were added.
 *
 * Jobs may belong to clients. Then the job of the client with the fewest running jobs comes first,
 * one thread is left for others, and one client may fill half of the queue at most.
 *
 * Threads start when jobs wait and none is idle. Awaiting a job that no thread has begun runs it on
 * the calling thread, so it gets done even if no thread can start. Safe from any thread.
 */
#ifndef NX_BASE_WORKERS_H
#define NX_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NX_WORKERS_MAX 64

struct nx_workers;

/* Must not move until run returns or, if it is detached, until run is called. */
struct nx_job {
	void (*run)(void *context);
	void *context;
	bool is_detached;  /* run may free it: it cannot be awaited */
	bool is_continued; /* a part of it has run: it is taken even if too many wait */
	uint64_t client;   /* any number; 0: of none */
	/* --- of the queue --- */
	struct nx_job *next;
	enum { NX_JOB_IDLE, NX_JOB_WAITING, NX_JOB_RUNNING } state;
};

/* The processors this process may use, at most `most`. */
unsigned nx_workers_default_count(unsigned most);

/* Up to NX_WORKERS_MAX threads; at most waiting_max jobs wait, 0 for any number. */
struct nx_workers *nx_workers_new(const char *name, unsigned thread_max, size_t waiting_max);
/* Starts the first thread now: for jobs that no thread awaits, which need at least one. */
NX_MUST_CHECK enum nx_status nx_workers_start(struct nx_workers *workers, struct nx_error *err);
/* Runs the jobs that wait and ends the threads; from now on no job is taken. */
void nx_workers_stop(struct nx_workers *workers);
/* Waits for the jobs that run; those not started are dropped. w may be NULL. */
void nx_workers_free(struct nx_workers *workers);

/* False if too many jobs wait or the workers are stopped. A job is added again only when idle. */
bool nx_workers_add(struct nx_workers *workers, struct nx_job *job);
/* Returns when the job is idle. */
void nx_workers_await(struct nx_workers *workers, struct nx_job *job);

/* worker counts from 0, the caller; an index for scratch memory per thread. */
typedef void (*nx_worker_fn)(void *context, size_t item, unsigned worker);

/* Calls fn once for each item below item_count, on all threads and this one; returns when all are
 * done. Any worker may take any item. */
void nx_workers_share(struct nx_workers *workers, nx_worker_fn fn, void *context,
		      size_t item_count);

#endif
