/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/async_queue.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "base/vec.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/symbol_version.h"
#include "runtime/trace/trace_filter.h"
#include "runtime/trace/tracer.h"

#define UNIT_SHIFT 48

static_assert(NRTA_XU_TYPE_NUM <= 16 && NX_ASYNC_QUEUES <= 16, "four bits of a number each");
static_assert(NX_TRACE_MAX_CORES <= 256, "eight bits of a number");

struct waiter { /* the host polls a descriptor until this request completes */
	nrta_seq_t seq;
	int fd;
};

struct queue {
	struct nx_async_request *first, *last;
	struct nx_thread thread;
	pthread_cond_t changed;
	uint64_t given, completed;
	int fd; /* of the host's eventfd, if has_fd */
	bool has_fd;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t drained;
	size_t waiting_count; /* includes the running ones */
	size_t core_counts[NX_TRACE_MAX_CORES];
	bool is_ending;
	struct queue queues[NX_TRACE_MAX_CORES][NRTA_XU_TYPE_NUM][NX_ASYNC_QUEUES];
	NX_VEC(struct waiter) waiters;
} async = {.lock = PTHREAD_MUTEX_INITIALIZER, .drained = PTHREAD_COND_INITIALIZER};

/* --- numbers ------------------------------------------------------------------------------- */

static uint64_t unit_of(uint32_t core, unsigned unit, int queue)
{
	return (uint64_t)(core << 8 | unit << 4 | (unsigned)queue) << UNIT_SHIFT;
}

static struct queue *queue_of(nrta_seq_t seq)
{
	uint64_t number = NRTA_SEQ_GET_XU_ID(seq);
	uint64_t core = number >> 8, unit = number >> 4 & 15, queue = number & 15;

	if (core >= NX_TRACE_MAX_CORES || unit >= NRTA_XU_TYPE_NUM)
		return NULL;
	return &async.queues[core][unit][queue];
}

/* Under the lock; NULL for a number that was never assigned. */
static const struct queue *find(nrta_seq_t seq)
{
	const struct queue *queue = queue_of(seq);
	uint64_t number = NRTA_SEQ_GET_SEQ_NUM(seq);

	return queue && number && number <= queue->given ? queue : NULL;
}

/* --- events ---------------------------------------------------------------------------------- */

