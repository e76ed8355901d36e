/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/serve.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "export/exporters.h"
#include "serve/site.h"

#define THREADS 2
#define CONNECTIONS_MAX 256
#define IDLE_SECONDS 30
#define REQUEST_BYTES_MAX ((size_t)32 << 10)
#define STOP_CHECK_NS 50000000

static enum nx_status refuse_address(const char *host, uint16_t port, int errno_value,
				     struct nx_error *err)
{
	if (errno_value == EADDRINUSE)
		return nx_fail(err, NX_USAGE,
			       "port %u on %s is in use, perhaps by another viewer; stop that "
			       "program or choose another port with --port",
			       port, host);
	if (errno_value == EACCES)
		return nx_fail(err, NX_PERMISSION,
			       "the system does not let you listen on port %u; choose one "
			       "above 1023 with --port",
			       port);
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

static enum nx_status open_port(const char *host, uint16_t *port, int *fd, struct nx_error *err)
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
		return refuse_address(host, *port, failure, err);
	getsockname(*fd, (struct sockaddr *)&bound, &size);
	*port = ntohs(bound.sin6_port); /* at the same place in an IPv4 address */
	return NX_OK;
}

static void tell_url(const struct nx_profile *profile, const struct nx_serve_options *options,
		     const char *host, uint16_t port)
{
	static const char *const local[] = {"127.0.0.1", "::1", "0.0.0.0", "::"};
	char key[NX_PROFILE_KEY_MAX], url[512];
	bool is_v6 = strchr(host, ':') != NULL;

	if (!options->on_ready)
		return;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (!strcmp(host, local[i])) {
			host = "localhost";
			is_v6 = false;
		}
	nx_profile_key(profile, key);
	snprintf(url, sizeof(url), is_v6 ? "http://[%s]:%u/profile/%s" : "http://%s:%u/profile/%s",
		 host, port, key);
	options->on_ready(options->context, url);
}

static enum nx_status run(struct nx_site *site, int fd, const struct nx_profile *profile,
			  const struct nx_serve_options *options, const char *host, uint16_t port,
			  struct nx_error *err)
{
	const struct timespec pause = {.tv_nsec = STOP_CHECK_NS};
	struct MHD_Daemon *daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
		NULL, nx_site_answer, site, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_BYTES_MAX, MHD_OPTION_END);

	if (!daemon) {
		close(fd);
		return nx_fail(err, NX_IO, "cannot start the web server on %s port %u", host, port);
	}
	tell_url(profile, options, host, port);
	/* the signal may reach another thread, so a sleep alone would miss it */
	while (!*options->stop)
		nanosleep(&pause, NULL);
	nx_site_stop(site);
	MHD_stop_daemon(daemon); /* closes fd */
	return NX_OK;
}

enum nx_status nx_serve_profile(const struct nx_profile *profile,
				const struct nx_serve_options *options, struct nx_error *err)
{
	const char *host = options->host && *options->host ? options->host : "127.0.0.1";
	uint16_t port = options->port;
	struct nx_site *site;
	enum nx_status st;
	int fd = -1;

	/* first, so that a port in use is not found out after a long computation */
	st = open_port(host, &port, &fd, err);
	if (st)
		return st;
	st = nx_site_new(&site, profile, host, err);
	if (st) {
		close(fd);
		return st;
	}
	st = run(site, fd, profile, options, host, port, err);
	nx_site_free(site);
	return st;
}
