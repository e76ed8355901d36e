/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_memory.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"
#include "format/collective.h"
#include "format/instruction.h"

#define PROGRAM_BYTES ((uint64_t)16 << 20) /* the program and its runtime, with no rank */
#define THREAD_BYTES ((uint64_t)2 << 20)   /* a rank with next to nothing to move */
#define PROCESS_BYTES ((uint64_t)8 << 20)  /* the same as a process */

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/*
 * Inputs that are never written cost nothing until the device copies them. Halving, rings and trees
 * have half of a rank's bytes on the way, meshes and exchanges all of them, to which all that
 * is freed and not yet used again comes close; over TCP a message is there twice while it
 * grows.
 */
static uint64_t rank_bytes(const struct nx_nccom_case *c, const struct nx_nccom_options *options)
{
	uint64_t size = nx_dtype_bytes(c->dtype);
	uint64_t in = multiply(c->in_count, size), out = multiply(c->out_count, size);
	uint64_t sent = in > out ? in : out;
	uint64_t sum = add(add(in, out), add(out, sent));

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
