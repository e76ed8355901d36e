/* SPDX-License-Identifier: Apache-2.0 */
/* libnxservice.so.1: the server, its methods, and the record that local programs find it by. */
#include "runtime/service/service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "format/service_record.h"
#include "rpc/rpc_server.h"
#include "runtime/service/service_internal.h"

#define COMMAND_BYTES 512
#define EXPORT __attribute__((visibility("default")))

static struct {
	pthread_mutex_t lock; /* also held while a fork copies the process */
	struct nx_rpc_server *server;
	struct nx_service_profiler profiler;
	char output_dir[NX_SERVICE_PATH_BYTES / 2];
	char record[NX_SERVICE_PATH_BYTES]; /* the path; "": none was written */
} service = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- methods ----------------------------------------------------------------------- */

static const struct method {
	const char *path;
	enum nx_job_kind kind;
	void (*run)(struct nx_service_task *job);
	uint32_t id_field; /* of the request: what nx_job_terminate names; 0: none */
} methods[] = {
	{NX_SERVICE_PROFILE, NX_JOB_CAPTURE, nx_job_profile, 6},
	{NX_SERVICE_MONITOR, NX_JOB_CAPTURE, nx_job_monitor, 0},
	{NX_SERVICE_NEW_SESSION, NX_JOB_CAPTURE, nx_job_new_session, 4},
	{NX_SERVICE_START_CONTINUOUS, NX_JOB_READING, nx_job_start_continuous, 0},
	{NX_SERVICE_STOP_CONTINUOUS, NX_JOB_READING, nx_job_stop_continuous, 0},
	{NX_SERVICE_GET_SNAPSHOT, NX_JOB_READING, nx_job_snapshot, 0},
	{NX_SERVICE_ENUM_SESSIONS, NX_JOB_READING, nx_job_enum_sessions, 0},
	{NX_SERVICE_GET_TOOL_DATA, NX_JOB_READING, nx_job_tool_data, 0},
};

static struct nx_slice find_text(struct nx_slice message, uint32_t number)
{
	struct nx_wire_reader reader = nx_wire_reader_of(message);
	struct nx_wire_value value;
	struct nx_slice text = {0};

	while (nx_wire_next(&reader, &value))
		if (value.number == number)
			text = value.bytes;
	return text;
}

static void start_job(const struct method *method, struct nx_rpc_call *call)
{
	struct nx_service_task job = {.call = call,
				      .run = method->run,
				      .profiler = &service.profiler,
				      .output_dir = service.output_dir};
	struct nx_slice id = {0};

	if (method->id_field)
		id = find_text(nx_rpc_call_request(call), method->id_field);
	if (id.len && id.len < sizeof(job.session_id))
		memcpy(job.session_id, id.data, id.len);
	nx_job_start(method->kind, &job);
}

/* On the server's thread. */
static void handle(void *context, struct nx_rpc_call *call)
{
	struct nx_slice path = nx_rpc_call_method(call);
	struct nx_rpc_answer answer = NX_RPC_ANSWER;

	(void)context;
	if (nx_slice_is(path, NX_SERVICE_TERMINATE)) {
		nx_job_terminate(find_text(nx_rpc_call_request(call), 1));
		nx_rpc_call_answer(call, &answer);
		return;
	}
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (nx_slice_is(path, methods[i].path)) {
			start_job(&methods[i], call);
			return;
		}
	nx_rpc_call_fail(call, NX_GRPC_UNIMPLEMENTED, "no such method");
}

/* --- the record ---------------------------------------------------------------------- */

/* Makes a folder that only this user can use; false if somebody else made it before. */
static bool make_private(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return false;
	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static void read_command(char *out, size_t cap)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, out, cap - 1);

	if (fd >= 0)
		close(fd);
	len = len < 0 ? 0 : len;
	out[len] = 0;
	for (ssize_t i = 0; i + 1 < len; i++)
		if (!out[i])
			out[i] = ' ';
}

static bool write_private(const char *path, struct nx_slice bytes)
{
	char temporary[NX_SERVICE_PATH_BYTES + 8];
	bool is_written;
	int fd;

	snprintf(temporary, sizeof(temporary), "%s.new", path);
	(void)unlink(temporary); /* of a process that was killed and had this number */
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	is_written = write(fd, bytes.data, bytes.len) == (ssize_t)bytes.len;
	close(fd);
	if (is_written && !rename(temporary, path))
		return true;
	(void)unlink(temporary);
	return false;
}

