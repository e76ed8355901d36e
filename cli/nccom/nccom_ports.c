/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_ports.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/nccom/nccom_launch.h"
#include "cli/nccom/nccom_streams.h"

#define EPHEMERAL_PATH "/proc/sys/net/ipv4/ip_local_port_range"
#define EPHEMERAL_DEFAULT "32768 60999"
#define FIRST_PORT 10000u /* below are the services that a machine is likely to start later */
#define LAST_PORT 65535u
#define ENOUGH_PORTS 1000u

struct nx_nccom_port_range nx_nccom_port_range(const char *ephemeral)
{
	uint32_t first, last;

	if (sscanf(ephemeral, "%u %u", &first, &last) != 2)
		return nx_nccom_port_range(EPHEMERAL_DEFAULT);
	if (first >= FIRST_PORT + ENOUGH_PORTS && first <= LAST_PORT)
		return (struct nx_nccom_port_range){FIRST_PORT, first - 1};
	if (last >= FIRST_PORT && last <= LAST_PORT - ENOUGH_PORTS)
		return (struct nx_nccom_port_range){last + 1, LAST_PORT};
	return (struct nx_nccom_port_range){FIRST_PORT, LAST_PORT};
}

/* On all addresses: rank 0 may listen on any of them. */
static bool is_free(uint32_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_port = htons((uint16_t)port),
					    .sin_addr.s_addr = htonl(INADDR_ANY)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_bound =
		fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;

	if (fd >= 0)
		close(fd);
	return is_bound;
}

static uint32_t random_number(void)
{
	struct timespec now;
	uint32_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number))
		return number;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint32_t)now.tv_nsec ^ (uint32_t)getpid() << 16;
}

uint16_t nx_nccom_ports_find(struct nx_nccom_port_range range, uint32_t count)
{
	uint32_t port_count = range.last - range.first + 1, offset, in_row = 0;

	assert(range.first > 0 && range.first <= range.last && range.last <= LAST_PORT);
	assert(count > 0 && count <= NX_NCCOM_MAX_STREAMS);
	offset = random_number() % port_count;
	/* Once around, and on past the start, which may be inside a free run. */
	for (uint32_t i = 0; i < port_count + count; i++, offset++) {
		if (offset == port_count)
			offset = in_row = 0;
		in_row = is_free(range.first + offset) ? in_row + 1 : 0;
		if (in_row == count)
			return (uint16_t)(range.first + offset - count + 1);
	}
	return 0;
}

enum nx_status nx_nccom_root_choose(const char *host, uint32_t count, struct nx_error *err)
{
	FILE *file = fopen(EPHEMERAL_PATH, "re");
	char line[64] = "", text[320];
	uint16_t port;

	if (file) {
		if (!fgets(line, sizeof(line), file))
			line[0] = 0;
		fclose(file);
	}
	port = nx_nccom_ports_find(nx_nccom_port_range(line), count);
	if (!port)
		return nx_fail(err, NX_LIMIT,
			       "no %u consecutive TCP ports are free; set " NX_NCCOM_ROOT
			       "=host:port",
			       count);
	snprintf(text, sizeof(text), "%.300s:%u", host, port);
	setenv(NX_NCCOM_ROOT, text, 1);
	return NX_OK;
}
