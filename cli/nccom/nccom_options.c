/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_options.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/nccom/nccom_launch.h"
#include "cli/options.h"
#include "cli/suggest.h"

#define FIELD(member) NX_FIELD(struct nx_nccom_words, member)
#define DEFAULT_SIZE (UINT64_C(32) << 20)
#define DEFAULT_ITERATIONS 20
#define DEFAULT_WARMUPS 5
#define NO_EFFECT "Accepted, no effect: "

const struct nx_option nx_nccom_option_table[] = {
	{"nworkers", 'r', NX_NUMBER("N"), FIELD(ranks), "The total number of ranks."},
	{"nnodes", 'N', NX_NUMBER("N"), FIELD(nodes),
	 "How many machines the ranks are spread over (default 1). All ranks still run here, timed "
	 "as if on that many machines, unless --node-rank, --hosts or -S spread them."},
	{"node-rank", 0, NX_TEXT_OR("N", "auto"), FIELD(node_rank),
	 "Run only the ranks of machine N; NEURON_RT_ROOT_COMM_ID tells how to reach the others. "
	 "auto: take N from mpirun or srun."},
	{"minbytes", 'b', NX_TEXT("SIZE"), FIELD(least),
	 "Smallest size: 100, 512kb, 32mb, 1gb (default 32M)."},
	{"maxbytes", 'e', NX_TEXT("SIZE"), FIELD(most), "Largest size (default 32M)."},
	{"stepbytes", 'i', NX_TEXT("SIZE"), FIELD(step),
	 "Step from one size to the next (default: a tenth of the range)."},
	{"stepfactor", 'f', NX_NUMBER("N"), FIELD(factor),
	 "Factor from one size to the next, instead of a step."},
	{"iters", 'n', NX_NUMBER("N"), FIELD(iterations), "Measured operations (default 20)."},
	{"warmup_iters", 'w', NX_NUMBER("N"), FIELD(warmups),
	 "Operations to run first, without measuring them (default 5)."},
	{"neff_iters", 'I', NX_NUMBER("N"), FIELD(executions),
	 "Measured executions of a program that contains all of -n and -w."},
	{"neff_warmup_iters", 'W', NX_NUMBER("N"), FIELD(ignored_executions),
	 "Executions to run first, without measuring them."},
	{"datatype", 'd',
	 NX_TEXT_OR("TYPE", "uint8 int8 fp8 uint16 int16 fp16 bf16 uint32 int32 fp32"),
	 FIELD(dtype), "Element type (default uint8)."},
	{"check", 'c', NX_FLAG_TEXT("KIND", "random all_ones"), FIELD(check),
	 "Compare all outputs with those of a plain loop, for random (default) or all_ones "
	 "inputs."},
	{"seed", 0, NX_NUMBER("N"), FIELD(seed), "Seed of random inputs (default 0)."},
	{"stats", 't', NX_TEXT("LIST"), FIELD(stats),
	 "Time columns: avg, p25, p50, p99 and so on (default avg)."},
	{"show-algorithm", 0, NX_FLAG, FIELD(shows_algorithm),
	 "Add a column with the algorithm used."},
	{"show-input-output-size", 0, NX_FLAG, FIELD(shows_sizes),
	 "Add columns with the total input and output size of all ranks."},
	{"report-to-json-file", 0, NX_FILE("FILE"), FIELD(json), "Also write the table as JSON."},
	{"variable-size-op-metadata", 0, NX_TEXT("JSON"), FIELD(counts),
	 "Element counts: for all_gatherv one per rank ([3,0,5]), for alltoallv one per pair of "
	 "ranks ([[1,2],[0,4]]); a file or the text itself."},
	{"custom-replica-groups", 0, NX_TEXT("JSON"), FIELD(groups),
	 "Groups of ranks, all of one size, [[0,1],[2,3]]; a file or the text itself."},
	{"custom-src-target-pairs", 0, NX_TEXT("JSON"), FIELD(pairs),
	 "Which rank sends to which in permute and sendrecv, [[0,1],[1,0]] (default: each to the "
	 "next)."},
	{"data-parallel-dimension", 0, NX_NUMBER("N"), FIELD(data_parallel),
	 "Form groups of N evenly spaced ranks."},
	{"processes", 0, NX_FLAG, FIELD(has_processes),
	 "Run each rank as a process, not a thread."},
	{"wall-time", 0, NX_FLAG, FIELD(wants_wall_time),
	 "Report times of this machine's clock, not of the device."},
	NX_ROW_RUNTIME(struct nx_nccom_words),
	{"hosts", 's', NX_TEXT("HOSTS"), FIELD(hosts),
	 "Start nccom-test once on each of these machines with Open MPI's mpirun: 'a,b' or 'a b'. "
	 "The first one has rank 0."},
	{"hosts-file", 0, NX_FILE("FILE"), FIELD(hosts_file),
	 "The same, with one machine per line."},
	{"mpi-log-dir", 0, NX_FOLDER("FOLDER"), FIELD(log_folder),
	 "With --hosts: write the output of each machine to a file in this folder."},
	{"slurm-mode", 'S', NX_FLAG, FIELD(has_slurm),
	 "Start nccom-test on -N machines with Slurm's srun, once on each."},
	{"slurm-vcpus-per-node", 'u', NX_NUMBER("N"), FIELD(slurm_vcpus),
	 "With -S: processors per machine (srun -c)."},
	{"slurm-setup-script", 0, NX_FILE("FILE"), FIELD(slurm_script),
	 "With -S: a shell script to source first on each machine."},
	{"slurm-job-id", 0, NX_TEXT("ID"), FIELD(slurm_job),
	 "With -S: use the machines of this job (default: srun allocates new ones)."},
	{"slurm-use-head-node-neuron-bench", 0, NX_FLAG, FIELD(head_node),
	 NO_EFFECT "nccom-test must be at the same path on each machine."},
	{"non-interactive", 0, NX_FLAG, FIELD(is_quiet), NO_EFFECT "nccom-test never prompts."},
	{"unique-buff", 0, NX_FLAG, FIELD(unique),
	 NO_EFFECT "buffers do not change simulated times."},
	{"shared-output-buff", 0, NX_FLAG, FIELD(shared_output), "See --unique-buff."},
	{"coalesced-cc-size-ratio", 0, NX_TEXT("RATIO"), FIELD(ignored[0]), "See --unique-buff."},
	{"sb2sb", 0, NX_FLAG, FIELD(sb2sb),
	 NO_EFFECT "transfers between state buffers are measured like those between device "
		   "memories."},
	{"input-shape", 0, NX_TEXT("SHAPE"), FIELD(ignored[1]), "See --sb2sb."},
	{"output-shape", 0, NX_TEXT("SHAPE"), FIELD(ignored[2]), "See --sb2sb."},
	{"cc-dim", 0, NX_TEXT("N"), FIELD(ignored[3]), "See --sb2sb."},
	{"streams-json", 0, NX_FILE("FILE"), FIELD(streams),
	 "Run several streams at the same time, each with its own ranks and table: see below."},
	{"vcpu-pin-mode", 0, NX_TEXT("MODE"), FIELD(ignored[4]),
	 NO_EFFECT "ranks on this machine are threads of nccom-test."},
	{"data-collector-port", 0, NX_TEXT("PORT"), FIELD(ignored[5]), "See --vcpu-pin-mode."},
	{"data-collector-host", 0, NX_TEXT("HOST"), FIELD(ignored[6]), "See --vcpu-pin-mode."},
	{"debug", 0, NX_FLAG, FIELD(is_debug), "Show all messages of the runtime."},
	NX_ROW_VERSION(struct nx_nccom_words, 'V'),
	{0},
};

