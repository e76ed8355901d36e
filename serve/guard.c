/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/guard.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bare/text.h"
#include "serve/routes.h"

static enum nx_status refuse(unsigned *http_status, unsigned code, struct nx_error *err,
			     const char *sentence)
{
	*http_status = code;
	return nx_fail(err, NX_PERMISSION, "%s", sentence);
}

/* Only IPv6 addresses have brackets in a Host header. */
static bool is_bracketed(const char *name, size_t len)
{
	return len > 2 && name[0] == '[' && name[len - 1] == ']';
}

static bool is_address(const char *name, size_t len)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct in6_addr address;
	int family = is_bracketed(name, len) ? AF_INET6 : AF_INET;

	if (family == AF_INET6)
		name++, len -= 2;
	if (len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	return inet_pton(family, text, &address) == 1;
}

/*
 * DNS rebinding: another site can let its own name resolve to this machine and read our answers in
 * a user's browser, but it cannot choose the Host header. So only expected names are answered. A
 * server that listens on all addresses also accepts any address, which nobody can rebind.
 */
bool nx_guard_is_our_host(const char *host, const char *listening_on)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
	bool is_everywhere = !strcmp(listening_on, "0.0.0.0") || !strcmp(listening_on, "::");
	const char *end;
	size_t len;

	if (!host)
		return false;
	end = host[0] == '[' ? strchr(host, ']') : NULL;
	end = strchr(end ? end : host, ':');
	len = end ? (size_t)(end - host) : strlen(host);
	/* "localhost:1@evil.example" is a host of somebody else */
	if (end &&
	    (!end[1] || strlen(end + 1) > 5 || strspn(end + 1, "0123456789") != strlen(end + 1)))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len == strlen(names[i]) && !strncasecmp(host, names[i], len))
			return true;
	if (len == strlen(listening_on) && !strncasecmp(host, listening_on, len))
		return true;
	if (is_bracketed(host, len) && strchr(listening_on, ':') &&
	    len == strlen(listening_on) + 2 && !strncasecmp(host + 1, listening_on, len - 2))
		return true;
	return is_everywhere && is_address(host, len);
}

/* "host:port" of "http://host:port"; NULL for every other kind of origin, "null" included. */
static const char *address_of_origin(const char *origin)
{
	if (!strncasecmp(origin, "http://", 7))
		return origin + 7;
	if (!strncasecmp(origin, "https://", 8))
		return origin + 8;
	return NULL;
}

/* Only pages of this server: another program on this machine has the same host but another port.
 * Behind a proxy that keeps Host, both are the proxy's. */
static bool is_own_origin(const struct nx_guard *guard, const struct nx_head *head)
{
	const char *address = address_of_origin(head->origin), *port;

	if (!address || !nx_guard_is_our_host(address, guard->listening_on))
		return false;
	if (!strcasecmp(address, head->host))
		return true;
	port = strrchr(address, ':');
	for (size_t i = 0; port && i < 2; i++) {
		char ours[8];

		snprintf(ours, sizeof(ours), ":%u", guard->ports[i]);
		if (!strcmp(port, ours))
			return true;
	}
	return false;
}

/* A proxy before this server may have read such a head in another way (request smuggling). */
static const char *ambiguity_of(const struct nx_head *head)
{
	if (head->host_count > 1)
		return "a request has one Host header";
	if (head->length_count > 1 || head->chunked_count > 1)
		return "a request has one Content-Length or one Transfer-Encoding header";
	if (head->length_count && head->chunked_count)
		return "a request has a Content-Length or a Transfer-Encoding header, not both";
	return NULL;
}

enum nx_status nx_guard_check(const struct nx_guard *guard, const struct nx_head *head,
			      unsigned *http_status, struct nx_error *err)
{
	const char *ambiguity = ambiguity_of(head);

	if (ambiguity)
		return refuse(http_status, 400, err, ambiguity);
	if (!nx_guard_is_our_host(head->host, guard->listening_on))
		return refuse(http_status, 421, err,
			      "open this server at the address that it printed; requests by other "
			      "names are refused");
	if (head->origin && !is_own_origin(guard, head))
		return refuse(http_status, 403, err,
			      "requests by pages of other servers are refused");
	return NX_OK;
}

bool nx_guard_is_token(const struct nx_guard *guard, const char *text)
{
	return nx_is_secret(nx_slice_text(guard->token), nx_slice_text(text));
}

enum nx_status nx_guard_check_token(const struct nx_guard *guard, const struct nx_request *request,
				    const struct nx_head *head, unsigned *http_status,
				    struct nx_error *err)
{
	const char *bearer = head->authorization;

	if (!guard->token || (request->route && request->route->flags & NX_ROUTE_OPEN))
		return NX_OK;
	if (bearer && !strncasecmp(bearer, "Bearer ", 7) && nx_guard_is_token(guard, bearer + 7))
		return NX_OK;
	if (head->cookie_token && nx_guard_is_token(guard, head->cookie_token))
		return NX_OK;
	return refuse(http_status, 401, err,
		      "this server needs its token: open the address that it printed, or send "
		      "'Authorization: Bearer' with the token");
}

static bool is_json_type(const char *type)
{
	static const char json[] = "application/json";
	size_t len = sizeof(json) - 1;

	return type && !strncasecmp(type, json, len) &&
	       (!type[len] || type[len] == ';' || type[len] == ' ');
}

enum nx_status nx_guard_check_body(const struct nx_request *request, const struct nx_head *head,
				   unsigned *http_status, struct nx_error *err)
{
	const struct nx_route *route = request->route;
	uint64_t length = 0;

	assert(route);
	if (head->content_length && !nx_slice_to_u64(nx_slice_text(head->content_length), &length))
		return refuse(http_status, 400, err, "Content-Length should be a whole number");
	if (length > route->body_bytes_max || (head->is_chunked && !route->body_bytes_max)) {
		*http_status = 413;
		return nx_fail(err, NX_LIMIT, "the body of this request may have %zu bytes",
			       route->body_bytes_max);
	}
	if (route->flags & NX_ROUTE_JSON_BODY && !is_json_type(head->content_type))
		return refuse(http_status, 415, err,
			      "send the body as 'Content-Type: application/json'");
	return NX_OK;
}

bool nx_guard_header(size_t idx, const char **name, const char **value)
{
	static const char *const headers[][2] = {
		{"Content-Security-Policy",
		 "default-src 'self'; base-uri 'none'; form-action 'none'; "
		 "frame-ancestors 'none'"},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Referrer-Policy", "no-referrer"},
	};

	if (idx >= sizeof(headers) / sizeof(headers[0]))
		return false;
	*name = headers[idx][0];
	*value = headers[idx][1];
	return true;
}
