/* SPDX-License-Identifier: Apache-2.0 */
/* rank_route: sends frames over one connection, and handles those it reads. */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bare/bits.h"
#include "runtime/nrt/ranks/rank_world_internal.h"

#define READ_STEP_BYTES ((size_t)1 << 20)

/* --- frames -------------------------------------------------------------------------- */

static_assert(NX_RANK_FRAME_BYTES == 4 * sizeof(uint32_t) + 2 * sizeof(uint64_t), "the frame");

void nx_rank_frame_put(const struct nx_rank_frame *frame, uint8_t out[NX_RANK_FRAME_BYTES])
{
	nx_store32(out, NX_RANK_FRAME_MAGIC);
	nx_store32(out + 4, frame->kind);
	nx_store32(out + 8, frame->from);
	nx_store32(out + 12, frame->to);
	nx_store64(out + 16, frame->tag);
	nx_store64(out + 24, frame->len);
}

enum nx_status nx_rank_frame_get(const uint8_t bytes[NX_RANK_FRAME_BYTES], uint32_t rank_count,
				 struct nx_rank_frame *out, struct nx_error *err)
{
	*out = (struct nx_rank_frame){nx_load32(bytes + 4), nx_load32(bytes + 8),
				      nx_load32(bytes + 12), nx_load64(bytes + 16),
				      nx_load64(bytes + 24)};
	if (nx_load32(bytes) != NX_RANK_FRAME_MAGIC)
		return nx_fail(err, NX_FORMAT,
			       "a program other than a rank of this version answers at the root; "
			       "choose another port in NEURON_RT_ROOT_COMM_ID");
	if (out->kind < NX_RANK_HELLO || out->kind > NX_RANK_DATA)
		return nx_fail(err, NX_FORMAT, "a rank sent a frame of unknown kind %u", out->kind);
	if (out->kind == NX_RANK_HELLO && out->tag != rank_count)
		return nx_fail(
			err, NX_MISMATCH,
			"another process expects %llu ranks, this one %u; start all with the "
			"same number",
			(unsigned long long)out->tag, rank_count);
	if (out->from >= rank_count || out->to >= rank_count)
		return nx_fail(err, NX_FORMAT,
			       "a frame goes from rank %u to rank %u, but there are %u", out->from,
			       out->to, rank_count);
	if (out->len > (out->kind == NX_RANK_DATA ? NX_RANK_MESSAGE_MAX : 0))
		return nx_fail(err, NX_FORMAT, "a rank sent a frame of %llu bytes",
			       (unsigned long long)out->len);
	return NX_OK;
}

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

enum nx_status nx_rank_route_send(struct nx_rank_route *route, const struct nx_rank_frame *frame,
				  const void *bytes, struct nx_error *err)
{
	uint8_t head[NX_RANK_FRAME_BYTES];
	bool is_written;

	assert(bytes || !frame->len);
	nx_rank_frame_put(frame, head);
	pthread_mutex_lock(&route->write_lock);
	is_written = write_all(route->fd, head, sizeof(head)) &&
		     write_all(route->fd, bytes, (size_t)frame->len);
	pthread_mutex_unlock(&route->write_lock);
	if (is_written)
		return NX_OK;
	/* Part of a frame may have been sent, so nothing can follow it. */
	shutdown(route->fd, SHUT_RDWR);
	return nx_fail(err, NX_IO, "rank %u could not send to rank %u: the connection is lost",
		       frame->from, frame->to);
}

/* Memory grows with the bytes received, not with the length that the frame claims. */
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

/* --- notifying others ------------------------------------------------------------------ */

/* Connections stay in the list as long as the world exists. */
void nx_rank_route_tell_all(struct nx_rank_world *world, const struct nx_rank_route *but,
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
			(void)!nx_rank_route_send(route, &frame, NULL, &ignored);
	}
}

void nx_rank_route_tell_present(struct nx_rank_route *route, bool is_root)
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
			(void)!nx_rank_route_send(route, &frame, NULL, &ignored);
	}
}

/* --- reading --------------------------------------------------------------------------- */

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
	if (!is_ours && nx_rank_world_flag(world, &world->is_root))
		nx_rank_route_tell_all(world, route, frame->kind, frame->from);
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
		(void)!nx_rank_route_send(onward, frame, message->bytes, &ignored);
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

/* Ranks that left before are not affected; those still present are gone. */
static void lose_route(struct nx_rank_route *route, const struct nx_error *why)
{
	struct nx_rank_world *world = route->world;

	pthread_mutex_lock(&world->lock);
	route->is_open = false;
	/* Any program may connect to the root and send garbage; that must not end the world. */
	if (why->status == NX_MISMATCH || (why->status && !world->is_root))
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
		if (is_lost && nx_rank_world_flag(world, &world->is_root))
			nx_rank_route_tell_all(world, route, NX_RANK_GONE, i);
	}
}

void nx_rank_route_read(struct nx_rank_route *route)
{
	struct nx_error err = {0};

	while (read_frame(route, &err))
		;
	shutdown(route->fd, SHUT_RDWR);
	lose_route(route, &err);
}

struct nx_rank_route *nx_rank_route_add(struct nx_rank_world *world, int fd)
{
	struct nx_rank_route *route = nx_heap_try_alloc(sizeof(*route));
	struct timeval limit = {.tv_sec = world->timeout_s};
	int one = 1;

	if (!route) {
		close(fd);
		return NULL;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	/* A process that was stopped must not block its peers forever. */
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
