/* SPDX-License-Identifier: Apache-2.0 */
#include "query/engine_pool.h"

#include <assert.h>
#include <pthread.h>
#include <time.h>

#include "base/arena.h"
#include "base/progress.h"
#include "base/thread.h"
#include "base/vec.h"
#include "query/duckdb.h"

#define ENGINES_USUAL 4u
#define STATEMENT_BYTES_USUAL ((size_t)64 << 10)
#define MEMORY_BYTES_LEAST (UINT64_C(64) << 20)
#define IDLE_MS_USUAL 60000u
#define PATIENCE_MS_USUAL 30000u
#define SPARE_MS 20u /* until the next spare process starts: the query at hand goes first */
#define THIS_PROGRAM "/proc/self/exe"
#define LOOK_MS 100u /* how often waiting requests are checked for cancellation */

enum place_state { EMPTY, IDLE, BUSY };

/* An engine and what has to live as long. */
struct held {
	struct nx_arena arena;
	const char *path, *id;
	struct nx_sql_child *engine;
};

struct place {
	enum place_state state;
	struct held *held; /* NULL also while it is being opened */
	uint64_t used_ms;  /* when it was returned */
};

struct nx_engine_pool {
	struct nx_engine_pool_options how;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t next_number, served_number;	   /* of those in line */
	struct nx_line NX_VEC_BODY(uint64_t) gone; /* left the line before their turn */
	struct nx_timer *timer;
	struct nx_alarm closer, starter;
	struct place *places;
	struct nx_sql_child *spare; /* started, but without a profile */
	uint64_t asked_ms;	    /* when an engine was last opened */
};

static uint64_t now_ms(void)
{
	return nx_now_ns() / 1000000;
}

static void wait_a_while(struct nx_engine_pool *pool, uint64_t wait_ms)
{
	uint64_t until_ms = now_ms() + wait_ms;
	struct timespec until = {.tv_sec = (time_t)(until_ms / 1000),
				 .tv_nsec = (long)(until_ms % 1000) * 1000000};

	pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
}

/* Closing takes a moment: callers take the engine out of its place and unlock the pool first. */
static void close_held(struct held *held)
{
	if (!held)
		return;
	nx_sql_child_close(held->engine);
	nx_arena_release(&held->arena);
	nx_heap_free(held);
}

/* --- idle engines -------------------------------------------------------------------------- */

static struct held *take_out_idle(struct nx_engine_pool *pool)
{
	uint64_t now = now_ms();

	for (unsigned i = 0; i < pool->how.engine_max; i++) {
		struct place *place = &pool->places[i];

		if (place->state == IDLE && now - place->used_ms >= pool->how.idle_ms) {
			struct held *held = place->held;

			*place = (struct place){0};
			return held;
		}
	}
	return NULL;
}

static struct nx_sql_child *take_out_spare(struct nx_engine_pool *pool)
{
	struct nx_sql_child *spare = pool->spare;

	pool->spare = NULL;
	return spare;
}

static void close_idle(void *context)
{
	struct nx_engine_pool *pool = context;
	struct nx_sql_child *spare = NULL;
	struct held *idle;

	do {
		nx_lock(&pool->lock);
		idle = take_out_idle(pool);
		nx_unlock(&pool->lock);
		close_held(idle);
	} while (idle);
	nx_lock(&pool->lock);
	if (now_ms() - pool->asked_ms >= pool->how.idle_ms)
		spare = take_out_spare(pool);
	nx_unlock(&pool->lock);
	nx_sql_child_close(spare);
	nx_timer_set(pool->timer, &pool->closer, pool->how.idle_ms / 4 + 1);
}

/* --- processes ----------------------------------------------------------------------------- */

static enum nx_status start_child(const struct nx_engine_pool *pool, struct nx_sql_child **child,
				  struct nx_error *err)
{
	uint64_t share_bytes = pool->how.memory_limit_bytes / pool->how.engine_max;
	struct nx_sql_child_options options = {
		.program = pool->how.program,
		.memory_limit_bytes =
			share_bytes > MEMORY_BYTES_LEAST ? share_bytes : MEMORY_BYTES_LEAST,
		.statement_limit_bytes = pool->how.statement_limit_bytes,
		.processor_seconds = pool->how.processor_seconds,
		.library_path = pool->how.library_path,
	};

	return nx_sql_child_start(child, &options, err);
}

