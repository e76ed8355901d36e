/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of every semaphore over time, and who made each of them. Records of changes may be
 * lost, or come late; the values tell.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/why/why_internal.h"
#include "base/heap_trim.h"

#define FAR (INT64_C(1) << 60)
#define NEAR_PS (400 * NX_WHY_NS)	/* of a change to the end of who made it */
#define BUS_PS (600 * NX_WHY_NS)	/* the same for a word of another core */
#define EARLY_PS (30 * NX_WHY_NS)	/* by which clocks may disagree */
#define BEFORE_PS (1000000 * NX_WHY_NS) /* how long before the window a value may be from */
#define STEPS_MAX 100000		/* of a search, which only damage makes long */
#define TRIM_LEAST 65536u		/* records whose memory is worth a call of the system */
#define INSIDE 0x80000000u		/* of a waiter: its body waits */

struct record { /* a recorded change; packed, because large captures have millions of them */
	int64_t time_ps;
	uint32_t value;
	uint8_t source;
} __attribute__((packed));

struct parts { /* a list for each key; each goes when its history is built, to save memory */
	size_t counts[NX_WHY_KEYS];
	uint32_t *items[NX_WHY_KEYS];
	bool is_cut; /* the lengths are known */
};

struct demand { /* a wait that ended tells that the value was there */
	int64_t time_ps;
	uint32_t value;
};

struct history_build {
	struct nx_why *why;
	struct record *records[NX_WHY_KEYS];
	size_t record_counts[NX_WHY_KEYS];
	struct parts writers, waiters, blocks;
	struct nx_why_list bells; /* words with which cores wake each other, by start */
	/* of one key */
	struct nx_why_list own, line;
	NX_VEC(struct demand) demands;
	NX_VEC(int64_t) recorded, there;
	NX_VEC(uint32_t) next_recorded;
	NX_VEC(bool) is_used;
};

/* --- lists by semaphore ---------------------------------------------------- */

static bool is_kept(const struct nx_event *event)
{
	return event->is_semaphore && event->graph < NX_MAX_GRAPHS;
}

static void count_event(void *context, const void *opaque)
{
	struct history_build *b = context;
	const struct nx_event *event = opaque;

	if (is_kept(event))
		b->record_counts[nx_why_key(event->graph, event->id)]++;
}

static void add_event(void *context, const void *opaque)
{
	struct history_build *b = context;
	const struct nx_event *event = opaque;
	size_t key = nx_why_key(event->graph, event->id);

	if (is_kept(event))
		b->records[key][b->record_counts[key]++] =
			(struct record){(int64_t)event->time_ps, event->value, event->source};
}

static int compare_records(const void *left, const void *right)
{
	const struct record *l = left, *r = right;

	if (l->time_ps != r->time_ps)
		return l->time_ps < r->time_ps ? -1 : 1;
	return (l->value > r->value) - (l->value < r->value);
}

static void sort_records(struct record *records, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_records(&records[i - 1], &records[i]) > 0) {
			qsort(records, count, sizeof(*records), compare_records);
			return;
		}
}

static enum nx_status read_records(struct history_build *b, struct nx_error *err)
{
	enum nx_status st = nx_profile_scan(b->why->profile, NX_TABLE_EVENT, count_event, b, err);

	if (st)
		return st;
	for (size_t k = 0; k < NX_WHY_KEYS; k++)
		if (b->record_counts[k])
			b->records[k] = nx_heap_alloc(sizeof(*b->records[k]) * b->record_counts[k]);
	memset(b->record_counts, 0, sizeof(b->record_counts));
	st = nx_profile_scan(b->why->profile, NX_TABLE_EVENT, add_event, b, err);
	for (size_t k = 0; !st && k < NX_WHY_KEYS; k++)
		sort_records(b->records[k], b->record_counts[k]);
	return st;
}

static void put_part(struct parts *parts, size_t key, uint32_t item)
{
	if (parts->is_cut)
		parts->items[key][parts->counts[key]] = item;
	parts->counts[key]++;
}

