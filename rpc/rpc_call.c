/* SPDX-License-Identifier: Apache-2.0 */
/* Calls between the server's thread and their handlers. */
#include "rpc/rpc_call.h"

#include <stdio.h>
#include <unistd.h>

#include "rpc/rpc_internal.h"

struct nx_slice nx_rpc_call_method(const struct nx_rpc_call *call)
{
	return nx_slice_text(call->path);
}

struct nx_slice nx_rpc_call_request(const struct nx_rpc_call *call)
{
	return nx_slice_of(call->request, call->request_len);
}

void nx_rpc_call_on_end(struct nx_rpc_call *call, void (*fn)(void *context), void *context)
{
	pthread_mutex_lock(&call->hub->lock);
	if (call->is_over) {
		if (fn)
			fn(context);
	} else {
		call->on_end = fn;
		call->end_context = context;
	}
	pthread_mutex_unlock(&call->hub->lock);
}

void nx_rpc_call_answer(struct nx_rpc_call *call, struct nx_rpc_answer *answer)
{
	struct nx_rpc_hub *hub = call->hub;
	const uint64_t one = 1;
	int wake_fd;

	pthread_mutex_lock(&hub->lock);
	if (call->is_over) /* perhaps refused: what the session sends must stay as it is */
		nx_rpc_answer_release(answer);
	else
		call->answer = *answer;
	call->on_end = NULL;
	call->next_answered = hub->answered;
	hub->answered = call;
	wake_fd = hub->wake_fd;
	pthread_mutex_unlock(&hub->lock);
	*answer = (struct nx_rpc_answer)NX_RPC_ANSWER;
	if (wake_fd >= 0)
		(void)!write(wake_fd, &one, sizeof(one)); /* full: it will wake anyway */
}

struct nx_rpc_answer nx_rpc_answer_failed(enum nx_grpc_status status, const char *fmt, va_list args)
{
	struct nx_rpc_answer answer = NX_RPC_ANSWER;

	answer.status = status;
	vsnprintf(answer.message, sizeof(answer.message), fmt, args);
	return answer;
}

void nx_rpc_call_fail(struct nx_rpc_call *call, enum nx_grpc_status status, const char *fmt, ...)
{
	struct nx_rpc_answer answer;
	va_list args;

	va_start(args, fmt);
	answer = nx_rpc_answer_failed(status, fmt, args);
	va_end(args);
	nx_rpc_call_answer(call, &answer);
}
