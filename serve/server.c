/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/server_internal.h"
#include "store/related_profiles.h"

#define IO_THREADS 2
#define CONNECTIONS_MAX 1500
#define FILES_WANTED (CONNECTIONS_MAX * 2 + 1000)
#define FIRST_SECONDS 10	    /* until a new connection sends a request */
#define CLIENT_CONNECTIONS_MAX 1000 /* of one address */
#define REQUEST_BYTES_MAX ((size_t)32 << 10)
#define STOP_CHECK_NS 50000000
#define PORTS_TO_TRY 50u
/* A request that finds this many waiting is refused with 503. */
#define QUICK_WAITING_MAX 2000
#define SLOW_WAITING_MAX 400
#define QUICK_THREADS_MAX 16
#define SLOW_THREADS 5 /* one client has four at most, as many as there are engines */
#define ANSWERS_MAX 48u
#define ANSWERS_BYTES_MAX (UINT64_C(128) << 20)

struct port {
	int fd;
	uint16_t number;
	struct MHD_Daemon *daemon;
};

/* --- ports ---------------------------------------------------------------------------------- */

/* Each connection needs a descriptor. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= FILES_WANTED)
		return;
	limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Targets are taken apart before they are decoded (serve/request.h), so MHD leaves them alone. */
static size_t leave_encoded(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context, (void)connection;
	return strlen(text);
}

static enum nx_status start_port(struct nx_server *server, struct port *port, struct nx_error *err)
{
	port->daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
		NULL, nx_exchange_go_on, server, MHD_OPTION_LISTEN_SOCKET, port->fd,
		MHD_OPTION_URI_LOG_CALLBACK, nx_exchange_begin, server, MHD_OPTION_NOTIFY_COMPLETED,
		nx_exchange_end, server, MHD_OPTION_UNESCAPE_CALLBACK, leave_encoded, NULL,
		MHD_OPTION_THREAD_POOL_SIZE, (unsigned)IO_THREADS, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)FIRST_SECONDS,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CLIENT_CONNECTIONS_MAX,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		REQUEST_BYTES_MAX, MHD_OPTION_END);
	if (port->daemon)
		return NX_OK;
	return nx_fail(err, NX_IO, "cannot start the web server on port %u", port->number);
}

static void stop_port(struct port *port)
{
	if (port->daemon)
		MHD_stop_daemon(port->daemon); /* closes fd */
	else if (port->fd >= 0)
		close(port->fd);
	*port = (struct port){.fd = -1};
}