/* The host may close or reuse its number at any time, so a duplicate is kept and written to. */
static int duplicate(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* A full counter is readable already, and a closed pipe has no reader to miss it. */
static void signal_fd(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Under the lock. */
static void signal_waiters(nrta_seq_t seq, bool is_completed)
{
	size_t kept = 0;

	for (size_t i = 0; i < async.waiters.len; i++) {
		struct waiter waiter = async.waiters.items[i];

		if (waiter.seq != seq) {
			async.waiters.items[kept++] = waiter;
			continue;
		}
		if (is_completed)
			signal_fd(waiter.fd);
		close(waiter.fd);
	}
	async.waiters.len = kept;
}

static void push_waiter(void *context)
{
	nx_vec_push(&async.waiters, *(struct waiter *)context);
}

/* Under the lock. */
static NRT_STATUS watch(nrta_seq_t seq, int fd)
{
	const struct queue *queue = find(seq);
	struct waiter waiter = {seq, -1};

	if (!queue)
		return NRT_INVALID;
	if (fd < 0) {
		signal_waiters(seq, false);
		return NRT_SUCCESS;
	}
	waiter.fd = duplicate(fd);
	if (waiter.fd < 0)
		return errno == EBADF ? NRT_INVALID : NRT_RESOURCE;
	if (queue->completed < NRTA_SEQ_GET_SEQ_NUM(seq)) {
		if (nx_heap_guarded(push_waiter, &waiter))
			return NRT_SUCCESS;
		close(waiter.fd);
		return NRT_RESOURCE;
	}
	signal_fd(waiter.fd);
	close(waiter.fd);
	return NRT_SUCCESS;
}

NRT_STATUS nx_async_watch(nrta_seq_t seq, int fd)
{
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_state_check());
	pthread_mutex_lock(&async.lock);
	st = watch(seq, fd);
	pthread_mutex_unlock(&async.lock);
	return st;
}

NX_NRT_3(nx_nrta_event_seq, nrta_event_register_seq_id_completion);
NRT_STATUS nx_nrta_event_seq(nrta_seq_t seq, int fd)
{
	return nx_async_watch(seq, fd);
}

/* Under the lock. */
static void forget_fd(struct queue *queue)
{
	if (queue->has_fd)
		close(queue->fd);
	queue->has_fd = false;
}

NX_NRT_3(nx_nrta_event_xu, nrta_event_register_xu_completion);
NRT_STATUS nx_nrta_event_xu(int lnc, nrta_xu_t xu, int queue, int fd)
{
	struct queue *found;
	int own = -1;

	NX_RETURN_IF_FAILED(nx_state_check_core_for("nrta_event_register_xu_completion", lnc));
	if ((unsigned)xu >= NRTA_XU_TYPE_NUM || queue < 0 || queue >= NX_ASYNC_QUEUES)
		return NRT_INVALID;
	if (fd >= 0) {
		own = duplicate(fd);
		if (own < 0)
			return errno == EBADF ? NRT_INVALID : NRT_RESOURCE;
	}
	pthread_mutex_lock(&async.lock);
	found = &async.queues[lnc][xu][queue];
	forget_fd(found);
	found->fd = own;
	found->has_fd = own >= 0;
	pthread_mutex_unlock(&async.lock);
	return NRT_SUCCESS;
}

/* --- the threads --------------------------------------------------------------------- */

/* The order matters: the host may read its status as soon as it sees the number. */
static void complete(struct queue *queue, const struct nx_async_request *request, NRT_STATUS st)
{
	if (st != NRT_SUCCESS) {
		nx_log_warn(request->target.function, "request %llx failed: %s",
			    (unsigned long long)request->seq, nrt_get_status_as_str(st));
		nx_async_report(request->target.tracker, request->seq, st);
	}
	if (request->target.status)
		__atomic_store_n(request->target.status, st, __ATOMIC_RELEASE);
	pthread_mutex_lock(&async.lock);
	assert(async.waiting_count > 0 && async.core_counts[request->target.core] > 0);
	queue->completed = NRTA_SEQ_GET_SEQ_NUM(request->seq);
	if (queue->has_fd)
		signal_fd(queue->fd);
	signal_waiters(request->seq, true);
	async.waiting_count--;
	if (!--async.core_counts[request->target.core])
		pthread_cond_broadcast(&async.drained);
	pthread_mutex_unlock(&async.lock);
}

static struct nx_async_request *next_request(struct queue *queue)
{
	struct nx_async_request *request;

	pthread_mutex_lock(&async.lock);
	while (!queue->first && !async.is_ending)
		pthread_cond_wait(&queue->changed, &async.lock);
	request = queue->first;
	if (request) {
		queue->first = request->next;
		if (!queue->first)
			queue->last = NULL;
	}
	pthread_mutex_unlock(&async.lock);
	return request;
}

static __thread nrta_seq_t current;

nrta_seq_t nx_async_current(void)
{
	return current;
}

static void work(void *queue)
{
	struct nx_async_request *request;

	while ((request = next_request(queue))) {
		current = request->seq;
		complete(queue, request, request->run(request));
		request->release(request);
	}
}

/* Under the lock. */
static bool start_thread(struct queue *queue)
{
	struct nx_error err;

	if (queue->thread.is_running)
		return true;
	async.is_ending = false;
	if (nx_thread_start(&queue->thread, "nrt-async", work, queue, &err))
		nx_log_error("nrta", "%s", err.message);
	return queue->thread.is_running;
}

NRT_STATUS nx_async_put(struct nx_async_request *request, nrta_seq_t *seq)
{
	const struct nx_async_target *target = &request->target;
	uint32_t core = (uint32_t)target->core; /* the request may be done and gone at the end */
	NRT_STATUS st = NRT_SUCCESS;
	nrta_seq_t given = 0;
	uint64_t span = 0;

	assert(request->run && request->release && target->core < NX_TRACE_MAX_CORES);
	assert(target->core >= 0 && target->queue_count <= NX_ASYNC_QUEUES);
	pthread_mutex_lock(&async.lock);
	if (!seq || target->queue < 0 || target->queue >= target->queue_count) {
		st = NRT_INVALID;
	} else if (async.waiting_count >= NX_ASYNC_MAX_WAITING) {
		st = NRT_QUEUE_FULL;
	} else {
		uint64_t unit = unit_of((uint32_t)target->core, request->unit, target->queue);
		struct queue *queue = queue_of(unit);

		if (start_thread(queue)) {
			*seq = request->seq = given = unit | ++queue->given;
			span = nx_trace_start(core, NX_TRACE_POST_REQUEST,
					      NRTA_SEQ_GET_SEQ_NUM(given), 0, 0, given);
			request->next = NULL;
			if (queue->last)
				queue->last->next = request;
			else
				queue->first = request;
			queue->last = request;
			async.waiting_count++;
			async.core_counts[target->core]++;
			pthread_cond_signal(&queue->changed);
		} else {
			st = NRT_RESOURCE;
		}
	}
	pthread_mutex_unlock(&async.lock);
	nx_trace_stop(core, NX_TRACE_POST_REQUEST, span, 0, 0, 0, given);
	if (st != NRT_SUCCESS)
		request->release(request);
	return st;
}

void nx_async_drain(uint32_t core)
{
	assert(core < NX_TRACE_MAX_CORES);
	pthread_mutex_lock(&async.lock);
	while (async.core_counts[core])
		pthread_cond_wait(&async.drained, &async.lock);
	pthread_mutex_unlock(&async.lock);
}

#define EACH_QUEUE(queue)                                                                          \
	for (struct queue *queue = &async.queues[0][0][0],                                         \
			  *end_ = queue + sizeof(async.queues) / sizeof(*queue);                   \
	     queue < end_; queue++)

void nx_async_end(void)
{
	pthread_mutex_lock(&async.lock);
	async.is_ending = true;
	EACH_QUEUE(queue)
	pthread_cond_signal(&queue->changed);
	pthread_mutex_unlock(&async.lock);
	EACH_QUEUE(queue)
	{
		struct nx_thread thread;

		pthread_mutex_lock(&async.lock);
		thread = queue->thread;
		pthread_mutex_unlock(&async.lock);
		nx_thread_join(&thread);
	}
	pthread_mutex_lock(&async.lock);
	EACH_QUEUE(queue)
	forget_fd(queue);
	memset(async.queues, 0, sizeof(async.queues));
	for (size_t i = 0; i < async.waiters.len; i++)
		close(async.waiters.items[i].fd);
	nx_vec_release(&async.waiters);
	pthread_mutex_unlock(&async.lock);
}

void nx_async_abandon(void)
{
	pthread_mutex_init(&async.lock, NULL);
	pthread_cond_init(&async.drained, NULL);
	memset(async.queues, 0, sizeof(async.queues));
	memset(&async.waiters, 0, sizeof(async.waiters));
	async.waiting_count = 0;
	memset(async.core_counts, 0, sizeof(async.core_counts));
}

/* --- completion ---------------------------------------------------------------------- */

NX_NRT_3(nx_nrta_is_completed, nrta_is_completed);
NX_NRT_2(nx_nrta_is_completed, nrta_is_completed, nrta_is_completed);
NRT_STATUS nx_nrta_is_completed(nrta_seq_t seq, bool *is_completed)
{
	const struct queue *queue;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!is_completed)
		return NRT_INVALID;
	pthread_mutex_lock(&async.lock);
	queue = find(seq);
	*is_completed = queue && queue->completed >= NRTA_SEQ_GET_SEQ_NUM(seq);
	pthread_mutex_unlock(&async.lock);
	return queue ? NRT_SUCCESS : NRT_INVALID;
}

NRT_STATUS nx_async_last(uint32_t core, nrta_xu_t unit, int queue, nrta_seq_t *seq)
{
	uint64_t place;

	NX_RETURN_IF_FAILED(nx_state_check_core_for("nrta_get_sequence", core));
	if (!seq || (unsigned)unit >= NRTA_XU_TYPE_NUM || queue < 0 || queue >= NX_ASYNC_QUEUES)
		return NRT_INVALID;
	place = unit_of(core, unit, queue);
	pthread_mutex_lock(&async.lock);
	*seq = place | queue_of(place)->completed;
	pthread_mutex_unlock(&async.lock);
	return NRT_SUCCESS;
}

NX_NRT_3(nx_nrta_get_sequence, nrta_get_sequence);
NRT_STATUS nx_nrta_get_sequence(uint32_t lnc, nrta_xu_t xu, int queue, nrta_seq_t *seq)
{
	return nx_async_last(lnc, xu, queue, seq);
}