/* On the timer's thread: whoever asks does not wait for it. */
static void start_spare(void *context)
{
	struct nx_engine_pool *pool = context;
	struct nx_sql_child *child = NULL, *extra = NULL;

	if (start_child(pool, &child, NULL))
		return;
	nx_lock(&pool->lock);
	extra = take_out_spare(pool);
	pool->spare = child;
	nx_unlock(&pool->lock);
	nx_sql_child_close(extra);
}

static enum nx_status take_child(struct nx_engine_pool *pool, struct nx_sql_child **child,
				 struct nx_error *err)
{
	nx_lock(&pool->lock);
	*child = take_out_spare(pool);
	pool->asked_ms = now_ms();
	nx_unlock(&pool->lock);
	nx_timer_set(pool->timer, &pool->starter, SPARE_MS);
	if (*child && !nx_sql_child_is_alive(*child)) {
		nx_sql_child_close(*child);
		*child = NULL;
	}
	return *child ? NX_OK : start_child(pool, child, err);
}

/* --- life ---------------------------------------------------------------------------------- */

struct nx_engine_pool *nx_engine_pool_new(struct nx_timer *timer,
					  const struct nx_engine_pool_options *options)
{
	struct nx_engine_pool *pool = nx_heap_alloc(sizeof(*pool));
	struct nx_engine_pool_options *how = &pool->how;
	pthread_condattr_t clock;

	*pool = (struct nx_engine_pool){.how = *options, .timer = timer};
	how->engine_max = how->engine_max ? how->engine_max : ENGINES_USUAL;
	how->memory_limit_bytes =
		how->memory_limit_bytes ? how->memory_limit_bytes : nx_duckdb_memory_default();
	if (!how->statement_limit_bytes)
		how->statement_limit_bytes = STATEMENT_BYTES_USUAL;
	how->idle_ms = how->idle_ms ? how->idle_ms : IDLE_MS_USUAL;
	how->program = how->program ? how->program : THIS_PROGRAM;
	how->patience_ms = how->patience_ms ? how->patience_ms : PATIENCE_MS_USUAL;
	pool->places = nx_heap_alloc(how->engine_max * sizeof(*pool->places));
	for (unsigned i = 0; i < how->engine_max; i++)
		pool->places[i] = (struct place){0};
	pthread_mutex_init(&pool->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->changed, &clock);
	pthread_condattr_destroy(&clock);
	pool->closer = (struct nx_alarm){.ring = close_idle, .context = pool};
	pool->starter = (struct nx_alarm){.ring = start_spare, .context = pool};
	nx_timer_set(timer, &pool->closer, how->idle_ms);
	return pool;
}

void nx_engine_pool_free(struct nx_engine_pool *pool)
{
	if (!pool)
		return;
	nx_timer_clear(pool->timer, &pool->closer);
	nx_timer_clear(pool->timer, &pool->starter);
	nx_sql_child_close(pool->spare);
	for (unsigned i = 0; i < pool->how.engine_max; i++) {
		assert(pool->places[i].state != BUSY);
		close_held(pool->places[i].held);
	}
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	nx_vec_release(&pool->gone);
	nx_heap_free(pool->places);
	nx_heap_free(pool);
}

/* --- the line ------------------------------------------------------------------------------- */

static void pass_gone(struct nx_engine_pool *pool)
{
	for (size_t i = 0; i < pool->gone.len; i++)
		if (pool->gone.items[i] == pool->served_number) {
			pool->served_number++;
			pool->gone.items[i] = pool->gone.items[--pool->gone.len];
			i = (size_t)-1;
		}
}

static void leave_line(struct nx_engine_pool *pool, uint64_t number)
{
	nx_vec_push(&pool->gone, number);
	pass_gone(pool);
	pthread_cond_broadcast(&pool->changed);
}

static bool is_of(const struct place *place, const struct nx_engine_wish *wish)
{
	return place->state == IDLE && !strcmp(place->held->path, wish->path) &&
	       !strcmp(place->held->id, wish->id) && nx_sql_child_is_alive(place->held->engine);
}

/* The profile's own engine, else an empty place, else the engine that is idle for longest. */
static struct place *choose_place(struct nx_engine_pool *pool, const struct nx_engine_wish *wish)
{
	struct place *best = NULL;

