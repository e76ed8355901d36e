/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes of a peer into a connection of the gRPC server: no crash, no leak, memory within the
 * limits. The first byte chooses whether the handshake is added, so that frames are reached, and
 * how the bytes are cut.
 */
#include "rpc/rpc_internal.h"
#include "tests/fuzz/expect.h"

#define MAX_ALL_BYTES ((uint32_t)1 << 16)
#define MAX_KEPT 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct handler {
	struct nx_rpc_call *kept[MAX_KEPT];
	size_t count;
};

/* Answers every second call at once; the others wait until the connection is closed. */
static void handle(void *context, struct nx_rpc_call *call)
{
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	struct handler *h = context;

	expect(nx_rpc_call_method(call).len < NX_RPC_MAX_PATH);
	if (nx_rpc_call_request(call).len % 2 && h->count < MAX_KEPT) {
		h->kept[h->count++] = call;
		return;
	}
	nx_rpc_answer_add_bytes(&answer, nx_rpc_call_request(call));
	nx_rpc_call_answer(call, &answer);
}

static bool send_all(struct nx_rpc_connection *c)
{
	do {
		if (!nx_rpc_connection_prepare(c))
			return false;
		nx_rpc_connection_sent(c, c->unsent.len);
		/* what was sent is gone; the session may have more */
	} while (nghttp2_session_want_write(c->session));
	return true;
}

static bool feed(struct nx_rpc_connection *c, struct nx_slice bytes)
{
	if (!nx_rpc_connection_receive(c, bytes))
		return false;
	nx_rpc_hub_deliver(c->hub);
	expect(c->hub->held_bytes <= MAX_ALL_BYTES);
	expect(c->call_count <= c->hub->limits.max_streams);
	return send_all(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint8_t hello[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
	struct handler h = {0};
	struct nx_rpc_hub hub = {.limits = {.max_connections = 1,
					    .max_streams = 8,
					    .max_request_bytes = 1 << 15,
					    .max_all_bytes = MAX_ALL_BYTES,
					    .max_control_frames = 50,
					    .request_ns = 10,
					    .stall_ns = 10,
					    .ping_ns = 10,
					    .idle_ns = 10},
				 .handle = handle,
				 .context = &h,
				 .wake_fd = -1};
	struct nx_rpc_connection *c;
	size_t step = len ? 1 + (size_t)(data[0] >> 1) : 1;
	bool is_open = true;

	expect(nx_rpc_hub_init(&hub));
	c = nx_rpc_connection_new(&hub, 1);
	expect(c != NULL);
	if (len && data[0] & 1)
		is_open = feed(c, nx_slice_of(hello, sizeof(hello) - 1));
	for (size_t at = 1; is_open && at < len; at += step) {
		is_open = feed(c, nx_slice_part(nx_slice_of(data, len), at, step)) &&
			  nx_rpc_connection_tick(c, c->now_ns + (at % 7 == 0));
		if (is_open)
			expect(nx_rpc_connection_due_ns(c) > c->now_ns);
	}
	nx_rpc_connection_free(c);
	for (size_t i = 0; i < h.count; i++)
		nx_rpc_call_fail(h.kept[i], NX_GRPC_ABORTED, "closed");
	nx_rpc_hub_deliver(&hub);
	expect(!hub.held_bytes);
	nx_rpc_hub_release(&hub);
	return 0;
}
