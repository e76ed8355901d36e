/* SPDX-License-Identifier: Apache-2.0 */
/* nccom-test: how long collectives take; a program of its own name. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/nccom_memory.h"
#include "cli/nccom_runtime.h"
#include "cli/nccom_table.h"
#include "cli/options.h"
#include "cli/terminal.h"

#define OPS_IN_NEFF 512 /* of one execution; more make more executions */
/* --- running ----------------------------------------------------------------------------- */

static uint32_t core_size(void)
{
	const char *text = getenv("NEURON_RT_VIRTUAL_CORE_SIZE");

	if (!text || !*text)
		text = getenv("NEURON_LOGICAL_NC_CONFIG");
	return text && !strcmp(text, "1") ? 1 : 2;
}

static enum nx_status measure(struct nx_nccom_table *table, struct nx_nccom_runtime *runtime,
			      const struct nx_nccom_op *op, uint64_t size, struct nx_error *err)
{
	const struct nx_nccom_request *r = table->request;
	const struct nx_nccom_options *o = &r->options;
	uint32_t wanted = o->warmup_count + o->measured_count;
	struct nx_nccom_case c = {
		.op = op,
		.dtype = r->dtype,
		.dtype_name = r->dtype_name,
		.size_bytes = size,
		.rank_count = r->rank_count,
		.group_size = r->groups.group_size ? r->groups.group_size : r->rank_count,
		.groups = &r->groups,
		.op_count = o->has_executions || wanted < OPS_IN_NEFF ? wanted : OPS_IN_NEFF,
		.core_size = core_size(),
	};
	struct nx_nccom_result result = {0};
	enum nx_status st = nx_nccom_case_measure(&c, err);

	/* A device has its own memory, and says itself when that is not enough. */
	if (!st && runtime->calls.is_own)
		st = nx_nccom_memory_check(&c, o, nx_memory_available_bytes(), err);
	if (!st)
		st = nx_nccom_run(runtime, &c, o, &result, err);
	if (!st && o->first_rank == 0) {
		if (result.is_wall_time && !o->wants_wall_time)
			nx_say_warning("this runtime does not tell device times; times are those "
				       "of the host");
		nx_nccom_table_add(table, &c, &result);
	}
	table->said = result.said;
	result.said = (struct nx_bytes){0};
	nx_nccom_result_release(&result);
	return st;
}

static enum nx_status measure_all(struct nx_nccom_table *table, struct nx_nccom_runtime *runtime,
				  struct nx_error *err)
{
	const struct nx_nccom_request *r = table->request;
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < r->op_count && !st; i++) {
		if (r->op_count > 1)
			nx_print(&table->out, "%s\n", r->ops[i]->name);
		for (size_t k = 0; k < r->size_count && !st; k++)
			st = measure(table, runtime, r->ops[i], r->sizes[k], err);
		if (r->options.first_rank == 0)
			nx_nccom_table_end(table);
	}
	return st;
}

/* --- the environment of ranks ------------------------------------------------------------ */

/* A port nobody has now, for processes of this machine. */
static void set_root(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[40];

	if (fd < 0)
		return;
	if (!bind(fd, (struct sockaddr *)&address, len) &&
	    !getsockname(fd, (struct sockaddr *)&address, &len)) {
		snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(address.sin_port));
		setenv("NEURON_RT_ROOT_COMM_ID", text, 1);
	}
	close(fd);
}

/* Without a device the runtime makes one up: large enough for all ranks. */
static void set_environment(const struct nx_nccom_words *words, const struct nx_nccom_request *r)
{
	char text[16];

	if (r->options.local_rank_count > 8 / core_size() && access("/dev/neuron0", F_OK) != 0)
		setenv("NEURON_EXPLORER_INSTANCE", "trn2.48xlarge", 0);
	if (r->node_count > 1) {
		snprintf(text, sizeof(text), "%u", r->node_count);
		setenv("NEURON_EXPLORER_NODE_COUNT", text, 1);
	}
	if (r->options.has_processes && !getenv("NEURON_RT_ROOT_COMM_ID"))
		set_root();
	if (words->is_debug)
		setenv("NEURON_RT_LOG_LEVEL", "DEBUG", 1);
}

static enum nx_status start(const struct nx_nccom_request *r, struct nx_nccom_runtime *runtime,
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

static enum nx_status run_request(const struct nx_nccom_words *words,
				  const struct nx_nccom_request *r, struct nx_error *err)
{
	struct nx_nccom_table table = {.request = r, .words = words};
	struct nx_nccom_runtime runtime = {0};
	enum nx_status st = nx_nccom_table_open(&table, err);

	if (st)
		return st;
	set_environment(words, r);
	st = nx_nccom_runtime_open(&runtime, words->runtime, err);
	if (!st)
		st = start(r, &runtime, err);
	if (!st)
		st = measure_all(&table, &runtime, err);
	st = nx_nccom_table_close(&table, st, err);
	nx_nccom_runtime_close(&runtime);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct nx_nccom_words words = {0};
	struct nx_nccom_request request = {.op_count = 0};
	struct nx_operands operands;
	struct nx_arena arena = {0};
	bool wants_help = false;
	enum nx_status st;

	argc = nx_nccom_join_words(argc, argv, &arena, &argv);
	st = nx_options_parse(&nx_command_nccom_test, argc, argv, &words, &operands, &wants_help,
			      err);
	if (!st && wants_help)
		st = nx_help_show(call, &nx_command_nccom_test, err);
	else if (!st && words.wants_version)
		st = nx_help_show_version(call, err);
	else if (!st)
		st = nx_nccom_request_read(&words, operands.items, operands.count, &arena, &request,
					   err);
	if (!st && !wants_help && !words.wants_version)
		st = run_request(&words, &request, err);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"All-reduce and all-gather of 512 KiB over 32 ranks:",
	 "allr allg -b 512kb -e 512kb -r 32 -n 10 -d fp32 -w 1 -f 512"},
	{"Sizes from 1 KiB to 64 MiB, checked, with the way the data took:",
	 "allr -r 16 -b 1kb -e 64mb -f 8 -d bf16 -c random --show-algorithm"},
	{"A process for each rank, times of this machine:",
	 "redsct -r 4 -b 1mb -e 1mb --processes --wall-time"},
	{0},
};

const struct nx_command nx_command_nccom_test = {
	.name = "nccom-test",
	.summary = "measure collectives over many ranks",
	.operands = "OPERATION...",
	.description =
		"Runs collectives over NeuronCores through libnrt.so.1 and says how long they "
		"took. "
		"Operations: all_reduce (allr), all_gather (allg), all_gatherv (allgv), "
		"reduce_scatter (redsct), sendrecv, alltoall, alltoallv, permute, broadcast.\n\n"
		"Where there is no device, the runtime that comes with this program moves the data "
		"between ranks for real and tells the time that a device would take, by a model "
		"(docs/design/collectives.md): good to compare ways and sizes, not to predict a "
		"machine to the microsecond.\n\n"
		"size(B) is what a rank holds on the side that has more of it; algbw is size over "
		"time, busbw that times 2(r-1)/r for all_reduce, (r-1)/r for gathers, scatters and "
		"alltoall, 1 for the others. GB are 1e9 bytes.\n\n"
		"Ranks without a device need memory of this machine, several times their size(B) "
		"each; a size that needs more than is available is refused with exit code 10. What "
		"was measured before a failure stays in the table and in the JSON.",
	.options = nx_nccom_option_table,
	.examples = examples,
	.run = run,
};
