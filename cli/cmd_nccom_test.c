/* SPDX-License-Identifier: Apache-2.0 */
/* nccom-test: how long collectives take; a program of its own name. */
#include <stdlib.h>

#include "cli/help.h"
#include "cli/nccom/nccom_launch.h"
#include "cli/nccom/nccom_measure.h"
#include "cli/nccom/nccom_stream_run.h"
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
	if (!st && r->options.first_rank == 0) {
		if (result.is_wall_time && !r->options.wants_wall_time)
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

struct job { /* one of the first two, and where */
	struct nx_nccom_request request;
	struct nx_nccom_streams streams; /* none: the request */
	struct nx_nccom_words words;
	struct nx_nccom_launch launch;
	bool is_launched; /* on other machines, by others */
	struct nx_arena arena;
};

static enum nx_status read_job(struct job *job, const struct nx_operands *ops, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	job->is_launched = nx_nccom_launch_is_wanted(&job->words);
	if (job->is_launched)
		st = nx_nccom_launch_plan(&job->launch, &job->words, &job->arena, err);
	if (st)
		return st;
	if (job->words.streams)
		return nx_nccom_streams_open(&job->words, ops->items, ops->count, &job->arena,
					     &job->streams, err);
	return nx_nccom_request_read(&job->words, ops->items, ops->count, &job->arena,
				     &job->request, err);
}

static enum nx_status run_here(struct job *job, struct nx_error *err)
{
	bool has_streams = job->streams.count > 0;
	const struct nx_nccom_request *r = has_streams ? job->streams.items : &job->request;
	struct nx_nccom_table table = {.request = r, .words = &job->words};
	struct nx_nccom_runtime runtime = {0};
	enum nx_status st = nx_nccom_table_open(&table, err);

	if (st)
		return st;
	nx_nccom_set_environment(
		r, has_streams ? job->streams.core_count : r->options.local_rank_count,
		job->words.is_debug);
	if (r->options.has_processes && !has_streams && !getenv(NX_NCCOM_ROOT))
		nx_nccom_set_root_here();
	st = nx_nccom_runtime_open(&runtime, job->words.runtime, err);
	if (!st && has_streams)
		st = nx_nccom_streams_run(&job->streams, &runtime, &table, err);
	else if (!st)
		st = measure_all(&table, &runtime, err);
	st = nx_nccom_table_close(&table, st, err);
	nx_nccom_runtime_close(&runtime);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct job job = {.is_launched = false};
	struct nx_operands operands;
	bool wants_help = false;
	enum nx_status st;

	argc = nx_nccom_join_words(argc, argv, &job.arena, &argv);
	st = nx_options_parse(&nx_command_nccom_test, argc, argv, &job.words, &operands,
			      &wants_help, err);
	if (!st && wants_help)
		st = nx_help_show(call, &nx_command_nccom_test, err);
	else if (!st && job.words.wants_version)
		st = nx_help_show_version(call, err);
	else if (!st)
		st = read_job(&job, &operands, err);
	if (!st && !wants_help && !job.words.wants_version)
		st = job.is_launched
			     ? nx_nccom_launch_run(&job.launch, argc, argv, call->exit_code, err)
			     : run_here(&job, err);
	nx_nccom_launch_release(&job.launch);
	nx_arena_release(&job.arena);
	return st;
}

static const struct nx_example examples[] = {
	{"All-reduce and all-gather of 512 KiB over 32 ranks:",
	 "allr allg -b 512kb -e 512kb -r 32 -n 10 -d fp32 -w 1 -f 512"},
	{"Sizes from 1 KiB to 64 MiB, checked, with the way the data took:",
	 "allr -r 16 -b 1kb -e 64mb -f 8 -d bf16 -c random --show-algorithm"},
	{"A process for each rank, times of this machine:",
	 "redsct -r 4 -b 1mb -e 1mb --processes --wall-time"},
	{"Two machines, started from here by mpirun:",
	 "allr -r 64 -b 1mb -e 1mb --hosts 10.1.4.145,10.1.4.138 --mpi-log-dir logs"},
	{"Streams side by side, all checked:", "--streams-json streams.json -c"},
	{0},
};

const struct nx_command nx_command_nccom_test = {
	.name = "nccom-test",
	.summary = "measure collectives over many ranks",
	.operands = "[OPERATION...]",
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
		"was measured before a failure stays in the table and in the JSON.\n\n"
		"--streams-json names a file like {\"streams\": [{\"operation\": \"allr\", "
		"\"nworkers\": 4, "
		"\"minbytes\": \"1kb\", \"maxbytes\": \"1mb\", \"stepfactor\": 8, "
		"\"ops_per_iter\": 4}, "
		"{\"operation\": \"allg\", \"nworkers\": 2, \"datatype\": \"bf16\"}]}. Its fields "
		"are "
		"operation, ops_per_iter (operations of an iteration, 1 unless given) and, as the "
		"options "
		"of these names: nworkers, minbytes, maxbytes, stepbytes, stepfactor, iters, "
		"warmup_iters, neff_iters, neff_warmup_iters, datatype, check, seed, "
		"data-parallel-dimension, custom-replica-groups, custom-src-target-pairs and "
		"variable-size-op-metadata (the last three as lists). What a stream leaves out is "
		"as on "
		"the command line. Streams have cores of their own and do not slow each other down "
		"in "
		"simulated time.\n\n"
		"--hosts and --slurm-mode start a copy of nccom-test on each machine, which has to "
		"have "
		"it at the same path, by mpirun (Open MPI; mpiexec where there is none) or srun. "
		"The "
		"copies meet at NEURON_RT_ROOT_COMM_ID=host:port, or else on the first machine at "
		"a port "
		"that is free here. The machine of rank 0 prints; the exit code is that of a copy "
		"that "
		"failed, and a signal ends all.",
	.options = nx_nccom_option_table,
	.examples = examples,
	.run = run,
};
