/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names: texts with a kind and a place in the source, numbered for the life of the process. The
 * tables are reserved as addresses and use memory as they fill; they never move, so the thread that
 * writes the file reads entries without the lock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/map.h"
#include "runtime/profiler/profiler_internal.h"

#define SLOTS (2u * NX_PROFILER_MAX_NAMES)
#define TEXT_BYTES ((size_t)256 << 20) /* for all texts together */
#define MAX_NAME_BYTES 4096u
#define MAX_THREADS 65536u
#define THREAD_NAME_BYTES 64u

struct named_thread {
	uint32_t thread_id;
	char name[THREAD_NAME_BYTES];
};

static struct {
	pthread_mutex_t lock;
	struct nx_profiler_entry *entries; /* 0 is "" */
	_Atomic uint32_t count;
	uint32_t *slots; /* hash table of numbers, 0 is empty */
	char *texts;
	size_t used_bytes;
	struct named_thread *threads;
	uint32_t thread_count;
	uint64_t generation; /* of thread names */
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Under the lock. */
static bool has_tables(void)
{
	if (!names.entries)
		names.entries = reserve(NX_PROFILER_MAX_NAMES * sizeof(*names.entries));
	if (!names.slots)
		names.slots = reserve(SLOTS * sizeof(*names.slots));
	if (!names.texts)
		names.texts = reserve(TEXT_BYTES);
	if (!names.entries || !names.slots || !names.texts)
		return false;
	if (!atomic_load(&names.count)) {
		names.entries[0] = (struct nx_profiler_entry){.text = ""};
		atomic_store(&names.count, 1);
	}
	return true;
}

static bool is_equal(const struct nx_profiler_entry *a, const struct nx_profiler_entry *b)
{
	return a->kind == b->kind && a->line == b->line && a->text_len == b->text_len &&
	       a->file_len == b->file_len && memcmp(a->text, b->text, a->text_len) == 0 &&
	       (!a->file_len || memcmp(a->file, b->file, a->file_len) == 0);
}

static uint64_t hash_of(const struct nx_profiler_entry *entry)
{
	uint64_t hash = nx_fnv1a(NX_FNV_SEED, entry->text, entry->text_len);

	if (entry->file_len)
		hash = nx_fnv1a(hash, entry->file, entry->file_len);
	hash = nx_fnv1a(hash, &entry->line, sizeof(entry->line));
	return nx_fnv1a(hash, &entry->kind, sizeof(entry->kind));
}

static const char *copy(const char *text, size_t len)
{
	char *at = names.texts + names.used_bytes;

	memcpy(at, text, len);
	names.used_bytes += len + 1;
	return at;
}

/* Under the lock. */
static nx_name intern(const struct nx_profiler_entry *wanted)
{
	uint32_t slot = (uint32_t)(hash_of(wanted) % SLOTS);
	uint32_t count = atomic_load(&names.count);
	struct nx_profiler_entry *entry;

	for (; names.slots[slot]; slot = (slot + 1) % SLOTS)
		if (is_equal(&names.entries[names.slots[slot]], wanted))
			return names.slots[slot];
	if (count == NX_PROFILER_MAX_NAMES ||
	    TEXT_BYTES - names.used_bytes < (size_t)wanted->text_len + wanted->file_len + 2)
		return 0;
	entry = &names.entries[count];
	*entry = *wanted;
	entry->text = copy(wanted->text, wanted->text_len);
	if (wanted->file_len)
		entry->file = copy(wanted->file, wanted->file_len);
	names.slots[slot] = count;
	atomic_store_explicit(&names.count, count + 1, memory_order_release);
	return count;
}

static uint32_t cut(size_t len)
{
	return len < MAX_NAME_BYTES ? (uint32_t)len : MAX_NAME_BYTES;
}

NX_PROFILER_EXPORT nx_name nx_profiler_define(const nx_profiler_definition *definition)
{
	struct nx_profiler_entry wanted = {0};
	nx_name name = 0;

	if (!definition || definition->struct_size < sizeof(*definition) || !definition->text ||
	    (unsigned)definition->kind > NX_PROFILER_FRAMEWORK)
		return 0;
	wanted.kind = (uint8_t)definition->kind;
	wanted.text = definition->text;
	wanted.text_len = cut(definition->text_len == SIZE_MAX ? strlen(definition->text)
							       : definition->text_len);
	wanted.file = definition->file;
	wanted.file_len = definition->file ? cut(strlen(definition->file)) : 0;
	wanted.line = definition->line;
	pthread_mutex_lock(&names.lock);
	if (has_tables())
		name = intern(&wanted);
	pthread_mutex_unlock(&names.lock);
	return name;
}

NX_PROFILER_EXPORT nx_name nx_profiler_name(const char *text)
{
	nx_profiler_definition definition = {
		sizeof(definition), NX_PROFILER_ANNOTATION, text, SIZE_MAX, NULL, 0};

	return nx_profiler_define(&definition);
}

NX_PROFILER_EXPORT nx_name nx_profiler_source(const char *function, const char *file, uint32_t line)
{
	nx_profiler_definition definition = {
		sizeof(definition), NX_PROFILER_ANNOTATION, function, SIZE_MAX, file, line};

	return nx_profiler_define(&definition);
}

const struct nx_profiler_entry *nx_profiler_entry_of(nx_name name)
{
	static const struct nx_profiler_entry nothing = {.text = ""};

	if (!name)
		return &nothing;
	return name < atomic_load_explicit(&names.count, memory_order_acquire)
		       ? &names.entries[name]
		       : NULL;
}

void nx_profiler_names_abandon(void)
{
	pthread_mutex_init(&names.lock, NULL);
	names.thread_count = 0; /* they were threads of the parent */
}

/* --- threads ---------------------------------------------------------------------------------- */

static struct named_thread *find_thread(uint32_t thread_id)
{
	for (uint32_t i = 0; i < names.thread_count; i++)
		if (names.threads[i].thread_id == thread_id)
			return &names.threads[i];
	return NULL;
}

static struct named_thread *add_thread(uint32_t thread_id)
{
	if (!names.threads)
		names.threads = reserve(MAX_THREADS * sizeof(*names.threads));
	if (!names.threads || names.thread_count == MAX_THREADS)
		return NULL;
	names.threads[names.thread_count].thread_id = thread_id;
	return &names.threads[names.thread_count++];
}

NX_PROFILER_EXPORT void nx_profiler_thread_name(const char *text)
{
	struct nx_trace_writer *writer = nx_trace_writer_get();
	struct named_thread *thread;

	if (!writer)
		return;
	pthread_mutex_lock(&names.lock);
	thread = find_thread(writer->thread_id);
	if (!thread && text)
		thread = add_thread(writer->thread_id);
	if (thread) {
		snprintf(thread->name, sizeof(thread->name), "%s", text ? text : "");
		names.generation++;
	}
	pthread_mutex_unlock(&names.lock);
}

bool nx_profiler_thread_name_of(uint32_t thread_id, char *out, size_t cap)
{
	const struct named_thread *thread;
	char path[64];
	FILE *file;

	pthread_mutex_lock(&names.lock);
	thread = find_thread(thread_id);
	snprintf(out, cap, "%s", thread ? thread->name : "");
	pthread_mutex_unlock(&names.lock);
	if (*out)
		return true;
	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", thread_id);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(out, (int)cap, file))
		*out = '\0';
	(void)fclose(file);
	out[strcspn(out, "\n")] = '\0';
	return *out != '\0';
}

void nx_profiler_thread_names(uint64_t *generation,
			      void (*fn)(void *context, uint32_t thread_id, const char *name),
			      void *context)
{
	pthread_mutex_lock(&names.lock);
	for (uint32_t i = 0; i < names.thread_count && *generation != names.generation; i++)
		if (names.threads[i].name[0])
			fn(context, names.threads[i].thread_id, names.threads[i].name);
	*generation = names.generation;
	pthread_mutex_unlock(&names.lock);
}
