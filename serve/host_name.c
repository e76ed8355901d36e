/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/host_name.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

/* As IPv6 addresses stand in a Host header, and nothing else does. */
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
 * A page elsewhere can let its own name point to this machine and read us through
 * a visitor's browser, but it cannot choose the Host header: only names that were
 * meant are answered. Who listens on every address is known by any of them; an
 * address in Host cannot be such a trick.
 */
bool nx_host_name_is_ours(const char *host, const char *listening_on)
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