static int listen_on(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, saved_errno;

	if (fd < 0)
		return -1;
	/* connections that were closed a moment ago do not block the port */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(fd, address->ai_addr, address->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return -1;
}

static int listen_at(const char *host, uint16_t port, int *resolving)
{
	struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
				 .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	char service[8];
	int fd, saved_errno;

	snprintf(service, sizeof(service), "%u", port);
	*resolving = getaddrinfo(host, service, &hints, &found);
	if (*resolving)
		return -1;
	fd = listen_on(found);
	saved_errno = errno;
	freeaddrinfo(found);
	errno = saved_errno;
	return fd;
}

/* The first free port above one that is in use, other than those that viewers take by default; 0:
 * none nearby. */
static uint16_t next_free(const char *host, uint16_t port)
{
	unsigned last = port + PORTS_TO_TRY < UINT16_MAX ? port + PORTS_TO_TRY : UINT16_MAX;
	int fd, resolving;

	for (unsigned p = port + 1u; p <= last; p++) {
		if (p == NX_SERVE_DEFAULT_PORT || p == NX_SERVE_DEFAULT_API_PORT)
			continue;
		fd = listen_at(host, (uint16_t)p, &resolving);
		if (fd < 0)
			continue;
		close(fd);
		return (uint16_t)p;
	}
	return 0;
}

static enum nx_status refuse_address(const char *host, uint16_t port, const char *option,
				     int errno_value, struct nx_error *err)
{
	uint16_t free_port = errno_value == EADDRINUSE ? next_free(host, port) : 0;

	if (free_port)
		return nx_fail(err, NX_USAGE,
			       "port %u on %s is in use, perhaps by another viewer; stop that "
			       "program, or add %s %u, which is free",
			       port, host, option, free_port);
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

/*
 * Opens a port. If *port is 0, chooses a free one. option names the option that sets the port, for
 * the message. USAGE if the port is in use, PERMISSION if the system reserves it.
 */
static enum nx_status open_port(const char *host, uint16_t *port, const char *option, int *fd,
				struct nx_error *err)
{
	struct sockaddr_in6 bound = {0};
	socklen_t size = sizeof(bound);
	int resolving;

	*fd = listen_at(host, *port, &resolving);
	if (resolving)
		return nx_fail(err, NX_NOT_FOUND,
			       "cannot listen on %s: %s; give a name or an "
			       "address of this machine",
			       host, gai_strerror(resolving));
	if (*fd < 0)
		return refuse_address(host, *port, option, errno, err);
	getsockname(*fd, (struct sockaddr *)&bound, &size);
	*port = ntohs(bound.sin6_port); /* at the same place in an IPv4 address */
	return NX_OK;
}

/* The second port is optional: if it is in use, that is an error only if the user gave it. Without
 * pages there is one port, that of the API. */
static enum nx_status open_ports(const struct nx_serve_options *options, const char *host,
				 struct port ports[2], char note[256], struct nx_error *err)
{
	struct nx_error api_error = {0};
	enum nx_status st;

	ports[0] = (struct port){.fd = -1, .number = options->port};
	ports[1] = (struct port){.fd = -1, .number = options->api_port};
	if (options->disable_ui) {
		ports[0].number = options->api_port;
		return open_port(host, &ports[0].number, "--api-server-port", &ports[0].fd, err);
	}
	st = open_port(host, &ports[0].number, "--port", &ports[0].fd, err);
	if (st || !options->api_port || options->api_port == ports[0].number)
		return st;
	st = open_port(host, &ports[1].number, "--api-server-port", &ports[1].fd, &api_error);
	if (st && options->is_api_port_asked)
		return nx_fail(err, st, "%s", api_error.message);
	if (st)
		snprintf(note, 256, "port %u is in use; the API is on port %u alone",
			 options->api_port, ports[0].number);
	return NX_OK;
}

/* --- the address to open --------------------------------------------------------------------- */

static const char *make_url(struct nx_arena *arena, const char *host, uint16_t port,
			    const char *path)
{
	static const char *const local[] = {"127.0.0.1", "::1", "0.0.0.0", "::"};
	bool is_v6 = strchr(host, ':') != NULL;

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (!strcmp(host, local[i])) {
			host = "localhost";
			is_v6 = false;
		}
	return nx_arena_printf(arena, is_v6 ? "http://[%s]:%u%s" : "http://%s:%u%s", host, port,
			       path);
}

static const char *encode(struct nx_arena *arena, const char *text)
{
	struct nx_bytes encoded = {0};
	const char *copy;

	nx_bytes_append_percent(&encoded, nx_slice_text(text));
	copy = nx_arena_copy(arena, nx_slice_of(encoded.items, encoded.len));
	nx_vec_release(&encoded);
	return copy;
}

/* A directory of captures may have device profiles only; then the list of profiles is opened. */
static bool has_profile(struct nx_workspace *workspace, const char *name)
{
	struct nx_profile_record record = {0};
	struct nx_arena arena = {0};
	enum nx_status st = nx_workspace_load(workspace, name, &arena, &record, NULL);

	nx_profile_record_release(&record);
	nx_arena_release(&arena);
	return !st;
}

/* n_... of a profile or p_... of ranks; the name if there is none. */
static const char *id_of(struct nx_workspace *workspace, const char *name, bool is_of_ranks,
			 struct nx_arena *arena)
{
	const struct nx_profile_record *record;
	struct nx_catalogue catalogue = {0};
	struct nx_ranks ranks = {0};
	char id[NX_RANKS_ID_MAX];

	if (!nx_catalogue_load(&catalogue, workspace, NULL)) {
		record = nx_catalogue_find(&catalogue, name);
		if (is_of_ranks)
			nx_related_ranks(&catalogue, name, &ranks);
		if (ranks.len) {
			nx_related_ranks_id(&ranks, id);
			name = nx_arena_copy_text(arena, id);
		} else if (!is_of_ranks && record && *record->key) {
			name = nx_arena_copy_text(arena, record->key);
		}
	}
	nx_vec_release(&ranks);
	nx_catalogue_release(&catalogue);
	return name;
}

static void tell_ready(const struct nx_server *server, const struct port ports[2], const char *note)
{
	const struct nx_serve_options *o = server->options;
	const char *name =
		o->open_name && (o->opens_ranks || has_profile(server->workspace, o->open_name))
			? o->open_name
			: NULL;
	const char *page = o->opens_ranks ? "profile_cc" : "profile";
	const char *token = server->guard.token;
	struct nx_arena arena = {0};
	const char *path;
	struct nx_serve_ready ready = {
		.is_of_profile = name, .is_api = o->disable_ui, .note = *note ? note : NULL};

	if (name && o->shows_id)
		name = id_of(server->workspace, name, o->opens_ranks, &arena);
	path = name ? nx_arena_printf(&arena, "/%s/%s", page, encode(&arena, name)) : "/";
	if (o->disable_ui)
		path = nx_arena_printf(&arena, "/api/v1/profiles%s%s%s", name ? "/" : "",
				       name ? encode(&arena, name) : "",
				       name && o->opens_ranks ? "/ranks" : "");
	if (token)
		path = nx_arena_printf(&arena, "%s?token=%s", path, encode(&arena, token));
	ready.url = make_url(&arena, server->host, ports[0].number, path);
	if (ports[1].fd >= 0)
		ready.api_url = make_url(&arena, server->host, ports[1].number, "/api/v1");
	if (o->on_ready)
		o->on_ready(o->context, &ready);
	nx_arena_release(&arena);
}

/* --- life ------------------------------------------------------------------------------------ */

static enum nx_status start(struct nx_server *server, struct nx_error *err)
{
	struct nx_processing_options how = {.workspace = server->workspace,
					    .program = server->options->program};
	unsigned quick = nx_workers_default_count(QUICK_THREADS_MAX);
	enum nx_status st = nx_timer_new(&server->timer, err);

	if (st)
		return st;
	server->profiles = nx_open_profiles_new(server->workspace);
	server->engines =
		nx_engine_pool_new(server->timer, &(struct nx_engine_pool_options){
							  .program = server->options->program});
	server->answers = nx_answer_cache_new(ANSWERS_MAX, ANSWERS_BYTES_MAX);
	server->streams = nx_streams_new();
	server->quick = nx_workers_new("nx-quick", quick < 2 ? 2 : quick, QUICK_WAITING_MAX);
	server->slow = nx_workers_new("nx-slow", SLOW_THREADS, SLOW_WAITING_MAX);
	server->events = nx_events_new(server->workspace, server->timer, server->quick);
	how.events = server->events;
	st = nx_workers_start(server->quick, err);
	if (!st)
		st = nx_workers_start(server->slow, err);
	if (!st)
		st = nx_processing_new(&server->processing, &how, err);
	if (st)
		return st;
	return nx_tasks_new(&server->tasks,
			    &(struct nx_tasks_options){.workspace = server->workspace,
						       .events = server->events,
						       .timer = server->timer,
						       .program = server->options->program},
			    err);
}

/*
 * MHD must have no suspended connection when it stops, so streams and handlers end first. Requests
 * that arrive meanwhile are refused, because the queues take no more jobs. MHD cannot stop
 * listening earlier: MHD_quiesce_daemon races with its own threads and aborts.
 */
static void stop(struct nx_server *server, struct port ports[2])
{
	atomic_store(&server->is_stopping, true);
	if (server->streams)
		nx_streams_stop(server->streams);
	if (server->quick)
		nx_workers_stop(server->quick);
	if (server->slow)
		nx_workers_stop(server->slow);
	stop_port(&ports[0]);
	stop_port(&ports[1]);
	nx_tasks_free(server->tasks);
	nx_processing_free(server->processing);
	nx_events_free(server->events);
	nx_workers_free(server->slow);
	nx_workers_free(server->quick);
	nx_streams_free(server->streams);
	nx_answer_cache_free(server->answers);
	nx_engine_pool_free(server->engines);
	nx_open_profiles_free(server->profiles);
	nx_timer_free(server->timer);
}

static enum nx_status run(struct nx_server *server, struct port ports[2], const char *note,
			  struct nx_error *err)
{
	const struct timespec pause = {.tv_nsec = STOP_CHECK_NS};
	enum nx_status st = start(server, err);

	for (int i = 0; !st && i < 2; i++)
		if (ports[i].fd >= 0)
			st = start_port(server, &ports[i], err);
	if (!st) {
		tell_ready(server, ports, note);
		/* the signal may reach another thread, so a sleep alone would miss it */
		while (!*server->options->stop)
			nanosleep(&pause, NULL);
	}
	return st;
}

static enum nx_status check_token(const char *token, struct nx_error *err)
{
	for (; token && *token; token++)
		if (*token <= ' ' || *token > '~' || strchr("\",;\\", *token))
			return nx_fail(err, NX_USAGE,
				       "a token consists of letters, digits and "
				       "signs other than \" , ; and \\");
	return NX_OK;
}

static bool is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;

	if (address->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

/* Others can reach every other address, and without a token they could read, change and delete all
 * profiles. */
static enum nx_status check_exposure(const char *host, const char *token, struct nx_error *err)
{
	struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	bool is_exposed = false;

	if ((token && *token) || getaddrinfo(host, NULL, &hints, &found))
		return NX_OK; /* a name that is unknown is reported later */
	for (const struct addrinfo *a = found; a; a = a->ai_next)
		is_exposed |= !is_loopback(a->ai_addr);
	freeaddrinfo(found);
	if (!is_exposed)
		return NX_OK;
	return nx_fail(err, NX_USAGE,
		       "other machines can reach %s and would need no password to read and delete "
		       "profiles; put a token into a file and add --token-file FILE, or set "
		       "NEURON_EXPLORER_TOKEN",
		       host);
}

static const char *host_of(const struct nx_serve_options *options)
{
	return options->host && *options->host ? options->host : "127.0.0.1";
}

enum nx_status nx_serve_check(const struct nx_serve_options *options, struct nx_error *err)
{
	struct port ports[2] = {{.fd = -1}, {.fd = -1}};
	char note[256] = "";
	enum nx_status st = check_token(options->token, err);

	if (!st)
		st = check_exposure(host_of(options), options->token, err);
	if (!st)
		st = open_ports(options, host_of(options), ports, note, err);
	stop_port(&ports[0]);
	stop_port(&ports[1]);
	return st;
}

enum nx_status nx_serve(const struct nx_serve_options *options, struct nx_error *err)
{
	const char *host = host_of(options);
	struct nx_workspace_options where = {.path = options->workspace_path};
	struct nx_server server = {.options = options, .host = host};
	struct port ports[2] = {{.fd = -1}, {.fd = -1}};
	char note[256] = "";
	enum nx_status st = check_token(options->token, err);

	assert(options->workspace_path && options->stop);
	if (!st)
		st = check_exposure(host, options->token, err);
	if (!st)
		st = nx_workspace_open(&server.workspace, &where, err);
	if (st)
		return st;
	raise_file_limit();
	nx_file_guard_tolerate();
	(void)nx_heap_has_reserve();
	st = open_ports(options, host, ports, note, err);
	server.guard = (struct nx_guard){
		.listening_on = host,
		.ports = {ports[0].number, ports[1].number},
		.token = options->token && *options->token ? options->token : NULL,
	};
	if (!st)
		st = run(&server, ports, note, err);
	stop(&server, ports);
	nx_workspace_close(server.workspace);
	return st;
}
