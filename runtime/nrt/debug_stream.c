/* SPDX-License-Identifier: Apache-2.0 */
/* debug_stream: prints of the device. The software core makes none, so a stream stays empty. */
#include <assert.h>
#include <nrt/ndebug_stream.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/trace/trace_filter.h"

static_assert(sizeof(ndebug_stream_event_header_t) == 64, "as published");
static_assert(sizeof(ndebug_stream_payload_debug_tensor_read_t) == 1024, "as published");

static struct {
	pthread_mutex_t lock;
	bool is_open[NX_TRACE_MAX_CORES];
	int fds[NX_TRACE_MAX_CORES];
} streams = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock; NX_TRACE_MAX_CORES if it is no stream. */
static uint32_t find_core(int fd)
{
	uint32_t core = 0;

	while (core < NX_TRACE_MAX_CORES && !(streams.is_open[core] && streams.fds[core] == fd))
		core++;
	return core;
}

NX_EXPORT NRT_STATUS nrt_debug_client_connect(int logical_nc_idx, int *stream_fd)
{
	NRT_STATUS st = NRT_INVALID;

	NX_RETURN_IF_FAILED(nx_state_check_core(logical_nc_idx));
	if (!stream_fd)
		return NRT_INVALID;
	pthread_mutex_lock(&streams.lock);
	if (streams.is_open[logical_nc_idx]) {
		nx_log_error(__func__, "core %d has a debug client already", logical_nc_idx);
	} else {
		int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

		st = fd < 0 ? NRT_RESOURCE : NRT_SUCCESS;
		streams.is_open[logical_nc_idx] = fd >= 0;
		streams.fds[logical_nc_idx] = *stream_fd = fd;
	}
	pthread_mutex_unlock(&streams.lock);
	return st;
}

NX_EXPORT void nrt_debug_client_connect_close(int stream_fd)
{
	uint32_t core;

	pthread_mutex_lock(&streams.lock);
	core = find_core(stream_fd);
	if (core < NX_TRACE_MAX_CORES) {
		streams.is_open[core] = false;
		close(stream_fd);
	}
	pthread_mutex_unlock(&streams.lock);
}

NX_EXPORT NRT_STATUS nrt_debug_client_read_one_event(int stream_fd,
						     ndebug_stream_event_header_t *header,
						     void **payload)
{
	uint32_t core;

	if (!header || !payload)
		return NRT_INVALID;
	pthread_mutex_lock(&streams.lock);
	core = find_core(stream_fd);
	pthread_mutex_unlock(&streams.lock);
	return core < NX_TRACE_MAX_CORES ? NRT_QUEUE_EMPTY : NRT_INVALID;
}