static void put_parts(struct history_build *b)
{
	struct nx_why *why = b->why;

	for (uint32_t i = 0; i < why->graph.instruction_count; i++) {
		const struct nx_release_node *n = nx_why_node(why, i);
		const struct nx_slot_signals *s = nx_why_signals(why, n);

		if (s->changes[0].what)
			put_part(&b->writers, nx_why_key(n->graph, s->changes[0].semaphore), i);
		if (s->changes[1].what &&
		    (!s->changes[0].what || s->changes[1].semaphore != s->changes[0].semaphore))
			put_part(&b->writers, nx_why_key(n->graph, s->changes[1].semaphore), i);
		if (s->before.what == NX_TEST_AT_LEAST)
			put_part(&b->waiters, nx_why_key(n->graph, s->before.semaphore), i);
		if (s->inside.what == NX_TEST_AT_LEAST)
			put_part(&b->waiters, nx_why_key(n->graph, s->inside.semaphore),
				 i | INSIDE);
		if (s->may_ring_core && !b->writers.is_cut)
			nx_vec_push(&b->bells, i);
	}
	for (size_t i = 0; i < why->graph.blocks.len; i++) {
		uint32_t node = why->graph.instruction_count + (uint32_t)i;

		if (why->graph.blocks.items[i].semaphore >= 0)
			put_part(&b->blocks,
				 nx_why_key(nx_why_node(why, node)->graph,
					    (unsigned)why->graph.blocks.items[i].semaphore),
				 node);
	}
}

static void cut_parts(struct history_build *b)
{
	struct parts *all[] = {&b->writers, &b->waiters, &b->blocks};

	put_parts(b);
	for (size_t i = 0; i < 3; i++) {
		struct parts *p = all[i];

		for (size_t k = 0; k < NX_WHY_KEYS; k++)
			if (p->counts[k])
				p->items[k] = nx_heap_alloc(sizeof(*p->items[k]) * p->counts[k]);
		memset(p->counts, 0, sizeof(p->counts));
		p->is_cut = true;
	}
	put_parts(b);
}

static void free_key(struct history_build *b, size_t key)
{
	struct parts *all[] = {&b->writers, &b->waiters, &b->blocks};

	for (size_t i = 0; i < 3; i++) {
		nx_heap_free(all[i]->items[key]);
		all[i]->items[key] = NULL;
	}
	nx_heap_free(b->records[key]);
	b->records[key] = NULL;
}

static int compare_ends(const void *left, const void *right, void *context)
{
	const struct nx_release_node *nodes = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	if (nodes[l].end_ps != nodes[r].end_ps)
		return nodes[l].end_ps < nodes[r].end_ps ? -1 : 1;
	return (l > r) - (l < r);
}

/* The nodes of a key in order of their end. */
static void take_part(struct history_build *b, const struct parts *parts, size_t key,
		      struct nx_why_list *out)
{
	struct nx_release_node *nodes = b->why->graph.nodes.items;
	bool is_sorted = true;

	nx_vec_clear(out);
	for (size_t i = 0; i < parts->counts[key]; i++) {
		if (out->len &&
		    compare_ends(&out->items[out->len - 1], &parts->items[key][i], nodes) > 0)
			is_sorted = false;
		nx_vec_push(out, parts->items[key][i]);
	}
	if (!is_sorted)
		qsort_r(out->items, out->len, sizeof(*out->items), compare_ends, nodes);
}

/* --- several writers ------------------------------------------------------- */

static uint32_t stepped(const struct nx_signal *change, uint32_t value)
{
	switch (change->what) {
	case NX_STEP_SET:
		return change->value;
	case NX_STEP_INCREMENT:
	case NX_STEP_ADD:
		return value + change->value;
	default:
		return value - change->value;
	}
}

static const struct nx_signal *last_change(const struct nx_slot_signals *s, unsigned semaphore)
{
	for (unsigned i = 2; i-- > 0;)
		if (s->changes[i].what && s->changes[i].semaphore == semaphore)
			return &s->changes[i];
	return NULL;
}

