/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/rpc_client.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/progress.h"
#include "base/vec.h"

#define NS_PER_MS UINT64_C(1000000)
/* For each of a host's addresses; an unreachable one often does not answer at all. */
#define CONNECT_MS 10000
#define READ_BYTES ((size_t)256 << 10)

/* A connection and its socket. */
struct link {
	struct link *next;
	char *address; /* as given */
	struct nx_rpc_channel *http;
	struct addrinfo *found, *dialled; /* what the name stands for; the one in use */
	int fd;				  /* -1: none */
	bool is_connected, is_over;
	uint64_t dial_deadline_ns;
	struct nx_slice unsent;
};

struct nx_rpc_client {
	struct link *links;
	uint64_t last_id;
	NX_VEC(struct pollfd) polled;
	uint8_t *buffer;
};

/* --- addresses ---------------------------------------------------------------- */

static bool split(struct nx_slice text, struct nx_slice *host, struct nx_slice *port,
		  bool *is_bracketed)
{
	const uint8_t *colon = text.len ? memrchr(text.data, ':', text.len) : NULL;
	size_t at = colon ? (size_t)(colon - text.data) : 0;

	if (!colon)
		return false;
	*host = nx_slice_part(text, 0, at);
	*port = nx_slice_part(text, at + 1, text.len);
	*is_bracketed = host->len > 2 && host->data[0] == '[' && host->data[at - 1] == ']';
	if (*is_bracketed)
		*host = nx_slice_part(*host, 1, at - 2);
	return host->len && (*is_bracketed || !memchr(host->data, ':', host->len));
}

