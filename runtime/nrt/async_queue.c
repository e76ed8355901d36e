/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/async_queue.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "base/vec.h"
#include "runtime/nrt/handles.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/trace/trace_filter.h"

#define UNIT_SHIFT 48
#define MAX_ERRORS 65536 /* that a tracker keeps until the host fetches them */

static_assert(NRTA_XU_TYPE_NUM <= 16 && NX_ASYNC_QUEUES <= 16, "four bits of a number each");

struct counter {
	uint64_t given, completed;
};

struct waiter { /* the host polls a descriptor */
	nrta_seq_t seq;
	int fd;
};

/* One per core: a core that waits for other ranks must not block those of the same process. */
struct lane {
	struct nx_async_request *first, *last;
	struct nx_thread thread;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct lane lanes[NX_TRACE_MAX_CORES];
	size_t waiting_count; /* includes the running ones */
	size_t core_counts[NX_TRACE_MAX_CORES];
	bool is_ending;
	struct counter counters[NX_TRACE_MAX_CORES][NRTA_XU_TYPE_NUM][NX_ASYNC_QUEUES];
	NX_VEC(struct waiter) waiters;
} async = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

struct nrta_error_tracker {
	struct nx_object object;
	pthread_mutex_t lock;
	NX_VEC(nrta_error_t) fresh;
	NX_VEC(nrta_error_t) reported; /* lent to the host until its next call */
};
static_assert(offsetof(struct nrta_error_tracker, object) == 0, "nx_object_drop takes a tracker");

/* --- numbers ------------------------------------------------------------------------------- */

static uint64_t unit_of(uint32_t core, unsigned unit, int queue)
{
	return (uint64_t)(core << 8 | unit << 4 | (unsigned)queue) << UNIT_SHIFT;
}

static struct counter *counter_of(nrta_seq_t seq)
{
	uint64_t number = NRTA_SEQ_GET_XU_ID(seq);
	uint64_t core = number >> 8, unit = number >> 4 & 15, queue = number & 15;

	if (core >= NX_TRACE_MAX_CORES || unit >= NRTA_XU_TYPE_NUM)
		return NULL;
	return &async.counters[core][unit][queue];
}

/* Under the lock; NULL for a number that was never assigned. */
static const struct counter *find(nrta_seq_t seq)
{
	const struct counter *counter = counter_of(seq);
	uint64_t number = NRTA_SEQ_GET_SEQ_NUM(seq);

	return counter && number && number <= counter->given ? counter : NULL;
}

/* --- errors ---------------------------------------------------------------------------------- */

static void destroy_tracker(struct nx_object *object)
{
	struct nrta_error_tracker *tracker = (struct nrta_error_tracker *)object;

	nx_vec_release(&tracker->fresh);
	nx_vec_release(&tracker->reported);
	pthread_mutex_destroy(&tracker->lock);
	nx_heap_free(tracker);
}

struct report {
	struct nrta_error_tracker *tracker;
	nrta_error_t error;
};

static void push_error(void *context)
{
	struct report *report = context;

	nx_vec_push(&report->tracker->fresh, report->error);
}

static void report_error(nrta_error_tracker_t *handle, nrta_seq_t seq, NRT_STATUS st)
{
	static const char *const calls[16] = {
		[NRTA_XU_TENSOR_READ] = "nrta_tensor_read",
		[NRTA_XU_TENSOR_WRITE] = "nrta_tensor_write",
		[NRTA_XU_TENSOR_OP] = "nrta_tensor_copy",
		[NRTA_XU_COMPUTE] = "nrta_execute_schedule",
		[NRTA_XU_COLLECTIVES] = "nrta_cc_schedule",
	};
	struct report report = {nx_handle_acquire(handle, NX_HANDLE_TRACKER), {seq, (uint64_t)st}};

	nx_log_warn(calls[NRTA_SEQ_GET_XU_ID(seq) >> 4 & 15], "request %llx failed: %s",
		    (unsigned long long)seq, nrt_get_status_as_str(st));
	if (!report.tracker)
		return;
	pthread_mutex_lock(&report.tracker->lock);
	if (report.tracker->fresh.len >= MAX_ERRORS || !nx_heap_guarded(push_error, &report))
		nx_log_error("nrta_error_tracker_get_list",
			     "an error was dropped; call this more often");
	pthread_mutex_unlock(&report.tracker->lock);
	nx_object_drop(report.tracker);
}

