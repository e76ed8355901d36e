/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/rank_world.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/ranks/rank_world_internal.h"

#define DEFAULT_TIMEOUT_S 30u
#define LONGEST_TIMEOUT_S 86400u

static struct {
	pthread_mutex_t lock;
	struct nx_rank_world *first;
} worlds = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- making ---------------------------------------------------------------------- */

/* "host:port", "[::1]:port" */
static enum nx_status read_root(struct nx_rank_world *world, const char *text, struct nx_error *err)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	uint64_t port;

	if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	if (!len || len >= sizeof(world->host) ||
	    !nx_slice_to_u64(nx_slice_text(colon + 1), &port) || port == 0 || port > 65535)
		return nx_fail(err, NX_USAGE,
			       "NEURON_RT_ROOT_COMM_ID=%.60s is not host:port; name the host of "
			       "rank 0 and a free port there",
			       text);
	memcpy(world->host, text, len);
	snprintf(world->port, sizeof(world->port), "%u", (unsigned)port);
	world->has_root = true;
	return NX_OK;
}

static void free_world(struct nx_rank_world *world)
{
	for (uint32_t i = 0; world->ranks && i < world->count; i++) {
		struct nx_rank *rank = &world->ranks[i];

		while (rank->first) {
			struct nx_rank_message *message = rank->first;

			rank->first = message->next;
			nx_rank_message_free(message);
		}
		pthread_cond_destroy(&rank->arrived);
	}
	nx_heap_free(world->ranks);
	nx_map_release(&world->tags);
	pthread_cond_destroy(&world->changed);
	pthread_mutex_destroy(&world->lock);
	nx_heap_free(world);
}

static void init_waiting(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attributes);
	pthread_condattr_destroy(&attributes);
}

static enum nx_status make_world(const char *root, uint32_t count, struct nx_rank_world **out,
				 struct nx_error *err)
{
	struct nx_rank_world *world = nx_heap_try_alloc(sizeof(*world));
	enum nx_status st = NX_OK;
	uint64_t timeout_s;

	if (world)
		world->ranks = nx_heap_try_alloc(count * sizeof(*world->ranks));
	if (!world || !world->ranks) {
		nx_heap_free(world);
		return nx_fail(err, NX_LIMIT, "out of memory for %u ranks", count);
	}
	world->count = count;
	timeout_s =
		nx_environment_number("NEURON_RT_EXEC_TIMEOUT", 1, UINT64_MAX, DEFAULT_TIMEOUT_S);
	world->timeout_s =
		(uint32_t)(timeout_s < LONGEST_TIMEOUT_S ? timeout_s : LONGEST_TIMEOUT_S);
	world->listen_fd = -1;
	pthread_mutex_init(&world->lock, NULL);
	init_waiting(&world->changed);
	for (uint32_t i = 0; i < count; i++) {
		init_waiting(&world->ranks[i].arrived);
		world->ranks[i].last = &world->ranks[i].first;
	}
	snprintf(world->name, sizeof(world->name), "%s", root);
	if (*root)
		st = read_root(world, root, err);
	if (st)
		free_world(world);
	else
		*out = world;
	return st;
}

/* Under the lock of all worlds. */
static enum nx_status find_world(uint32_t count, struct nx_rank_world **out, struct nx_error *err)
{
	const char *root = getenv("NEURON_RT_ROOT_COMM_ID");
	enum nx_status st;

	if (!root)
		root = "";
	for (*out = worlds.first; *out; *out = (*out)->next)
		if ((*out)->count == count && strcmp((*out)->name, root) == 0)
			return NX_OK;
	if (strlen(root) >= sizeof((*out)->name))
		return nx_fail(err, NX_USAGE, "NEURON_RT_ROOT_COMM_ID is too long for host:port");
	st = make_world(root, count, out, err);
	if (st || !*out)
		return st;
	(*out)->next = worlds.first;
	worlds.first = *out;
	return NX_OK;
}

/* --- coming and going ------------------------------------------------------------- */

void nx_rank_world_wake(struct nx_rank_world *world)
{
	pthread_cond_broadcast(&world->changed);
	for (uint32_t i = 0; i < world->count; i++)
		pthread_cond_broadcast(&world->ranks[i].arrived);
}

bool nx_rank_world_flag(struct nx_rank_world *world, const bool *flag)
{
	bool is_set;

	pthread_mutex_lock(&world->lock);
	is_set = *flag;
	pthread_mutex_unlock(&world->lock);
	return is_set;
}