/* Letters, digits and what IPv6 addresses with zones have: names become parts of file names. */
static bool host_is_valid(struct nx_slice host, bool is_bracketed)
{
	for (size_t i = 0; i < host.len; i++) {
		uint8_t c = host.data[i], letter = c | 0x20;
		bool is_word = (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9');

		if (!is_word && !strchr(is_bracketed ? ":.%-_" : ".-_", c))
			return false;
	}
	return host.len < NX_RPC_HOST_MAX && host.data[0] != '.';
}

enum nx_status nx_rpc_address_parse(struct nx_slice text, struct nx_rpc_address *address,
				    struct nx_error *err)
{
	struct nx_slice host, port;
	bool is_bracketed;
	uint64_t number = 0;

	if (!split(text, &host, &port, &is_bracketed) || !host_is_valid(host, is_bracketed) ||
	    !nx_slice_to_u64(port, &number) || !number || number > UINT16_MAX)
		return nx_fail(err, NX_USAGE,
			       "'%.*s' is not an address; give host:port, with an IPv6 address in "
			       "brackets, as [::1]:9012",
			       (int)(text.len < 200 ? text.len : 200), (const char *)text.data);
	memcpy(address->host, host.data, host.len);
	address->host[host.len] = '\0';
	address->port = (uint16_t)number;
	address->is_bracketed = is_bracketed;
	return NX_OK;
}

/* --- dialling ----------------------------------------------------------------- */

static void close_socket(struct link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
	link->unsent = (struct nx_slice){0};
}

static void break_link(struct link *link, enum nx_rpc_end end, const struct nx_error *why)
{
	nx_rpc_channel_break(link->http, end, why);
	close_socket(link);
	link->is_over = true;
}

static int open_socket(const struct addrinfo *to)
{
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	if (connect(fd, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS)
		return fd;
	one = errno;
	close(fd);
	errno = one;
	return -1;
}

/* The next of the host's addresses; reason is why the one before failed. */
static void dial_next(struct link *link, int reason)
{
	struct nx_error why;

	close_socket(link);
	link->dialled = link->dialled ? link->dialled->ai_next : link->found;
	while (link->dialled && link->fd < 0) {
		link->fd = open_socket(link->dialled);
		if (link->fd >= 0) {
			link->dial_deadline_ns = nx_now_ns() + CONNECT_MS * NS_PER_MS;
			return;
		}
		reason = errno;
		link->dialled = link->dialled->ai_next;
	}
	(void)!nx_fail(&why, NX_IO,
		       "cannot connect to %s: %s; check that the program runs and listens there",
		       link->address, strerror(reason));
	break_link(link, NX_RPC_UNREACHED, &why);
}

static void look_up(struct link *link)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct nx_rpc_address address = {0};
	struct nx_error why;
	char port[8];
	int failed;

	if (nx_rpc_address_parse(nx_slice_text(link->address), &address, &why)) {
		break_link(link, NX_RPC_UNREACHED, &why);
		return;
	}
	(void)snprintf(port, sizeof(port), "%u", address.port);
	failed = getaddrinfo(address.host, port, &hints, &link->found);
	if (failed) {
		link->found = NULL;
		(void)!nx_fail(&why, NX_NOT_FOUND, "cannot find the host of %s: %s", link->address,
			       gai_strerror(failed));
		break_link(link, NX_RPC_UNREACHED, &why);
		return;
	}
	dial_next(link, ENETUNREACH);
}

static struct link *new_link(struct nx_rpc_client *client, const char *address)
{
	struct link *link = nx_heap_alloc(sizeof(*link));
	size_t len = strlen(address) + 1;

	*link = (struct link){.next = client->links, .fd = -1};
	link->address = nx_heap_alloc(len);
	memcpy(link->address, address, len);
	link->http = nx_rpc_channel_new(address);
	client->links = link;
	return link;
}

static void free_link(struct link *link)
{
	close_socket(link);
	if (link->found)
		freeaddrinfo(link->found);
	nx_rpc_channel_free(link->http);
	nx_heap_free(link->address);
	nx_heap_free(link);
}

/* --- calls --------------------------------------------------------------------- */

struct nx_rpc_client *nx_rpc_client_new(void)
{
	struct nx_rpc_client *client = nx_heap_alloc(sizeof(*client));

	memset(client, 0, sizeof(*client));
	client->buffer = nx_heap_alloc(READ_BYTES);
	return client;
}

void nx_rpc_client_free(struct nx_rpc_client *client)
{
	if (!client)
		return;
	for (struct link *link = client->links, *next; link; link = next) {
		next = link->next;
		free_link(link);
	}
	nx_vec_release(&client->polled);
	nx_heap_free(client->buffer);
	nx_heap_free(client);
}

uint64_t nx_rpc_client_call(struct nx_rpc_client *client, const char *address,
			    const struct nx_rpc_request *request)
{
	struct link *link = client->links;
	bool is_new;

	while (link && (link->is_over || strcmp(link->address, address) != 0 ||
			!nx_rpc_channel_is_usable(link->http)))
		link = link->next;
	is_new = !link;
	if (is_new)
		link = new_link(client, address);
	nx_rpc_channel_start(link->http, ++client->last_id, request);
	if (is_new)
		look_up(link);
	return client->last_id;
}

void nx_rpc_client_cancel(struct nx_rpc_client *client, uint64_t id)
{
	for (struct link *link = client->links; link; link = link->next)
		if (nx_rpc_channel_cancel(link->http, id))
			return;
}

size_t nx_rpc_client_pending(const struct nx_rpc_client *client)
{
	size_t count = 0;

	for (const struct link *link = client->links; link; link = link->next)
		count += nx_rpc_channel_pending(link->http);
	return count;
}

/* --- bytes ---------------------------------------------------------------------- */

static void lose_link(struct link *link, const char *what, int reason)
{
	struct nx_error why;

	(void)!nx_fail(&why, NX_IO, "%s %s%s%s; did the program end?", link->address, what,
		       reason ? ": " : "", reason ? strerror(reason) : "");
	break_link(link, NX_RPC_BROKEN, &why);
}

static void send_due(struct link *link)
{
	while (link->fd >= 0 && link->is_connected) {
		ssize_t sent;

		if (!link->unsent.len)
			link->unsent = nx_rpc_channel_output(link->http);
		if (!link->unsent.len)
			return;
		sent = send(link->fd, link->unsent.data, link->unsent.len, MSG_NOSIGNAL);
		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (sent < 0)
			lose_link(link, "closed the connection", errno);
		else
			link->unsent =
				nx_slice_part(link->unsent, (uint64_t)sent, link->unsent.len);
	}
}

/* At most one buffer, so that no server keeps the others waiting. */
static void receive(struct link *link, uint8_t *buffer)
{
	ssize_t len = recv(link->fd, buffer, READ_BYTES, 0);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (len > 0)
		nx_rpc_channel_feed(link->http, nx_slice_of(buffer, (size_t)len));
	else
		lose_link(link, "closed the connection before it had answered",
			  len < 0 ? errno : 0);
}

static void finish_dialling(struct link *link)
{
	int reason = 0;
	socklen_t len = sizeof(reason);

	if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &reason, &len) < 0)
		reason = errno;
	if (reason)
		dial_next(link, reason);
	else
		link->is_connected = true;
}

