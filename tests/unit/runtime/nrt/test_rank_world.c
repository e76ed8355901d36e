/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that meet, wait in vain, and die: as threads and as processes. */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "rank_threads.h"
#include "runtime/nrt/ranks/rank_group.h"
#include "runtime/nrt/ranks/rank_world_internal.h"
#include "tests/unit/granted_threads.h"

static int reserved = -1;

/* The port stays bound here, so that nobody else on the machine is given it; rank 0 may listen. */
static void set_root(char *text, size_t cap)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int one = 1;

	reserved = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(reserved, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)), 0);
	assert_int_equal(bind(reserved, (struct sockaddr *)&address, len), 0);
	assert_int_equal(getsockname(reserved, (struct sockaddr *)&address, &len), 0);
	snprintf(text, cap, "127.0.0.1:%u", ntohs(address.sin_port));
	setenv("NEURON_RT_ROOT_COMM_ID", text, 1);
}

static int start_clean(void **state)
{
	(void)state;
	unsetenv("NEURON_RT_ROOT_COMM_ID");
	setenv("NEURON_RT_EXEC_TIMEOUT", "20", 1);
	return 0;
}

static int end_worlds(void **state)
{
	(void)state;
	nx_rank_worlds_end();
	if (reserved >= 0)
		close(reserved);
	reserved = -1;
	return 0;
}

/* --- threads ------------------------------------------------------------------------------ */

struct meeting {
	enum nx_status st[RANK_THREADS_MAX];
	uint64_t largest[RANK_THREADS_MAX];
	struct nx_error err[RANK_THREADS_MAX];
};

static void meet(void *context, uint32_t rank, uint32_t count)
{
	struct meeting *m = context;
	struct nx_rank_world *world;
	struct nx_rank_group group;

	m->largest[rank] = 1000 + (rank * 7) % count;
	m->st[rank] = nx_rank_world_join(rank, count, &world, &m->err[rank]);
	if (!m->st[rank])
		m->st[rank] =
			nx_rank_group_init(&group, world, rank, NULL, count, 1, &m->err[rank]);
	for (int i = 0; i < 20 && !m->st[rank]; i++)
		m->st[rank] = nx_rank_group_meet(&group, 0, &m->largest[rank], &m->err[rank]);
	nx_rank_world_leave(world, rank);
}

static void test_threads_meet(void **state)
{
	static const uint32_t counts[] = {1, 2, 3, 8, 32};

	(void)state;
	for (size_t n = 0; n < 5; n++) {
		struct meeting m = {0};

		rank_threads_run(counts[n], meet, &m);
		for (uint32_t r = 0; r < counts[n]; r++) {
			assert_int_equal(m.st[r], NX_OK);
			assert_int_equal(m.largest[r], 1000 + counts[n] - 1);
		}
	}
}

static void test_order_by_sender_and_tag(void **state)
{
	struct nx_rank_world *world, *same;
	struct nx_rank_message *message;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_rank_world_join(0, 2, &world, &err), NX_OK);
	assert_int_equal(nx_rank_world_join(1, 2, &same, &err), NX_OK);
	assert_ptr_equal(world, same);
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(nx_rank_world_send(world, 0, 1, i % 2, nx_slice_of(&i, 8), &err),
				 NX_OK);
	for (uint64_t i = 0; i < 6; i++) {
		uint64_t wanted = i < 3 ? 2 * i + 1 : 2 * (i - 3);

		assert_int_equal(nx_rank_world_take(world, 1, 0, i < 3, &message, &err), NX_OK);
		assert_int_equal(message->len, 8);
		assert_memory_equal(message->bytes, &wanted, 8);
		nx_rank_message_free(message);
	}
	assert_true(nx_rank_world_tag(world, 0, 5) == nx_rank_world_tag(world, 1, 5));
	assert_true(nx_rank_world_tag(world, 0, 5) != nx_rank_world_tag(world, 1, 6));
	nx_rank_world_leave(world, 0);
	nx_rank_world_leave(world, 1);
}

