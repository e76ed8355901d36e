/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/name_tally.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

#define SMALL_IDS ((size_t)2048)
#define FIRST_OTHERS ((size_t)64)

static size_t table_place(const struct nx_name_tally *tally, uint32_t name)
{
	return (name * UINT32_C(0x9e3779b1) >> 7) & (tally->table_cap - 1);
}

static void forget_names(struct nx_name_tally *tally)
{
	for (size_t i = 0; i < tally->used_count; i++) {
		if (tally->used[i] < SMALL_IDS)
			tally->is_used[tally->used[i]] = 0;
	}
	if (tally->other_count)
		memset(tally->table, 0, tally->table_cap * sizeof(*tally->table));
	tally->used_count = 0;
	tally->other_count = 0;
}

void nx_name_tally_clear(struct nx_name_tally *tally)
{
	for (size_t i = 0; i < tally->used_count; i++)
		tally->sums[tally->used[i]] = (struct nx_name_sum){0};
	tally->rest_ns = 0;
	/* Going through old names must not take longer than finding them again. */
	if (2 * tally->used_count > tally->added_count)
		forget_names(tally);
	tally->added_count = 0;
}

void nx_name_tally_release(struct nx_name_tally *tally)
{
	nx_heap_free(tally->sums);
	nx_heap_free(tally->is_used);
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
	for (size_t i = 0; i < tally->other_count; i++) {
		size_t at = table_place(tally, tally->others[i]);

		while (tally->table[at])
			at = (at + 1) & (tally->table_cap - 1);
		tally->table[at] = (uint32_t)i + 1;
	}
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

static void prepare(struct nx_name_tally *tally)
{
	if (tally->sums)
		return;
	resize(tally, 0);
	tally->is_used = nx_heap_alloc(SMALL_IDS);
	memset(tally->is_used, 0, SMALL_IDS);
}

/* The place of a name, a new one if it has none. */
static size_t place_of(struct nx_name_tally *tally, uint32_t name)
{
	size_t other_count = tally->other_count;
	size_t place = name;

	if (name >= SMALL_IDS)
		place = other_place(tally, name);
	if (name >= SMALL_IDS ? tally->other_count == other_count : tally->is_used[name])
		return place;
	tally->used[tally->used_count++] = (uint32_t)place;
	if (name < SMALL_IDS)
		tally->is_used[name] = 1;
	return place;
}

void nx_name_tally_add(struct nx_name_tally *tally, uint32_t name, uint64_t busy_ns,
		       uint64_t known_ns)
{
	struct nx_name_sum *sum;
	size_t place;

	if (!busy_ns)
		return;
	prepare(tally);
	tally->added_count++;
	place = place_of(tally, name);
	sum = &tally->sums[place];
	sum->busy_ns += busy_ns;
	sum->known_ns += known_ns;
}

/*
 * Adds rows from i on while their names are small; returns the first whose name is not. Queries
 * spend most of their time here, so it makes no calls and is compiled once for each usual width.
 */
static inline __attribute__((always_inline)) size_t add_small(struct nx_name_tally *tally,
							      const struct nx_name_columns *columns,
							      size_t i, unsigned name_width,
							      unsigned busy_width,
							      uint64_t known_ns)
{
	struct nx_packed names = {columns->names.bytes, name_width};
	struct nx_packed busy = {columns->busy_ns.bytes, busy_width};
	struct nx_name_sum *sums = tally->sums;
	uint8_t *is_used = tally->is_used;
	uint32_t name_base = columns->name_base;
	size_t to = columns->to;

	for (; i < to; i++) {
		uint32_t name = name_base + (uint32_t)nx_packed_at(names, i);

		if (name >= SMALL_IDS)
			break;
		if (!is_used[name]) {
			is_used[name] = 1;
			tally->used[tally->used_count++] = name;
		}
		sums[name].busy_ns += nx_packed_at(busy, i);
		if (known_ns)
			sums[name].known_ns += known_ns;
	}
	return i;
}

static size_t add_rows(struct nx_name_tally *tally, const struct nx_name_columns *columns, size_t i)
{
	unsigned names = columns->names.width, busy = columns->busy_ns.width;
	uint64_t known_ns = columns->known_ns;

	if (known_ns)
		return add_small(tally, columns, i, names, busy, known_ns);
	if (names == 1 && busy == 2)
		return add_small(tally, columns, i, 1, 2, 0);
	if (names == 2 && busy == 2)
		return add_small(tally, columns, i, 2, 2, 0);
	return add_small(tally, columns, i, names, busy, 0);
}

void nx_name_tally_add_columns(struct nx_name_tally *tally, const struct nx_name_columns *columns)
{
	size_t i = columns->from;

	if (i >= columns->to)
		return;
	prepare(tally);
	tally->added_count += columns->to - i;
	while ((i = add_rows(tally, columns, i)) < columns->to) {
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

static uint64_t most_busy_ns(const struct nx_name_tally *tally)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < tally->used_count; i++) {
		uint64_t busy_ns = tally->sums[tally->used[i]].busy_ns;

		most_ns = busy_ns > most_ns ? busy_ns : most_ns;
	}
	return most_ns;
}

/* The most that a name may cover. */
static uint64_t ceiling_ns(const struct nx_name_tally *tally, size_t place)
{
	return tally->sums[place].busy_ns + tally->rest_ns - tally->sums[place].known_ns;
}

/* Several names may cover as much as the one that certainly covers most_ns. */
static bool wins_tie(const struct nx_name_tally *tally, uint64_t most_ns, uint32_t *name)
{
	struct nx_name_busy best = {UINT32_MAX, most_ns};

	for (size_t i = 0; i < tally->used_count; i++) {
		uint32_t one = name_at(tally, tally->used[i]);

		if (tally->sums[tally->used[i]].busy_ns == most_ns && one < best.name)
			best.name = one;
	}
	for (size_t i = 0; i < tally->used_count; i++) {
		struct nx_name_busy most = {name_at(tally, tally->used[i]),
					    ceiling_ns(tally, tally->used[i])};

		if (most.name != best.name && is_before(most, best))
			return false;
	}
	*name = best.name;
	return true;
}

/* Two loops without branches: the processor could not predict which name is ahead. */
bool nx_name_tally_winner(const struct nx_name_tally *tally, uint32_t *name)
{
	uint64_t most_ns = most_busy_ns(tally);
	size_t rival_count = 0, rival = 0;

	/* An unlisted name might cover as much and have a smaller id. */
	if (!most_ns || (tally->rest_ns && tally->rest_ns >= most_ns))
		return false;
	for (size_t i = 0; i < tally->used_count; i++) {
		size_t place = tally->used[i];
		bool is_rival = ceiling_ns(tally, place) >= most_ns;

		rival_count += is_rival;
		rival = is_rival ? place : rival;
	}
	if (rival_count != 1)
		return wins_tie(tally, most_ns, name);
	*name = name_at(tally, rival);
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

		if (!one.busy_ns || (count == cap && !is_before(one, largest[cap - 1])))
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

/* --- lists ----------------------------------------------------------------- */

#define LONGEST_LIST 64
#define LONGEST_LOW_LIST 24
#define LITTLE 16 /* a name with less than this part of the first is left out */

struct head {
	uint8_t count;
	uint8_t name_width;
	uint8_t busy_width;
	uint8_t unused;
	uint32_t name_base;
	uint64_t rest_ns;
};

static_assert(sizeof(struct head) == 16, "stored as it is in memory");
static_assert(LONGEST_LIST <= UINT8_MAX, "head.count");

static size_t choose(const struct nx_name_busy *largest, size_t count, size_t longest)
{
	size_t chosen = 0;

	while (chosen < count && chosen < longest &&
	       largest[chosen].busy_ns >= largest[0].busy_ns / LITTLE)
		chosen++;
	/* If none stands out, a list decides nothing and is not worth its bytes. */
	if (chosen < count && largest[chosen].busy_ns > largest[0].busy_ns / 2)
		return 0;
	return chosen;
}

void nx_name_list_append(struct nx_bytes *bytes, const struct nx_name_tally *tally, unsigned level)
{
	struct nx_name_busy largest[LONGEST_LIST + 1] = {0};
	size_t longest = level ? LONGEST_LIST : LONGEST_LOW_LIST;
	size_t found = nx_name_tally_largest(tally, largest, longest + 1);
	size_t count = choose(largest, found, longest);
	uint64_t names[LONGEST_LIST] = {0}, busy_ns[LONGEST_LIST] = {0};
	struct head head = {.count = (uint8_t)count, .name_base = UINT32_MAX};
	uint64_t spread = 0;

	for (size_t i = 0; i < count; i++)
		head.name_base =
			largest[i].name < head.name_base ? largest[i].name : head.name_base;
	for (size_t i = 0; i < count; i++) {
		names[i] = largest[i].name - head.name_base;
		busy_ns[i] = largest[i].busy_ns;
		spread |= names[i];
	}
	head.name_width = (uint8_t)nx_packed_width(spread);
	head.busy_width = (uint8_t)nx_packed_width(busy_ns[0]);
	head.rest_ns = count < found ? largest[count].busy_ns : 0;
	nx_bytes_append(bytes, &head, sizeof(head));
	nx_packed_append(bytes, names, count, head.name_width);
	nx_packed_append(bytes, busy_ns, count, head.busy_width);
}

void nx_name_list_read(struct nx_name_list *list, const uint64_t *numbers, uint64_t count)
{
	const uint8_t *bytes = (const void *)numbers;
	struct head head;
	size_t name_bytes, busy_bytes;

	*list = (struct nx_name_list){0};
	if (count < sizeof(head) / sizeof(*numbers))
		return;
	memcpy(&head, bytes, sizeof(head));
	name_bytes = nx_packed_bytes(head.count, head.name_width);
	busy_bytes = nx_packed_bytes(head.count, head.busy_width);
	if (head.name_width > 8 || head.busy_width > 8 ||
	    (sizeof(head) + name_bytes + busy_bytes) / sizeof(*numbers) > count)
		return;
	*list = (struct nx_name_list){
		.count = head.count,
		.rest_ns = head.rest_ns,
		.name_base = head.name_base,
		.names = {bytes + sizeof(head), head.name_width},
		.busy_ns = {bytes + sizeof(head) + name_bytes, head.busy_width},
	};
}
