/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server for captures on demand: libnxservice.so.1, which is loaded when it is asked for.
 * NEURON_PROFILER_PORT asks for it without a change of the program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profiler/profiler_internal.h"
#include "runtime/service/service.h"

#define PORT_VARIABLE "NEURON_PROFILER_PORT"
#define HOST_VARIABLE "NEURON_PROFILER_HOST"
#define TOKEN_VARIABLE "NEURON_PROFILER_TOKEN_FILE"
#define DEFAULT_HOST "127.0.0.1"
#define TOKEN_BYTES 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct nx_service_interface *service; /* NULL until the first server */

/* --- the library ------------------------------------------------------------------------------ */

/* It is installed in the same folder; in a build tree it has one of its own. */
static void *load_library(void)
{
	static const char *const places[] = {"", "../service/"};
	void *library = dlopen(NX_SERVICE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	char path[1280];
	Dl_info here;
	int len;

	if (library || !dladdr(&lock, &here) || !here.dli_fname)
		return library;
	len = (int)(strrchr(here.dli_fname, '/') ? strrchr(here.dli_fname, '/') - here.dli_fname + 1
						 : 0);
	for (size_t i = 0; !library && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%.*s%s" NX_SERVICE_LIBRARY, len, here.dli_fname,
			 places[i]);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return library;
}

static enum nx_status load(struct nx_error *err)
{
	nx_service_interface_fn get = NULL;
	void *library;

	if (service)
		return NX_OK;
	library = load_library();
	if (!library)
		return nx_fail(err, NX_UNSUPPORTED,
			       "the profiler server needs " NX_SERVICE_LIBRARY
			       ", which cannot be loaded (%.300s); install it beside "
			       "libnxprofiler.so.1 or add its folder to LD_LIBRARY_PATH",
			       dlerror());
	*(void **)&get = dlsym(library, NX_SERVICE_FUNCTION);
	service = get ? get() : NULL;
	if (service && (service->version != NX_SERVICE_VERSION || service->size < sizeof(*service)))
		service = NULL;
	if (!service)
		return nx_fail(err, NX_UNSUPPORTED,
			       NX_SERVICE_LIBRARY " and libnxprofiler.so.1 are of different "
						  "versions; install both from one release");
	return NX_OK;
}

/* --- settings --------------------------------------------------------------------------------- */

static enum nx_status read_token(const char *path, char *token, size_t cap, struct nx_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return nx_fail_errno(err, errno, TOKEN_VARIABLE ": cannot read %.200s", path);
	len = read(fd, token, cap);
	close(fd);
	if (len == (ssize_t)cap)
		return nx_fail(err, NX_LIMIT, TOKEN_VARIABLE ": %.200s has more than %zu bytes",
			       path, cap - 1);
	while (len > 0 && strchr(" \t\r\n", token[len - 1]))
		len--;
	if (len <= 0)
		return nx_fail(err, NX_FORMAT, TOKEN_VARIABLE ": %.200s is empty", path);
	token[len] = 0;
	return NX_OK;
}

static const char *variable(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? text : NULL;
}

static enum nx_status read_port(const char *text, uint16_t *port, struct nx_error *err)
{
	uint64_t number;

	if (!nx_slice_to_u64(nx_slice_text(text), &number) || number > UINT16_MAX)
		return nx_fail(err, NX_USAGE,
			       "\"%.60s\" is not a port; give a number from 0 to 65535, where 0 "
			       "picks one",
			       text);
	*port = (uint16_t)number;
	return NX_OK;
}

static enum nx_status start(const nx_profiler_server_options *options, struct nx_error *err)
{
	static const struct nx_service_profiler functions = {
		.demand = nx_profiler_demand,
		.error = nx_profiler_error,
		.directory = nx_profiler_directory,
		.continuous_start = nx_profiler_continuous_start,
		.continuous_stop = nx_profiler_continuous_stop,
		.snapshot = nx_profiler_snapshot,
	};
	struct nx_service_settings settings = {.host = options->host,
					       .port = options->port,
					       .token = options->token,
					       .output_dir = options->output_dir};
	char token[TOKEN_BYTES];
	enum nx_status st = NX_OK;

	if (!settings.host)
		settings.host = variable(HOST_VARIABLE) ? variable(HOST_VARIABLE) : DEFAULT_HOST;
	if (!settings.output_dir || !*settings.output_dir)
		settings.output_dir = NX_PROFILER_DEFAULT_FOLDER;
	if (!settings.token && variable(TOKEN_VARIABLE)) {
		st = read_token(variable(TOKEN_VARIABLE), token, sizeof(token), err);
		settings.token = token;
	}
	if (!st)
		st = load(err);
	return st ? st : service->start(&functions, &settings, err);
}

/* --- the interface ---------------------------------------------------------------------------- */

static int status_of_server(enum nx_status st)
{
	switch (st) {
	case NX_OK:
		return NX_PROFILER_OK;
	case NX_MISMATCH: /* one is running */
		return NX_PROFILER_BUSY;
	case NX_LIMIT:
		return NX_PROFILER_LIMIT;
	case NX_USAGE:
	case NX_PERMISSION:
	case NX_FORMAT:
		return NX_PROFILER_INVALID;
	default:
		return NX_PROFILER_IO;
	}
}

NX_PROFILER_EXPORT int nx_profiler_start_server(const nx_profiler_server_options *given)
{
	nx_profiler_server_options options = nx_profiler_server_options_default();
	struct nx_error err = {0};
	enum nx_status st = NX_OK;

	if (given && given->struct_size < offsetof(nx_profiler_server_options, token))
		return nx_profiler_fail(NX_PROFILER_INVALID,
					"nx_profiler_start_server: struct_size is too small; begin "
					"with nx_profiler_server_options_default()");
	if (given)
		memcpy(&options, given,
		       given->struct_size < sizeof(options) ? given->struct_size : sizeof(options));
	else if (variable(PORT_VARIABLE))
		st = read_port(variable(PORT_VARIABLE), &options.port, &err);
	pthread_mutex_lock(&lock);
	if (!st)
		st = start(&options, &err);
	pthread_mutex_unlock(&lock);
	return st ? nx_profiler_fail(status_of_server(st), err.message) : NX_PROFILER_OK;
}

NX_PROFILER_EXPORT int nx_profiler_stop_server(void)
{
	bool was_on;

	pthread_mutex_lock(&lock);
	was_on = service && service->port();
	if (was_on)
		service->stop();
	pthread_mutex_unlock(&lock);
	return was_on ? NX_PROFILER_OK
		      : nx_profiler_fail(NX_PROFILER_IDLE,
					 "no profiler server is running; start one first");
}

NX_PROFILER_EXPORT uint16_t nx_profiler_server_port(void)
{
	uint16_t port;

	pthread_mutex_lock(&lock);
	port = service ? service->port() : 0;
	pthread_mutex_unlock(&lock);
	return port;
}

void nx_profiler_server_abandon(void)
{
	pthread_mutex_init(&lock, NULL);
}

static void __attribute__((constructor)) serve_from_environment(void)
{
	if (variable(PORT_VARIABLE) && nx_profiler_start_server(NULL))
		nx_profiler_complain(PORT_VARIABLE, nx_profiler_error());
}
