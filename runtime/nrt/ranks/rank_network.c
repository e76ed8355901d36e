/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_network: connects the processes of a world, in a star around that of rank 0.
 *
 * The process of rank 0 listens and forwards messages between the others. Each
 * connection has a reader thread that puts messages into a mailbox or onto another
 * connection. It never waits for a rank, so writers cannot deadlock.
 */
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "runtime/nrt/ranks/rank_world_internal.h"

#define CALL_AGAIN_MS 50
#define LINGER_S 3     /* for a peer that does not end its side */
#define CALL_LIMIT_S 3 /* for one attempt to connect; nx_rank_network_end may wait that long */

/* --- connections ------------------------------------------------------------------------- */

static void read_caller(void *context)
{
	struct nx_rank_route *route = context;

	nx_rank_route_tell_present(route, true);
	nx_rank_route_read(route);
}

/* Under the lock. Without the thread no message arrives, so all ranks fail. */
static void start_thread(struct nx_rank_world *world, struct nx_thread *thread, void (*run)(void *),
			 void *context)
{
	if (!nx_thread_start(thread, "nrt-ranks", run, context, &world->trouble))
		return;
	nx_context(&world->trouble, "no connection between the ranks");
	nx_rank_world_wake(world);
}

static void accept_callers(void *context)
{
	struct nx_rank_world *world = context;

	while (!nx_rank_world_flag(world, &world->is_ending)) {
		int fd = accept4(world->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		struct nx_rank_route *route;

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			break;
		route = nx_rank_route_add(world, fd);
		if (!route)
			continue;
		pthread_mutex_lock(&world->lock);
		start_thread(world, &route->reader, read_caller, route);
		pthread_mutex_unlock(&world->lock);
		if (!route->reader.is_running)
			shutdown(fd, SHUT_RDWR); /* the other process notices */
	}
}

static int open_socket(struct nx_rank_world *world, bool listens)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *a;
	const struct timeval limit = {.tv_sec = CALL_LIMIT_S};
	int fd = -1, one = 1;

	if (getaddrinfo(world->host, world->port, &hints, &list))
		return -1;
	for (a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (fd < 0)
			continue;
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		/* Otherwise connect waits minutes for a host that does not answer. */
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		if (listens ? bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, SOMAXCONN)
			    : connect(fd, a->ai_addr, a->ai_addrlen)) {
			int why = errno;

			close(fd);
			errno = why;
			fd = -1;
		}
	}
	freeaddrinfo(list);
	return fd;
}

static void start_listening(struct nx_rank_world *world)
{
	int fd = open_socket(world, true), why = errno;

	pthread_mutex_lock(&world->lock);
	if (fd < 0) {
		(void)nx_fail_errno(&world->trouble, why,
				    "rank 0 cannot listen at NEURON_RT_ROOT_COMM_ID=%s:%s",
				    world->host, world->port);
		nx_rank_world_wake(world);
	} else {
		world->listen_fd = fd;
		start_thread(world, &world->listener, accept_callers, world);
		world->is_root = world->listener.is_running;
	}
	pthread_mutex_unlock(&world->lock);
}

/* Under the lock: a short while, or until something changes. */
static void pause_calling(struct nx_rank_world *world)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += CALL_AGAIN_MS * 1000000L;
	if (at.tv_nsec >= 1000000000L) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000L;
	}
	pthread_cond_timedwait(&world->changed, &world->lock, &at);
}

/* Retries until rank 0 answers, joins in this process, or the world ends. */
static int call_root(struct nx_rank_world *world)
{
	int fd = -1;

	pthread_mutex_lock(&world->lock);
	while (fd < 0 && !world->is_ending && !world->ranks[0].join_count) {
		pthread_mutex_unlock(&world->lock);
		fd = open_socket(world, false);
		pthread_mutex_lock(&world->lock);
		if (fd < 0)
			pause_calling(world);
	}
	if (fd >= 0 && (world->is_ending || world->ranks[0].join_count)) {
		close(fd);
		fd = -1;
	}
	pthread_mutex_unlock(&world->lock);
	return fd;
}