static size_t first_ending(const struct history_build *b, const struct nx_why_list *list,
			   int64_t time_ps)
{
	const struct nx_release_node *nodes = b->why->graph.nodes.items;
	size_t low = 0, high = list->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (nodes[list->items[middle]].end_ps < time_ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* The nearest end among the writers that a record may come from; NX_NONE: none is near. */
static uint32_t nearest_writer(struct history_build *b, const struct record *r)
{
	const struct nx_why_lags *lags = b->why->lags;
	uint32_t best = NX_NONE;

	for (size_t i = first_ending(b, &b->own, r->time_ps - NEAR_PS + 1); i < b->own.len; i++) {
		const struct nx_release_node *n = nx_why_node(b->why, b->own.items[i]);

		if (n->end_ps >= r->time_ps + NEAR_PS)
			break;
		if (b->is_used.items[i] || n->engine != r->source ||
		    n->start_ps + nx_why_min(0, lags->signal) > r->time_ps)
			continue;
		if (best == NX_NONE ||
		    distance(r->time_ps, n->end_ps) <
			    distance(r->time_ps, nx_why_node(b->why, b->own.items[best])->end_ps))
			best = (uint32_t)i;
	}
	return best;
}

/* One word that another core wrote over the bus. */
static uint32_t nearest_bell(const struct history_build *b, unsigned graph, int64_t time_ps)
{
	uint32_t best = NX_NONE;

	for (size_t i = 0; i < b->bells.len && i < STEPS_MAX; i++) {
		const struct nx_release_node *n = nx_why_node(b->why, b->bells.items[i]);

		if (n->start_ps >= time_ps)
			break;
		if (n->graph != graph && time_ps < n->end_ps + BUS_PS &&
		    (best == NX_NONE ||
		     distance(time_ps, n->end_ps) <
			     distance(time_ps, nx_why_node(b->why, best)->end_ps)))
			best = b->bells.items[i];
	}
	return best;
}

static struct nx_why_moment moment_of(int64_t time_ps, uint32_t value, uint32_t producer,
				      enum nx_release_how how)
{
	return (struct nx_why_moment){.time_ps = time_ps,
				      .value = value,
				      .producer = (producer == NX_NONE ? NX_WHY_NO_PRODUCER
								       : producer) &
						  NX_WHY_NO_PRODUCER,
				      .how = how & 7u};
}

static int compare_moments(const void *left, const void *right)
{
	const struct nx_why_moment *l = left, *r = right;

	if (l->time_ps != r->time_ps)
		return l->time_ps < r->time_ps ? -1 : 1;
	/* records before what was filled in, then by producer, so that the order is one */
	if ((l->how == NX_HOW_FILLED) != (r->how == NX_HOW_FILLED))
		return l->how == NX_HOW_FILLED ? 1 : -1;
	return (l->producer > r->producer) - (l->producer < r->producer);
}

/* A semaphore of several writers, such as the runtime's barrier: each change has the nearest end.
 */
static void build_mixed(struct history_build *b, size_t key, struct nx_why_history *h)
{
	struct nx_why *why = b->why;
	const struct record *records = b->records[key];
	size_t count = b->record_counts[key];
	unsigned graph = (unsigned)(key / NX_SEMAPHORE_COUNT);
	unsigned semaphore = key % NX_SEMAPHORE_COUNT;
	uint32_t value = 0;

	nx_vec_clear(&b->is_used);
	for (size_t i = 0; i < b->own.len; i++)
		nx_vec_push(&b->is_used, false);
	if (count && records[0].value > 1)
		nx_vec_push(&why->moments,
			    moment_of(-1, records[0].value - 1, NX_NONE, NX_HOW_BEFORE));
	for (size_t i = 0; i < count; i++) {
		uint32_t producer = NX_NONE, at;

		if (records[i].source >= NX_ENGINE_COUNT) {
			producer = nearest_bell(b, graph, records[i].time_ps);
		} else {
			at = nearest_writer(b, &records[i]);
			if (at != NX_NONE) {
				b->is_used.items[at] = true;
				producer = b->own.items[at];
			}
		}
		nx_vec_push(&why->moments, moment_of(records[i].time_ps, records[i].value, producer,
						     NX_HOW_RECORDED));
	}
	for (size_t i = 0; i < b->own.len; i++) /* lost records */
		if (!b->is_used.items[i])
			nx_vec_push(&why->moments,
				    moment_of(nx_why_node(why, b->own.items[i])->end_ps +
						      why->lags->signal,
					      0, b->own.items[i], NX_HOW_FILLED));
	h->count = why->moments.len - h->first;
	if (!h->count)
		return;
	qsort(why->moments.items + h->first, h->count, sizeof(*why->moments.items),
	      compare_moments);
	for (size_t i = h->first; i < why->moments.len; i++) {
		struct nx_why_moment *m = &why->moments.items[i];

		if (m->how == NX_HOW_FILLED)
			m->value = stepped(
				last_change(nx_why_signals(why, nx_why_node(why, m->producer)),
					    semaphore),
				value);
		value = m->value;
	}
}

/* --- one writer that counts ------------------------------------------------ */

struct stretch { /* of a counted semaphore, from one reset to the next */
	const struct record *records;
	size_t count;
	int64_t begin_ps, until_ps;
	uint64_t base; /* into the line: producers before this stretch */
	size_t first_demand, end_demand;
	uint64_t top; /* highest value */
};

static int64_t line_end(const struct history_build *b, uint64_t at)
{
	return nx_why_node(b->why, b->line.items[at])->end_ps;
}

static void find_top(struct history_build *b, struct stretch *s)
{
	size_t ended = first_ending(b, &b->line, s->until_ps);

	s->top = ended > s->base ? ended - s->base : 0;
	for (size_t i = 0; i < s->count; i++)
		if (s->records[i].value > s->top)
			s->top = s->records[i].value;
	for (size_t i = s->first_demand; i < s->end_demand; i++)
		if (b->demands.items[i].value > s->top)
			s->top = b->demands.items[i].value;
}

/* By value: when it was recorded, and by when those who waited for it saw it. */
static void note_values(struct history_build *b, const struct stretch *s)
{
	uint32_t next = (uint32_t)s->top + 1;

	nx_vec_reserve(&b->recorded, s->top + 2);
	nx_vec_reserve(&b->there, s->top + 2);
	nx_vec_reserve(&b->next_recorded, s->top + 2);
	for (uint64_t v = 0; v < s->top + 2; v++)
		b->recorded.items[v] = b->there.items[v] = FAR;
	for (size_t i = s->count; i-- > 0;) /* the first record of a value counts */
		b->recorded.items[s->records[i].value] = s->records[i].time_ps;
	for (size_t i = s->first_demand; i < s->end_demand; i++) {
		const struct demand *d = &b->demands.items[i];

		b->there.items[d->value] = nx_why_min(b->there.items[d->value], d->time_ps);
	}
	for (uint64_t v = s->top; v > 0; v--) {
		b->there.items[v] = nx_why_min(b->there.items[v], b->there.items[v + 1]);
		if (b->recorded.items[v] != FAR)
			next = (uint32_t)v;
		b->next_recorded.items[v] = next;
	}
}

/* Value v was made by the v-th producer since the reset, however late the change came. Returns how
 * many producers have no record of their own. */
static uint64_t count_up(struct history_build *b, const struct stretch *s, int64_t usual_ps)
{
	int64_t last_ps = s->begin_ps, early_ps = nx_why_min(usual_ps, 0) - EARLY_PS;
	size_t len = b->line.len;
	uint64_t lost = 0;

	for (uint64_t v = 1; v <= s->top; v++) {
		uint64_t after = b->next_recorded.items[v], k;
		int64_t ceiling_ps = after <= s->top ? b->recorded.items[after] : s->until_ps;
		int64_t seen_ps = b->there.items[v], time_ps = b->recorded.items[v];
		enum nx_release_how how = NX_HOW_RECORDED;
		int64_t latest_ps =
			nx_why_min(time_ps != FAR ? time_ps : ceiling_ps, seen_ps + NX_WHY_SLOP_PS);

		while (lost < v - 1 && s->base + v - 1 - lost < len &&
		       line_end(b, s->base + v - 1 - lost) + early_ps > latest_ps)
			lost++;
		k = s->base + v - 1 - lost;
		if (time_ps == FAR && k < len &&
		    line_end(b, k) + usual_ps <= nx_why_min(ceiling_ps, seen_ps + NX_WHY_SLOP_PS)) {
			time_ps =
				nx_why_max(last_ps, nx_why_min(line_end(b, k) + usual_ps, seen_ps));
			how = NX_HOW_FILLED;
			/* changes come late here: trust the first who got through */
			if (last_ps - line_end(b, k) > usual_ps + NX_WHY_LATE_SIGNAL_PS)
				time_ps = nx_why_max(
					last_ps,
					nx_why_min(nx_why_min(seen_ps, ceiling_ps),
						   last_ps + (ceiling_ps - last_ps) /
								     (int64_t)(after - v + 1)));
		} else if (time_ps == FAR) {
			time_ps = nx_why_max(last_ps, nx_why_min(seen_ps, ceiling_ps));
			how = NX_HOW_ASSUMED;
			if (time_ps >= s->until_ps)
				break;
			/* not even the first producer was done: who made it is not in the window */
			if (k == s->base && k < len && line_end(b, k) + early_ps > time_ps) {
				lost++;
				last_ps = time_ps;
				nx_vec_push(&b->why->moments,
					    moment_of(time_ps, (uint32_t)v, NX_NONE,
						      time_ps < 0 ? NX_HOW_BEFORE : how));
				continue;
			}
		}
		last_ps = time_ps;
		k = k < len ? k : len - 1;
		for (unsigned i = 0; i < 4096 && k > s->base && line_end(b, k) + early_ps > time_ps;
		     i++) /* nobody signals before it is done */
			k--;
		nx_vec_push(&b->why->moments,
			    moment_of(time_ps, (uint32_t)v, b->line.items[k], how));
	}
	return lost;
}

static int compare_demands(const void *left, const void *right)
{
	const struct demand *l = left, *r = right;

	if (l->time_ps != r->time_ps)
		return l->time_ps < r->time_ps ? -1 : 1;
	return (l->value > r->value) - (l->value < r->value);
}

static void list_demands(struct history_build *b, size_t key)
{
	bool is_sorted = true;

	nx_vec_clear(&b->demands);
	for (size_t i = 0; i < b->waiters.counts[key]; i++) {
		uint32_t item = b->waiters.items[key][i];
		const struct nx_release_node *n = nx_why_node(b->why, item & ~INSIDE);
		const struct nx_slot_signals *s = nx_why_signals(b->why, n);
		struct demand d =
			item & INSIDE ? (struct demand){n->end_ps - b->why->lags->body[n->engine],
							s->inside.value}
				      : (struct demand){n->start_ps - nx_why_wake(b->why, n),
							s->before.value};

		if (b->demands.len &&
		    compare_demands(&b->demands.items[b->demands.len - 1], &d) > 0)
			is_sorted = false;
		nx_vec_push(&b->demands, d);
	}
	if (!is_sorted)
		qsort(b->demands.items, b->demands.len, sizeof(*b->demands.items), compare_demands);
}

/* false: the values are too high for what counts here, so they do not tell. */
static bool build_counted(struct history_build *b, size_t key, struct nx_why_history *h)
{
	struct nx_why *why = b->why;
	const struct record *records = b->records[key];
	size_t count = b->record_counts[key], start = 0;
	bool is_block = nx_why_node(why, b->line.items[0])->kind == NX_NODE_BLOCK;
	int64_t usual_ps = is_block ? why->lags->ring_signal : why->lags->signal;
	uint64_t most = 4 * (count + b->line.len + b->demands.len) + 1024;
	struct stretch s = {.begin_ps = -BEFORE_PS};

	h->is_counted = true;
	h->first_reset = why->resets.len;
	nx_vec_push(&why->resets, h->first);
	for (size_t stop = 0; stop <= count; stop++) {
		if (stop < count && records[stop].value)
			continue;
		s.records = start ? records + start : records; /* NULL if there are none */
		s.count = stop - start;
		s.begin_ps = start ? records[start - 1].time_ps : -BEFORE_PS;
		s.until_ps = stop < count ? records[stop].time_ps : FAR;
		s.first_demand = s.end_demand;
		while (s.first_demand < b->demands.len &&
		       b->demands.items[s.first_demand].time_ps < s.begin_ps)
			s.first_demand++;
		s.end_demand = s.first_demand;
		while (s.end_demand < b->demands.len &&
		       b->demands.items[s.end_demand].time_ps < s.until_ps)
			s.end_demand++;
		find_top(b, &s);
		if (s.top > most)
			return false;
		if (s.top) {
			note_values(b, &s);
			s.base += s.top - count_up(b, &s, usual_ps);
		}
		if (stop < count) {
			nx_vec_push(&why->resets, why->moments.len);
			nx_vec_push(&why->moments,
				    moment_of(s.until_ps, 0, NX_NONE, NX_HOW_RECORDED));
		}
		start = stop + 1;
	}
	h->count = why->moments.len - h->first;
	h->reset_count = why->resets.len - h->first_reset;
	return true;
}

/* --- the whole ------------------------------------------------------------- */

/* Whether one engine or DMA queue counts it up and nothing else changes it; then its producers are
 * the line. Instructions that only set it are resets. */
static bool is_counted(struct history_build *b, size_t key)
{
	unsigned semaphore = key % NX_SEMAPHORE_COUNT;
	bool has_blocks = b->blocks.counts[key];
	bool is_one = true;
	unsigned engine = NX_ENGINE_COUNT;

	nx_vec_clear(&b->line);
	for (size_t i = 0; i < b->own.len; i++) {
		const struct nx_release_node *n = nx_why_node(b->why, b->own.items[i]);
		const struct nx_slot_signals *s = nx_why_signals(b->why, n);
		bool counts = false, is_plain = true;

		for (unsigned c = 0; c < 2; c++) {
			const struct nx_signal *change = &s->changes[c];

			if (!change->what || change->semaphore != semaphore)
				continue;
			counts |= change->what != NX_STEP_SET;
			is_plain &= change->what == NX_STEP_INCREMENT;
		}
		if (!counts)
			continue;
		is_one &= is_plain && (engine == NX_ENGINE_COUNT || engine == n->engine);
		engine = n->engine;
		nx_vec_push(&b->line, b->own.items[i]);
	}
	if (has_blocks && !b->line.len) {
		take_part(b, &b->blocks, key, &b->line);
		return true;
	}
	return !has_blocks && b->line.len && is_one;
}

static void build_history(struct history_build *b, size_t key)
{
	struct nx_why *why = b->why;
	struct nx_why_history *h = &why->histories[key];

	h->first = why->moments.len;
	take_part(b, &b->writers, key, &b->own);
	if (is_counted(b, key)) {
		list_demands(b, key);
		if (build_counted(b, key, h))
			return;
		why->moments.len = h->first;
		why->resets.len = h->first_reset;
		*h = (struct nx_why_history){.first = h->first};
	}
	build_mixed(b, key, h);
}

enum nx_status nx_why_build_histories(struct nx_why *why, struct nx_error *err)
{
	struct history_build *b = nx_heap_alloc(sizeof(*b));
	size_t record_count = 0;
	enum nx_status st;

	memset(b, 0, sizeof(*b));
	b->why = why;
	st = read_records(b, err);
	if (!st)
		cut_parts(b);
	for (size_t k = 0; k < NX_WHY_KEYS; k++)
		record_count += b->record_counts[k];
	nx_vec_reserve(&why->moments,
		       record_count); /* most are recorded: no copies while it grows */
	for (size_t k = 0; k < NX_WHY_KEYS; k++) {
		if (!st && (b->record_counts[k] || b->writers.counts[k] || b->blocks.counts[k]))
			build_history(b, k);
		free_key(b, k);
		if (b->record_counts[k] >= TRIM_LEAST)
			nx_heap_trim();
	}
	nx_vec_release(&b->bells);
	nx_vec_release(&b->own);
	nx_vec_release(&b->line);
	nx_vec_release(&b->demands);
	nx_vec_release(&b->recorded);
	nx_vec_release(&b->there);
	nx_vec_release(&b->next_recorded);
	nx_vec_release(&b->is_used);
	nx_heap_free(b);
	return st;
}

/* --- asking ---------------------------------------------------------------- */

bool nx_why_holds(uint8_t test, uint32_t have, uint32_t value)
{
	switch (test) {
	case NX_TEST_EQUAL:
		return have == value;
	case NX_TEST_LESS:
		return have < value;
	case NX_TEST_AT_MOST:
		return have <= value;
	case NX_TEST_MORE:
		return have > value;
	case NX_TEST_AT_LEAST:
		return have >= value;
	default:
		return false;
	}
}

/* Values ascend from each reset, so that the place follows from the value. */
static const struct nx_why_moment *find_counted(const struct nx_why *why,
						const struct nx_why_history *h, uint32_t value,
						size_t at)
{
	const struct nx_why_moment *moments = why->moments.items;
	const size_t *resets = why->resets.items + h->first_reset;
	size_t low = 0, high = h->reset_count;

	while (high - low > 1) { /* the last reset not after `at` */
		size_t middle = low + (high - low) / 2;

		if (resets[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	while (moments[at].value < value) {
		if (resets[low] == h->first)
			return NULL;
		at = resets[low] - 1;
		low--;
	}
	return &moments[resets[low] + (value - moments[resets[low]].value)];
}

const struct nx_why_moment *nx_why_find_moment(const struct nx_why *why, unsigned graph,
					       const struct nx_signal *wait, int64_t not_after_ps)
{
	const struct nx_why_history *h = &why->histories[nx_why_key(graph, wait->semaphore)];
	const struct nx_why_moment *moments = why->moments.items;
	size_t low = h->first, high = h->first + h->count;

	while (low < high) { /* the first that came too late */
		size_t middle = low + (high - low) / 2;

		if (moments[middle].time_ps <= not_after_ps)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == h->first)
		return NULL;
	low--;
	if (h->is_counted && wait->what == NX_TEST_AT_LEAST && wait->value)
		return find_counted(why, h, wait->value, low);
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		if (nx_why_holds(wait->what, moments[low].value, wait->value))
			break;
		if (low == h->first)
			return NULL;
		low--;
	}
	for (unsigned i = 0; i < STEPS_MAX && low > h->first &&
			     nx_why_holds(wait->what, moments[low - 1].value, wait->value);
	     i++)
		low--;
	return &moments[low];
}
