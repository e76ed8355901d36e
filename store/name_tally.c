/* SPDX-License-Identifier: Apache-2.0 */
#include "store/name_tally.h"
#include "base/arena.h"
#include <string.h>

#define SMALL_IDS ((size_t)2048)
#define FIRST_OTHERS ((size_t)64)

static size_t table_place(const struct nx_name_tally *tally, uint32_t name)
{
	return (name * UINT32_C(0x9e3779b1) >> 7) & (tally->table_cap - 1);
}

void nx_name_tally_clear(struct nx_name_tally *tally)
{
	for (size_t i = 0; i < tally->used_count; i++)
		tally->sums[tally->used[i]] = (struct nx_name_sum){0};
	if (tally->other_count)
		memset(tally->table, 0, tally->table_cap * sizeof(*tally->table));
	tally->used_count = 0;
	tally->other_count = 0;
	tally->rest_ns = 0;
}

void nx_name_tally_release(struct nx_name_tally *tally)
{
	nx_heap_free(tally->sums);
	nx_heap_free(tally->used);
	nx_heap_free(tally->others);
	nx_heap_free(tally->table);
	*tally = (struct nx_name_tally){0};
}

static void resize(struct nx_name_tally *tally, size_t other_cap)
{
	size_t cap = SMALL_IDS + other_cap;
	size_t old = tally->sums ? SMALL_IDS + tally->other_cap : 0;

	tally->sums = nx_heap_realloc(tally->sums, cap * sizeof(*tally->sums));
	memset(tally->sums + old, 0, (cap - old) * sizeof(*tally->sums));
	tally->used = nx_heap_realloc(tally->used, cap * sizeof(*tally->used));
	tally->others = nx_heap_realloc(tally->others, other_cap * sizeof(*tally->others));
	tally->other_cap = other_cap;
}

static void enter(struct nx_name_tally *tally, size_t which)
{
	size_t at = table_place(tally, tally->others[which]);

	while (tally->table[at])
		at = (at + 1) & (tally->table_cap - 1);
	tally->table[at] = (uint32_t)which + 1;
}

/* At most half of the table is in use, so that a search ends soon. */
static void grow_others(struct nx_name_tally *tally)
{
	if (tally->other_count == tally->other_cap)
		resize(tally, tally->other_cap ? 2 * tally->other_cap : FIRST_OTHERS);
	if (2 * tally->other_cap <= tally->table_cap)
		return;
	tally->table_cap = 2 * tally->other_cap;
	tally->table = nx_heap_realloc(tally->table, tally->table_cap * sizeof(*tally->table));
	memset(tally->table, 0, tally->table_cap * sizeof(*tally->table));
	for (size_t i = 0; i < tally->other_count; i++)
		enter(tally, i);
}

/* The place of a name that is not small; may move the sums. */
static size_t other_place(struct nx_name_tally *tally, uint32_t name)
{
	size_t at;

	grow_others(tally);
	at = table_place(tally, name);
	while (tally->table[at]) {
		if (tally->others[tally->table[at] - 1] == name)
			return SMALL_IDS + tally->table[at] - 1;
		at = (at + 1) & (tally->table_cap - 1);
	}
	tally->others[tally->other_count++] = name;
	tally->table[at] = (uint32_t)tally->other_count;
	return SMALL_IDS + tally->other_count - 1;
}

static uint32_t name_at(const struct nx_name_tally *tally, size_t place)
{
	return place < SMALL_IDS ? (uint32_t)place : tally->others[place - SMALL_IDS];
}

void nx_name_tally_add(struct nx_name_tally *tally, uint32_t name, uint64_t busy_ns,
		       uint64_t known_ns)
{
	size_t place = name;

	if (!tally->sums)
		resize(tally, 0);
	if (!busy_ns)
		return;
	if (place >= SMALL_IDS)
		place = other_place(tally, name);
	if (!tally->sums[place].busy_ns)
		tally->used[tally->used_count++] = (uint32_t)place;
	tally->sums[place].busy_ns += busy_ns;
	tally->sums[place].known_ns += known_ns;
}