static void test_missing_ranks_are_named(void **state)
{
	struct nx_rank_world *world;
	struct nx_rank_message *message;
	struct nx_error err;

	(void)state;
	setenv("NEURON_RT_EXEC_TIMEOUT", "1", 1);
	assert_int_equal(nx_rank_world_join(1, 4, &world, &err), NX_OK);
	assert_int_equal(nx_rank_world_take(world, 1, 2, 0, &message, &err), NX_CANCELLED);
	assert_non_null(strstr(err.message, "rank 1 waited 1 s for rank 2"));
	assert_non_null(strstr(err.message, "missing of 4 ranks: 0, 2, 3."));
	assert_int_equal(nx_rank_world_send(world, 1, 3, 0, nx_slice_text("x"), &err),
			 NX_CANCELLED);
	assert_int_equal(nx_rank_world_take(world, 1, 1, 0, &message, &err), NX_CANCELLED);
	nx_rank_world_leave(world, 1);
}

static void test_wrong_arguments(void **state)
{
	struct nx_rank_world *world;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_rank_world_join(2, 2, &world, &err), NX_USAGE);
	assert_int_equal(nx_rank_world_join(0, 0, &world, &err), NX_USAGE);
	assert_int_equal(nx_rank_world_join(0, NX_RANK_MAX + 1, &world, &err), NX_LIMIT);
	setenv("NEURON_RT_ROOT_COMM_ID", "nowhere", 1);
	assert_int_equal(nx_rank_world_join(0, 2, &world, &err), NX_USAGE);
	assert_non_null(strstr(err.message, "is not host:port"));
	setenv("NEURON_RT_ROOT_COMM_ID", "127.0.0.1:70000", 1);
	assert_int_equal(nx_rank_world_join(0, 2, &world, &err), NX_USAGE);
}

static void test_foreign_members(void **state)
{
	static const uint32_t far[] = {0, 9}, others[] = {0, 2};
	struct nx_rank_world *world;
	struct nx_rank_group group;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_rank_world_join(1, 3, &world, &err), NX_OK);
	assert_int_equal(nx_rank_group_init(&group, world, 1, far, 2, 0, &err), NX_FORMAT);
	assert_int_equal(nx_rank_group_init(&group, world, 1, others, 2, 0, &err), NX_MISMATCH);
	nx_rank_world_leave(world, 1);
}

/* --- processes ----------------------------------------------------------------------- */

static int run_process(uint32_t rank, uint32_t count)
{
	struct meeting m = {0};

	meet(&m, rank, count);
	if (m.st[rank])
		fprintf(stderr, "# rank %u: %s\n", rank, m.err[rank].message);
	nx_rank_worlds_end();
	return m.st[rank] || m.largest[rank] != 1000 + count - 1;
}

static void await_children(const pid_t *children, uint32_t count)
{
	for (uint32_t r = 0; r < count; r++) {
		int how;

		assert_int_equal(waitpid(children[r], &how, 0), children[r]);
		assert_int_equal(how, 0);
	}
}

static void test_processes_meet(void **state)
{
	char root[64];
	pid_t children[5];

	(void)state;
	set_root(root, sizeof(root));
	for (uint32_t r = 5; r-- > 0;) {
		children[r] = fork();
		if (children[r] == 0)
			_exit(run_process(r, 5));
	}
	await_children(children, 5);
}

/* Two ranks in each of two processes, and a megabyte between all of them. */
static void exchange(void *context, uint32_t rank, uint32_t count)
{
	uint32_t *first = context, self = *first + rank;
	size_t len = (size_t)1 << 20;
	uint8_t *bytes = calloc(1, len);
	struct nx_rank_message *message;
	struct nx_rank_world *world;
	struct nx_error err;

	(void)count;
	memset(bytes, (int)self, len);
	if (nx_rank_world_join(self, 4, &world, &err))
		_exit(2);
	for (uint32_t to = 0; to < 4; to++)
		if (nx_rank_world_send(world, self, to, 3, nx_slice_of(bytes, len), &err))
			_exit(3);
	for (uint32_t from = 0; from < 4; from++) {
		if (nx_rank_world_take(world, self, from, 3, &message, &err)) {
			fprintf(stderr, "# rank %u: %s\n", self, err.message);
			_exit(4);
		}
		for (size_t i = 0; i < len; i += 4097)
			if (message->len != len || message->bytes[i] != from)
				_exit(5);
		nx_rank_message_free(message);
	}
	nx_rank_world_leave(world, self);
	free(bytes);
}

