/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_network: the processes of a world, in a star around that of rank 0.
 *
 * The process of rank 0 listens; every other one calls it and gives it what goes
 * to ranks elsewhere. Each connection has a thread that reads: what it reads goes
 * into a mailbox or on to another connection, so a reader never waits for a rank
 * and writers cannot block each other in a circle.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "runtime/nrt/rank_world_internal.h"

#define CALL_AGAIN_MS 50
#define READ_STEP_BYTES ((size_t)1 << 20)

/* --- bytes ------------------------------------------------------------------------ */

static bool write_all(int fd, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len) {
		ssize_t put = send(fd, at, len, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		len -= (size_t)put;
	}
	return true;
}

static bool read_all(int fd, void *bytes, size_t len)
{
	uint8_t *at = bytes;

	while (len) {
		ssize_t got = recv(fd, at, len, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		len -= (size_t)got;
	}
	return true;
}

enum nx_status nx_rank_network_send(struct nx_rank_route *route, const struct nx_rank_frame *frame,
				    const void *bytes, struct nx_error *err)
{
	uint8_t head[NX_RANK_FRAME_BYTES];
	bool is_written;

	nx_rank_frame_put(frame, head);
	pthread_mutex_lock(&route->write_lock);
	is_written = write_all(route->fd, head, sizeof(head)) &&
		     write_all(route->fd, bytes, (size_t)frame->len);
	pthread_mutex_unlock(&route->write_lock);
	if (is_written)
		return NX_OK;
	/* Half a frame may be out: nothing more can follow it. */
	shutdown(route->fd, SHUT_RDWR);
	return nx_fail(err, NX_IO, "rank %u could not send to rank %u: the connection is lost",
		       frame->from, frame->to);
}

/* Memory follows the bytes that came, not those that were announced. */
static struct nx_rank_message *read_message(int fd, const struct nx_rank_frame *frame)
{
	size_t len = (size_t)frame->len, got = 0;
	size_t room = len < READ_STEP_BYTES ? len : READ_STEP_BYTES;
	struct nx_rank_message *message = nx_heap_try_alloc(sizeof(*message) + room);

	while (message && got < len) {
		if (got == room) {
			size_t more = room < len - room ? room : len - room;
			struct nx_rank_message *wider =
				nx_heap_try_alloc(sizeof(*wider) + room + more);

			if (wider)
				memcpy(wider, message, sizeof(*wider) + room);
			nx_heap_free(message);
			message = wider;
			room += more;
			continue;
		}
		if (!read_all(fd, message->bytes + got, room - got)) {
			nx_heap_free(message);
			return NULL;
		}
		got = room;
	}
	if (message) {
		message->from = frame->from;
		message->tag = frame->tag;
		message->len = len;
	}
	return message;
}

/* --- telling others ------------------------------------------------------------------ */

/* Connections are never taken out of the list while the world lives. */
static void tell_all(struct nx_rank_world *world, const struct nx_rank_route *but,
		     enum nx_rank_frame_kind kind, uint32_t rank)
{
	const struct nx_rank_frame frame = {kind, rank, rank, 0, 0};
	struct nx_rank_route *route;
	struct nx_error ignored;

	pthread_mutex_lock(&world->lock);
	route = world->routes;
	pthread_mutex_unlock(&world->lock);
	for (; route; route = route->next) {
		bool is_open;

		pthread_mutex_lock(&world->lock);
		is_open = route->is_open && route != but;
		pthread_mutex_unlock(&world->lock);
		if (is_open)
			(void)!nx_rank_network_send(route, &frame, NULL, &ignored);
	}
}

/* To a new connection: who is already there. */
static void tell_present(struct nx_rank_route *route, bool is_root)
{
	struct nx_rank_world *world = route->world;
	struct nx_error ignored;

	for (uint32_t i = 0; i < world->count; i++) {
		const struct nx_rank_frame frame = {NX_RANK_JOIN, i, i, 0, 0};
		bool is_known;

		pthread_mutex_lock(&world->lock);
		is_known = world->ranks[i].is_present && world->ranks[i].route != route &&
			   (is_root || world->ranks[i].join_count);
		pthread_mutex_unlock(&world->lock);
		if (is_known)
			(void)!nx_rank_network_send(route, &frame, NULL, &ignored);
	}
}

/* --- reading --------------------------------------------------------------------------- */

static bool is_root(struct nx_rank_world *world)
{
	bool answer;

	pthread_mutex_lock(&world->lock);
	answer = world->has_listener;
	pthread_mutex_unlock(&world->lock);
	return answer;
}

static void note_presence(struct nx_rank_route *route, const struct nx_rank_frame *frame)
{
	struct nx_rank_world *world = route->world;
	struct nx_rank *rank = &world->ranks[frame->from];
	bool is_ours;

	pthread_mutex_lock(&world->lock);
	is_ours = rank->join_count > 0;
	if (!is_ours) {
		rank->is_present = frame->kind == NX_RANK_JOIN;
		rank->is_gone = frame->kind == NX_RANK_GONE;
		if (frame->kind == NX_RANK_JOIN)
			rank->route = route;
		nx_rank_world_wake(world);
	}
	pthread_mutex_unlock(&world->lock);
	if (!is_ours && is_root(world))
		tell_all(world, route, frame->kind, frame->from);
}

static bool pass_data(struct nx_rank_route *route, const struct nx_rank_frame *frame)
{
	struct nx_rank_world *world = route->world;
	struct nx_rank_message *message = read_message(route->fd, frame);
	struct nx_rank_route *onward;
	struct nx_error ignored;

	if (!message)
		return false;
	pthread_mutex_lock(&world->lock);
	onward = world->ranks[frame->to].route;
	if (!onward)
		nx_rank_world_deliver(world, frame->to, message);
	pthread_mutex_unlock(&world->lock);
	if (!onward)
		return true;
	if (onward != route)
		(void)!nx_rank_network_send(onward, frame, message->bytes, &ignored);
	nx_rank_message_free(message);
	return true;
}

static bool read_frame(struct nx_rank_route *route, struct nx_error *err)
{
	struct nx_rank_world *world = route->world;
	uint8_t head[NX_RANK_FRAME_BYTES];
	struct nx_rank_frame frame;

	if (!read_all(route->fd, head, sizeof(head)))
		return false;
	if (nx_rank_frame_get(head, world->count, &frame, err))
		return false;
	if (frame.kind == NX_RANK_HELLO)
		route->has_greeted = true;
	else if (!route->has_greeted)
		return false;
	else if (frame.kind == NX_RANK_DATA)
		return pass_data(route, &frame);
	else
		note_presence(route, &frame);
	return true;
}

/* A rank that has left may lose its process; one that is there may not. */
static void lose_route(struct nx_rank_route *route, const struct nx_error *why)
{
	struct nx_rank_world *world = route->world;

	pthread_mutex_lock(&world->lock);
	route->is_open = false;
	/* Anybody may call the root and talk nonsense; that is no reason to stop. */
	if (why->status == NX_MISMATCH || (why->status && !world->has_listener))
		world->trouble = *why;
	pthread_mutex_unlock(&world->lock);
	for (uint32_t i = 0; i < world->count; i++) {
		bool is_lost;

		pthread_mutex_lock(&world->lock);
		is_lost = world->ranks[i].route == route && world->ranks[i].is_present;
		if (is_lost) {
			world->ranks[i].is_present = false;
			world->ranks[i].is_gone = true;
		}
		nx_rank_world_wake(world);
		pthread_mutex_unlock(&world->lock);
		if (is_lost && is_root(world))
			tell_all(world, route, NX_RANK_GONE, i);
	}
}

static void read_route(struct nx_rank_route *route)
{
	struct nx_error err = {0};

	while (read_frame(route, &err))
		;
	shutdown(route->fd, SHUT_RDWR);
	lose_route(route, &err);
}

static void *read_caller(void *context)
{
	struct nx_rank_route *route = context;

	tell_present(route, true);
	read_route(route);
	return NULL;
}

/* --- connections ------------------------------------------------------------------------- */

static struct nx_rank_route *add_route(struct nx_rank_world *world, int fd)
{
	struct nx_rank_route *route = nx_heap_try_alloc(sizeof(*route));
	struct timeval limit = {.tv_sec = world->timeout_s};
	int one = 1;

	if (!route) {
		close(fd);
		return NULL;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	/* A process that was stopped must not hold its peers for ever. */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	route->fd = fd;
	route->world = world;
	route->is_open = true;
	pthread_mutex_init(&route->write_lock, NULL);
	pthread_mutex_lock(&world->lock);
	route->next = world->routes;
	world->routes = route;
	if (world->is_ending)
		shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&world->lock);
	return route;
}

static bool start_thread(pthread_t *thread, void *(*run)(void *), void *context)
{
	sigset_t all, old;
	bool is_started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	is_started = pthread_create(thread, NULL, run, context) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return is_started;
}

static bool is_ending(struct nx_rank_world *world)
{
	bool answer;

	pthread_mutex_lock(&world->lock);
	answer = world->is_ending;
	pthread_mutex_unlock(&world->lock);
	return answer;
}

static void *accept_callers(void *context)
{
	struct nx_rank_world *world = context;

	while (!is_ending(world)) {
		int fd = accept4(world->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		struct nx_rank_route *route;

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			break;
		route = add_route(world, fd);
		if (route)
			route->has_reader = start_thread(&route->reader, read_caller, route);
	}
	return NULL;
}

static int open_socket(struct nx_rank_world *world, bool listens)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *a;
	int fd = -1, one = 1;

	if (getaddrinfo(world->host, world->port, &hints, &list))
		return -1;
	for (a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (fd < 0)
			continue;
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
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
		world->has_listener = start_thread(&world->listener, accept_callers, world);
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

/* Until rank 0 answers, comes to this process, or nobody wants it any more. */
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

static void *call_and_read(void *context)
{
	struct nx_rank_world *world = context;
	const struct nx_rank_frame hello = {NX_RANK_HELLO, 0, 0, world->count, 0};
	struct nx_rank_route *route;
	struct nx_error ignored;
	int fd = call_root(world);

	route = fd < 0 ? NULL : add_route(world, fd);
	if (!route || nx_rank_network_send(route, &hello, NULL, &ignored))
		return NULL;
	route->has_greeted = true; /* the root has no need to */
	tell_present(route, false);
	read_route(route);
	return NULL;
}

/* --- for the world -------------------------------------------------------------------------- */

void nx_rank_network_joined(struct nx_rank_world *world, uint32_t rank)
{
	bool listens, calls;

	if (!world->has_root)
		return;
	pthread_mutex_lock(&world->lock);
	listens = rank == 0 && world->ranks[0].join_count == 1 && !world->has_listener;
	calls = !listens && !world->has_listener && !world->has_caller &&
		!world->ranks[0].join_count;
	if (calls)
		world->has_caller = start_thread(&world->caller, call_and_read, world);
	pthread_mutex_unlock(&world->lock);
	if (listens)
		start_listening(world);
	tell_all(world, NULL, NX_RANK_JOIN, rank);
}

void nx_rank_network_left(struct nx_rank_world *world, uint32_t rank)
{
	if (world->has_root)
		tell_all(world, NULL, NX_RANK_LEAVE, rank);
}

/* Readers walk the list: all have to be gone before the first connection goes. */
static void end_routes(struct nx_rank_world *world)
{
	for (struct nx_rank_route *route = world->routes; route; route = route->next) {
		shutdown(route->fd, SHUT_RDWR);
		if (route->has_reader)
			pthread_join(route->reader, NULL);
	}
	while (world->routes) {
		struct nx_rank_route *route = world->routes;

		world->routes = route->next;
		close(route->fd);
		pthread_mutex_destroy(&route->write_lock);
		nx_heap_free(route);
	}
}

void nx_rank_network_end(struct nx_rank_world *world)
{
	struct nx_rank_route *route;

	pthread_mutex_lock(&world->lock);
	world->is_ending = true;
	nx_rank_world_wake(world);
	route = world->routes;
	pthread_mutex_unlock(&world->lock);
	if (world->listen_fd >= 0)
		shutdown(world->listen_fd, SHUT_RDWR);
	if (world->has_listener)
		pthread_join(world->listener, NULL);
	for (; route; route = route->next)
		shutdown(route->fd, SHUT_RDWR);
	if (world->has_caller)
		pthread_join(world->caller, NULL);
	end_routes(world);
	if (world->listen_fd >= 0)
		close(world->listen_fd);
}
