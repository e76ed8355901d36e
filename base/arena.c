/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT ((size_t)16)
#define FIRST_BLOCK_BYTES ((size_t)64 << 10)
#define LARGEST_BLOCK_BYTES ((size_t)4 << 20)
#define OUT_OF_MEMORY_EXIT_CODE 10

struct nx_arena_block {
	struct nx_arena_block *older;
	size_t used;
	size_t capacity;
	size_t next_capacity; /* of the block after this one */
};

static_assert(sizeof(struct nx_arena_block) % ALIGNMENT == 0, "data follows aligned");
static_assert((ALIGNMENT & (ALIGNMENT - 1)) == 0, "sizes are rounded with a mask");

struct guard {
	jmp_buf back;
	struct guard *outer;
};

static _Thread_local struct guard *innermost_guard;
static _Thread_local unsigned hold_count;
static _Atomic(void *) reserve; /* mapped, not allocated: what is unmapped is free for any thread */

bool nx_heap_has_reserve(void)
{
	void *memory, *nothing = NULL;

	if (atomic_load(&reserve))
		return true;
	memory = mmap(NULL, NX_HEAP_RESERVE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	if (!atomic_compare_exchange_strong(&reserve, &nothing, memory))
		munmap(memory, NX_HEAP_RESERVE_BYTES);
	return true;
}

/* True if it makes sense to try again. */
static bool spend_reserve(void)
{
	void *memory = atomic_exchange(&reserve, NULL);

	if (memory)
		munmap(memory, NX_HEAP_RESERVE_BYTES);
	return memory;
}

void nx_heap_hold(void)
{
	hold_count++;
}

void nx_heap_unhold(void)
{
	assert(hold_count);
	hold_count--;
}

bool nx_heap_guarded(void (*fn)(void *context), void *context)
{
	struct guard guard = {.outer = innermost_guard};
	bool has_memory;

	assert(fn);
	has_memory = setjmp(guard.back) == 0;

	if (has_memory) {
		innermost_guard = &guard;
		fn(context);
	}
	innermost_guard = guard.outer;
	return has_memory;
}

static void __attribute__((noreturn)) end_without_memory(size_t size)
{
	char text[160];
	int len = snprintf(text, sizeof(text),
			   "out of memory: the system refused %zu bytes; "
			   "close other programs or use a machine with more memory\n",
			   size);

	if (innermost_guard && !hold_count)
		longjmp(innermost_guard->back, 1);
	(void)!write(STDERR_FILENO, text, (size_t)len);
	_exit(OUT_OF_MEMORY_EXIT_CODE);
}

void *nx_heap_alloc(size_t size)
{
	return nx_heap_realloc(NULL, size);
}

void *nx_heap_realloc(void *old, size_t size)
{
	void *memory = NULL;

	/* realloc(p, 0) may free and return NULL: never ask for nothing. */
	if (size <= PTRDIFF_MAX)
		memory = realloc(old, size ? size : 1);
	if (!memory && size <= PTRDIFF_MAX && spend_reserve())
		memory = realloc(old, size ? size : 1);
	if (!memory)
		end_without_memory(size);
	return memory;
}

void nx_heap_free(void *memory)
{
	free(memory);
}

void *nx_heap_try_alloc(size_t size)
{
	return size <= PTRDIFF_MAX ? calloc(1, size ? size : 1) : NULL;
}

/* Zeroed, and never handed out twice: nx_arena_zalloc need not clear anything,
 * and untouched pages of a large array cost nothing. */
static struct nx_arena_block *new_block(size_t capacity)
{
	struct nx_arena_block *block = calloc(1, sizeof(*block) + capacity);

	if (!block && spend_reserve())
		block = calloc(1, sizeof(*block) + capacity);
	if (!block)
		end_without_memory(capacity);
	block->capacity = capacity;
	return block;
}

/* A large request gets a block of its own after the newest, which keeps its free rest. */
static struct nx_arena_block *add_large_block(struct nx_arena *arena, size_t size)
{
	struct nx_arena_block *block = new_block(size);

	block->next_capacity = FIRST_BLOCK_BYTES;
	if (arena->newest) {
		block->older = arena->newest->older;
		arena->newest->older = block;
	} else {
		arena->newest = block;
	}
	return block;
}

static struct nx_arena_block *add_block(struct nx_arena *arena, size_t size)
{
	size_t capacity = arena->newest ? arena->newest->next_capacity : FIRST_BLOCK_BYTES;
	struct nx_arena_block *block;

	if (size > capacity / 4)
		return add_large_block(arena, size);
	block = new_block(capacity - sizeof(*block));
	block->next_capacity = capacity < LARGEST_BLOCK_BYTES ? capacity * 2 : capacity;
	block->older = arena->newest;
	arena->newest = block;
	return block;
}

void *nx_arena_alloc(struct nx_arena *arena, size_t size)
{
	struct nx_arena_block *block = arena->newest;
	uint8_t *memory;

	if (size > PTRDIFF_MAX - FIRST_BLOCK_BYTES)
		end_without_memory(size);
	size = size ? (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1) : ALIGNMENT;
	if (!block || size > block->capacity - block->used)
		block = add_block(arena, size);
	memory = (uint8_t *)(block + 1) + block->used;
	block->used += size;
	arena->used_bytes += size;
	return memory;
}

void *nx_arena_zalloc(struct nx_arena *arena, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		end_without_memory(SIZE_MAX);
	return nx_arena_alloc(arena, bytes);
}

void nx_arena_release(struct nx_arena *arena)
{
	struct nx_arena_block *block = arena->newest;

	while (block) {
		struct nx_arena_block *older = block->older;

		free(block);
		block = older;
	}
	*arena = (struct nx_arena){0};
}

void nx_arena_reset(struct nx_arena *arena)
{
	struct nx_arena_block *kept = arena->newest;
	struct nx_arena older;

	if (!kept)
		return;
	older = (struct nx_arena){.newest = kept->older};
	nx_arena_release(&older);
	memset(kept + 1, 0, kept->used);
	kept->older = NULL;
	kept->used = 0;
	arena->used_bytes = 0;
}

char *nx_arena_copy(struct nx_arena *arena, struct nx_slice bytes)
{
	char *copy = nx_arena_alloc(arena, bytes.len + 1);

	if (bytes.len)
		memcpy(copy, bytes.data, bytes.len);
	copy[bytes.len] = '\0';
	return copy;
}

char *nx_arena_copy_text(struct nx_arena *arena, const char *text)
{
	return nx_arena_copy(arena, nx_slice_text(text));
}

char *nx_arena_printf(struct nx_arena *arena, const char *fmt, ...)
{
	char shorter[256];
	char *text;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(shorter, sizeof(shorter), fmt, args);
	va_end(args);
	if (len < 0)
		return nx_arena_copy_text(arena, "");
	if ((size_t)len < sizeof(shorter))
		return nx_arena_copy(arena, nx_slice_of(shorter, (size_t)len));
	text = nx_arena_alloc(arena, (size_t)len + 1);
	va_start(args, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, args);
	va_end(args);
	return text;
}
