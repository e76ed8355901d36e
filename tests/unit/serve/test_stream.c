/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "serve/stream.h"

#define PIECE_BYTES 5000
#define PIECE_COUNT 1000 /* several times what may wait */

static void bytes_come_in_order_and_end(void **state)
{
	struct nx_streams *all = nx_streams_new();
	struct nx_stream *s = nx_stream_new(all);
	char got[8];

	(void)state;
	assert_int_equal(nx_stream_write(s, "abc", 3, NULL), NX_OK);
	assert_true(nx_stream_offer(s, "def", 3));
	assert_int_equal(nx_stream_read(s, NULL, got, 4), 4);
	assert_memory_equal(got, "abcd", 4);
	nx_stream_end(s, false);
	assert_false(nx_stream_offer(s, "x", 1));
	assert_int_equal(nx_stream_read(s, NULL, got, 8), 2);
	assert_int_equal(nx_stream_read(s, NULL, got, 8), -1);
	nx_stream_release(s);
	nx_streams_free(all);
}

static void who_does_not_keep_up_is_offered_nothing(void **state)
{
	struct nx_streams *all = nx_streams_new();
	struct nx_stream *s = nx_stream_new(all);
	char *much = nx_heap_alloc(NX_STREAM_BYTES_MAX);

	(void)state;
	memset(much, 'x', NX_STREAM_BYTES_MAX);
	assert_true(nx_stream_offer(s, much, NX_STREAM_BYTES_MAX));
	assert_false(nx_stream_offer(s, "x", 1));
	nx_stream_leave(s);
	assert_true(nx_stream_is_gone(s));
	assert_int_equal(nx_stream_write(s, "x", 1, NULL), NX_CANCELLED);
	nx_stream_release(s);
	nx_heap_free(much);
	nx_streams_free(all);
}

static void a_stopped_server_has_no_streams(void **state)
{
	struct nx_streams *all = nx_streams_new();
	struct nx_stream *s = nx_stream_new(all), *late;
	char got[8];

	(void)state;
	nx_streams_stop(all);
	late = nx_stream_new(all);
	assert_int_equal(nx_stream_write(s, "x", 1, NULL), NX_CANCELLED);
	assert_int_equal(nx_stream_write(late, "x", 1, NULL), NX_CANCELLED);
	assert_int_equal(nx_stream_read(s, NULL, got, 8), -2);
	nx_stream_release(late);
	nx_stream_release(s);
	nx_streams_free(all);
}

static void count(void *context)
{
	++*(int *)context;
}

static void a_waiter_is_called_once_there_is_room(void **state)
{
	struct nx_streams *all = nx_streams_new();
	struct nx_stream *s = nx_stream_new(all);
	char *much = nx_heap_alloc(NX_STREAM_BYTES_MAX);
	int called = 0;

	(void)state;
	nx_stream_when_drained(s, count, &called);
	assert_int_equal(called, 1);
	memset(much, 'x', NX_STREAM_BYTES_MAX);
	assert_int_equal(nx_stream_write(s, much, NX_STREAM_BYTES_MAX, NULL), NX_OK);
	assert_true(nx_stream_is_full(s));
	nx_stream_when_drained(s, count, &called);
	assert_int_equal(nx_stream_read(s, NULL, much, NX_STREAM_BYTES_MAX / 2),
			 NX_STREAM_BYTES_MAX / 2);
	assert_int_equal(called, 1);
	assert_int_equal(nx_stream_read(s, NULL, much, 1), 1);
	assert_int_equal(called, 2);
	assert_int_equal(nx_stream_write(s, much, NX_STREAM_BYTES_MAX, NULL), NX_OK);
	nx_stream_when_drained(s, count, &called);
	nx_streams_stop(all);
	assert_int_equal(called, 3);
	nx_stream_release(s);
	nx_heap_free(much);
	nx_streams_free(all);
}

static void a_client_has_its_share_of_answers(void **state)
{
	struct nx_streams *all = nx_streams_new();
	struct nx_stream *held[NX_STREAMS_MAX];
	size_t len = 0;

	(void)state;
	for (uint64_t client = 0; client < 4; client++) {
		for (int i = 0; i < NX_STREAMS_CLIENT_MAX; i++) {
			held[len] = nx_stream_new_answer(all, client);
			assert_non_null(held[len++]);
		}
		assert_null(nx_stream_new_answer(all, client));
	}
	assert_int_equal(len, NX_STREAMS_MAX);
	assert_null(nx_stream_new_answer(all, 9));
	nx_stream_release(held[--len]);
	held[len++] = nx_stream_new_answer(all, 9);
	assert_non_null(held[len - 1]);
	while (len)
		nx_stream_release(held[--len]);
	nx_streams_free(all);
}