static void test_threads_in_processes(void **state)
{
	char root[64];
	pid_t children[2];

	(void)state;
	set_root(root, sizeof(root));
	for (uint32_t p = 0; p < 2; p++) {
		uint32_t first = 2 * p;

		children[p] = fork();
		if (children[p])
			continue;
		rank_threads_run(2, exchange, &first);
		nx_rank_worlds_end();
		_exit(0);
	}
	for (uint32_t p = 0; p < 2; p++) {
		int how;

		assert_int_equal(waitpid(children[p], &how, 0), children[p]);
		assert_int_equal(how, 0);
	}
}

static pid_t start_mute_rank(uint32_t rank, uint32_t count)
{
	pid_t child = fork();

	if (child == 0) {
		struct nx_rank_world *world;
		struct nx_error err;

		if (nx_rank_world_join(rank, count, &world, &err))
			_exit(1);
		for (;;)
			pause();
	}
	return child;
}

/* Seen from the root, and from a process that hears of it by way of the root. */
static void test_killed_rank(void **state)
{
	char root[64];
	pid_t dying, other;
	struct nx_rank_world *world;
	struct nx_rank_message *message;
	struct nx_error err;
	int how;

	(void)state;
	set_root(root, sizeof(root));
	dying = start_mute_rank(2, 3);
	other = fork();
	if (other == 0) {
		enum nx_status st = nx_rank_world_join(1, 3, &world, &err);

		if (!st)
			st = nx_rank_world_send(world, 1, 2, 0, nx_slice_text("x"), &err);
		if (!st)
			st = nx_rank_world_send(world, 1, 0, 0, nx_slice_text("x"), &err);
		if (!st)
			st = nx_rank_world_take(world, 1, 2, 0, &message, &err);
		_exit(st == NX_IO && strstr(err.message, "whose process has ended") ? 0 : 1);
	}
	assert_int_equal(nx_rank_world_join(0, 3, &world, &err), NX_OK);
	assert_int_equal(nx_rank_world_take(world, 0, 1, 0, &message, &err), NX_OK);
	nx_rank_message_free(message);
	assert_int_equal(nx_rank_world_send(world, 0, 2, 0, nx_slice_text("x"), &err), NX_OK);
	kill(dying, SIGKILL);
	assert_int_equal(waitpid(dying, &how, 0), dying);
	assert_int_equal(nx_rank_world_take(world, 0, 2, 0, &message, &err), NX_IO);
	assert_non_null(strstr(err.message, "rank 0 waited for rank 2, whose process has ended"));
	assert_int_equal(waitpid(other, &how, 0), other);
	assert_int_equal(how, 0);
	nx_rank_world_leave(world, 0);
}

/* Meets all; those that are not rank 0 have something to tell each other later. */
static int run_late_process(uint32_t rank)
{
	static const uint32_t both[] = {1, 2};
	struct nx_rank_world *world;
	struct nx_rank_group all, rest;
	struct nx_error err = {0};
	uint64_t largest = rank;
	enum nx_status st = nx_rank_world_join(rank, 3, &world, &err);

	if (!st)
		st = nx_rank_group_init(&all, world, rank, NULL, 3, 1, &err);
	if (!st)
		st = nx_rank_group_meet(&all, 0, &largest, &err);
	if (!st && rank > 0) {
		usleep(100000);
		st = nx_rank_group_init(&rest, world, rank, both, 2, 2, &err);
		if (!st)
			st = nx_rank_group_meet(&rest, 0, &largest, &err);
	}
	if (st)
		fprintf(stderr, "# rank %u: %s\n", rank, err.message);
	nx_rank_world_leave(world, rank);
	nx_rank_worlds_end();
	return st != NX_OK;
}

static void test_root_ends_last(void **state)
{
	pid_t children[3];
	char root[64];

	(void)state;
	set_root(root, sizeof(root));
	for (uint32_t r = 0; r < 3; r++) {
		children[r] = fork();
		if (children[r] == 0)
			_exit(run_late_process(r));
	}
	await_children(children, 3);
}

static void test_port_in_use(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct nx_rank_message *message;
	struct nx_rank_world *world;
	struct nx_error err;
	char root[64];

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	snprintf(root, sizeof(root), "127.0.0.1:%u", ntohs(address.sin_port));
	setenv("NEURON_RT_ROOT_COMM_ID", root, 1);
	assert_int_equal(nx_rank_world_join(0, 2, &world, &err), NX_OK);
	assert_int_not_equal(nx_rank_world_take(world, 0, 1, 0, &message, &err), NX_OK);
	assert_non_null(strstr(err.message, "rank 0 cannot listen at NEURON_RT_ROOT_COMM_ID"));
	nx_rank_world_leave(world, 0);
	close(fd);
}

