/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static enum nx_status refuse_address(const char *host, uint16_t port, const char *option,
				     int errno_value, struct nx_error *err)
{
	if (errno_value == EADDRINUSE)
		return nx_fail(err, NX_USAGE,
			       "port %u on %s is in use, perhaps by another viewer; stop that "
			       "program or choose another port with %s",
			       port, host, option);
	if (errno_value == EACCES)
		return nx_fail(err, NX_PERMISSION,
			       "the system does not let you listen on port %u; choose one "
			       "above 1023 with %s",
			       port, option);
	return nx_fail_errno(err, errno_value, "cannot listen on %s port %u", host, port);
}

static int listen_on(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, saved_errno;

	if (fd < 0)
		return -1;
	/* a port whose last visitors only just left is free all the same */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(fd, address->ai_addr, address->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return -1;
}

enum nx_status nx_listen(const char *host, uint16_t *port, const char *option, int *fd,
			 struct nx_error *err)
{
	struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
				 .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	struct sockaddr_in6 bound = {0};
	socklen_t size = sizeof(bound);
	char service[8];
	int failure;

	snprintf(service, sizeof(service), "%u", *port);
	failure = getaddrinfo(host, service, &hints, &found);
	if (failure)
		return nx_fail(err, NX_NOT_FOUND,
			       "cannot listen on %s: %s; give a name or an "
			       "address of this machine",
			       host, gai_strerror(failure));
	*fd = listen_on(found);
	failure = errno;
	freeaddrinfo(found);
	if (*fd < 0)
		return refuse_address(host, *port, option, failure, err);
	getsockname(*fd, (struct sockaddr *)&bound, &size);
	*port = ntohs(bound.sin6_port); /* at the same place in an IPv4 address */
	return NX_OK;
}