static void write_record(void *context)
{
	const struct nx_service_settings *settings = context;
	char folder[NX_SERVICE_PATH_BYTES / 2], parent[NX_SERVICE_PATH_BYTES / 2];
	char command[COMMAND_BYTES];
	struct nx_service_record record = {
		.pid = (uint64_t)getpid(),
		.process_start = nx_service_process_start((uint64_t)getpid()),
		.started_ns = nx_service_epoch_ns(),
		.host = settings->host,
		.port = nx_rpc_server_port(service.server),
		.command = command,
		.needs_token = settings->token != NULL,
	};
	struct nx_bytes bytes = {0};

	if (!nx_service_record_folder(folder, sizeof(folder)))
		return;
	snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(folder, '/') - folder), folder);
	if (!make_private(parent) || !make_private(folder))
		return; /* the server can be reached by its address alone */
	read_command(command, sizeof(command));
	snprintf(service.record, sizeof(service.record), "%s/%d.json", folder, (int)getpid());
	nx_service_record_append(&bytes, &record);
	if (!write_private(service.record, nx_slice_of(bytes.items, bytes.len)))
		*service.record = 0;
	nx_vec_release(&bytes);
}

/* --- fork ------------------------------------------------------------------------------ */

static void before_fork(void)
{
	pthread_mutex_lock(&service.lock);
	if (service.server)
		nx_rpc_server_before_fork(service.server);
}

static void after_fork_parent(void)
{
	if (service.server)
		nx_rpc_server_after_fork(service.server, false);
	pthread_mutex_unlock(&service.lock);
}

static void after_fork_child(void)
{
	if (service.server)
		nx_rpc_server_after_fork(service.server, true);
	service.server = NULL;
	*service.record = 0;
	nx_jobs_abandon();
	pthread_mutex_unlock(&service.lock);
}

static void register_fork_handlers(void)
{
	(void)pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* --- life -------------------------------------------------------------------------------- */

static bool is_loopback(const char *host)
{
	struct in6_addr six, one = IN6ADDR_LOOPBACK_INIT;
	struct in_addr four;

	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, host, &six) == 1 && !memcmp(&six, &one, sizeof(one));
}

static enum nx_status start(const struct nx_service_profiler *profiler,
			    const struct nx_service_settings *settings, struct nx_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct nx_rpc_server_options options = {.host = settings->host,
						.port = settings->port,
						.token = settings->token,
						.handle = handle};
	enum nx_status st;

	if (!is_loopback(settings->host) && !settings->token)
		return nx_fail(err, NX_PERMISSION,
			       "a server on %.60s needs a token, because other machines can reach "
			       "it; set one, or use 127.0.0.1",
			       settings->host);
	if (strlen(settings->output_dir) >= sizeof(service.output_dir))
		return nx_fail(err, NX_LIMIT, "the folder name %.60s... is too long",
			       settings->output_dir);
	pthread_once(&once, register_fork_handlers);
	pthread_mutex_lock(&service.lock);
	if (service.server) {
		pthread_mutex_unlock(&service.lock);
		return nx_fail(err, NX_MISMATCH,
			       "a profiler server is already running; stop it first");
	}
	service.profiler = *profiler;
	snprintf(service.output_dir, sizeof(service.output_dir), "%s", settings->output_dir);
	st = nx_rpc_server_open(&service.server, &options, err);
	if (!st && !nx_heap_guarded(write_record, (void *)settings))
		*service.record = 0;
	pthread_mutex_unlock(&service.lock);
	return st;
}

static void stop(void)
{
	struct nx_rpc_server *server;

	pthread_mutex_lock(&service.lock);
	server = service.server;
	if (*service.record)
		(void)unlink(service.record);
	*service.record = 0;
	pthread_mutex_unlock(&service.lock);
	if (!server)
		return;
	nx_rpc_server_stop(server);
	nx_jobs_stop();
	pthread_mutex_lock(&service.lock);
	service.server = NULL;
	nx_rpc_server_close(server);
	nx_jobs_join();
	pthread_mutex_unlock(&service.lock);
}

static uint16_t port(void)
{
	uint16_t number;

	pthread_mutex_lock(&service.lock);
	number = service.server ? nx_rpc_server_port(service.server) : 0;
	pthread_mutex_unlock(&service.lock);
	return number;
}

static const struct nx_service_interface interface = {
	.version = NX_SERVICE_VERSION,
	.size = sizeof(interface),
	.start = start,
	.stop = stop,
	.port = port,
};

EXPORT const struct nx_service_interface *nx_service_interface(void);
EXPORT const struct nx_service_interface *nx_service_interface(void)
{
	return &interface;
}
