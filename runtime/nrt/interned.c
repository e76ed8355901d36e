/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/interned.h"

#include <pthread.h>

#include "base/map.h"

static struct {
	pthread_mutex_t lock;
	struct nx_map known; /* id -> 1 */
	NX_VEC(struct nx_ntrace_text) texts;
	struct nx_arena arena;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct addition {
	struct nx_slice text;
	uint64_t id;
};

/* May run out of memory: then the name stays unlisted. */
static void add(void *context)
{
	const struct addition *addition = context;
	struct nx_slice copy =
		nx_slice_of(nx_arena_copy(&table.arena, addition->text), addition->text.len);

	nx_vec_push(&table.texts, ((struct nx_ntrace_text){addition->id, copy}));
	nx_map_put(&table.known, addition->id, 1);
}

uint64_t nx_interned_id(const char *text)
{
	struct addition addition = {nx_slice_text(text && *text ? text : NX_INTERNED_UNKNOWN), 0};
	uint64_t seen;
	bool is_listed = true;

	addition.id = nx_ntrace_intern_id(addition.text);
	if (nx_slice_is(addition.text, NX_INTERNED_UNKNOWN))
		return addition.id;
	pthread_mutex_lock(&table.lock);
	if (!nx_map_get(&table.known, addition.id, &seen))
		is_listed = table.texts.len < NX_INTERNED_MAX && nx_heap_guarded(add, &addition);
	pthread_mutex_unlock(&table.lock);
	return is_listed ? addition.id : nx_ntrace_intern_id(nx_slice_text(NX_INTERNED_UNKNOWN));
}

size_t nx_interned_count(void)
{
	size_t count;

	pthread_mutex_lock(&table.lock);
	count = table.texts.len;
	pthread_mutex_unlock(&table.lock);
	return count;
}

size_t nx_interned_list(struct nx_ntrace_text *items, size_t cap)
{
	size_t count;

	pthread_mutex_lock(&table.lock);
	count = table.texts.len < cap ? table.texts.len : cap;
	if (count)
		memcpy(items, table.texts.items, count * sizeof(*items));
	pthread_mutex_unlock(&table.lock);
	return count;
}

void nx_interned_abandon(void)
{
	pthread_mutex_init(&table.lock, NULL);
}