/* --- through a server ---------------------------------------------------------------- */

struct served {
	struct nx_streams *all;
	struct nx_stream *stream;
	struct MHD_Connection *connection;
	pthread_t writer;
	bool is_begun;
	enum nx_status status;
};

static ssize_t read_some(void *context, uint64_t offset, char *to, size_t room)
{
	struct served *s = context;
	ssize_t got = nx_stream_read(s->stream, s->connection, to, room);

	(void)offset;
	if (got < 0)
		return got == -1 ? MHD_CONTENT_READER_END_OF_STREAM
				 : MHD_CONTENT_READER_END_WITH_ERROR;
	return got;
}

static void leave(void *context)
{
	struct served *s = context;

	nx_stream_leave(s->stream);
	nx_stream_release(s->stream);
}

static void post(void *context)
{
	sem_post(context);
}

static void wait_until_drained(struct nx_stream *stream)
{
	sem_t drained;

	sem_init(&drained, 0, 0);
	nx_stream_when_drained(stream, post, &drained);
	while (sem_wait(&drained))
		continue;
	sem_destroy(&drained);
}

static void *write_pieces(void *context)
{
	struct served *s = context;
	char piece[PIECE_BYTES];

	for (int i = 0; i < PIECE_COUNT && !s->status; i++) {
		memset(piece, 'a' + i % 26, sizeof(piece));
		if (nx_stream_is_full(s->stream))
			wait_until_drained(s->stream);
		s->status = nx_stream_write(s->stream, piece, sizeof(piece), NULL);
		if (i % 100 == 0)
			usleep(1000); /* so that the connection waits for bytes now and then */
	}
	nx_stream_end(s->stream, false);
	nx_stream_release(s->stream);
	return NULL;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **request)
{
	struct served *s = context;
	struct MHD_Response *response;
	enum MHD_Result result;

	(void)url, (void)method, (void)version, (void)upload, (void)upload_size, (void)request;
	s->connection = connection;
	s->stream = nx_stream_new(s->all);
	nx_stream_hold(s->stream);
	s->is_begun = !pthread_create(&s->writer, NULL, write_pieces, s);
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_some, s, leave);
	result = MHD_queue_response(connection, 200, response);
	MHD_destroy_response(response);
	return result;
}

static struct MHD_Daemon *start(struct served *s, struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*s = (struct served){.all = nx_streams_new()};
	*address = (struct sockaddr_in){.sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_int_equal(bind(fd, (struct sockaddr *)address, sizeof(*address)), 0);
	assert_int_equal(listen(fd, 5), 0);
	getsockname(fd, (struct sockaddr *)address, &size);
	return MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
		NULL, answer, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_END);
}

static int ask(const struct sockaddr_in *address)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)address, sizeof(*address)), 0);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	return fd;
}

static void a_slow_reader_gets_everything(void **state)
{
	struct sockaddr_in address;
	struct served s;
	struct MHD_Daemon *daemon = start(&s, &address);
	size_t letters = 0;
	char got[16384];
	ssize_t len;
	int fd = ask(&address);

	(void)state;
	while ((len = read(fd, got, sizeof(got))) > 0)
		for (ssize_t i = 0; i < len; i++)
			letters += got[i] == 'z';
	close(fd);
	pthread_join(s.writer, NULL);
	assert_int_equal(s.status, NX_OK);
	/* of 1000 pieces the 26th, 52nd, ... 988th; no header has a z */
	assert_int_equal(letters, 38 * PIECE_BYTES);
	MHD_stop_daemon(daemon);
	nx_streams_free(s.all);
}

static void a_writer_notices_that_its_reader_left(void **state)
{
	struct sockaddr_in address;
	struct served s;
	struct MHD_Daemon *daemon = start(&s, &address);
	char got[100];
	int fd = ask(&address);

	(void)state;
	assert_true(read(fd, got, sizeof(got)) > 0);
	close(fd);
	pthread_join(s.writer, NULL);
	assert_int_equal(s.status, NX_CANCELLED);
	MHD_stop_daemon(daemon);
	nx_streams_free(s.all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_come_in_order_and_end),
		cmocka_unit_test(who_does_not_keep_up_is_offered_nothing),
		cmocka_unit_test(a_stopped_server_has_no_streams),
		cmocka_unit_test(a_waiter_is_called_once_there_is_room),
		cmocka_unit_test(a_client_has_its_share_of_answers),
		cmocka_unit_test(a_slow_reader_gets_everything),
		cmocka_unit_test(a_writer_notices_that_its_reader_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
