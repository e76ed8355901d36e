/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers: a few threads that share out the items of one job after another.
 *
 *	struct nx_workers *w = nx_workers_new(nx_workers_default_count(4));
 *	nx_workers_run(w, encode_column, table, column_count);
 *	nx_workers_free(w);
 *
 * The calling thread works too, so a count of 1 starts no thread at all, and a
 * system that refuses threads only makes the job slower. Which worker takes
 * which item is chance: results that have to be the same every time must not
 * depend on it. Only one thread may call run at a time.
 */
#ifndef NX_BASE_WORKERS_H
#define NX_BASE_WORKERS_H

#include <stddef.h>

struct nx_workers;

/* worker counts from 0, the caller of run, and names scratch memory of one's own. */
typedef void (*nx_worker_fn)(void *context, size_t item, unsigned worker);

#define NX_WORKERS_MAX 64

/* The processors this process may use, at most `most`. */
unsigned nx_workers_default_count(unsigned most);

/* count is from 1 to NX_WORKERS_MAX and includes the caller of run. */
struct nx_workers *nx_workers_new(unsigned count);
/* Waits for the threads to end; NULL is allowed. */
void nx_workers_free(struct nx_workers *workers);

/* Calls fn once for each item below item_count; returns when all are done. */
void nx_workers_run(struct nx_workers *workers, nx_worker_fn fn, void *context, size_t item_count);

#endif
