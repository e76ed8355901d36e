/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/fake_http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* The bytes a request still lacks; -1 while its head is not whole. */
static long missing_bytes(const char *request, size_t len)
{
	const char *end = memmem(request, len, "\r\n\r\n", 4);
	const char *length = strcasestr(request, "content-length:");
	size_t body = length && length < end ? (size_t)strtoul(length + 15, NULL, 10) : 0;

	if (!end)
		return -1;
	return (long)((size_t)(end + 4 - request) + body) - (long)len;
}

static size_t read_request(int connection, char *request, size_t cap)
{
	size_t len = 0;

	request[0] = '\0';
	while (len + 1 < cap && missing_bytes(request, len) != 0) {
		ssize_t got = recv(connection, request + len, cap - 1 - len, 0);

		if (got <= 0)
			break;
		len += (size_t)got;
		request[len] = '\0';
	}
	return len;
}

/* %XX becomes its byte, NUL a question mark, so that a test can write what it means. */
static void unescape(char *text, size_t len)
{
	size_t out = 0;

	for (size_t i = 0; i < len; i++) {
		char hex[3] = {0};
		char c = text[i];

		if (c == '%' && i + 2 < len && isxdigit((unsigned char)text[i + 1]) &&
		    isxdigit((unsigned char)text[i + 2])) {
			memcpy(hex, text + i + 1, 2);
			c = (char)strtol(hex, NULL, 16);
			i += 2;
		}
		text[out++] = c ? c : '?';
	}
	text[out] = '\0';
}

static void answer(int connection, const struct nx_fake_step *step)
{
	const char *body = step->body ? step->body : "";
	size_t len = strlen(body);
	char head[512];
	int head_len = snprintf(head, sizeof(head),
				"HTTP/1.1 %u Fine\r\nContent-Length: %zu\r\n%s%sConnection: "
				"close\r\n\r\n",
				step->code, step->harm == NX_FAKE_CUT ? len + 10 : len,
				step->header ? step->header : "", step->header ? "\r\n" : "");

	if (send(connection, head, (size_t)head_len, MSG_NOSIGNAL) > 0)
		(void)!send(connection, body, len, MSG_NOSIGNAL);
}

static void serve(struct nx_fake_http *fake, int connection)
{
	static const struct nx_fake_step wrong = {.code = 599, .body = "this is not in the script"};
	const struct nx_fake_step *step = &wrong;
	size_t len = read_request(connection, fake->last, sizeof(fake->last));

	unescape(fake->last, len);
	if (fake->played_count < fake->step_count &&
	    strstr(fake->last, fake->steps[fake->played_count].wants))
		step = &fake->steps[fake->played_count++];
	else if (!fake->fault[0])
		snprintf(fake->fault, sizeof(fake->fault), "step %zu was asked: %.2000s",
			 fake->played_count, fake->last);
	if (step->harm != NX_FAKE_HANG_UP)
		answer(connection, step);
}

static void *run(void *opaque)
{
	struct nx_fake_http *fake = opaque;

	for (;;) {
		int connection = accept(fake->listener, NULL, NULL);

		if (connection < 0)
			return NULL;
		serve(fake, connection);
		shutdown(connection, SHUT_WR);
		close(connection);
	}
}

void nx_fake_http_start(struct nx_fake_http *fake, const struct nx_fake_step *steps, size_t count)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof(address);

	/* A proxy of the machine is nothing to a server on loopback. */
	setenv("no_proxy", "*", 1);
	memset(fake, 0, sizeof(*fake));
	fake->steps = steps;
	fake->step_count = count;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fake->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fake->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fake->listener, 16), 0);
	assert_int_equal(getsockname(fake->listener, (struct sockaddr *)&address, &len), 0);
	fake->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&fake->thread, NULL, run, fake), 0);
}

void nx_fake_http_stop(struct nx_fake_http *fake)
{
	shutdown(fake->listener, SHUT_RDWR);
	pthread_join(fake->thread, NULL);
	close(fake->listener);
	if (fake->fault[0])
		fail_msg("%s", fake->fault);
	assert_int_equal(fake->played_count, fake->step_count);
}