NX_EXPORT NRT_STATUS nrta_error_tracker_create(uint32_t lnc_idx,
					       nrta_error_tracker_t **error_tracker)
{
	struct nrta_error_tracker *tracker;

	NX_RETURN_IF_FAILED(nx_state_check_core(lnc_idx));
	if (!error_tracker)
		return NRT_INVALID;
	*error_tracker = NULL;
	tracker = nx_heap_try_alloc(sizeof(*tracker));
	if (!tracker)
		return NRT_FAIL_HOST_MEM_ALLOC;
	pthread_mutex_init(&tracker->lock, NULL);
	*error_tracker = nx_handle_new(&tracker->object, NX_HANDLE_TRACKER, destroy_tracker);
	if (*error_tracker)
		return NRT_SUCCESS;
	destroy_tracker(&tracker->object);
	return NRT_RESOURCE;
}

NX_EXPORT void nrta_error_tracker_destroy(nrta_error_tracker_t *error_tracker)
{
	nx_object_drop(nx_handle_close(error_tracker, NX_HANDLE_TRACKER));
}

NX_EXPORT NRT_STATUS nrta_error_tracker_get_list(nrta_error_tracker_t *error_tracker,
						 const nrta_error_t **list, size_t *error_count)
{
	struct nrta_error_tracker *tracker;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!list || !error_count)
		return NRT_INVALID;
	tracker = nx_handle_acquire(error_tracker, NX_HANDLE_TRACKER);
	if (!tracker)
		return NRT_INVALID_HANDLE;
	pthread_mutex_lock(&tracker->lock);
	nx_vec_release(&tracker->reported);
	memcpy(&tracker->reported, &tracker->fresh, sizeof(tracker->reported));
	memset(&tracker->fresh, 0, sizeof(tracker->fresh));
	*list = tracker->reported.items;
	*error_count = tracker->reported.len;
	pthread_mutex_unlock(&tracker->lock);
	nx_object_drop(tracker);
	return NRT_SUCCESS;
}

/* --- the thread ---------------------------------------------------------------------- */

static void signal_waiter(int fd)
{
	if (eventfd_write(fd, 1))
		nx_log_error("nrta_get_completion_handle", "cannot signal a completed request");
	close(fd);
}

/* Under the lock. */
static void complete(struct nx_async_request *request)
{
	size_t kept = 0;

	assert(async.waiting_count > 0 && async.core_counts[request->core] > 0);
	counter_of(request->seq)->completed = NRTA_SEQ_GET_SEQ_NUM(request->seq);
	for (size_t i = 0; i < async.waiters.len; i++)
		if (async.waiters.items[i].seq == request->seq)
			signal_waiter(async.waiters.items[i].fd);
		else
			async.waiters.items[kept++] = async.waiters.items[i];
	async.waiters.len = kept;
	async.waiting_count--;
	async.core_counts[request->core]--;
	pthread_cond_broadcast(&async.changed);
}

static struct nx_async_request *next_request(struct lane *lane)
{
	struct nx_async_request *request;

	pthread_mutex_lock(&async.lock);
	while (!lane->first && !async.is_ending)
		pthread_cond_wait(&async.changed, &async.lock);
	request = lane->first;
	if (request) {
		lane->first = request->next;
		if (!lane->first)
			lane->last = NULL;
	}
	pthread_mutex_unlock(&async.lock);
	return request;
}

static void work(void *lane)
{
	struct nx_async_request *request;

	while ((request = next_request(lane))) {
		NRT_STATUS st = request->run(request);

		if (st != NRT_SUCCESS)
			report_error(request->tracker, request->seq, st);
		pthread_mutex_lock(&async.lock);
		complete(request);
		pthread_mutex_unlock(&async.lock);
		request->release(request);
	}
}

/* Under the lock. */
static bool start_thread(struct lane *lane)
{
	struct nx_error err;

	if (lane->thread.is_running)
		return true;
	async.is_ending = false;
	if (nx_thread_start(&lane->thread, "nrt-async", work, lane, &err))
		nx_log_error("nrta", "%s", err.message);
	return lane->thread.is_running;
}

