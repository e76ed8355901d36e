/* SPDX-License-Identifier: Apache-2.0 */
/* nccom-test: measures collectives; another name of the program. */
#include <stdlib.h>

#include "cli/help.h"
#include "cli/nccom/nccom_launch.h"
#include "cli/nccom/nccom_measure.h"
#include "cli/nccom/nccom_streams.h"
#include "cli/nccom/nccom_table.h"
#include "cli/options.h"
#include "cli/terminal.h"

/* --- running ----------------------------------------------------------------------------- */

static enum nx_status measure(struct nx_nccom_table *table, struct nx_nccom_runtime *runtime,
			      const struct nx_nccom_op *op, uint64_t size, struct nx_error *err)
{
	const struct nx_nccom_request *r = table->request;
	struct nx_nccom_result result = {0};
	struct nx_nccom_case c;
	enum nx_status st = nx_nccom_case_make(r, op, size, &c, err);

	if (!st)
		st = nx_nccom_measure(runtime, r, &c, &result, err);
	if (!st && r->options.first_rank == 0)
		nx_nccom_table_add(table, &c, &result);
	table->said = result.said;
	result.said = (struct nx_bytes){0};
	nx_nccom_result_release(&result);
	return st;
}

static enum nx_status measure_all(struct nx_nccom_table *table, struct nx_nccom_runtime *runtime,
				  struct nx_error *err)
{
	const struct nx_nccom_request *r = table->request;
	bool is_shown = r->options.first_rank == 0;
	enum nx_status st = nx_nccom_start(r, runtime, err);

	for (size_t i = 0; i < r->op_count && !st; i++) {
		if (r->op_count > 1 && is_shown)
			nx_print(&table->out, "%s\n", r->ops[i]->name);
		for (size_t k = 0; k < r->size_count && !st; k++)
			st = measure(table, runtime, r->ops[i], r->sizes[k], err);
		if (is_shown)
			nx_nccom_table_end(table);
	}
	return st;
}

/* --- what is asked for ----------------------------------------------------------------------- */

struct job {
	struct nx_nccom_request request;
	struct nx_nccom_streams streams; /* none: the request */
	const struct nx_nccom_words *words;
};

static enum nx_status run_here(const struct job *job, struct nx_error *err)
{
	bool has_streams = job->streams.count > 0;
	const struct nx_nccom_request *r = has_streams ? job->streams.items : &job->request;
	struct nx_nccom_table table = {.request = r, .words = job->words};
	struct nx_nccom_runtime runtime = {0};
	enum nx_status st = nx_nccom_table_open(&table, err);

	if (st)
		return st;
	nx_nccom_set_environment(
		r, has_streams ? job->streams.core_count : r->options.local_rank_count,
		job->words->is_debug);
	if (r->options.has_processes && !getenv(NX_NCCOM_ROOT))
		st = nx_nccom_root_choose("127.0.0.1",
					  has_streams ? (uint32_t)job->streams.count : 1, err);
	if (!st)
		st = nx_nccom_runtime_open(&runtime, job->words->runtime, err);
	if (!st && has_streams)
		st = nx_nccom_streams_run(&job->streams, &runtime, &table, err);
	else if (!st)
		st = measure_all(&table, &runtime, err);
	st = nx_nccom_table_close(&table, st, err);
	nx_nccom_runtime_close(&runtime);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct nx_nccom_words *words = values;
	bool is_launched = nx_nccom_launch_is_wanted(words); /* copies on other machines */
	struct nx_nccom_launch launch = {0};
	struct job job = {.words = words};
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	if (words->wants_version)
		return nx_help_show_version(call, err);
	if (is_launched)
		st = nx_nccom_launch_plan(&launch, words, &arena, err);
	/* The copies read the request too, but its errors are reported once, here. */
	if (!st && words->streams)
		st = nx_nccom_streams_open(words, operands->items, operands->count, &arena,
					   &job.streams, err);
	else if (!st)
		st = nx_nccom_request_read(words, operands->items, operands->count, &arena,
					   &job.request, err);
	if (!st && is_launched)
		st = nx_nccom_launch_run(&launch, call->argc, call->argv, call->exit_code, err);
	else if (!st)
		st = run_here(&job, err);
	nx_nccom_launch_release(&launch);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"All-reduce and all-gather of 512 KiB over 32 ranks:",
	 "allr allg -b 512kb -e 512kb -r 32 -n 10 -d fp32 -w 1 -f 512"},
	{"Sizes from 1 KiB to 64 MiB, checked, with the algorithm used:",
	 "allr -r 16 -b 1kb -e 64mb -f 8 -d bf16 -c random --show-algorithm"},
	{"One process per rank, timed by this machine:",
	 "redsct -r 4 -b 1mb -e 1mb --processes --wall-time"},
	{"Two machines, started from here with mpirun:",
	 "allr -r 64 -b 1mb -e 1mb --hosts 10.1.4.145,10.1.4.138 --mpi-log-dir logs"},
	{"Several streams at the same time, all checked:", "--streams-json streams.json -c"},
	{0},
};

