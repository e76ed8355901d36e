/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/rpc_client.h"
#include "tests/unit/rpc/fake_grpc.h"

/* --- addresses ---------------------------------------------------------------- */

static void addresses_are_host_and_port(void **state)
{
	static const char *const bad[] = {"",	     "host",	":1",	    "host:", "host:0",
					  "h:65536", "h:1x",	"::1:9012", "[::1]", "a/b:1",
					  "a b:1",   "[]:9012", "../a:1",   "h:1\n"};
	struct nx_rpc_address address;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_rpc_address_parse(nx_slice_text("trn2-0.local:9012"), &address, &err),
			 NX_OK);
	assert_string_equal(address.host, "trn2-0.local");
	assert_int_equal(address.port, 9012);
	assert_false(address.is_bracketed);
	assert_int_equal(
		nx_rpc_address_parse(nx_slice_text("[fe80::1%eth0]:65535"), &address, &err), NX_OK);
	assert_string_equal(address.host, "fe80::1%eth0");
	assert_true(address.is_bracketed);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(nx_rpc_address_parse(nx_slice_text(bad[i]), &address, &err),
				 NX_USAGE);
}

/* --- a server on loopback, in this thread ----------------------------------------- */

struct host {
	int listener, fd;
	char address[64];
	bool is_deaf; /* accepts, and says nothing */
	struct nx_fake_grpc grpc;
};

static bool host_open(struct host *host, bool is_v6)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = is_v6 ? sizeof(v6) : sizeof(v4);
	struct sockaddr *to = is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;

	host->fd = -1;
	host->listener = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (host->listener < 0 || bind(host->listener, to, len) < 0)
		return false;
	assert_int_equal(listen(host->listener, 4), 0);
	assert_int_equal(getsockname(host->listener, to, &len), 0);
	(void)snprintf(host->address, sizeof(host->address), is_v6 ? "[::1]:%u" : "127.0.0.1:%u",
		       ntohs(is_v6 ? v6.sin6_port : v4.sin_port));
	nx_fake_grpc_open(&host->grpc);
	return true;
}

static void host_close(struct host *host)
{
	if (host->fd >= 0)
		close(host->fd);
	close(host->listener);
	nx_fake_grpc_close(&host->grpc);
}

static void host_turn(struct host *host)
{
	uint8_t buffer[65536];
	struct nx_slice bytes;
	ssize_t len;

	if (host->fd < 0)
		host->fd = accept4(host->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (host->fd < 0 || host->is_deaf)
		return;
	while ((len = recv(host->fd, buffer, sizeof(buffer), 0)) > 0)
		nx_fake_grpc_feed(&host->grpc, nx_slice_of(buffer, (size_t)len));
	while ((bytes = nx_fake_grpc_output(&host->grpc)).len)
		while (bytes.len) {
			len = send(host->fd, bytes.data, bytes.len, MSG_NOSIGNAL);
			if (len > 0)
				bytes = nx_slice_part(bytes, (uint64_t)len, bytes.len);
			else
				return; /* the rest is lost: these answers are small */
		}
}

struct seen {
	size_t done_count;
	struct nx_rpc_result result;
};

static void done(void *context, const struct nx_rpc_result *result)
{
	struct seen *seen = context;

	seen->done_count++;
	seen->result = *result;
}

static struct nx_rpc_request request_of(struct seen *seen)
{
	return (struct nx_rpc_request){
		.path = "/a.B/C", .limit_bytes = 1000, .done = done, .context = seen};
}

#define ANSWERS                                                                                    \
	.grpc = {.http_status = "200",                                                             \
		 .content_type = "application/grpc",                                               \
		 .body = {(const uint8_t *)"\0\0\0\0\0", 5},                                       \
		 .grpc_status = "0"}

static void many_servers_answer_at_once(void **state)
{
	struct nx_rpc_client *client = nx_rpc_client_new();
	struct host hosts[4] = {{ANSWERS}, {ANSWERS}, {ANSWERS}, {ANSWERS}};
	struct seen seen[5] = {0};
	struct nx_rpc_request request;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		/* without IPv6 on this machine, IPv4 once more */
		if (!host_open(&hosts[i], i == 3))
			assert_true(host_open(&hosts[i], false));
		request = request_of(&seen[i]);
		nx_rpc_client_call(client, hosts[i].address, &request);
	}
	request = request_of(&seen[4]); /* shares a connection */
	nx_rpc_client_call(client, hosts[0].address, &request);
	while (nx_rpc_client_pending(client)) {
		for (size_t i = 0; i < 4; i++)
			host_turn(&hosts[i]);
		nx_rpc_client_turn(client, 5);
	}
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(seen[i].done_count, 1);
		assert_int_equal(seen[i].result.end, NX_RPC_ANSWERED);
	}
	assert_int_equal(hosts[0].grpc.request_count, 2);
	nx_rpc_client_free(client);
	for (size_t i = 0; i < 4; i++)
		host_close(&hosts[i]);
}