	for (unsigned i = 0; i < pool->how.engine_max; i++)
		if (is_of(&pool->places[i], wish))
			return &pool->places[i];
	for (unsigned i = 0; i < pool->how.engine_max; i++) {
		struct place *place = &pool->places[i];

		if (place->state == EMPTY)
			return place;
		if (place->state == IDLE && (!best || place->used_ms < best->used_ms))
			best = place;
	}
	return best;
}

static enum nx_status wait_in_line(struct nx_engine_pool *pool, const struct nx_engine_wish *wish,
				   struct place **place, struct nx_error *err)
{
	uint64_t number = pool->next_number++, since_ms = now_ms();

	for (;;) {
		*place = number == pool->served_number ? choose_place(pool, wish) : NULL;
		if (*place)
			break;
		wait_a_while(pool, LOOK_MS);
		if (wish->is_wanted && !wish->is_wanted(wish->context)) {
			leave_line(pool, number);
			return nx_fail(err, NX_CANCELLED, "the request was cancelled");
		}
		if (now_ms() - since_ms >= pool->how.patience_ms) {
			leave_line(pool, number);
			return nx_fail(err, NX_LIMIT,
				       "all engines are busy with long queries; try again later");
		}
	}
	pool->served_number++;
	pass_gone(pool);
	pthread_cond_broadcast(&pool->changed);
	return NX_OK;
}

/* --- taking and returning -------------------------------------------------------------------- */

static enum nx_status open_held(struct nx_engine_pool *pool, const struct nx_engine_wish *wish,
				struct held **out, struct nx_error *err)
{
	struct held *held = nx_heap_alloc(sizeof(*held));
	enum nx_status st;

	*held = (struct held){0};
	held->path = nx_arena_copy_text(&held->arena, wish->path);
	held->id = nx_arena_copy_text(&held->arena, wish->id);
	st = take_child(pool, &held->engine, err);
	if (!st)
		st = nx_sql_child_open(held->engine, wish->path, err);
	if (st)
		close_held(held);
	*out = st ? NULL : held;
	return st;
}

/* The place is BUSY, so no other thread takes it meanwhile. */
static enum nx_status fill_place(struct nx_engine_pool *pool, const struct nx_engine_wish *wish,
				 struct place *place, struct nx_error *err)
{
	struct held *held;
	enum nx_status st = open_held(pool, wish, &held, err);

	nx_lock(&pool->lock);
	place->held = held;
	if (st) {
		place->state = EMPTY;
		pthread_cond_broadcast(&pool->changed);
	}
	nx_unlock(&pool->lock);
	return st;
}

enum nx_status nx_engine_pool_take(struct nx_engine_pool *pool, const struct nx_engine_wish *wish,
				   struct nx_sql_child **engine, struct nx_error *err)
{
	struct place *place = NULL;
	struct held *other = NULL;
	bool is_open = false;
	enum nx_status st;

	assert(wish->path && wish->id);
	*engine = NULL;
	nx_lock(&pool->lock);
	st = wait_in_line(pool, wish, &place, err);
	if (!st) {
		assert(place);
		is_open = is_of(place, wish);
		other = is_open ? NULL : place->held;
		place->held = is_open ? place->held : NULL;
		place->state = BUSY;
	}
	nx_unlock(&pool->lock);
	close_held(other);
	if (!st && !is_open)
		st = fill_place(pool, wish, place, err);
	if (!st)
		*engine = place->held->engine;
	return st;
}

void nx_engine_pool_return(struct nx_engine_pool *pool, struct nx_sql_child *engine, bool is_good)
{
	struct place *place = pool->places;
	struct held *bad = NULL;

	if (!engine)
		return;
	nx_lock(&pool->lock);
	while (!place->held || place->held->engine != engine)
		place++;
	assert(place < pool->places + pool->how.engine_max && place->state == BUSY);
	if (is_good && nx_sql_child_is_alive(engine)) {
		place->state = IDLE;
		place->used_ms = now_ms();
	} else {
		bad = place->held;
		*place = (struct place){0};
	}
	pthread_cond_broadcast(&pool->changed);
	nx_unlock(&pool->lock);
	close_held(bad);
}

unsigned nx_engine_pool_open_count(struct nx_engine_pool *pool)
{
	unsigned count = 0;

	nx_lock(&pool->lock);
	for (unsigned i = 0; i < pool->how.engine_max; i++)
		count += pool->places[i].state != EMPTY;
	nx_unlock(&pool->lock);
	return count;
}