const struct nx_command nx_command_nccom_test = {
	.name = "nccom-test",
	.summary = "measure collectives over many ranks",
	.operands = "[OPERATION...]",
	.operand_choices = nx_nccom_op_names,
	.description =
		"Runs collectives over NeuronCores through libnrt.so.1 and reports how long they "
		"took. Operations: all_reduce (allr), all_gather (allg), all_gatherv (allgv), "
		"reduce_scatter (redsct), sendrecv, alltoall, alltoallv, permute, broadcast.\n\n"
		"Without a device, the runtime that comes with this program really moves the data "
		"between ranks and reports the time that a device would take according to a model "
		"(docs/design/collectives.md): good for comparing algorithms and sizes, not for "
		"predicting a machine to the microsecond.\n\n"
		"size(B) is the size of a rank's input or output, whichever is larger; algbw is "
		"size divided by time; busbw is algbw times 2(r-1)/r for all_reduce, (r-1)/r for "
		"gathers, scatters and alltoall, 1 for the others. 1 GB is 1e9 bytes.\n\n"
		"Without a device, each rank needs several times its size(B) of this machine's "
		"memory; a size that needs more than is available is refused with exit code 10. "
		"Sizes measured before a failure are still in the table and in the JSON.\n\n"
		"--streams-json names a file such as {\"streams\": [{\"operation\": \"allr\", "
		"\"nworkers\": 4, \"minbytes\": \"1kb\", \"maxbytes\": \"1mb\", \"stepfactor\": 8, "
		"\"ops_per_iter\": 4}, {\"operation\": \"allg\", \"nworkers\": 2, \"datatype\": "
		"\"bf16\"}]}. Its fields are operation, ops_per_iter (operations per iteration, "
		"default 1) and, like the options of these names: nworkers, minbytes, maxbytes, "
		"stepbytes, stepfactor, iters, warmup_iters, neff_iters, neff_warmup_iters, "
		"datatype, check, seed, data-parallel-dimension, custom-replica-groups, "
		"custom-src-target-pairs and variable-size-op-metadata (the last three as lists). "
		"Fields left out have the value given on the command line. Each stream has its own "
		"cores, and streams do not slow each other down in simulated time.\n\n"
		"--hosts and --slurm-mode start a copy of nccom-test on each machine, where it "
		"must be at the same path, with mpirun (Open MPI; mpiexec if there is none) or "
		"srun. The copies meet at NEURON_RT_ROOT_COMM_ID=host:port, by default on the "
		"first machine at a port that is free here. The machine of rank 0 prints the "
		"table; the exit code is that of a copy that failed, and a signal ends all copies.",
	.options = nx_nccom_option_table,
	.examples = examples,
	.is_program = true,
	.tmpdir = "The folder for its log and profiles; /tmp if unset.",
	.values_bytes = sizeof(struct nx_nccom_words),
	.run = run,
};
