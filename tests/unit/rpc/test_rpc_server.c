/* SPDX-License-Identifier: Apache-2.0 */
/* The server with its sockets and threads; test_rpc_connection has what needs neither. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"
#include "rpc/rpc_server.h"

/* A connection preface, SETTINGS, and a POST of an empty gRPC message on stream 1 with the headers
 * of HPACK's static table: enough for a whole call without a library. */
static const uint8_t request[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
				 "\0\0\0\4\0\0\0\0\0"	/* SETTINGS */
				 "\0\0\x2b\1\4\0\0\0\1" /* HEADERS, END_HEADERS */
				 "\x83\x86"		/* POST, http */
				 "\4\4/a/b"		/* :path */
				 "\1\1x"		/* :authority */
				 "\x0f\x10\x10"		/* content-type */
				 "application/grpc"	/* 16 bytes */
				 "\0\2te\x08trailers"
				 "\0\0\5\0\1\0\0\0\1\0\0\0\0\0"; /* DATA, END_STREAM */

struct fixture {
	struct nx_rpc_server *server;
	struct nx_thread thread;
	struct nx_rpc_call *call;
	bool is_threaded, is_kept;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned call_count, end_count;
};

static void answer_call(void *context)
{
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	struct fixture *f = context;

	nx_rpc_answer_add_bytes(&answer, nx_slice_text("done"));
	nx_rpc_call_answer(f->call, &answer);
}

static void count_end(void *context)
{
	struct fixture *f = context;

	pthread_mutex_lock(&f->lock);
	f->end_count++;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void handle(void *context, struct nx_rpc_call *call)
{
	struct fixture *f = context;
	struct nx_error err;

	f->call = call;
	nx_rpc_call_on_end(call, count_end, f);
	if (f->is_threaded && !nx_thread_start(&f->thread, "answer", answer_call, f, &err))
		f->is_kept = false;
	pthread_mutex_lock(&f->lock);
	f->call_count++;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void wait_for(struct fixture *f, const unsigned *number, unsigned least)
{
	pthread_mutex_lock(&f->lock);
	while (*number < least)
		pthread_cond_wait(&f->changed, &f->lock);
	pthread_mutex_unlock(&f->lock);
}

static void open_server(struct fixture *f, struct nx_rpc_limits limits)
{
	struct nx_error err = {0};

	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	assert_int_equal(nx_rpc_server_open(&f->server,
					    &(struct nx_rpc_server_options){.host = "127.0.0.1",
									    .handle = handle,
									    .context = f,
									    .limits = limits},
					    &err),
			 NX_OK);
	assert_true(nx_rpc_server_port(f->server) > 0);
}

static int connect_to(const struct fixture *f)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(nx_rpc_server_port(f->server)),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Reads until the text came or the connection ended. */
static bool read_until(int fd, const char *text)
{
	uint8_t bytes[4096];
	size_t len = 0;

	while (len < sizeof(bytes)) {
		ssize_t got = recv(fd, bytes + len, sizeof(bytes) - len, 0);

		if (got <= 0)
			return false;
		len += (size_t)got;
		if (memmem(bytes, len, text, strlen(text)))
			return true;
	}
	return false;
}

static void an_answer_may_come_from_another_thread(void **state)
{
	struct fixture f = {.is_threaded = true};
	int fd;

	(void)state;
	open_server(&f, (struct nx_rpc_limits){0});
	fd = connect_to(&f);
	assert_int_equal(send(fd, request, sizeof(request) - 1, 0), sizeof(request) - 1);
	assert_true(read_until(fd, "done"));
	nx_thread_join(&f.thread);
	nx_rpc_server_stop(f.server);
	nx_rpc_server_close(f.server);
	close(fd);
}

static void a_peer_that_disappears_ends_its_call(void **state)
{
	struct fixture f = {0};
	int fd;

	(void)state;
	open_server(&f, (struct nx_rpc_limits){0});
	fd = connect_to(&f);
	assert_int_equal(send(fd, request, sizeof(request) - 1, 0), sizeof(request) - 1);
	wait_for(&f, &f.call_count, 1);
	close(fd);
	wait_for(&f, &f.end_count, 1);
	nx_rpc_call_fail(f.call, NX_GRPC_ABORTED, "nobody reads this");
	nx_rpc_server_stop(f.server);
	nx_rpc_server_close(f.server);
}

static void a_server_that_stops_ends_its_calls(void **state)
{
	struct fixture f = {0};
	int fd;

	(void)state;
	open_server(&f, (struct nx_rpc_limits){0});
	fd = connect_to(&f);
	assert_int_equal(send(fd, request, sizeof(request) - 1, 0), sizeof(request) - 1);
	wait_for(&f, &f.call_count, 1);
	nx_rpc_server_stop(f.server);
	wait_for(&f, &f.end_count, 1);
	nx_rpc_call_fail(f.call, NX_GRPC_ABORTED, "nobody reads this");
	assert_false(read_until(fd, "done"));
	nx_rpc_server_close(f.server);
	close(fd);
}

static void the_oldest_idle_connection_makes_room(void **state)
{
	struct fixture f = {.is_threaded = true};
	int first, second;
	char byte;

	(void)state;
	open_server(&f, (struct nx_rpc_limits){.max_connections = 1});
	first = connect_to(&f);
	assert_int_equal(recv(first, &byte, 1, 0), 1); /* the server's settings: it is accepted */
	second = connect_to(&f);
	assert_int_equal(send(second, request, sizeof(request) - 1, 0), sizeof(request) - 1);
	assert_true(read_until(second, "done"));
	while (recv(first, &byte, 1, 0) == 1)
		;
	nx_thread_join(&f.thread);
	nx_rpc_server_stop(f.server);
	nx_rpc_server_close(f.server);
	close(first);
	close(second);
}

static void a_taken_port_or_a_name_is_refused(void **state)
{
	struct fixture f = {0};
	struct nx_rpc_server *second;
	struct nx_error err = {0};
	struct nx_rpc_server_options options = {.host = "127.0.0.1", .handle = handle};

	(void)state;
	open_server(&f, (struct nx_rpc_limits){0});
	options.port = nx_rpc_server_port(f.server);
	assert_int_not_equal(nx_rpc_server_open(&second, &options, &err), NX_OK);
	assert_non_null(strstr(err.message, "port"));
	options.host = "localhost";
	assert_int_equal(nx_rpc_server_open(&second, &options, &err), NX_USAGE);
	nx_rpc_server_stop(f.server);
	nx_rpc_server_close(f.server);
}

#if !defined(__SANITIZE_THREAD__) /* it does not follow a fork of a program with threads */
static unsigned count_sockets(void)
{
	unsigned count = 0;

	for (int fd = 3; fd < 256; fd++) {
		struct stat st;

		count += !fstat(fd, &st) && S_ISSOCK(st.st_mode);
	}
	return count;
}

static void the_child_of_a_fork_has_no_descriptor_of_it(void **state)
{
	struct fixture f = {.is_threaded = true};
	unsigned before = count_sockets();
	int fd, status;
	char byte;
	pid_t pid;

	(void)state;
	open_server(&f, (struct nx_rpc_limits){0});
	fd = connect_to(&f);
	assert_int_equal(recv(fd, &byte, 1, 0), 1);
	nx_rpc_server_before_fork(f.server);
	pid = fork();
	nx_rpc_server_after_fork(f.server, pid == 0);
	if (pid == 0)
		_exit(count_sockets() == before + 1 ? 0 : 1); /* our end of the connection */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* the parent's goes on */
	assert_int_equal(send(fd, request, sizeof(request) - 1, 0), sizeof(request) - 1);
	assert_true(read_until(fd, "done"));
	nx_thread_join(&f.thread);
	nx_rpc_server_stop(f.server);
	nx_rpc_server_close(f.server);
	close(fd);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_may_come_from_another_thread),
		cmocka_unit_test(a_peer_that_disappears_ends_its_call),
		cmocka_unit_test(a_server_that_stops_ends_its_calls),
		cmocka_unit_test(the_oldest_idle_connection_makes_room),
		cmocka_unit_test(a_taken_port_or_a_name_is_refused),
#if !defined(__SANITIZE_THREAD__)
		cmocka_unit_test(the_child_of_a_fork_has_no_descriptor_of_it),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