static void call_and_read(void *context)
{
	struct nx_rank_world *world = context;
	const struct nx_rank_frame hello = {NX_RANK_HELLO, 0, 0, world->count, 0};
	struct nx_rank_route *route;
	struct nx_error ignored;
	int fd = call_root(world);

	route = fd < 0 ? NULL : nx_rank_route_add(world, fd);
	if (!route || nx_rank_route_send(route, &hello, NULL, &ignored))
		return;
	route->has_greeted = true; /* the root has no need to */
	nx_rank_route_tell_present(route, false);
	nx_rank_route_read(route);
}

/* --- for the world -------------------------------------------------------------------------- */

void nx_rank_network_joined(struct nx_rank_world *world, uint32_t rank)
{
	bool listens, calls;

	if (!world->has_root)
		return;
	pthread_mutex_lock(&world->lock);
	listens = rank == 0 && world->ranks[0].join_count == 1 && !world->is_root;
	calls = !listens && !world->is_root && !world->caller.is_running &&
		!world->ranks[0].join_count;
	if (calls)
		start_thread(world, &world->caller, call_and_read, world);
	pthread_mutex_unlock(&world->lock);
	if (listens)
		start_listening(world);
	nx_rank_route_tell_all(world, NULL, NX_RANK_JOIN, rank);
}

void nx_rank_network_left(struct nx_rank_world *world, uint32_t rank)
{
	if (world->has_root)
		nx_rank_route_tell_all(world, NULL, NX_RANK_LEAVE, rank);
}

/* Readers walk the list, so all must have ended before the first connection is freed. */
static void end_routes(struct nx_rank_world *world)
{
	for (struct nx_rank_route *route = world->routes; route; route = route->next) {
		shutdown(route->fd, SHUT_RDWR);
		nx_thread_join(&route->reader);
	}
	while (world->routes) {
		struct nx_rank_route *route = world->routes;

		world->routes = route->next;
		close(route->fd);
		pthread_mutex_destroy(&route->write_lock);
		nx_heap_free(route);
	}
}

/* Under the lock: whether a rank of another process is still present. */
static bool has_guests(const struct nx_rank_world *world)
{
	for (uint32_t i = 0; i < world->count; i++)
		if (world->ranks[i].route && world->ranks[i].is_present)
			return true;
	return false;
}

/*
 * Under the lock. Messages between other processes pass through the root, so it waits until they
 * have left, up to the timeout.
 */
static void await_guests(struct nx_rank_world *world)
{
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += world->timeout_s;
	while (world->is_root && has_guests(world))
		if (pthread_cond_timedwait(&world->changed, &world->lock, &deadline) == ETIMEDOUT)
			return;
}

/* Under the lock. */
static bool has_open_route(const struct nx_rank_world *world)
{
	for (const struct nx_rank_route *route = world->routes; route; route = route->next)
		if (route->is_open)
			return true;
	return false;
}

/*
 * Under the lock. A connection that is closed while bytes are unread is reset, and the peer loses
 * what it has not read yet. So end our side, and give the peer time to read and end its own.
 */
static void close_gently(struct nx_rank_world *world)
{
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += LINGER_S;
	for (struct nx_rank_route *route = world->routes; route; route = route->next)
		shutdown(route->fd, SHUT_WR);
	while (has_open_route(world))
		if (pthread_cond_timedwait(&world->changed, &world->lock, &deadline) == ETIMEDOUT)
			return;
}

void nx_rank_network_end(struct nx_rank_world *world)
{
	struct nx_rank_route *route;

	pthread_mutex_lock(&world->lock);
	await_guests(world);
	world->is_ending = true;
	nx_rank_world_wake(world);
	close_gently(world);
	route = world->routes;
	pthread_mutex_unlock(&world->lock);
	if (world->listen_fd >= 0)
		shutdown(world->listen_fd, SHUT_RDWR);
	nx_thread_join(&world->listener);
	for (; route; route = route->next)
		shutdown(route->fd, SHUT_RDWR);
	nx_thread_join(&world->caller);
	end_routes(world);
	if (world->listen_fd >= 0)
		close(world->listen_fd);
}
