/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errands: work that one other thread does while the owner goes on.
 *
 *	struct nx_errands *e = nx_errands_new();
 *	size_t sums = nx_errands_add(e, add_up, &table);
 *	... what needs no sums ...
 *	nx_errands_await(e, sums);
 *	... table is the owner's again ...
 *	nx_errands_free(e);
 *
 * They are done in the order in which they were added, so that the first to be
 * awaited should be added first. The thread starts with the first errand; where
 * there is one processor or no thread to be had, awaiting does the work. Only
 * the owner's thread calls these functions.
 */
#ifndef NX_BASE_ERRANDS_H
#define NX_BASE_ERRANDS_H

#include <stddef.h>

struct nx_errands;

typedef void (*nx_errand_fn)(void *context);

struct nx_errands *nx_errands_new(void);
/* Until it is awaited or all are freed, the context belongs to the errand. Returns its number. */
size_t nx_errands_add(struct nx_errands *errands, nx_errand_fn fn, void *context);
/* Returns when this errand, and thus all before it, are done. */
void nx_errands_await(struct nx_errands *errands, size_t number);
/* Waits for the one under way; those not begun are dropped. NULL is allowed. */
void nx_errands_free(struct nx_errands *errands);

#endif
