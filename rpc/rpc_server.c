/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/rpc_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "rpc/rpc_internal.h"

#define MAX_CONNECTIONS 64
#define MAX_TOKEN_BYTES 256
#define BACKLOG 16
#define READ_BYTES ((size_t)16 << 10)
#define READS_PER_TURN 8
#define RETRY_NS UINT64_C(100000000) /* to accept, after the system refused */
#define MS_PER_LOOP_MAX 60000

struct peer {
	int fd;
	struct nx_rpc_connection *connection;
};

struct nx_rpc_server {
	struct nx_rpc_hub hub;
	int listener;
	uint16_t port;
	char token[MAX_TOKEN_BYTES];
	struct nx_thread thread;
	_Atomic bool is_stopping, is_closing;
	uint64_t refused_until_ns; /* the system has no descriptors left */
	/* Descriptors are opened and closed under this lock, so that a fork sees all of them. */
	pthread_mutex_t fork_lock;
	struct peer peers[MAX_CONNECTIONS];
	size_t peer_count;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- peers --------------------------------------------------------------------- */

static void close_peer(struct nx_rpc_server *s, size_t at)
{
	struct peer peer = s->peers[at];

	nx_rpc_connection_free(peer.connection);
	pthread_mutex_lock(&s->fork_lock);
	close(peer.fd);
	s->peers[at] = s->peers[--s->peer_count];
	pthread_mutex_unlock(&s->fork_lock);
}

/* Makes room by closing the connection that was silent longest and has no call. */
static bool make_room(struct nx_rpc_server *s)
{
	size_t oldest = SIZE_MAX;

	if (s->peer_count < s->hub.limits.max_connections)
		return true;
	for (size_t i = 0; i < s->peer_count; i++)
		if (!s->peers[i].connection->calls &&
		    (oldest == SIZE_MAX ||
		     s->peers[i].connection->heard_ns < s->peers[oldest].connection->heard_ns))
			oldest = i;
	if (oldest == SIZE_MAX)
		return false;
	close_peer(s, oldest);
	return true;
}

/* False if the connection is over. */
static bool receive(struct peer *peer)
{
	uint8_t buffer[READ_BYTES];

	for (unsigned turn = 0; turn < READS_PER_TURN; turn++) {
		ssize_t len = recv(peer->fd, buffer, sizeof(buffer), 0);

		if (len < 0)
			return errno == EAGAIN || errno == EINTR;
		if (!len ||
		    !nx_rpc_connection_receive(peer->connection, nx_slice_of(buffer, (size_t)len)))
			return false;
		if ((size_t)len < sizeof(buffer))
			break;
	}
	return true;
}

static bool send_some(struct peer *peer)
{
	struct nx_rpc_connection *c = peer->connection;

	for (;;) {
		ssize_t len;

		if (!nx_rpc_connection_prepare(c))
			return false;
		if (!c->unsent.len)
			return true;
		len = send(peer->fd, c->unsent.data, c->unsent.len, MSG_NOSIGNAL);
		if (len < 0)
			return errno == EAGAIN || errno == EINTR;
		nx_rpc_connection_sent(c, (size_t)len);
		if (c->unsent.len)
			return true;
	}
}

static void accept_peer(struct nx_rpc_server *s, uint64_t at_ns)
{
	struct nx_rpc_connection *c;
	const int on = 1;
	bool has_room = make_room(s);
	int fd;

	c = has_room ? nx_rpc_connection_new(&s->hub, at_ns) : NULL;
	pthread_mutex_lock(&s->fork_lock);
	fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0 && c)
		s->peers[s->peer_count++] = (struct peer){fd, c};
	else if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&s->fork_lock);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
		s->refused_until_ns = at_ns + RETRY_NS;
	if (fd < 0 && c)
		nx_rpc_connection_free(c);
	if (fd < 0 || !c)
		return;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (!send_some(&s->peers[s->peer_count - 1])) /* the server's settings */
		close_peer(s, s->peer_count - 1);
}

/* --- the loop -------------------------------------------------------------------- */

static int timeout_ms(const struct nx_rpc_server *s, uint64_t at_ns)
{
	uint64_t due = at_ns + (uint64_t)MS_PER_LOOP_MAX * 1000000u;

	if (s->refused_until_ns > at_ns && s->refused_until_ns < due)
		due = s->refused_until_ns;
	for (size_t i = 0; i < s->peer_count; i++) {
		uint64_t own = nx_rpc_connection_due_ns(s->peers[i].connection);

		due = own < due ? own : due;
	}
	/* rounded up: a loop that wakes too early spins */
	return due <= at_ns ? 0 : (int)((due - at_ns + 999999u) / 1000000u);
}

