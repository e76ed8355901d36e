/* SPDX-License-Identifier: Apache-2.0 */
/* sendrecv: sends tensors between cores of this process; there is no network. */
#include <assert.h>
#include <nrt/nrt_async_sendrecv.h>
#include <pthread.h>

#include "base/arena.h"
#include "runtime/nrt/collectives.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/tensor.h"
#include "runtime/trace/trace_filter.h"

#define MAX_COMMS 64   /* of a core */
#define MAX_PENDING 64 /* requests of a communicator */

struct request {
	struct nx_object object;
	struct request *next;	      /* in the queue of its communicator */
	struct nx_nrt_tensor *tensor; /* held */
	size_t offset, len;
	bool is_done;
	NRT_STATUS outcome;
};

struct comm {
	struct nx_object object;
	bool is_sender;
	int core, peer_core;
	struct comm *peer;     /* NULL: not connected */
	struct request *first; /* held; oldest first */
	unsigned pending_count;
	struct comm *next; /* in the list of all, which holds it */
};
static_assert(offsetof(struct comm, object) == 0 && offsetof(struct request, object) == 0,
	      "nx_object_drop takes both");

static struct {
	pthread_mutex_t lock;
	bool is_open[NX_TRACE_MAX_CORES];
	struct comm *comms;
} links = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void destroy_request(struct nx_object *object)
{
	struct request *request = (struct request *)object;

	nx_object_drop(request->tensor);
	nx_heap_free(request);
}

static void destroy_comm(struct nx_object *object)
{
	nx_heap_free(object);
}

/* --- cores ----------------------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_async_sendrecv_get_max_num_communicators_per_lnc(int *num)
{
	if (!num)
		return NRT_FAILURE;
	*num = MAX_COMMS;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_get_max_num_pending_request(int *num)
{
	if (!num)
		return NRT_FAILURE;
	*num = MAX_PENDING;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_init(int lnc)
{
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_state_check_core(lnc));
	pthread_mutex_lock(&links.lock);
	if (links.is_open[lnc])
		st = NRT_FAILURE;
	links.is_open[lnc] = true;
	pthread_mutex_unlock(&links.lock);
	return st;
}

/* Under the lock. Returns false if it was not connected or had pending requests. */
static bool drop_comm(struct comm **at)
{
	struct comm *comm = *at;
	bool was_quiet = comm->peer && !comm->first;

	*at = comm->next;
	if (comm->peer)
		comm->peer->peer = NULL;
	while (comm->first) {
		struct request *request = comm->first;

		comm->first = request->next;
		nx_object_drop(nx_handle_close(request->object.handle, NX_HANDLE_REQUEST));
		nx_object_drop(request);
	}
	nx_object_drop(nx_handle_close(comm->object.handle, NX_HANDLE_COMM));
	nx_object_drop(comm);
	return was_quiet;
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_close(int lnc)
{
	struct comm **at = &links.comms;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_state_check_core(lnc));
	pthread_mutex_lock(&links.lock);
	if (!links.is_open[lnc])
		st = NRT_FAILURE;
	while (*at)
		if ((*at)->core != lnc)
			at = &(*at)->next;
		else if (!drop_comm(at))
			st = NRT_FAILURE;
	links.is_open[lnc] = false;
	pthread_mutex_unlock(&links.lock);
	return st;
}

