/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conveyor: work that other threads do, handed back in the order it was given.
 *
 *	struct nx_conveyor *c = nx_conveyor_new(sizeof(struct block), compress, write, context);
 *	struct block *b = nx_conveyor_take(c);
 *	... fill *b ...
 *	nx_conveyor_put(c);
 *	nx_conveyor_finish(c, free_buffers);
 *
 * A few items are reused in turn: if all are in use, taking one waits for the oldest. Only the
 * owner's thread calls take, put, finish and the done function.
 */
#ifndef NX_BASE_CONVEYOR_H
#define NX_BASE_CONVEYOR_H

#include <stddef.h>

struct nx_conveyor;

typedef void (*nx_item_fn)(void *context, void *item);

/* work is called on any thread and must touch only its item and what never changes. */
struct nx_conveyor *nx_conveyor_new(size_t item_size, nx_item_fn work, nx_item_fn done,
				    void *context);
/* The item to fill next: zeroed the first time, later as it was left. */
void *nx_conveyor_take(struct nx_conveyor *conveyor);
void nx_conveyor_put(struct nx_conveyor *conveyor);
/* For work: returns when all items before this one have been handed back. Until it ends, the work
 * may then touch what done functions do. */
void nx_conveyor_await_turn(struct nx_conveyor *conveyor, const void *item);
/* Waits for all, then lets release (may be NULL) free what items own. */
void nx_conveyor_finish(struct nx_conveyor *conveyor, nx_item_fn release);

#endif