enum nx_status nx_rank_world_join(uint32_t rank, uint32_t count, struct nx_rank_world **out,
				  struct nx_error *err)
{
	struct nx_rank *joined;
	enum nx_status st;

	*out = NULL;
	if (count == 0 || rank >= count)
		return nx_fail(err, NX_USAGE, "rank %u does not exist: there are %u", rank, count);
	if (count > NX_RANK_MAX)
		return nx_fail(err, NX_LIMIT, "%u ranks are too many; the maximum is %u", count,
			       NX_RANK_MAX);
	pthread_mutex_lock(&worlds.lock);
	st = find_world(count, out, err);
	pthread_mutex_unlock(&worlds.lock);
	if (st || !*out)
		return st;
	pthread_mutex_lock(&(*out)->lock);
	joined = &(*out)->ranks[rank];
	joined->join_count++;
	joined->is_present = true;
	joined->is_gone = false;
	joined->route = NULL;
	nx_rank_world_wake(*out);
	pthread_mutex_unlock(&(*out)->lock);
	nx_rank_network_joined(*out, rank);
	return NX_OK;
}

void nx_rank_world_leave(struct nx_rank_world *world, uint32_t rank)
{
	bool is_last;

	if (!world)
		return;
	assert(rank < world->count);
	pthread_mutex_lock(&world->lock);
	assert(world->ranks[rank].join_count > 0);
	is_last = --world->ranks[rank].join_count == 0;
	if (is_last)
		world->ranks[rank].is_present = false;
	pthread_mutex_unlock(&world->lock);
	if (is_last)
		nx_rank_network_left(world, rank);
}

uint32_t nx_rank_world_count(const struct nx_rank_world *world)
{
	return world->count;
}

struct turn {
	struct nx_rank_world *world;
	uint64_t place, number;
};

static void put_turn(void *context)
{
	struct turn *turn = context;

	nx_map_put(&turn->world->tags, turn->place, turn->number + 1);
}

uint64_t nx_rank_world_tag(struct nx_rank_world *world, uint32_t rank, uint64_t key)
{
	struct turn turn = {world, nx_hash_words((const uint64_t[]){key, rank}, 2), 0};

	assert(rank < world->count);
	pthread_mutex_lock(&world->lock);
	(void)nx_map_get(&world->tags, turn.place, &turn.number);
	if (!nx_heap_guarded(put_turn, &turn))
		(void)nx_fail(&world->trouble, NX_LIMIT,
			      "out of memory while counting collectives");
	pthread_mutex_unlock(&world->lock);
	return nx_hash_words((const uint64_t[]){key, turn.number}, 2);
}

/* --- waiting ------------------------------------------------------------------------ */

static struct timespec deadline_of(const struct nx_rank_world *world)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += world->timeout_s;
	return at;
}

/* Under the lock: "2, 5, 7" */
static void list_absent(const struct nx_rank_world *world, char *out, size_t cap)
{
	size_t used = 0;

	*out = '\0';
	for (uint32_t i = 0; i < world->count && used + 24 < cap; i++)
		if (!world->ranks[i].is_present)
			used += (size_t)snprintf(out + used, cap - used, "%s%u", used ? ", " : "",
						 i);
}

static enum nx_status fail_waiting(const struct nx_rank_world *world, uint32_t rank, uint32_t peer,
				   struct nx_error *err)
{
	char absent[400];

	list_absent(world, absent, sizeof(absent));
	if (*absent)
		return nx_fail(err, NX_CANCELLED,
			       "rank %u waited %u s for rank %u; missing of %u ranks: %s. Start "
			       "them all, in one process or with the same NEURON_RT_ROOT_COMM_ID",
			       rank, world->timeout_s, peer, world->count, absent);
	return nx_fail(err, NX_CANCELLED,
		       "rank %u waited %u s for rank %u, which has joined but sent nothing: it is "
		       "slower than NEURON_RT_EXEC_TIMEOUT or runs another program",
		       rank, world->timeout_s, peer);
}

/* Under the lock: fails if there is no point in waiting for the peer. */
static enum nx_status check_peer(const struct nx_rank_world *world, uint32_t rank, uint32_t peer,
				 struct nx_error *err)
{
	if (world->trouble.status) {
		*err = world->trouble;
		return err->status;
	}
	if (world->ranks[peer].is_gone)
		return nx_fail(err, NX_IO, "rank %u waited for rank %u, whose process has ended",
			       rank, peer);
	if (world->is_ending)
		return nx_fail(err, NX_CANCELLED, "rank %u: the runtime is being closed", rank);
	return NX_OK;
}

