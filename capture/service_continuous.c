/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/service_continuous.h"

#include "rpc/rpc_client.h"

#define TIMEOUT_MS 10000
#define TURN_MS 50

struct asking {
	const struct nx_service_wishes *wishes;
	size_t failed_count;
	struct nx_error first;
};

static void answered(void *context, const struct nx_rpc_result *result)
{
	struct asking *a = context;
	const struct nx_service_listener *listener = a->wishes->listener;

	if (result->end == NX_RPC_ANSWERED)
		return;
	if (!a->failed_count++)
		a->first = result->error;
	if (a->wishes->address_count > 1 && listener && listener->warn)
		listener->warn(listener->context, result->error.message);
}

static enum nx_status ask_all(const struct nx_service_wishes *wishes, bool is_start,
			      struct nx_error *err)
{
	struct asking a = {.wishes = wishes};
	struct nx_rpc_client *client = nx_rpc_client_new();
	bool is_stopped = false;

	for (size_t i = 0; i < wishes->address_count; i++) {
		struct nx_service_target target = {
			.repository_root = "", .session = "", .address = wishes->addresses[i]};
		struct nx_bytes message = {0};
		struct nx_rpc_request request = {
			.path = is_start ? NX_SERVICE_START_CONTINUOUS : NX_SERVICE_STOP_CONTINUOUS,
			.token = wishes->token,
			.timeout_ms = TIMEOUT_MS,
			.limit_bytes = NX_GRPC_DEFAULT_MAX_BYTES,
			.done = answered,
			.context = &a,
		};

		if (is_start)
			nx_service_request_encode(&wishes->recording, &target, &message);
		request.message = nx_slice_of(message.items, message.len);
		nx_rpc_client_call(client, wishes->addresses[i], &request);
		nx_vec_release(&message);
	}
	while (nx_rpc_client_pending(client) && !is_stopped) {
		nx_rpc_client_turn(client, TURN_MS);
		is_stopped = wishes->stop && *wishes->stop;
	}
	nx_rpc_client_free(client);
	if (is_stopped)
		return nx_fail(err, NX_CANCELLED, "interrupted; some hosts may not have answered");
	if (!a.failed_count)
		return NX_OK;
	if (wishes->address_count == 1)
		return nx_fail(err, a.first.status, "%s", a.first.message);
	return nx_fail(err, a.first.status, "%zu of %zu hosts refused: %s", a.failed_count,
		       wishes->address_count, a.first.message);
}

enum nx_status nx_service_continuous_start(const struct nx_service_wishes *wishes,
					   struct nx_error *err)
{
	enum nx_status st = nx_service_recording_check(&wishes->recording, err);

	return st ? st : ask_all(wishes, true, err);
}

enum nx_status nx_service_continuous_stop(const struct nx_service_wishes *wishes,
					  struct nx_error *err)
{
	return ask_all(wishes, false, err);
}
