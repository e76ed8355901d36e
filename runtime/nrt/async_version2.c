/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_version2: the calls of nrt_async as programs know them that were compiled for version 2.
 *
 * Failed requests go to an error tracker instead of a status, tensor calls name no core, and there
 * were five units: reads and writes had their own. Those now count on the unit of tensors.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vec.h"
#include "runtime/nrt/async_queue.h"
#include "runtime/nrt/handles.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/symbol_version.h"

#define MAX_ERRORS 65536 /* that a tracker keeps until the host fetches them */

typedef struct nx_error_tracker tracker_t;

struct error {
	nrta_seq_t seq;
	uint64_t code; /* NRT_STATUS */
};
static_assert(sizeof(struct error) == 16, "nrta_error_t");

struct nx_error_tracker {
	struct nx_object object;
	pthread_mutex_t lock;
	NX_VEC(struct error) fresh;
	NX_VEC(struct error) reported; /* lent to the host until its next call */
};
static_assert(offsetof(struct nx_error_tracker, object) == 0, "nx_object_drop takes a tracker");

/* --- trackers -------------------------------------------------------------------------------- */

static void destroy_tracker(struct nx_object *object)
{
	tracker_t *tracker = (tracker_t *)object;

	nx_vec_release(&tracker->fresh);
	nx_vec_release(&tracker->reported);
	pthread_mutex_destroy(&tracker->lock);
	nx_heap_free(tracker);
}

struct report {
	tracker_t *tracker;
	struct error error;
};

static void push_error(void *context)
{
	struct report *report = context;

	nx_vec_push(&report->tracker->fresh, report->error);
}

void nx_async_report(tracker_t *handle, nrta_seq_t seq, NRT_STATUS st)
{
	struct report report = {nx_handle_acquire(handle, NX_HANDLE_TRACKER), {seq, (uint64_t)st}};

	if (!report.tracker)
		return;
	pthread_mutex_lock(&report.tracker->lock);
	if (report.tracker->fresh.len >= MAX_ERRORS || !nx_heap_guarded(push_error, &report))
		nx_log_error("nrta_error_tracker_get_list",
			     "an error was dropped; call this more often");
	pthread_mutex_unlock(&report.tracker->lock);
	nx_object_drop(report.tracker);
}

NX_NRT_2(nx_nrta2_tracker_create, nrta_error_tracker_create,
	 NRT_STATUS(uint32_t lnc_idx, tracker_t **error_tracker));
