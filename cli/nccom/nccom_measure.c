/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_measure.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