static void ask(const char *address, struct host *host, struct seen *seen)
{
	struct nx_rpc_client *client = nx_rpc_client_new();
	struct nx_rpc_request request = request_of(seen);

	request.timeout_ms = host && host->is_deaf ? 50 : 0;
	nx_rpc_client_call(client, address, &request);
	while (nx_rpc_client_pending(client)) {
		if (host)
			host_turn(host);
		nx_rpc_client_turn(client, 5);
	}
	nx_rpc_client_free(client);
	assert_int_equal(seen->done_count, 1);
}

static void who_does_not_listen_is_unreached(void **state)
{
	struct host host = {0};
	struct seen seen = {0}, nobody = {0}, wrong = {0};

	(void)state;
	assert_true(host_open(&host, false));
	host_close(&host);
	ask(host.address, NULL, &seen);
	assert_int_equal(seen.result.end, NX_RPC_UNREACHED);
	assert_non_null(strstr(seen.result.error.message, host.address));
	assert_non_null(strstr(seen.result.error.message, strerror(ECONNREFUSED)));
	ask("a.name.that.does.not.exist.invalid:1", NULL, &nobody);
	assert_int_equal(nobody.result.end, NX_RPC_UNREACHED);
	ask("no-port", NULL, &wrong);
	assert_int_equal(wrong.result.error.status, NX_USAGE);
}

static void a_deadline_needs_no_answer(void **state)
{
	struct host host = {.is_deaf = true};
	struct seen seen = {0};

	(void)state;
	assert_true(host_open(&host, false));
	ask(host.address, &host, &seen);
	assert_int_equal(seen.result.end, NX_RPC_EXPIRED);
	host_close(&host);
}

static void a_server_that_dies_is_named(void **state)
{
	struct nx_rpc_client *client = nx_rpc_client_new();
	struct host host = {0};
	struct seen seen = {0};
	struct nx_rpc_request request = request_of(&seen);

	(void)state;
	assert_true(host_open(&host, false));
	nx_rpc_client_call(client, host.address, &request);
	while (!host.grpc.request_count) {
		host_turn(&host);
		nx_rpc_client_turn(client, 5);
	}
	close(host.fd);
	host.fd = -1;
	while (nx_rpc_client_pending(client))
		nx_rpc_client_turn(client, 5);
	assert_int_equal(seen.result.end, NX_RPC_BROKEN);
	assert_non_null(strstr(seen.result.error.message, "closed the connection"));
	nx_rpc_client_free(client);
	host_close(&host);
}

static void a_cancelled_call_ends(void **state)
{
	struct nx_rpc_client *client = nx_rpc_client_new();
	struct host host = {0};
	struct seen seen = {0};
	struct nx_rpc_request request = request_of(&seen);
	uint64_t id;

	(void)state;
	assert_true(host_open(&host, false));
	id = nx_rpc_client_call(client, host.address, &request);
	while (!host.grpc.request_count) {
		host_turn(&host);
		nx_rpc_client_turn(client, 5);
	}
	nx_rpc_client_cancel(client, id);
	while (nx_rpc_client_pending(client))
		nx_rpc_client_turn(client, 5);
	assert_int_equal(seen.result.end, NX_RPC_CANCELLED);
	while (!host.grpc.reset_count) {
		nx_rpc_client_turn(client, 5);
		host_turn(&host);
	}
	nx_rpc_client_free(client);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_host_and_port),
		cmocka_unit_test(many_servers_answer_at_once),
		cmocka_unit_test(who_does_not_listen_is_unreached),
		cmocka_unit_test(a_deadline_needs_no_answer),
		cmocka_unit_test(a_server_that_dies_is_named),
		cmocka_unit_test(a_cancelled_call_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
