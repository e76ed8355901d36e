/* SPDX-License-Identifier: Apache-2.0 */
/* idle_port: a device that takes any program and computes nothing. */
#include <time.h>

#include "runtime/nrt/device_port.h"
#include "runtime/nrt/nrt_log.h"

struct nx_port_program {
	const struct nx_neff *neff;
	bool has_warned;
};

uint64_t nx_device_port_host_ps(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) * 1000u;
}

void nx_device_port_zero_outputs(const struct nx_neff *neff, uint8_t *const *buffers)
{
	for (size_t i = 0; i < neff->tensor_count; i++)
		if (neff->tensors[i]->kind == NX_VARIABLE_OUTPUT && neff->tensors[i]->size_bytes)
			memset(buffers[i], 0, neff->tensors[i]->size_bytes);
}

static enum nx_status open_program(const struct nx_neff *neff, struct nx_port_program **out,
				   struct nx_error *err)
{
	*out = nx_heap_try_alloc(sizeof(**out));
	if (!*out)
		return nx_fail(err, NX_LIMIT, "no memory for a model");
	(*out)->neff = neff;
	return NX_OK;
}

static void close_program(struct nx_port_program *program)
{
	nx_heap_free(program);
}

static enum nx_port_ranks connect_ranks(struct nx_port_program *program,
					const struct nx_device_ranks *ranks,
					const struct nx_collective_place *place)
{
	(void)program, (void)ranks, (void)place;
	return NX_PORT_RANKS_NONE;
}

static enum nx_status run_program(struct nx_port_program *program, uint8_t *const *buffers,
				  struct nx_port_run *run, struct nx_error *err)
{
	uint64_t began_ps = nx_device_port_host_ps();

	(void)err;
	if (!program->has_warned)
		nx_log_warn("nrt_execute",
			    "no device is connected: nothing is computed and outputs are zero");
	program->has_warned = true;
	nx_device_port_zero_outputs(program->neff, buffers);
	run->end_ps = run->start_ps + (nx_device_port_host_ps() - began_ps);
	return NX_OK;
}

static enum nx_device_arch arch_of(const struct nx_port_program *program)
{
	(void)program;
	return NX_DEVICE_ANY;
}

static const struct nx_loaded_code *code_of(const struct nx_port_program *program)
{
	(void)program;
	return NULL;
}

static void record_nothing(const struct nx_port_program *program, const struct nx_port_run *run,
			   uint32_t first_core, struct nx_notified *out)
{
	(void)program, (void)run, (void)first_core, (void)out;
}

const struct nx_device_port nx_idle_port = {
	.name = "idle",
	.open = open_program,
	.close = close_program,
	.arch = arch_of,
	.connect = connect_ranks,
	.run = run_program,
	.code = code_of,
	.record = record_nothing,
};