static void serve_link(struct link *link, short events, uint8_t *buffer)
{
	if (!link->is_connected && events & (POLLOUT | POLLERR | POLLHUP))
		finish_dialling(link);
	else if (!link->is_connected && nx_now_ns() >= link->dial_deadline_ns)
		dial_next(link, ETIMEDOUT);
	else if (link->is_connected && events & (POLLIN | POLLERR | POLLHUP))
		receive(link, buffer);
	send_due(link);
}

/* Before the wait: sends what is due, and asks what to wait for. Returns when to wake up. */
static uint64_t prepare(struct nx_rpc_client *client, uint64_t now_ns)
{
	uint64_t wake_ns = UINT64_MAX;

	nx_vec_clear(&client->polled);
	for (struct link *link = client->links; link; link = link->next) {
		uint64_t next_ns = nx_rpc_channel_expire(link->http, now_ns);
		struct pollfd polled = {.fd = -1};

		if (link->fd >= 0 && !link->is_connected && link->dial_deadline_ns < next_ns)
			next_ns = link->dial_deadline_ns;
		if (next_ns < wake_ns)
			wake_ns = next_ns;
		send_due(link);
		polled.fd = link->fd;
		polled.events =
			(short)(link->is_connected ? POLLIN | (link->unsent.len ? POLLOUT : 0)
						   : POLLOUT);
		nx_vec_push(&client->polled, polled);
	}
	return wake_ns;
}

/* Reports calls that have ended, and forgets connections that have. */
static bool report(struct nx_rpc_client *client)
{
	bool has_more = false;

	for (struct link *link = client->links; link; link = link->next)
		nx_rpc_channel_report(link->http);
	for (struct link **at = &client->links; *at;) {
		struct link *link = *at;
		bool is_idle = !nx_rpc_channel_pending(link->http);

		if (is_idle && (link->is_over || !nx_rpc_channel_is_usable(link->http))) {
			*at = link->next;
			free_link(link);
			continue;
		}
		has_more |= link->is_over;
		at = &link->next;
	}
	return has_more;
}

void nx_rpc_client_turn(struct nx_rpc_client *client, unsigned wait_ms)
{
	uint64_t now_ns = nx_now_ns(), wake_ns;
	size_t at = 0;

	/* calls that ended while they were started or cancelled */
	if (report(client))
		return;
	wake_ns = prepare(client, now_ns);
	if (wake_ns < now_ns + wait_ms * NS_PER_MS)
		wait_ms = (unsigned)((wake_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS);
	if (poll(client->polled.items, client->polled.len, (int)wait_ms) < 0)
		return;
	for (struct link *link = client->links; link; link = link->next, at++)
		if (link->fd >= 0)
			serve_link(link, client->polled.items[at].revents, client->buffer);
	now_ns = nx_now_ns();
	for (struct link *link = client->links; link; link = link->next)
		(void)nx_rpc_channel_expire(link->http, now_ns);
	(void)report(client);
}