NRT_STATUS nx_async_put(struct nx_async_request *request, nrta_seq_t *seq)
{
	struct lane *lane = &async.lanes[request->core % NX_TRACE_MAX_CORES];
	bool has_one = request->unit == NRTA_XU_COMPUTE || request->unit == NRTA_XU_COLLECTIVES;
	int queues = has_one ? 1 : NX_ASYNC_QUEUES;
	NRT_STATUS st = NRT_SUCCESS;

	assert(request->run && request->release && request->core < NX_TRACE_MAX_CORES);
	pthread_mutex_lock(&async.lock);
	if (!seq || request->queue < 0 || request->queue >= queues) {
		st = NRT_INVALID;
	} else if (async.waiting_count >= NX_ASYNC_MAX_WAITING) {
		st = NRT_QUEUE_FULL;
	} else if (!start_thread(lane)) {
		st = NRT_RESOURCE;
	} else {
		uint64_t unit = unit_of(request->core, request->unit, request->queue);

		request->seq = unit | ++counter_of(unit)->given;
		request->next = NULL;
		if (lane->last)
			lane->last->next = request;
		else
			lane->first = request;
		lane->last = request;
		async.waiting_count++;
		async.core_counts[request->core]++;
		*seq = request->seq;
		pthread_cond_broadcast(&async.changed);
	}
	pthread_mutex_unlock(&async.lock);
	if (st != NRT_SUCCESS)
		request->release(request);
	return st;
}

void nx_async_drain(uint32_t core)
{
	pthread_mutex_lock(&async.lock);
	while (async.core_counts[core])
		pthread_cond_wait(&async.changed, &async.lock);
	pthread_mutex_unlock(&async.lock);
}

void nx_async_end(void)
{
	pthread_mutex_lock(&async.lock);
	async.is_ending = true;
	pthread_cond_broadcast(&async.changed);
	pthread_mutex_unlock(&async.lock);
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		struct nx_thread thread;

		pthread_mutex_lock(&async.lock);
		thread = async.lanes[core].thread;
		pthread_mutex_unlock(&async.lock);
		nx_thread_join(&thread);
	}
	pthread_mutex_lock(&async.lock);
	memset(async.lanes, 0, sizeof(async.lanes));
	memset(async.counters, 0, sizeof(async.counters));
	nx_vec_release(&async.waiters);
	pthread_mutex_unlock(&async.lock);
}

void nx_async_abandon(void)
{
	pthread_mutex_init(&async.lock, NULL);
	pthread_cond_init(&async.changed, NULL);
	memset(async.lanes, 0, sizeof(async.lanes));
	async.waiting_count = 0;
	memset(async.core_counts, 0, sizeof(async.core_counts));
}

/* --- completion ---------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrta_is_completed(nrta_seq_t seq, bool *is_completed)
{
	const struct counter *counter;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!is_completed)
		return NRT_INVALID;
	pthread_mutex_lock(&async.lock);
	counter = find(seq);
	*is_completed = counter && counter->completed >= NRTA_SEQ_GET_SEQ_NUM(seq);
	pthread_mutex_unlock(&async.lock);
	return counter ? NRT_SUCCESS : NRT_INVALID;
}

NX_EXPORT NRT_STATUS nrta_get_sequence(uint32_t lnc, nrta_xu_t xu, int queue, nrta_seq_t *seq)
{
	uint64_t unit;

	NX_RETURN_IF_FAILED(nx_state_check_core(lnc));
	if (!seq || (unsigned)xu >= NRTA_XU_TYPE_NUM || queue < 0 || queue >= NX_ASYNC_QUEUES)
		return NRT_INVALID;
	unit = unit_of(lnc, xu, queue);
	pthread_mutex_lock(&async.lock);
	*seq = unit | counter_of(unit)->completed;
	pthread_mutex_unlock(&async.lock);
	return NRT_SUCCESS;
}

static void push_waiter(void *context)
{
	nx_vec_push(&async.waiters, *(struct waiter *)context);
}

/* Under the lock. The host may close its descriptor at any time, so we keep a duplicate. */
static NRT_STATUS watch(nrta_seq_t seq, int fd)
{
	const struct counter *counter = find(seq);
	struct waiter waiter = {seq, -1};

	if (!counter)
		return NRT_INVALID;
	waiter.fd = dup(fd);
	if (waiter.fd < 0)
		return NRT_RESOURCE;
	if (counter->completed >= NRTA_SEQ_GET_SEQ_NUM(seq)) {
		signal_waiter(waiter.fd);
		return NRT_SUCCESS;
	}
	if (nx_heap_guarded(push_waiter, &waiter))
		return NRT_SUCCESS;
	close(waiter.fd);
	return NRT_RESOURCE;
}

NX_EXPORT NRT_STATUS nrta_get_completion_handle(nrta_seq_t seq, int *fd)
{
	NRT_STATUS st;
	int made;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!fd)
		return NRT_INVALID;
	made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (made < 0)
		return NRT_RESOURCE;
	pthread_mutex_lock(&async.lock);
	st = watch(seq, made);
	pthread_mutex_unlock(&async.lock);
	if (st == NRT_SUCCESS)
		*fd = made;
	else
		close(made);
	return st;
}
