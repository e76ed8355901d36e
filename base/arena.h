/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena: memory that is freed together. A zeroed struct is a valid empty arena.
 *
 * Running out of memory ends the program with one sentence: decoders bound every length before they
 * allocate, so it means that the machine is full.
 */
#ifndef NX_BASE_ARENA_H
#define NX_BASE_ARENA_H

#include "base/bare/slice.h"
#include "base/bare/status.h"

struct nx_arena_block;

struct nx_arena {
	struct nx_arena_block *newest;
	size_t used_bytes; /* handed out so far, for reports and limits */
};

void nx_arena_release(struct nx_arena *arena);
/* Forgets everything but keeps the newest block, which is cheaper than a release. */
void nx_arena_reset(struct nx_arena *arena);

/* Aligned for any type; nx_arena_zalloc is zeroed. count*size may not overflow (checked). */
void *nx_arena_alloc(struct nx_arena *arena, size_t size);
void *nx_arena_zalloc(struct nx_arena *arena, size_t count, size_t size);

/* Copies, always NUL-terminated after the copied bytes. */
char *nx_arena_copy(struct nx_arena *arena, struct nx_slice bytes);
char *nx_arena_copy_text(struct nx_arena *arena, const char *text);
char *nx_arena_printf(struct nx_arena *arena, const char *fmt, ...) NX_PRINTF(2, 3);

/* A copy of count items, as void *. */
#define NX_COPY_ARRAY(arena, items, count)                                                         \
	((void *)nx_arena_copy((arena), nx_slice_of((items), (count) * sizeof(*(items)))))
#define NX_NEW(arena, type) ((type *)nx_arena_zalloc((arena), 1, sizeof(type)))
#define NX_NEW_ARRAY(arena, type, count) ((type *)nx_arena_zalloc((arena), (count), sizeof(type)))

/* The only access to the heap outside an arena; running out of memory ends the program here too. */
void *nx_heap_alloc(size_t size);
void *nx_heap_realloc(void *old, size_t size);
void nx_heap_free(void *memory);

/* Zeroed, or NULL: for sizes that a caller chose, so that the failure can be reported. */
void *nx_heap_try_alloc(size_t size);

/*
 * Calls fn; false if memory ran out, which leaks what fn had allocated outside the caller's arenas.
 * For libraries, which must not end the program. fn must hold no lock when it allocates.
 */
NX_MUST_CHECK bool nx_heap_guarded(void (*fn)(void *context), void *context);

/*
 * For servers, which must go on when memory is full. A reserve is set aside, and the first
 * allocation that fails gives it back to the system and tries again. While it is gone the server
 * refuses new work; nx_heap_has_reserve tries to set it aside again.
 */
#define NX_HEAP_RESERVE_BYTES ((size_t)32 << 20)
bool nx_heap_has_reserve(void);

/* In between, on this thread, an allocation that fails does not leave nx_heap_guarded: a lock would
 * stay locked. It has the reserve, and if that is not enough, it ends the program. */
void nx_heap_hold(void);
void nx_heap_unhold(void);

#endif
