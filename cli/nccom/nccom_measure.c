/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_measure.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/nccom/nccom_launch.h"
#include "cli/nccom/nccom_streams.h"
#include "cli/terminal.h"
#include "format/collective.h"
#include "format/instruction.h"

#define OPS_IN_NEFF 512			   /* the most in one execution */
#define PROGRAM_BYTES ((uint64_t)16 << 20) /* the program and its runtime, with no rank */
#define THREAD_BYTES ((uint64_t)2 << 20)   /* a rank with tiny tensors */
#define PROCESS_BYTES ((uint64_t)8 << 20)  /* the same as a process */

/* Physical cores per logical core, according to the environment. */
static uint32_t core_size(void)
{
	const char *text = getenv("NEURON_RT_VIRTUAL_CORE_SIZE");

	if (!text || !*text)
		text = getenv("NEURON_LOGICAL_NC_CONFIG");
	return text && !strcmp(text, "1") ? 1 : 2;
}

enum nx_status nx_nccom_case_make(const struct nx_nccom_request *r, const struct nx_nccom_op *op,
				  uint64_t size_bytes, struct nx_nccom_case *c,
				  struct nx_error *err)
{
	const struct nx_nccom_options *o = &r->options;
	uint32_t wanted = o->warmup_count + o->measured_count;

	assert(op && r->rank_count > 0);
	*c = (struct nx_nccom_case){
		.op = op,
		.dtype = r->dtype,
		.dtype_name = r->dtype_name,
		.size_bytes = size_bytes,
		.rank_count = r->rank_count,
		.group_size = r->groups.group_size ? r->groups.group_size : r->rank_count,
		.groups = &r->groups,
		.op_count = o->has_executions || wanted < OPS_IN_NEFF ? wanted : OPS_IN_NEFF,
		.core_size = core_size(),
	};
	return nx_nccom_case_measure(c, err);
}

/* --- memory ------------------------------------------------------------------------------ */

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/*
 * Tensors, the device's copies of them, and messages in flight: meshes and exchanges have all of a
 * rank's bytes in flight, halving, rings and trees half of them plus freed memory that is not
 * reused yet. Over TCP a message exists twice while it grows.
 */
static uint64_t rank_bytes(const struct nx_nccom_case *c, const struct nx_nccom_options *options)
{
	uint64_t size = nx_dtype_bytes(c->dtype);
	uint64_t in = multiply(c->in_count, size), out = multiply(c->out_count, size);
	uint64_t sent = in > out ? in : out;
	uint64_t sum = add(add(in, out), add(out, sent));

	assert(size > 0 && options->local_rank_count <= c->rank_count);
	if (options->check != NX_NCCOM_UNCHECKED)
		sum = add(sum, in);
	if (c->op->kind == NX_COLLECTIVE_REDUCE_SCATTER)
		sum = add(sum, in);
	if (options->has_processes || options->local_rank_count < c->rank_count)
		sum = add(sum, sent);
	return add(sum, options->has_processes ? PROCESS_BYTES : THREAD_BYTES);
}

uint64_t nx_nccom_memory_needed_bytes(const struct nx_nccom_case *c,
				      const struct nx_nccom_options *options)
{
	return add(PROGRAM_BYTES, multiply(rank_bytes(c, options), options->local_rank_count));
}

uint64_t nx_memory_available_in(const char *text)
{
	const char *line = strstr(text, "MemAvailable:");
	unsigned long long kib;

	return line && sscanf(line, "MemAvailable: %llu kB", &kib) == 1 ? multiply(kib, 1024) : 0;
}

uint64_t nx_memory_available_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char text[4096];
	size_t len;

	if (!file)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	(void)fclose(file);
	return nx_memory_available_in(text);
}

enum nx_status nx_nccom_memory_check(const struct nx_nccom_case *c,
				     const struct nx_nccom_options *options,
				     uint64_t available_bytes, struct nx_error *err)
{
	uint64_t needed = nx_nccom_memory_needed_bytes(c, options);
	char need[NX_COUNT_TEXT_MAX], have[NX_COUNT_TEXT_MAX];

	if (!available_bytes || needed <= available_bytes)
		return NX_OK;
	return nx_fail(err, NX_LIMIT,
		       "%s of %llu bytes over %u ranks needs about %s of memory, and %s are "
		       "available here; choose fewer ranks with -r or smaller sizes with -e",
		       c->op->name, (unsigned long long)c->size_bytes, options->local_rank_count,
		       nx_size_text(needed, need), nx_size_text(available_bytes, have));
}

enum nx_status nx_nccom_measure(struct nx_nccom_runtime *runtime, const struct nx_nccom_request *r,
				const struct nx_nccom_case *c, struct nx_nccom_result *result,
				struct nx_error *err)
{
	enum nx_status st = NX_OK;

	memset(result, 0, sizeof(*result));
	/* A device has its own memory, and its runtime reports if that is not enough. */
	if (runtime->calls.is_own)
		st = nx_nccom_memory_check(c, &r->options, nx_memory_available_bytes(), err);
	return st ? st : nx_nccom_run(runtime, c, &r->options, result, err);
}

/* --- the environment of ranks ------------------------------------------------------------ */

/* Without a device the runtime simulates one: make it large enough for all ranks. */
void nx_nccom_set_environment(const struct nx_nccom_request *r, uint32_t rank_count, bool is_debug)
{
	char text[16];

	if (rank_count > 8 / core_size() && access("/dev/neuron0", F_OK) != 0)
		setenv("NEURON_EXPLORER_INSTANCE", "trn2.48xlarge", 0);
	if (r->node_count > 1) {
		snprintf(text, sizeof(text), "%u", r->node_count);
		setenv("NEURON_EXPLORER_NODE_COUNT", text, 1);
	}
	if (is_debug)
		setenv("NEURON_RT_LOG_LEVEL", "DEBUG", 1);
}

enum nx_status nx_nccom_start(const struct nx_nccom_request *r, struct nx_nccom_runtime *runtime,
			      struct nx_error *err)
{
	uint32_t cores = 0;
	enum nx_status st;

	if (r->options.has_processes)
		return NX_OK;
	st = nx_nccom_runtime_start(runtime, &cores, err);
	if (!st && cores < r->options.local_rank_count)
		st = nx_fail(err, NX_LIMIT,
			     "%u ranks need as many cores, the runtime has %u; choose fewer with "
			     "-r, or a larger NEURON_EXPLORER_INSTANCE",
			     r->options.local_rank_count, cores);
	return st;
}

/* --- ports where ranks meet ---------------------------------------------------------------- */

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