void nx_sendrecv_end(void)
{
	pthread_mutex_lock(&links.lock);
	while (links.comms)
		drop_comm(&links.comms);
	memset(links.is_open, 0, sizeof(links.is_open));
	pthread_mutex_unlock(&links.lock);
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_flush(int lnc)
{
	return nx_state_check_core(lnc); /* a copy is in memory when it is done */
}

/* --- communicators ------------------------------------------------------------------- */

/* Under the lock. */
static void pair_up(struct comm *comm)
{
	struct comm *other = links.comms;

	for (; other; other = other->next)
		if (!other->peer && other != comm && other->is_sender != comm->is_sender &&
		    other->core == comm->peer_core && other->peer_core == comm->core) {
			other->peer = comm;
			comm->peer = other;
			return;
		}
}

/* Under the lock. */
static NRT_STATUS add_comm(bool is_sender, int peer_core, int core, nrt_async_sendrecv_comm_t **out)
{
	struct comm *comm;
	unsigned count = 0;

	if (!links.is_open[core])
		return NRT_FAILURE;
	for (comm = links.comms; comm; comm = comm->next)
		count += comm->core == core;
	if (count >= MAX_COMMS)
		return NRT_RESOURCE;
	comm = nx_heap_try_alloc(sizeof(*comm));
	if (!comm)
		return NRT_RESOURCE;
	comm->is_sender = is_sender;
	comm->core = core;
	comm->peer_core = peer_core;
	*out = nx_handle_new(&comm->object, NX_HANDLE_COMM, destroy_comm);
	if (!*out) {
		destroy_comm(&comm->object);
		return NRT_RESOURCE;
	}
	nx_object_hold(comm);
	comm->next = links.comms;
	links.comms = comm;
	pair_up(comm);
	return NRT_SUCCESS;
}

static NRT_STATUS make_comm(const char *peer_ip, bool is_sender, int peer_core, int core,
			    nrt_async_sendrecv_comm_t **out)
{
	static const char *const local_names[] = {"127.0.0.1", "::1", "localhost", "0.0.0.0"};
	NRT_STATUS st;
	bool is_local = false;

	NX_RETURN_IF_FAILED(nx_state_check_core(core));
	if (!peer_ip || !out || nx_state_check_core(peer_core) != NRT_SUCCESS)
		return NRT_INVALID;
	*out = NULL;
	for (size_t i = 0; i < sizeof(local_names) / sizeof(local_names[0]); i++)
		is_local |= strcmp(peer_ip, local_names[i]) == 0;
	if (!is_local) {
		nx_log_error("nrt_async_sendrecv",
			     "cannot reach %.64s: this library has no network", peer_ip);
		return NRT_FAILURE;
	}
	pthread_mutex_lock(&links.lock);
	st = add_comm(is_sender, peer_core, core, out);
	pthread_mutex_unlock(&links.lock);
	return st;
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_connect(const char *peer_ip, int peer_lnc, int lnc,
						nrt_async_sendrecv_comm_t **send_comm)
{
	return make_comm(peer_ip, true, peer_lnc, lnc, send_comm);
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_accept(const char *peer_ip, int peer_lnc, int lnc,
					       nrt_async_sendrecv_comm_t **recv_comm)
{
	return make_comm(peer_ip, false, peer_lnc, lnc, recv_comm);
}

static NRT_STATUS acquire_comm(nrt_async_sendrecv_comm_t *handle, struct comm **comm)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	*comm = nx_handle_acquire(handle, NX_HANDLE_COMM);
	return *comm ? NRT_SUCCESS : NRT_INVALID_HANDLE;
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_test_comm(nrt_async_sendrecv_comm_t *comm, bool *done)
{
	struct comm *asked;

	NX_RETURN_IF_FAILED(acquire_comm(comm, &asked));
	pthread_mutex_lock(&links.lock);
	if (done)
		*done = asked->peer != NULL;
	pthread_mutex_unlock(&links.lock);
	nx_object_drop(asked);
	return done ? NRT_SUCCESS : NRT_FAILURE;
}

/* --- requests ------------------------------------------------------------------ */

static void finish_request(struct comm *comm, NRT_STATUS outcome, size_t len)
{
	struct request *request = comm->first;

	assert(request && comm->pending_count > 0);
	comm->first = request->next;
	comm->pending_count--;
	request->is_done = true;
	request->outcome = outcome;
	request->len = len;
	nx_object_drop(request);
}

/* Under the lock: the oldest send meets the oldest receive. */
static void match(struct comm *comm)
{
	struct comm *sender = comm->is_sender ? comm : comm->peer;
	struct comm *receiver = sender->peer;

	assert(sender && receiver);
	while (sender->first && receiver->first) {
		struct request *from = sender->first, *to = receiver->first;
		size_t len = from->len;
		NRT_STATUS st = NRT_SUCCESS;
		uint8_t *source, *target;

		if (len > to->len || nx_tensor_part(from->tensor, from->offset, len, &source) ||
		    nx_tensor_part(to->tensor, to->offset, len, &target))
			st = NRT_FAILURE;
		else if (len)
			memmove(target, source, len);
		finish_request(sender, st, len);
		finish_request(receiver, st, len);
	}
}

static NRT_STATUS add_request(struct comm *comm, struct nx_nrt_tensor *tensor, size_t offset,
			      size_t len, nrt_async_sendrecv_request_t **out)
{
	struct request **last = &comm->first, *request;

	if (!comm->peer)
		return NRT_FAILURE;
	if (comm->pending_count >= MAX_PENDING)
		return NRT_RESOURCE;
	request = nx_heap_try_alloc(sizeof(*request));
	if (!request)
		return NRT_RESOURCE;
	request->offset = offset;
	request->len = len;
	*out = nx_handle_new(&request->object, NX_HANDLE_REQUEST, destroy_request);
	if (!*out) {
		destroy_request(&request->object);
		return NRT_RESOURCE;
	}
	request->tensor = tensor;
	nx_object_hold(tensor);
	nx_object_hold(request);
	while (*last)
		last = &(*last)->next;
	*last = request;
	comm->pending_count++;
	match(comm);
	return NRT_SUCCESS;
}

static NRT_STATUS put_request(nrt_tensor_t *tensor, size_t offset, size_t len, bool is_sender,
			      nrt_async_sendrecv_comm_t *handle,
			      nrt_async_sendrecv_request_t **request)
{
	struct comm *comm;
	struct nx_nrt_tensor *held;
	uint8_t *bytes;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(acquire_comm(handle, &comm));
	st = request && comm->is_sender == is_sender ? nx_tensor_acquire(tensor, &held)
						     : NRT_FAILURE;
	if (st == NRT_SUCCESS) {
		*request = NULL;
		st = nx_tensor_part(held, offset, len, &bytes);
		pthread_mutex_lock(&links.lock);
		if (st == NRT_SUCCESS)
			st = add_request(comm, held, offset, len, request);
		pthread_mutex_unlock(&links.lock);
		nx_object_drop(held);
	}
	nx_object_drop(comm);
	return st;
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_send_tensor(nrt_tensor_t *tensor, size_t offset,
						    size_t length,
						    nrt_async_sendrecv_comm_t *send_comm,
						    nrt_async_sendrecv_request_t **request)
{
	return put_request(tensor, offset, length, true, send_comm, request);
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_recv_tensor(nrt_tensor_t *tensor, size_t offset,
						    size_t length,
						    nrt_async_sendrecv_comm_t *recv_comm,
						    nrt_async_sendrecv_request_t **request)
{
	return put_request(tensor, offset, length, false, recv_comm, request);
}

NX_EXPORT NRT_STATUS nrt_async_sendrecv_test_request(nrt_async_sendrecv_request_t *request,
						     bool *done, size_t *size)
{
	struct request *asked;
	NRT_STATUS st;
	bool is_done;

	NX_RETURN_IF_FAILED(nx_state_check());
	asked = nx_handle_acquire(request, NX_HANDLE_REQUEST);
	if (!asked)
		return NRT_INVALID_HANDLE;
	pthread_mutex_lock(&links.lock);
	is_done = asked->is_done;
	st = is_done ? asked->outcome : NRT_SUCCESS;
	if (done)
		*done = is_done;
	if (size)
		*size = is_done ? asked->len : 0;
	pthread_mutex_unlock(&links.lock);
	if (is_done)
		nx_object_drop(nx_handle_close(request, NX_HANDLE_REQUEST));
	nx_object_drop(asked);
	return st;
}

void nx_sendrecv_abandon(void)
{
	pthread_mutex_init(&links.lock, NULL);
}
