/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_queue: a few threads that take jobs in the order they came. Two of them keep
 * long questions away from short ones, so that one visitor's search does not hold up
 * another's scrolling.
 *
 * The number of waiting jobs is bounded: who comes later is told at once.
 */
#ifndef NX_SERVE_JOB_QUEUE_H
#define NX_SERVE_JOB_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct nx_job_queue;

/* Fails when the system gives no thread. */
NX_MUST_CHECK enum nx_status nx_job_queue_new(struct nx_job_queue **queue, unsigned thread_count,
					      size_t waiting_max, void (*run)(void *job),
					      struct nx_error *err);
/* False when too many wait, or the queue is stopped. */
bool nx_job_queue_add(struct nx_job_queue *queue, void *job);
/* Runs what waits (quickly, if run knows that it ends) and ends the threads. */
void nx_job_queue_stop(struct nx_job_queue *queue);
void nx_job_queue_free(struct nx_job_queue *queue); /* stops; NULL is allowed */

#endif