/*
 * Adds rows from i on as long as their names are small and were added before; returns the first
 * that is not. Most of the time of a question goes here: it has no calls, and a loop of its own
 * where nothing is in doubt.
 */
static size_t add_seen(struct nx_name_sum *sums, const struct nx_name_columns *columns, size_t i)
{
	struct nx_packed names = columns->names, busy = columns->busy_ns;
	uint32_t name_base = columns->name_base;
	uint64_t known_ns = columns->known_ns;
	size_t to = columns->to;

	for (; i < to && !known_ns; i++) {
		uint32_t name = name_base + (uint32_t)nx_packed_at(names, i);

		if (name >= SMALL_IDS || !sums[name].busy_ns)
			return i;
		sums[name].busy_ns += nx_packed_at(busy, i);
	}
	for (; i < to; i++) {
		uint32_t name = name_base + (uint32_t)nx_packed_at(names, i);

		if (name >= SMALL_IDS || !sums[name].busy_ns)
			return i;
		sums[name].busy_ns += nx_packed_at(busy, i);
		sums[name].known_ns += known_ns;
	}
	return i;
}

void nx_name_tally_add_columns(struct nx_name_tally *tally, const struct nx_name_columns *columns)
{
	size_t i = columns->from;

	if (!tally->sums)
		resize(tally, 0);
	while ((i = add_seen(tally->sums, columns, i)) < columns->to) {
		nx_name_tally_add(tally,
				  columns->name_base + (uint32_t)nx_packed_at(columns->names, i),
				  nx_packed_at(columns->busy_ns, i), columns->known_ns);
		i++;
	}
}

void nx_name_tally_merge(struct nx_name_tally *tally, const struct nx_name_tally *more)
{
	for (size_t i = 0; i < more->used_count; i++)
		nx_name_tally_add(tally, name_at(more, more->used[i]),
				  more->sums[more->used[i]].busy_ns, 0);
}

static bool is_before(struct nx_name_busy a, struct nx_name_busy b)
{
	return a.busy_ns > b.busy_ns || (a.busy_ns == b.busy_ns && a.name < b.name);
}

bool nx_name_tally_winner(const struct nx_name_tally *tally, uint32_t *name)
{
	struct nx_name_busy best = {UINT32_MAX, 0};

	for (size_t i = 0; i < tally->used_count; i++) {
		size_t place = tally->used[i];
		uint64_t busy_ns = tally->sums[place].busy_ns;

		if (busy_ns < best.busy_ns)
			continue;
		if (is_before((struct nx_name_busy){name_at(tally, place), busy_ns}, best))
			best = (struct nx_name_busy){name_at(tally, place), busy_ns};
	}
	/* A name nobody mentioned might have as much and a smaller id. */
	if (!tally->used_count || (tally->rest_ns && tally->rest_ns >= best.busy_ns))
		return false;
	for (size_t i = 0; i < tally->used_count && tally->rest_ns; i++) {
		size_t place = tally->used[i];
		const struct nx_name_sum *sum = &tally->sums[place];
		struct nx_name_busy most = {
			.busy_ns = sum->busy_ns + tally->rest_ns - sum->known_ns,
		};

		if (most.busy_ns < best.busy_ns)
			continue;
		most.name = name_at(tally, place);
		if (most.name != best.name && is_before(most, best))
			return false;
	}
	*name = best.name;
	return true;
}

size_t nx_name_tally_largest(const struct nx_name_tally *tally, struct nx_name_busy *largest,
			     size_t cap)
{
	size_t count = 0;

	for (size_t i = 0; i < tally->used_count; i++) {
		size_t place = tally->used[i];
		struct nx_name_busy one = {name_at(tally, place), tally->sums[place].busy_ns};
		size_t at;

		if (count == cap && !is_before(one, largest[cap - 1]))
			continue;
		at = count < cap ? count++ : cap - 1;
		while (at && is_before(one, largest[at - 1])) {
			largest[at] = largest[at - 1];
			at--;
		}
		largest[at] = one;
	}
	return count;
}