static size_t fill_polls(struct nx_rpc_server *s, struct pollfd *polls, uint64_t at_ns)
{
	bool is_listening = !s->hub.is_stopping && at_ns >= s->refused_until_ns;
	size_t count = 0;

	polls[count++] = (struct pollfd){.fd = s->hub.wake_fd, .events = POLLIN};
	/* a negative descriptor is ignored */
	polls[count++] = (struct pollfd){.fd = is_listening ? s->listener : -1, .events = POLLIN};
	for (size_t i = 0; i < s->peer_count; i++) {
		bool has_bytes = s->peers[i].connection->unsent.len > 0;

		polls[count++] = (struct pollfd){
			.fd = s->peers[i].fd,
			.events = (short)(POLLIN | (has_bytes ? POLLOUT : 0)),
		};
	}
	return count;
}

/* Downwards, because a peer that is closed is replaced by the last one. */
static void serve_peers(struct nx_rpc_server *s, const struct pollfd *polls, uint64_t at_ns)
{
	for (size_t i = s->peer_count; i-- > 0;) {
		struct peer *peer = &s->peers[i];
		short events = polls[i].revents;

		peer->connection->now_ns = at_ns;
		if ((events & (POLLIN | POLLHUP | POLLERR) && !receive(peer)) ||
		    !nx_rpc_connection_tick(peer->connection, at_ns))
			close_peer(s, i);
	}
	nx_rpc_hub_deliver(&s->hub);
	for (size_t i = s->peer_count; i-- > 0;)
		if (!send_some(&s->peers[i]))
			close_peer(s, i);
}

/* Callers get a last word; then everything is closed. */
static void say_goodbye(struct nx_rpc_server *s)
{
	for (size_t i = 0; i < s->peer_count; i++)
		nx_rpc_connection_end(s->peers[i].connection);
	for (size_t i = s->peer_count; i-- > 0;)
		if (!send_some(&s->peers[i]))
			close_peer(s, i);
}

static void take_wakes(const struct nx_rpc_server *s)
{
	uint64_t count;

	(void)!read(s->hub.wake_fd, &count, sizeof(count));
}

static void run(void *context)
{
	struct nx_rpc_server *s = context;
	struct pollfd polls[2 + MAX_CONNECTIONS];
	bool has_said_goodbye = false;

	while (!atomic_load(&s->is_closing)) {
		uint64_t at_ns = now_ns();
		size_t count = fill_polls(s, polls, at_ns);

		if (poll(polls, (nfds_t)count, timeout_ms(s, at_ns)) < 0 && errno != EINTR)
			break;
		at_ns = now_ns();
		if (polls[0].revents)
			take_wakes(s);
		serve_peers(s, polls + 2, at_ns);
		if (atomic_load(&s->is_stopping) && !has_said_goodbye) {
			s->hub.is_stopping = has_said_goodbye = true;
			say_goodbye(s);
		}
		if (polls[1].revents && !has_said_goodbye)
			accept_peer(s, at_ns);
	}
	while (s->peer_count)
		close_peer(s, s->peer_count - 1);
	nx_rpc_hub_deliver(&s->hub);
}

/* --- life -------------------------------------------------------------------------- */

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} socket;
	socklen_t len;
};

static enum nx_status read_address(struct address *address, const char *host, uint16_t port,
				   struct nx_error *err)
{
	*address = (struct address){.len = sizeof(address->socket.four)};
	if (inet_pton(AF_INET, host, &address->socket.four.sin_addr) == 1) {
		address->socket.four.sin_family = AF_INET;
		address->socket.four.sin_port = htons(port);
		return NX_OK;
	}
	if (inet_pton(AF_INET6, host, &address->socket.six.sin6_addr) == 1) {
		address->socket.six.sin6_family = AF_INET6;
		address->socket.six.sin6_port = htons(port);
		address->len = sizeof(address->socket.six);
		return NX_OK;
	}
	return nx_fail(err, NX_USAGE,
		       "%.60s is not an address; give one such as 127.0.0.1 or ::1 in digits",
		       host);
}

static enum nx_status listen_on(struct nx_rpc_server *s, const char *host, uint16_t port,
				struct nx_error *err)
{
	struct address address;
	const int on = 1;
	enum nx_status st = read_address(&address, host, port, err);

