/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_measure.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/nccom/nccom_memory.h"

#define OPS_IN_NEFF 512 /* of one execution; more make more executions */

uint32_t nx_nccom_core_size(void)
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
		.core_size = nx_nccom_core_size(),
	};
	return nx_nccom_case_measure(c, err);
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

/* Without a device the runtime makes one up: large enough for all ranks. */
void nx_nccom_set_environment(const struct nx_nccom_request *r, uint32_t rank_count, bool is_debug)
{
	char text[16];

	if (rank_count > 8 / nx_nccom_core_size() && access("/dev/neuron0", F_OK) != 0)
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