/* Under the lock: waits until the receiver has joined. */
static enum nx_status await_peer(struct nx_rank_world *world, uint32_t from, uint32_t to,
				 struct nx_error *err)
{
	struct timespec deadline = deadline_of(world);

	while (!world->ranks[to].is_present) {
		enum nx_status st = check_peer(world, from, to, err);

		if (st)
			return st;
		if (pthread_cond_timedwait(&world->changed, &world->lock, &deadline) == ETIMEDOUT)
			return fail_waiting(world, from, to, err);
	}
	return NX_OK;
}

static struct nx_rank_message *unlink_message(struct nx_rank *rank, uint32_t from, uint64_t tag)
{
	for (struct nx_rank_message **at = &rank->first; *at; at = &(*at)->next) {
		struct nx_rank_message *message = *at;

		if (message->from != from || message->tag != tag)
			continue;
		*at = message->next;
		if (!message->next)
			rank->last = at;
		return message;
	}
	return NULL;
}

enum nx_status nx_rank_world_take(struct nx_rank_world *world, uint32_t rank, uint32_t from,
				  uint64_t tag, struct nx_rank_message **out, struct nx_error *err)
{
	struct timespec deadline = deadline_of(world);
	enum nx_status st = NX_OK;

	assert(rank < world->count && from < world->count);
	pthread_mutex_lock(&world->lock);
	while (!(*out = unlink_message(&world->ranks[rank], from, tag)) && !st) {
		st = check_peer(world, rank, from, err);
		if (!st && pthread_cond_timedwait(&world->ranks[rank].arrived, &world->lock,
						  &deadline) == ETIMEDOUT)
			st = fail_waiting(world, rank, from, err);
	}
	pthread_mutex_unlock(&world->lock);
	return *out ? NX_OK : st;
}

/* --- sending ------------------------------------------------------------------------- */

void nx_rank_message_free(struct nx_rank_message *message)
{
	nx_heap_free(message);
}

void nx_rank_world_deliver(struct nx_rank_world *world, uint32_t to,
			   struct nx_rank_message *message)
{
	struct nx_rank *rank = &world->ranks[to];

	assert(to < world->count && rank->last);
	message->next = NULL;
	*rank->last = message;
	rank->last = &message->next;
	pthread_cond_broadcast(&rank->arrived);
}

static struct nx_rank_message *copy_message(uint32_t from, uint64_t tag, struct nx_slice bytes)
{
	struct nx_rank_message *message = nx_heap_try_alloc(sizeof(*message) + bytes.len);

	if (!message)
		return NULL;
	message->from = from;
	message->tag = tag;
	message->len = bytes.len;
	if (bytes.len)
		memcpy(message->bytes, bytes.data, bytes.len);
	return message;
}

enum nx_status nx_rank_world_send(struct nx_rank_world *world, uint32_t from, uint32_t to,
				  uint64_t tag, struct nx_slice bytes, struct nx_error *err)
{
	struct nx_rank_frame frame = {NX_RANK_DATA, from, to, tag, bytes.len};
	struct nx_rank_message *message = NULL;
	struct nx_rank_route *route;
	enum nx_status st;

	assert(from < world->count && to < world->count);
	if (bytes.len > NX_RANK_MESSAGE_MAX)
		return nx_fail(err, NX_LIMIT, "%zu bytes are too many for one message", bytes.len);
	pthread_mutex_lock(&world->lock);
	st = await_peer(world, from, to, err);
	route = world->ranks[to].route;
	pthread_mutex_unlock(&world->lock);
	if (st)
		return st;
	if (route)
		return nx_rank_route_send(route, &frame, bytes.data, err);
	message = copy_message(from, tag, bytes);
	if (!message)
		return nx_fail(err, NX_LIMIT, "out of memory for a message of %zu bytes",
			       bytes.len);
	pthread_mutex_lock(&world->lock);
	nx_rank_world_deliver(world, to, message);
	pthread_mutex_unlock(&world->lock);
	return NX_OK;
}

/* --- the end --------------------------------------------------------------------------- */

void nx_rank_worlds_end(void)
{
	struct nx_rank_world *world;

	pthread_mutex_lock(&worlds.lock);
	world = worlds.first;
	worlds.first = NULL;
	pthread_mutex_unlock(&worlds.lock);
	while (world) {
		struct nx_rank_world *next = world->next;

		nx_rank_network_end(world);
		free_world(world);
		world = next;
	}
}

void nx_rank_worlds_abandon(void)
{
	pthread_mutex_init(&worlds.lock, NULL);
	worlds.first = NULL;
}