/* --- words ------------------------------------------------------------------------------ */

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static bool is_stat(const char *word)
{
	char *end = NULL;

	if (!strcmp(word, "avg"))
		return true;
	return word[0] == 'p' && word[1] && strtoul(word + 1, &end, 10) <= 100 && end && !*end;
}

int nx_nccom_join_words(int argc, char **argv, struct nx_arena *arena, char ***out)
{
	char **words = NX_NEW_ARRAY(arena, char *, (size_t)argc + 1);
	int count = 0;

	assert(argc >= 0);
	for (int i = 0; i < argc; i++) {
		char *word = argv[i];

		if (is_one_of(word, "-c", "--check") && i + 1 < argc &&
		    is_one_of(argv[i + 1], "random", "all_ones"))
			word = nx_arena_printf(arena, "--check=%s", argv[++i]);
		else if (!strcmp(word, "-c"))
			word = nx_arena_printf(arena, "--check");
		if (is_one_of(word, "-t", "--stats") && i + 1 < argc && is_stat(argv[i + 1])) {
			word = nx_arena_printf(arena, "--stats=%s", argv[++i]);
			while (i + 1 < argc && is_stat(argv[i + 1]))
				word = nx_arena_printf(arena, "%s,%s", word, argv[++i]);
		}
		if (is_one_of(word, "-s", "--hosts") && i + 1 < argc)
			word = nx_arena_printf(arena, "--hosts=%s", argv[++i]);
		/* an operation may follow the hosts */
		while (!strncmp(word, "--hosts=", 8) && i + 1 < argc && argv[i + 1][0] != '-' &&
		       !nx_nccom_op_find(argv[i + 1]))
			word = nx_arena_printf(arena, "%s,%s", word, argv[++i]);
		words[count++] = word;
	}
	*out = words;
	return count;
}