/* Without its thread a rank would wait for the others until the timeout. */
static void test_no_thread_for_the_network(void **state)
{
	struct nx_rank_message *message;
	struct nx_rank_world *world;
	struct nx_error err;
	char root[64];

	(void)state;
	for (uint32_t rank = 0; rank < 2; rank++) {
		set_root(root, sizeof(root));
		threads_left = 0;
		assert_int_equal(nx_rank_world_join(rank, 2, &world, &err), NX_OK);
		threads_left = THREADS_ENOUGH;
		assert_int_equal(nx_rank_world_take(world, rank, 1 - rank, 0, &message, &err),
				 NX_LIMIT);
		assert_non_null(strstr(err.message, "no connection between the ranks: the system "
						    "refuses to start a thread (nrt-ranks)"));
		nx_rank_world_leave(world, rank);
		end_worlds(state);
	}
}

/* A stranger who calls the root and talks nonsense changes nothing for the ranks. */
static void test_stranger_at_the_root(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char root[64], nonsense[64] = "GET / HTTP/1.1\r\n\r\n";
	struct nx_rank_world *world;
	struct meeting m = {0};
	struct nx_error err;
	pid_t child;
	int fd, how;

	(void)state;
	set_root(root, sizeof(root));
	child = fork();
	if (child == 0)
		_exit(run_process(1, 2));
	assert_int_equal(nx_rank_world_join(0, 2, &world, &err), NX_OK);
	address.sin_port = htons((uint16_t)atoi(strchr(root, ':') + 1));
	fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(write(fd, nonsense, sizeof(nonsense)), sizeof(nonsense));
	meet(&m, 0, 2);
	assert_int_equal(m.st[0], NX_OK);
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_int_equal(how, 0);
	close(fd);
	nx_rank_world_leave(world, 0);
}

/* --- frames -------------------------------------------------------------------------- */

static void test_frames(void **state)
{
	const struct nx_rank_frame wanted = {NX_RANK_DATA, 3, 1, 77, 1 << 20};
	uint8_t bytes[NX_RANK_FRAME_BYTES];
	struct nx_rank_frame frame;
	struct nx_error err;

	(void)state;
	nx_rank_frame_put(&wanted, bytes);
	assert_int_equal(nx_rank_frame_get(bytes, 4, &frame, &err), NX_OK);
	assert_int_equal(frame.kind, NX_RANK_DATA);
	assert_int_equal(frame.from, 3);
	assert_int_equal(frame.to, 1);
	assert_int_equal(frame.tag, 77);
	assert_int_equal(frame.len, 1 << 20);
	assert_int_equal(nx_rank_frame_get(bytes, 3, &frame, &err), NX_FORMAT);
	bytes[4] = 9;
	assert_int_equal(nx_rank_frame_get(bytes, 4, &frame, &err), NX_FORMAT);
	bytes[4] = NX_RANK_JOIN;
	assert_int_equal(nx_rank_frame_get(bytes, 4, &frame, &err), NX_FORMAT);
	bytes[4] = NX_RANK_HELLO;
	assert_int_equal(nx_rank_frame_get(bytes, 4, &frame, &err), NX_MISMATCH);
	bytes[0] ^= 1;
	assert_int_equal(nx_rank_frame_get(bytes, 4, &frame, &err), NX_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_processes_meet, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_threads_in_processes, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_killed_rank, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_stranger_at_the_root, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_root_ends_last, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_port_in_use, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_no_thread_for_the_network, start_clean,
						end_worlds),
		cmocka_unit_test_setup_teardown(test_threads_meet, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_order_by_sender_and_tag, start_clean,
						end_worlds),
		cmocka_unit_test_setup_teardown(test_missing_ranks_are_named, start_clean,
						end_worlds),
		cmocka_unit_test_setup_teardown(test_wrong_arguments, start_clean, end_worlds),
		cmocka_unit_test_setup_teardown(test_foreign_members, start_clean, end_worlds),
		cmocka_unit_test(test_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
