/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for version 3 of nrt_async, in the two ways clients wait: one non-blocking eventfd per
 * unit under epoll with the numbers compared, and a blocking eventfd per request.
 * usage: async_version3 NEFF
 */
#include <nrt/nrt_async.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/clients/client.h"

#define REQUESTS 64

struct channel { /* of a unit, as an event loop keeps it */
	nrta_xu_t unit;
	int fd;
};

static struct channel open_channel(int poller, nrta_xu_t unit)
{
	struct channel channel = {unit, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
	struct epoll_event event = {.events = EPOLLIN, .data.fd = channel.fd};

	EXPECT(channel.fd >= 0);
	EXPECT(epoll_ctl(poller, EPOLL_CTL_ADD, channel.fd, &event) == 0);
	SUCCEED(nrta_event_register_xu_completion(0, unit, 0, channel.fd));
	return channel;
}

static void close_channel(const struct channel *channel)
{
	SUCCEED(nrta_event_register_xu_completion(0, channel->unit, 0, -1));
	close(channel->fd);
}

/* Waits until the unit has completed the number, without asking for each request. */
static void poll_until(int poller, const struct channel *channel, nrta_seq_t seq)
{
	nrta_seq_t latest = 0;

	do {
		struct epoll_event event;
		uint64_t count;

		EXPECT(epoll_wait(poller, &event, 1, 60000) == 1);
		EXPECT(read(event.data.fd, &count, sizeof(count)) == sizeof(count) && count > 0);
		SUCCEED(nrta_get_sequence(0, channel->unit, 0, &latest));
		EXPECT(NRTA_SEQ_GET_XU_ID(latest) == NRTA_SEQ_GET_XU_ID(seq));
	} while (NRTA_SEQ_GET_SEQ_NUM(latest) < NRTA_SEQ_GET_SEQ_NUM(seq));
}

static void wait_blocking(nrta_seq_t seq)
{
	int fd = eventfd(0, 0);
	uint64_t count;

	SUCCEED(nrta_event_register_seq_id_completion(seq, fd));
	EXPECT(read(fd, &count, sizeof(count)) == sizeof(count));
	SUCCEED(nrta_event_register_seq_id_completion(seq, -1));
	close(fd);
}

static void write_in_batches(const struct client_model *m, int poller,
			     const struct channel *tensors)
{
	NRT_STATUS status[REQUESTS];
	char bytes[REQUESTS], got[REQUESTS] = {0};
	nrta_seq_t first = 0, seq = 0;

	memset(status, 0xff, sizeof(status));
	for (unsigned i = 0; i < REQUESTS; i++) {
		bytes[i] = (char)i;
		SUCCEED(nrta_tensor_write(m->input, &bytes[i], i, 1, 0, 0, &status[i], &seq));
		first = first ? first : seq;
	}
	EXPECT(seq - first == REQUESTS - 1); /* numbers of a unit are consecutive */
	poll_until(poller, tensors, seq);
	for (unsigned i = 0; i < REQUESTS; i++)
		EXPECT(__atomic_load_n(&status[i], __ATOMIC_RELAXED) == NRT_SUCCESS);
	SUCCEED(nrta_tensor_read(got, m->input, 0, REQUESTS, 0, 0, &status[0], &seq));
	poll_until(poller, tensors, seq);
	EXPECT(memcmp(got, bytes, REQUESTS) == 0);
}

static void *execute_and_wait(void *context)
{
	const struct client_model *m = context;

	for (int i = 0; i < 20; i++) {
		NRT_STATUS status = NRT_FAILURE;
		nrta_seq_t seq;

		SUCCEED(nrta_execute_schedule(m->model, m->inputs, m->outputs, 0, &status, &seq));
		wait_blocking(seq);
		EXPECT(status == NRT_SUCCESS);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int poller = epoll_create1(EPOLL_CLOEXEC), left_open;
	struct channel tensors, compute;
	struct client_model loaded;
	NRT_STATUS status = NRT_SUCCESS;
	pthread_t threads[4];
	bool is_completed;
	nrta_seq_t seq;

	if (argc != 2)
		return 2;
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "client", "1.0"));
	loaded = client_load(argv[1], 0);
	tensors = open_channel(poller, NRTA_XU_TENSOR_OP);
	write_in_batches(&loaded, poller, &tensors);
	close_channel(&tensors);

	compute = open_channel(poller, NRTA_XU_COMPUTE);
	SUCCEED(nrta_execute_schedule(loaded.model, loaded.inputs, loaded.outputs, 0, &status,
				      &seq));
	poll_until(poller, &compute, seq);
	EXPECT(status == NRT_SUCCESS);
	SUCCEED(nrta_execute_schedule(loaded.model, NULL, loaded.outputs, 0, &status, &seq));
	poll_until(poller, &compute, seq);
	EXPECT(status == NRT_EXEC_BAD_INPUT);
	close_channel(&compute);

	for (unsigned i = 0; i < 4; i++)
		EXPECT(pthread_create(&threads[i], NULL, execute_and_wait, &loaded) == 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);

	/* an event of a completed request fires within the call; its descriptor may be forgotten */
	SUCCEED(nrta_is_completed(seq, &is_completed));
	EXPECT(is_completed);
	left_open = eventfd(0, EFD_NONBLOCK);
	SUCCEED(nrta_event_register_seq_id_completion(seq, left_open));
	EXPECT(read(left_open, &seq, sizeof(seq)) == sizeof(seq));
	close(left_open);
	nrt_close();
	puts("version 3 works");
	return 0;
}