/* --- the rest ------------------------------------------------------------------------ */

static enum nx_status read_stats(const char *text, struct nx_nccom_request *r, struct nx_error *err)
{
	while (text && *text) {
		size_t len = strcspn(text, ",");
		char word[16];

		snprintf(word, sizeof(word), "%.*s", (int)(len < 15 ? len : 15), text);
		if (!is_stat(word) || r->stat_count == NX_NCCOM_MAX_STATS)
			return nx_fail(err, NX_USAGE,
				       "--stats is a list such as avg,p50,p99, not '%s'", word);
		r->stats[r->stat_count++] = word[0] == 'a' ? -1 : atoi(word + 1);
		text += len + (text[len] == ',');
	}
	if (!r->stat_count)
		r->stats[r->stat_count++] = -1;
	return NX_OK;
}

static enum nx_status read_sizes(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				 struct nx_arena *arena, struct nx_error *err)
{
	struct nx_nccom_sizes sizes = {.least = DEFAULT_SIZE, .most = DEFAULT_SIZE};
	enum nx_status st = w->least ? nx_nccom_size_parse(w->least, &sizes.least, err) : NX_OK;

	if (!st && w->most)
		st = nx_nccom_size_parse(w->most, &sizes.most, err);
	if (!st && w->least && !w->most && sizes.least > sizes.most)
		sizes.most = sizes.least;
	if (!st && w->most && !w->least && sizes.most < sizes.least)
		sizes.least = sizes.most;
	if (!st && w->step)
		st = nx_nccom_size_parse(w->step, &sizes.step, err);
	sizes.factor = w->factor.is_given ? w->factor.value : 0;
	if (!st && w->factor.is_given && sizes.factor < 2)
		return nx_fail(err, NX_USAGE, "--stepfactor must be 2 or more");
	return st ? st : nx_nccom_sizes_list(&sizes, arena, &r->sizes, &r->size_count, err);
}

static uint32_t or_default(struct nx_number_value given, uint32_t fallback)
{
	return given.is_given ? given.value : fallback;
}

static enum nx_status read_node(const char *text, struct nx_nccom_request *r, struct nx_error *err)
{
	struct nx_nccom_options *o = &r->options;
	uint32_t node = 0;
	enum nx_status st = nx_nccom_node_read(text, &node, err);

	if (!st)
		st = nx_nccom_root_complete(err);
	if (st)
		return st;
	if (node >= r->node_count || !getenv(NX_NCCOM_ROOT))
		return nx_fail(err, NX_USAGE,
			       "--node-rank must be 0 to %u, and NEURON_RT_ROOT_COMM_ID=host:port "
			       "must name the machine of rank 0",
			       r->node_count - 1);
	o->local_rank_count = r->rank_count / r->node_count;
	o->first_rank = node * o->local_rank_count;
	return NX_OK;
}

static enum nx_status read_ranks(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				 struct nx_error *err)
{
	struct nx_nccom_options *o = &r->options;