NRT_STATUS nx_nrta2_tracker_create(uint32_t lnc_idx, tracker_t **error_tracker)
{
	tracker_t *tracker;

	NX_RETURN_IF_FAILED(nx_state_check_core_for("nrta_error_tracker_create", lnc_idx));
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

NX_NRT_2(nx_nrta2_tracker_destroy, nrta_error_tracker_destroy, void(tracker_t *error_tracker));
void nx_nrta2_tracker_destroy(tracker_t *error_tracker)
{
	nx_object_drop(nx_handle_close(error_tracker, NX_HANDLE_TRACKER));
}

NX_NRT_2(nx_nrta2_tracker_get_list, nrta_error_tracker_get_list,
	 NRT_STATUS(tracker_t *error_tracker, const struct error **list, size_t *error_count));
NRT_STATUS nx_nrta2_tracker_get_list(tracker_t *error_tracker, const struct error **list,
				     size_t *error_count)
{
	tracker_t *tracker;

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

/* --- requests -------------------------------------------------------------------------------- */

NX_NRT_2(nx_nrta2_tensor_write, nrta_tensor_write,
	 NRT_STATUS(nrt_tensor_t *tensor, const void *buf, uint64_t offset, uint64_t size,
		    int queue, tracker_t *err, nrta_seq_t *req_sequence));
NRT_STATUS nx_nrta2_tensor_write(nrt_tensor_t *tensor, const void *buf, uint64_t offset,
				 uint64_t size, int queue, tracker_t *err, nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_tensor_write", -1,   queue,
					 NX_ASYNC_QUEUES,     NULL, err};

	return nx_async_write(tensor, buf, offset, size, &target, req_sequence);
}

NX_NRT_2(nx_nrta2_tensor_read, nrta_tensor_read,
	 NRT_STATUS(void *buf, nrt_tensor_t *tensor, uint64_t offset, uint64_t size, int queue,
		    tracker_t *err, nrta_seq_t *req_sequence));
NRT_STATUS nx_nrta2_tensor_read(void *buf, nrt_tensor_t *tensor, uint64_t offset, uint64_t size,
				int queue, tracker_t *err, nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_tensor_read", -1, queue, NX_ASYNC_QUEUES, NULL, err};

	return nx_async_read(buf, tensor, offset, size, &target, req_sequence);
}

NX_NRT_2(nx_nrta2_tensor_copy, nrta_tensor_copy,
	 NRT_STATUS(nrt_tensor_t *src, uint64_t src_offset, nrt_tensor_t *dst, uint64_t dst_offset,
		    uint64_t size, int queue, tracker_t *err, nrta_seq_t *req_sequence));
NRT_STATUS nx_nrta2_tensor_copy(nrt_tensor_t *src, uint64_t src_offset, nrt_tensor_t *dst,
				uint64_t dst_offset, uint64_t size, int queue, tracker_t *err,
				nrta_seq_t *req_sequence)
{
	struct nx_async_copy copy = {src, dst, src_offset, dst_offset, size};
	struct nx_async_target target = {"nrta_tensor_copy", -1, queue, NX_ASYNC_QUEUES, NULL, err};

	return nx_async_copy(&copy, &target, req_sequence);
}

NX_NRT_2(nx_nrta2_execute_schedule, nrta_execute_schedule,
	 NRT_STATUS(nrt_model_t *model, const nrt_tensor_set_t *input, nrt_tensor_set_t *output,
		    int queue, tracker_t *err, nrta_seq_t *req_sequence));
NRT_STATUS nx_nrta2_execute_schedule(nrt_model_t *model, const nrt_tensor_set_t *input,
				     nrt_tensor_set_t *output, int queue, tracker_t *err,
				     nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_execute_schedule", -1, queue, 1, NULL, err};

	return nx_async_execute(model, input, output, &target, req_sequence);
}

NX_NRT_2(nx_nrta2_cc_schedule, nrta_cc_schedule,
	 NRT_STATUS(nrt_cc_context_t **cc_ctx, int queue, tracker_t *err,
		    nrta_seq_t *req_sequence));
NRT_STATUS nx_nrta2_cc_schedule(nrt_cc_context_t **cc_ctx, int queue, tracker_t *err,
				nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_cc_schedule", -1, queue, 1, NULL, err};

	return nx_async_collective(cc_ctx, &target, req_sequence);
}

/* --- completion ------------------------------------------------------------------------------ */

NX_NRT_2(nx_nrta2_get_sequence, nrta_get_sequence,
	 NRT_STATUS(uint32_t lnc, unsigned xu, int queue, nrta_seq_t *seq));
NRT_STATUS nx_nrta2_get_sequence(uint32_t lnc, unsigned xu, int queue, nrta_seq_t *seq)
{
	static const nrta_xu_t units[] = {NRTA_XU_TENSOR_OP, NRTA_XU_TENSOR_OP, NRTA_XU_TENSOR_OP,
					  NRTA_XU_COMPUTE, NRTA_XU_COLLECTIVES};

	if (xu >= sizeof(units) / sizeof(*units))
		return NRT_INVALID;
	return nx_async_last(lnc, units[xu], queue, seq);
}

NX_NRT_2(nx_nrta2_completion_handle, nrta_get_completion_handle,
	 NRT_STATUS(nrta_seq_t seq, int *fd));
NRT_STATUS nx_nrta2_completion_handle(nrta_seq_t seq, int *fd)
{
	NRT_STATUS st;
	int made;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!fd)
		return NRT_INVALID;
	made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (made < 0)
		return NRT_RESOURCE;
	st = nx_async_watch(seq, made);
	if (st == NRT_SUCCESS)
		*fd = made;
	else
		close(made);
	return st;
}
