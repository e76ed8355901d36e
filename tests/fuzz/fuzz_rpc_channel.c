/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a gRPC server sends: every call ends exactly once, what is taken stays within
 * the limit, and an answer that counts as complete has the size that was taken.
 */
#include <string.h>

#include "rpc/rpc_channel.h"
#include "tests/fuzz/expect.h"

#define LIMIT_BYTES 4096
#define CALLS 2

struct seen {
	uint64_t taken_bytes;
	unsigned done_count;
};

static enum nx_status take(void *context, struct nx_slice piece, struct nx_error *err)
{
	struct seen *seen = context;

	(void)err;
	seen->taken_bytes += piece.len;
	expect(seen->taken_bytes <= LIMIT_BYTES);
	return NX_OK;
}

static void done(void *context, const struct nx_rpc_result *result)
{
	struct seen *seen = context;

	seen->done_count++;
	expect(result->size_bytes == seen->taken_bytes);
	expect((result->end == NX_RPC_ANSWERED) == !result->error.status);
	expect(strlen(result->text) < sizeof(result->text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_rpc_channel *channel = nx_rpc_channel_new("host:1");
	struct nx_error end = {NX_IO, "the input ended"};
	struct seen seen[CALLS] = {0};
	struct nx_rpc_request request = {
		.path = "/a.B/C", .limit_bytes = LIMIT_BYTES, .take = take, .done = done};
	/* the input arrives in two pieces, split anywhere */
	size_t first = size ? data[0] % size : 0;

	for (size_t i = 0; i < CALLS; i++) {
		request.context = &seen[i];
		nx_rpc_channel_start(channel, i + 1, &request);
	}
	while (nx_rpc_channel_output(channel).len)
		;
	nx_rpc_channel_feed(channel, nx_slice_of(data, first));
	while (nx_rpc_channel_output(channel).len)
		;
	nx_rpc_channel_report(channel);
	nx_rpc_channel_feed(channel, nx_slice_of(data + first, size - first));
	while (nx_rpc_channel_output(channel).len)
		;
	nx_rpc_channel_break(channel, NX_RPC_BROKEN, &end);
	nx_rpc_channel_report(channel);
	expect(!nx_rpc_channel_pending(channel));
	for (size_t i = 0; i < CALLS; i++)
		expect(seen[i].done_count == 1);
	nx_rpc_channel_free(channel);
	return 0;
}