	if (st)
		return st;
	s->listener =
		socket(address.socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0)
		return nx_fail_errno(err, errno, "cannot open a socket");
	(void)setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(s->listener, &address.socket.any, address.len) || listen(s->listener, BACKLOG) ||
	    getsockname(s->listener, &address.socket.any, &address.len))
		return nx_fail_errno(err, errno, "cannot listen on %.60s port %u; choose another",
				     host, port);
	s->port = ntohs(address.socket.any.sa_family == AF_INET ? address.socket.four.sin_port
								: address.socket.six.sin6_port);
	return NX_OK;
}

static struct nx_rpc_limits limits_of(struct nx_rpc_limits given)
{
#define DEFAULT(member, value) given.member = given.member ? given.member : (value)
	DEFAULT(max_connections, 16);
	DEFAULT(max_streams, 32);
	DEFAULT(max_request_bytes, NX_GRPC_DEFAULT_MAX_BYTES);
	DEFAULT(max_all_bytes, (uint32_t)8 << 20);
	DEFAULT(max_control_frames, 1000);
	DEFAULT(request_ns, UINT64_C(30000000000));
	DEFAULT(stall_ns, UINT64_C(60000000000));
	DEFAULT(ping_ns, UINT64_C(30000000000));
	DEFAULT(idle_ns, UINT64_C(600000000000));
#undef DEFAULT
	if (given.max_connections > MAX_CONNECTIONS)
		given.max_connections = MAX_CONNECTIONS;
	return given;
}

static void release(struct nx_rpc_server *s)
{
	pthread_mutex_lock(&s->fork_lock);
	if (s->listener >= 0)
		close(s->listener);
	if (s->hub.wake_fd >= 0)
		close(s->hub.wake_fd);
	s->listener = s->hub.wake_fd = -1;
	pthread_mutex_unlock(&s->fork_lock);
	nx_rpc_hub_release(&s->hub);
	nx_heap_free(s);
}

enum nx_status nx_rpc_server_open(struct nx_rpc_server **server,
				  const struct nx_rpc_server_options *options, struct nx_error *err)
{
	struct nx_rpc_server *s;
	enum nx_status st;

	*server = NULL;
	if (options->token && strlen(options->token) >= sizeof(s->token))
		return nx_fail(err, NX_LIMIT, "the token has more than %d bytes",
			       MAX_TOKEN_BYTES - 1);
	s = nx_heap_try_alloc(sizeof(*s));
	if (!s)
		return nx_fail(err, NX_LIMIT, "out of memory for a server");
	if (options->token)
		snprintf(s->token, sizeof(s->token), "%s", options->token);
	s->hub.limits = limits_of(options->limits);
	s->hub.token = nx_slice_text(s->token);
	s->hub.handle = options->handle;
	s->hub.context = options->context;
	s->listener = -1;
	pthread_mutex_init(&s->fork_lock, NULL);
	if (!nx_rpc_hub_init(&s->hub)) {
		nx_heap_free(s);
		return nx_fail(err, NX_LIMIT, "out of memory for a server");
	}
	s->hub.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	st = s->hub.wake_fd < 0 ? nx_fail_errno(err, errno, "cannot open an eventfd")
				: listen_on(s, options->host, options->port, err);
	if (!st)
		st = nx_thread_start(&s->thread, "nx-service", run, s, err);
	if (st)
		release(s);
	else
		*server = s;
	return st;
}

uint16_t nx_rpc_server_port(const struct nx_rpc_server *server)
{
	return server->port;
}

static void wake(const struct nx_rpc_server *s)
{
	const uint64_t one = 1;

	(void)!write(s->hub.wake_fd, &one, sizeof(one));
}

void nx_rpc_server_stop(struct nx_rpc_server *server)
{
	atomic_store(&server->is_stopping, true);
	wake(server);
}

void nx_rpc_server_close(struct nx_rpc_server *server)
{
	atomic_store(&server->is_closing, true);
	wake(server);
	nx_thread_join(&server->thread);
	release(server);
}

/* --- fork ---------------------------------------------------------------------------- */

void nx_rpc_server_before_fork(struct nx_rpc_server *server)
{
	pthread_mutex_lock(&server->fork_lock);
}

void nx_rpc_server_after_fork(struct nx_rpc_server *server, bool is_child)
{
	if (is_child) {
		close(server->listener);
		close(server->hub.wake_fd);
		for (size_t i = 0; i < server->peer_count; i++)
			close(server->peers[i].fd);
	}
	pthread_mutex_unlock(&server->fork_lock);
}
