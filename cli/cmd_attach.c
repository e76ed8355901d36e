/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "capture/local_service.h"
#include "cli/options.h"
#include "cli/service_run.h"
#include "cli/terminal.h"

struct attach {
	struct nx_service_values service;
};

static const struct nx_option options[] = {
	NX_ROWS_SERVICE_TIME(struct attach),
	NX_ROWS_SERVICE_SERIES(struct attach),
	NX_ROWS_SERVICE_SESSION(struct attach),
	NX_ROWS_SERVICE_RECORDING(struct attach),
	{0},
};

static enum nx_status print_services(struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_local_services services;
	struct nx_output out;
	enum nx_status st;

	nx_local_services_find(&services, &arena);
	st = nx_output_open(&out, "-", err);
	if (!st && !services.len)
		nx_say("no process of yours has a profiler service; start one with "
		       "NEURON_PROFILER_PORT=0 under our runtime");
	for (size_t i = 0; !st && i < services.len; i++)
		nx_print(&out, "%" PRIu64 "\t%s\t%s\n", services.items[i].pid,
			 nx_local_service_text(&services.items[i], &arena),
			 services.items[i].command);
	if (!st)
		st = nx_print_end(&out, NX_OK, err);
	nx_vec_release(&services);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct attach *o = values;
	struct nx_arena arena = {0};
	struct nx_service_job job = {.kind = NX_SESSION_ON_DEMAND, .reason = "attach"};
	uint64_t pid;
	enum nx_status st;

	if (!operands->count)
		return print_services(err);
	if (operands->count > 1 || !nx_slice_to_u64(nx_slice_text(operands->items[0]), &pid))
		return nx_fail(err, NX_USAGE,
			       "give the number of one process, not '%.100s'; attach without a "
			       "number lists those that can be captured",
			       operands->items[operands->count - 1]);
	st = nx_local_service_address(pid, &arena, &job.addresses, err);
	if (!st)
		st = nx_service_run(call, &o->service, &job, err);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"List the processes that can be captured:", "attach"},
	{"Record process 4242 for five seconds:", "attach 4242 --duration-ms 5000 --logdir runs"},
	{0},
};

const struct nx_command nx_command_attach = {
	.name = "attach",
	.summary = "capture a running program of this machine",
	.operands = "[PID]",
	.operand_choices = "",
	.description =
		"Records a program that runs under our runtime, without a restart, and saves what "
		"it "
		"did as a session, like 'capture --service-addr'. The program needs a profiler "
		"service: start it with NEURON_PROFILER_PORT=0, which picks a free port, or let it "
		"call nx_profiler_start_server. Without a PID, lists the programs that have one: "
		"pid, address and command, separated by tabs.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct attach),
	.run = run,
};
