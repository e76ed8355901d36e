/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/handles.h"

#include <assert.h>
#include <pthread.h>

#define INDEX_BITS 20
#define MAX_ENTRIES (1u << INDEX_BITS)
#define INDEX_SHIFT 4 /* handles stay aligned like pointers */
#define GENERATION_SHIFT (INDEX_BITS + INDEX_SHIFT)

struct entry {
	struct nx_object *object; /* NULL: free */
	uint32_t generation;	  /* of the next or present object, from 1 */
	uint32_t next_free;
};

static struct {
	pthread_mutex_t lock;
	struct entry entries[MAX_ENTRIES]; /* zeros: pages come with use */
	uint32_t used_count;		   /* entries that were ever used */
	uint32_t first_free;		   /* index plus 1; 0: none */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static_assert(GENERATION_SHIFT + 32 <= 64, "a handle holds index and generation");

static struct entry *take_entry(void)
{
	struct entry *entry;

	if (table.first_free) {
		entry = &table.entries[table.first_free - 1];
		table.first_free = entry->next_free;
		return entry;
	}
	return table.used_count < MAX_ENTRIES ? &table.entries[table.used_count++] : NULL;
}

void *nx_handle_new(struct nx_object *object, enum nx_handle_kind kind,
		    void (*destroy)(struct nx_object *object))
{
	struct entry *entry;

	assert(kind != NX_HANDLE_NONE && destroy);
	object->kind = kind;
	object->destroy = destroy;
	object->handle = NULL;
	atomic_store(&object->reference_count, 1);
	pthread_mutex_lock(&table.lock);
	entry = take_entry();
	if (entry) {
		uintptr_t index = (uintptr_t)(entry - table.entries);

		entry->object = object;
		entry->generation++;
		object->handle = (void *)((uintptr_t)entry->generation << GENERATION_SHIFT |
					  index << INDEX_SHIFT);
	}
	pthread_mutex_unlock(&table.lock);
	return object->handle;
}

/* Under the lock. */
static struct entry *find(const void *handle, enum nx_handle_kind kind)
{
	uintptr_t value = (uintptr_t)handle;
	uintptr_t index = value >> INDEX_SHIFT & (MAX_ENTRIES - 1);
	struct entry *entry;

	if (index >= table.used_count)
		return NULL;
	entry = &table.entries[index];
	if (!entry->object || entry->object->handle != handle || entry->object->kind != kind)
		return NULL;
	return entry;
}

void *nx_handle_acquire(const void *handle, enum nx_handle_kind kind)
{
	struct nx_object *object = NULL;
	struct entry *entry;

	pthread_mutex_lock(&table.lock);
	entry = find(handle, kind);
	if (entry) {
		object = entry->object;
		nx_object_hold(object);
	}
	pthread_mutex_unlock(&table.lock);
	return object;
}

static struct nx_object *free_entry(struct entry *entry)
{
	struct nx_object *object = entry->object;

	entry->object = NULL;
	entry->next_free = table.first_free;
	table.first_free = (uint32_t)(entry - table.entries) + 1;
	return object;
}

void *nx_handle_close(const void *handle, enum nx_handle_kind kind)
{
	struct nx_object *object = NULL;
	struct entry *entry;

	pthread_mutex_lock(&table.lock);
	entry = find(handle, kind);
	if (entry)
		object = free_entry(entry);
	pthread_mutex_unlock(&table.lock);
	return object;
}

void nx_handle_close_all(void)
{
	for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
		struct nx_object *object = NULL;

		pthread_mutex_lock(&table.lock);
		if (i >= table.used_count)
			i = MAX_ENTRIES - 1;
		else if (table.entries[i].object)
			object = free_entry(&table.entries[i]);
		pthread_mutex_unlock(&table.lock);
		nx_object_drop(object);
	}
}

void nx_handle_each(enum nx_handle_kind kind, void (*fn)(void *context, struct nx_object *object),
		    void *context)
{
	for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
		struct nx_object *object = NULL;

		pthread_mutex_lock(&table.lock);
		if (i >= table.used_count)
			i = MAX_ENTRIES - 1;
		else if (table.entries[i].object && table.entries[i].object->kind == kind)
			object = table.entries[i].object;
		if (object)
			nx_object_hold(object);
		pthread_mutex_unlock(&table.lock);
		if (object)
			fn(context, object);
		nx_object_drop(object);
	}
}

void nx_object_hold(void *opaque)
{
	struct nx_object *object = opaque;

	assert(atomic_load_explicit(&object->reference_count, memory_order_relaxed) > 0);
	atomic_fetch_add_explicit(&object->reference_count, 1, memory_order_relaxed);
}

void nx_object_drop(void *opaque)
{
	struct nx_object *object = opaque;

	assert(!object || atomic_load(&object->reference_count) > 0);
	if (object &&
	    atomic_fetch_sub_explicit(&object->reference_count, 1, memory_order_acq_rel) == 1)
		object->destroy(object);
}

void nx_handles_abandon(void)
{
	pthread_mutex_init(&table.lock, NULL);
}