	r->rank_count = or_default(w->ranks, 0);
	r->node_count = or_default(w->nodes, 1);
	if (!r->rank_count || r->rank_count > NX_NCCOM_MAX_RANKS)
		return nx_fail(err, NX_USAGE, "give the number of ranks with --nworkers, 1 to %u",
			       NX_NCCOM_MAX_RANKS);
	if (!r->node_count || r->rank_count % r->node_count)
		return nx_fail(err, NX_USAGE, "%u ranks cannot be spread over %u machines",
			       r->rank_count, r->node_count);
	o->local_rank_count = r->rank_count;
	return w->node_rank ? read_node(w->node_rank, r, err) : NX_OK;
}

static enum nx_status read_options(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				   struct nx_error *err)
{
	struct nx_nccom_options *o = &r->options;

	o->measured_count = or_default(w->iterations, DEFAULT_ITERATIONS);
	o->warmup_count = or_default(w->warmups, DEFAULT_WARMUPS);
	o->has_executions = w->executions.is_given || w->ignored_executions.is_given;
	o->execution_count = or_default(w->executions, 1);
	o->ignored_count = or_default(w->ignored_executions, 0);
	o->seed = or_default(w->seed, 0);
	o->has_processes = w->has_processes;
	o->wants_wall_time = w->wants_wall_time;
	if (!o->measured_count || o->measured_count > 100000 || o->warmup_count > 100000 ||
	    !o->execution_count || o->execution_count > 10000 || o->ignored_count > 10000)
		return nx_fail(err, NX_USAGE,
			       "-n must be 1 to 100,000, -w 0 to 100,000, -I 1 to 10,000");
	if (w->check && *w->check && !is_one_of(w->check, "random", "all_ones"))
		return nx_fail(err, NX_USAGE, "--check is random or all_ones, not '%.40s'",
			       w->check);
	if (w->check)
		o->check = strcmp(w->check, "all_ones") ? NX_NCCOM_RANDOM : NX_NCCOM_ONES;
	r->dtype_name = w->dtype ? w->dtype : "uint8";
	r->dtype = nx_nccom_dtype_find(r->dtype_name);
	if (!r->dtype)
		return nx_fail(err, NX_USAGE,
			       "there is no type '%.40s'; choose from uint8 int8 fp8 uint16 int16 "
			       "fp16 bf16 uint32 int32 fp32",
			       r->dtype_name);
	return NX_OK;
}

static const char op_words[] =
	"all_reduce allr all_gather allg all_gatherv allgv reduce_scatter redsct sendrecv alltoall "
	"alltoallv permute broadcast bcast";

static enum nx_status read_ops(char **ops, size_t count, struct nx_nccom_request *r,
			       struct nx_error *err)
{
	if (!count || count > NX_NCCOM_MAX_OPS)
		return nx_fail(err, NX_USAGE,
			       "name 1 to %d operations: all_reduce (allr), all_gather (allg), "
			       "all_gatherv (allgv), reduce_scatter (redsct), sendrecv, alltoall, "
			       "alltoallv, permute, broadcast",
			       NX_NCCOM_MAX_OPS);
	for (r->op_count = 0; r->op_count < count; r->op_count++) {
		const char *name = ops[r->op_count];
		char hint[NX_HINT_MAX];

		r->ops[r->op_count] = nx_nccom_op_find(name);
		if (!r->ops[r->op_count])
			return nx_fail(err, NX_USAGE, "there is no operation '%.40s'%s", name,
				       nx_hint_word(op_words, name, "; --help lists them", hint));
	}
	return NX_OK;
}

enum nx_status nx_nccom_request_read(const struct nx_nccom_words *words, char **ops,
				     size_t op_count, struct nx_arena *arena,
				     struct nx_nccom_request *out, struct nx_error *err)
{
	enum nx_status st = read_ops(ops, op_count, out, err);

	if (!st)
		st = read_ranks(words, out, err);
	if (!st)
		st = read_options(words, out, err);
	if (!st)
		st = read_stats(words->stats, out, err);
	if (!st)
		st = read_sizes(words, out, arena, err);
	if (!st)
		st = nx_nccom_read_groups(words, out, arena, err);
	if (!st)
		st = nx_nccom_read_pairs(words, out, arena, err);
	return st ? st : nx_nccom_read_counts(words, out, arena, err);
}
